//! Conditional writes, and transactions of them.

use std::time::Duration;

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::builders::{PutBuilder, UpdateBuilder};
use aws_sdk_dynamodb::types::{AttributeValue, ConditionCheck, Delete, Put, TransactWriteItem};
use jiff::{SignedDuration, Timestamp};

use super::error::{CommitError, StoreError, call, is_written, throttled};
use super::keys::{self, Key, TTL};
use super::row::{Entity, Item, Stored, VERSION, item_key, key_item, to_item};
use super::table::Store;
use crate::base::backoff::Backoff;

/// The write of one entity, as part of a transaction: of its row and of its [entries](Entity::entries).
#[derive(Debug, Clone)]
pub struct Write(Vec<Action>);

/// The write of one row.
#[derive(Debug, Clone)]
struct Action {
    key: Key,
    item: TransactWriteItem,
}

/// Replaced by the table's name in [`Store::commit`].
const ANY_TABLE: &str = "-";
const SAME_VERSION: &str = "#version = :version";

/// Adds the condition that a row has not changed since it was read. `Put`, `Delete` and `ConditionCheck` have the same
/// builder methods and no common trait.
macro_rules! if_unchanged {
    ($builder:expr, $read:expr) => {
        $builder
            .condition_expression(SAME_VERSION)
            .expression_attribute_names("#version", VERSION)
            .expression_attribute_values(":version", AttributeValue::N($read.version.to_string()))
    };
}

impl Write {
    /// Creates a row that must not exist yet.
    pub fn create<T: Entity>(value: &T) -> Result<Self, StoreError> {
        Self::create_item(to_item(value, 1)?)?.with_entries(value, None)?.with_change(value, 1)
    }

    /// Creates an item that must not exist yet.
    pub fn create_item(item: Item) -> Result<Self, StoreError> {
        Self::put_item(item, Put::builder().condition_expression("attribute_not_exists(pk)"))
    }

    /// Creates a row that must not exist yet, or whose TTL attribute is `max_ttl` or earlier.
    pub fn create_or_renew<T: Entity>(value: &T, max_ttl: Timestamp) -> Result<Self, StoreError> {
        let condition = Put::builder()
            .condition_expression("attribute_not_exists(pk) OR #ttl <= :max_ttl")
            .expression_attribute_names("#ttl", TTL)
            .expression_attribute_values(":max_ttl", AttributeValue::N(max_ttl.as_second().to_string()));
        Self::put_item(to_item(value, 1)?, condition)
    }

    /// Writes a row that nobody else writes, unconditionally.
    pub fn put<T: Entity>(value: &T) -> Result<Self, StoreError> {
        Self::put_item(to_item(value, 1)?, Put::builder())?.with_entries(value, None)
    }

    /// Replaces a row that must not have changed since it was read.
    pub fn replace<T: Entity>(read: &Stored<T>, value: &T) -> Result<Self, StoreError> {
        let version = read.version + 1;
        let mut item = read.unknown.clone();
        item.extend(to_item(value, version)?);
        Self::put_item(item, if_unchanged!(Put::builder(), read))?
            .with_entries(value, Some(&read.value))?
            .with_change(value, version)
    }

    /// Replaces a row that must still have the same text in this attribute. For rows that are deleted and created again, where
    /// the version tells nothing.
    pub fn replace_if_same<T: Entity>(read: &Stored<T>, value: &T, attribute: &str) -> Result<Self, StoreError> {
        let expected = to_item(&read.value, read.version)?.remove(attribute);
        let put = Put::builder().expression_attribute_names("#attribute", attribute);
        let put = match expected {
            Some(expected) => {
                put.condition_expression("#attribute = :expected").expression_attribute_values(":expected", expected)
            }
            None => put.condition_expression("attribute_exists(pk) AND attribute_not_exists(#attribute)"),
        };
        let mut item = read.unknown.clone();
        item.extend(to_item(value, read.version + 1)?);
        Self::put_item(item, put)
    }

