//! Every key of the table and of its index. No other module constructs one.
//!
//! One table, on demand. The key of a row that belongs to a merchant contains the merchant's id, so that no key can be
//! constructed without the owner of the row.
//!
//! | access pattern | read | round trips |
//! |---|---|---|
//! | the caller: session, user, membership, merchant | one BatchGetItem, consistent | 1 |
//! | the caller with a key: key, its use, merchant | one BatchGetItem, consistent; at most once an hour, and at a secret's first use, a transaction | 1 |
//! | a merchant's team | Query `MERCHANT#m`, then BatchGetItem of the users | 2 |
//! | a user by e-mail; open invites for an e-mail | Query `EMAIL#e` | 1 |
//! | a user's passkeys, and whose they are | Query `PASSKEYS#h`, consistent | 1 |
//! | whether an e-mail has an account | GetItem, three times in either case | 3 |
//! | a merchant by slug | GetItem `SLUG#s`, then the merchant | 2 |
//! | whether an account at the card network has a merchant | GetItem `NETWORK_ACCOUNT#n`, consistent | 1 |
//! | a page of all merchants | Query `MERCHANTS#` | 1 |
//! | an order, redemption, settlement, operation by id | GetItem | 1 |
//! | the order and card of a card code | GetItem `CARD#m#hash`, consistent | 1 |
//! | the history of a card | Query `CARD_HISTORY#m#tag`: its sums, then a page of events; the open redemptions and what was given back | 4 |
//! | the settlements of an order or a redemption | Query `SETTLED#m#kind#id`, then the settlements; that of a redemption has an id that follows from it, unless it was imported | 2 |
//! | the operation of an idempotency key | GetItem `IDEMPOTENCY#m#route#hash`, consistent; with `Idempotency-Made-At`, BatchGetItem of it and the lost spans | 1 |
//! | the first answer of a call that creates something | GetItem `CREATION#m#call#hash`, consistent; before something is created, conditional PutItem of its lease and GetItem once more | 1, or 3 |
//! | whether a call is within a limit | conditional UpdateItem | 1 for each limit, 3 where a full counter has buckets that have ended |
//! | the guessed card codes of a merchant | GetItem, consistent | 1 |
//! | whether an image was taken down | GetItem `TAKE_DOWN#object`, consistent | 1 |
//! | the lease of an offer, or of the list of offers | conditional PutItem and DeleteItem | 1 each |
//! | a page of orders, redemptions, settlements or visits | Query of the entries, from where the tallies say it begins | 1 |
//! | a page of orders with a text or a status | Query of the changed orders, the list of segments, then the entries that are shown | 3 |
//! | counts and sums of a span of time | Query of the tallies of days and months | 1 or 2 |
//! | the settlements that a payout can take | Query `PENDING_SETTLEMENTS#m`, then the settlements | 2 per transaction |
//! | what a merchant is owed, by kind and currency | Query `PENDING_SETTLEMENTS#m` or `HELD_SETTLEMENTS#m` | 1 and 2 for each |
//! | what a payout run has left out | Query `PAYOUT_RUN#r` | 1 |
//! | whether a user has ever belonged to a merchant | one BatchGetItem, consistent | 1 |
//! | the settlements of a payout | Query `PAYOUT_SETTLEMENTS#p` | 1 per page |
//! | open operations and waiting jobs that are due | Query index `due`, shard by shard | 1 per shard |
//! | a merchant's endpoints for webhooks | Query `WEBHOOKS#m` | 1 |
//! | webhook messages that are to be dispatched | Query `WEBHOOK_MESSAGE#shard`, shard by shard | 1 per shard |
//! | webhook endpoints with deliveries that are due | Query index `due` | 1 |
//! | the deliveries of an endpoint that are due; a page of all of them | Query `WEBHOOK_QUEUE#m#e`, then the deliveries; Query `WEBHOOK_DELIVERIES#m#e` | 2 and 1 |
//!
//! | row | `pk` | `sk` | `due` |
//! |---|---|---|---|
//! | merchant | `MERCHANT#m` | `MERCHANT` | |
//! | team counter | `MERCHANT#m` | `TEAM` | |
//! | membership | `MERCHANT#m` | `MEMBER#u` | |
//! | invite | `MERCHANT#m` | `INVITE#c` | |
//! | till | `MERCHANT#m` | `TILL#t` | |
//! | key of a merchant's own program | `MERCHANT#m` | `KEY#k` | |
//! | when a key was used, and which of its secrets | `KEY_USE#m#k` | `KEY_USE` | |
//! | till, by the tag of its pairing code | `PAIRING#tag` | `PAIRING` | |
//! | invite, by e-mail | `EMAIL#e` | `INVITE#c` | |
//! | invite, by id | `INVITE#c` | `INVITE` | |
//! | user | `USER#u` | `USER` | |
//! | merchant that a user belongs to or has belonged to | `USER#u` | `BELONGED#m` | |
//! | user, by e-mail | `EMAIL#e` | `USER` | |
//! | merchant, by slug | `SLUG#s` | `SLUG` | |
//! | challenge: a one-time code that was asked for | `CHALLENGE#c` | `CHALLENGE` | |
//! | merchant, by account at the card network | `NETWORK_ACCOUNT#n` | `NETWORK_ACCOUNT` | |
//! | entry of a merchant | `MERCHANTS#` | `m` | |
//! | passkeys of a user, by their handle; whose they are | `PASSKEYS#handle` | `PASSKEY#k`; `OWNER` | |
//! | challenge of a passkey that is added, or one to sign in with that was used up | `CHALLENGE#c` | `PASSKEY`; `USED` | |
//! | session | `SESSION#hash` | `SESSION` | |
//! | session, by user | `SESSIONS#u` | time and id | |
//! | audit entry of a merchant, or of the platform | `AUDIT#m`, `AUDIT#` | time and id | |
//! | activity of a merchant | `ACTIVITY#m` | time and id | |
//! | order | `ORDER#m#o` | `ORDER` | |
//! | card of an order | `CARD#m#hash` | `CARD` | |
//! | redemption | `REDEMPTION#m#r` | `REDEMPTION` | |
//! | what was given back of a redemption | `GIVEN_BACK#m#r` | `GIVEN_BACK` | |
//! | sale or redemption in the history of its card | `CARD_HISTORY#m#tag` | time and id | |
//! | sums of a card's history in a currency | `CARD_HISTORY#m#tag` | `SUMS#currency` | |
//! | settlement | `SETTLEMENT#m#s` | `SETTLEMENT` | |
//! | settlement, by source | `SETTLED#m#kind#id` | `SETTLEMENT#s` | |
//! | visit | `VISIT#m#v` | `VISIT` | |
//! | entry of an order | `ORDERS#m` | time and id | |
//! | entry of an order that was blocked or sent to review | `FLAGGED_ORDERS#m` | time of the decision, and id | |
//! | order that changed since the search segments were written | `CHANGED_ORDERS#m` | time and id | |
//! | list of the search segments | `SEGMENTS#m` | `SEGMENTS` | |
//! | entry of a redemption | `REDEMPTIONS#m` | time and id | |
//! | entry of a settlement, unless void | `SETTLEMENTS_OF_ORDERS#m`, `SETTLEMENTS_OF_REDEMPTIONS#m`, `SETTLEMENTS_OF_OTHERS#m` | eligible time and id | |
//! | entry of a visit | `VISITS#m` | time and id | |
//! | tallies of the minutes of a quarter of an hour | `TALLIES#m#series` | `QUARTER#time` | |
//! | tally of a day, of a month | `TALLIES#m#series` | `DAY#generation#date`, `MONTH#generation#month` | |
//! | operation | `OPERATION#reference` | `OPERATION` | while open: `OPERATIONS#shard`, time and reference |
//! | operation that was closed, without the codes of cards | `OPERATION#reference` | `CLOSED` | |
//! | idempotency key | `IDEMPOTENCY#m#route#hash` | `IDEMPOTENCY` | |
//! | idempotency key of a call that creates something, and its lease | `CREATION#m#call#hash` | `CREATION`, `LEASE` | |
//! | what counts towards a limit | `COUNTER#action#scope#hash` | `COUNTER` | |
//! | image that was taken down | `TAKE_DOWN#object` | `TAKE_DOWN` | |
//! | lease of an offer | `LEASE#m#hash` | `OFFER` | |
//! | lease of a merchant's list of offers, of its stores | `LEASE#m` | `OFFERS`, `STORES` | |
//! | export | `EXPORT#m` | `EXPORT#x` | |
//! | the running export of a merchant | `EXPORT#m` | `RUNNING` | |
//! | entry of a settlement that is pending and not held | `PENDING_SETTLEMENTS#m` | kind, currency, eligible time and id | |
//! | entry of a settlement that is pending and held | `HELD_SETTLEMENTS#m` | kind, currency, eligible time and id | |
//! | payout run | `PAYOUT_RUN#r` | `RUN` | |
//! | what a payout run has left out | `PAYOUT_RUN#r` | `LEFT_OUT#m#currency#reason` | |
//! | payout | `PAYOUT#p` | `PAYOUT` | |
//! | entry of a payout | `PAYOUTS#`, `PAYOUTS_OF_MERCHANT#m`, `PAYOUTS_OF_RUN#r` | time and id | |
//! | the payout that settlements of a merchant and a currency join | `BUILDING_PAYOUT#m` | currency | |
//! | settlement as it joined a payout | `PAYOUT_SETTLEMENTS#p` | id | |
//! | lease of a merchant's payouts | `LEASE#m` | `PAYOUTS` | |
//! | spans of time that the table has lost by restores | `RESTORE#` | `LOST` | |
//! | heartbeat of the table's stream | `HEARTBEAT#` | `HEARTBEAT` | |
//! | release of the time zone data that calendars follow | `TIME_ZONES#` | `TIME_ZONES` | |
//! | job | `JOB#j` | `JOB` | `JOBS#shard`, once dead `DEAD#shard`, time and id |
//! | endpoint of a merchant's webhooks | `WEBHOOKS#m` | `ENDPOINT#e` | while deliveries wait: `WEBHOOK_ENDPOINTS`, time and id |
//! | message to a merchant's systems, until each endpoint has its delivery | `WEBHOOK_MESSAGE#shard` | time, `m` and id | |
//! | body of a message | `WEBHOOK_BODY#m#id` | `BODY` | |
//! | delivery of a message to an endpoint | `WEBHOOK_DELIVERIES#m#e` | id | |
//! | entry of a delivery that waits | `WEBHOOK_QUEUE#m#e` | time and id | |

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::base::clock::iso_8601;
use crate::cards::model::card_tag::CardTag;
use crate::cards::model::order::OrderEntry;
use crate::cards::model::redemption::Redemption;
use crate::projections::model::tally::{Family, Series, SettlementKind};
use crate::settlements::model::settlement::{Settlement, Source};
use crate::team::model::passkey::PasskeyHandle;
use crate::values::{
    ApiKeyId, Calendar, ChallengeId, Currency, ExportId, JobId, MerchantId, NetworkMerchantId, ObjectId, OfferId, OrderId,
    PasskeyId, PayoutId, PayoutRunId, QrCode, Quarter, RedemptionId, Reference, SessionId, SettlementId, TillId, UserId,
    WebhookDeliveryId, WebhookEndpointId, WebhookMessageId,
};

