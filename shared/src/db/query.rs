//! Queries: the rows of one partition, in the order of their sort keys.

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::stream::{self, Stream, TryStreamExt};
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::error::{StoreError, call};
use super::keys::{self, DUE_PK, DUE_SK, PK, SK};
use super::row::{Entity, Item, Stored, item_key};
use super::table::Store;
use crate::base::clock::iso_8601;
use crate::values::Span;

/// A range of sort keys of one partition.
#[derive(Debug, Clone)]
pub struct Range {
    index: Option<&'static str>,
    partition: String,
    sort_keys: SortKeys,
    descending: bool,
    consistent: bool,
    /// Rows in all for [`Store::query`], rows per page otherwise.
    limit: Option<i32>,
    /// The attributes to be read. All if there are none.
    attributes: &'static [&'static str],
}

#[derive(Debug, Clone)]
enum SortKeys {
    All,
    /// Both included.
    Between(String, String),
    Below(String),
}

impl Range {
    /// A partition of the table, read consistently.
    pub fn of_table(partition: String) -> Self {
        Self::new(None, partition)
    }

    /// A partition of the table, read at half the price: rows that were written within the last moments can be missing. For
    /// tallies and entries that are older than the last two minutes.
    pub fn eventual(partition: String) -> Self {
        Self::of_table(partition).eventually()
    }

    /// A partition of the index of due work, longest due first.
    pub fn due(partition: String) -> Self {
        Self::new(Some(keys::DUE), partition)
    }

    fn new(index: Option<&'static str>, partition: String) -> Self {
        Self {
            index,
            partition,
            sort_keys: SortKeys::All,
            descending: false,
            consistent: index.is_none(),
            limit: None,
            attributes: &[],
        }
    }

    /// From the largest sort key to the smallest.
    pub fn descending(self) -> Self {
        Self { descending: true, ..self }
    }

    /// Read at half the price: rows that were written within the last moments can be missing.
    pub fn eventually(self) -> Self {
        Self { consistent: false, ..self }
    }

    /// Sort keys from `from` to `to`, both included.
    pub fn between(self, from: impl Into<String>, to: impl Into<String>) -> Self {
        Self { sort_keys: SortKeys::Between(from.into(), to.into()), ..self }
    }

    /// Sort keys that come before this one. All if there is none.
    pub fn below(self, end: Option<&str>) -> Self {
        Self { sort_keys: end.map_or(SortKeys::All, |end| SortKeys::Below(end.to_owned())), ..self }
    }

    /// Rows from `times.start` to before `times.end`, of a partition that is sorted by time and id.
    pub fn within(self, times: &Span<Timestamp>) -> Self {
        // A sort key is a time followed by an id, so it sorts after the time alone.
        self.between(iso_8601(times.start), iso_8601(times.end))
    }

    /// The rows of the range from this sort key on.
    pub fn starting_at(mut self, first: &str) -> Self {
        if let SortKeys::Between(from, _) = &mut self.sort_keys {
            first.clone_into(from);
        }
        self
    }

    /// Rows of before a time, by time and id.
    pub fn before(self, end: Timestamp) -> Self {
        self.within(&(Timestamp::MIN..end))
    }

    /// Sort keys with this prefix.
    pub fn beginning_with(self, prefix: &str) -> Self {
        self.between(prefix, format!("{prefix}\u{10ffff}"))
    }

    /// At most this many rows.
    pub fn limit(mut self, rows: u16) -> Self {
        self.limit = Some(i32::from(rows).max(1));
        self
    }

    /// Without other attributes, which would have to be transferred and parsed.
    pub fn only(self, attributes: &'static [&'static str]) -> Self {
        Self { attributes, ..self }
    }

    /// The projection expression and its names.
    fn projection(&self) -> (Option<String>, impl Iterator<Item = (String, &'static str)>) {
        let names = self.attributes.iter().enumerate().map(|(index, name)| (format!("#a{index}"), *name));
        let placeholders: Vec<String> = names.clone().map(|(placeholder, _)| placeholder).collect();
        ((!placeholders.is_empty()).then(|| placeholders.join(", ")), names)
    }

    /// Whether it ends before it begins, as after a cursor that a client has made up. `DynamoDB` refuses such ranges.
    fn is_empty(&self) -> bool {
        match &self.sort_keys {
            SortKeys::All => false,
            SortKeys::Between(from, to) => from > to,
            SortKeys::Below(end) => end.is_empty(),
        }
    }

    fn key_names(&self) -> (&'static str, &'static str) {
        match self.index {
            None => (PK, SK),
            Some(_) => (DUE_PK, DUE_SK),
        }
    }
}

