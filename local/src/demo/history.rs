//! A year of sales: orders, redemptions, settlements, analytics sessions, and cards at the card network.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use shared::clock::later;
use shared::domain::money::Minor;

use super::accounts::FIRST_UNPAID;
use super::merchant;
use super::shops::Shop;
use super::timeline::{Rng, timestamps};

/// Records of a fixtures document.
#[derive(Default)]
pub(super) struct History {
    pub(super) orders: Vec<Value>,
    pub(super) redemptions: Vec<Value>,
    pub(super) settlements: Vec<Value>,
    pub(super) sessions: Vec<Value>,
    /// Cards at the card network.
    pub(super) cards: Vec<Value>,
}

/// How old the sales of each part of the history are at most, in days. The last part has all older ones.
const PARTS: [i64; 3] = [45, 120, 240];

/// The history of all shops in parts, the latest first: the first part is loaded before the system starts.
pub(super) fn parts(shops: &[&Shop], now: Timestamp) -> Vec<History> {
    let mut parts: Vec<History> = (0..=PARTS.len()).map(|_| History::default()).collect();
    for shop in shops {
        add_shop(&mut parts, shop, now);
    }
    parts
}

struct OrderState {
    status: &'static str,
    payment: &'static str,
    fraud: &'static str,
    /// Status of the gift card; `None` if the order has no gift card.
    card: Option<&'static str>,
}

const fn state(
    status: &'static str,
    payment: &'static str,
    fraud: &'static str,
    card: Option<&'static str>,
) -> OrderState {
    OrderState { status, payment, fraud, card }
}

impl OrderState {
    /// Whether the card network issued the card.
    fn is_issued(&self) -> bool {
        matches!(self.card, Some("ISSUED" | "CANCELLED"))
    }
}

const COMPLETED: OrderState = state("COMPLETED", "PAYMENT_CAPTURE_SUCCEEDED", "PASSED", Some("ISSUED"));
const UNCHECKED: OrderState = state("COMPLETED", "PAYMENT_CAPTURE_SUCCEEDED", "NOT_CHECKED", Some("ISSUED"));
const REFUNDED: OrderState = state("REFUNDED", "PAYMENT_CAPTURE_SUCCEEDED", "PASSED", Some("CANCELLED"));
const ISSUE_FAILED: OrderState = state("ISSUE_FAILED", "PAYMENT_CAPTURE_SUCCEEDED", "PASSED", Some("FAILED"));
const PAYMENT_FAILED: OrderState = state("PAYMENT_FAILED", "PAYMENT_FAILED", "NOT_CHECKED", None);
const CANCELLED: OrderState = state("CANCELLED", "PAYMENT_CREATED", "NOT_CHECKED", None);
const BLOCKED: OrderState = state("FAILED", "PAYMENT_CAPTURE_FAILED", "BLOCKED", None);
const IN_REVIEW: OrderState =
    state("PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW", "PAYMENT_CAPTURE_SUCCEEDED", "REVIEW", Some("PENDING"));
const PENDING_PAYMENT: OrderState = state("PENDING_PAYMENT", "PAYMENT_CREATED", "NOT_CHECKED", None);

const FRAUD_REASONS: [&str; 4] = ["VELOCITY", "HIGH_AMOUNT", "COUNTRY_MISMATCH", "DISPOSABLE_EMAIL"];
const DELIVERY_TYPES: [&str; 6] = ["EMAIL", "EMAIL", "EMAIL", "EMAIL", "SMS", "QR"];
const SOURCES: [Option<&str>; 7] =
    [Some("POS"), Some("POS"), Some("POS"), Some("POS"), Some("WEB"), Some("APP"), None];
const EMBEDS: [Option<&str>; 6] =
    [Some("Widget"), Some("Widget"), Some("Checkout"), Some("Newsletter"), None, None];
const ENTRIES: [Option<&str>; 5] =
    [Some("/gift-cards"), Some("/gift-cards"), Some("/"), Some("/campaigns/birthday"), None];

