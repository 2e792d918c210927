//! The history of a shop: its orders, and what followed from each. The demo has some of few orders, and
//! `cargo run -- generate` has one of many.

mod people;
pub(crate) mod records;
mod rng;
pub(crate) mod state;
mod times;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use shared::cards::model::order::{
    DeliveryType, FraudCheck, FraudStatus, FulfilmentStatus, GiftCard, GiftCardStatus, Order, OrderItem, OrderStatus,
    PaymentStatus,
};
use shared::cards::model::redemption::{Redemption, RedemptionSource, RedemptionStatus};
use shared::merchants::model::merchant::{Merchant, SettlementMode};
use shared::projections::model::visit::Visit;
use shared::settlements::model::fees::{FeeSnapshot, SettlementTerms};
use shared::settlements::model::settlement::{Settlement, SettlementHold, SettlementStatus, SourceType, eligible_at};
use shared::values::{
    Currency, GiftCardId, Minor, Money, NetworkMerchantId, OpenEnum, OrderId, PayoutId, QrCode, RedemptionId, SettlementId, later,
};

pub(crate) use self::people::Names;
use self::rng::Rng;
use self::state::{AUTHORIZED, CAPTURED_IN_REVIEW, COMPLETED, PENDING_PAYMENT, Shares, State};
use self::times::{OPEN_TIME, WallClock, times};

/// What the history of a merchant depends on, besides the time at which it ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shop {
    pub(crate) seed: u64,
    pub(crate) orders: i64,
    pub(crate) days: i64,
    /// The last orders were placed shortly before now at a fixed interval. Three are open, and no card is redeemed yet.
    pub(crate) last_orders: i64,
    /// Part of every id, such as `o-aurora-001`. Without a name, ids have UUIDs, and depend on the time.
    pub(crate) name: Option<&'static str>,
    /// Percent of the orders in opening hours that are sold at a till. With any, the history depends on the time of day.
    pub(crate) till_percent: i64,
    pub(crate) till_states: Shares,
    /// The states of all other orders.
    pub(crate) web_states: Shares,
    /// One order in ten is of the last offer, all others are of the first one.
    pub(crate) offers: &'static [Offer],
    /// How often a card is redeemed: one of these numbers.
    pub(crate) redemptions: &'static [i64],
    /// The visits before an order on the web: at most how many minutes earlier each began.
    pub(crate) visits: &'static [i64],
    /// The number of initial orders that are settled on sale, whatever the merchant's settlement mode is now.
    pub(crate) settled_on_sale: i64,
    /// Settlements are unpaid for this number of days after they became eligible.
    pub(crate) unpaid_days: i64,
    /// Busiest first.
    pub(crate) stores: &'static [&'static str],
    pub(crate) names: Names,
}

/// An offer at the card network. Prices are in minor units.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Offer {
    pub(crate) id: u64,
    pub(crate) name: &'static str,
    pub(crate) prices: &'static [i64],
}

/// An order, and what followed from it.
#[derive(Debug, Clone)]
pub(crate) struct Sale {
    pub(crate) number: i64,
    pub(crate) order: Order,
    pub(crate) redemptions: Vec<Redemption>,
    pub(crate) settlements: Vec<Settlement>,
    pub(crate) visits: Vec<Visit>,
    offer: Offer,
    network_merchant_id: Option<NetworkMerchantId>,
}

/// Yields the sales of the history, oldest first. Their numbers begin at 1.
pub(crate) fn sales(shop: Shop, merchant: &Merchant, now: Timestamp) -> impl Iterator<Item = Sale> + use<> {
    let clock = WallClock::new(&merchant.time_zone, now);
    let before_now = move |orders: i64| later(now, SignedDuration::from_mins(-LAST_INTERVAL * orders));
    let orders = shop.orders - shop.last_orders;
    let earlier = times(orders, shop.days, before_now(shop.last_orders), clock, Rng::new(!shop.seed));
    let times = earlier.chain((1..=shop.last_orders).rev().map(before_now));
    // Another stream of random numbers than that of the times.
    let rng = Rng::new(shop.seed);
    let currency = merchant.currency.unwrap_or(Currency::EUR);
    let generator = Generator { shop, merchant: merchant.clone(), currency, now, clock, rng };
    (1..).zip(times).map(move |(number, at)| generator.sale(number, at))
}