pub const PK: &str = "pk";
pub const SK: &str = "sk";
/// Sparse index of work that is due at some time.
pub const DUE: &str = "due";
pub const DUE_PK: &str = "due_pk";
pub const DUE_SK: &str = "due_sk";
/// Epoch seconds after which DynamoDB may delete the row. It deletes late, so readers check the time themselves.
pub const TTL: &str = "ttl";

/// The number of partitions of each kind of due work. One partition takes 1,000 writes a second.
pub const DUE_SHARDS: u8 = 4;

/// A partition key and a sort key, of the table or of an index.
///
/// A row whose key cannot be derived from its fields, because it contains only a hash, stores the key as a flattened field.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Key {
    pub pk: String,
    pub sk: String,
}

/// DynamoDB's limits. Ids in requests can be longer; there is no row for such an id.
pub const MAX_PK_BYTES: usize = 2048;
pub const MAX_SK_BYTES: usize = 1024;

impl Key {
    /// Whether a row with this key can exist.
    pub fn is_within_limits(&self) -> bool {
        self.pk.len() <= MAX_PK_BYTES && self.sk.len() <= MAX_SK_BYTES
    }

    /// The key for the log, or only its type if it contains personal data. A key that is not one of ours is left out.
    pub fn loggable(&self) -> String {
        match self.pk.split_once('#') {
            Some(("EMAIL", _)) => "EMAIL#…".to_owned(),
            Some((kind, _)) if kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') => {
                format!("{} {}", self.pk, self.sk)
            }
            _ => "unknown".to_owned(),
        }
    }

    pub(crate) fn new(pk: String, sk: impl Into<String>) -> Self {
        Self { pk, sk: sk.into() }
    }
}

