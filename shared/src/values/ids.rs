//! Identifier newtypes: the compiler rejects an id of the wrong kind. All ids are opaque strings.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn new(id: impl Into<String>) -> Self {
                Self(id.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

ids! {
    /// A merchant of the portal: the tenant.
    MerchantId;
    /// A user account.
    UserId;
    /// A session in its user's list of sessions. It grants nothing.
    SessionId;
    /// A till that is paired with a merchant.
    TillId;
    /// A key of a merchant's own program: letters and digits.
    ApiKeyId;
    /// A passkey of a user.
    PasskeyId;
    /// An invitation to a merchant's team.
    ChallengeId;
    /// An order in the portal.
    OrderId;
    /// A gift card of an order.
    GiftCardId;
    /// A redemption in the portal.
    RedemptionId;
    /// A settlement: an amount owed to a merchant.
    SettlementId;
    /// A payout: settlements that are paid together.
    PayoutId;
    /// A run that makes payouts.
    PayoutRunId;
    /// An offer at the card network: a number, stored as text.
    OfferId;
    /// A merchant's account at the card network: decimal digits.
    NetworkMerchantId;
    /// The reference of a card operation at the card network. Random and unique for each operation; also the idempotency
    /// key of the call that moves the money.
    Reference;
    /// A job: work that runs after the response has been sent.
    JobId;
    /// An export of a merchant's orders, redemptions or settlements.
    ExportId;
    /// An object of a search segment.
    ObjectId;
    /// An address of a merchant's system that messages are sent to.
    WebhookEndpointId;
    /// A message to a merchant's systems.
    WebhookMessageId;
    /// A message on its way to one endpoint.
    WebhookDeliveryId;
}

impl WebhookDeliveryId {
    /// The delivery of a message, to any endpoint.
    pub fn of(message: &WebhookMessageId) -> Self {
        Self::new(message.as_str().trim_start_matches("msg_"))
    }
}

/// The code that a till scans. It grants access to the card's value, so `Debug` redacts it.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct QrCode(String);

impl QrCode {
    pub fn new(code: impl Into<String>) -> Self {
        Self(code.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What a code can mean that nobody knows as it stands: without blanks, with the dashes, letters and digits of ASCII, in capitals.
    /// `None` if it is so already.
    pub fn plain(&self) -> Option<Self> {
        let plain: String = self.0.chars().filter(|c| !c.is_whitespace()).map(ascii_of).collect();
        (plain != self.0).then_some(Self(plain))
    }
}

/// ASCII in place of a dash of any script and of the full width forms, in capitals.
fn ascii_of(c: char) -> char {
    let ascii = match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2e3a}' | '\u{2e3b}' | '\u{fe58}' | '\u{fe63}' | '\u{58a}' | '\u{1806}' => '-',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        other => other,
    };
    ascii.to_ascii_uppercase()
}

impl fmt::Debug for QrCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QrCode(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::QrCode;

    #[test]
    fn a_code_in_another_form_means_that_of_ascii_in_capitals() {
        for (typed, plain) in [
            ("HA112", None),
            ("HA-112", None),
            ("ha112", Some("HA112")),
            ("HA1 12 34", Some("HA11234")),
            ("HA1\u{a0}12\u{3000}34", Some("HA11234")),
            ("HA\u{2013}112\u{2212}3\u{ff0d}4", Some("HA-112-3-4")),
            ("\u{ff28}\u{ff41}\u{ff11}", Some("HA1")),
            ("straße", Some("STRAßE")),
        ] {
            assert_eq!(QrCode::new(typed).plain().as_ref().map(QrCode::as_str), plain, "{typed}");
        }
    }
}
