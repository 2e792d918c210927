//! The messages of webhooks: what is sent to the endpoints of merchants.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::openapi::path::{Operation, OperationBuilder, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{Object, ObjectBuilder, Schema, Type};
use utoipa::openapi::{ContentBuilder, RefOr, Required, ResponseBuilder};
use utoipa::{PartialSchema, ToSchema};

use crate::http::schemas::{NamedSchema, describe_nullable_fields, described, response_schema};
use crate::http::{UtcTime, examples, parameter};
use crate::merchants::model::merchant::MerchantStatus;
use crate::settlements::view::SettlementRow;
use crate::values::{
    Currency, MerchantId, Minor, OfferId, OpenEnum, OrderId, PayoutId, RedemptionId, Reference, SettlementId, TillId,
};
use crate::webhooks::model::{self as webhook, EventType};

/// No body is longer, in bytes.
const MAX_BODY_BYTES: usize = 8 * 1024;
const MAX_NAME_CHARS: usize = 200;

/// The body of a message.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    timestamp: UtcTime,
    merchant_id: &'a MerchantId,
    test: bool,
    #[serde(flatten)]
    message: &'a MessageData,
}

/// What a message is about.
#[derive(Debug, Serialize)]
#[serde(tag = "type", content = "data")]
pub enum MessageData {
    #[serde(rename = "gift_card.issued")]
    GiftCardIssued(IssuedGiftCard),
    #[serde(rename = "gift_card.redeemed")]
    GiftCardRedeemed(RedeemedGiftCard),
    #[serde(rename = "operation.unknown")]
    OperationUnknown(UnknownOperation),
    #[serde(rename = "operation.resolved")]
    OperationResolved(ResolvedOperation),
    #[serde(rename = "settlement.created")]
    SettlementCreated(Box<SettlementRow>),
    #[serde(rename = "settlement.held")]
    SettlementHeld(Box<SettlementRow>),
    #[serde(rename = "payout.paid")]
    PayoutPaid(PaidPayout),
    #[serde(rename = "merchant.status_changed")]
    MerchantStatusChanged(ChangedStatus),
}

/// A sale of a till that has succeeded.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssuedGiftCard {
    /// The order of the sale.
    pub order_id: OrderId,
    /// The reference of the payment at the till.
    pub payment_reference: Option<String>,
    /// The last four characters of the card's code, masked if it has no more.
    pub card_ref: String,
    /// The value of the card, in minor units of `currency`.
    pub amount_minor: Minor,
    /// ISO 4217 code of the amount.
    pub currency: Currency,
    /// The offer that was sold. Null if it is unknown.
    pub offer_id: Option<OfferId>,
    /// The name of the offer at the time.
    pub offer_name: Option<String>,
    /// The store that sold it.
    pub store: StoreOfMessage,
    /// The paired till that sold it. Null if a member of the team did.
    pub till: Option<TillOfMessage>,
    /// The redemption that the card gives back. Null if it was sold.
    pub refund_of: Option<RedemptionId>,
}

/// A redemption that has succeeded.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedeemedGiftCard {
    /// The id of the redemption.
    pub redemption_id: RedemptionId,
    /// The last four characters of the card's code, masked if it has no more.
    pub card_ref: String,
    /// What was redeemed, in minor units of `currency`.
    pub amount_minor: Minor,
    /// ISO 4217 code of the amounts.
    pub currency: Currency,
    /// The balance of the card, in minor units of `currency`. Null if it is unknown.
    pub remaining_value_minor: Option<Minor>,
    /// The store that redeemed it.
    pub store: StoreOfMessage,
    /// The paired till that redeemed it. Null if a member of the team did.
    pub till: Option<TillOfMessage>,
    /// The settlement that pays the merchant. Null if it is paid on sale, or the settlement does not exist yet.
    pub settlement_id: Option<SettlementId>,
}

/// The store of a sale or redemption, as given by the till.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookStore)]
pub struct StoreOfMessage {
    /// The id at the card network.
    id: Option<String>,
    /// The name, truncated to 200 characters.
    name: Option<String>,
}

impl StoreOfMessage {
    pub fn new(id: Option<String>, name: Option<&str>) -> Self {
        Self { id, name: name.map(cut) }
    }
}

/// A paired till.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookTill)]
pub struct TillOfMessage {
    /// The id of the till.
    id: TillId,
    /// The name that the team has given it, truncated to 200 characters. Null if the till was removed.
    name: Option<String>,
}

impl TillOfMessage {
    pub fn new(id: TillId, name: Option<&str>) -> Self {
        Self { id, name: name.map(cut) }
    }
}