/// Escapes the separator: ids are opaque and may contain it, and keys of different ids must differ.
fn escape(id: &str) -> String {
    id.replace('%', "%25").replace('#', "%23")
}

fn unescape(escaped: &str) -> String {
    escaped.replace("%23", "#").replace("%25", "%")
}

pub(crate) fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

/// A key that no row has.
pub fn nothing() -> Key {
    Key::new("NOTHING".to_owned(), "NOTHING")
}

pub fn merchant(id: &MerchantId) -> Key {
    Key::new(merchant_partition(id), "MERCHANT")
}

pub fn merchant_partition(id: &MerchantId) -> String {
    format!("MERCHANT#{}", escape(id.as_str()))
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

/// Partition key prefix of users.
pub const USERS: &str = "USER#";

pub fn user(id: &UserId) -> Key {
    Key::new(format!("{USERS}{}", escape(id.as_str())), "USER")
}

/// That a user belongs to a merchant, or has belonged to it.
pub fn belonged(user: &UserId, merchant: &MerchantId) -> Key {
    Key::new(self::user(user).pk, format!("BELONGED#{}", escape(merchant.as_str())))
}

pub fn parse_user(partition: &str) -> Option<UserId> {
    partition.strip_prefix(USERS).map(|id| UserId::new(unescape(id)))
}

pub fn email_partition(folded_email: &str) -> String {
    format!("EMAIL#{}", escape(folded_email))
}

pub fn user_by_email(folded_email: &str) -> Key {
    Key::new(email_partition(folded_email), "USER")
}

pub fn invite_by_email(folded_email: &str, challenge: &ChallengeId) -> Key {
    Key::new(email_partition(folded_email), format!("{INVITES}{challenge}"))
}

pub fn slug(slug: &str) -> Key {
    Key::new(format!("SLUG#{}", escape(slug)), "SLUG")
}

/// The sort key prefix of tills.
pub const TILLS: &str = "TILL#";

pub fn till(merchant: &MerchantId, id: &TillId) -> Key {
    Key::new(merchant_partition(merchant), format!("{TILLS}{id}"))
}

/// The sort key prefix of keys of a merchant's own programs.
pub const API_KEYS: &str = "KEY#";

pub fn api_key(merchant: &MerchantId, id: &ApiKeyId) -> Key {
    Key::new(merchant_partition(merchant), format!("{API_KEYS}{id}"))
}

/// When a key was used. Its partition is its own, so that functions that only read may write it.
pub fn key_use(merchant: &MerchantId, id: &ApiKeyId) -> Key {
    Key::new(format!("KEY_USE#{}#{}", escape(merchant.as_str()), escape(id.as_str())), "KEY_USE")
}

pub fn pairing_code(tag: &str) -> Key {
    Key::new(format!("PAIRING#{tag}"), "PAIRING")
}

pub fn invite_by_id(id: &ChallengeId) -> Key {
    Key::new(format!("INVITE#{}", escape(id.as_str())), "INVITE")
}

pub fn challenge(id: &ChallengeId) -> Key {
    Key::new(format!("CHALLENGE#{}", escape(id.as_str())), "CHALLENGE")
}

/// A challenge for a passkey that is to be added.
pub fn passkey_registration(id: &ChallengeId) -> Key {
    Key::new(challenge(id).pk, "PASSKEY")
}

/// That a challenge to sign in with a passkey was used up.
pub fn used_challenge(id: &ChallengeId) -> Key {
    Key::new(challenge(id).pk, "USED")
}

/// The partition of the passkeys that know their user by this handle.
pub fn passkeys(handle: &PasskeyHandle) -> String {
    format!("PASSKEYS#{}", escape(handle.as_str()))
}

pub fn passkey(handle: &PasskeyHandle, id: &PasskeyId) -> Key {
    Key::new(passkeys(handle), format!("{PASSKEYS}{}", escape(id.as_str())))
}

/// The sort key prefix of passkeys.
pub const PASSKEYS: &str = "PASSKEY#";

pub fn passkey_owner(handle: &PasskeyHandle) -> Key {
    Key::new(passkeys(handle), "OWNER")
}

pub fn network_account(id: &NetworkMerchantId) -> Key {
    Key::new(format!("NETWORK_ACCOUNT#{}", escape(id.as_str())), "NETWORK_ACCOUNT")
}

/// The partition of the entries of all merchants. Its sort keys are the merchants' ids.
pub const MERCHANTS: &str = "MERCHANTS#";

pub fn entry_of_merchant(id: &MerchantId) -> Key {
    Key::new(MERCHANTS.to_owned(), escape(id.as_str()))
}

pub fn parse_entry_of_merchant(key: &Key) -> MerchantId {
    MerchantId::new(unescape(&key.sk))
}

/// Contains only the hash of the token.
pub fn session(token: &str) -> Key {
    Key::new(format!("{SESSIONS}{}", hash(token)), "SESSION")
}

/// The partition key prefix of users' lists of sessions.
pub const SESSIONS_OF_USERS: &str = "SESSIONS#";

/// The partition of a user's sessions. Their sort keys are time and id.
pub fn sessions_of_user(user: &UserId) -> String {
    format!("{SESSIONS_OF_USERS}{}", escape(user.as_str()))
}

pub fn session_of_user(user: &UserId, created_at: Timestamp, id: &SessionId) -> Key {
    Key::new(sessions_of_user(user), at_and_id(created_at, id.as_str()))
}

/// The partition key prefix of audit trails.
pub const AUDIT_TRAILS: &str = "AUDIT#";

/// The partition of the audit trail of a merchant, or of the platform. Its sort keys are time and id.
pub fn audit_trail(merchant: Option<&MerchantId>) -> String {
    format!("{AUDIT_TRAILS}{}", merchant.map(|merchant| escape(merchant.as_str())).unwrap_or_default())
}

pub fn audit_entry(merchant: Option<&MerchantId>, at: Timestamp, id: &str) -> Key {
    Key::new(audit_trail(merchant), at_and_id(at, id))
}

/// The partition of a merchant's activity. Its sort keys are time and id.
pub fn activities(merchant: &MerchantId) -> String {
    format!("{ACTIVITIES}{}", escape(merchant.as_str()))
}

pub fn activity(merchant: &MerchantId, at: Timestamp, id: &str) -> Key {
    Key::new(activities(merchant), at_and_id(at, id))
}

/// The partition key prefix of activities.
pub const ACTIVITIES: &str = "ACTIVITY#";

/// The partition key prefix of sessions.
pub const SESSIONS: &str = "SESSION#";

/// The partition of a merchant's entries of a family. Their sort keys are time and id.
pub fn entries(merchant: &MerchantId, family: Family) -> String {
    format!("{}#{}", family_prefix(family), escape(merchant.as_str()))
}

pub fn parse_entries(partition: &str) -> Option<(MerchantId, Family)> {
    Family::ALL.into_iter().find_map(|family| {
        let merchant = partition.strip_prefix(family_prefix(family))?.strip_prefix('#')?;
        (!merchant.contains('#')).then(|| (MerchantId::new(unescape(merchant)), family))
    })
}

fn family_prefix(family: Family) -> &'static str {
    match family {
        Family::Orders => "ORDERS",
        Family::Redemptions => "REDEMPTIONS",
        Family::Settlements(SettlementKind::Order) => "SETTLEMENTS_OF_ORDERS",
        Family::Settlements(SettlementKind::Redemption) => "SETTLEMENTS_OF_REDEMPTIONS",
        Family::Settlements(SettlementKind::Other) => "SETTLEMENTS_OF_OTHERS",
        Family::Visits => "VISITS",
    }
}

