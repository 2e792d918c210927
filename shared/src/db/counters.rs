//! Counters of limits: what is limited is reserved with one conditional write before it is done, and given back if it does not count.
//!
//! [`limits::model::counter`](crate::limits::model::counter) explains the row. Any number of parallel requests stay within a limit: the condition is on
//! the sum alone, so that they do not wait for each other. Only when the sum has reached the limit, buckets that have ended are
//! removed from it, on condition that nobody has written meanwhile. A counter is never part of a transaction, whose conflicts it would
//! share.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use aws_sdk_dynamodb::config::Config;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::operation::update_item::{UpdateItemError, UpdateItemOutput};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::error::{StoreError, call};
use super::keys::{self, Key, TTL};
use super::row::{Item, VERSION, key_item, ttl};
use super::table::Store;
use super::write::MAX_BUSY_RETRIES;
use crate::base::best_effort::best_effort;
use crate::limits::model::counter::{Bucket, Counter, limit_of_guesses, refused_guess};
use crate::limits::model::{GUESSES_AT_TILLS, GUESSES_OF_HOLDERS, GuessLimits, RateLimit, UsedUp};
use crate::team::model::team::fold_email;
use crate::team::model::till::Operator;
use crate::values::{ApiKeyId, MerchantId, UserId, later};

const SUM: &str = "sum";
/// Rows outlive their last bucket, whose end is rounded up.
const RETENTION_MARGIN: SignedDuration = SignedDuration::from_hours(2);
/// A row with more buckets that have ended is tidied by whoever adds to it.
const MAX_ENDED: usize = 20;
/// The first attempt finds that the sum has reached the limit. A further one is needed only after a lost race for the buckets that have
/// ended, which somebody has won.
const MAX_ATTEMPTS: u32 = 10;

/// The caller whose calls are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller<'a> {
    /// All calls that name this e-mail address.
    Email(&'a str),
    /// All calls that name this e-mail address, from this client address.
    EmailAt(&'a str, Option<IpAddr>),
    /// All calls of this merchant that name this e-mail address.
    EmailOf(&'a str, &'a MerchantId),
    /// All calls from a browser that has signed in before, by a value of its cookie.
    Device(&'a str),
    /// All calls that concern this merchant.
    Merchant(&'a MerchantId),
    /// All calls of this user.
    Member(&'a UserId),
    /// All calls of this merchant's keys together.
    Keys(&'a MerchantId),
    /// All calls of this till, member or key.
    Operator(&'a Operator),
    /// All calls from this client address; all calls without a known address count together.
    Address(Option<IpAddr>),
}

impl Caller<'_> {
    fn key(self, action: &str) -> Key {
        let counter = |scope, caller: &str| keys::counter(action, scope, caller);
        match self {
            Self::Email(email) => counter("email", &fold_email(email)),
            Self::EmailAt(email, address) => counter("email-at", &format!("{} {}", network_name(address), fold_email(email))),
            Self::EmailOf(email, merchant) => counter("email-of", &format!("{merchant} {}", fold_email(email))),
            Self::Device(device) => counter("device", device),
            Self::Merchant(merchant) => counter("merchant", merchant.as_str()),
            Self::Member(user) | Self::Operator(Operator::User(user)) => counter("user", user.as_str()),
            Self::Operator(Operator::Till(till)) => counter("till", till.as_str()),
            Self::Operator(Operator::Key(key)) => counter("key", key.as_str()),
            Self::Keys(merchant) => counter("keys", merchant.as_str()),
            Self::Address(address) => counter("address", &network_name(address)),
        }
    }
}

fn network_name(address: Option<IpAddr>) -> String {
    address.map(|address| network(address).to_string()).unwrap_or_default()
}

/// An IPv6 subscriber has a /64 network of addresses, which count as one.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let prefix = u128::from(address) & (u128::MAX << 64);
            IpAddr::V6(Ipv6Addr::from(prefix))
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// Who asks for cards, and may be guessing their codes.
#[derive(Debug, Clone, Copy)]
pub enum Guesser<'a> {
    Operator(&'a Operator),
    /// Whoever holds a card, without a session.
    Holder(Option<IpAddr>),
}

impl<'a> From<&'a Operator> for Guesser<'a> {
    fn from(operator: &'a Operator) -> Self {
        Self::Operator(operator)
    }
}

impl Guesser<'_> {
    const fn limits(self) -> &'static GuessLimits {
        match self {
            Self::Operator(_) => &GUESSES_AT_TILLS,
            Self::Holder(_) => &GUESSES_OF_HOLDERS,
        }
    }

    fn row(self) -> Key {
        let caller = match self {
            Self::Operator(operator) => Caller::Operator(operator),
            Self::Holder(address) => Caller::Address(address),
        };
        caller.key(self.limits().own.action)
    }

    fn row_of_merchant(self, merchant: &MerchantId) -> Key {
        Caller::Merchant(merchant).key(self.limits().merchant.action)
    }
}

/// A limit, and whose calls it counts.
pub type Limited<'a> = (RateLimit, Caller<'a>);

/// A member or a key that uses what its merchant has.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    pub merchant: &'a MerchantId,
    pub who: Who<'a>,
}

