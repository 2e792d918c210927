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
}

impl fmt::Debug for QrCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("QrCode(…)")
    }
}
