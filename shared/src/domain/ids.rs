//! Ids as types, so that none can stand where another is meant. All are opaque strings.

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
    /// A merchant of ours: the tenant.
    MerchantId;
    /// Somebody who can sign in.
    UserId;
    /// An invitation to a merchant's team.
    ChallengeId;
    /// An order of ours.
    OrderId;
    /// A card as an order lists it.
    GiftCardId;
    /// A redemption of ours.
    RedemptionId;
    /// A payout row owed to a merchant.
    SettlementId;
    /// An offer at the card network: its number, as text.
    OfferId;
    /// A merchant's account at the card network: digits.
    NetworkMerchantId;
    /// What a card operation is known by at the card network. Fresh and unguessable for each intent; also the
    /// idempotency key of the call that moves the money.
    Reference;
    /// Something promised with a change, to be done after the answer.
    JobId;
}

/// What a till scans. It is worth money, so it never shows in a log.
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
