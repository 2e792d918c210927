//! The languages in which people are spoken to who are no members of a merchant, and how amounts and days are written in them.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::money::{Currency, Money};
use super::open_enum::OpenEnum;

/// Stored as its tag.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Language {
    #[default]
    English,
    Danish,
    Dutch,
    Finnish,
    French,
    German,
    Japanese,
    Norwegian,
    Spanish,
    Swedish,
}

/// How the currency of an amount is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurrencyLabel {
    /// The symbol that means this currency to readers of the language, such as `US$`; the code if they have none for it, or would take it
    /// for another one: in German, `kr` could be of four countries.
    Symbol,
    Code,
}

impl CurrencyLabel {
    /// The label on a page that shows these currencies.
    pub fn on_page(shown: impl IntoIterator<Item = Currency>) -> Self {
        let mut shown = shown.into_iter();
        let first = shown.next();
        if shown.any(|currency| Some(currency) != first) { Self::Code } else { Self::Symbol }
    }

    /// What `Intl` calls it (`currencyDisplay`).
    pub fn name(self) -> &'static str {
        match self {
            Self::Symbol => "symbol",
            Self::Code => "code",
        }
    }
}

/// How a language writes amounts.
struct Amounts {
    decimal: char,
    /// Between thousands.
    group: char,
    /// The fewest digits that are grouped.
    grouped_from: usize,
    currency: Place,
}

/// Where a currency stands.
enum Place {
    /// A sign right before the number, a code with a space between.
    Before,
    BeforeWithSpace,
    AfterWithSpace,
}

const NO_BREAK_SPACE: char = '\u{a0}';
const NARROW_NO_BREAK_SPACE: char = '\u{202f}';

impl Language {
    pub const ALL: [Self; 10] = [
        Self::English,
        Self::Danish,
        Self::German,
        Self::Spanish,
        Self::French,
        Self::Dutch,
        Self::Norwegian,
        Self::Finnish,
        Self::Swedish,
        Self::Japanese,
    ];

