//! Every key of the table and of its two indexes. No other module spells one.
//!
//! One table, on demand. Whatever belongs to a merchant has the merchant's id in its key, so that a key cannot be
//! made without saying whose row it is.
//!
//! | what is asked | how it is read | cost |
//! |---|---|---|
//! | who calls: session, user, membership, merchant | one BatchGetItem, consistent | 1 round trip |
//! | a merchant's team | Query `MERCHANT#m` from `INVITE#` to `MEMBER#~`, then BatchGetItem of the users | 2 round trips |
//! | a user by e-mail; open invites for an e-mail | Query `EMAIL#e` | 1 |
//! | the account behind an e-mail, or that there is none | GetItem, three times either way | 3 |
//! | a merchant by slug | GetItem `SLUG#s`, then the merchant | 2 |
//! | an order, redemption, settlement, operation by id | GetItem | 1 |
//! | a merchant's orders, redemptions, settlements, visits by time | Query index `lists` | 1 per page |
//! | the card behind a code (link of a redemption) | GetItem `CARD#m#hash`, consistent | 1 |
//! | the settlement of an order or a redemption | Query `SETTLED#m#kind#id`, then the settlements | 2 |
//! | what was answered under an idempotency key | GetItem `IDEMPOTENCY#m#route#hash`, consistent | 1 |
//! | whether a caller may go on: what passed for the e-mail and for the address | one BatchGetItem, consistent | 1 |
//! | open operations and waiting jobs that are due | Query index `due`, shard by shard | 1 per shard |
//!
//! | row | `pk` | `sk` | `lists` | `due` |
//! |---|---|---|---|---|
//! | merchant | `MERCHANT#m` | `MERCHANT` | | |
//! | team counter | `MERCHANT#m` | `TEAM` | | |
//! | membership | `MERCHANT#m` | `MEMBER#u` | | |
//! | invite | `MERCHANT#m` | `INVITE#c` | | |
//! | invite, by address | `EMAIL#e` | `INVITE#c` | | |
//! | user | `USER#u` | `USER` | | |
//! | user, by address | `EMAIL#e` | `USER` | | |
//! | merchant, by slug | `SLUG#s` | `SLUG` | | |
//! | session | `SESSION#hash` | `SESSION` | | |
//! | order | `ORDER#m#o` | `ORDER` | `ORDERS#m`, time and id | |
//! | card of an order | `CARD#m#hash` | `CARD` | | |
//! | redemption | `REDEMPTION#m#r` | `REDEMPTION` | `REDEMPTIONS#m`, time and id | |
//! | settlement | `SETTLEMENT#m#s` | `SETTLEMENT` | `SETTLEMENTS#m`, eligible time and id | |
//! | settlement, by source | `SETTLED#m#kind#id` | `SETTLEMENT#s` | | |
//! | visit | `VISIT#m#v` | `VISIT` | `VISITS#m`, time and id | |
//! | operation | `OPERATION#reference` | `OPERATION` | | while open: `OPERATIONS#shard`, time and reference |
//! | idempotency key | `IDEMPOTENCY#m#route#hash` | `IDEMPOTENCY` | | |
//! | calls that passed a rate limit | `RATE#action#of#hash` | `RATE` | | |
//! | job | `JOB#d` | `JOB` | | `JOBS#shard`, once dead `DEAD#shard`, time and id |

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::domain::ids::{
    ChallengeId, JobId, MerchantId, OrderId, QrCode, RedemptionId, Reference, SettlementId, UserId,
};
use crate::domain::settlement::Source;

pub const PK: &str = "pk";
pub const SK: &str = "sk";
/// Index of rows that are listed in the order of time.
pub const LISTS: &str = "lists";
pub const LISTS_PK: &str = "lists_pk";
pub const LISTS_SK: &str = "lists_sk";
/// Sparse index of work that waits for its time.
pub const DUE: &str = "due";
pub const DUE_PK: &str = "due_pk";
pub const DUE_SK: &str = "due_sk";
/// Epoch seconds after which DynamoDB may delete the row. It deletes late: readers check the time themselves.
pub const TTL: &str = "ttl";

