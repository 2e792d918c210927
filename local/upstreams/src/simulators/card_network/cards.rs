//! Gift cards: the lookup, and the two operations that move money. Each reference executes at most once.

use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::money::Currency;
use super::offers;
use super::records::{Card, Offer, Record, Scalar};
use super::reply::{CallResult, ErrorReply, json_reply, parse_body};
use super::state::{Change, Ledger, Operation, OperationKind, OperationStatus, State};
use crate::{clock, random};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Issue {
    merchant_id: String,
    gift_card_offer_id: Scalar,
    value: Scalar,
    currency: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Redeem {
    merchant_id: String,
    qr_code: String,
    #[serde(rename = "redeemAmount")]
    amount: Scalar,
    currency: Option<String>,
}

/// The effect of a successful operation.
struct Movement {
    card: Card,
    amount_minor: u64,
    currency: String,
    status: StatusCode,
    reply: Box<RawValue>,
}

pub(super) fn get(state: &State, qr_code: &str) -> CallResult {
    let card = state.cards.get(qr_code).ok_or_else(ErrorReply::card_not_found)?;
    json_reply(StatusCode::OK, &card.record)
}

/// Executes an issue or redeem operation once per reference. A repeated reference gets the first reply, including an
/// error, even if its body differs.
pub(super) fn submit(ledger: &mut Ledger, kind: OperationKind, reference: Option<&str>, body: &[u8]) -> CallResult {
    let reference = reference.filter(|reference| !reference.is_empty());
    let reference = reference.ok_or_else(|| ErrorReply::invalid_request("Idempotency-Key is missing"))?;
    if ledger.state().is_fenced(reference) {
        return Err(ErrorReply::reference_fenced());
    }
    if let Some(first) = ledger.state().operation(reference) {
        return Ok(first.reply());
    }
    let result = match kind {
        OperationKind::Issue => issue(ledger.state(), body, clock::now()),
        OperationKind::Redeem => redeem(ledger.state(), body, clock::now()),
    };
    let (operation, card) = operation_record(reference, kind, body, result)?;
    let reply = operation.reply();
    ledger.commit(Change::Operation(operation, card))?;
    Ok(reply)
}

/// Returns the operation of a reference. An unknown reference is fenced: the network refuses it from then on.
pub(super) fn get_operation(ledger: &mut Ledger, reference: &str) -> CallResult {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct OperationReply<'a> {
        reference: &'a str,
        kind: OperationKind,
        status: OperationStatus,
        http_status: u16,
        result: &'a RawValue,
    }
    if let Some(Operation { kind, status, http_status, result, .. }) = ledger.state().operation(reference) {
        let (kind, status, http_status) = (*kind, *status, *http_status);
        return json_reply(StatusCode::OK, &OperationReply { reference, kind, status, http_status, result });
    }
    if !ledger.state().is_fenced(reference) {
        ledger.commit(Change::Fence(reference.to_owned()))?;
    }
    Err(ErrorReply::operation_not_found())
}

/// Returns the operation to store, and the new state of the card if the operation succeeded.
fn operation_record(
    reference: &str,
    kind: OperationKind,
    body: &[u8],
    result: Result<Movement, ErrorReply>,
) -> serde_json::Result<(Operation, Option<Card>)> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct MerchantId {
        merchant_id: String,
    }
    let merchant_id = parse_body::<MerchantId>(body).ok().map(|request| request.merchant_id);
    let reference = reference.to_owned();
    Ok(match result {
        Ok(Movement { card, amount_minor, currency, status, reply }) => {
            let operation = Operation {
                reference,
                kind,
                status: OperationStatus::Succeeded,
                merchant_id,
                qr_code: Some(card.qr_code.clone()),
                amount_minor,
                currency: Some(currency),
                http_status: status.as_u16(),
                result: reply,
            };
            (operation, Some(card))
        }
        Err(error) => {
            let operation = Operation {
                reference,
                kind,
                status: OperationStatus::Failed,
                merchant_id,
                qr_code: None,
                amount_minor: 0,
                currency: None,
                http_status: error.status.as_u16(),
                result: to_raw_value(&error.body())?,
            };
            (operation, None)
        }
    })
}