    /// ISO 639-1.
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Danish => "da",
            Self::Dutch => "nl",
            Self::Finnish => "fi",
            Self::French => "fr",
            Self::German => "de",
            Self::Japanese => "ja",
            Self::Norwegian => "nb",
            Self::Spanish => "es",
            Self::Swedish => "sv",
        }
    }

    /// What its speakers call it.
    pub fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Danish => "Dansk",
            Self::Dutch => "Nederlands",
            Self::Finnish => "Suomi",
            Self::French => "Français",
            Self::German => "Deutsch",
            Self::Japanese => "日本語",
            Self::Norwegian => "Norsk bokmål",
            Self::Spanish => "Español",
            Self::Swedish => "Svenska",
        }
    }

    /// The language of a tag such as `de-AT`. All Norwegian is bokmål.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let name = tag.split(['-', '_']).next().unwrap_or_default().trim();
        let name = if ["no", "nn"].iter().any(|norwegian| name.eq_ignore_ascii_case(norwegian)) { "nb" } else { name };
        Self::ALL.into_iter().find(|language| name.eq_ignore_ascii_case(language.tag()))
    }

    /// The most preferred language of those that the header `Accept-Language` lists; English if it lists none of these.
    pub fn preferred(accept_language: &str) -> Self {
        let listed = accept_language.split(',').filter_map(|range| {
            let (tag, weight) = range.split_once(';').unwrap_or((range, "q=1"));
            let weight = weight.trim().strip_prefix(['q', 'Q'])?.trim_start().strip_prefix('=')?;
            let weight: f32 = weight.trim().parse().ok().filter(|weight| *weight > 0.0 && *weight <= 1.0)?;
            Some((Self::of_tag(tag)?, weight))
        });
        // Of equal ones, the last is found: of the reversed list, that is the one that is listed first.
        let preferred = listed.rev().max_by(|(_, one), (_, other)| one.total_cmp(other));
        preferred.map_or(Self::English, |(language, _)| language)
    }

    /// The language that is stored with a user or a request; English without one.
    pub fn stored(language: Option<&OpenEnum<Self>>) -> Self {
        language.and_then(OpenEnum::known).unwrap_or_default()
    }

    /// An amount without decimals that are zero: `€2,000`, `2.000 €`, `US$12.50`, `649,50 SEK`, `649,50 kr`.
    pub fn amount(self, money: Money, label: CurrencyLabel) -> String {
        let Amounts { decimal, group, grouped_from, currency } = self.amounts();
        let units = money.units();
        let (minus, digits) = units.strip_prefix('-').map_or(("", units.as_str()), |digits| ("-", digits));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mut number = String::new();
        for (place, digit) in whole.char_indices() {
            if place > 0 && whole.len() >= grouped_from && (whole.len() - place).is_multiple_of(3) {
                number.push(group);
            }
            number.push(digit);
        }
        if fraction.bytes().any(|digit| digit != b'0') {
            number.push(decimal);
            number.push_str(fraction);
        }
        let symbol = self.label(money.currency, label);
        match currency {
            Place::Before if symbol != money.currency.code() => format!("{minus}{symbol}{number}"),
            Place::Before | Place::BeforeWithSpace => format!("{minus}{symbol}{NO_BREAK_SPACE}{number}"),
            Place::AfterWithSpace => format!("{minus}{number}{NO_BREAK_SPACE}{symbol}"),
        }
    }

    fn label(self, currency: Currency, label: CurrencyLabel) -> &'static str {
        match label {
            CurrencyLabel::Symbol => self.symbol(currency),
            CurrencyLabel::Code => currency.code(),
        }
    }

    /// Other symbols than these, such as `CA$`, are left to browsers. English is that of all countries.
    fn symbol(self, currency: Currency) -> &'static str {
        match (currency.code(), self) {
            ("EUR", _) => "€",
            ("GBP", Self::Spanish | Self::Swedish) => "GBP",
            ("GBP", Self::French) => "£GB",
            ("GBP", _) => "£",
            ("JPY", Self::Finnish | Self::German | Self::Japanese) => "¥",
            ("JPY", Self::Danish | Self::Dutch | Self::English) => "JP¥",
            ("USD", Self::Finnish | Self::German | Self::Japanese) => "$",
            ("USD", Self::Danish | Self::Dutch | Self::English | Self::Spanish | Self::Swedish) => "US$",
            ("USD", Self::French) => "$US",
            ("DKK", Self::Danish) => "kr.",
            ("DKK", Self::Swedish) => "Dkr",
            ("ISK", Self::Swedish) => "Ikr",
            ("NOK", Self::Swedish) => "Nkr",
            ("NOK", Self::Norwegian) | ("SEK", Self::Swedish) => "kr",
            (code, _) => code,
        }
    }

    fn amounts(self) -> Amounts {
        let after = |decimal, group, grouped_from| Amounts { decimal, group, grouped_from, currency: Place::AfterWithSpace };
        match self {
            Self::English | Self::Japanese => Amounts { decimal: '.', group: ',', grouped_from: 4, currency: Place::Before },
            Self::Dutch => Amounts { decimal: ',', group: '.', grouped_from: 4, currency: Place::BeforeWithSpace },
            Self::Danish | Self::German => after(',', '.', 4),
            Self::Spanish => after(',', '.', 5),
            Self::French => after(',', NARROW_NO_BREAK_SPACE, 4),
            Self::Finnish | Self::Norwegian | Self::Swedish => after(',', NO_BREAK_SPACE, 4),
        }
    }

    /// A day with the name of its month: `31 May 2031`, `31. Mai 2031`, `2031年5月31日`.
    pub fn day(self, date: Date) -> String {
        let (day, number, year) = (date.day(), date.month(), date.year());
        let month = usize::try_from(number - 1).ok().and_then(|index| self.months().split(' ').nth(index)).unwrap_or_default();
        match self {
            Self::English | Self::Dutch | Self::French | Self::Swedish => format!("{day} {month} {year}"),
            Self::Danish | Self::Finnish | Self::German | Self::Norwegian => format!("{day}. {month} {year}"),
            Self::Spanish => format!("{day} de {month} de {year}"),
            Self::Japanese => format!("{year}年{number}月{day}日"),
        }
    }

    /// The names of the months as they stand in a date, if it has any.
    fn months(self) -> &'static str {
        match self {
            Self::English => "January February March April May June July August September October November December",
            Self::Danish => "januar februar marts april maj juni juli august september oktober november december",
            Self::Dutch => "januari februari maart april mei juni juli augustus september oktober november december",
            Self::Finnish => {
                "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta \
                 marraskuuta joulukuuta"
            }
            Self::French => "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
            Self::German => "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
            Self::Japanese => "",
            Self::Norwegian => "januar februar mars april mai juni juli august september oktober november desember",
            Self::Spanish => "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
            Self::Swedish => "januari februari mars april maj juni juli augusti september oktober november december",
        }
    }
}

impl From<Language> for &'static str {
    fn from(language: Language) -> Self {
        language.tag()
    }
}

impl TryFrom<String> for Language {
    type Error = &'static str;