    /// Whether it writes the row with this key.
    fn is_of(&self, key: &Key) -> bool {
        self.0.iter().any(|action| action.key == *key)
    }

    fn put_item(item: Item, put: PutBuilder) -> Result<Self, StoreError> {
        let key = item_key(&item).unwrap_or_else(keys::nothing);
        let put = put.table_name(ANY_TABLE).set_item(Some(item)).build()?;
        Ok(Self::of_row(key, TransactWriteItem::builder().put(put).build()))
    }

    fn of_row(key: Key, item: TransactWriteItem) -> Self {
        Self(vec![Action { key, item }])
    }

    /// Adds the entries of a row, and deletes those that it had before and has no longer.
    fn with_entries<T: Entity>(mut self, value: &T, before: Option<&T>) -> Result<Self, StoreError> {
        let entries = value.entries()?;
        let current: Vec<Key> = entries.iter().filter_map(item_key).collect();
        let before = before.map(T::entries).transpose()?.unwrap_or_default();
        for entry in entries {
            self.0.extend(Self::put_item(entry, Put::builder())?.0);
        }
        for key in before.iter().filter_map(item_key).filter(|key| !current.contains(key)) {
            self.0.extend(Self::remove(key)?.0);
        }
        Ok(self)
    }

    fn with_change<T: Entity>(mut self, value: &T, version: u64) -> Result<Self, StoreError> {
        if let Some(change) = value.change(version)? {
            self.0.extend(Self::put_item(change, Put::builder())?.0);
        }
        Ok(self)
    }

    /// Changes attributes of a row, which need not exist.
    pub(crate) fn update(key: Key, update: UpdateBuilder) -> Result<Self, StoreError> {
        let update = update.table_name(ANY_TABLE).set_key(Some(key_item(&key))).build()?;
        Ok(Self::of_row(key, TransactWriteItem::builder().update(update).build()))
    }

    /// Deletes a row that must not have changed since it was read.
    pub fn delete<T: Entity>(read: &Stored<T>) -> Result<Self, StoreError> {
        let key = read.key();
        let delete = Delete::builder().table_name(ANY_TABLE).set_key(Some(key_item(&key)));
        let delete = if_unchanged!(delete, read).build()?;
        let mut write = Self::of_row(key, TransactWriteItem::builder().delete(delete).build());
        for key in read.entries()?.iter().filter_map(item_key) {
            write.0.extend(Self::remove(key)?.0);
        }
        Ok(write)
    }

    /// Deletes a row unconditionally.
    pub fn remove(key: Key) -> Result<Self, StoreError> {
        let delete = Delete::builder().table_name(ANY_TABLE).set_key(Some(key_item(&key))).build()?;
        Ok(Self::of_row(key, TransactWriteItem::builder().delete(delete).build()))
    }

    /// Deletes a row that must not have this attribute, if it exists.
    pub fn remove_without(key: Key, attribute: &str) -> Result<Self, StoreError> {
        let delete = Delete::builder().table_name(ANY_TABLE).set_key(Some(key_item(&key)));
        let delete = delete.condition_expression("attribute_not_exists(#attribute)");
        let delete = delete.expression_attribute_names("#attribute", attribute).build()?;
        Ok(Self::of_row(key, TransactWriteItem::builder().delete(delete).build()))
    }

    /// Writes nothing, but requires that a row has not changed since it was read.
    pub fn require_unchanged<T: Entity>(read: &Stored<T>) -> Result<Self, StoreError> {
        let key = read.key();
        let check = ConditionCheck::builder().table_name(ANY_TABLE).set_key(Some(key_item(&key)));
        let check = if_unchanged!(check, read).build()?;
        Ok(Self::of_row(key, TransactWriteItem::builder().condition_check(check).build()))
    }

