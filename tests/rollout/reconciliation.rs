//! Compares the portal's records of the rollout with the card network's.

use shared::domain::ids::{MerchantId, QrCode};
use shared::domain::order::{Order, OrderStatus};
use shared::domain::redemption::{Redemption, RedemptionStatus};
use shared::domain::settlement::Settlement;
use shared::store::keys::{Listed, listed_rows};
use upstreams::simulators::card_network::{OperationKind, OperationStatus};

use crate::MERCHANT;
use crate::system::System;

/// A card's code and an amount in minor units.
type CardAmount = (String, i64);

/// Each sale has one order and one card, and each redemption one settlement. The card network knows the same cards and
/// amounts.
pub(crate) async fn reconcile(system: &System, receipts: &[String], redemption_count: usize) {
    let (store, merchant) = (&system.app.store, MerchantId::new(MERCHANT));
    let rows = |listed| listed_rows(listed, Some(&merchant));
    let orders = store.scan_all::<Order>(rows(Listed::Orders)).await.unwrap();
    let is_of_rollout = |order: &&Order| order.payment_transaction_id.as_ref().is_some_and(|id| receipts.contains(id));
    let orders: Vec<&Order> = orders.iter().map(|order| &order.value).filter(is_of_rollout).collect();
    for order in &orders {
        assert_eq!(order.status, OrderStatus::Completed, "{order:?}");
        assert_eq!(order.gift_cards.len(), 1, "{order:?}");
    }
    let sold = orders.iter().filter_map(|order| order.payment_transaction_id.clone());
    assert_eq!(sorted(sold), sorted(receipts.iter().cloned()), "payment references of the orders");
    let cards = orders.iter().flat_map(|order| &order.gift_cards);
    let cards = cards.map(|card| (text(card.qr_code.as_ref()), card.value.minor.get()));
    assert_eq!(sorted(cards), movements(system, OperationKind::Issue), "issued cards");

    let sold_cards: Vec<String> = movements(system, OperationKind::Issue).into_iter().map(|(code, _)| code).collect();
    let redemptions = store.scan_all::<Redemption>(rows(Listed::Redemptions)).await.unwrap();
    let is_of_rollout =
        |redemption: &&Redemption| redemption.qr_code.is_some() && sold_cards.contains(&text(redemption.qr_code.as_ref()));
    let redemptions: Vec<&Redemption> = redemptions.iter().map(|redemption| &redemption.value).filter(is_of_rollout).collect();
    assert_eq!(redemptions.len(), redemption_count);
    for redemption in &redemptions {
        assert_eq!(redemption.status, RedemptionStatus::Succeeded, "{redemption:?}");
        assert!(redemption.card.is_some(), "{redemption:?}");
    }
    let redeemed = redemptions.iter().map(|redemption| (text(redemption.qr_code.as_ref()), redemption.amount.minor.get()));
    assert_eq!(sorted(redeemed), movements(system, OperationKind::Redeem), "redemptions");

    let settlements = store.scan_all::<Settlement>(rows(Listed::Settlements)).await.unwrap();
    let is_of_rollout = |id: &String| redemptions.iter().any(|redemption| redemption.id.as_str() == id.as_str());
    let settled = settlements.iter().map(|settlement| settlement.source_id.clone()).filter(is_of_rollout);
    let expected = redemptions.iter().map(|redemption| redemption.id.to_string());
    assert_eq!(sorted(settled), sorted(expected), "settlements");
}

/// Returns what the card network has executed.
fn movements(system: &System, kind: OperationKind) -> Vec<CardAmount> {
    let operations = system.network.operations().into_iter();
    let executed = operations.filter(|operation| operation.kind == kind && operation.status == OperationStatus::Succeeded);
    sorted(executed.map(|operation| (operation.qr_code.unwrap(), i64::try_from(operation.amount_minor).unwrap())))
}

fn text(code: Option<&QrCode>) -> String {
    code.unwrap().as_str().to_owned()
}

fn sorted<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort();
    values
}