    fn try_from(tag: String) -> Result<Self, Self::Error> {
        Self::ALL.into_iter().find(|language| language.tag() == tag).ok_or("not a language of this release")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::values::money::Minor;

    #[test]
    fn the_most_preferred_language_that_exists_is_spoken() {
        for (header, expected) in [
            ("", "en"),
            ("de", "de"),
            ("de-AT,de;q=0.9,en;q=0.8", "de"),
            ("pl,fi;q=0.8,sv;q=0.9", "sv"),
            ("fr;q=0.5, ja;q=0.5", "fr"),
            ("en;q=0.5, ES ; Q = 0.7", "es"),
            ("da;q=0", "en"),
            ("da;q=0,nl;q=0.001", "nl"),
            ("no", "nb"),
            ("nn-NO", "nb"),
            ("nb_NO", "nb"),
            ("*", "en"),
            ("*,fi;q=0.1", "fi"),
            ("pl", "en"),
            ("german,deu,d", "en"),
            ("de;q=2,fr;q=-1,sv;q=NaN,fi;q=inf,ja;q=", "en"),
            (";;;,,,=q;q=q=1,\u{fffd}", "en"),
        ] {
            assert_eq!(Language::preferred(header).tag(), expected, "{header}");
        }
        let long = "x-rubbish;q=0.9,".repeat(640);
        assert_eq!(Language::preferred(&long), Language::English);
        assert_eq!(Language::preferred(&(long + "fr;q=0.1")), Language::French);
    }

    /// `tests/browser/formats.test.mjs` compares what is kept with what browsers write.
    #[test]
    fn amounts_and_days_are_those_of_the_language() {
        let amounts = [
            (7, "EUR", CurrencyLabel::Symbol),
            (99_900, "EUR", CurrencyLabel::Symbol),
            (200_000, "EUR", CurrencyLabel::Symbol),
            (1_234_567_850, "EUR", CurrencyLabel::Symbol),
            (1_234_500, "EUR", CurrencyLabel::Symbol),
            (123_450, "USD", CurrencyLabel::Symbol),
            (10_000, "JPY", CurrencyLabel::Symbol),
            (123_400, "GBP", CurrencyLabel::Symbol),
            (1_500, "KWD", CurrencyLabel::Symbol),
            (1_500, "CHF", CurrencyLabel::Symbol),
            (2_000, "ISK", CurrencyLabel::Symbol),
            (64_950, "SEK", CurrencyLabel::Symbol),
            (50_000, "NOK", CurrencyLabel::Symbol),
            (200_000, "DKK", CurrencyLabel::Symbol),
            (64_950, "SEK", CurrencyLabel::Code),
            (2_550, "EUR", CurrencyLabel::Code),
            (10_000, "JPY", CurrencyLabel::Code),
        ];
        let money = |minor, currency: &str| Money::new(Minor::new(minor), currency.parse().unwrap());
        let texts = |language: Language| {
            let amounts = amounts.map(|(minor, currency, label)| {
                let money = money(minor, currency);
                (format!("{currency} {} {label:?}", money.units()), language.amount(money, label))
            });
            let days = (1..=12).map(|month| {
                let day = Date::new(2031, month, month + 1).unwrap();
                (day.to_string(), language.day(day))
            });
            amounts.into_iter().chain(days).collect::<BTreeMap<_, _>>()
        };
        insta::assert_json_snapshot!("formats", BTreeMap::from(Language::ALL.map(|language| (language.tag(), texts(language)))));
        assert_eq!(Language::German.amount(money(-2_550, "EUR"), CurrencyLabel::Symbol), "-25,50\u{a0}€");
    }

    #[test]
    fn a_symbol_stands_only_for_what_its_reader_takes_it_for() {
        let currency = |code: &str| code.parse::<Currency>().unwrap();
        for (language, shown, price) in [
            (Language::Swedish, "SEK", "5\u{a0}kr"),
            (Language::Swedish, "SEK SEK", "5\u{a0}kr"),
            (Language::Norwegian, "SEK", "5\u{a0}SEK"),
            (Language::English, "SEK", "SEK\u{a0}5"),
            (Language::English, "USD", "US$5"),
            (Language::English, "CAD", "CAD\u{a0}5"),
            (Language::German, "USD", "5\u{a0}$"),
            (Language::English, "EUR", "€5"),
            (Language::English, "EUR SEK EUR", "EUR\u{a0}5"),
            (Language::Swedish, "SEK NOK", "5\u{a0}SEK"),
        ] {
            let codes: Vec<Currency> = shown.split(' ').map(currency).collect();
            let label = CurrencyLabel::on_page(codes.iter().copied());
            assert_eq!(language.amount(Money::new(Minor::new(500), codes[0]), label), price, "{shown} in {}", language.tag());
        }
    }
}
