//! What a merchant is owed: what a payout run would take now, what it takes later, what is on its way, and what is held.
//!
//! Tallies say how much is pending, held or not, and how much has joined a payout, however many settlements there are.

use std::collections::BTreeSet;

use futures_util::future::try_join_all;
use jiff::Timestamp;

use super::live::{live_settlements, settlements_within};
use super::parts::{List, Part};
use crate::db::{Store, StoreError};
use crate::merchants::model::merchant::Merchant;
use crate::projections::model::reports::payouts::{HELD, IN_BATCH, PAYABLE, PENDING};
use crate::projections::model::tally::{Countable, Series, SettlementKind, Tally};
use crate::settlements::model::settlement::Settlement;
use crate::values::{Currency, Minor, Minute, OpenEnum, Span};

/// What a merchant is owed in one currency, in its minor units, for the kinds of settlements that its mode pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outlook {
    pub currency: Currency,
    /// Eligible and not held.
    pub payable: Minor,
    /// Not eligible yet and not held.
    pub later: Minor,
    /// When the first of those becomes eligible.
    pub next_eligible_at: Option<Timestamp>,
    /// Has joined a payout that is not paid yet.
    pub in_progress: Minor,
    pub held: Minor,
}

/// One for the merchant's own currency, and one for each other in which something is owed.
pub async fn outlook(store: &Store, merchant: &Merchant, own: Currency, now: Timestamp) -> Result<Vec<Outlook>, StoreError> {
    let reader = Reader { store, merchant, kinds: kinds(merchant), now };
    let (all, due) = tokio::try_join!(reader.all(), reader.due())?;
    let others = all.iter().filter_map(|(labels, _)| labels.get(1)?.parse().ok());
    let others: BTreeSet<&str> = others.map(|currency: Currency| currency.code()).filter(|code| *code != own.code()).collect();
    let others = others.into_iter().filter_map(|code| code.parse().ok());
    let outlooks = std::iter::once(own).chain(others).map(|currency| reader.outlook(currency, &all, &due));
    let outlooks = try_join_all(outlooks).await?.into_iter();
    Ok(outlooks.filter(|outlook| outlook.currency == own || outlook.owes()).collect())
}

fn kinds(merchant: &Merchant) -> &'static [SettlementKind] {
    SettlementKind::listed(merchant.settlement_mode.as_ref().and_then(OpenEnum::known))
}

struct Reader<'a> {
    store: &'a Store,
    merchant: &'a Merchant,
    kinds: &'static [SettlementKind],
    now: Timestamp,
}

impl Reader<'_> {
    /// Counts all settlements.
    async fn all(&self) -> Result<Tally, StoreError> {
        let recent = live_settlements(self.merchant, self.now);
        let list = List::of_settlements(self.store, &self.merchant.id, self.kinds);
        let (parts, live) = tokio::try_join!(list.parts_around(&recent), self.within(&recent))?;
        Ok(total(parts.newer.iter().chain(&parts.older), &live))
    }

    /// Counts the settlements that are eligible by now.
    async fn due(&self) -> Result<Tally, StoreError> {
        let minute = Minute::of(self.now);
        let minute = minute.start()..minute.end();
        let list = List::of_settlements(self.store, &self.merchant.id, self.kinds);
        let (parts, mut live) = tokio::try_join!(list.parts_around(&minute), self.within(&minute))?;
        live.retain(|settlement| settlement.eligible_at < self.now);
        Ok(total(&parts.older, &live))
    }

    async fn within(&self, span: &Span<Timestamp>) -> Result<Vec<Settlement>, StoreError> {
        settlements_within(self.store, self.merchant, self.kinds, span).await
    }

    async fn outlook(&self, currency: Currency, all: &Tally, due: &Tally) -> Result<Outlook, StoreError> {
        let next_eligible_at = self.next_eligible_at(currency).await?;
        // What waits for no time is due, also if the tally of its minute trails.
        let payable_by_now = if next_eligible_at.is_some() { due } else { all };
        let payable = net(payable_by_now, &[PENDING, currency.code(), PAYABLE]);
        Ok(Outlook {
            currency,
            payable,
            later: net(all, &[PENDING, currency.code(), PAYABLE]).saturating_sub(payable),
            next_eligible_at,
            in_progress: net(all, &[IN_BATCH, currency.code()]),
            held: net(all, &[PENDING, currency.code(), HELD]),
        })
    }

    async fn next_eligible_at(&self, currency: Currency) -> Result<Option<Timestamp>, StoreError> {
        let next = self.kinds.iter().map(|kind| self.store.next_payable(&self.merchant.id, (*kind, currency), self.now));
        Ok(try_join_all(next).await?.into_iter().flatten().map(|settlement| settlement.eligible_at).min())
    }
}

impl Outlook {
    fn owes(&self) -> bool {
        let amounts = [self.payable, self.later, self.in_progress, self.held];
        self.next_eligible_at.is_some() || amounts.iter().any(|amount| *amount != Minor::ZERO)
    }
}

fn total<'a>(parts: impl IntoIterator<Item = &'a Part>, live: &[Settlement]) -> Tally {
    let mut total: Tally = parts.into_iter().flat_map(|part| &part.tallies).collect();
    for settlement in live {
        settlement.count(Series::Settlements(settlement.kind()), &mut total);
    }
    total
}

/// The net amount of the settlements that are counted with these labels.
fn net(tally: &Tally, labels: &[&str]) -> Minor {
    tally.iter().find(|(of, _)| *of == labels).map_or(Minor::ZERO, |(_, figures)| figures.sum)
}