fn issue(state: &State, body: &[u8], now: Timestamp) -> Result<Movement, ErrorReply> {
    let request: Issue = parse_body(body)?;
    state.merchant(&request.merchant_id)?;
    let offer = offers::find(state, &request.gift_card_offer_id.0)?;
    if offer.merchant != request.merchant_id {
        return Err(ErrorReply::offer_not_found());
    }
    if offers::status(&offer.record).as_deref() != Some("AVAILABLE") {
        return Err(ErrorReply::unprocessable("OFFER_NOT_AVAILABLE", "the offer is not available"));
    }
    let currency = resolve_currency(request.currency, offer.record.string("currency"))?;
    let amount_minor = positive_amount(&request.value, &currency)?;
    if !is_within_bounds(amount_minor, &offer.record, &currency) {
        return Err(ErrorReply::invalid_amount("the value is outside the bounds of the offer"));
    }
    let codes = CardCodes::random();
    let card = new_card(offer, &codes, &currency, amount_minor, now)?;
    let reply = to_raw_value(&codes.reply())?;
    Ok(Movement { card, amount_minor, currency: currency.code, status: StatusCode::CREATED, reply })
}

fn redeem(state: &State, body: &[u8], now: Timestamp) -> Result<Movement, ErrorReply> {
    let request: Redeem = parse_body(body)?;
    let mut card = state.cards.get(&request.qr_code).cloned().ok_or_else(ErrorReply::card_not_found)?;
    if state.merchant_of(&card).is_some_and(|owner| owner != request.merchant_id) {
        return Err(ErrorReply::card_not_found());
    }
    check_redeemable(&card.record, now)?;
    let currency = resolve_currency(request.currency, card.record.string("currency"))?;
    let amount_minor = positive_amount(&request.amount, &currency)?;
    let balance = card.record.scalar(&["valueRemains"]).or_else(|| initial_balance(&card.record));
    let balance = balance.and_then(|text| currency.minor_units(&text)).unwrap_or_default();
    let Some(remaining) = balance.checked_sub(amount_minor) else { return Err(insufficient_funds()) };

    card.record.set_decimal("valueRemains", currency.format_decimal(remaining))?;
    if remaining == 0 {
        card.record.set("status", &"REDEEMED")?;
    }
    let reply = to_raw_value(&redeem_reply(&card.record, &currency, amount_minor)?)?;
    Ok(Movement { card, amount_minor, currency: currency.code, status: StatusCode::OK, reply })
}

/// A missing status means `ACTIVE`. An unknown status means that the card is blocked.
fn check_redeemable(card: &Record, now: Timestamp) -> Result<(), ErrorReply> {
    let expired = || ErrorReply::unprocessable("CARD_EXPIRED", "the card has expired");
    match card.string("status").as_deref() {
        None | Some("ACTIVE") => {}
        Some("EXPIRED") => return Err(expired()),
        Some("REDEEMED") => return Err(insufficient_funds()),
        Some(_) => return Err(ErrorReply::unprocessable("CARD_BLOCKED", "the card is blocked")),
    }
    let expires_at = card.string("expiresAt").and_then(|time| time.parse::<Timestamp>().ok());
    if expires_at.is_some_and(|time| time <= now) { Err(expired()) } else { Ok(()) }
}

/// Returns the value of a card without `valueRemains`. A card with an unusable `valueRemains` has no balance.
fn initial_balance(card: &Record) -> Option<String> {
    if card.raw("valueRemains").is_some() { None } else { card.scalar(&["value"]) }
}

fn insufficient_funds() -> ErrorReply {
    ErrorReply::unprocessable("INSUFFICIENT_FUNDS", "the card holds less than that")
}

/// Returns the currency of the offer or the card. A different currency in the request is invalid; if the record has
/// none, the request must have one.
fn resolve_currency(requested: Option<String>, recorded: Option<String>) -> Result<Currency, ErrorReply> {
    let code = match (requested, recorded) {
        (Some(requested), Some(recorded)) if requested != recorded => {
            return Err(ErrorReply::invalid_amount(format!("the currency is {recorded}, not {requested}")));
        }
        (Some(code), _) | (None, Some(code)) => code,
        (None, None) => return Err(ErrorReply::invalid_amount("the currency is missing")),
    };
    Currency::from_code(&code).ok_or_else(|| ErrorReply::invalid_amount(format!("{code} is no currency")))
}