/// The partition of a merchant's orders that were blocked or sent to review, by the time of that decision.
pub fn flagged_orders(merchant: &MerchantId) -> String {
    format!("FLAGGED_ORDERS#{}", escape(merchant.as_str()))
}

/// The sort key of an order's entry.
pub fn entry_of_order(order: &OrderEntry) -> String {
    at_and_id(order.created_at, order.id.as_str())
}

/// The sort key of a settlement's entry.
pub fn entry_of_settlement(settlement: &Settlement) -> String {
    at_and_id(settlement.eligible_at, settlement.id.as_str())
}

/// The partition of a merchant's orders that have changed since its search segments were written. Its sort keys are those of
/// the orders' entries.
pub fn changed_orders(merchant: &MerchantId) -> String {
    format!("CHANGED_ORDERS#{}", escape(merchant.as_str()))
}

pub fn segments(merchant: &MerchantId) -> Key {
    Key::new(format!("SEGMENTS#{}", escape(merchant.as_str())), "SEGMENTS")
}

/// The object of a search segment in its bucket. No two merchants share a prefix, whatever their ids contain.
pub fn segment_object(merchant: &MerchantId, object: &ObjectId) -> String {
    format!("{}/{object}", hash(merchant.as_str()))
}

/// The partition of a merchant's tallies of a series.
pub fn tallies(merchant: &MerchantId, series: Series) -> String {
    let name = match series {
        Series::Orders => "ORDERS",
        Series::IssuedCards => "ISSUED_CARDS",
        Series::Redemptions => "REDEMPTIONS",
        Series::RedemptionNames => "REDEMPTION_NAMES",
        Series::Settlements(SettlementKind::Order) => "SETTLEMENTS_OF_ORDERS",
        Series::Settlements(SettlementKind::Redemption) => "SETTLEMENTS_OF_REDEMPTIONS",
        Series::Settlements(SettlementKind::Other) => "SETTLEMENTS_OF_OTHERS",
        Series::Visits => "VISITS",
        Series::VisitNames => "VISIT_NAMES",
    };
    format!("TALLIES#{}#{name}", escape(merchant.as_str()))
}

