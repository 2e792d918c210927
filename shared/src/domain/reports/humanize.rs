//! Values of enums as people read them.

use serde::Serialize;

/// In lower case with spaces: `PAYMENT_FAILED` is `payment failed`.
pub fn humanize(value: impl Serialize) -> String {
    let name = serde_json::to_value(value).unwrap_or_default();
    name.as_str().unwrap_or_default().to_lowercase().replace('_', " ")
}

/// As a sentence begins: `PAYMENT_FAILED` is `Payment failed`.
pub fn label(value: impl Serialize) -> String {
    let humanize = humanize(value);
    let mut letters = humanize.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::order::{OrderStatus, PaymentStatus};

    #[test]
    fn names_lose_their_underscores_and_labels_begin_with_a_capital() {
        let status = OrderStatus::PaymentCapturedPendingFraudReview;
        assert_eq!(humanize(status), "payment captured pending fraud review");
        assert_eq!(label(PaymentStatus::PaymentCaptureSucceeded), "Payment capture succeeded");
    }
}
