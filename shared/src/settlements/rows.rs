//! Settlements, by id, by time and by source.

use std::collections::{HashMap, HashSet};

use futures_util::TryStreamExt;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::base::clock::iso_8601;
use crate::db::keys::{self, Key};
use crate::db::{Entity, Item, Range, Store, StoreError, Stored, Write, entry_item, item_key, new_rows, to_item};
use crate::projections::model::tally::{Family, SettlementKind};
use crate::settlements::model::settlement::{Owed, Settlement, Source};
use crate::values::{Currency, MerchantId, Minor, SettlementId};
use crate::webhooks::model::Event;

impl Entity for Settlement {
    fn key(&self) -> Key {
        keys::settlement(&self.merchant_id, &self.id)
    }

    /// The whole settlement, because lists show all of it. A void settlement is not listed. One that is pending has another
    /// entry, by which payouts find it, or by which it is found while it is held.
    fn entries(&self) -> Result<Vec<Item>, StoreError> {
        let pk = keys::entries(&self.merchant_id, Family::Settlements(self.kind()));
        let sk = keys::entry_of_settlement(self);
        let listed = self.is_listed().then(|| entry_item(Key { pk, sk }, self));
        let pending = PendingList::of(self).map(|list| {
            let sk = keys::pending_settlement(self.kind(), self.currency, self.eligible_at, &self.id);
            entry_item(Key { pk: list.partition(&self.merchant_id), sk }, &PendingNet { net: self.net })
        });
        listed.into_iter().chain(pending).collect()
    }
}

/// The two lists of a merchant's pending settlements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingList {
    /// Those that payouts can take.
    Payable,
    Held,
}

impl PendingList {
    fn of(settlement: &Settlement) -> Option<Self> {
        if settlement.is_payable() {
            return Some(Self::Payable);
        }
        settlement.is_waiting_held().then_some(Self::Held)
    }

    pub(crate) fn partition(self, merchant: &MerchantId) -> String {
        match self {
            Self::Payable => keys::pending_settlements(merchant),
            Self::Held => keys::held_settlements(merchant),
        }
    }
}

/// What the entry of a pending settlement has beside its key.
#[derive(Debug, Serialize, Deserialize)]
struct PendingNet {
    net: Minor,
}

/// A pending settlement, by its entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingSettlement {
    pub settlement_id: SettlementId,
    pub eligible_at: Timestamp,
    /// `None` if the entry cannot be read. The settlement itself may be readable.
    pub net: Option<Minor>,
}

/// A reference from an order to a settlement, or from a redemption to one that was imported.
#[derive(Debug, Serialize, Deserialize)]
struct SettlementBySource {
    #[serde(flatten)]
    key: Key,
    settlement_id: SettlementId,
}

impl Entity for SettlementBySource {
    fn key(&self) -> Key {
        self.key.clone()
    }
}

/// A list of a merchant's settlements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettlementList {
    OfKind(SettlementKind),
    /// Those that are pending and held.
    Held,
}

impl SettlementList {
    /// All settlements but void ones.
    pub const BY_KIND: [Self; 3] =
        [Self::OfKind(SettlementKind::Order), Self::OfKind(SettlementKind::Redemption), Self::OfKind(SettlementKind::Other)];
}

/// The settlements that are counted and added up: some twenty calls.
const MAX_COUNTED: u64 = 100_000;

impl Store {
    /// Settlements of a list with their sort keys, from the one before `after` backwards. One that cannot be read is `None`.
    /// Fewer than `limit` if no others follow.
    pub async fn settlements_in(
        &self,
        merchant: &MerchantId,
        list: SettlementList,
        after: Option<&str>,
        limit: u16,
    ) -> Result<Vec<(String, Option<Settlement>)>, StoreError> {
        let partition = match list {
            SettlementList::OfKind(kind) => keys::entries(merchant, Family::Settlements(kind)),
            SettlementList::Held => PendingList::Held.partition(merchant),
        };
        let rows = self.query_items(Range::of_table(partition).descending().below(after).limit(limit)).await?;
        let rows = rows.into_iter().filter_map(|row| Some((item_key(&row)?.sk, row)));
        if list != SettlementList::Held {
            return Ok(rows.map(|(sk, row)| (sk, self.readable_value(row))).collect());
        }
        let entries = rows.map(|(sk, _)| (keys::parse_pending_settlement(&sk).map(|(_, id)| id), sk));
        let entries: Vec<(Option<SettlementId>, String)> = entries.collect();
        let ids: Vec<&SettlementId> = entries.iter().filter_map(|(id, _)| id.as_ref()).collect();
        let mut found: HashMap<SettlementId, Settlement> = HashMap::new();
        for settlement in self.settlements_by_id(merchant, &ids).await? {
            found.insert(settlement.id.clone(), settlement.value);
        }
        Ok(entries.into_iter().map(|(id, sk)| (sk, id.and_then(|id| found.remove(&id)))).collect())
    }

