//! What `admin restore prepare` has done, and what is left to people.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use shared::db::keys::Key;
use shared::payouts::Payout;
use shared::settlements::model::settlement::Settlement;
use shared::values::{Currency, MerchantId, Minor, Money};

/// What was changed.
#[derive(Debug)]
pub struct Prepared {
    pub(super) lost_from: Timestamp,
    pub(super) ended_sessions: usize,
    pub(super) removed_jobs: usize,
    pub(super) jobs_set_aside: usize,
    pub(super) due_jobs: usize,
    /// As they are in the restored table.
    pub(super) carried_over: Vec<Payout>,
    pub(super) withdrawn: Vec<Payout>,
    pub(super) runs: usize,
    pub(super) audit_entries: usize,
    pub(super) used_keys: usize,
    pub(super) settlements_without_redemption: usize,
    /// Keys that are now as in the previous table, or over.
    pub(super) keys: usize,
    /// Rows of webhooks that are now as in the previous table, or gone as there.
    pub(super) webhook_rows: usize,
    /// Deliveries that waited at the restored moment, and may have arrived since.
    pub(super) webhooks_sent_again: usize,
    /// Rows that cannot be read, and were left alone.
    pub(super) unreadable: Vec<Key>,
    held: BTreeMap<(MerchantId, &'static str), Held>,
}

/// The settlements of a merchant and a currency that were held.
#[derive(Debug)]
struct Held {
    currency: Currency,
    count: usize,
    net: Minor,
}

impl Prepared {
    pub(super) fn new(lost_from: Timestamp) -> Self {
        Self {
            lost_from,
            ended_sessions: 0,
            removed_jobs: 0,
            jobs_set_aside: 0,
            due_jobs: 0,
            carried_over: Vec::new(),
            withdrawn: Vec::new(),
            runs: 0,
            audit_entries: 0,
            used_keys: 0,
            settlements_without_redemption: 0,
            keys: 0,
            webhook_rows: 0,
            webhooks_sent_again: 0,
            unreadable: Vec::new(),
            held: BTreeMap::new(),
        }
    }

    pub(super) fn count_held(&mut self, settlement: &Settlement) {
        let key = (settlement.merchant_id.clone(), settlement.currency.code());
        let held = self.held.entry(key).or_insert(Held { currency: settlement.currency, count: 0, net: Minor::ZERO });
        held.count += 1;
        held.net = held.net.checked_add(settlement.net).unwrap_or(Minor::MAX);
    }

    /// The number of settlements that were held.
    pub fn held(&self) -> usize {
        self.held.values().map(|held| held.count).sum()
    }

    /// The number of rows of webhooks that were changed.
    pub fn webhook_rows(&self) -> usize {
        self.webhook_rows
    }

    /// The number of payouts that were carried over, and of those that were withdrawn.
    pub fn payouts(&self) -> (usize, usize) {
        (self.carried_over.len(), self.withdrawn.len())
    }
}

impl fmt::Display for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} sessions ended", self.ended_sessions)?;
        writeln!(f, "{} jobs removed that have run", self.removed_jobs)?;
        writeln!(f, "{} jobs set aside as dead: they may have run", self.jobs_set_aside)?;
        writeln!(f, "{} jobs left to run", self.due_jobs)?;
        writeln!(f, "{} payout runs carried over", self.runs)?;
        writeln!(f, "{} payouts carried over", self.carried_over.len())?;
        for payout in &self.carried_over {
            writeln!(f, "  {}", Shown(payout))?;
        }
        writeln!(f, "{} payouts withdrawn: they may have been paid", self.withdrawn.len())?;
        for payout in &self.withdrawn {
            writeln!(f, "  {}: look for this transfer", Shown(payout))?;
        }
        writeln!(f, "{} settlements held with the reason RESTORED", self.held())?;
        for ((merchant, _), Held { currency, count, net }) in &self.held {
            let sum = Money::new(*net, *currency).units();
            let from = self.lost_from;
            writeln!(f, "  {merchant}: {count} over {currency} {sum}; look for transfers to it since {from}")?;
        }
        writeln!(f, "{} of all settlements carried over without their redemptions", self.settlements_without_redemption)?;
        writeln!(f, "{} audit entries carried over", self.audit_entries)?;
        writeln!(f, "{} idempotency keys carried over, which are refused", self.used_keys)?;
        writeln!(f, "{} keys of programs carried over, or ended", self.keys)?;
        writeln!(f, "{} rows of webhooks carried over", self.webhook_rows)?;
        writeln!(f, "{} webhooks that waited then will be sent, again if they have arrived since", self.webhooks_sent_again)?;
        for key in &self.unreadable {
            writeln!(f, "left alone, because it cannot be read: {}", key.loggable())?;
        }
        write!(
            f,
            "requests that were made since {} are refused if their keys are unknown, until `admin restore complete`",
            self.lost_from
        )
    }
}

/// A payout with what a transfer of it says.
struct Shown<'a>(&'a Payout);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Payout { id, merchant_id, currency, .. } = self.0;
        let (status, count) = (self.0.status(), self.0.count());
        let sum = Money::new(self.0.net(), *currency).units();
        write!(f, "{id} of {merchant_id}, {status}: {count} settlements over {currency} {sum}")
    }
}
