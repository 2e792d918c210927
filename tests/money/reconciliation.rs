//! Compares the portal's records of a merchant with the card network's.

use std::collections::BTreeMap;

use shared::base::invocation::Invocation;
use shared::cards::model::order::{Order, OrderStatus};
use shared::cards::model::redemption::{CardLink, Redemption, RedemptionStatus};
use shared::db::keys::{self, Key};
use shared::db::{Entity, Range, Store, from_item, item_key};
use shared::projections::model::tally::{Family, SettlementKind};
use shared::projections::recount::recount;
use shared::projections::reports;
use shared::settlements::model::settlement::Settlement;
use shared::values::{Currency, MerchantId, Minute, NetworkMerchantId, OrderId, QrCode, RedemptionId, SettlementId};
use upstreams::simulators::card_network::{Operation, OperationKind, OperationStatus};
use world::outstanding;

use crate::harness::{CARD_VALUE, Harness, TestMerchant};

/// All records of one merchant.
#[derive(Debug)]
pub(crate) struct Records {
    pub(crate) orders: Vec<Order>,
    pub(crate) redemptions: Vec<Redemption>,
    pub(crate) settlements: Vec<Settlement>,
    /// The operations that the card network executed.
    pub(crate) movements: Vec<Movement>,
}

/// An executed operation of the card network.
#[derive(Debug, Clone)]
pub(crate) struct Movement {
    pub(crate) kind: OperationKind,
    pub(crate) amount: CardAmount,
}

/// A card's code and an amount in minor units.
pub(crate) type CardAmount = (String, i64);

impl Records {
    /// Reads the records from the table and from the card network simulator.
    pub(crate) async fn read(harness: &Harness, merchant: &TestMerchant) -> Self {
        let operations = harness.network.operations().into_iter();
        let executed = operations.filter(|operation| {
            operation.merchant_id.as_ref() == Some(&merchant.network_id) && operation.status == OperationStatus::Succeeded
        });
        let movements = executed.map(Movement::of).collect();
        Self::with_movements(&harness.app.store, merchant, movements).await
    }

    /// Reads the portal's records from the table.
    pub(crate) async fn with_movements(store: &Store, merchant: &TestMerchant, movements: Vec<Movement>) -> Self {
        let id = &merchant.id;
        let order = |order: &str| keys::order(id, &OrderId::new(order));
        let redemption = |redemption: &str| keys::redemption(id, &RedemptionId::new(redemption));
        let settlement = |settlement: &str| keys::settlement(id, &SettlementId::new(settlement));
        let settlements = SettlementKind::ALL.map(Family::Settlements);
        Self {
            orders: rows(store, id, &[Family::Orders], order).await,
            redemptions: rows(store, id, &[Family::Redemptions], redemption).await,
            settlements: rows(store, id, &settlements, settlement).await,
            movements,
        }
    }

    /// Returns the first difference between the portal's and the card network's records as an error.
    pub(crate) fn reconcile(&self, merchant: &TestMerchant) -> Result<(), String> {
        self.reconcile_orders()?;
        self.reconcile_redemptions()?;
        self.reconcile_settlements(merchant)
    }

    fn executed(&self, kind: OperationKind) -> Vec<CardAmount> {
        let of_kind = self.movements.iter().filter(|movement| movement.kind == kind);
        sorted(of_kind.map(|movement| movement.amount.clone()))
    }

    /// Counts completed orders with this payment reference and successful redemptions with this store name.
    pub(crate) fn successes(&self, label: &str) -> usize {
        let orders = self
            .orders
            .iter()
            .filter(|order| order.payment_transaction_id.as_deref() == Some(label) && order.status == OrderStatus::Completed);
        let redemptions = self.successful_redemptions().filter(|redemption| redemption.store_name.as_deref() == Some(label));
        orders.count() + redemptions.count()
    }

    fn reconcile_orders(&self) -> Result<(), String> {
        for order in &self.orders {
            let cards = order.gift_cards.len();
            ensure(
                matches!((order.status.known(), cards), (Some(OrderStatus::Completed), 1) | (Some(OrderStatus::IssueFailed), 0)),
                || format!("an order is {:?} with {cards} cards", order.status),
            )?;
        }
        let recorded = self.orders.iter().flat_map(|order| &order.gift_cards);
        let recorded = recorded.map(|card| (card.qr_code.as_ref().unwrap().as_str().to_owned(), card.value.minor.get()));
        ensure_equal("issued cards", &sorted(recorded), &self.executed(OperationKind::Issue))
    }

