//! Gift cards: the lookup, and the two operations that move money. Each reference executes at most once.

use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::money::Currency;
use super::offers;
use super::records::{Card, Offer, Record, Scalar};
use super::reply::{
    CARD_BLOCKED, CARD_EXPIRED, CARD_NOT_FOUND, CallResult, ErrorReply, INSUFFICIENT_FUNDS, OFFER_NOT_AVAILABLE, OFFER_NOT_FOUND,
    OPERATION_NOT_FOUND, REFERENCE_FENCED, json_reply, parse_body,
};
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
    let card = state.cards.get(qr_code).ok_or(CARD_NOT_FOUND)?;
    json_reply(StatusCode::OK, &card.record)
}

/// Executes an issue or redeem operation once per reference. A repeated reference gets the first reply, including an
/// error, even if its body differs.
pub(super) fn submit(ledger: &mut Ledger, kind: OperationKind, reference: Option<&str>, body: &[u8]) -> CallResult {
    let reference = reference.filter(|reference| !reference.is_empty());
    let reference = reference.ok_or_else(|| ErrorReply::invalid_request("Idempotency-Key is missing"))?;
    if ledger.is_fenced(reference) {
        return Err(REFERENCE_FENCED);
    }
    if let Some(first) = ledger.operation(reference) {
        return Ok(first.reply());
    }
    let result = match kind {
        OperationKind::Issue => issue(ledger, body, clock::now()),
        OperationKind::Redeem => redeem(ledger, body, clock::now()),
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
    if let Some(Operation { kind, status, http_status, result, .. }) = ledger.operation(reference) {
        let (kind, status, http_status) = (*kind, *status, *http_status);
        return json_reply(StatusCode::OK, &OperationReply { reference, kind, status, http_status, result });
    }
    if !ledger.is_fenced(reference) {
        ledger.commit(Change::Fence(reference.to_owned()))?;
    }
    Err(OPERATION_NOT_FOUND)
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
    let (status, http_status, result, movement) = match result {
        Ok(Movement { card, amount_minor, currency, status, reply }) => {
            (OperationStatus::Succeeded, status, reply, Some((card, amount_minor, currency)))
        }
        Err(error) => (OperationStatus::Failed, error.status, to_raw_value(&error.body())?, None),
    };
    let operation = Operation {
        reference: reference.to_owned(),
        kind,
        status,
        merchant_id: parse_body::<MerchantId>(body).ok().map(|request| request.merchant_id),
        qr_code: movement.as_ref().map(|(card, ..)| card.qr_code.clone()),
        amount_minor: movement.as_ref().map_or(0, |(_, amount_minor, _)| *amount_minor),
        currency: movement.as_ref().map(|(.., currency)| currency.clone()),
        http_status: http_status.as_u16(),
        result,
    };
    Ok((operation, movement.map(|(card, ..)| card)))
}

fn issue(state: &State, body: &[u8], now: Timestamp) -> Result<Movement, ErrorReply> {
    let request: Issue = parse_body(body)?;
    state.merchant(&request.merchant_id)?;
    let offer = offers::find(state, &request.gift_card_offer_id.0)?;
    if offer.merchant != request.merchant_id {
        return Err(OFFER_NOT_FOUND);
    }
    if offers::status(&offer.record).as_deref() != Some("AVAILABLE") {
        return Err(OFFER_NOT_AVAILABLE);
    }
    let currency = resolve_currency(request.currency, offer.record.string("currency"))?;
    let amount_minor = positive_amount(&request.value, &currency)?;
    if !is_within_bounds(amount_minor, &offer.record, &currency) {
        return Err(ErrorReply::invalid_amount("the value is outside the bounds of the offer"));
    }
    let card = new_card(offer, &currency, amount_minor, now)?;
    let mut reply = Record::default();
    reply.set("reservationCode", &random_code::<12>())?;
    reply.set("orderHash", &hex::encode(random::bytes::<32>()))?;
    for field in ["giftCardId", "cardNo", "qrCode"] {
        reply.copy_field(field, &card.record);
    }
    let reply = to_raw_value(&reply)?;
    Ok(Movement { card, amount_minor, currency: currency.code, status: StatusCode::CREATED, reply })
}

fn redeem(state: &State, body: &[u8], now: Timestamp) -> Result<Movement, ErrorReply> {
    let request: Redeem = parse_body(body)?;
    let mut card = state.cards.get(&request.qr_code).cloned().ok_or(CARD_NOT_FOUND)?;
    if state.merchant_of(&card).is_some_and(|owner| owner != request.merchant_id) {
        return Err(CARD_NOT_FOUND);
    }
    check_redeemable(&card.record, now)?;
    let currency = resolve_currency(request.currency, card.record.string("currency"))?;
    let amount_minor = positive_amount(&request.amount, &currency)?;
    let balance = card.record.scalar(&["valueRemains"]).or_else(|| initial_balance(&card.record));
    let balance = balance.and_then(|text| currency.minor_units(&text)).unwrap_or_default();
    let Some(remaining) = balance.checked_sub(amount_minor) else { return Err(INSUFFICIENT_FUNDS) };

    card.record.set_decimal("valueRemains", currency.format_decimal(remaining))?;
    if remaining == 0 {
        card.record.set("status", &"REDEEMED")?;
    }
    let reply = to_raw_value(&redeem_reply(&card.record, &currency, amount_minor)?)?;
    Ok(Movement { card, amount_minor, currency: currency.code, status: StatusCode::OK, reply })
}

/// A missing status means `ACTIVE`. An unknown status means that the card is blocked.
fn check_redeemable(card: &Record, now: Timestamp) -> Result<(), ErrorReply> {
    match card.string("status").as_deref() {
        None | Some("ACTIVE") => {}
        Some("EXPIRED") => return Err(CARD_EXPIRED),
        Some("REDEEMED") => return Err(INSUFFICIENT_FUNDS),
        Some(_) => return Err(CARD_BLOCKED),
    }
    let expires_at = card.string("expiresAt").and_then(|time| time.parse::<Timestamp>().ok());
    if expires_at.is_some_and(|time| time <= now) { Err(CARD_EXPIRED) } else { Ok(()) }
}

/// Returns the value of a card without `valueRemains`. A card with an unusable `valueRemains` has no balance.
fn initial_balance(card: &Record) -> Option<String> {
    if card.raw("valueRemains").is_some() { None } else { card.scalar(&["value"]) }
}

/// Returns the currency of the offer or the card, which can have it in any case. A different currency in the request is invalid;
/// if the record has none, the request must have one.
fn resolve_currency(requested: Option<String>, recorded: Option<String>) -> Result<Currency, ErrorReply> {
    let recorded = recorded.map(|code| code.trim().to_ascii_uppercase()).filter(|code| !code.is_empty());
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

/// Each of its codes is random, so none can be derived from another.
fn new_card(offer: &Offer, currency: &Currency, amount_minor: u64, now: Timestamp) -> serde_json::Result<Card> {
    let (value, qr_code) = (currency.format_decimal(amount_minor), random_code::<24>());
    let mut record = Record::default();
    record.set("qrCode", &qr_code)?;
    record.set("cardNo", &random_card_number())?;
    record.set("giftCardId", &random::id())?;
    record.set("networkCode", &random_code::<16>())?;
    record.set("giftCardOfferId", &offer.id)?;
    record.set("merchantId", &offer.merchant)?;
    record.set("status", &"ACTIVE")?;
    record.set("currency", &currency.code)?;
    record.set("expiresAt", &expires_at(&offer.record, now))?;
    record.set_decimal("value", value.clone())?;
    record.set_decimal("valueRemains", value)?;
    Ok(Card { qr_code, record })
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

/// A random code without the ambiguous characters 0, 1, I and O.
fn random_code<const N: usize>() -> String {
    const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
    random::bytes::<N>().iter().filter_map(|byte| ALPHABET.get(usize::from(*byte) % 32).copied().map(char::from)).collect()
}

fn random_card_number() -> String {
    const RANDOM_DIGITS: usize = 15;
    let number = u64::from_le_bytes(random::bytes()) % 10_u64.pow(15);
    format!("6{number:0RANDOM_DIGITS$}")
}