    pub async fn settlement(&self, merchant: &MerchantId, id: &SettlementId) -> Result<Option<Stored<Settlement>>, StoreError> {
        self.get(&keys::settlement(merchant, id)).await
    }

    /// The settlements that refer to a source, void ones included.
    pub async fn settlements_by_source(&self, merchant: &MerchantId, source: &Source) -> Result<Vec<Settlement>, StoreError> {
        let rows = self.query::<SettlementBySource>(Range::of_table(keys::settled_partition(merchant, source))).await?;
        let own = follows_from(source);
        let ids: Vec<&SettlementId> = rows.iter().map(|row| &row.settlement_id).chain(&own).collect();
        let found = self.settlements_by_id(merchant, &ids).await?;
        Ok(found.into_iter().map(|stored| stored.value).filter(|settlement| settlement.sources().contains(source)).collect())
    }

    /// The kinds and currencies of a merchant's pending settlements, by their sort keys: one entry that cannot be read hides no
    /// other one.
    pub async fn kinds_of_pending(
        &self,
        merchant: &MerchantId,
        list: PendingList,
    ) -> Result<Vec<(SettlementKind, Currency)>, StoreError> {
        let (mut kinds, mut from) = (Vec::new(), "\0".to_owned());
        loop {
            let range = Range::of_table(list.partition(merchant)).between(from, "\u{10ffff}").limit(1);
            let entry = self.query_items(range).await?.into_iter().next();
            let Some(key) = entry.as_ref().and_then(item_key) else { return Ok(kinds) };
            match keys::parse_pending_kind(&key.sk) {
                Some(kind) => kinds.push(kind),
                None => self.skip_unreadable(Some(&key), &StoreError::UnreadableRow("a kind of settlements".to_owned())),
            }
            from = keys::after_pending_settlements_like(&key.sk);
        }
    }

    /// Count and sum of the pending settlements of a kind and a currency that are eligible before a time. `None` if there are
    /// too many, or one cannot be read.
    pub async fn pending_sum(
        &self,
        merchant: &MerchantId,
        list: PendingList,
        (kind, currency): (SettlementKind, Currency),
        before: Timestamp,
    ) -> Result<Option<Owed>, StoreError> {
        let prefix = keys::pending_settlements_of(kind, currency);
        let range = Range::of_table(list.partition(merchant));
        let rows = self.stream_items(range.between(prefix.clone(), format!("{prefix}{}", iso_8601(before))));
        let mut rows = std::pin::pin!(rows);
        let mut owed = Owed::default();
        while let Some(item) = rows.try_next().await? {
            match self.readable_value::<PendingNet>(item).and_then(|entry| owed.and(entry.net)) {
                Some(larger) if larger.count <= MAX_COUNTED => owed = larger,
                _ => return Ok(None),
            }
        }
        Ok(Some(owed))
    }

