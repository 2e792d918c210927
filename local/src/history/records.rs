//! Sales as the records of a fixtures document.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use shared::cards::model::order::OrderStatus;
use shared::cards::model::redemption::RedemptionStatus;
use shared::values::{Minor, Money, later};
use upstreams::simulators::card_network::CardNetworkFixtures;

use super::Sale;
use crate::fixtures::{self, FixtureError, Fixtures};

/// How long a card is valid.
pub(crate) const VALID_DAYS: i64 = 3 * 365;

/// Returns the records of the sales, without their cards at the card network.
pub(crate) fn fixtures_of(sales: Vec<Sale>) -> Fixtures {
    let mut fixtures = Fixtures::default();
    for sale in sales {
        fixtures.orders.push(sale.order);
        fixtures.redemptions.extend(sale.redemptions);
        fixtures.settlements.extend(sale.settlements);
        fixtures.visits.extend(sale.visits);
    }
    fixtures
}

/// Returns the cards of the sales at the card network.
pub(crate) fn cards_of(sales: &[Sale]) -> Result<CardNetworkFixtures, FixtureError> {
    let cards: Vec<Value> = sales.iter().filter_map(card_of).collect();
    let document = json!({"cardNetwork": {"cards": cards}});
    Ok(fixtures::parse(document.to_string().as_bytes(), Timestamp::UNIX_EPOCH)?.card_network)
}

/// `None` if no card was issued.
pub(crate) fn card_of(sale: &Sale) -> Option<Value> {
    let code = sale.card_code()?;
    let card = sale.order.gift_cards.first()?;
    let network_merchant = sale.network_merchant_id.as_ref()?;
    let succeeded = sale.redemptions.iter().filter(|one| one.status == RedemptionStatus::Succeeded);
    let redeemed = succeeded.map(|one| one.amount.minor).fold(Minor::ZERO, Minor::saturating_add);
    let balance = card.value.minor.saturating_sub(redeemed);
    let status = match balance {
        _ if sale.order.status == OrderStatus::Refunded => "BLOCKED",
        Minor::ZERO => "REDEEMED",
        _ => "ACTIVE",
    };
    Some(json!({
        "merchantId": network_merchant,
        "giftCardOfferId": sale.offer.id,
        "giftCardId": card.id,
        "qrCode": code,
        "cardNo": format!("6{network_merchant}{:011}", sale.number),
        "networkCode": card.network_code,
        "status": status,
        "value": card.value.decimal(),
        "valueRemains": Money::new(balance, card.value.currency).decimal(),
        "currency": card.value.currency,
        "expiresAt": later(sale.order.created_at, SignedDuration::from_hours(VALID_DAYS * 24)),
    }))
}