/// The sort key of the tallies of the minutes of a quarter of an hour.
pub fn quarter(quarter: Quarter) -> String {
    format!("{QUARTERS}{}", iso_8601(quarter.start()))
}

/// The sort key of the tally of a day.
pub fn day(calendar: &Calendar, date: Date) -> String {
    format!("{}{date}", days(calendar))
}

/// The sort key of the tally of a month.
pub fn month(calendar: &Calendar, date: Date) -> String {
    format!("{}{}", months(calendar), date.strftime("%Y-%m"))
}

/// Sort key prefixes of tallies.
pub const QUARTERS: &str = "QUARTER#";

pub fn days(calendar: &Calendar) -> String {
    format!("DAY#{}#", calendar.generation)
}

pub fn months(calendar: &Calendar) -> String {
    format!("MONTH#{}#", calendar.generation)
}

/// The types of rows that have entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    Orders,
    Redemptions,
    Settlements,
    Visits,
}

impl Listed {
    pub const ALL: [Self; 4] = [Self::Orders, Self::Redemptions, Self::Settlements, Self::Visits];

    /// The type of the row with this partition key.
    pub fn of(pk: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|listed| pk.starts_with(&listed_rows(*listed, None)))
    }
}

/// What the partition keys of all rows of a type begin with: of those of a merchant, or of all merchants.
pub fn listed_rows(listed: Listed, merchant: Option<&MerchantId>) -> String {
    let name = match listed {
        Listed::Orders => "ORDER",
        Listed::Redemptions => "REDEMPTION",
        Listed::Settlements => "SETTLEMENT",
        Listed::Visits => "VISIT",
    };
    let of_merchant = merchant.map(|merchant| format!("{}#", escape(merchant.as_str()))).unwrap_or_default();
    format!("{name}#{of_merchant}")
}

fn listed_row(listed: Listed, merchant: &MerchantId, id: &str, sk: &str) -> Key {
    Key::new(format!("{}{}", listed_rows(listed, Some(merchant)), escape(id)), sk)
}

pub fn order(merchant: &MerchantId, id: &OrderId) -> Key {
    listed_row(Listed::Orders, merchant, id.as_str(), "ORDER")
}

pub fn card(merchant: &MerchantId, code: &QrCode) -> Key {
    Key::new(format!("CARD#{}#{}", escape(merchant.as_str()), hash(code.as_str())), "CARD")
}

/// The partition of a card's history. The sort keys of its events are time and id.
pub fn card_history(merchant: &MerchantId, tag: &CardTag) -> String {
    format!("CARD_HISTORY#{}#{}", escape(merchant.as_str()), tag.as_str())
}

/// The sort key prefix of the sums of a card's history.
pub const CARD_SUMS: &str = "SUMS#";

pub fn card_sums(merchant: &MerchantId, tag: &CardTag, currency: Currency) -> Key {
    Key::new(card_history(merchant, tag), format!("{CARD_SUMS}{currency}"))
}

