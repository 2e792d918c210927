//! E-mail addresses.

use shared::aws::mail::{MAX_ADDRESS_BYTES, can_be_mailed, is_address};
use shared::team::model::team::fold_email;

use crate::support::text;

pub fn email(data: &[u8]) {
    let address = text(data);
    let folded = fold_email(&address);
    assert_eq!(fold_email(&folded), folded);
    if !is_address(&address) {
        assert!(!can_be_mailed(&address));
        return;
    }
    // One line, and a host with a dot in it.
    assert!(!address.chars().any(char::is_control), "{address:?}");
    let (local, domain) = address.rsplit_once('@').unwrap();
    assert!(!local.is_empty() && local.len() <= 64, "{address:?}");
    assert!(domain.contains('.') && domain.split('.').all(|label| (1..=63).contains(&label.len())), "{address:?}");
    assert!(!domain.contains(|c: char| c.is_whitespace() || "<>()[]\\,;:\"".contains(c)), "{address:?}");
    if can_be_mailed(&address) {
        assert!(address.len() <= MAX_ADDRESS_BYTES && address.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
        // Whom a code is mailed to is found again by the same address.
        assert!(can_be_mailed(&folded) && folded.eq_ignore_ascii_case(&address), "{address:?}");
        // A header has one recipient, also if it names one beside the address.
        assert!(!is_address(&format!("{address},{address}")) && !is_address(&format!("A <{address}>")), "{address:?}");
    }
}
