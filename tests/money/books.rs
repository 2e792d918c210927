//! The card network's books beside the portal's.

use std::collections::BTreeMap;

use shared::domain::ids::{NetworkMerchantId, QrCode};
use shared::domain::money::Currency;
use shared::domain::order::{Order, OrderFilter, OrderStatus};
use shared::domain::redemption::{Redemption, RedemptionStatus};
use shared::domain::settlement::Settlement;
use shared::http::invocation::Invocation;
use shared::store::{Range, keys};
use upstreams::simulators::card_network::{Operation, OperationKind, OperationStatus};

use crate::world::{CARD_VALUE, Shop, World};

/// All that is written about one shop.
#[derive(Debug)]
pub(crate) struct Books {
    pub(crate) orders: Vec<Order>,
    pub(crate) redemptions: Vec<Redemption>,
    pub(crate) settlements: Vec<Settlement>,
    /// What the network carried out.
    pub(crate) moved: Vec<Operation>,
}

/// A card code and an amount in minor units.
type Movement = (String, i64);

impl Books {
    pub(crate) async fn of(world: &World, shop: &Shop) -> Self {
        let (store, merchant) = (&world.app.store, &shop.merchant);
        let values = |stored: shared::store::Stored<Redemption>| stored.value;
        let redemptions = store.query(Range::newest(keys::redemptions(merchant))).await.unwrap();
        let settlements = store.query(Range::newest(keys::settlements(merchant))).await.unwrap();
        let is_own = |operation: &Operation| operation.merchant_id.as_ref() == Some(&shop.network_id);
        let has_moved = |operation: &Operation| operation.status == OperationStatus::Succeeded;
        Self {
            orders: store.orders(merchant, &OrderFilter::default(), 0, usize::MAX).await.unwrap().rows,
            redemptions: redemptions.into_iter().map(values).collect(),
            settlements: settlements.into_iter().map(|settlement| settlement.value).collect(),
            moved: world.network.operations().into_iter().filter(is_own).filter(has_moved).collect(),
        }
    }

    /// Everything by which the two could differ.
    pub(crate) fn check(&self, shop: &Shop) -> Result<(), String> {
        self.check_sales()?;
        self.check_payments()?;
        self.check_settlements(shop)
    }

    fn moved(&self, kind: OperationKind) -> Vec<Movement> {
        let of_kind = self.moved.iter().filter(|operation| operation.kind == kind);
        let movement = |operation: &Operation| {
            (operation.qr_code.clone().unwrap(), i64::try_from(operation.amount_minor).unwrap())
        };
        sorted(of_kind.map(movement))
    }

    /// What succeeded under a label: a sale's payment reference, or the name of the store that was paid in.
    pub(crate) fn successes(&self, label: &str) -> usize {
        let sold = self.orders.iter().filter(|order| {
            order.payment_transaction_id.as_deref() == Some(label) && order.status == OrderStatus::Completed
        });
        let paid = self.succeeded().filter(|redemption| redemption.store_name.as_deref() == Some(label));
        sold.count() + paid.count()
    }

    fn check_sales(&self) -> Result<(), String> {
        for order in &self.orders {
            let cards = order.gift_cards.len();
            ensure(
                matches!((order.status, cards), (OrderStatus::Completed, 1) | (OrderStatus::IssueFailed, 0)),
                || format!("an order is {:?} with {cards} cards", order.status),
            )?;
        }
        let recorded = self.orders.iter().flat_map(|order| &order.gift_cards);
        let recorded =
            recorded.map(|card| (card.qr_code.as_ref().unwrap().as_str().to_owned(), card.value.minor.get()));
        same("cards were sold", &sorted(recorded), &self.moved(OperationKind::Issue))
    }

    fn check_payments(&self) -> Result<(), String> {
        let pending =
            self.redemptions.iter().find(|redemption| redemption.status == RedemptionStatus::Pending);
        ensure(pending.is_none(), || format!("{pending:?} is pending"))?;
        let recorded = self.succeeded().map(|redemption| {
            (redemption.qr_code.as_ref().unwrap().as_str().to_owned(), redemption.amount.minor.get())
        });
        same("payments were made", &sorted(recorded), &self.moved(OperationKind::Redeem))
    }

    fn succeeded(&self) -> impl Iterator<Item = &Redemption> {
        self.redemptions.iter().filter(|redemption| redemption.status == RedemptionStatus::Succeeded)
    }

    /// One for each payment, where the shop is not paid on sale.
    fn check_settlements(&self, shop: &Shop) -> Result<(), String> {
        let owed = self.succeeded().filter(|_| !shop.paid_on_sale);
        let owed = sorted(owed.map(|redemption| (redemption.id.to_string(), redemption.amount.minor.get())));
        let settled = self.settlements.iter();
        let settled =
            sorted(settled.map(|settlement| (settlement.source_id.clone(), settlement.gross.get())));
        same("settlements are there", &settled, &owed)?;
        for settlement in &self.settlements {
            let (gross, fee, net) = (settlement.gross.get(), settlement.fee.get(), settlement.net.get());
            ensure(gross == fee + net, || format!("{gross} is not {fee} and {net}"))?;
        }
        Ok(())
    }

    /// What the network says is left on each card is what it held, less what was paid with it.
    pub(crate) async fn check_balances(&self, world: &World, shop: &Shop) -> Result<(), String> {
        let mut expected: BTreeMap<String, i64> =
            shop.cards.iter().map(|code| (code.clone(), CARD_VALUE)).collect();
        expected.extend(self.moved(OperationKind::Issue));
        for redemption in self.succeeded() {
            let code = redemption.qr_code.as_ref().unwrap().as_str();
            *expected.get_mut(code).unwrap() -= redemption.amount.minor.get();
        }
        for (code, expected) in expected {
            same("is left on a card", &world.balance(shop, &code).await, &expected)?;
        }
        Ok(())
    }
}

impl World {
    async fn balance(&self, shop: &Shop, code: &str) -> i64 {
        let invocation = Invocation::of_worker(&self.app.clock, "books".to_owned());
        let account = NetworkMerchantId::new(&shop.network_id);
        let card = self.app.card_network().card(&invocation, &account, &QrCode::new(code)).await.unwrap();
        card.value_remains.unwrap().minor(Currency::EUR).unwrap().get()
    }
}

fn sorted(movements: impl Iterator<Item = Movement>) -> Vec<Movement> {
    let mut movements: Vec<Movement> = movements.collect();
    movements.sort();
    movements
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, recorded: &T, real: &T) -> Result<(), String> {
    ensure(recorded == real, || format!("{what}: recorded {recorded:?}, in truth {real:?}"))
}