pub fn is_card_sums(key: &Key) -> bool {
    key.pk.starts_with("CARD_HISTORY#") && key.sk.starts_with(CARD_SUMS)
}

/// The sort key of a redemption, in the history of its card and in the list of redemptions.
pub fn entry_of_redemption(redemption: &Redemption) -> String {
    at_and_id(redemption.occurred_at, redemption.id.as_str())
}

pub fn parse_entry_of_redemption(sort_key: &str) -> Option<RedemptionId> {
    sort_key.split_once('#').map(|(_, id)| RedemptionId::new(id))
}

const GIVEN_BACK: &str = "GIVEN_BACK#";

pub fn given_back(merchant: &MerchantId, redemption: &RedemptionId) -> Key {
    let pk = format!("{GIVEN_BACK}{}#{}", escape(merchant.as_str()), escape(redemption.as_str()));
    Key::new(pk, "GIVEN_BACK")
}

/// Whether the row says what was given back of a redemption.
pub fn is_given_back(key: &Key) -> bool {
    key.pk.starts_with(GIVEN_BACK)
}

pub fn redemption(merchant: &MerchantId, id: &RedemptionId) -> Key {
    listed_row(Listed::Redemptions, merchant, id.as_str(), "REDEMPTION")
}

pub fn settlement(merchant: &MerchantId, id: &SettlementId) -> Key {
    listed_row(Listed::Settlements, merchant, id.as_str(), "SETTLEMENT")
}

pub fn settled_partition(merchant: &MerchantId, source: &Source) -> String {
    let (kind, id) = match source {
        Source::Order(id) => ("ORDER", id.as_str()),
        Source::Redemption(id) => ("REDEMPTION", id.as_str()),
    };
    format!("SETTLED#{}#{kind}#{}", escape(merchant.as_str()), escape(id))
}

pub fn settled(merchant: &MerchantId, source: &Source, settlement: &SettlementId) -> Key {
    Key::new(settled_partition(merchant, source), format!("SETTLEMENT#{settlement}"))
}

/// The partition of a merchant's settlements that payouts can take.
pub fn pending_settlements(merchant: &MerchantId) -> String {
    format!("PENDING_SETTLEMENTS#{}", escape(merchant.as_str()))
}

/// The partition of a merchant's pending settlements that are held. Its sort keys are those of settlements that payouts can
/// take.
pub fn held_settlements(merchant: &MerchantId) -> String {
    format!("HELD_SETTLEMENTS#{}", escape(merchant.as_str()))
}

/// The beginning of the sort keys of pending settlements of a kind and a currency. A time and an id follow.
pub fn pending_settlements_of(kind: SettlementKind, currency: Currency) -> String {
    format!("{}#{currency}#", settlement_kind(kind))
}

/// The first sort key after those of pending settlements of the same kind and currency.
pub fn after_pending_settlements_like(sort_key: &str) -> String {
    let mut parts = sort_key.splitn(3, '#');
    match (parts.next(), parts.next()) {
        // A dollar sign sorts directly after the number sign.
        (Some(kind), Some(currency)) => format!("{kind}#{currency}$"),
        _ => format!("{sort_key}\0"),
    }
}

/// The kind and the currency of a pending settlement, by its sort key.
pub fn parse_pending_kind(sort_key: &str) -> Option<(SettlementKind, Currency)> {
    let mut parts = sort_key.splitn(3, '#');
    let (kind, currency) = (parts.next()?, parts.next()?);
    let kind = SettlementKind::ALL.into_iter().find(|known| settlement_kind(*known) == kind)?;
    Some((kind, currency.parse().ok()?))
}

/// When a pending settlement is eligible, and its id, by its sort key.
pub fn parse_pending_settlement(sort_key: &str) -> Option<(Timestamp, SettlementId)> {
    let mut parts = sort_key.splitn(4, '#').skip(2);
    Some((parts.next()?.parse().ok()?, SettlementId::new(parts.next()?)))
}

/// The sort key of a pending settlement.
pub fn pending_settlement(kind: SettlementKind, currency: Currency, eligible_at: Timestamp, id: &SettlementId) -> String {
    format!("{}{}", pending_settlements_of(kind, currency), at_and_id(eligible_at, id.as_str()))
}

fn settlement_kind(kind: SettlementKind) -> &'static str {
    match kind {
        SettlementKind::Order => "ORDER",
        SettlementKind::Redemption => "REDEMPTION",
        SettlementKind::Other => "OTHER",
    }
}

/// What the partition keys of all payout runs begin with.
pub const PAYOUT_RUNS: &str = "PAYOUT_RUN#";

pub fn payout_run(id: &PayoutRunId) -> Key {
    Key::new(format!("{PAYOUT_RUNS}{}", escape(id.as_str())), "RUN")
}

/// What a run has left out: one row for each merchant, currency and reason.
pub fn left_out(run: &PayoutRunId, merchant: &MerchantId, currency: Currency, reason: &str) -> Key {
    let sk = format!("{LEFT_OUT}{}#{currency}#{}", escape(merchant.as_str()), escape(reason));
    Key::new(payout_run(run).pk, sk)
}

/// The sort key prefix of what a run has left out.
pub const LEFT_OUT: &str = "LEFT_OUT#";