/// Minutes between the last orders.
const LAST_INTERVAL: i64 = 23;

/// One order of this many has a state that no other order has.
const RARE_INTERVAL: i64 = 10_000;
/// The place of that order among them.
const RARE_PLACE: i64 = 5_000;

const FRAUD_REASONS: [&str; 4] = ["VELOCITY", "HIGH_AMOUNT", "COUNTRY_MISMATCH", "DISPOSABLE_EMAIL"];
const EMBEDS: [Option<&str>; 6] = [Some("Widget"), Some("Widget"), Some("Checkout"), Some("Newsletter"), None, None];
const ENTRIES: [Option<&str>; 5] = [Some("/gift-cards"), Some("/gift-cards"), Some("/"), Some("/campaigns/birthday"), None];

/// The latest days from a sale or a redemption to the next redemption of the card.
const REDEMPTION_DAYS: i64 = 60;
/// Percent of the balance that is redeemed.
const PARTS: [i64; 10] = [30, 40, 50, 60, 80, 100, 100, 100, 100, 100];
/// Redeemed amounts are multiples of this, in minor units.
const STEP: i64 = 100;
/// From the time at which a settlement can be paid out to the payout.
const PAYOUT_TIME: SignedDuration = SignedDuration::from_hours(3 * 24);

/// The ids of a shop with a name do not depend on the time, since the number of random values that are drawn does not.
struct Generator {
    shop: Shop,
    merchant: Merchant,
    currency: Currency,
    now: Timestamp,
    clock: WallClock,
    rng: Rng,
}

impl Generator {
    fn sale(&self, number: i64, at: Timestamp) -> Sale {
        let fixed = self.fixed_state(number);
        let is_at_till = self.rng.below(100) < self.shop.till_percent;
        let sold_at_till = is_at_till && fixed.is_none() && self.clock.is_open(at);
        let state = match fixed {
            Some(state) => state,
            None if sold_at_till => self.state(self.shop.till_states),
            None => self.state(self.shop.web_states),
        };
        let key = match self.shop.name {
            Some(name) => format!("{name}-{number:03}"),
            None if sold_at_till => format!("{number:06}"),
            None => self.rng.uuid(at),
        };
        let offers = self.shop.offers;
        let offer = if self.rng.below(10) == 0 { offers.last() } else { offers.first() };
        let offer = offer.copied().unwrap_or_default();
        let order = self.order(&key, at, state, offer);
        let order = if sold_at_till { self.sold_at_till(order) } else { self.sold_on_web(order) };
        let redemptions = self.redemptions(number, &key, &order);
        Sale {
            settlements: self.settlements(number, &order, &redemptions),
            visits: self.visits(&key, &order),
            network_merchant_id: self.merchant.network_merchant_id.clone(),
            number,
            order,
            redemptions,
            offer,
        }
    }

    /// Three of the last orders are open, and one of [`RARE_INTERVAL`] is rare. An incomplete interval has no rare one.
    fn fixed_state(&self, number: i64) -> Option<State> {
        let later_orders = self.shop.orders - number;
        let has_rare = number <= self.shop.orders - self.shop.orders % RARE_INTERVAL;
        match later_orders {
            0 if self.shop.last_orders > 0 => Some(PENDING_PAYMENT),
            3 | 6 if later_orders < self.shop.last_orders => Some(CAPTURED_IN_REVIEW),
            _ => (has_rare && number % RARE_INTERVAL == RARE_PLACE).then_some(AUTHORIZED),
        }
    }

    fn state(&self, shares: Shares) -> State {
        let mut place = self.rng.below(1000);
        for (share, state) in shares {
            place -= share;
            if place < 0 {
                return *state;
            }
        }
        COMPLETED
    }