    fn reconcile_redemptions(&self) -> Result<(), String> {
        let pending = self.redemptions.iter().find(|redemption| redemption.status == RedemptionStatus::Pending);
        ensure(pending.is_none(), || format!("{pending:?} is pending"))?;
        let recorded = self
            .successful_redemptions()
            .map(|redemption| (redemption.qr_code.as_ref().unwrap().as_str().to_owned(), redemption.amount.minor.get()));
        ensure_equal("redemptions", &sorted(recorded), &self.executed(OperationKind::Redeem))?;
        self.successful_redemptions()
            .try_for_each(|redemption| ensure_equal("card of a redemption", &redemption.card, &self.card_link(redemption)))
    }

    /// Returns the redeemed card, or `None` if no order of this merchant has it.
    fn card_link(&self, redemption: &Redemption) -> Option<CardLink> {
        let link = |order: &Order| {
            let card = order.gift_cards.iter().find(|card| card.qr_code == redemption.qr_code)?;
            Some(CardLink { sold_at_till: true, ..order.link(card) })
        };
        self.orders.iter().find_map(link)
    }

    fn successful_redemptions(&self) -> impl Iterator<Item = &Redemption> {
        self.redemptions.iter().filter(|redemption| redemption.status == RedemptionStatus::Succeeded)
    }

    /// Expects one settlement per redemption, and none if the merchant is settled on sale.
    fn reconcile_settlements(&self, merchant: &TestMerchant) -> Result<(), String> {
        let expected = self.successful_redemptions().filter(|_| !merchant.is_settled_on_sale);
        let expected = sorted(expected.map(|redemption| (redemption.id.to_string(), redemption.amount.minor.get())));
        let recorded = self.settlements.iter();
        let recorded = sorted(recorded.map(|settlement| (settlement.source_id.clone(), settlement.gross.get())));
        ensure_equal("settlements", &recorded, &expected)?;
        for settlement in &self.settlements {
            let (gross, fee, net) = (settlement.gross.get(), settlement.fee.get(), settlement.net.get());
            ensure(gross == fee + net, || format!("gross {gross} is not fee {fee} plus net {net}"))?;
            let of_own_card = self
                .successful_redemptions()
                .any(|redemption| redemption.card.is_some() && redemption.id.as_str() == settlement.source_id);
            ensure(settlement.is_held() == of_own_card, || {
                format!("held is {} of {}", settlement.is_held(), settlement.source_id)
            })?;
        }
        Ok(())
    }

    /// Returns the expected balance of each card: its initial value minus its redemptions.
    pub(crate) fn balances(&self, merchant: &TestMerchant) -> BTreeMap<String, i64> {
        let mut balances: BTreeMap<String, i64> = merchant.cards.iter().map(|code| (code.clone(), CARD_VALUE)).collect();
        balances.extend(self.executed(OperationKind::Issue));
        for redemption in self.successful_redemptions() {
            let code = redemption.qr_code.as_ref().unwrap().as_str();
            *balances.get_mut(code).unwrap() -= redemption.amount.minor.get();
        }
        balances
    }

    pub(crate) async fn reconcile_balances(&self, harness: &Harness, merchant: &TestMerchant) -> Result<(), String> {
        for (code, balance) in self.balances(merchant) {
            let actual = harness.balance(merchant, &code).await;
            ensure_equal("balance of a card", &balance, &actual)?;
        }
        Ok(())
    }
}

impl Records {
    /// Compares what is outstanding, by tallies that count the minutes of all orders and redemptions, with what these say.
    pub(crate) async fn reconcile_outstanding(&self, harness: &Harness, merchant: &TestMerchant) -> Result<(), String> {
        let (store, now) = (&harness.app.store, harness.app.clock.now());
        let placed = self.orders.iter().map(|order| Minute::of(order.created_at)).collect();
        let redeemed = self.redemptions.iter().map(|redemption| Minute::of(redemption.occurred_at)).collect();
        for (family, minutes) in [(Family::Orders, &placed), (Family::Redemptions, &redeemed)] {
            recount(store, &merchant.id, family, minutes).await.unwrap();
        }
        let merchant = store.merchant(&merchant.id).await.unwrap().unwrap();
        let shown = Box::pin(reports::outstanding(store, &merchant, 2, now)).await.unwrap();
        let expected = outstanding(&merchant, &self.orders, &self.redemptions, 2, now);
        ensure_equal("what is outstanding", &serde_json::to_value(shown).unwrap(), &expected)
    }