pub fn payout(id: &PayoutId) -> Key {
    Key::new(format!("PAYOUT#{}", escape(id.as_str())), "PAYOUT")
}

/// The partitions of the entries of payouts: of all, of a merchant and of a run.
pub fn payouts() -> String {
    "PAYOUTS#".to_owned()
}

pub fn payouts_of_merchant(merchant: &MerchantId) -> String {
    format!("PAYOUTS_OF_MERCHANT#{}", escape(merchant.as_str()))
}

pub fn payouts_of_run(run: &PayoutRunId) -> String {
    format!("PAYOUTS_OF_RUN#{}", escape(run.as_str()))
}

pub fn building_payout(merchant: &MerchantId, currency: Currency) -> Key {
    Key::new(format!("BUILDING_PAYOUT#{}", escape(merchant.as_str())), currency.code())
}

/// The partition of the settlements of a payout. Their sort keys are their ids.
pub fn settlements_of_payout(payout: &PayoutId) -> String {
    format!("PAYOUT_SETTLEMENTS#{}", escape(payout.as_str()))
}

pub fn settlement_of_payout(payout: &PayoutId, settlement: &SettlementId) -> Key {
    Key::new(settlements_of_payout(payout), settlement.as_str())
}

pub fn visit(merchant: &MerchantId, id: &str) -> Key {
    listed_row(Listed::Visits, merchant, id, "VISIT")
}

pub fn operation(reference: &Reference) -> Key {
    Key::new(format!("OPERATION#{}", escape(reference.as_str())), "OPERATION")
}

/// An operation without the codes of cards.
pub fn closed_operation(reference: &Reference) -> Key {
    Key { sk: "CLOSED".to_owned(), ..operation(reference) }
}

/// What the partition keys of all idempotency keys begin with.
pub const IDEMPOTENCY_KEYS: &str = "IDEMPOTENCY#";

pub fn idempotency(merchant: &MerchantId, route: &str, key: &str) -> Key {
    Key::new(format!("{IDEMPOTENCY_KEYS}{}#{route}#{}", escape(merchant.as_str()), hash(key)), "IDEMPOTENCY")
}

/// The key of a call that creates something. Neither a key nor a caller's id has a space.
pub fn creation(merchant: &MerchantId, call: &str, caller: &str, key: &str) -> Key {
    Key::new(format!("CREATION#{}#{call}#{}", escape(merchant.as_str()), hash(&format!("{caller} {key}"))), "CREATION")
}

/// The lease of a request with the key of a [`creation`].
pub fn creation_lease(creation: &Key) -> Key {
    Key { sk: "LEASE".to_owned(), ..creation.clone() }
}

/// What the partition keys of all rows of webhooks begin with.
pub const WEBHOOK_ROWS: &str = "WEBHOOK";
/// The beginning of the keys of webhook endpoints.
pub const WEBHOOKS: &str = "WEBHOOKS#";

/// The partition of a merchant's endpoints.
pub fn webhooks(merchant: &MerchantId) -> String {
    format!("{WEBHOOKS}{}", escape(merchant.as_str()))
}

/// The sort key prefix of endpoints.
pub const WEBHOOK_ENDPOINTS: &str = "ENDPOINT#";

pub fn webhook_endpoint(merchant: &MerchantId, id: &WebhookEndpointId) -> Key {
    Key::new(webhooks(merchant), format!("{WEBHOOK_ENDPOINTS}{id}"))
}

/// A partition of the messages that are to be dispatched, of all merchants. Not in an index, which would cost as much again for each of them.
pub fn webhook_messages(shard: u8) -> String {
    format!("WEBHOOK_MESSAGE#{shard}")
}

pub fn webhook_message(at: Timestamp, merchant: &MerchantId, id: &WebhookMessageId) -> Key {
    let merchant_and_id = format!("{}#{}", escape(merchant.as_str()), id.as_str());
    Key::new(webhook_messages(shard(id.as_str())), at_and_id(at, &merchant_and_id))
}

pub fn webhook_body(merchant: &MerchantId, id: &WebhookMessageId) -> Key {
    Key::new(format!("WEBHOOK_BODY#{}#{}", escape(merchant.as_str()), escape(id.as_str())), "BODY")
}

/// The partition of the deliveries of an endpoint. Their sort keys are their ids, in the order of time.
pub fn webhook_deliveries(merchant: &MerchantId, endpoint: &WebhookEndpointId) -> String {
    format!("WEBHOOK_DELIVERIES#{}#{}", escape(merchant.as_str()), escape(endpoint.as_str()))
}

pub fn webhook_delivery(merchant: &MerchantId, endpoint: &WebhookEndpointId, id: &WebhookDeliveryId) -> Key {
    Key::new(webhook_deliveries(merchant, endpoint), id.as_str())
}

/// The partition of the deliveries of an endpoint that wait. Their sort keys are the time of the next attempt and the id.
pub fn webhook_queue(merchant: &MerchantId, endpoint: &WebhookEndpointId) -> String {
    format!("WEBHOOK_QUEUE#{}#{}", escape(merchant.as_str()), escape(endpoint.as_str()))
}

pub fn restores() -> Key {
    Key::new("RESTORE#".to_owned(), "LOST")
}