#[derive(Debug, Clone, Copy)]
pub enum Who<'a> {
    User(&'a UserId),
    Key(&'a ApiKeyId),
}

impl fmt::Display for Who<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(user) => user.fmt(f),
            Self::Key(key) => write!(f, "KEY#{key}"),
        }
    }
}

impl<'a> Member<'a> {
    /// The member's share of a limit of the merchant, and the limit. All keys together have the share of one member. The share comes
    /// first: who has used it up changes nothing for the others, not even for a moment.
    pub fn within(self, limit: RateLimit) -> [Limited<'a>; 2] {
        let share = match self.who {
            Who::User(user) => (limit.share(), Caller::Member(user)),
            Who::Key(_) => (limit.share_of_keys(), Caller::Keys(self.merchant)),
        };
        [share, (limit, Caller::Merchant(self.merchant))]
    }
}

/// What was reserved, to be given back if it does not count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct Reservation(Vec<Reserved>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Reserved {
    #[serde(flatten)]
    row: Key,
    bucket: String,
    cost: u32,
}

impl Store {
    /// Reserves a call towards each of its limits, those first that concern the caller alone. What one of them refuses counts for none.
    pub async fn reserve(
        &self,
        limits: &[Limited<'_>],
        cost: u32,
        now: Timestamp,
    ) -> Result<Result<Reservation, UsedUp>, StoreError> {
        let mut reservation = Reservation::default();
        for (limit, caller) in limits {
            let bucket = Bucket::counted(limit, now);
            match self.reserve_in(caller.key(limit.action), limit, bucket, cost, now).await {
                Ok(Ok(reserved)) => reservation.0.push(reserved),
                refused_or_failed => {
                    self.give_back(reservation).await;
                    return Ok(refused_or_failed?.map(|_| Reservation::default()));
                }
            }
        }
        Ok(Ok(reservation))
    }

    /// As [`Self::reserve`], for what is never given back: this instance remembers what is used up, so that who goes on costs no call.
    pub async fn use_up(&self, limits: &[Limited<'_>], cost: u32, now: Timestamp) -> Result<Result<(), UsedUp>, StoreError> {
        for (limit, caller) in limits {
            if let Some(wait) = self.refusals.find(&caller.key(limit.action), cost, now) {
                return Ok(Err(UsedUp { limit: *limit, wait }));
            }
        }
        let reserved = self.reserve(limits, cost, now).await?;
        if let Err(used_up) = &reserved {
            let refused = limits.iter().find(|(limit, _)| *limit == used_up.limit);
            refused.inspect(|(limit, caller)| self.refusals.add(caller.key(limit.action), cost, later(now, used_up.wait)));
        }
        Ok(reserved.map(|_| ()))
    }

    /// Gives back what does not count. What cannot be given back stops counting with its window.
    pub async fn give_back(&self, reservation: Reservation) {
        for reserved in &reservation.0 {
            best_effort("the count of what does not count", self.take_out(reserved, None).await);
        }
    }

    /// Reserves a look-up or a redemption of a card, whose code may turn out to be a guess.
    pub async fn reserve_guess<'a>(
        &self,
        merchant: &MerchantId,
        by: impl Into<Guesser<'a>>,
        now: Timestamp,
    ) -> Result<Result<Reservation, UsedUp>, StoreError> {
        let by = by.into();
        let of_merchant = self.counter(by.row_of_merchant(merchant)).await?;
        let limit = match limit_of_guesses(by.limits(), &of_merchant, now) {
            Ok(limit) => limit,
            Err(stopped) => return Ok(Err(stopped)),
        };
        let reserved = self.reserve_in(by.row(), &limit, Bucket::of_attempt(now), 1, now).await?;
        Ok(match reserved {
            Ok(reserved) => Ok(Reservation(vec![reserved])),
            Err(used_up) => Err(refused_guess(by.limits(), used_up, &of_merchant, now)),
        })
    }

    /// Counts a code that the card network does not know, for who asked, whose reservation it ends, and for the merchant.
    pub async fn count_guess<'a>(
        &self,
        merchant: &MerchantId,
        by: impl Into<Guesser<'a>>,
        reservation: &Reservation,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let by = by.into();
        let GuessLimits { own: limit, merchant: limit_of_merchant, .. } = by.limits();
        let own = async {
            let bucket = Bucket::counted(limit, now);
            if let [reserved] = reservation.0.as_slice()
                && self.take_out(reserved, Some((bucket, now))).await?
            {
                return Ok(());
            }
            self.add(&by.row(), limit, bucket, 1, now, None).await.map(|_| ())
        };
        let row = by.row_of_merchant(merchant);
        let all = self.add(&row, limit_of_merchant, Bucket::counted(limit_of_merchant, now), 1, now, None);
        let (own, all) = tokio::join!(own, all);
        own.and(all.map(|_| ()))
    }