/// How many partitions the due index is spread over. One takes 1,000 writes a second.
pub const DUE_SHARDS: u8 = 4;

/// A partition key and a sort key, of the table or of an index.
///
/// A row whose fields do not tell its key, because they hold less than went into it, flattens its key into itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Key {
    pub pk: String,
    pub sk: String,
}

/// What DynamoDB takes at most, in bytes. Ids come from callers too: a longer one belongs to no row.
pub const MAX_PK_BYTES: usize = 2048;
const MAX_SK_BYTES: usize = 1024;

impl Key {
    /// Whether there can be a row of this key.
    pub fn is_possible(&self) -> bool {
        self.pk.len() <= MAX_PK_BYTES && self.sk.len() <= MAX_SK_BYTES
    }

    fn new(pk: String, sk: impl Into<String>) -> Self {
        Self { pk, sk: sk.into() }
    }
}

/// Ids are opaque and may hold the separator; escaping it keeps every key apart from every other.
fn part(id: &str) -> String {
    id.replace('%', "%25").replace('#', "%23")
}

fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

/// No row ever has this key.
pub fn nothing() -> Key {
    Key::new("NOTHING".to_owned(), "NOTHING")
}

pub fn merchant(id: &MerchantId) -> Key {
    Key::new(merchant_partition(id), "MERCHANT")
}

pub fn merchant_partition(id: &MerchantId) -> String {
    format!("MERCHANT#{}", part(id.as_str()))
}

pub fn team(merchant: &MerchantId) -> Key {
    Key::new(merchant_partition(merchant), "TEAM")
}

pub fn member(merchant: &MerchantId, user: &UserId) -> Key {
    Key::new(merchant_partition(merchant), format!("{MEMBERS}{user}"))
}

pub fn invite(merchant: &MerchantId, challenge: &ChallengeId) -> Key {
    Key::new(merchant_partition(merchant), format!("{INVITES}{challenge}"))
}

/// Sort key prefixes in a merchant's or an address's partition. `INVITE#` sorts before `MEMBER#`.
pub const MEMBERS: &str = "MEMBER#";
pub const INVITES: &str = "INVITE#";

pub fn user(id: &UserId) -> Key {
    Key::new(format!("USER#{}", part(id.as_str())), "USER")
}

pub fn email_partition(folded_email: &str) -> String {
    format!("EMAIL#{}", part(folded_email))
}

pub fn user_by_email(folded_email: &str) -> Key {
    Key::new(email_partition(folded_email), "USER")
}

pub fn invite_by_email(folded_email: &str, challenge: &ChallengeId) -> Key {
    Key::new(email_partition(folded_email), format!("{INVITES}{challenge}"))
}

pub fn slug(slug: &str) -> Key {
    Key::new(format!("SLUG#{}", part(slug)), "SLUG")
}

/// The token itself is stored nowhere.
pub fn session(token: &str) -> Key {
    Key::new(format!("SESSION#{}", hash(token)), "SESSION")
}

pub fn order(merchant: &MerchantId, id: &OrderId) -> Key {
    Key::new(format!("ORDER#{}#{}", part(merchant.as_str()), part(id.as_str())), "ORDER")
}

pub fn orders(merchant: &MerchantId) -> String {
    format!("ORDERS#{}", part(merchant.as_str()))
}

pub fn card(merchant: &MerchantId, code: &QrCode) -> Key {
    Key::new(format!("CARD#{}#{}", part(merchant.as_str()), hash(code.as_str())), "CARD")
}

pub fn redemption(merchant: &MerchantId, id: &RedemptionId) -> Key {
    Key::new(format!("REDEMPTION#{}#{}", part(merchant.as_str()), part(id.as_str())), "REDEMPTION")
}