/// One row for the whole table.
pub fn heartbeat() -> Key {
    Key::new("HEARTBEAT#".to_owned(), "HEARTBEAT")
}

/// One row for the whole table.
pub fn followed_release() -> Key {
    Key::new("TIME_ZONES#".to_owned(), "TIME_ZONES")
}

/// Contains only the hash of the caller.
pub fn counter(action: &str, scope: &str, caller: &str) -> Key {
    Key::new(format!("COUNTER#{action}#{scope}#{}", hash(caller)), "COUNTER")
}

/// Contains only the hash of the id, which can be longer than a key.
pub fn offer_lease(merchant: &MerchantId, offer: &OfferId) -> Key {
    Key::new(format!("LEASE#{}#{}", escape(merchant.as_str()), hash(offer.as_str())), "OFFER")
}

/// For additions to a merchant's list of offers.
pub fn offers_lease(merchant: &MerchantId) -> Key {
    Key::new(format!("LEASE#{}", escape(merchant.as_str())), "OFFERS")
}

/// For additions to a merchant's stores.
pub fn stores_lease(merchant: &MerchantId) -> Key {
    Key { sk: "STORES".to_owned(), ..offers_lease(merchant) }
}

pub fn take_down(object_key: &str) -> Key {
    Key::new(format!("TAKE_DOWN#{}", escape(object_key)), "TAKE_DOWN")
}

pub fn export(merchant: &MerchantId, id: &ExportId) -> Key {
    Key::new(export_partition(merchant), format!("EXPORT#{id}"))
}

/// The row that a merchant has while one of its exports is running.
pub fn running_export(merchant: &MerchantId) -> Key {
    Key::new(export_partition(merchant), "RUNNING")
}

fn export_partition(merchant: &MerchantId) -> String {
    format!("EXPORT#{}", escape(merchant.as_str()))
}

pub fn payouts_lease(merchant: &MerchantId) -> Key {
    Key::new(format!("LEASE#{}", escape(merchant.as_str())), "PAYOUTS")
}

pub fn job(id: &JobId) -> Key {
    Key::new(format!("{JOBS}{}", escape(id.as_str())), "JOB")
}

/// The partition key prefix of jobs, by which the stream's event filter selects them.
pub const JOBS: &str = "JOB#";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueWork {
    Operations,
    Jobs,
    /// Jobs whose last attempt has failed. An operator has to look at them.
    DeadJobs,
}

/// The partition of the due index for webhooks.
pub const DUE_WEBHOOK_ENDPOINTS: &str = "WEBHOOK_ENDPOINTS";

pub fn due_webhook_endpoint(at: Timestamp, id: &WebhookEndpointId) -> Key {
    Key::new(DUE_WEBHOOK_ENDPOINTS.to_owned(), at_and_id(at, id.as_str()))
}

pub fn due_partition(work: DueWork, shard: u8) -> String {
    match work {
        DueWork::Operations => format!("OPERATIONS#{shard}"),
        DueWork::Jobs => format!("JOBS#{shard}"),
        DueWork::DeadJobs => format!("DEAD#{shard}"),
    }
}

/// The key in the due index of the work with this id.
pub fn due(work: DueWork, at: Timestamp, id: &str) -> Key {
    Key::new(due_partition(work, shard(id)), at_and_id(at, id))
}

fn shard(id: &str) -> u8 {
    id.bytes().fold(0_u8, u8::wrapping_add) % DUE_SHARDS
}

/// A sort key of a time and an id. The id keeps the order of rows of the same millisecond stable, so that no page repeats
/// or skips a row.
pub fn at_and_id(at: Timestamp, id: &str) -> String {
    format!("{}#{id}", iso_8601(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_different_ids_differ_even_if_ids_contain_the_separator() {
        let order = |m: &str, o: &str| order(&MerchantId::new(m), &OrderId::new(o));
        assert_ne!(order("a#b", "c"), order("a", "b#c"));
        assert_ne!(order("a%23b", "c"), order("a#b", "c"));
    }

    #[test]
    fn keys_name_their_merchant_and_type() {
        for id in ["m", "a#b", "a%23b", "%25#%"] {
            assert_eq!(parse_user(&user(&UserId::new(id)).pk), Some(UserId::new(id)));
            let id = MerchantId::new(id);
            let order = order(&id, &OrderId::new("o"));
            assert_eq!(Listed::of(&order.pk), Some(Listed::Orders));
            assert!(order.pk.starts_with(&listed_rows(Listed::Orders, Some(&id))));
            assert_eq!(Listed::of(&entries(&id, Family::Orders)), None);
        }
    }

    #[test]
    fn entries_name_their_merchant_and_family() {
        for id in ["m", "a#b", "a%23b", "%25#%"] {
            for family in Family::ALL {
                let merchant = MerchantId::new(id);
                let partition = entries(&merchant, family);
                assert_eq!(parse_entries(&partition), Some((merchant, family)), "{partition}");
            }
        }
        for partition in ["ORDER#m#o", "ORDERS", "CHANGED_ORDERS#m", "ORDERS#m#o", "FLAGGED_ORDERS#m"] {
            assert_eq!(parse_entries(partition), None, "{partition}");
        }
    }
}
