//! Redemptions: payments with a gift card.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fees::SettlementTerms;
use super::ids::{GiftCardId, MerchantId, OrderId, QrCode, RedemptionId};
use super::money::Money;
use super::open_enum::OpenEnum;
use crate::projection;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum RedemptionStatus {
    /// Sent to the card network; the outcome is not known yet.
    Pending,
    Succeeded,
    Failed,
}

/// The order and the card that a redemption was charged to, if the card was sold by the same merchant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardLink {
    pub order_id: OrderId,
    pub gift_card_id: GiftCardId,
    /// Whether the merchant took the money for the card at its own till.
    #[serde(default)]
    pub sold_at_till: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redemption {
    pub id: RedemptionId,
    pub merchant_id: MerchantId,
    pub occurred_at: Timestamp,
    pub status: OpenEnum<RedemptionStatus>,
    /// The channel, such as `POS`.
    pub source: Option<String>,
    pub store_name: Option<String>,
    pub amount: Money,
    pub qr_code: Option<QrCode>,
    pub network_code: Option<String>,
    pub card: Option<CardLink>,
    /// Whether its currency was not the merchant's when it began. The network's reply has to confirm it then.
    #[serde(default)]
    pub foreign_currency: bool,
    /// Whether the network's reply names something else than was asked for.
    #[serde(default)]
    pub reply_disagrees: bool,
    /// The terms of its settlement, fixed when the redemption began. `None` if the merchant is paid on sale. Required in a
    /// row, also if null: without terms, the merchant would not be paid.
    #[serde(deserialize_with = "Option::deserialize")]
    pub terms: Option<SettlementTerms>,
}

projection! {
    /// The fields that reports count and show.
    pub struct ReportedRedemption of Redemption {
        id: RedemptionId,
        occurred_at: Timestamp,
        status: OpenEnum<RedemptionStatus>,
        source: Option<String>,
        store_name: Option<String>,
        amount: Money,
        qr_code: Option<QrCode>,
        network_code: Option<String>,
    }
}
