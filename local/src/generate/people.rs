//! Buyers and recipients.

use crate::demo::Rng;

/// A name, and an e-mail address that follows from it.
#[derive(Debug)]
pub(super) struct Person {
    pub(super) name: String,
    pub(super) email: String,
}

/// People of the same name have up to this many e-mail addresses.
const NAMESAKES: i64 = 10;
const MAIL_DOMAINS: [&str; 4] = ["mail.example", "mail.example", "post.example", "inbox.example"];

/// A name and how it is written in an e-mail address.
type Name = (&'static str, &'static str);

const FIRST_NAMES: [Name; 60] = [
    ("Ada", "ada"),
    ("Adèle", "adele"),
    ("Agnieszka", "agnieszka"),
    ("Aino", "aino"),
    ("Alva", "alva"),
    ("Amélie", "amelie"),
    ("André", "andre"),
    ("Åsa", "asa"),
    ("Aurora", "aurora"),
    ("Bastien", "bastien"),
    ("Björn", "bjorn"),
    ("Bruno", "bruno"),
    ("Carmen", "carmen"),
    ("Céline", "celine"),
    ("Chiara", "chiara"),
    ("Clara", "clara"),
    ("Daan", "daan"),
    ("Diego", "diego"),
    ("Dóra", "dora"),
    ("Élodie", "elodie"),
    ("Elias", "elias"),
    ("Emma", "emma"),
    ("Ewa", "ewa"),
    ("Fátima", "fatima"),
    ("Finn", "finn"),
    ("François", "francois"),
    ("Freja", "freja"),
    ("Giulia", "giulia"),
    ("Greta", "greta"),
    ("Hélène", "helene"),
    ("Hugo", "hugo"),
    ("Inês", "ines"),
    ("Isabel", "isabel"),
    ("Jakub", "jakub"),
    ("Joana", "joana"),
    ("Jörg", "joerg"),
    ("José", "jose"),
    ("Jürgen", "juergen"),
    ("Lars", "lars"),
    ("Léa", "lea"),
    ("Lena", "lena"),
    ("Liam", "liam"),
    ("Łukasz", "lukasz"),
    ("Maja", "maja"),
    ("Márton", "marton"),
    ("Mateo", "mateo"),
    ("Matěj", "matej"),
    ("Mila", "mila"),
    ("Nils", "nils"),
    ("Noémie", "noemie"),
    ("Olga", "olga"),
    ("Paula", "paula"),
    ("Raúl", "raul"),
    ("Saga", "saga"),
    ("Siân", "sian"),
    ("Søren", "soren"),
    ("Théo", "theo"),
    ("Ursula", "ursula"),
    ("Zoë", "zoe"),
    ("Željko", "zeljko"),
];

const SURNAMES: [Name; 80] = [
    ("Ackermann", "ackermann"),
    ("Almeida", "almeida"),
    ("Andersson", "andersson"),
    ("Ångström", "angstrom"),
    ("Bakker", "bakker"),
    ("Becker", "becker"),
    ("Bělohlávek", "belohlavek"),
    ("Berglund", "berglund"),
    ("Bianchi", "bianchi"),
    ("Boyle", "boyle"),
    ("Brânză", "branza"),
    ("Byrne", "byrne"),
    ("Castro", "castro"),
    ("Červenka", "cervenka"),
    ("Conti", "conti"),
    ("Costa", "costa"),
    ("Dahl", "dahl"),
    ("De Vries", "devries"),
    ("Delacroix", "delacroix"),
    ("Dubois", "dubois"),
    ("Eklund", "eklund"),
    ("Esposito", "esposito"),
    ("Fernández", "fernandez"),
    ("Ferrari", "ferrari"),
    ("Fischer", "fischer"),
    ("Fournier", "fournier"),
    ("García", "garcia"),
    ("Gauthier", "gauthier"),
    ("Gómez", "gomez"),
    ("Groß", "gross"),
    ("Hämäläinen", "hamalainen"),
    ("Hansen", "hansen"),
    ("Hoffmann", "hoffmann"),
    ("Holm", "holm"),
    ("Horváth", "horvath"),
    ("Ionescu", "ionescu"),
    ("Jansen", "jansen"),
    ("Jensen", "jensen"),
    ("Jørgensen", "jorgensen"),
    ("Kaya", "kaya"),
    ("Keller", "keller"),
    ("Kovács", "kovacs"),
    ("Kowalski", "kowalski"),
    ("Krüger", "krueger"),
    ("Laurent", "laurent"),
    ("Lefèvre", "lefevre"),
    ("Lindqvist", "lindqvist"),
    ("López", "lopez"),
    ("Łuczak", "luczak"),
    ("Martin", "martin"),
    ("Meyer", "meyer"),
    ("Moreau", "moreau"),
    ("Müller", "mueller"),
    ("Muñoz", "munoz"),
    ("Murphy", "murphy"),
    ("Nagy", "nagy"),
    ("Nieminen", "nieminen"),
    ("Novák", "novak"),
    ("Nyman", "nyman"),
    ("O'Brien", "obrien"),
    ("Olsen", "olsen"),
    ("Öztürk", "ozturk"),
    ("Papadopoulou", "papadopoulou"),
    ("Pereira", "pereira"),
    ("Petrov", "petrov"),
    ("Ricci", "ricci"),
    ("Rossi", "rossi"),
    ("Sánchez", "sanchez"),
    ("Santos", "santos"),
    ("Schäfer", "schaefer"),
    ("Schmidt", "schmidt"),
    ("Silva", "silva"),
    ("Sørensen", "sorensen"),
    ("Şahin", "sahin"),
    ("Van den Berg", "vandenberg"),
    ("Virtanen", "virtanen"),
    ("Vogel", "vogel"),
    ("Wójcik", "wojcik"),
    ("Žižek", "zizek"),
    ("Zimmermann", "zimmermann"),
];

pub(super) fn person(rng: &mut Rng) -> Person {
    let ((first, first_ascii), (last, last_ascii)) = (rng.pick(&FIRST_NAMES), rng.pick(&SURNAMES));
    let namesake = match rng.below(NAMESAKES) {
        0 => String::new(),
        number => number.to_string(),
    };
    let domain = rng.pick(&MAIL_DOMAINS);
    Person {
        name: format!("{first} {last}"),
        email: format!("{first_ascii}.{last_ascii}{namesake}@{domain}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_have_letters_outside_of_ascii_and_addresses_have_none() {
        let names: Vec<Name> = [&FIRST_NAMES[..], &SURNAMES[..]].concat();
        assert!(names.iter().filter(|(name, _)| !name.is_ascii()).count() > 40);
        let is_in_address = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase());
        assert!(names.iter().all(|(_, ascii)| is_in_address(ascii)));
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    }
}