/// The sale or redemption of an operation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = WebhookOperation)]
pub enum OperationOfMessage {
    Issue(IssueOfMessage),
    Redeem(RedeemOfMessage),
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookIssue)]
pub struct IssueOfMessage {
    /// A sale.
    kind: Issue,
    /// The order of the sale.
    order_id: OrderId,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookRedeem)]
pub struct RedeemOfMessage {
    /// A redemption.
    kind: Redeem,
    /// The redemption.
    redemption_id: RedemptionId,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookIssueKind)]
enum Issue {
    #[serde(rename = "ISSUE")]
    Issue,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookRedeemKind)]
enum Redeem {
    #[serde(rename = "REDEEM")]
    Redeem,
}

impl From<&webhook::Operation> for OperationOfMessage {
    fn from(operation: &webhook::Operation) -> Self {
        match operation {
            webhook::Operation::Issue(order) => Self::Issue(IssueOfMessage { kind: Issue::Issue, order_id: order.clone() }),
            webhook::Operation::Redeem(redemption) => {
                Self::Redeem(RedeemOfMessage { kind: Redeem::Redeem, redemption_id: redemption.clone() })
            }
        }
    }
}

/// A sale or redemption whose outcome is unknown after a minute.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnknownOperation {
    /// The reference of the operation.
    pub reference: Reference,
    #[serde(flatten)]
    pub operation: OperationOfMessage,
}

/// A sale or redemption whose outcome was unknown and is known now.
#[derive(Debug, Serialize, ToSchema)]
pub struct ResolvedOperation {
    /// The reference of the operation.
    pub reference: Reference,
    #[serde(flatten)]
    pub operation: OperationOfMessage,
    /// Its outcome.
    pub status: ResolvedStatus,
}

#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = ResolvedOperationStatus)]
pub enum ResolvedStatus {
    Succeeded,
    Failed,
}

/// A payout that was paid.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaidPayout {
    /// The id of the payout.
    pub payout_id: PayoutId,
    /// What was paid, in minor units of `currency`.
    pub amount_minor: Minor,
    /// ISO 4217 code of the amount.
    pub currency: Currency,
    /// The number of settlements that it pays.
    pub count: u64,
    /// The reference of the bank transfer.
    pub reference: Option<String>,
}

/// A new status of the merchant.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedStatus {
    /// The previous status.
    #[schema(value_type = MerchantStatus)]
    pub from: OpenEnum<MerchantStatus>,
    /// The new status.
    #[schema(value_type = MerchantStatus)]
    pub to: OpenEnum<MerchantStatus>,
}

/// The first 200 characters of a name.
pub fn cut(name: &str) -> String {
    name.chars().take(MAX_NAME_CHARS).collect()
}

/// The body of a message about something that happened at `at`.
pub fn body(merchant: &MerchantId, at: Timestamp, message: MessageData) -> serde_json::Result<String> {
    let text = |message: &MessageData| {
        serde_json::to_string(&Body { timestamp: at.into(), merchant_id: merchant, test: false, message })
    };
    let body = text(&message)?;
    if body.len() <= MAX_BODY_BYTES {
        return Ok(body);
    }
    // The fees of an imported settlement can be of any length.
    text(&match message {
        MessageData::SettlementCreated(row) => MessageData::SettlementCreated(Box::new(row.without_fees())),
        MessageData::SettlementHeld(row) => MessageData::SettlementHeld(Box::new(row.without_fees())),
        other => other,
    })
}

/// The body of a test message: the example of the API description.
pub fn test_body(merchant: &MerchantId, event: EventType, now: Timestamp) -> String {
    let now = UtcTime::from(now);
    json!({"type": event.name(), "timestamp": now, "merchantId": merchant, "test": true, "data": example(event)}).to_string()
}

/// The `data` of an example.
pub fn example(event: EventType) -> Value {
    let store = json!({"id": "main", "name": "Main street"});
    let till = json!({"id": examples::TILL, "name": "Counter"});
    match event {
        EventType::GiftCardIssued => json!({
            "orderId": examples::ORDER, "paymentReference": "receipt-20260106-0417", "cardRef": "Y65M",
            "amountMinor": 50_000, "currency": "SEK", "offerId": "1042", "offerName": "Gift card", "store": store,
            "till": till, "refundOf": null,
        }),
        EventType::GiftCardRedeemed => json!({
            "redemptionId": examples::REDEMPTION, "cardRef": "Y65M", "amountMinor": 10_000, "currency": "SEK",
            "remainingValueMinor": 40_000, "store": store, "till": till, "settlementId": examples::SETTLEMENT,
        }),
        EventType::OperationUnknown => json!({
            "reference": examples::REFERENCE, "kind": "REDEEM", "redemptionId": examples::REDEMPTION,
        }),
        EventType::OperationResolved => json!({
            "reference": examples::REFERENCE, "kind": "REDEEM", "redemptionId": examples::REDEMPTION, "status": "SUCCEEDED",
        }),
        EventType::SettlementCreated => SettlementRow::example(),
        EventType::SettlementHeld => {
            let mut settlement = SettlementRow::example();
            if let Some(held) = settlement.get_mut("held") {
                *held = json!(true);
            }
            settlement
        }
        EventType::PayoutPaid => json!({
            "payoutId": examples::PAYOUT, "amountMinor": 9650, "currency": "SEK", "count": 1, "reference": "BANK-2026-0107",
        }),
        EventType::MerchantStatusChanged => json!({"from": "SUBMITTED", "to": "ACTIVE"}),
    }
}

