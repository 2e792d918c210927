//! The orders of the history, and what followed from each: a redemption, its settlement, and the visit before the order.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use shared::clock::later;
use shared::domain::ids::{GiftCardId, OrderId, PayoutId, QrCode, RedemptionId};
use shared::domain::merchant::Merchant;
use shared::domain::money::{Minor, Money};
use shared::domain::open_enum::OpenEnum;
use shared::domain::order::{
    DeliveryType, FraudCheck, FraudStatus, FulfilmentStatus, GiftCard, GiftCardStatus, Order, OrderItem,
    OrderStatus, PaymentStatus,
};
use shared::domain::redemption::{CardLink, Redemption, RedemptionSource, RedemptionStatus};
use shared::domain::settlement::{Settlement, SettlementStatus};
use shared::domain::visit::Visit;

use super::codes::{code, uuid};
use super::merchant::{self, CURRENCY, GIFT_CARD, MINOR_UNITS, STORES, TREAT, TREAT_PRICE};
use super::people::person;
use super::{Plan, traffic};
use crate::demo::Rng;

/// An order, and what followed from it.
#[derive(Debug)]
pub(super) struct Sale {
    pub(super) order: Order,
    pub(super) redemption: Option<Redemption>,
    pub(super) settlement: Option<Settlement>,
    pub(super) visit: Option<Visit>,
}

impl Sale {
    /// Whether its card was issued and can be redeemed.
    pub(super) fn is_completed(&self) -> bool {
        self.order.status == OrderStatus::Completed
    }

    pub(super) fn card_code(&self) -> Option<&QrCode> {
        self.order.gift_cards.first()?.qr_code.as_ref()
    }

    /// The amount that was redeemed of its card.
    pub(super) fn redeemed(&self) -> Minor {
        let succeeded = |redemption: &&Redemption| redemption.status == RedemptionStatus::Succeeded;
        self.redemption
            .as_ref()
            .filter(succeeded)
            .map(|redemption| redemption.amount.minor)
            .unwrap_or_default()
    }
}

/// Yields the sales of the history, oldest first.
pub(super) fn sales(plan: &Plan) -> impl Iterator<Item = Sale> + use<> {
    let times = traffic::times(plan, Rng::new(plan.seed));
    // Another stream of random numbers than that of the times.
    let rng = Rng::new(!plan.seed);
    let mut generator = Generator { merchant: merchant::merchant(), orders: plan.orders, now: plan.now, rng };
    (1..).zip(times).map(move |(number, at)| generator.sale(number, at))
}

/// One order of this many has a state that no other order has.
const RARE_INTERVAL: i64 = 10_000;
/// The place of that order among them.
const RARE_PLACE: i64 = 5_000;

/// Percent of the orders in opening hours that are sold at a till, so that 60 % of all orders are.
const TILL_PERCENT: i64 = 67;
/// In currency units.
const PRICES: [i64; 16] = [10, 15, 20, 20, 25, 25, 25, 30, 50, 50, 50, 50, 75, 100, 100, 200];
const FRAUD_REASONS: [&str; 4] = ["VELOCITY", "HIGH_AMOUNT", "COUNTRY_MISMATCH", "DISPOSABLE_EMAIL"];
const SOURCES: [Option<&str>; 10] = [
    Some("POS"),
    Some("POS"),
    Some("POS"),
    Some("POS"),
    Some("POS"),
    Some("POS"),
    Some("WEB"),
    Some("WEB"),
    Some("APP"),
    None,
];
const EMBEDS: [Option<&str>; 6] =
    [Some("Widget"), Some("Widget"), Some("Checkout"), Some("Newsletter"), None, None];
const ENTRIES: [Option<&str>; 5] =
    [Some("/gift-cards"), Some("/gift-cards"), Some("/"), Some("/campaigns/birthday"), None];

/// Half of the redemptions happen in the busiest stores.
const BUSIEST_STORES: usize = 8;
/// The latest days from the sale to the redemption.
const REDEMPTION_DAYS: i64 = 60;
/// Younger settlements are not paid out yet.
const PENDING_PERIOD: SignedDuration = SignedDuration::from_hours(14 * 24);
/// From the day on which a settlement can be paid out to the payout.
const PAYOUT_TIME: SignedDuration = SignedDuration::from_hours(3 * 24);

/// The statuses of an order and of its card.
#[derive(Debug, Clone, Copy)]
struct State {
    status: OrderStatus,
    payment: PaymentStatus,
    fraud: FraudStatus,
    /// `None` if the order has no gift card.
    card: Option<GiftCardStatus>,
}

