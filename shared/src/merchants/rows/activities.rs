//! The activity of a merchant. Entries are only ever created.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

use crate::db::keys::{self, Key};
use crate::db::{Entity, Range, Store, StoreError, Stored, Write, item_key};
use crate::merchants::model::activity::{Activity, Actor, Deed};
use crate::merchants::model::merchant::Merchant;
use crate::values::{MerchantId, later};
use crate::webhooks::model::Event;

/// Two years.
const RETENTION: SignedDuration = SignedDuration::from_hours(2 * 365 * 24);

impl Entity for Activity {
    fn key(&self) -> Key {
        keys::activity(&self.merchant_id, self.at, &self.id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(later(self.at, RETENTION))
    }
}

impl Store {
    /// The write of an entry, for the transaction of what it reports.
    pub fn record(&self, actor: Actor, merchant: &MerchantId, deed: Deed, now: Timestamp) -> Result<Write, StoreError> {
        let id = self.random.uuid(now).to_string();
        Write::create(&deed.by(actor, merchant.clone(), id, now))
    }

    /// The writes of the entries about a changed merchant, and of the event of a new status, for the transaction of its change.
    pub fn record_changes(
        &self,
        actor: &Actor,
        before: &Merchant,
        after: &Merchant,
        now: Timestamp,
    ) -> Result<Vec<Write>, StoreError> {
        let deeds = Deed::of_merchant(before, after).into_iter();
        let entries = deeds.map(|deed| self.record(actor.clone(), &after.id, deed, now));
        let event = Event::MerchantStatusChanged { from: before.status.clone(), to: after.status.clone() };
        entries.chain(self.webhook_message(after, event, now).transpose()).collect()
    }

    /// At most `limit` entries, latest first, that were made before `after`; and the last of them if others can follow.
    pub async fn activities(
        &self,
        merchant: &MerchantId,
        after: Option<&ActivityCursor>,
        limit: u16,
    ) -> Result<(Vec<Stored<Activity>>, Option<ActivityCursor>), StoreError> {
        let after = after.map(|ActivityCursor(sort_key)| sort_key.as_str());
        // One more tells whether others follow.
        let range = Range::of_table(keys::activities(merchant)).descending().below(after).limit(limit.saturating_add(1));
        let mut rows = self.query_items(range).await?;
        let others_follow = rows.len() > usize::from(limit);
        rows.truncate(usize::from(limit));
        let last = rows.last().filter(|_| others_follow).and_then(item_key).map(|key| ActivityCursor(key.sk));
        Ok((self.readable(rows), last))
    }
}

/// Where a page of the activity ends: the sort key of its last entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityCursor(String);

/// Stands for the separator, which URLs would have to escape.
const SEPARATOR: &str = "~";

impl ActivityCursor {
    /// `None` for a text that is no cursor.
    pub fn parse(text: &str) -> Option<Self> {
        let (at, id) = text.split_once(SEPARATOR)?;
        let at = at.parse::<Timestamp>().ok()?;
        let is_id = id.len() <= MAX_ID_LENGTH && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_id.then(|| Self(keys::at_and_id(at, id)))
    }
}

/// The length of a UUID.
const MAX_ID_LENGTH: usize = 36;

impl fmt::Display for ActivityCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.replacen('#', SEPARATOR, 1))
    }
}
