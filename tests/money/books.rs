//! The card network's books beside the portal's.

use std::collections::BTreeMap;

use shared::domain::ids::{NetworkMerchantId, QrCode};
use shared::domain::money::Currency;
use shared::domain::order::{Order, OrderStatus};
use shared::domain::redemption::{CardLink, Redemption, RedemptionStatus};
use shared::domain::settlement::Settlement;
use shared::http::invocation::Invocation;
use shared::store::{Range, Store, keys};
use upstreams::simulators::card_network::{Operation, OperationKind, OperationStatus};

use crate::world::{CARD_VALUE, Shop, World};

/// All that is written about one shop.
#[derive(Debug)]
pub(crate) struct Books {
    pub(crate) orders: Vec<Order>,
    pub(crate) redemptions: Vec<Redemption>,
    pub(crate) settlements: Vec<Settlement>,
    /// What the network carried out.
    pub(crate) moved: Vec<Moved>,
}

/// Money that the network moved.
#[derive(Debug, Clone)]
pub(crate) struct Moved {
    pub(crate) kind: OperationKind,
    /// The card, and minor units.
    pub(crate) movement: Movement,
}

/// A card code and an amount in minor units.
pub(crate) type Movement = (String, i64);

impl Books {
    pub(crate) async fn of(world: &World, shop: &Shop) -> Self {
        let is_own = |operation: &Operation| operation.merchant_id.as_ref() == Some(&shop.network_id);
        let has_moved = |operation: &Operation| operation.status == OperationStatus::Succeeded;
        let moved = world.network.operations().into_iter().filter(is_own).filter(has_moved).map(Moved::of);
        Self::read(&world.app.store, shop, moved.collect()).await
    }

    pub(crate) async fn read(store: &Store, shop: &Shop, moved: Vec<Moved>) -> Self {
        let merchant = &shop.merchant;
        let orders = store.query(Range::newest(keys::orders(merchant))).await.unwrap();
        let redemptions = store.query(Range::newest(keys::redemptions(merchant))).await.unwrap();
        let settlements = store.query(Range::newest(keys::settlements(merchant))).await.unwrap();
        Self {
            orders: orders.into_iter().map(|order| order.value).collect(),
            redemptions: redemptions.into_iter().map(|redemption| redemption.value).collect(),
            settlements: settlements.into_iter().map(|settlement| settlement.value).collect(),
            moved,
        }
    }

    /// Everything by which the two could differ.
    pub(crate) fn check(&self, shop: &Shop) -> Result<(), String> {
        self.check_sales()?;
        self.check_payments()?;
        self.check_settlements(shop)
    }

    fn moved(&self, kind: OperationKind) -> Vec<Movement> {
        let of_kind = self.moved.iter().filter(|moved| moved.kind == kind);
        sorted(of_kind.map(|moved| moved.movement.clone()))
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
        same("payments were made", &sorted(recorded), &self.moved(OperationKind::Redeem))?;
        self.succeeded().try_for_each(|redemption| {
            same("is the card that was paid with", &redemption.card, &self.card_of(redemption))
        })
    }

    /// The card in the orders that a payment was made with: none where it was not sold here.
    fn card_of(&self, redemption: &Redemption) -> Option<CardLink> {
        let link = |order: &Order| {
            let card = order.gift_cards.iter().find(|card| card.qr_code == redemption.qr_code)?;
            Some(CardLink { order_id: order.id.clone(), gift_card_id: card.id.clone() })
        };
        self.orders.iter().find_map(link)
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

    /// What must be left on each card: what it held, less what was paid with it.
    pub(crate) fn balances(&self, shop: &Shop) -> BTreeMap<String, i64> {
        let mut balances: BTreeMap<String, i64> =
            shop.cards.iter().map(|code| (code.clone(), CARD_VALUE)).collect();
        balances.extend(self.moved(OperationKind::Issue));
        for redemption in self.succeeded() {
            let code = redemption.qr_code.as_ref().unwrap().as_str();
            *balances.get_mut(code).unwrap() -= redemption.amount.minor.get();
        }
        balances
    }

    pub(crate) async fn check_balances(&self, world: &World, shop: &Shop) -> Result<(), String> {
        for (code, balance) in self.balances(shop) {
            same("is left on a card", &world.balance(shop, &code).await, &balance)?;
        }
        Ok(())
    }
}

impl Moved {
    fn of(operation: Operation) -> Self {
        let amount = i64::try_from(operation.amount_minor).unwrap();
        Self { kind: operation.kind, movement: (operation.qr_code.unwrap(), amount) }
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
