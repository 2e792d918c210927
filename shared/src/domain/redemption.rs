//! Redemptions: money taken off a card.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ids::{GiftCardId, MerchantId, OrderId, QrCode, RedemptionId};
use super::money::Money;
use super::settlement::SettlementTerms;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum RedemptionStatus {
    /// Asked of the network, outcome not known yet.
    Pending,
    Succeeded,
    Failed,
}

/// The card of ours that a redemption was taken off, where the code is known here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardLink {
    pub order_id: OrderId,
    pub gift_card_id: GiftCardId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redemption {
    pub id: RedemptionId,
    pub merchant_id: MerchantId,
    pub occurred_at: Timestamp,
    pub status: RedemptionStatus,
    /// Where it came from, such as `POS`.
    pub source: Option<String>,
    pub store_name: Option<String>,
    pub amount: Money,
    pub qr_code: Option<QrCode>,
    pub network_code: Option<String>,
    pub card: Option<CardLink>,
    /// What the merchant is owed for it, fixed when it was asked for; none where the merchant is paid on sale.
    pub terms: Option<SettlementTerms>,
}