    /// An order without a channel.
    fn order(&self, key: &str, at: Timestamp, state: State, offer: Offer) -> Order {
        let value = Money::new(Minor::new(self.rng.pick(offer.prices)), self.currency);
        let is_completed = state.order == OrderStatus::Completed;
        let fraud = self.fraud(at, state.fraud);
        let closed_at = self.closed_at(at, state.order);
        Order {
            updated_at: fraud.decided_at.map_or(closed_at, |decided_at| decided_at.max(closed_at)),
            status: state.order.into(),
            payment_status: state.payment.into(),
            fulfilment_status: is_completed.then(|| FulfilmentStatus::FulfilmentFulfilled.into()),
            items: vec![OrderItem { offer_name: offer.name.to_owned(), quantity: 1, amount: value }],
            gift_cards: state.card.map(|card| self.gift_card(key, card, value)).into_iter().collect(),
            fraud,
            ..Order::new(OrderId::new(format!("o-{key}")), self.merchant.id.clone(), at, value)
        }
    }

    fn sold_at_till(&self, order: Order) -> Order {
        let (at, reference) = (order.created_at.as_millisecond(), self.rng.below(1 << 32));
        Order {
            delivery_type: DeliveryType::Qr.into(),
            payment_transaction_id: Some(format!("POS-{at}-{reference:08x}")),
            sold_at_till: true,
            ..order
        }
    }

    fn sold_on_web(&self, order: Order) -> Order {
        let (buyer, recipient) = (self.shop.names.person(&self.rng), self.shop.names.person(&self.rng));
        let delivery = match self.rng.below(6) {
            0 => DeliveryType::Sms,
            1 => DeliveryType::Qr,
            _ => DeliveryType::Email,
        };
        let (payment, processor) = (self.rng.code(12), self.rng.code(12));
        let is_paid = order.payment_status == PaymentStatus::PaymentCaptureSucceeded;
        Order {
            buyer_email: Some(buyer.email),
            buyer_name: Some(buyer.name),
            recipient_email: Some(recipient.email),
            recipient_name: Some(recipient.name),
            delivery_type: delivery.into(),
            payment_transaction_id: Some(format!("pay-{payment}")),
            processor_transaction_id: is_paid.then(|| format!("psp-{processor}")),
            ..order
        }
    }

