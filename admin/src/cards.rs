//! Enters sales and redemptions of earlier releases in the histories of their cards, and makes up for what these releases leave
//! out when they close a sale or a redemption that a newer one has begun.

use std::fmt;
use std::pin::pin;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use shared::domain::card_history::tagged_cards;
use shared::domain::card_tag::CardTag;
use shared::domain::code::CodeKey;
use shared::domain::order::Order;
use shared::domain::redemption::{Redemption, RedemptionStatus};
use shared::store::card_history::{count_cards, count_redemption};
use shared::store::given_back::take_back;
use shared::store::keys::{self, Key, Listed, listed_rows};
use shared::store::{Store, StoreError, Stored, Write, item_key};

/// Rows that are processed at once. More would slow down the tills.
const CONCURRENCY: usize = 8;

/// The rows that were changed.
#[derive(Debug, Default)]
pub(crate) struct Entered {
    orders: usize,
    redemptions: usize,
    refunds: usize,
    unreadable: usize,
}

impl fmt::Display for Entered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { orders, redemptions, refunds, unreadable } = self;
        write!(f, "{orders} orders and {redemptions} redemptions entered, {refunds} returns uncounted")?;
        if *unreadable > 0 {
            write!(f, ", {unreadable} rows cannot be read")?;
        }
        Ok(())
    }
}

/// What has become of a row.
enum Change {
    None,
    Order { is_entered: bool, is_uncounted: bool },
    Redemption,
    Unreadable,
}

/// Reads the whole table once. It can be repeated: what has been entered is not entered again.
pub(crate) async fn enter(store: &Store, key: &CodeKey) -> Result<Entered, StoreError> {
    let mut entered = Entered::default();
    let prefixes = [Listed::Orders, Listed::Redemptions].map(|listed| listed_rows(listed, None));
    let mut pages = pin!(store.scan(prefixes.into()));
    while let Some(page) = pages.try_next().await? {
        let rows = page.items.iter().filter_map(item_key).collect::<Vec<Key>>();
        let changes = rows.iter().map(|row| enter_row(store, key, row));
        let mut changes = pin!(stream::iter(changes).buffer_unordered(CONCURRENCY));
        while let Some(change) = changes.try_next().await? {
            match change {
                Change::None => {}
                Change::Order { is_entered, is_uncounted } => {
                    entered.orders += usize::from(is_entered);
                    entered.refunds += usize::from(is_uncounted);
                }
                Change::Redemption => entered.redemptions += 1,
                Change::Unreadable => entered.unreadable += 1,
            }
        }
    }
    Ok(entered)
}

async fn enter_row(store: &Store, key: &CodeKey, row: &Key) -> Result<Change, StoreError> {
    let entered = match Listed::of(&row.pk) {
        Some(Listed::Orders) => enter_order(store, key, row).await,
        _ => enter_redemption(store, key, row).await,
    };
    match entered {
        Err(StoreError::UnreadableRow(_)) => Ok(Change::Unreadable),
        entered => entered,
    }
}

async fn enter_order(store: &Store, key: &CodeKey, row: &Key) -> Result<Change, StoreError> {
    let mut attempts = store.attempts("the order");
    loop {
        let Some(order) = store.get::<Order>(row).await? else { return Ok(Change::None) };
        let tagged = tagged_cards(&order, key);
        let new: Vec<_> = tagged.iter().filter(|card| !order.tagged_cards.contains(card)).cloned().collect();
        let mut changed = Order { tagged_cards: tagged, ..order.value.clone() };
        let uncounts = take_back(&mut changed)?;
        if new.is_empty() && uncounts.is_none() {
            return Ok(Change::None);
        }
        let change = Change::Order { is_entered: !new.is_empty(), is_uncounted: uncounts.is_some() };
        let mut writes = count_cards(&changed, &new)?;
        writes.push(Write::replace(&order, &changed)?);
        let possible = uncounts.into_iter().map(|write| vec![write]).collect();
        if attempts.committed(store.commit_with_possible(writes, possible).await).await? {
            return Ok(change);
        }
    }
}

async fn enter_redemption(store: &Store, key: &CodeKey, row: &Key) -> Result<Change, StoreError> {
    let mut attempts = store.attempts("the redemption");
    loop {
        let Some(redemption) = store.get::<Redemption>(row).await? else { return Ok(Change::None) };
        let Some(code) = &redemption.qr_code else { return Ok(Change::None) };
        let tag = CardTag::new(key, &redemption.merchant_id, code);
        let is_entered = match &redemption.card_tag {
            Some(known) if *known == tag => !is_left_open(store, &redemption, &tag).await?,
            _ => redemption.status == RedemptionStatus::Failed,
        };
        if is_entered {
            return Ok(Change::None);
        }
        let entered = Redemption { card_tag: Some(tag), ..redemption.value.clone() };
        let writes = [Some(Write::replace(&redemption, &entered)?), count_redemption(&entered)?];
        if attempts.committed(store.commit(writes.into_iter().flatten().collect()).await).await? {
            return Ok(Change::Redemption);
        }
    }
}

/// Whether an earlier release has closed the redemption, so that the sums of its card still name it as open.
async fn is_left_open(store: &Store, redemption: &Stored<Redemption>, tag: &CardTag) -> Result<bool, StoreError> {
    let is_closed = matches!(redemption.status.known(), Some(RedemptionStatus::Succeeded | RedemptionStatus::Failed));
    if !is_closed {
        return Ok(false);
    }
    let entry = keys::entry_of_redemption(redemption);
    let sums = store.card_sums(&redemption.merchant_id, tag).await?;
    Ok(sums.iter().any(|sums| sums.open.contains(&entry)))
}