const fn state(
    status: OrderStatus,
    payment: PaymentStatus,
    fraud: FraudStatus,
    card: Option<GiftCardStatus>,
) -> State {
    State { status, payment, fraud, card }
}

const COMPLETED: State = state(
    OrderStatus::Completed,
    PaymentStatus::PaymentCaptureSucceeded,
    FraudStatus::Passed,
    Some(GiftCardStatus::Issued),
);
const REFUNDED: State = state(
    OrderStatus::Refunded,
    PaymentStatus::PaymentCaptureSucceeded,
    FraudStatus::Passed,
    Some(GiftCardStatus::Cancelled),
);
const ISSUE_FAILED: State = state(
    OrderStatus::IssueFailed,
    PaymentStatus::PaymentCaptureSucceeded,
    FraudStatus::Passed,
    Some(GiftCardStatus::Failed),
);
const PAID: State =
    state(OrderStatus::Paid, PaymentStatus::PaymentCaptureSucceeded, FraudStatus::Passed, None);
const CAPTURED: State = state(
    OrderStatus::PaymentCaptureSucceeded,
    PaymentStatus::PaymentCaptureSucceeded,
    FraudStatus::Passed,
    Some(GiftCardStatus::Pending),
);
const CAPTURED_IN_REVIEW: State = state(
    OrderStatus::PaymentCapturedPendingFraudReview,
    PaymentStatus::PaymentCaptureSucceeded,
    FraudStatus::Review,
    Some(GiftCardStatus::Pending),
);
const IN_REVIEW: State =
    state(OrderStatus::PaymentCapturePendingReview, PaymentStatus::PaymentCreated, FraudStatus::Review, None);
const BLOCKED: State =
    state(OrderStatus::Failed, PaymentStatus::PaymentCaptureFailed, FraudStatus::Blocked, None);
const CAPTURE_FAILED: State =
    state(OrderStatus::Failed, PaymentStatus::PaymentCaptureFailed, FraudStatus::Passed, None);
const PAYMENT_FAILED: State =
    state(OrderStatus::PaymentFailed, PaymentStatus::PaymentFailed, FraudStatus::NotChecked, None);
const CANCELLED: State =
    state(OrderStatus::Cancelled, PaymentStatus::PaymentCreated, FraudStatus::NotChecked, None);
const PENDING_PAYMENT: State =
    state(OrderStatus::PendingPayment, PaymentStatus::PaymentCreated, FraudStatus::NotChecked, None);
const RARE: State =
    state(OrderStatus::PaymentAuthSucceeded, PaymentStatus::PaymentAuthorized, FraudStatus::Passed, None);

struct Generator {
    merchant: Merchant,
    /// Of the whole history.
    orders: i64,
    now: Timestamp,
    rng: Rng,
}

impl Generator {
    /// The numbers of orders begin at 1.
    fn sale(&mut self, number: i64, at: Timestamp) -> Sale {
        let order = if self.is_rare(number) {
            self.web_order(at, RARE)
        } else if traffic::OPEN.contains(&traffic::hour(at)) && self.rng.below(100) < TILL_PERCENT {
            self.till_order(number, at)
        } else {
            let state = self.web_state();
            self.web_order(at, state)
        };
        let redemption = self.redemption(&order);
        let settlement = redemption.as_ref().and_then(|redemption| self.settlement(redemption));
        let visit = self.visit(&order);
        Sale { order, redemption, settlement, visit }
    }

    /// Whether it is the rare one of [`RARE_INTERVAL`] orders. The last orders of an incomplete interval have none.
    fn is_rare(&self, number: i64) -> bool {
        number % RARE_INTERVAL == RARE_PLACE && number <= self.orders - self.orders % RARE_INTERVAL
    }

    fn web_state(&mut self) -> State {
        match self.rng.below(1000) {
            0..15 => CAPTURED_IN_REVIEW,
            15..25 => IN_REVIEW,
            25..38 => BLOCKED,
            38..58 => CAPTURE_FAILED,
            58..108 => PAYMENT_FAILED,
            108..148 => CANCELLED,
            148..178 => PENDING_PAYMENT,
            178..198 => CAPTURED,
            198..218 => PAID,
            218..248 => ISSUE_FAILED,
            248..298 => REFUNDED,
            _ => COMPLETED,
        }
    }

    /// A third of the sales at a till are not checked.
    fn till_state(&mut self) -> State {
        let state = match self.rng.below(1000) {
            0..20 => REFUNDED,
            20..40 => State { card: None, ..ISSUE_FAILED },
            40..50 => PAID,
            _ => COMPLETED,
        };
        let fraud = if self.rng.below(3) == 0 { FraudStatus::NotChecked } else { state.fraud };
        State { fraud, ..state }
    }

