//! Half a year of trade: what was sold, what became of the cards, and what the merchants are paid for it.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use shared::domain::money::Minor;

use super::rhythm::{Dice, later, moments};
use super::shops::Shop;

/// Rows of a fixtures document.
#[derive(Default)]
pub(super) struct History {
    pub(super) orders: Vec<Value>,
    pub(super) redemptions: Vec<Value>,
    pub(super) settlements: Vec<Value>,
    pub(super) sessions: Vec<Value>,
    /// At the card network.
    pub(super) cards: Vec<Value>,
}

/// What became of an order.
struct Fate {
    status: &'static str,
    payment: &'static str,
    fraud: &'static str,
    /// Status of its card, where it got that far.
    card: Option<&'static str>,
}

const fn fate(
    status: &'static str,
    payment: &'static str,
    fraud: &'static str,
    card: Option<&'static str>,
) -> Fate {
    Fate { status, payment, fraud, card }
}

impl Fate {
    /// Whether the card network issued the card.
    fn is_issued(&self) -> bool {
        matches!(self.card, Some("ISSUED" | "CANCELLED"))
    }
}

const COMPLETED: Fate = fate("COMPLETED", "PAYMENT_CAPTURE_SUCCEEDED", "PASSED", Some("ISSUED"));
const UNCHECKED: Fate = fate("COMPLETED", "PAYMENT_CAPTURE_SUCCEEDED", "NOT_CHECKED", Some("ISSUED"));
const REFUNDED: Fate = fate("REFUNDED", "PAYMENT_CAPTURE_SUCCEEDED", "PASSED", Some("CANCELLED"));
const NOT_ISSUED: Fate = fate("ISSUE_FAILED", "PAYMENT_CAPTURE_SUCCEEDED", "PASSED", Some("FAILED"));
const NOT_PAID: Fate = fate("PAYMENT_FAILED", "PAYMENT_FAILED", "NOT_CHECKED", None);
const CANCELLED: Fate = fate("CANCELLED", "PAYMENT_CREATED", "NOT_CHECKED", None);
const BLOCKED: Fate = fate("FAILED", "PAYMENT_CAPTURE_FAILED", "BLOCKED", None);
const IN_REVIEW: Fate =
    fate("PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW", "PAYMENT_CAPTURE_SUCCEEDED", "REVIEW", Some("PENDING"));
const UNPAID: Fate = fate("PENDING_PAYMENT", "PAYMENT_CREATED", "NOT_CHECKED", None);

const REASONS: [&str; 4] = ["VELOCITY", "HIGH_AMOUNT", "COUNTRY_MISMATCH", "DISPOSABLE_EMAIL"];
const JOBS: [&str; 6] = ["EMAIL", "EMAIL", "EMAIL", "EMAIL", "SMS", "QR"];
const SOURCES: [Option<&str>; 7] =
    [Some("POS"), Some("POS"), Some("POS"), Some("POS"), Some("WEB"), Some("APP"), None];
const EMBEDS: [Option<&str>; 6] =
    [Some("Widget"), Some("Widget"), Some("Checkout"), Some("Newsletter"), None, None];
const ENTRIES: [Option<&str>; 5] =
    [Some("/gift-cards"), Some("/gift-cards"), Some("/"), Some("/campaigns/birthday"), None];

const VISITS_PER_ORDER: i64 = 2;
/// Cards of the last few orders have not been used yet.
const UNUSED: i64 = 10;
/// Who uses a card does so within so many days.
const USED_WITHIN: SignedDuration = SignedDuration::from_hours(45 * 24);

impl History {
    /// Adds what happened in one shop.
    pub(super) fn tell(&mut self, shop: &Shop, now: Timestamp) {
        let mut dice = Dice::new(shop.seed);
        let times = moments(shop.orders, shop.time_zone, now, &mut dice);
        let visits = moments(shop.orders * VISITS_PER_ORDER, shop.time_zone, now, &mut dice);
        let mut chapter = Chapter { history: self, shop, now, dice };
        for (number, at) in (1..).zip(times) {
            chapter.sell(number, at);
        }
        for (number, at) in (1..).zip(visits) {
            chapter.visit(number, at);
        }
    }
}

struct Chapter<'a> {
    history: &'a mut History,
    shop: &'a Shop,
    now: Timestamp,
    dice: Dice,
}

/// A card that was paid for.
struct Sold {
    number: i64,
    at: Timestamp,
    value: i64,
    qr_code: String,
    network_code: String,
}

impl Sold {
    fn order_id(&self, shop: &Shop) -> String {
        format!("o-{}-{:03}", shop.name, self.number)
    }

