//! Gift cards: looking them up, and the two operations that move money, each carried out once per reference.

use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::money::Currency;
use super::offers;
use super::records::{Card, Offer, Record, Scalar};
use super::reply::{Answer, Refusal, answer, decode};
use super::state::{Change, Ledger, Operation, OperationKind, OperationStatus, State};
use crate::ambient;

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

/// What an operation that is carried out does.
struct Movement {
    card: Card,
    amount_minor: u64,
    currency: String,
    status: StatusCode,
    reply: Box<RawValue>,
}

pub(super) fn get(state: &State, qr_code: &str) -> Answer {
    let card = state.cards.get(qr_code).ok_or_else(Refusal::card_not_found)?;
    answer(StatusCode::OK, &card.record)
}

/// Issues or redeems, once under one reference: whoever repeats it gets the first outcome, a refusal too, whatever the
/// repeated call says.
pub(super) fn submit(
    ledger: &mut Ledger,
    kind: OperationKind,
    reference: Option<&str>,
    body: &[u8],
) -> Answer {
    let reference = reference.filter(|reference| !reference.is_empty());
    let reference = reference.ok_or_else(|| Refusal::invalid_request("Idempotency-Key is missing"))?;
    if ledger.state().is_fenced(reference) {
        return Err(Refusal::reference_fenced());
    }
    if let Some(first) = ledger.state().operation(reference) {
        return Ok(first.reply());
    }
    let outcome = match kind {
        OperationKind::Issue => issue(ledger.state(), body, ambient::now()),
        OperationKind::Redeem => redeem(ledger.state(), body, ambient::now()),
    };
    let (operation, card) = record_of(reference, kind, body, outcome)?;
    let reply = operation.reply();
    ledger.commit(Change::Operation(operation, card))?;
    Ok(reply)
}

/// What became of a reference. Saying that it was never seen is a promise: it is refused from then on.
pub(super) fn outcome(ledger: &mut Ledger, reference: &str) -> Answer {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Outcome<'a> {
        reference: &'a str,
        kind: OperationKind,
        status: OperationStatus,
        http_status: u16,
        result: &'a RawValue,
    }
    if let Some(Operation { kind, status, http_status, result, .. }) = ledger.state().operation(reference) {
        let (kind, status, http_status) = (*kind, *status, *http_status);
        return answer(StatusCode::OK, &Outcome { reference, kind, status, http_status, result });
    }
    if !ledger.state().is_fenced(reference) {
        ledger.commit(Change::Fence(reference.to_owned()))?;
    }
    Err(Refusal::operation_not_found())
}

/// The operation as it is remembered, and the card as it is afterwards.
fn record_of(
    reference: &str,
    kind: OperationKind,
    body: &[u8],
    outcome: Result<Movement, Refusal>,
) -> serde_json::Result<(Operation, Option<Card>)> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Caller {
        merchant_id: String,
    }
    let merchant_id = decode::<Caller>(body).ok().map(|caller| caller.merchant_id);
    let reference = reference.to_owned();
    Ok(match outcome {
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
        Err(refusal) => {
            let operation = Operation {
                reference,
                kind,
                status: OperationStatus::Failed,
                merchant_id,
                qr_code: None,
                amount_minor: 0,
                currency: None,
                http_status: refusal.status.as_u16(),
                result: to_raw_value(&refusal.body())?,
            };
            (operation, None)
        }
    })
}

fn issue(state: &State, body: &[u8], now: Timestamp) -> Result<Movement, Refusal> {
    let request: Issue = decode(body)?;
    state.merchant(&request.merchant_id)?;
    let offer = offers::find(state, &request.gift_card_offer_id.0)?;
    if offer.merchant != request.merchant_id {
        return Err(Refusal::offer_not_found());
    }
    if offers::status(&offer.record).as_deref() != Some("AVAILABLE") {
        return Err(Refusal::unprocessable("OFFER_NOT_AVAILABLE", "the offer is not available"));
    }
    let currency = agreed_currency(request.currency, offer.record.text("currency"))?;
    let amount_minor = positive_amount(&request.value, &currency)?;
    if !is_within_bounds(amount_minor, &offer.record, &currency) {
        return Err(Refusal::invalid_amount("the value is outside the bounds of the offer"));
    }
    let codes = Codes::random();
    let card = new_card(offer, &codes, &currency, amount_minor, now)?;
    let reply = to_raw_value(&codes.reply())?;
    Ok(Movement { card, amount_minor, currency: currency.code, status: StatusCode::CREATED, reply })
}

fn redeem(state: &State, body: &[u8], now: Timestamp) -> Result<Movement, Refusal> {
    let request: Redeem = decode(body)?;
    let mut card = state.cards.get(&request.qr_code).cloned().ok_or_else(Refusal::card_not_found)?;
    if state.merchant_of(&card).is_some_and(|owner| owner != request.merchant_id) {
        return Err(Refusal::card_not_found());
    }
    check_usable(&card.record, now)?;
    let currency = agreed_currency(request.currency, card.record.text("currency"))?;
    let amount_minor = positive_amount(&request.amount, &currency)?;
    let balance = card.record.scalar(&["valueRemains"]).or_else(|| fresh_balance(&card.record));
    let balance = balance.and_then(|text| currency.minor_units(&text)).unwrap_or_default();
    let Some(remains) = balance.checked_sub(amount_minor) else { return Err(insufficient_funds()) };

    card.record.set_decimal("valueRemains", currency.decimal(remains))?;
    if remains == 0 {
        card.record.set("status", &"REDEEMED")?;
    }
    let reply = to_raw_value(&redeem_reply(&card.record, &currency, amount_minor)?)?;
    Ok(Movement { card, amount_minor, currency: currency.code, status: StatusCode::OK, reply })
}