fn positive_amount(amount: &Scalar, currency: &Currency) -> Result<u64, ErrorReply> {
    let minor_units = currency.minor_units(&amount.0).filter(|minor_units| *minor_units > 0);
    minor_units.ok_or_else(|| ErrorReply::invalid_amount(format!("{} is no amount in {}", amount.0, currency.code)))
}

/// A bound that is missing, zero or unusable does not apply.
fn is_within_bounds(amount: u64, offer: &Record, currency: &Currency) -> bool {
    let bound = |field_names: &[&str]| offer.scalar(field_names).and_then(|text| currency.minor_units(&text));
    let min = bound(&["minPrice", "min", "min_price"]);
    let max = bound(&["maxPrice", "max", "max_price"]).filter(|max| *max > 0);
    min.is_none_or(|min| min <= amount) && max.is_none_or(|max| amount <= max)
}

fn new_card(
    offer: &Offer,
    codes: &CardCodes,
    currency: &Currency,
    amount_minor: u64,
    now: Timestamp,
) -> serde_json::Result<Card> {
    let value = currency.format_decimal(amount_minor);
    let mut record = Record::default();
    record.set("qrCode", &codes.qr_code)?;
    record.set("cardNo", &codes.card_no)?;
    record.set("giftCardId", &codes.gift_card_id)?;
    record.set("networkCode", &codes.network_code)?;
    record.set("giftCardOfferId", &offer.id)?;
    record.set("merchantId", &offer.merchant)?;
    record.set("status", &"ACTIVE")?;
    record.set("currency", &currency.code)?;
    record.set("expiresAt", &expires_at(&offer.record, now))?;
    record.set_decimal("value", value.clone())?;
    record.set_decimal("valueRemains", value)?;
    Ok(Card { qr_code: codes.qr_code.clone(), record })
}

/// Returns when a card that is issued now expires, or `None` if it never expires.
fn expires_at(offer: &Record, now: Timestamp) -> Option<Timestamp> {
    let days: i64 = offer.scalar(&["numberOfDaysCardIsValidFromPurchaseTime"])?.parse().ok()?;
    let validity = SignedDuration::try_from_hours(days.checked_mul(24)?)?;
    if days > 0 { now.checked_add(validity).ok() } else { None }
}

fn redeem_reply(card: &Record, currency: &Currency, amount_minor: u64) -> serde_json::Result<Record> {
    let mut reply = Record::default();
    reply.set("transactionId", &random::id())?;
    reply.set_decimal("amount", currency.format_decimal(amount_minor))?;
    reply.set("currency", &currency.code)?;
    reply.set("status", &card.string("status").unwrap_or_else(|| "ACTIVE".to_owned()))?;
    for field in ["qrCode", "valueRemains", "networkCode"] {
        reply.set(field, &card.raw(field))?;
    }
    Ok(reply)
}

/// The codes of a new card. Each is random, so none can be derived from another.
struct CardCodes {
    qr_code: String,
    card_no: String,
    network_code: String,
    gift_card_id: String,
    reservation_code: String,
    order_hash: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct IssueReply<'a> {
    reservation_code: &'a str,
    order_hash: &'a str,
    gift_card_id: &'a str,
    card_no: &'a str,
    qr_code: &'a str,
}

impl CardCodes {
    fn random() -> Self {
        Self {
            qr_code: random_code::<24>(),
            card_no: random_card_number(),
            network_code: random_code::<16>(),
            gift_card_id: random::id(),
            reservation_code: random_code::<12>(),
            order_hash: hex::encode(random::bytes::<32>()),
        }
    }

    fn reply(&self) -> IssueReply<'_> {
        IssueReply {
            reservation_code: &self.reservation_code,
            order_hash: &self.order_hash,
            gift_card_id: &self.gift_card_id,
            card_no: &self.card_no,
            qr_code: &self.qr_code,
        }
    }
}

/// A random code without the ambiguous characters 0, 1, I and O.
fn random_code<const N: usize>() -> String {
    const ALPHABET: [char; 32] = [
        '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'J', 'K', 'L', 'M', 'N', 'P', 'Q', 'R',
        'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z',
    ];
    random::bytes::<N>().iter().filter_map(|byte| ALPHABET.get(usize::from(*byte) % ALPHABET.len())).collect()
}

fn random_card_number() -> String {
    const RANDOM_DIGITS: usize = 15;
    let number = u64::from_le_bytes(random::bytes()) % 10_u64.pow(15);
    format!("6{number:0RANDOM_DIGITS$}")
}