const SESSIONS_PER_ORDER: i64 = 2;
/// The cards of the latest orders have no redemptions yet.
const ORDERS_WITHOUT_REDEMPTIONS: i64 = 10;
/// Redemptions occur within this time after the sale.
const REDEMPTION_PERIOD: SignedDuration = SignedDuration::from_hours(45 * 24);

/// Adds the records of one shop.
fn add_shop(parts: &mut [History], shop: &Shop, now: Timestamp) {
    let mut rng = Rng::new(shop.seed);
    let sales = timestamps(shop.orders, shop.time_zone, now, &mut rng);
    let sessions = timestamps(shop.orders * SESSIONS_PER_ORDER, shop.time_zone, now, &mut rng);
    for (number, at) in (1..).zip(sales) {
        if let Some(history) = part_of(parts, at, now) {
            rng = Generator { history, shop, now, rng }.add_sale(number, at);
        }
    }
    for (number, at) in (1..).zip(sessions) {
        if let Some(history) = part_of(parts, at, now) {
            rng = Generator { history, shop, now, rng }.add_session(number, at);
        }
    }
}

fn part_of(parts: &mut [History], at: Timestamp, now: Timestamp) -> Option<&mut History> {
    let age = now.duration_since(at);
    let is_older = |days: &&i64| age > SignedDuration::from_hours(**days * 24);
    parts.get_mut(PARTS.iter().take_while(is_older).count())
}

struct Generator<'a> {
    history: &'a mut History,
    shop: &'a Shop,
    now: Timestamp,
    rng: Rng,
}

/// An order of one gift card. Amounts are in minor units.
struct Sale {
    number: i64,
    at: Timestamp,
    value: i64,
    qr_code: String,
    network_code: String,
}

impl Sale {
    fn order_id(&self, shop: &Shop) -> String {
        format!("o-{}-{:03}", shop.name, self.number)
    }

    fn card_id(&self, shop: &Shop) -> String {
        format!("g-{}-{:03}", shop.name, self.number)
    }
}

/// The order or redemption that a settlement pays for.
struct Source<'a> {
    r#type: &'a str,
    id: &'a str,
    redemption_id: Option<&'a str>,
    amount: i64,
    at: Timestamp,
    is_void: bool,
}