pub fn redemptions(merchant: &MerchantId) -> String {
    format!("REDEMPTIONS#{}", part(merchant.as_str()))
}

pub fn settlement(merchant: &MerchantId, id: &SettlementId) -> Key {
    Key::new(format!("SETTLEMENT#{}#{}", part(merchant.as_str()), part(id.as_str())), "SETTLEMENT")
}

pub fn settlements(merchant: &MerchantId) -> String {
    format!("SETTLEMENTS#{}", part(merchant.as_str()))
}

pub fn settled_partition(merchant: &MerchantId, source: &Source) -> String {
    let (kind, id) = match source {
        Source::Order(id) => ("ORDER", id.as_str()),
        Source::Redemption(id) => ("REDEMPTION", id.as_str()),
    };
    format!("SETTLED#{}#{kind}#{}", part(merchant.as_str()), part(id))
}

pub fn settled(merchant: &MerchantId, source: &Source, settlement: &SettlementId) -> Key {
    Key::new(settled_partition(merchant, source), format!("SETTLEMENT#{settlement}"))
}

pub fn visit(merchant: &MerchantId, id: &str) -> Key {
    Key::new(format!("VISIT#{}#{}", part(merchant.as_str()), part(id)), "VISIT")
}

pub fn visits(merchant: &MerchantId) -> String {
    format!("VISITS#{}", part(merchant.as_str()))
}

pub fn operation(reference: &Reference) -> Key {
    Key::new(format!("OPERATION#{}", part(reference.as_str())), "OPERATION")
}

pub fn idempotency(merchant: &MerchantId, route: &str, key: &str) -> Key {
    Key::new(format!("IDEMPOTENCY#{}#{route}#{}", part(merchant.as_str()), hash(key)), "IDEMPOTENCY")
}

/// What is counted is stored nowhere.
pub fn rate(action: &str, of: &str, counted: &str) -> Key {
    Key::new(format!("RATE#{action}#{of}#{}", hash(counted)), "RATE")
}

pub fn job(id: &JobId) -> Key {
    Key::new(format!("{JOBS}{}", part(id.as_str())), "JOB")
}

/// Partition key prefix by which the table's stream tells jobs from everything else.
pub const JOBS: &str = "JOB#";

/// What waits in the due index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueWork {
    Operations,
    Jobs,
    /// Jobs that failed for the last time: they are due for somebody to look at.
    DeadJobs,
}

pub fn due_partition(work: DueWork, shard: u8) -> String {
    match work {
        DueWork::Operations => format!("OPERATIONS#{shard}"),
        DueWork::Jobs => format!("JOBS#{shard}"),
        DueWork::DeadJobs => format!("DEAD#{shard}"),
    }
}

/// Key in the due index of what has this id.
pub fn due(work: DueWork, at: Timestamp, id: &str) -> Key {
    let shard = id.bytes().fold(0_u8, u8::wrapping_add) % DUE_SHARDS;
    Key::new(due_partition(work, shard), at_and_id(at, id))
}

/// Sorts by time, then by id: rows of one millisecond keep one order, so that no page repeats or skips one.
pub fn at_and_id(at: Timestamp, id: &str) -> String {
    format!("{}#{id}", instant(at))
}

/// A time as text that sorts: always the same length, milliseconds included.
pub fn instant(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_different_ids_differ_whatever_the_ids_hold() {
        let order = |m: &str, o: &str| order(&MerchantId::new(m), &OrderId::new(o));
        assert_ne!(order("a#b", "c"), order("a", "b#c"));
        assert_ne!(order("a%23b", "c"), order("a#b", "c"));
    }

    #[test]
    fn times_sort_as_text() {
        let at = |text: &str| instant(text.parse().unwrap());
        assert!(at("2026-01-01T00:00:00Z") < at("2026-01-01T00:00:00.001Z"));
        assert!(at("2026-01-01T00:00:00.999Z") < at("2026-01-01T00:00:01Z"));
    }
}
