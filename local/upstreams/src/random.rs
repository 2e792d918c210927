//! Random bytes and ids from the operating system.

use uuid::Builder;

/// Cryptographically secure random bytes.
#[expect(clippy::disallowed_methods, clippy::expect_used, reason = "the embedded services cannot run without a random source")]
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system provides random bytes");
    bytes
}

/// A random UUID (version 4).
pub(crate) fn id() -> String {
    Builder::from_random_bytes(bytes()).into_uuid().to_string()
}