/// A card without a status is one in use; an emptied one has no funds; whatever else stands there blocks it.
fn check_usable(card: &Record, now: Timestamp) -> Result<(), Refusal> {
    let expired = || Refusal::unprocessable("CARD_EXPIRED", "the card has expired");
    match card.text("status").as_deref() {
        None | Some("ACTIVE") => {}
        Some("EXPIRED") => return Err(expired()),
        Some("REDEEMED") => return Err(insufficient_funds()),
        Some(_) => return Err(Refusal::unprocessable("CARD_BLOCKED", "the card is blocked")),
    }
    let expires_at = card.text("expiresAt").and_then(|time| time.parse::<Timestamp>().ok());
    if expires_at.is_some_and(|time| time <= now) { Err(expired()) } else { Ok(()) }
}

/// The balance of a card whose record says nothing about it. One that says something unusable has none.
fn fresh_balance(card: &Record) -> Option<String> {
    if card.raw("valueRemains").is_some() { None } else { card.scalar(&["value"]) }
}

fn insufficient_funds() -> Refusal {
    Refusal::unprocessable("INSUFFICIENT_FUNDS", "the card holds less than that")
}

/// The currency of the offer or the card, which the caller may name as well. Older records leave it to the caller.
fn agreed_currency(requested: Option<String>, recorded: Option<String>) -> Result<Currency, Refusal> {
    let code = match (requested, recorded) {
        (Some(requested), Some(recorded)) if requested != recorded => {
            return Err(Refusal::invalid_amount(format!("the currency is {recorded}, not {requested}")));
        }
        (Some(code), _) | (None, Some(code)) => code,
        (None, None) => return Err(Refusal::invalid_amount("the currency is missing")),
    };
    Currency::named(&code).ok_or_else(|| Refusal::invalid_amount(format!("{code} is no currency")))
}

fn positive_amount(amount: &Scalar, currency: &Currency) -> Result<u64, Refusal> {
    let minor_units = currency.minor_units(&amount.0).filter(|minor_units| *minor_units > 0);
    minor_units
        .ok_or_else(|| Refusal::invalid_amount(format!("{} is no amount in {}", amount.0, currency.code)))
}

/// A bound that is missing, zero or unreadable does not bind.
fn is_within_bounds(amount: u64, offer: &Record, currency: &Currency) -> bool {
    let bound = |spellings: &[&str]| offer.scalar(spellings).and_then(|text| currency.minor_units(&text));
    let least = bound(&["minPrice", "min", "min_price"]);
    let most = bound(&["maxPrice", "max", "max_price"]).filter(|most| *most > 0);
    least.is_none_or(|least| least <= amount) && most.is_none_or(|most| amount <= most)
}

fn new_card(
    offer: &Offer,
    codes: &Codes,
    currency: &Currency,
    amount_minor: u64,
    now: Timestamp,
) -> serde_json::Result<Card> {
    let value = currency.decimal(amount_minor);
    let mut record = Record::default();
    record.set("qrCode", &codes.qr_code)?;
    record.set("cardNo", &codes.card_no)?;
    record.set("giftCardId", &codes.gift_card_id)?;
    record.set("networkCode", &codes.network_code)?;
    record.set("giftCardOfferId", &offer.id)?;
    record.set("merchantId", &offer.merchant)?;
    record.set("status", &"ACTIVE")?;
    record.set("currency", &currency.code)?;
    record.set("expiresAt", &expiry(&offer.record, now))?;
    record.set_decimal("value", value.clone())?;
    record.set_decimal("valueRemains", value)?;
    Ok(Card { qr_code: codes.qr_code.clone(), record })
}

/// When a card of this offer that is sold now runs out, if ever.
fn expiry(offer: &Record, now: Timestamp) -> Option<Timestamp> {
    let days: i64 = offer.scalar(&["numberOfDaysCardIsValidFromPurchaseTime"])?.parse().ok()?;
    let valid = SignedDuration::try_from_hours(days.checked_mul(24)?)?;
    if days > 0 { now.checked_add(valid).ok() } else { None }
}

fn redeem_reply(card: &Record, currency: &Currency, amount_minor: u64) -> serde_json::Result<Record> {
    let mut reply = Record::default();
    reply.set("transactionId", &ambient::random_id())?;
    reply.set_decimal("amount", currency.decimal(amount_minor))?;
    reply.set("currency", &currency.code)?;
    reply.set("status", &card.text("status").unwrap_or_else(|| "ACTIVE".to_owned()))?;
    for field in ["qrCode", "valueRemains", "networkCode"] {
        reply.set(field, &card.raw(field))?;
    }
    Ok(reply)
}

/// The codes of a new card. Nobody can guess one from another.
struct Codes {
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

impl Codes {
    fn random() -> Self {
        Self {
            qr_code: random_letters::<24>(),
            card_no: random_card_number(),
            network_code: random_letters::<16>(),
            gift_card_id: ambient::random_id(),
            reservation_code: random_letters::<12>(),
            order_hash: hex::encode(ambient::random_bytes::<32>()),
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

/// Letters and digits that a person can tell apart.
fn random_letters<const N: usize>() -> String {
    const LETTERS: [char; 32] = [
        '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'J', 'K', 'L', 'M',
        'N', 'P', 'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z',
    ];
    ambient::random_bytes::<N>()
        .iter()
        .filter_map(|byte| LETTERS.get(usize::from(*byte) % LETTERS.len()))
        .collect()
}

/// Sixteen digits.
fn random_card_number() -> String {
    const LENGTH: usize = 15;
    let number = u64::from_le_bytes(ambient::random_bytes()) % 10_u64.pow(15);
    format!("6{number:0LENGTH$}")
}
