//! The clock and the randomness of the embedded services: the only place here that reaches for them.

use jiff::Timestamp;
use uuid::Builder;

/// The time now.
#[expect(clippy::disallowed_methods, reason = "the embedded services keep real time")]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// Bytes that nobody can guess.
#[expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "without randomness nothing here can go on"
)]
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

/// An id that nobody can guess.
pub(crate) fn random_id() -> String {
    Builder::from_random_bytes(random_bytes()).into_uuid().to_string()
}