    fn till_order(&mut self, number: i64, at: Timestamp) -> Order {
        let state = self.till_state();
        let reference = self.rng.below(1 << 32);
        Order {
            delivery_type: DeliveryType::Qr.into(),
            payment_transaction_id: Some(format!("POS-{}-{reference:08x}", at.as_millisecond())),
            sold_at_till: true,
            ..self.order(format!("o-{number:06}"), at, state)
        }
    }

    fn web_order(&mut self, at: Timestamp, state: State) -> Order {
        let (buyer, recipient) = (person(&mut self.rng), person(&mut self.rng));
        let delivery = if self.rng.below(5) == 0 { DeliveryType::Sms } else { DeliveryType::Email };
        let (payment, processor) = (code(12, &mut self.rng), code(12, &mut self.rng));
        let is_paid = state.payment == PaymentStatus::PaymentCaptureSucceeded;
        let id = uuid(at, &mut self.rng);
        Order {
            buyer_email: Some(buyer.email),
            buyer_name: Some(buyer.name),
            recipient_email: Some(recipient.email),
            recipient_name: Some(recipient.name),
            delivery_type: delivery.into(),
            payment_transaction_id: Some(format!("pay-{payment}")),
            processor_transaction_id: is_paid.then(|| format!("psp-{processor}")),
            ..self.order(id, at, state)
        }
    }

    /// An order without a channel.
    fn order(&mut self, id: String, at: Timestamp, state: State) -> Order {
        let (offer, price) =
            if self.rng.below(10) == 0 { (TREAT, TREAT_PRICE) } else { (GIFT_CARD, self.rng.pick(&PRICES)) };
        let value = Money::new(Minor::new(price * MINOR_UNITS), CURRENCY);
        let is_completed = state.status == OrderStatus::Completed;
        let fraud = self.fraud(at, state.fraud);
        let closed_at = self.closed_at(at, state.status);
        Order {
            updated_at: fraud.decided_at.map_or(closed_at, |decided_at| decided_at.max(closed_at)),
            status: state.status.into(),
            payment_status: state.payment.into(),
            fulfilment_status: is_completed.then(|| FulfilmentStatus::FulfilmentFulfilled.into()),
            items: vec![OrderItem { offer_name: offer.name.to_owned(), quantity: 1, amount: value }],
            gift_cards: state.card.map(|card| self.gift_card(&id, card, value)).into_iter().collect(),
            fraud,
            ..Order::new(OrderId::new(id), merchant::id(), at, value)
        }
    }

    /// Flagged orders are decided after some minutes.
    fn fraud(&mut self, at: Timestamp, status: FraudStatus) -> FraudCheck {
        if status == FraudStatus::NotChecked {
            return FraudCheck::default();
        }
        let is_flagged = matches!(status, FraudStatus::Review | FraudStatus::Blocked);
        let milliseconds = if is_flagged { 60_000 + self.rng.below(30 * 60_000) } else { 2_000 };
        FraudCheck {
            status: status.into(),
            reason_code: is_flagged.then(|| self.rng.pick(&FRAUD_REASONS).to_owned()),
            decided_at: Some(self.after(at, milliseconds)),
        }
    }

    fn closed_at(&mut self, at: Timestamp, status: OrderStatus) -> Timestamp {
        let milliseconds = match status {
            OrderStatus::PendingPayment => 0,
            OrderStatus::Refunded => 3_600_000 + self.rng.below(3 * 24 * 3_600_000),
            OrderStatus::Cancelled => 60_000 + self.rng.below(3_600_000),
            _ => 1_000 + self.rng.below(8_000),
        };
        self.after(at, milliseconds)
    }

    /// Not in the future.
    fn after(&self, at: Timestamp, milliseconds: i64) -> Timestamp {
        later(at, SignedDuration::from_millis(milliseconds)).min(self.now)
    }

    fn gift_card(&mut self, order: &str, status: GiftCardStatus, value: Money) -> GiftCard {
        let was_issued = matches!(status, GiftCardStatus::Issued | GiftCardStatus::Cancelled);
        GiftCard {
            id: GiftCardId::new(format!("g-{order}")),
            qr_code: was_issued.then(|| QrCode::new(code(16, &mut self.rng))),
            network_code: was_issued.then(|| code(12, &mut self.rng)),
            status: status.into(),
            value,
        }
    }

