//! Buyers and recipients.

use super::rng::Rng;

/// First names and last names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names {
    pub(crate) first: &'static [&'static str],
    pub(crate) last: &'static [&'static str],
}

/// A name, and an e-mail address that follows from it.
#[derive(Debug)]
pub(super) struct Person {
    pub(super) name: String,
    pub(super) email: String,
}

/// People of the same name have up to this many e-mail addresses.
const NAMESAKES: i64 = 10;
const MAIL_DOMAINS: [&str; 4] = ["mail.example", "mail.example", "post.example", "inbox.example"];

impl Names {
    pub(super) fn person(self, rng: &Rng) -> Person {
        let (first, last) = (rng.pick(self.first), rng.pick(self.last));
        let namesake = match rng.below(NAMESAKES) {
            0 => String::new(),
            number => number.to_string(),
        };
        let (local, domain) = (format!("{}.{}", ascii(first), ascii(last)), rng.pick(&MAIL_DOMAINS));
        Person { name: format!("{first} {last}"), email: format!("{local}{namesake}@{domain}") }
    }
}

/// How a name is written in an e-mail address.
fn ascii(name: &str) -> String {
    let letters = name.chars().flat_map(char::to_lowercase);
    letters
        .map(|letter| match letter {
            'á' | 'â' | 'ã' | 'å' | 'ă' => "a".to_owned(),
            'ä' => "ae".to_owned(),
            'ç' | 'č' => "c".to_owned(),
            'è' | 'é' | 'ê' | 'ë' | 'ě' => "e".to_owned(),
            'í' => "i".to_owned(),
            'ł' => "l".to_owned(),
            'ñ' => "n".to_owned(),
            'ó' | 'ø' => "o".to_owned(),
            'ö' => "oe".to_owned(),
            'ş' | 'š' => "s".to_owned(),
            'ß' => "ss".to_owned(),
            'ú' => "u".to_owned(),
            'ü' => "ue".to_owned(),
            'ž' => "z".to_owned(),
            ' ' | '\'' => String::new(),
            letter => letter.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{demo, generate};

    #[test]
    fn names_have_letters_outside_of_ascii_and_addresses_have_none() {
        let european = generate::BIG.names;
        let all_of = |names: Names| [names.first, names.last].concat();
        assert!(all_of(european).iter().filter(|name| !name.is_ascii()).count() > 40);
        let names = demo::SHOPS.iter().map(|(_, shop)| shop.names).chain([european]);
        for name in names.flat_map(all_of) {
            assert!(ascii(name).bytes().all(|byte| byte.is_ascii_lowercase()), "{name}");
        }
    }
}
