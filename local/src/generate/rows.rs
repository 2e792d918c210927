//! The rows of the generated records, made by the store.

use shared::domain::order::OrderEntry;
use shared::domain::redemption::RedemptionEntry;
use shared::domain::tally::Family;
use shared::projections::compare::Counted;
use shared::store::merchants::merchant_record;
use shared::store::orders::order_record;
use shared::store::settlements::settlement_record;
use shared::store::team::user_record;
use shared::store::{Item, StoreError, new_rows};

use super::history::Sale;
use super::merchant;

/// The rows of the merchant and its administrator. The merchant comes first: once it exists, the run has begun.
pub(super) fn rows_of_merchant() -> Result<Vec<Item>, StoreError> {
    let mut rows = merchant_record(&merchant::merchant())?;
    rows.extend(user_record(&merchant::administrator(), Some(&merchant::membership()))?);
    Ok(rows)
}

/// Counts a sale, and what followed from it, for the tallies.
pub(super) fn count(counted: &mut Counted, sale: &Sale) {
    counted.add(Family::Orders, &OrderEntry::from(&sale.order));
    if let Some(redemption) = &sale.redemption {
        counted.add(Family::Redemptions, &RedemptionEntry::from(redemption));
    }
    if let Some(settlement) = &sale.settlement {
        counted.add(Family::Settlements(settlement.kind()), settlement);
    }
    if let Some(visit) = &sale.visit {
        counted.add(Family::Visits, visit);
    }
}

/// The rows of the tallies.
pub(super) fn rows_of_tallies(counted: &Counted) -> Result<Vec<Item>, StoreError> {
    let merchant = merchant::merchant();
    let Some(calendar) = &merchant.calendars.serving else { return Ok(Vec::new()) };
    counted.rows(&merchant.id, calendar)
}

/// The rows of a sale and of what followed from it.
pub(super) fn rows_of(sale: &Sale) -> Result<Vec<Item>, StoreError> {
    let mut rows = order_record(&sale.order)?;
    if let Some(redemption) = &sale.redemption {
        rows.extend(new_rows(redemption)?);
    }
    if let Some(settlement) = &sale.settlement {
        rows.extend(settlement_record(settlement)?);
    }
    if let Some(visit) = &sale.visit {
        rows.extend(new_rows(visit)?);
    }
    Ok(rows)
}