    /// Flagged orders are decided after some minutes.
    fn fraud(&self, at: Timestamp, status: FraudStatus) -> FraudCheck {
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

    fn closed_at(&self, at: Timestamp, status: OrderStatus) -> Timestamp {
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

    fn gift_card(&self, key: &str, status: GiftCardStatus, value: Money) -> GiftCard {
        let was_issued = matches!(status, GiftCardStatus::Issued | GiftCardStatus::Cancelled);
        GiftCard {
            id: GiftCardId::new(format!("g-{key}")),
            qr_code: was_issued.then(|| QrCode::new(self.rng.code(16))),
            network_code: was_issued.then(|| self.rng.code(12)),
            status: status.into(),
            value,
        }
    }

    fn redemptions(&self, number: i64, key: &str, order: &Order) -> Vec<Redemption> {
        let is_redeemable = order.status == OrderStatus::Completed && number <= self.shop.orders - self.shop.last_orders;
        let Some(card) = order.gift_cards.first().filter(|_| is_redeemable) else { return Vec::new() };
        let is_settled_on_sale = number <= self.shop.settled_on_sale;
        let terms = self.merchant.redemption_terms().filter(|_| !is_settled_on_sale);
        let (mut at, mut balance) = (order.created_at, card.value.minor.get());
        let issued = IssuedCard { key, order, card, terms };
        let mut redemptions = Vec::new();
        for index in 1..=self.rng.pick(self.shop.redemptions) {
            if balance == 0 {
                break;
            }
            let Some(redeemed_at) = self.redemption_time(at) else { break };
            at = redeemed_at;
            let exceeds_balance = self.rng.below(20) == 0;
            let amount = if exceeds_balance { balance + STEP } else { self.part_of(balance) };
            balance -= if exceeds_balance { 0 } else { amount };
            redemptions.push(self.redemption(&issued, index, at, amount, !exceeds_balance));
        }
        redemptions
    }

    fn redemption(&self, issued: &IssuedCard, index: i64, at: Timestamp, amount: i64, succeeded: bool) -> Redemption {
        let IssuedCard { key, order, card, terms } = *issued;
        let source = self.source();
        let status = if succeeded { RedemptionStatus::Succeeded } else { RedemptionStatus::Failed };
        Redemption {
            id: RedemptionId::new(format!("r-{key}-{index}")),
            merchant_id: order.merchant_id.clone(),
            occurred_at: at,
            status: status.into(),
            store_name: self.store(source.as_ref()).map(str::to_owned),
            source,
            amount: Money::new(Minor::new(amount), card.value.currency),
            qr_code: card.qr_code.clone(),
            network_code: card.network_code.clone().filter(|_| succeeded),
            card: succeeded.then(|| order.link(card)),
            foreign_currency: false,
            reply_disagrees: false,
            card_tag: None,
            requested_by: None,
            terms,
        }
    }

    /// Sooner rather than later, in opening hours. `None` if that is in the future: a shop with a name, whose number of
    /// redemptions does not depend on the time, redeems at some time before now instead.
    fn redemption_time(&self, after: Timestamp) -> Option<Timestamp> {
        let days = 1 + self.rng.below(REDEMPTION_DAYS).min(self.rng.below(REDEMPTION_DAYS));
        let passed = self.rng.below(OPEN_TIME);
        let at = self.clock.in_opening_hours(after, days, passed);
        if at <= self.now || self.shop.name.is_none() {
            return Some(at).filter(|at| *at <= self.now);
        }
        let (after, now) = (after.as_millisecond(), self.now.as_millisecond());
        let share = i128::from(now - after) * i128::from(passed) / i128::from(OPEN_TIME);
        Timestamp::from_millisecond(after + i64::try_from(share).unwrap_or_default()).ok()
    }

    /// The whole balance in most cases, otherwise a part of it.
    fn part_of(&self, balance: i64) -> i64 {
        let part = balance * self.rng.pick(&PARTS) / 100;
        (part - part % STEP).max(STEP)
    }

    fn source(&self) -> Option<OpenEnum<RedemptionSource>> {
        match self.rng.below(10) {
            0..6 => Some(RedemptionSource::Pos.into()),
            6 | 7 => Some(OpenEnum::Unknown("WEB".to_owned())),
            8 => Some(OpenEnum::Unknown("APP".to_owned())),
            _ => None,
        }
    }

    /// Half of the redemptions happen in the busiest fifth of the stores. Those on the web and in the app have no store, and a
    /// few others have none either.
    fn store(&self, source: Option<&OpenEnum<RedemptionSource>>) -> Option<&'static str> {
        let all = self.shop.stores;
        let (busiest, _) = all.split_at(all.len().div_ceil(5));
        let store = self.rng.pick(if self.rng.below(2) == 0 { busiest } else { all });
        let is_known = self.rng.below(20) != 0;
        (is_known && !matches!(source, Some(OpenEnum::Unknown(_)))).then_some(store)
    }

    /// What the merchant is paid: for the sale, or for each redemption.
    fn settlements(&self, number: i64, order: &Order, redemptions: &[Redemption]) -> Vec<Settlement> {
        let is_settled_on_sale = number <= self.shop.settled_on_sale || self.merchant.is_paid(SettlementMode::OnSale);
        let issued = order.gift_cards.iter().filter(|card| is_settled_on_sale && card.qr_code.is_some());
        let of_sale = issued.map(|card| self.settlement_of_sale(order, card));
        let succeeded = redemptions.iter().filter(|one| one.status == RedemptionStatus::Succeeded);
        let of_redemptions = succeeded.filter_map(|one| Settlement::of_redemption(one, one.occurred_at).ok()?);
        of_sale.chain(of_redemptions).map(|settlement| self.paid_out(settlement)).collect()
    }

    fn settlement_of_sale(&self, order: &Order, card: &GiftCard) -> Settlement {
        let (gross, at) = (card.value.minor, order.created_at);
        let fee = self.merchant.fees.fee(gross);
        let is_refunded = order.status == OrderStatus::Refunded;
        let status = if is_refunded { SettlementStatus::Void } else { SettlementStatus::Pending };
        Settlement {
            id: SettlementId::new(format!("settlement-{}", order.id)),
            merchant_id: order.merchant_id.clone(),
            source_type: SourceType::Order.into(),
            source_id: order.id.to_string(),
            order_id: Some(order.id.clone()),
            gift_card_id: Some(card.id.clone()),
            redemption_id: None,
            gross,
            fee,
            net: gross.saturating_sub(fee),
            currency: card.value.currency,
            fee_snapshot: Some(FeeSnapshot::Applied(self.merchant.fees)),
            status: status.into(),
            payout_batch_id: None,
            hold: SettlementHold::default(),
            hold_lifted: false,
            eligible_at: eligible_at(at, self.merchant.payout_delay_days).unwrap_or(at),
            created_at: at,
            updated_at: at,
        }
    }

    /// In a payout, unless it is void, held, not eligible yet, or left to the payouts to come.
    fn paid_out(&self, settlement: Settlement) -> Settlement {
        let age = self.now.duration_since(settlement.eligible_at);
        if !settlement.is_payable() || age < SignedDuration::from_hours(self.shop.unpaid_days * 24) {
            return settlement;
        }
        let paid_at = later(settlement.eligible_at, PAYOUT_TIME);
        let (status, updated_at) = if paid_at <= self.now {
            (SettlementStatus::Paid, paid_at)
        } else {
            (SettlementStatus::InBatch, settlement.eligible_at)
        };
        let payout = format!("payout-{}-{}", self.merchant.slug, paid_at.to_zoned(TimeZone::UTC).date());
        Settlement { status: status.into(), payout_batch_id: Some(PayoutId::new(payout)), updated_at, ..settlement }
    }

    /// The visits before an order on the web. One in six was not recorded.
    fn visits(&self, key: &str, order: &Order) -> Vec<Visit> {
        if order.sold_at_till {
            return Vec::new();
        }
        let visit = |(index, minutes): (i64, &i64)| {
            let before = SignedDuration::from_millis(-30_000 - self.rng.below(minutes * 60_000));
            let visit = Visit {
                id: format!("v-{key}-{index}"),
                merchant_id: order.merchant_id.clone(),
                started_at: later(order.created_at, before),
                embed: self.rng.pick(&EMBEDS).map(str::to_owned),
                entry: self.rng.pick(&ENTRIES).map(str::to_owned),
                event: None,
            };
            (self.rng.below(6) != 0).then_some(visit)
        };
        (1..).zip(self.shop.visits).filter_map(visit).collect()
    }
}

/// A card that can be redeemed.
#[derive(Clone, Copy)]
struct IssuedCard<'a> {
    /// Part of the ids.
    key: &'a str,
    order: &'a Order,
    card: &'a GiftCard,
    terms: Option<SettlementTerms>,
}