    /// Half of the cards are redeemed at some later day, if that is not in the future.
    fn redemption(&mut self, order: &Order) -> Option<Redemption> {
        let card = order.gift_cards.first().filter(|_| order.status == OrderStatus::Completed)?;
        if self.rng.below(2) == 0 {
            return None;
        }
        let occurred_at = self.redemption_time(order.created_at);
        if occurred_at > self.now {
            return None;
        }
        let succeeded = self.rng.below(25) != 0;
        let status = if succeeded { RedemptionStatus::Succeeded } else { RedemptionStatus::Failed };
        let source = self.rng.pick(&SOURCES);
        let link = CardLink {
            order_id: order.id.clone(),
            gift_card_id: card.id.clone(),
            sold_at_till: order.sold_at_till,
        };
        Some(Redemption {
            id: RedemptionId::new(uuid(occurred_at, &mut self.rng)),
            merchant_id: order.merchant_id.clone(),
            occurred_at,
            status: status.into(),
            source: source.map(|text| match text {
                "POS" => RedemptionSource::Pos.into(),
                imported => OpenEnum::Unknown(imported.to_owned()),
            }),
            store_name: self.store(source).map(str::to_owned),
            amount: Money { minor: self.part_of(card.value.minor), ..card.value },
            qr_code: card.qr_code.clone(),
            network_code: card.network_code.clone().filter(|_| succeeded),
            card: succeeded.then_some(link),
            foreign_currency: false,
            reply_disagrees: false,
            card_tag: None,
            requested_by: None,
            terms: self.merchant.redemption_terms(),
        })
    }

    /// Sooner rather than later, in opening hours.
    fn redemption_time(&mut self, sold_at: Timestamp) -> Timestamp {
        let days = 1 + self.rng.below(REDEMPTION_DAYS).min(self.rng.below(REDEMPTION_DAYS));
        traffic::after_opening(sold_at, days, self.rng.below(traffic::open_milliseconds()))
    }

    /// Redemptions on the web and in the app have no store, and a few others have none either.
    fn store(&mut self, source: Option<&str>) -> Option<&'static str> {
        let all: &[&'static str] = &STORES;
        let (busiest, _) = all.split_at(BUSIEST_STORES);
        let stores = if self.rng.below(2) == 0 { busiest } else { all };
        let store = self.rng.pick(stores);
        let is_known = self.rng.below(20) != 0 && !matches!(source, Some("WEB" | "APP"));
        is_known.then_some(store)
    }

    /// The whole value in most cases, otherwise a part of it in whole currency units.
    fn part_of(&mut self, value: Minor) -> Minor {
        let part = value.get() * self.rng.pick(&[30, 40, 50, 80, 100, 100, 100, 100, 100, 100]) / 100;
        Minor::new((part - part % MINOR_UNITS).max(MINOR_UNITS))
    }

    /// Paid out after two weeks, unless it is held.
    fn settlement(&self, redemption: &Redemption) -> Option<Settlement> {
        if redemption.status != RedemptionStatus::Succeeded {
            return None;
        }
        let pending = Settlement::of_redemption(redemption, redemption.occurred_at).ok()??;
        if pending.is_held() || self.now.duration_since(pending.created_at) < PENDING_PERIOD {
            return Some(pending);
        }
        let paid_at = later(pending.eligible_at, PAYOUT_TIME);
        let batch = format!("payout-big-{}", paid_at.to_zoned(TimeZone::UTC).date());
        Some(Settlement {
            status: SettlementStatus::Paid.into(),
            payout_batch_id: Some(PayoutId::new(batch)),
            updated_at: paid_at,
            ..pending
        })
    }