    /// Compares the history of each card, as the API shows it, with the orders and redemptions.
    pub(crate) async fn reconcile_histories(&self, harness: &Harness, merchant: &TestMerchant) -> Result<(), String> {
        for order in &self.orders {
            let is_counted = order.refund.as_ref().map(|refund| refund.is_counted);
            let expected = order.refund.as_ref().map(|_| order.status == OrderStatus::Completed);
            ensure_equal("whether a return is counted", &is_counted, &expected)?;
        }
        for code in self.balances(merchant).keys() {
            let history = harness.card_history(merchant, code).await;
            let shown = sorted_events(history["events"].as_array().unwrap().iter().map(|event| {
                let of = |name: &str| event[name].as_str().map(str::to_owned);
                let kind = event["kind"].as_str().unwrap().to_owned();
                let (minor, refunded) = (event["amountMinor"].as_i64().unwrap(), event["refundedMinor"].as_i64());
                (kind, minor, refunded, of("orderId"), of("redemptionId"))
            }));
            ensure_equal("history of a card", &shown, &self.events(code))?;
            let is_sold_here = shown.iter().any(|(kind, ..)| kind != "REDEEMED");
            let adds_up = is_sold_here.then_some(true);
            ensure_equal("whether a history adds up", &history["addsUp"].as_bool(), &adds_up)?;
        }
        Ok(())
    }

    /// The events that the history of a card should have.
    fn events(&self, code: &str) -> Vec<CardEvent> {
        let issued = self.orders.iter().filter_map(|order| {
            order.gift_cards.iter().find(|card| card.qr_code.as_ref().is_some_and(|own| own.as_str() == code))?;
            let of = order.refund.as_ref().map(|refund| refund.of.to_string());
            let kind = if of.is_some() { "GIVEN_BACK" } else { "ISSUED" };
            Some((kind.to_owned(), order.total.minor.get(), None, Some(order.id.to_string()), of))
        });
        let of_card = |redemption: &&Redemption| redemption.qr_code.as_ref().is_some_and(|own| own.as_str() == code);
        let redeemed = self.successful_redemptions().filter(of_card).map(|redemption| {
            let (minor, given_back) = (redemption.amount.minor.get(), self.given_back(&redemption.id));
            assert!(given_back <= minor, "{given_back} of {minor} was given back");
            ("REDEEMED".to_owned(), minor, Some(given_back), None, Some(redemption.id.to_string()))
        });
        sorted_events(issued.chain(redeemed))
    }

    fn given_back(&self, redemption: &RedemptionId) -> i64 {
        let returns = self.orders.iter().filter(|order| {
            order.status == OrderStatus::Completed && order.refund.as_ref().is_some_and(|refund| refund.of == *redemption)
        });
        returns.map(|order| order.total.minor.get()).sum()
    }
}

/// Kind, amount, what was given back, order and redemption of an event.
type CardEvent = (String, i64, Option<i64>, Option<String>, Option<String>);

fn sorted_events(events: impl Iterator<Item = CardEvent>) -> Vec<CardEvent> {
    let mut events: Vec<CardEvent> = events.collect();
    events.sort();
    events
}

/// The rows of these families. Their entries name them; a scan would read the rows of all other merchants as well.
async fn rows<T: Entity>(store: &Store, merchant: &MerchantId, families: &[Family], key: impl Fn(&str) -> Key) -> Vec<T> {
    let mut found = Vec::new();
    for family in families {
        let entries = store.query_items(Range::of_table(keys::entries(merchant, *family))).await.unwrap();
        let entries = entries.iter().filter_map(item_key);
        found.extend(entries.map(|entry| key(entry.sk.split_once('#').unwrap().1)));
    }
    let items = store.get_items(&found).await.unwrap();
    items.into_iter().map(|item| from_item::<T>(item).unwrap().value).collect()
}

impl Movement {
    fn of(operation: Operation) -> Self {
        let amount = i64::try_from(operation.amount_minor).unwrap();
        Self { kind: operation.kind, amount: (operation.qr_code.unwrap(), amount) }
    }
}

impl Harness {
    /// Returns the card's balance at the card network, in minor units.
    async fn balance(&self, merchant: &TestMerchant, code: &str) -> i64 {
        let invocation = Invocation::new(&self.app.clock, "reconciliation".to_owned());
        let account = NetworkMerchantId::new(&merchant.network_id);
        let card = self.app.card_network().card(&invocation, &account, &QrCode::new(code)).await.unwrap();
        card.value_remains.unwrap().minor(Currency::EUR).unwrap().get()
    }
}

fn sorted(amounts: impl Iterator<Item = CardAmount>) -> Vec<CardAmount> {
    let mut amounts: Vec<CardAmount> = amounts.collect();
    amounts.sort();
    amounts
}

fn ensure(condition: bool, error: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(error()) }
}

fn ensure_equal<T: PartialEq + std::fmt::Debug>(what: &str, recorded: &T, actual: &T) -> Result<(), String> {
    ensure(recorded == actual, || format!("{what}: recorded {recorded:?}, actual {actual:?}"))
}
