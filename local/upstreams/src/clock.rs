//! The system clock. The embedded services read the time only through this module.

use jiff::Timestamp;

#[expect(clippy::disallowed_methods, reason = "the embedded services run on real time")]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}