    /// Most orders on the web, which are a third of all orders.
    fn visit(&mut self, order: &Order) -> Option<Visit> {
        if order.sold_at_till || self.rng.below(6) == 0 {
            return None;
        }
        let before = SignedDuration::from_millis(-30_000 - self.rng.below(20 * 60_000));
        let started_at = later(order.created_at, before);
        Some(Visit {
            id: uuid(started_at, &mut self.rng),
            merchant_id: order.merchant_id.clone(),
            started_at,
            embed: self.rng.pick(&EMBEDS).map(str::to_owned),
            entry: self.rng.pick(&ENTRIES).map(str::to_owned),
            event: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};

    use shared::store::{Item, item_key};

    use super::super::rows::rows_of;
    use super::*;

    fn plan(orders: i64, days: i64) -> Plan {
        Plan { orders, days, seed: 7, now: "2026-07-15T12:34:56.789Z".parse().unwrap() }
    }

    fn rows(plan: &Plan) -> Vec<Item> {
        sales(plan).flat_map(|sale| rows_of(&sale).unwrap()).collect()
    }

    /// How many of all sales there are, in percent.
    fn percent(all: &[Sale], is_counted: impl Fn(&Sale) -> bool) -> usize {
        all.iter().filter(|sale| is_counted(sale)).count() * 100 / all.len()
    }

    #[test]
    fn the_history_depends_on_the_plan_only() {
        let plan = plan(300, 365);
        assert!(rows(&plan) == rows(&plan));
        assert!(rows(&plan) != rows(&Plan { seed: 8, ..plan }));
    }

    #[test]
    fn rows_have_keys_of_their_own() {
        let rows = rows(&plan(2000, 365));
        let keys: HashSet<_> = rows.iter().map(|row| item_key(row).unwrap()).collect();
        assert_eq!(keys.len(), rows.len());
    }

    #[test]
    fn one_order_in_ten_thousand_is_rare_and_all_other_states_are_common() {
        for (orders, rare) in [(9_999, 0), (20_001, 2)] {
            let mut statuses: BTreeMap<String, i64> = BTreeMap::new();
            for Sale { order, .. } in sales(&plan(orders, 365)) {
                let status = serde_json::to_string(&(&order.status, &order.payment_status)).unwrap();
                *statuses.entry(status).or_insert(0) += 1;
            }
            assert_eq!(statuses.values().sum::<i64>(), orders);
            let found = statuses.remove(r#"["PAYMENT_AUTH_SUCCEEDED","PAYMENT_AUTHORIZED"]"#);
            assert_eq!(found.unwrap_or_default(), rare);
            assert_eq!(statuses.len(), 11, "{statuses:?}");
            assert!(statuses.values().all(|count| count * 1000 > orders), "{statuses:?}");
        }
    }

    #[test]
    fn the_mix_is_that_of_a_shop() {
        let all: Vec<Sale> = sales(&plan(10_000, 365)).collect();
        assert!((58..=62).contains(&percent(&all, |sale| sale.order.sold_at_till)));
        assert!((80..=90).contains(&percent(&all, Sale::is_completed)));
        assert!((30..=36).contains(&percent(&all, |sale| sale.visit.is_some())));
        let per_mille = |status: FraudStatus| {
            all.iter().filter(|sale| sale.order.fraud.status == status).count() * 1000 / all.len()
        };
        assert!((7..=13).contains(&per_mille(FraudStatus::Review)));
        assert!((3..=8).contains(&per_mille(FraudStatus::Blocked)));
        assert!(per_mille(FraudStatus::Passed) > 600);
        let completed: Vec<Sale> = all.into_iter().filter(Sale::is_completed).collect();
        assert!((40..=50).contains(&percent(&completed, |sale| sale.redemption.is_some())));
        assert_eq!(percent(&completed, |sale| sale.card_code().is_some()), 100);
    }

    #[test]
    fn nothing_is_in_the_future() {
        let plan = plan(2000, 30);
        for sale in sales(&plan) {
            let Sale { order, redemption, settlement, visit } = &sale;
            let times = [
                Some(order.created_at),
                Some(order.updated_at),
                order.fraud.decided_at,
                redemption.as_ref().map(|redemption| redemption.occurred_at),
                settlement.as_ref().map(|settlement| settlement.updated_at),
                visit.as_ref().map(|visit| visit.started_at),
            ];
            for at in times.into_iter().flatten() {
                assert!(at <= plan.now, "{sale:?}");
                assert_eq!(Timestamp::from_millisecond(at.as_millisecond()).unwrap(), at, "{sale:?}");
            }
            assert!(order.updated_at >= order.created_at, "{sale:?}");
        }
    }

    #[test]
    fn succeeded_redemptions_are_settled_and_paid_unless_they_are_held_or_recent() {
        let plan = plan(3000, 90);
        let mut failed = 0;
        for sale in sales(&plan) {
            let Some(redemption) = &sale.redemption else { continue };
            let Some(settlement) = &sale.settlement else {
                assert_eq!(redemption.status, RedemptionStatus::Failed, "{sale:?}");
                failed += 1;
                continue;
            };
            assert!(redemption.amount.minor <= sale.order.total.minor, "{sale:?}");
            assert_eq!(settlement.is_held(), sale.order.sold_at_till, "{sale:?}");
            let is_recent = plan.now.duration_since(redemption.occurred_at) < PENDING_PERIOD;
            let is_paid = settlement.status == SettlementStatus::Paid;
            assert_eq!(is_paid, !is_recent && !settlement.is_held(), "{sale:?}");
        }
        assert!(failed > 0);
    }
}
