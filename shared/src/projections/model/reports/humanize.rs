//! Display names of enum variants.

use std::fmt::{self, Write};

use serde::Serialize;

/// Returns the serialized name of a unit variant in lower case with spaces: `PAYMENT_FAILED` becomes `payment failed`.
pub fn humanize(variant: impl Serialize) -> String {
    let mut name = String::new();
    // Fails only for values that are not unit variants.
    let _ = write!(name, "{}", SerializedName(variant));
    name.to_lowercase().replace('_', " ")
}

/// Like [`humanize`], with an initial capital: `PAYMENT_FAILED` becomes `Payment failed`.
pub fn label(variant: impl Serialize) -> String {
    let name = humanize(variant);
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// `Formatter` implements `Serializer` for unit variants: it writes their name.
struct SerializedName<T>(T);

impl<T: Serialize> fmt::Display for SerializedName<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(f)
    }
}