    /// Replaces a row that has not changed since it was read. Writes nothing if it stays as it is, and requires only that.
    pub fn replace_if_different<T: Entity + PartialEq>(read: &Stored<T>, row: &T) -> Result<Self, StoreError> {
        if read.value == *row { Self::require_unchanged(read) } else { Self::replace(read, row) }
    }

    /// Writes nothing, but requires that there is no such row.
    pub fn require_missing(key: Key) -> Result<Self, StoreError> {
        let check = ConditionCheck::builder().table_name(ANY_TABLE).set_key(Some(key_item(&key)));
        let check = check.condition_expression("attribute_not_exists(pk)").build()?;
        Ok(Self::of_row(key, TransactWriteItem::builder().condition_check(check).build()))
    }
}

impl Action {
    fn on_table(mut self, table: &str) -> TransactWriteItem {
        if let Some(put) = &mut self.item.put {
            table.clone_into(&mut put.table_name);
        }
        if let Some(delete) = &mut self.item.delete {
            table.clone_into(&mut delete.table_name);
        }
        if let Some(update) = &mut self.item.update {
            table.clone_into(&mut update.table_name);
        }
        if let Some(check) = &mut self.item.condition_check {
            table.clone_into(&mut check.table_name);
        }
        self.item
    }
}

/// Actions in one `TransactWriteItems`, by DynamoDB's limit.
pub const MAX_ACTIONS: usize = 100;

/// The actions that a transaction has left.
#[derive(Debug)]
pub struct ActionBudget(usize);

impl ActionBudget {
    /// What these writes leave.
    pub fn beside<'a>(writes: impl IntoIterator<Item = &'a Write>) -> Self {
        Self(MAX_ACTIONS.saturating_sub(count_actions(writes)))
    }

    /// Spends the actions of more writes. `false` if they are not left; then none is spent.
    pub fn spend<'a>(&mut self, writes: impl IntoIterator<Item = &'a Write>) -> bool {
        let left = self.0.checked_sub(count_actions(writes));
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

fn count_actions<'a>(writes: impl IntoIterator<Item = &'a Write>) -> usize {
    writes.into_iter().map(|Write(actions)| actions.len()).sum()
}

/// Adds to the writes of a transaction those of the others that fit into it, in their order.
pub fn fill_transaction(writes: &mut Vec<Write>, others: impl IntoIterator<Item = Write>) {
    let mut budget = ActionBudget::beside(&*writes);
    writes.extend(others.into_iter().take_while(|write| budget.spend([write])));
}

/// The writes of as few transactions as possible, in the order of the groups. The writes of a group stay together.
pub fn pack_transactions(groups: impl IntoIterator<Item = Vec<Write>>) -> Vec<Vec<Write>> {
    let mut transactions: Vec<Vec<Write>> = Vec::new();
    for group in groups {
        match transactions.last_mut() {
            Some(last) if ActionBudget::beside(&*last).spend(&group) => last.extend(group),
            _ => transactions.push(group),
        }
    }
    transactions
}

/// The maximum number of retries of a call that DynamoDB did not carry out, or only in part, because the table is busy:
/// a second and a quarter with the longest backoff.
pub(crate) const MAX_BUSY_RETRIES: u32 = 6;
const BACKOFF: Backoff = Backoff::new(SignedDuration::from_millis(20), SignedDuration::from_millis(1280));