    fn card_id(&self, shop: &Shop) -> String {
        format!("g-{}-{:03}", shop.name, self.number)
    }
}

/// What a merchant is paid for.
struct Source<'a> {
    r#type: &'a str,
    id: &'a str,
    redemption: Option<&'a str>,
    amount: i64,
    at: Timestamp,
    void: bool,
}

impl Chapter<'_> {
    fn sell(&mut self, number: i64, at: Timestamp) {
        let fate = self.fate(number);
        let sold = Sold {
            number,
            at,
            value: self.dice.pick(self.shop.prices),
            qr_code: format!("QR-{}-{number:03}", self.shop.name.to_uppercase()),
            network_code: format!("NC{:08}", self.dice.below(100_000_000)),
        };
        self.order(&sold, &fate);
        if !fate.is_issued() {
            return;
        }
        let refunded = fate.status == "REFUNDED";
        if number <= self.shop.settled_on_sale {
            let (id, amount) = (sold.order_id(self.shop), sold.value);
            self.settle(
                &sold,
                &Source { r#type: "ORDER", id: &id, redemption: None, amount, at, void: refunded },
            );
        }
        let in_use = !refunded && number <= self.shop.orders - UNUSED;
        let remains = if in_use { self.redeem(&sold) } else { sold.value };
        self.card(&sold, refunded, remains);
    }

    /// The last orders are still open; the others ended in one way or another.
    fn fate(&mut self, number: i64) -> Fate {
        match (self.shop.orders - number, self.dice.below(100)) {
            (0, _) => UNPAID,
            (3 | 6, _) => IN_REVIEW,
            (_, 0..78) => COMPLETED,
            (_, 78..84) => UNCHECKED,
            (_, 84..88) => REFUNDED,
            (_, 88) => NOT_ISSUED,
            (_, 89..92) => NOT_PAID,
            (_, 92..94) => CANCELLED,
            _ => BLOCKED,
        }
    }

    fn order(&mut self, sold: &Sold, fate: &Fate) {
        let Shop { name, currency, .. } = self.shop;
        let buyer = self.person();
        let recipient = (self.dice.below(3) == 0).then(|| self.person());
        let paid = fate.payment == "PAYMENT_CAPTURE_SUCCEEDED";
        let checked = fate.fraud != "NOT_CHECKED";
        let suspicious = ["REVIEW", "BLOCKED"].contains(&fate.fraud);
        let reason = self.dice.pick(&REASONS);
        let hours_to_change = if fate.status == "REFUNDED" { 1 + self.dice.below(72) } else { 0 };
        let changed_at = later(sold.at, SignedDuration::from_secs(hours_to_change * 3600 + 5)).min(self.now);
        let card = fate.card.map(|status| {
            json!({
                "id": sold.card_id(self.shop), "status": status, "valueMinor": sold.value, "currency": currency,
                "qrCode": fate.is_issued().then_some(&sold.qr_code),
                "networkCode": fate.is_issued().then_some(&sold.network_code),
            })
        });
        let number = sold.number;
        self.history.orders.push(json!({
            "id": sold.order_id(self.shop),
            "merchantId": self.shop.id(),
            "createdAt": sold.at,
            "updatedAt": changed_at,
            "status": fate.status,
            "paymentStatus": fate.payment,
            "fulfilmentStatus": (fate.status == "COMPLETED").then_some("FULFILMENT_FULFILLED"),
            "currency": currency,
            "totalAmountMinor": sold.value,
            "buyerName": buyer,
            "buyerEmail": email(&buyer),
            "recipientName": recipient,
            "recipientEmail": recipient.as_deref().map(email),
            "deliveryType": self.dice.pick(&JOBS),
            "paymentTransactionId": format!("pay-{name}-{number:05}"),
            "processorTransactionId": paid.then(|| format!("psp-{name}-{number:05}")),
            "fraud": {
                "status": fate.fraud,
                "reasonCode": suspicious.then_some(reason),
                "decidedAt": checked.then(|| later(sold.at, SignedDuration::from_secs(2))),
            },
            "items": [{
                "offerName": self.shop.offer_name, "quantity": 1, "amountMinor": sold.value, "currency": currency,
            }],
            "giftCards": card.into_iter().collect::<Vec<_>>(),
        }));
    }

    fn person(&mut self) -> String {
        format!("{} {}", self.dice.pick(self.shop.first_names), self.dice.pick(self.shop.last_names))
    }

    /// Uses a card now and then, and tells what is left on it.
    fn redeem(&mut self, sold: &Sold) -> i64 {
        let age = self.now.duration_since(sold.at).min(USED_WITHIN);
        let mut remains = sold.value;
        for turn in 1..=self.dice.pick(&[0, 0, 1, 1, 1, 2, 2, 3]) {
            if remains == 0 {
                break;
            }
            let too_much = self.dice.below(20) == 0;
            let amount = if too_much { remains + self.shop.step } else { self.part_of(remains) };
            let hundredths = turn * 30 - self.dice.below(25);
            let at = later(sold.at, SignedDuration::from_secs(age.as_secs() * hundredths / 100));
            self.redemption(sold, turn, at, amount, !too_much);
            remains -= if too_much { 0 } else { amount };
        }
        remains
    }

    fn part_of(&mut self, remains: i64) -> i64 {
        let share = remains * self.dice.pick(&[30, 40, 60, 100, 100]) / 100;
        (share - share % self.shop.step).max(self.shop.step)
    }

    fn redemption(&mut self, sold: &Sold, turn: i64, at: Timestamp, amount: i64, succeeded: bool) {
        let id = format!("r-{}-{:03}-{turn}", self.shop.name, sold.number);
        self.history.redemptions.push(json!({
            "id": id,
            "merchantId": self.shop.id(),
            "occurredAt": at,
            "status": if succeeded { "SUCCEEDED" } else { "FAILED" },
            "source": self.dice.pick(&SOURCES),
            "storeName": self.dice.pick(self.shop.store_names),
            "amountMinor": amount,
            "currency": self.shop.currency,
            "qrCode": sold.qr_code,
            "networkCode": sold.network_code,
        }));
        if succeeded && sold.number > self.shop.settled_on_sale {
            let (r#type, redemption) = ("REDEMPTION", Some(id.as_str()));
            self.settle(sold, &Source { r#type, id: &id, redemption, amount, at, void: false });
        }
    }

    fn settle(&mut self, sold: &Sold, source: &Source) {
        let fee = self.shop.fees.fee(Minor::new(source.amount)).get();
        let eligible_at = later(source.at, SignedDuration::from_hours(self.shop.payout_delay_days * 24));
        let paid_at = later(eligible_at, SignedDuration::from_hours(72));
        let (status, updated_at, batch) = if source.void {
            ("VOID", source.at, None)
        } else if self.now >= paid_at {
            ("PAID", paid_at, Some(self.batch(paid_at)))
        } else if self.now >= eligible_at {
            ("IN_BATCH", eligible_at, Some(self.batch(paid_at)))
        } else {
            ("PENDING", source.at, None)
        };
        self.history.settlements.push(json!({
            "id": format!("s-{}", source.id),
            "merchantId": self.shop.id(),
            "sourceType": source.r#type,
            "sourceId": source.id,
            "orderId": sold.order_id(self.shop),
            "giftCardId": sold.card_id(self.shop),
            "redemptionId": source.redemption,
            "grossAmountMinor": source.amount,
            "feeAmountMinor": fee,
            "netAmountMinor": source.amount - fee,
            "currency": self.shop.currency,
            "feeSnapshot": self.shop.fees,
            "status": status,
            "payoutBatchId": batch,
            "eligibleAt": eligible_at,
            "createdAt": source.at,
            "updatedAt": updated_at,
        }));
    }

    fn batch(&self, paid_at: Timestamp) -> String {
        format!("payout-{}-{}", self.shop.name, paid_at.to_zoned(TimeZone::UTC).date())
    }

    /// The card as the network knows it.
    fn card(&mut self, sold: &Sold, refunded: bool, remains: i64) {
        let status = match remains {
            _ if refunded => "BLOCKED",
            0 => "REDEEMED",
            _ => "ACTIVE",
        };
        self.history.cards.push(json!({
            "merchantId": self.shop.account,
            "giftCardOfferId": self.shop.offer,
            "giftCardId": sold.card_id(self.shop),
            "qrCode": sold.qr_code,
            "cardNo": format!("6{}{:011}", self.shop.account, sold.number),
            "networkCode": sold.network_code,
            "status": status,
            "value": sold.value / self.shop.minor_units,
            "valueRemains": remains / self.shop.minor_units,
            "currency": self.shop.currency,
            "expiresAt": later(sold.at, SignedDuration::from_hours(3 * 365 * 24)),
        }));
    }

    fn visit(&mut self, number: i64, at: Timestamp) {
        self.history.sessions.push(json!({
            "merchantId": self.shop.id(),
            "sessionId": format!("v-{}-{number:04}", self.shop.name),
            "startedAt": at,
            "embed": self.dice.pick(&EMBEDS),
            "entry": self.dice.pick(&ENTRIES),
        }));
    }
}

fn email(name: &str) -> String {
    format!("{}@mail.example", name.to_lowercase().replace(' ', "."))
}