/// What `DynamoDB` compares with sort keys is no longer than these are.
fn as_sort_key(bound: &str) -> String {
    bound.get(..bound.floor_char_boundary(keys::MAX_SK_BYTES)).unwrap_or_default().to_owned()
}

impl Store {
    /// The rows of a range, up to its limit. Unreadable rows are left out.
    pub async fn query<T: Entity>(&self, range: Range) -> Result<Vec<Stored<T>>, StoreError> {
        Ok(self.readable(self.query_items(range).await?))
    }

    /// As [`Store::query`], for a partition with rows of several types.
    pub async fn query_items(&self, range: Range) -> Result<Vec<Item>, StoreError> {
        let limit = range.limit;
        let mut found = Vec::new();
        self.for_each_page(range, |items| {
            found.extend(items);
            limit.is_none_or(|limit| i32::try_from(found.len()).is_ok_and(|count| count < limit))
        })
        .await?;
        Ok(found)
    }

    /// Calls `visit` with each row of a range. Unreadable rows are left out.
    pub async fn for_each<T: DeserializeOwned>(&self, range: Range, mut visit: impl FnMut(T)) -> Result<(), StoreError> {
        self.for_each_page(range, |items| {
            items.into_iter().filter_map(|item| self.readable_value(item)).for_each(&mut visit);
            true
        })
        .await
    }

    /// The value of one row of a list. An unreadable row is [skipped](Self::skip_unreadable).
    pub(crate) fn readable_value<T: DeserializeOwned>(&self, item: Item) -> Option<T> {
        let key = item_key(&item);
        serde_dynamo::from_item(item).inspect_err(|error| self.skip_unreadable(key.as_ref(), &error.clone().into())).ok()
    }

    /// Calls `visit` with each page of a range until it returns `false`.
    async fn for_each_page(&self, range: Range, mut visit: impl FnMut(Vec<Item>) -> bool) -> Result<(), StoreError> {
        let mut start = None;
        loop {
            let (items, next) = self.page(&range, start).await?;
            start = next;
            if !visit(items) || start.is_none() {
                return Ok(());
            }
        }
    }

    /// The rows of a range one by one. Each page is read when the one before is used up.
    pub(crate) fn stream_items(&self, range: Range) -> impl Stream<Item = Result<Item, StoreError>> {
        // The start of the next page: `Some(None)` is the beginning, `None` the end.
        let first_page: Option<Option<Item>> = Some(None);
        let pages = stream::try_unfold((range, first_page), move |(range, start)| async move {
            let Some(start) = start else { return Ok::<_, StoreError>(None) };
            let (items, next) = self.page(&range, start).await?;
            Ok(Some((stream::iter(items.into_iter().map(Ok)), (range, next.map(Some)))))
        });
        pages.try_flatten()
    }

    /// One page of a range as DynamoDB returns it, and the start of the next one.
    pub(crate) async fn page(&self, range: &Range, start: Option<Item>) -> Result<(Vec<Item>, Option<Item>), StoreError> {
        if range.partition.len() > keys::MAX_PK_BYTES || range.is_empty() {
            return Ok((Vec::new(), None));
        }
        let (pk, sk) = range.key_names();
        let (projection, names) = range.projection();
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .set_index_name(range.index.map(str::to_owned))
            .consistent_read(range.consistent)
            .scan_index_forward(!range.descending)
            .set_limit(range.limit)
            .set_exclusive_start_key(start)
            .set_projection_expression(projection)
            .expression_attribute_names("#pk", pk)
            .expression_attribute_values(":pk", AttributeValue::S(range.partition.clone()));
        let query = names.fold(query, |query, (placeholder, name)| query.expression_attribute_names(placeholder, name));
        let query = match &range.sort_keys {
            SortKeys::Between(from, to) => query
                .key_condition_expression("#pk = :pk AND #sk BETWEEN :from AND :to")
                .expression_attribute_names("#sk", sk)
                .expression_attribute_values(":from", AttributeValue::S(as_sort_key(from)))
                .expression_attribute_values(":to", AttributeValue::S(as_sort_key(to))),
            SortKeys::Below(end) => query
                .key_condition_expression("#pk = :pk AND #sk < :end")
                .expression_attribute_names("#sk", sk)
                .expression_attribute_values(":end", AttributeValue::S(as_sort_key(end))),
            SortKeys::All => query.key_condition_expression("#pk = :pk"),
        };
        let output = query.send().await.map_err(call("Query"))?;
        Ok((output.items.unwrap_or_default(), output.last_evaluated_key))
    }
}