impl Store {
    /// Commits all of the writes or none. The SDK repeats a lost request with the same client request token, so it
    /// takes effect once. [`StoreError::TooManyActions`] if they are more than one transaction takes.
    pub async fn commit(&self, writes: Vec<Write>) -> Result<(), CommitError> {
        let count = count_actions(&writes);
        if count > MAX_ACTIONS {
            return Err(StoreError::TooManyActions(count).into());
        }
        let actions: Vec<Action> = writes.into_iter().flat_map(|Write(actions)| actions).collect();
        let keys: Vec<Key> = actions.iter().map(|action| action.key.clone()).collect();
        let items: Vec<_> = actions.into_iter().map(|action| action.on_table(&self.table)).collect();
        for attempt in 0.. {
            let commit = self.client.transact_write_items().set_transact_items(Some(items.clone()));
            let Err(error) = commit.send().await else {
                log_new_jobs(&items);
                return Ok(());
            };
            match cancellation(&error, &keys) {
                Some(Cancellation::Condition(key)) => return Err(CommitError::Conflict(key)),
                Some(Cancellation::Busy) if attempt < MAX_BUSY_RETRIES => self.back_off(attempt).await,
                Some(Cancellation::Busy) => return Err(CommitError::Store(throttled("TransactWriteItems", &error))),
                _ => return Err(CommitError::Store(call("TransactWriteItems")(error))),
            }
        }
        Ok(())
    }

    /// As [`Store::commit`], for writes that may be left out if a row has changed or exists. Returns whether they were made.
    pub async fn commit_if_possible(&self, writes: Vec<Write>) -> Result<bool, StoreError> {
        is_committed(self.commit(writes).await)
    }