/// A webhook of the API description, and the schemas that it refers to.
pub struct DescribedWebhook {
    pub name: &'static str,
    pub operation: Operation,
    pub schemas: Vec<NamedSchema>,
}

/// All webhooks, for the API description.
pub fn describe() -> Vec<DescribedWebhook> {
    EventType::ALL.map(describe_one).into()
}

fn describe_one(event: EventType) -> DescribedWebhook {
    let mut schemas = Vec::new();
    let (text, data) = match event {
        EventType::GiftCardIssued => ("A sale of a till has succeeded.", response_schema::<IssuedGiftCard>(&mut schemas)),
        EventType::GiftCardRedeemed => ("A redemption has succeeded.", response_schema::<RedeemedGiftCard>(&mut schemas)),
        EventType::OperationUnknown => (
            "The outcome of a sale or redemption is still unknown after a minute.",
            response_schema::<UnknownOperation>(&mut schemas),
        ),
        EventType::OperationResolved => (
            "The outcome of a sale or redemption for which `operation.unknown` was sent is known now.",
            response_schema::<ResolvedOperation>(&mut schemas),
        ),
        EventType::SettlementCreated => ("A settlement was created.", response_schema::<SettlementRow>(&mut schemas)),
        EventType::SettlementHeld => {
            ("A settlement is not paid out until the platform lifts the hold.", response_schema::<SettlementRow>(&mut schemas))
        }
        EventType::PayoutPaid => ("A payout was paid.", response_schema::<PaidPayout>(&mut schemas)),
        EventType::MerchantStatusChanged => {
            ("The merchant has become active, or is no longer active.", response_schema::<ChangedStatus>(&mut schemas))
        }
    };
    for (_, schema) in &mut schemas {
        describe_nullable_fields(schema);
    }
    let schema = message_schema(event, data);
    let example = json!({
        "type": event.name(), "timestamp": "2026-01-06T08:00:00.000Z", "merchantId": examples::MERCHANT, "test": false,
        "data": example(event),
    });
    let content = ContentBuilder::new().schema(Some(schema)).example(Some(example)).build();
    let accepted = "Any status from 200 to 299, within 10 seconds: the message is accepted. Its body is not read.";
    let operation = OperationBuilder::new()
        .operation_id(Some(format!("on.{}", event.name())))
        .tag("webhooks")
        .summary(Some(text))
        .description(Some("Sent to the subscribed endpoints, at least once and in no particular order."))
        .parameter(sent_header("webhook-id", "The id of the message: the same in each attempt, and for all endpoints."))
        .parameter(sent_header("webhook-timestamp", "When this attempt was made, in seconds since 1970."))
        .parameter(sent_header(
            "webhook-signature",
            "`v1,` and the base64 of the HMAC-SHA256 of id, timestamp and body, with dots between them; two, separated by a \
             space, for a day after the secret was replaced.",
        ))
        .request_body(Some(RequestBodyBuilder::new().content("application/json", content).required(Some(Required::True)).build()))
        .response("2XX", ResponseBuilder::new().description(accepted))
        // The signature says who sends it.
        .securities(Some(Vec::new()))
        .build();
    DescribedWebhook { name: event.name(), operation, schemas }
}

fn message_schema(event: EventType, data: RefOr<Schema>) -> Object {
    let text = |text: &str| ObjectBuilder::new().schema_type(Type::String).description(Some(text));
    let test = ObjectBuilder::new().schema_type(Type::Boolean);
    let test = test.description(Some("Whether it is a test message that a member of the team requested."));
    ObjectBuilder::new()
        .property("type", text("The type of the message.").enum_values(Some([event.name()])))
        .property("timestamp", described(<UtcTime as PartialSchema>::schema(), "When it happened."))
        .property("merchantId", text("The merchant that receives the message."))
        .property("test", test)
        .property("data", described(data, "What has happened."))
        .required("type")
        .required("timestamp")
        .required("merchantId")
        .required("test")
        .required("data")
        .build()
}

fn sent_header(name: &str, text: &str) -> ParameterBuilder {
    let schema = ObjectBuilder::new().schema_type(Type::String);
    parameter(name, ParameterIn::Header, text, true).schema(Some(schema))
}
