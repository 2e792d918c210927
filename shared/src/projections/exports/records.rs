//! The columns of exports. No column has a card's code.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::base::clock::iso_8601;
use crate::cards::model::order::OrderEntry;
use crate::cards::model::redemption::RedemptionEntry;
use crate::projections::model::export::{ExportKind, SelectedBy};
use crate::settlements::model::settlement::Settlement;
use crate::values::calendar::date_of;
use crate::values::csv::{self, Cell};
use crate::values::ids::{GiftCardId, OrderId, PayoutId, RedemptionId};
use crate::values::money::{Minor, Money};

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

/// The column names of an export.
pub fn columns(kind: ExportKind) -> &'static [&'static str] {
    match kind {
        ExportKind::Orders => &ORDERS,
        ExportKind::Redemptions => &REDEMPTIONS,
        ExportKind::Settlements => &SETTLEMENTS,
    }
}

pub(super) fn write_columns(csv: &mut String, kind: ExportKind) {
    csv::write_header(csv, columns(kind));
}

impl Record {
    /// `date` is the day in this time zone by which it is selected.
    pub(super) fn write(&self, csv: &mut String, zone: &TimeZone, by: SelectedBy) {
        match self {
            Self::Order(order) => write_order(csv, order, zone),
            Self::Redemption(redemption) => write_redemption(csv, redemption, zone),
            Self::Settlement(settlement) => write_settlement(csv, settlement, zone, by),
        }
    }
}

fn write_order(csv: &mut String, order: &OrderEntry, zone: &TimeZone) {
    let fulfilment_status = order.fulfilment_status.as_ref().map(ToString::to_string);
    let cells: [Cell<'_>; ORDERS.len()] = [
        Cell::Text(order.id.as_str()),
        Cell::Text(order.id.reference()),
        Cell::Text(&local_date(order.created_at, zone)),
        Cell::Text(&iso_8601(order.created_at)),
        Cell::Text(&order.status.to_string()),
        Cell::Text(&order.payment_status.to_string()),
        Cell::optional(fulfilment_status.as_deref()),
        minor(order.total.minor),
        Cell::Units(order.total),
        Cell::Text(order.total.currency.code()),
        Cell::Integer(i64::try_from(order.item_count).unwrap_or(i64::MAX)),
        Cell::optional(order.buyer_name.as_deref()),
        Cell::optional(order.buyer_email.as_deref()),
        Cell::optional(order.payment_transaction_id.as_deref()),
        Cell::optional(order.processor_transaction_id.as_deref()),
    ];
    csv::write_record(csv, cells);
}

fn write_redemption(csv: &mut String, redemption: &RedemptionEntry, zone: &TimeZone) {
    let cells: [Cell<'_>; REDEMPTIONS.len()] = [
        Cell::Text(redemption.id.as_str()),
        Cell::Text(&local_date(redemption.occurred_at, zone)),
        Cell::Text(&iso_8601(redemption.occurred_at)),
        Cell::Text(&redemption.status.to_string()),
        minor(redemption.amount.minor),
        Cell::Units(redemption.amount),
        Cell::Text(redemption.amount.currency.code()),
        Cell::Text(&redemption.card_reference),
        Cell::optional(redemption.source_text()),
        Cell::optional(redemption.store_name.as_deref()),
    ];
    csv::write_record(csv, cells);
}

fn write_settlement(csv: &mut String, settlement: &Settlement, zone: &TimeZone, by: SelectedBy) {
    let selected_at = if by == SelectedBy::CreatedAt { settlement.created_at } else { settlement.eligible_at };
    let units = |amount| Cell::Units(Money::new(amount, settlement.currency));
    let cells: [Cell<'_>; SETTLEMENTS.len()] = [
        Cell::Text(settlement.id.as_str()),
        Cell::Text(&local_date(selected_at, zone)),
        Cell::Text(&iso_8601(settlement.eligible_at)),
        Cell::Text(&iso_8601(settlement.created_at)),
        Cell::Text(&iso_8601(settlement.updated_at)),
        Cell::Text(&settlement.source_type.to_string()),
        Cell::Text(&settlement.source_id),
        Cell::optional(settlement.order_id.as_ref().map(OrderId::as_str)),
        Cell::optional(settlement.gift_card_id.as_ref().map(GiftCardId::as_str)),
        Cell::optional(settlement.redemption_id.as_ref().map(RedemptionId::as_str)),
        Cell::Text(&settlement.status.to_string()),
        Cell::Text(if settlement.is_held() { "true" } else { "false" }),
        Cell::optional(settlement.payout_batch_id.as_ref().map(PayoutId::as_str)),
        minor(settlement.gross),
        units(settlement.gross),
        minor(settlement.fee),
        units(settlement.fee),
        minor(settlement.net),
        units(settlement.net),
        Cell::Text(settlement.currency.code()),
    ];
    csv::write_record(csv, cells);
}

fn minor(amount: Minor) -> Cell<'static> {
    Cell::Integer(amount.get())
}

fn local_date(at: Timestamp, zone: &TimeZone) -> String {
    date_of(at, zone).to_string()
}