    /// The settlements of a kind and a currency that a payout can take and that are eligible before a time, earliest first, from
    /// the one after `after` on.
    pub async fn pending_settlements(
        &self,
        merchant: &MerchantId,
        (kind, currency): (SettlementKind, Currency),
        before: Timestamp,
        after: Option<&PendingSettlement>,
        limit: u16,
    ) -> Result<Vec<PendingSettlement>, StoreError> {
        let prefix = keys::pending_settlements_of(kind, currency);
        let from = after.map_or_else(
            || prefix.clone(),
            // No sort key lies between this one and that of `after`.
            |after| format!("{prefix}{}\0", keys::at_and_id(after.eligible_at, after.settlement_id.as_str())),
        );
        // An id follows the time, so that what is eligible at that time sorts behind.
        let to = format!("{prefix}{}", iso_8601(before));
        if from >= to {
            return Ok(Vec::new());
        }
        let partition = keys::pending_settlements(merchant);
        let rows = self.query_items(Range::of_table(partition).between(from, to).limit(limit)).await?;
        Ok(rows.into_iter().filter_map(|row| self.pending_settlement(row)).collect())
    }

    fn pending_settlement(&self, row: Item) -> Option<PendingSettlement> {
        let (eligible_at, settlement_id) = keys::parse_pending_settlement(&item_key(&row)?.sk)?;
        let net = self.readable_value::<PendingNet>(row).map(|entry| entry.net);
        Some(PendingSettlement { settlement_id, eligible_at, net })
    }

    /// The earliest pending settlement of a kind and a currency that is eligible at a time or later, and that a payout can then
    /// take.
    pub async fn next_payable(
        &self,
        merchant: &MerchantId,
        (kind, currency): (SettlementKind, Currency),
        from: Timestamp,
    ) -> Result<Option<PendingSettlement>, StoreError> {
        let prefix = keys::pending_settlements_of(kind, currency);
        let range = Range::of_table(keys::pending_settlements(merchant));
        let range = range.between(format!("{prefix}{}", iso_8601(from)), format!("{prefix}\u{10ffff}")).limit(1);
        Ok(self.query_items(range).await?.into_iter().find_map(|row| self.pending_settlement(row)))
    }

    /// Settlements by id. Those that do not exist or cannot be read are left out.
    pub async fn settlements_by_id(
        &self,
        merchant: &MerchantId,
        ids: &[&SettlementId],
    ) -> Result<Vec<Stored<Settlement>>, StoreError> {
        let keys: HashSet<Key> = ids.iter().map(|id| keys::settlement(merchant, id)).collect();
        Ok(self.readable(self.get_items(&Vec::from_iter(keys)).await?))
    }

    /// The writes of a settlement that has changed, with the event that it is held if it was not before.
    pub async fn replace_settlement(&self, read: &Stored<Settlement>, changed: &Settlement) -> Result<Vec<Write>, StoreError> {
        let mut writes = vec![Write::replace(read, changed)?];
        if changed.is_held()
            && !read.is_held()
            && let Some(merchant) = self.merchant(&changed.merchant_id).await?
        {
            let event = Event::SettlementHeld { settlement_id: changed.id.clone() };
            writes.extend(self.webhook_message(&merchant, event, changed.updated_at)?);
        }
        Ok(writes)
    }
}

/// The id of the settlement that is found by its source without a reference, if there is one.
fn follows_from(source: &Source) -> Option<SettlementId> {
    match source {
        Source::Redemption(redemption) => Some(Settlement::id_of(redemption)),
        Source::Order(_) => None,
    }
}

fn by_source(settlement: &Settlement) -> impl Iterator<Item = SettlementBySource> {
    let needing = settlement.sources().into_iter().filter(|source| follows_from(source).as_ref() != Some(&settlement.id));
    needing.map(|source| SettlementBySource {
        key: keys::settled(&settlement.merchant_id, &source, &settlement.id),
        settlement_id: settlement.id.clone(),
    })
}

/// Creates a settlement, which must not exist yet, and the references to it.
pub fn create_settlement(settlement: &Settlement) -> Result<Vec<Write>, StoreError> {
    let mut writes = references(settlement)?;
    writes.insert(0, Write::create(settlement)?);
    Ok(writes)
}

pub fn references(settlement: &Settlement) -> Result<Vec<Write>, StoreError> {
    by_source(settlement).map(|reference| Write::put(&reference)).collect()
}

/// The rows of a new settlement.
pub fn settlement_record(settlement: &Settlement) -> Result<Vec<Item>, StoreError> {
    let mut rows = new_rows(settlement)?;
    for reference in by_source(settlement) {
        rows.push(to_item(&reference, 1)?);
    }
    Ok(rows)
}