    async fn counter(&self, row: Key) -> Result<Counter, StoreError> {
        let read = self.client.get_item().table_name(&self.table).set_key(Some(key_item(&row))).consistent_read(true);
        let output = read.send().await.map_err(call("GetItem"))?;
        Ok(counter_of(&output.item.unwrap_or_default()))
    }

    async fn reserve_in(
        &self,
        row: Key,
        limit: &RateLimit,
        bucket: Bucket,
        cost: u32,
        now: Timestamp,
    ) -> Result<Result<Reserved, UsedUp>, StoreError> {
        let refused = |wait| Ok(Err(UsedUp { limit: *limit, wait }));
        let Some(max_before) = limit.max.checked_sub(cost) else { return refused(limit.window) };
        for attempt in 0..MAX_ATTEMPTS {
            let Some(full) = self.add(&row, limit, bucket, cost, now, Some(max_before)).await? else {
                return Ok(Ok(Reserved { row, bucket: bucket.name(), cost }));
            };
            if let Some(wait) = counter_of(&full).wait(limit, cost, now) {
                return refused(wait);
            }
            if !self.remove_ended(&row, &full, now).await? {
                self.back_off(attempt).await;
            }
        }
        let message = "a counter was changed concurrently in every attempt".to_owned();
        Err(StoreError::Throttled { operation: "UpdateItem", message })
    }

    /// Adds to a counter, on condition that its sum is at most this. Returns the row if it is more, and nothing was added.
    async fn add(
        &self,
        row: &Key,
        limit: &RateLimit,
        bucket: Bucket,
        cost: u32,
        now: Timestamp,
        max_before: Option<u32>,
    ) -> Result<Option<Item>, StoreError> {
        let mut add = self
            .update_counter(row, "SET #ttl = :ttl ADD #sum :cost, #bucket :cost, #version :one")
            .return_values(ReturnValue::AllNew)
            .expression_attribute_names("#ttl", TTL)
            .expression_attribute_names("#sum", SUM)
            .expression_attribute_names("#bucket", bucket.name())
            .expression_attribute_values(":ttl", ttl(expiry(limit, now)))
            .expression_attribute_values(":cost", number(cost))
            .expression_attribute_values(":one", number(1));
        if let Some(max_before) = max_before {
            add = add
                .condition_expression("attribute_not_exists(#sum) OR #sum <= :max_before")
                .expression_attribute_values(":max_before", number(max_before));
        }
        match conditional(add).await? {
            Written::Refused(row) => Ok(Some(row)),
            Written::Done(new) => {
                if counter_of(&new).ended(now).count() > MAX_ENDED {
                    best_effort("removing what counts no longer", self.remove_ended(row, &new, now).await);
                }
                Ok(None)
            }
        }
    }

