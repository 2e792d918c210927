//! The columns of exports. No column has a card's code.

use jiff::tz::TimeZone;

use crate::cards::model::order::OrderEntry;
use crate::cards::model::redemption::RedemptionEntry;
use crate::projections::model::export::{ExportKind, SelectedBy};
use crate::settlements::model::settlement::Settlement;
use crate::values::csv::Cell;
use crate::values::{GiftCardId, Minor, Money, OrderId, PayoutId, RedemptionId, date_of};

/// A row of an export.
pub(super) enum Record {
    Order(OrderEntry),
    Redemption(RedemptionEntry),
    Settlement(Box<Settlement>),
}

const ORDERS: [&str; 15] = [
    "id",
    "reference",
    "date",
    "createdAt",
    "status",
    "paymentStatus",
    "fulfilmentStatus",
    "totalMinor",
    "total",
    "currency",
    "itemCount",
    "buyerName",
    "buyerEmail",
    "paymentTransactionId",
    "processorTransactionId",
];

const REDEMPTIONS: [&str; 10] =
    ["id", "date", "occurredAt", "status", "amountMinor", "amount", "currency", "cardRef", "source", "storeName"];

const SETTLEMENTS: [&str; 20] = [
    "id",
    "date",
    "eligibleAt",
    "createdAt",
    "updatedAt",
    "sourceType",
    "sourceId",
    "orderId",
    "giftCardId",
    "redemptionId",
    "status",
    "held",
    "payoutBatchId",
    "grossAmountMinor",
    "grossAmount",
    "feeAmountMinor",
    "feeAmount",
    "netAmountMinor",
    "netAmount",
    "currency",
];

pub fn columns(kind: ExportKind) -> &'static [&'static str] {
    match kind {
        ExportKind::Orders => &ORDERS,
        ExportKind::Redemptions => &REDEMPTIONS,
        ExportKind::Settlements => &SETTLEMENTS,
    }
}

impl Record {
    /// `date` is the day in this time zone by which it is selected.
    pub(super) fn cells(&self, zone: &TimeZone, by: SelectedBy) -> Vec<Cell<'_>> {
        match self {
            Self::Order(order) => cells_of_order(order, zone).into(),
            Self::Redemption(redemption) => cells_of_redemption(redemption, zone).into(),
            Self::Settlement(settlement) => cells_of_settlement(settlement, zone, by).into(),
        }
    }
}

fn cells_of_order<'a>(order: &'a OrderEntry, zone: &TimeZone) -> [Cell<'a>; ORDERS.len()] {
    [
        Cell::text(order.id.as_str()),
        Cell::text(order.id.reference()),
        Cell::Date(date_of(order.created_at, zone)),
        Cell::Time(order.created_at),
        Cell::text(order.status.to_string()),
        Cell::text(order.payment_status.to_string()),
        Cell::text(order.fulfilment_status.as_ref().map(ToString::to_string).unwrap_or_default()),
        minor(order.total.minor),
        Cell::Units(order.total),
        Cell::text(order.total.currency.code()),
        Cell::Integer(i64::try_from(order.item_count).unwrap_or(i64::MAX)),
        Cell::optional(order.buyer_name.as_deref()),
        Cell::optional(order.buyer_email.as_deref()),
        Cell::optional(order.payment_transaction_id.as_deref()),
        Cell::optional(order.processor_transaction_id.as_deref()),
    ]
}

fn cells_of_redemption<'a>(redemption: &'a RedemptionEntry, zone: &TimeZone) -> [Cell<'a>; REDEMPTIONS.len()] {
    [
        Cell::text(redemption.id.as_str()),
        Cell::Date(date_of(redemption.occurred_at, zone)),
        Cell::Time(redemption.occurred_at),
        Cell::text(redemption.status.to_string()),
        minor(redemption.amount.minor),
        Cell::Units(redemption.amount),
        Cell::text(redemption.amount.currency.code()),
        Cell::text(&redemption.card_reference),
        Cell::optional(redemption.source_text()),
        Cell::optional(redemption.store_name.as_deref()),
    ]
}

fn cells_of_settlement<'a>(settlement: &'a Settlement, zone: &TimeZone, by: SelectedBy) -> [Cell<'a>; SETTLEMENTS.len()] {
    let selected_at = if by == SelectedBy::CreatedAt { settlement.created_at } else { settlement.eligible_at };
    let units = |amount| Cell::Units(Money::new(amount, settlement.currency));
    [
        Cell::text(settlement.id.as_str()),
        Cell::Date(date_of(selected_at, zone)),
        Cell::Time(settlement.eligible_at),
        Cell::Time(settlement.created_at),
        Cell::Time(settlement.updated_at),
        Cell::text(settlement.source_type.to_string()),
        Cell::text(&settlement.source_id),
        Cell::optional(settlement.order_id.as_ref().map(OrderId::as_str)),
        Cell::optional(settlement.gift_card_id.as_ref().map(GiftCardId::as_str)),
        Cell::optional(settlement.redemption_id.as_ref().map(RedemptionId::as_str)),
        Cell::text(settlement.status.to_string()),
        Cell::text(if settlement.is_held() { "true" } else { "false" }),
        Cell::optional(settlement.payout_batch_id.as_ref().map(PayoutId::as_str)),
        minor(settlement.gross),
        units(settlement.gross),
        minor(settlement.fee),
        units(settlement.fee),
        minor(settlement.net),
        units(settlement.net),
        Cell::text(settlement.currency.code()),
    ]
}

fn minor(amount: Minor) -> Cell<'static> {
    Cell::Integer(amount.get())
}
