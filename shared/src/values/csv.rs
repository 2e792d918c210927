//! CSV files after RFC 4180 that are safe to open in a spreadsheet: UTF-8 without a byte order mark, records that end with
//! CRLF, commas between cells.
//!
//! A spreadsheet runs a cell that looks like a formula, and a customer's name or a shop's own text can look like one. Such a
//! text gets a leading apostrophe, which makes it text. Where the separator is a semicolon or a tab, as in most of Europe, a cell can
//! also begin inside of a text: there it gets one as well. Numbers of our own are written as they are, so that they can be summed.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::money::Money;

/// A cell of a record, in a CSV or a workbook.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Cell<'a> {
    /// In a CSV quoted, with an apostrophe in front of what could be a formula.
    #[serde(rename = "t", borrow)]
    Text(Cow<'a, str>),
    /// A day. In a CSV a text, as is a time.
    #[serde(rename = "d")]
    Date(Date),
    #[serde(rename = "a")]
    Time(Timestamp),
    /// Digits, with a minus sign if negative.
    #[serde(rename = "i")]
    Integer(i64),
    /// An amount in currency units with all decimals of the currency: 2550 EUR is `25.50`.
    #[serde(rename = "u")]
    Units(Money),
    /// No number.
    Empty,
}

impl<'a> Cell<'a> {
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// The text; an empty one if there is none.
    pub fn optional(text: Option<&'a str>) -> Self {
        Self::text(text.unwrap_or_default())
    }

    fn write(self, csv: &mut String) -> fmt::Result {
        match self {
            Self::Text(text) => {
                write_text(csv, &text);
                Ok(())
            }
            Self::Date(date) => write!(csv, "\"{date}\""),
            Self::Time(at) => write!(csv, "\"{at:.3}\""),
            Self::Integer(number) => write!(csv, "{number}"),
            Self::Units(amount) => write!(csv, "{}", amount.units()),
            Self::Empty => Ok(()),
        }
    }
}

/// Appends the header row.
pub fn write_header(csv: &mut String, columns: &[&str]) {
    write_record(csv, columns.iter().map(|name| Cell::text(*name)));
}

/// Appends a record. It needs at least two cells: a line without characters is no record of one empty cell.
pub fn write_record<'a>(csv: &mut String, cells: impl IntoIterator<Item = Cell<'a>>) {
    for (index, cell) in cells.into_iter().enumerate() {
        if index > 0 {
            csv.push(',');
        }
        // Writing to a string cannot fail.
        let _ = cell.write(csv);
    }
    csv.push_str("\r\n");
}

fn write_text(csv: &mut String, text: &str) {
    csv.push('"');
    if first_character(text).is_some_and(|c| starts_formula(c) || matches!(c, '\t' | '\r' | '\n')) {
        csv.push('\'');
    }
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '"' {
            csv.push('"');
        }
        csv.push(c);
        if separates(c) && first_character(chars.as_str()).is_some_and(starts_formula) {
            csv.push('\'');
        }
    }
    csv.push('"');
}

/// What decides whether a spreadsheet could read a cell as a formula. Some ignore blanks and quotes in front of it, or read the
/// full-width forms of the characters.
fn first_character(cell: &str) -> Option<char> {
    cell.chars().find(|c| separates(*c) || starts_formula(*c) || !(is_blank(*c) || is_quote(*c)))
}

/// Whether a new cell can begin behind it although the text is quoted: a spreadsheet with another separator than a comma sees no
/// quotes in the middle of a cell.
fn separates(c: char) -> bool {
    matches!(c, ';' | '\t' | '\r' | '\n')
}

fn starts_formula(c: char) -> bool {
    matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠')
}