    /// Takes a reservation out of its bucket: it counts no longer, or in another bucket. `false`, and nothing is written, if the
    /// bucket has ended and was removed.
    ///
    /// What is given back is sent once. Whether a lost attempt was carried out is not known, and who gave back twice would
    /// give back what others have reserved.
    async fn take_out(&self, reserved: &Reserved, into: Option<(Bucket, Timestamp)>) -> Result<bool, StoreError> {
        let expression = match into {
            Some(_) => "SET #ttl = :ttl ADD #bucket :less, #into :cost, #version :one",
            None => "ADD #bucket :less, #sum :less, #version :one",
        };
        for attempt in 0.. {
            let update = self
                .update_counter(&reserved.row, expression)
                .condition_expression("#bucket >= :cost")
                .expression_attribute_names("#bucket", &reserved.bucket)
                .expression_attribute_values(":cost", number(reserved.cost))
                .expression_attribute_values(":less", AttributeValue::N(format!("-{}", reserved.cost)))
                .expression_attribute_values(":one", number(1));
            let update = match into {
                Some((bucket, now)) => update
                    .expression_attribute_names("#ttl", TTL)
                    .expression_attribute_names("#into", bucket.name())
                    .expression_attribute_values(":ttl", ttl(expiry(&GUESSES_AT_TILLS.own, now))),
                None => update.expression_attribute_names("#sum", SUM),
            };
            match once(update).await {
                Err(StoreError::Throttled { .. }) if attempt < MAX_BUSY_RETRIES => self.back_off(attempt).await,
                result => return Ok(matches!(result?, Written::Done(_))),
            }
        }
        Ok(false)
    }

    /// Removes the buckets of a row that have ended, from its sum too. `false` if the row has changed since it was read.
    async fn remove_ended(&self, row: &Key, read: &Item, now: Timestamp) -> Result<bool, StoreError> {
        let counter = counter_of(read);
        let names: Vec<String> =
            (0..).map(|number: u32| format!("#ended{number}")).zip(counter.ended(now)).map(|(name, _)| name).collect();
        if names.is_empty() {
            return Ok(false);
        }
        let mut update = self
            .update_counter(row, &format!("SET #sum = :sum REMOVE {} ADD #version :one", names.join(", ")))
            .condition_expression("#version = :version")
            .expression_attribute_names("#sum", SUM)
            .expression_attribute_values(":sum", number(counter.sum(now)))
            .expression_attribute_values(":one", number(1))
            .expression_attribute_values(":version", read.get(VERSION).cloned().unwrap_or_else(|| number(0)));
        for (name, bucket) in names.into_iter().zip(counter.ended(now)) {
            update = update.expression_attribute_names(name, bucket.name());
        }
        Ok(matches!(conditional(update).await?, Written::Done(_)))
    }

    fn update_counter(&self, row: &Key, expression: &str) -> UpdateItemFluentBuilder {
        self.client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key_item(row)))
            .update_expression(expression)
            .expression_attribute_names("#version", VERSION)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
    }
}

/// What has become of a conditional write.
enum Written {
    /// With the attributes that it asked for.
    Done(Item),
    /// With the row as it is.
    Refused(Item),
}

async fn conditional(update: UpdateItemFluentBuilder) -> Result<Written, StoreError> {
    written(update.send().await)
}

/// Without the SDK's retries.
async fn once(update: UpdateItemFluentBuilder) -> Result<Written, StoreError> {
    written(update.customize().config_override(Config::builder().retry_config(RetryConfig::disabled())).send().await)
}

fn written(result: Result<UpdateItemOutput, SdkError<UpdateItemError>>) -> Result<Written, StoreError> {
    let error = match result {
        Ok(output) => return Ok(Written::Done(output.attributes.unwrap_or_default())),
        Err(error) => error,
    };
    match error.as_service_error() {
        Some(UpdateItemError::ConditionalCheckFailedException(refused)) => {
            Ok(Written::Refused(refused.item().cloned().unwrap_or_default()))
        }
        _ => Err(call("UpdateItem")(error)),
    }
}

fn counter_of(row: &Item) -> Counter {
    let count = |value: &AttributeValue| value.as_n().ok().and_then(|number| number.parse().ok()).unwrap_or_default();
    row.iter().filter_map(|(name, value)| Some((Bucket::parse(name)?, count(value)))).collect()
}

/// Later than the end of anything that is counted now.
fn expiry(limit: &RateLimit, now: Timestamp) -> Timestamp {
    later(later(now, limit.window), RETENTION_MARGIN)
}

fn number(number: u32) -> AttributeValue {
    AttributeValue::N(number.to_string())
}