impl Generator<'_> {
    fn add_sale(mut self, number: i64, at: Timestamp) -> Rng {
        let state = self.order_state(number);
        let sale = Sale {
            number,
            at,
            value: self.rng.pick(self.shop.prices),
            qr_code: format!("QR-{}-{number:03}", self.shop.name.to_uppercase()),
            network_code: format!("NC{:08}", self.rng.below(100_000_000)),
        };
        self.add_order(&sale, &state);
        if !state.is_issued() {
            return self.rng;
        }
        let is_refunded = state.status == "REFUNDED";
        if number <= self.shop.orders_settled_on_sale {
            let (id, amount) = (sale.order_id(self.shop), sale.value);
            let is_void = is_refunded;
            self.add_settlement(
                &sale,
                &Source { r#type: "ORDER", id: &id, redemption_id: None, amount, at, is_void },
            );
        }
        let is_redeemable = !is_refunded && number <= self.shop.orders - ORDERS_WITHOUT_REDEMPTIONS;
        let balance = if is_redeemable { self.add_redemptions(&sale) } else { sale.value };
        self.add_card(&sale, is_refunded, balance);
        self.rng
    }

    /// Three of the latest orders are open. The state of every other order is random.
    fn order_state(&mut self, number: i64) -> OrderState {
        match (self.shop.orders - number, self.rng.below(100)) {
            (0, _) => PENDING_PAYMENT,
            (3 | 6, _) => IN_REVIEW,
            (_, 0..78) => COMPLETED,
            (_, 78..84) => UNCHECKED,
            (_, 84..88) => REFUNDED,
            (_, 88) => ISSUE_FAILED,
            (_, 89..92) => PAYMENT_FAILED,
            (_, 92..94) => CANCELLED,
            _ => BLOCKED,
        }
    }

    fn add_order(&mut self, sale: &Sale, state: &OrderState) {
        let Shop { name, currency, .. } = self.shop;
        let buyer = self.random_name();
        let recipient = (self.rng.below(3) == 0).then(|| self.random_name());
        let is_paid = state.payment == "PAYMENT_CAPTURE_SUCCEEDED";
        let is_checked = state.fraud != "NOT_CHECKED";
        let is_suspicious = ["REVIEW", "BLOCKED"].contains(&state.fraud);
        let reason = self.rng.pick(&FRAUD_REASONS);
        let hours_to_update = if state.status == "REFUNDED" { 1 + self.rng.below(72) } else { 0 };
        let updated_at = later(sale.at, SignedDuration::from_secs(hours_to_update * 3600 + 5)).min(self.now);
        let card = state.card.map(|status| {
            json!({
                "id": sale.card_id(self.shop), "status": status, "valueMinor": sale.value, "currency": currency,
                "qrCode": state.is_issued().then_some(&sale.qr_code),
                "networkCode": state.is_issued().then_some(&sale.network_code),
            })
        });
        let number = sale.number;
        self.history.orders.push(json!({
            "id": sale.order_id(self.shop),
            "merchantId": self.shop.id(),
            "createdAt": sale.at,
            "updatedAt": updated_at,
            "status": state.status,
            "paymentStatus": state.payment,
            "fulfilmentStatus": (state.status == "COMPLETED").then_some("FULFILMENT_FULFILLED"),
            "currency": currency,
            "totalAmountMinor": sale.value,
            "buyerName": buyer,
            "buyerEmail": email_address(&buyer),
            "recipientName": recipient,
            "recipientEmail": recipient.as_deref().map(email_address),
            "deliveryType": self.rng.pick(&DELIVERY_TYPES),
            "paymentTransactionId": format!("pay-{name}-{number:05}"),
            "processorTransactionId": is_paid.then(|| format!("psp-{name}-{number:05}")),
            "fraud": {
                "status": state.fraud,
                "reasonCode": is_suspicious.then_some(reason),
                "decidedAt": is_checked.then(|| later(sale.at, SignedDuration::from_secs(2))),
            },
            "items": [{
                "offerName": self.shop.offer_name, "quantity": 1, "amountMinor": sale.value, "currency": currency,
            }],
            "giftCards": card.into_iter().collect::<Vec<_>>(),
        }));
    }

    fn random_name(&mut self) -> String {
        format!("{} {}", self.rng.pick(self.shop.first_names), self.rng.pick(self.shop.last_names))
    }

    /// Adds up to three redemptions and returns the remaining balance.
    fn add_redemptions(&mut self, sale: &Sale) -> i64 {
        let period = self.now.duration_since(sale.at).min(REDEMPTION_PERIOD);
        let mut balance = sale.value;
        for index in 1..=self.rng.pick(&[0, 0, 1, 1, 1, 2, 2, 3]) {
            if balance == 0 {
                break;
            }
            let exceeds_balance = self.rng.below(20) == 0;
            let amount =
                if exceeds_balance { balance + self.shop.step } else { self.random_part_of(balance) };
            let percent = index * 30 - self.rng.below(25);
            let at = later(sale.at, SignedDuration::from_secs(period.as_secs() * percent / 100));
            self.add_redemption(sale, index, at, amount, !exceeds_balance);
            balance -= if exceeds_balance { 0 } else { amount };
        }
        balance
    }

    fn random_part_of(&mut self, balance: i64) -> i64 {
        let share = balance * self.rng.pick(&[30, 40, 60, 100, 100]) / 100;
        (share - share % self.shop.step).max(self.shop.step)
    }

    fn add_redemption(&mut self, sale: &Sale, index: i64, at: Timestamp, amount: i64, succeeded: bool) {
        let id = format!("r-{}-{:03}-{index}", self.shop.name, sale.number);
        self.history.redemptions.push(json!({
            "id": id,
            "merchantId": self.shop.id(),
            "occurredAt": at,
            "status": if succeeded { "SUCCEEDED" } else { "FAILED" },
            "source": self.rng.pick(&SOURCES),
            "storeName": self.rng.pick(self.shop.store_names),
            "amountMinor": amount,
            "currency": self.shop.currency,
            "qrCode": sale.qr_code,
            "networkCode": sale.network_code,
        }));
        if succeeded && sale.number > self.shop.orders_settled_on_sale {
            let (r#type, redemption_id) = ("REDEMPTION", Some(id.as_str()));
            self.add_settlement(sale, &Source { r#type, id: &id, redemption_id, amount, at, is_void: false });
        }
    }

    fn add_settlement(&mut self, sale: &Sale, source: &Source) {
        let fee = self.shop.fees.fee(Minor::new(source.amount)).get();
        let eligible_at = later(source.at, SignedDuration::from_hours(self.shop.payout_delay_days * 24));
        let paid_at = later(eligible_at, SignedDuration::from_hours(72));
        let (status, updated_at, batch_id) = if source.is_void {
            ("VOID", source.at, None)
        } else if self.is_left_to_payouts(eligible_at) {
            ("PENDING", source.at, None)
        } else if self.now >= paid_at {
            ("PAID", paid_at, Some(self.batch_id(paid_at)))
        } else if self.now >= eligible_at {
            ("IN_BATCH", eligible_at, Some(self.batch_id(paid_at)))
        } else {
            ("PENDING", source.at, None)
        };
        self.history.settlements.push(json!({
            "id": format!("s-{}", source.id),
            "merchantId": self.shop.id(),
            "sourceType": source.r#type,
            "sourceId": source.id,
            "orderId": sale.order_id(self.shop),
            "giftCardId": sale.card_id(self.shop),
            "redemptionId": source.redemption_id,
            "grossAmountMinor": source.amount,
            "feeAmountMinor": fee,
            "netAmountMinor": source.amount - fee,
            "currency": self.shop.currency,
            "feeSnapshot": self.shop.fees,
            "status": status,
            "payoutBatchId": batch_id,
            "eligibleAt": eligible_at,
            "createdAt": source.at,
            "updatedAt": updated_at,
        }));
    }

    /// The payouts of the first shop are made after the document is loaded.
    fn is_left_to_payouts(&self, eligible_at: Timestamp) -> bool {
        self.shop.id() == merchant::AURORA && self.now.duration_since(eligible_at) < FIRST_UNPAID
    }

    fn batch_id(&self, paid_at: Timestamp) -> String {
        format!("payout-{}-{}", self.shop.name, paid_at.to_zoned(TimeZone::UTC).date())
    }

    /// Adds the card at the card network.
    fn add_card(&mut self, sale: &Sale, is_refunded: bool, balance: i64) {
        let status = match balance {
            _ if is_refunded => "BLOCKED",
            0 => "REDEEMED",
            _ => "ACTIVE",
        };
        self.history.cards.push(json!({
            "merchantId": self.shop.network_merchant_id,
            "giftCardOfferId": self.shop.offer_id,
            "giftCardId": sale.card_id(self.shop),
            "qrCode": sale.qr_code,
            "cardNo": format!("6{}{:011}", self.shop.network_merchant_id, sale.number),
            "networkCode": sale.network_code,
            "status": status,
            "value": sale.value / self.shop.minor_units,
            "valueRemains": balance / self.shop.minor_units,
            "currency": self.shop.currency,
            "expiresAt": later(sale.at, SignedDuration::from_hours(3 * 365 * 24)),
        }));
    }

    fn add_session(mut self, number: i64, at: Timestamp) -> Rng {
        self.history.sessions.push(json!({
            "merchantId": self.shop.id(),
            "sessionId": format!("v-{}-{number:04}", self.shop.name),
            "startedAt": at,
            "embed": self.rng.pick(&EMBEDS),
            "entry": self.rng.pick(&ENTRIES),
        }));
        self.rng
    }
}

fn email_address(name: &str) -> String {
    format!("{}@mail.example", name.to_lowercase().replace(' ', "."))
}