/// Whitespace, and characters that have no width or are no characters of a text.
fn is_blank(c: char) -> bool {
    let has_no_width = matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    c.is_whitespace() || c.is_control() || has_no_width
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '´' | '«' | '»' | '\u{2018}'..='\u{201f}' | '‹' | '›' | '＂' | '＇')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::money::Minor;
    use proptest::prelude::*;
    use world::spreadsheet;

    fn record(cells: &[Cell<'_>]) -> String {
        let mut csv = String::new();
        write_record(&mut csv, cells.iter().cloned());
        csv
    }

    fn text(text: &str) -> String {
        record(&[Cell::text(text)]).trim_end_matches("\r\n").to_owned()
    }

    #[test]
    fn texts_are_quoted_and_formulas_get_an_apostrophe() {
        for (value, cell) in [
            ("", r#""""#),
            ("Anna", r#""Anna""#),
            ("Åsa, \"Bo\"", r#""Åsa, ""Bo""""#),
            ("two\r\nlines", "\"two\r\nlines\""),
            ("=1+1", r#""'=1+1""#),
            ("+46 70 123", r#""'+46 70 123""#),
            ("-3", r#""'-3""#),
            ("@SUM(A1)", r#""'@SUM(A1)""#),
            ("＝1", r#""'＝1""#),
            ("＋1", r#""'＋1""#),
            ("－1", r#""'－1""#),
            ("＠a", r#""'＠a""#),
            ("\tx", "\"'\tx\""),
            ("\rx", "\"'\rx\""),
            ("\nx", "\"'\nx\""),
            ("  =1", r#""'  =1""#),
            ("\u{a0}\u{3000}=1", "\"'\u{a0}\u{3000}=1\""),
            ("\u{feff}\u{200b}=1", "\"'\u{feff}\u{200b}=1\""),
            ("\0=1", "\"'\0=1\""),
            ("\"=1\"", r#""'""=1""""#),
            ("'=1", r#""''=1""#),
            (" ' \" “=1", r#""' ' "" “=1""#),
            ("  \n", "\"'  \n\""),
            ("a=1", r#""a=1""#),
            ("  a", r#""  a""#),
            ("'a'", r#""'a'""#),
            ("7-3", r#""7-3""#),
            ("€5", r#""€5""#),
            ("\"", r#""""""#),
            ("x;=HYPERLINK(1)", r#""x;'=HYPERLINK(1)""#),
            ("x; \"＝1", r#""x;' ""＝1""#),
            ("x\t+1", "\"x\t'+1\""),
            ("x\r\n@a", "\"x\r\n'@a\""),
            (";;-1", r#"";;'-1""#),
            ("a;b;c", r#""a;b;c""#),
            ("a,=1", r#""a,=1""#),
        ] {
            assert_eq!(text(value), cell, "{value:?}");
        }
    }

    #[test]
    fn numbers_are_plain_digits() {
        let units = |minor, currency: &str| Cell::Units(Money::new(Minor::new(minor), currency.parse().unwrap()));
        for (cell, expected) in [
            (Cell::Integer(0), "0"),
            (Cell::Integer(-2550), "-2550"),
            (Cell::Integer(i64::MIN), "-9223372036854775808"),
            (units(123_456_700, "EUR"), "1234567.00"),
            (units(-5, "EUR"), "-0.05"),
            (units(2550, "JPY"), "2550"),
            (units(1005, "KWD"), "1.005"),
            (Cell::Empty, ""),
            (Cell::optional(None), "\"\""),
            (Cell::optional(Some("-")), "\"'-\""),
        ] {
            assert_eq!(record(&[cell]), format!("{expected}\r\n"));
        }
    }

    #[test]
    fn records_end_with_crlf() {
        let mut csv = String::new();
        write_header(&mut csv, &["id", "amountMinor"]);
        write_record(&mut csv, [Cell::text("a"), Cell::Integer(-1)]);
        assert_eq!(csv, "\"id\",\"amountMinor\"\r\n\"a\",-1\r\n");
    }

    proptest! {
        #[test]
        fn every_text_can_be_read_back(
            rows in prop::collection::vec(prop::collection::vec("[\"',;=+@ \t\r\n＝a-]{0,8}|\\PC{0,8}", 2..4), 0..4),
        ) {
            let mut csv = String::new();
            for row in &rows {
                write_record(&mut csv, row.iter().map(Cell::text));
            }
            let read = spreadsheet(&csv, ',');
            prop_assert_eq!(read.len(), rows.len() + 1);
            for (cell, text) in read.iter().flatten().zip(rows.iter().flatten()) {
                prop_assert_eq!(cell.replace('\'', ""), text.replace('\'', ""));
                prop_assert!(cell == text || text.contains(|c| starts_formula(c) || separates(c)), "{:?}", text);
            }
        }

        #[test]
        fn no_cell_begins_like_a_formula_whatever_the_separator(
            texts in prop::collection::vec("[\"' \u{a0}`’x;,=+@＝＋－＠\t\r\na-]{0,10}|\\PC{0,8}", 2..4),
        ) {
            let mut csv = String::new();
            write_record(&mut csv, texts.iter().map(Cell::text));
            for separator in [',', ';', '\t'] {
                for cell in spreadsheet(&csv, separator).iter().flatten() {
                    let rest = cell.trim_start_matches(['"', ' ', '\u{a0}', '`', '’']);
                    prop_assert!(!rest.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']), "{:?} in {:?}", cell, csv);
                }
            }
        }
    }
}