impl Sale {
    /// The code of its card, if the card was issued.
    pub(crate) fn card_code(&self) -> Option<&QrCode> {
        self.order.gift_cards.first()?.qr_code.as_ref()
    }
}

#[cfg(test)]
impl Sale {
    /// Nothing of it is later than `now`, or more precise than the table, and the order comes first.
    pub(crate) fn assert_past(&self, now: Timestamp) {
        let Self { order, redemptions, settlements, visits, .. } = self;
        let times = [order.created_at, order.updated_at].into_iter();
        let times = times
            .chain(order.fraud.decided_at)
            .chain(redemptions.iter().map(|redemption| redemption.occurred_at))
            .chain(settlements.iter().flat_map(|settlement| [settlement.created_at, settlement.updated_at]))
            .chain(visits.iter().map(|visit| visit.started_at));
        for at in times {
            assert!(at <= now, "{self:?}");
            assert_eq!(Timestamp::from_millisecond(at.as_millisecond()).unwrap(), at, "{self:?}");
        }
        assert!(order.updated_at >= order.created_at, "{self:?}");
        assert!(redemptions.iter().all(|one| one.occurred_at >= order.created_at), "{self:?}");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};

    use shared::cards::rows::orders::order_record;
    use shared::db::{Item, item_key};

    use super::records::{cards_of, fixtures_of};
    use super::*;
    use crate::generate::{BIG, merchant};