    /// As [`Store::commit`], at half the price if the write is of one row: without a transaction. Where its response is lost, the SDK
    /// repeats it, and the repetition conflicts: only for changes that can as well be applied again, or left to the next worker.
    pub async fn commit_one(&self, write: Write) -> Result<(), CommitError> {
        let put = match &write.0[..] {
            [Action { key, item }] => item.put.clone().map(|put| (key.clone(), put)),
            _ => None,
        };
        let Some((key, put)) = put else { return self.commit(vec![write]).await };
        for attempt in 0.. {
            let call = self.client.put_item().table_name(&self.table).set_item(Some(put.item.clone()));
            let call = call
                .set_condition_expression(put.condition_expression.clone())
                .set_expression_attribute_names(put.expression_attribute_names.clone())
                .set_expression_attribute_values(put.expression_attribute_values.clone());
            match is_written("PutItem", call.send().await) {
                Ok(true) => break,
                Ok(false) => return Err(CommitError::Conflict(key)),
                // A transaction is writing the row.
                Err(StoreError::Throttled { .. }) if attempt < MAX_BUSY_RETRIES => self.back_off(attempt).await,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// As [`Store::commit_one`], for a write that may be left out if the row has changed or exists. Returns whether it was made.
    pub async fn commit_one_if_possible(&self, write: Write) -> Result<bool, StoreError> {
        is_committed(self.commit_one(write).await)
    }

    /// As [`Store::commit`], with those of the possible writes that no changed row stands in the way of. Writes that belong
    /// together are made together, or not at all.
    pub async fn commit_with_possible(&self, writes: Vec<Write>, mut possible: Vec<Vec<Write>>) -> Result<(), CommitError> {
        loop {
            let all = writes.iter().chain(possible.iter().flatten()).cloned().collect();
            let result = self.commit(all).await;
            let Err(CommitError::Conflict(row)) = &result else { return result };
            let count = possible.len();
            possible.retain(|writes| !writes.iter().any(|write| write.is_of(row)));
            if possible.len() == count {
                return result;
            }
        }
    }

    /// Deletes a row without entries, unless it has changed since it was read. Costs half as much as a transaction.
    pub async fn delete_if_unchanged<T: Entity>(&self, read: &Stored<T>) -> Result<bool, StoreError> {
        let delete = self.client.delete_item().table_name(&self.table).set_key(Some(key_item(&read.key())));
        is_written("DeleteItem", if_unchanged!(delete, read).send().await)
    }

    /// Waits before the unprocessed part of a batch is sent again. [`StoreError::Throttled`] after the last retry.
    pub(crate) async fn retry_unprocessed(&self, operation: &'static str, retries: u32) -> Result<(), StoreError> {
        if retries == MAX_BUSY_RETRIES {
            let message = "a part was left unprocessed".to_owned();
            return Err(StoreError::Throttled { operation, message });
        }
        self.back_off(retries).await;
        Ok(())
    }

    /// Waits before another attempt to write the same rows.
    pub(crate) async fn back_off(&self, attempt: u32) {
        let delay = BACKOFF.full_jitter(attempt, &self.random);
        tokio::time::sleep(Duration::try_from(delay).unwrap_or_default()).await;
    }
}

fn is_committed(result: Result<(), CommitError>) -> Result<bool, StoreError> {
    match result {
        Ok(()) => Ok(true),
        Err(CommitError::Conflict(_)) => Ok(false),
        Err(CommitError::Store(error)) => Err(error),
    }
}

/// Leads from the lines of a request to those of the jobs that follow from it, which have the id of the job.
fn log_new_jobs(items: &[TransactWriteItem]) {
    for item in items.iter().filter_map(TransactWriteItem::put).map(Put::item) {
        let is_new = item.get(VERSION) == Some(&AttributeValue::N("1".to_owned()));
        let is_job = item_key(item).is_some_and(|key| key.pk.starts_with(keys::JOBS));
        if let Some(AttributeValue::S(job)) = item.get("id").filter(|_| is_new && is_job) {
            tracing::info!(job, "enqueued a job");
        }
    }
}

/// Why DynamoDB cancelled a transaction.
enum Cancellation {
    /// The first condition that failed was on this row.
    Condition(Key),
    /// Another transaction was writing one of the rows, or the table is throttled.
    Busy,
}

/// The reasons that another attempt can resolve.
const BUSY: [&str; 3] = ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"];

fn cancellation<R>(error: &SdkError<TransactWriteItemsError, R>, keys: &[Key]) -> Option<Cancellation> {
    let Some(TransactWriteItemsError::TransactionCanceledException(canceled)) = error.as_service_error() else {
        return None;
    };
    // One reason per write, in the order of the writes.
    let codes = canceled.cancellation_reasons().iter().map(|reason| reason.code().unwrap_or_default());
    if let Some((_, key)) = codes.clone().zip(keys).find(|(code, _)| *code == "ConditionalCheckFailed") {
        return Some(Cancellation::Condition(key.clone()));
    }
    let failed: Vec<&str> = codes.filter(|code| !matches!(*code, "" | "None")).collect();
    (!failed.is_empty() && failed.iter().all(|code| BUSY.contains(code))).then_some(Cancellation::Busy)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes of as many actions as these.
    fn writes(counts: &[usize]) -> Vec<Write> {
        let action = Write::remove(keys::nothing()).unwrap().0;
        counts.iter().map(|count| Write(action.iter().cycle().take(*count).cloned().collect())).collect()
    }

    fn counts(writes: &[Write]) -> Vec<usize> {
        writes.iter().map(|write| count_actions([write])).collect()
    }

    #[test]
    fn groups_of_writes_are_packed_into_few_transactions_and_not_divided() {
        for (groups, packed) in [
            (&[][..], &[][..]),
            (&[&[60, 40][..], &[1]], &[&[60, 40][..], &[1]]),
            (&[&[60], &[30, 11], &[59]], &[&[60], &[30, 11, 59]]),
            (&[&[1], &[60, 41], &[1]], &[&[1], &[60, 41], &[1]]),
        ] {
            let transactions = pack_transactions(groups.iter().map(|counts| writes(counts)));
            assert_eq!(transactions.iter().map(|writes| counts(writes)).collect::<Vec<_>>(), packed);
        }
    }

    #[test]
    fn a_transaction_is_filled_until_the_next_write_does_not_fit() {
        for (others, filled) in [(&[40, 58, 1][..], &[2, 40, 58][..]), (&[40, 59, 1], &[2, 40]), (&[99], &[2])] {
            let mut transaction = writes(&[2]);
            fill_transaction(&mut transaction, writes(others));
            assert_eq!(counts(&transaction), filled);
        }
    }
}