    const NOW: &str = "2026-07-15T12:34:56.789Z";

    fn now() -> Timestamp {
        NOW.parse().unwrap()
    }

    fn shop(orders: i64, days: i64) -> Shop {
        Shop { orders, days, seed: 7, ..BIG }
    }

    fn sales(shop: Shop) -> Vec<Sale> {
        super::sales(shop, &merchant(now()).unwrap().merchants[0], now()).collect()
    }

    fn rows(shop: Shop) -> Vec<Item> {
        fixtures_of(sales(shop)).records(order_record).unwrap().concat()
    }

    /// How many of all sales there are, in percent.
    fn percent(all: &[Sale], is_counted: impl Fn(&Sale) -> bool) -> usize {
        all.iter().filter(|sale| is_counted(sale)).count() * 100 / all.len()
    }

    fn is_completed(sale: &Sale) -> bool {
        sale.order.status == OrderStatus::Completed
    }

    #[test]
    fn the_history_depends_on_the_shop_only() {
        let shop = shop(300, 365);
        assert!(rows(shop) == rows(shop));
        assert!(rows(shop) != rows(Shop { seed: 8, ..shop }));
    }

    #[test]
    fn rows_have_keys_of_their_own() {
        let rows = rows(shop(2000, 365));
        let keys: HashSet<_> = rows.iter().map(|row| item_key(row).unwrap()).collect();
        assert_eq!(keys.len(), rows.len());
    }

    #[test]
    fn one_order_in_ten_thousand_is_rare_and_all_other_states_are_common() {
        for (orders, rare) in [(9_999, 0), (20_001, 2)] {
            let mut statuses: BTreeMap<String, i64> = BTreeMap::new();
            for Sale { order, .. } in sales(shop(orders, 365)) {
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
        let all = sales(shop(10_000, 365));
        assert!((58..=62).contains(&percent(&all, |sale| sale.order.sold_at_till)));
        assert!((80..=90).contains(&percent(&all, is_completed)));
        assert!((30..=36).contains(&percent(&all, |sale| !sale.visits.is_empty())));
        let per_mille =
            |status: FraudStatus| all.iter().filter(|sale| sale.order.fraud.status == status).count() * 1000 / all.len();
        assert!((7..=13).contains(&per_mille(FraudStatus::Review)));
        assert!((3..=8).contains(&per_mille(FraudStatus::Blocked)));
        assert!(per_mille(FraudStatus::Passed) > 600);
        let completed: Vec<Sale> = all.into_iter().filter(is_completed).collect();
        assert!((45..=55).contains(&percent(&completed, |sale| !sale.redemptions.is_empty())));
        assert_eq!(percent(&completed, |sale| sale.card_code().is_some()), 100);
        cards_of(&completed).unwrap();
    }

    #[test]
    fn nothing_is_in_the_future() {
        for sale in sales(shop(2000, 30)) {
            sale.assert_past(now());
        }
    }

    #[test]
    fn succeeded_redemptions_are_settled_and_paid_unless_they_are_held_or_recent() {
        let mut failed = 0;
        for sale in sales(shop(3000, 90)) {
            let [redemption] = &sale.redemptions[..] else { continue };
            let [settlement] = &sale.settlements[..] else {
                assert_eq!(redemption.status, RedemptionStatus::Failed, "{sale:?}");
                failed += 1;
                continue;
            };
            assert!(redemption.amount.minor <= sale.order.total.minor, "{sale:?}");
            assert_eq!(settlement.is_held(), sale.order.sold_at_till, "{sale:?}");
            let is_recent = now().duration_since(redemption.occurred_at) < SignedDuration::from_hours(14 * 24);
            let is_paid = settlement.status == SettlementStatus::Paid;
            assert_eq!(is_paid, !is_recent && !settlement.is_held(), "{sale:?}");
        }
        assert!(failed > 0);
    }
}
