//! `GET /api/admin/merchants`: all merchants, page by page.

pub(crate) mod audit_trail;
pub(crate) mod change;
pub(crate) mod merchant;
pub(crate) mod of_path;

use axum::extract::State;
use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::db::{Store, StoreError};
use shared::http::{Data, Description, General, PlatformAdministrator, Query, UtcTime, examples};
use shared::merchants::model::merchant::{MerchantEntry, MerchantStatus};
use shared::values::{MerchantId, NetworkMerchantId, OpenEnum, compose, fold};
use utoipa::ToSchema;

const DEFAULT_LIMIT: u16 = 50;
const MAX_LIMIT: u16 = 200;
/// Maximum length of the search text, in characters. Longer texts are truncated.
const MAX_TEXT_LENGTH: usize = 120;
/// Merchants that one call to the table reads for a filter: about 200 KB.
const FILTERED_ROWS: u16 = 1000;
/// The maximum number of calls to the table for a page. A page of a filter that few merchants pass can be shorter than its
/// limit.
const MAX_CALLS: usize = 10;

/// The query parameters.
#[derive(Debug, PartialEq, Eq)]
struct MerchantsQuery {
    filter: Filter,
    /// The last merchant of the page before.
    after: Option<MerchantId>,
    limit: u16,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Filter {
    folded_text: String,
    status: Option<MerchantStatus>,
}

impl MerchantsQuery {
    /// Ignores invalid values.
    fn parse(query: &Query) -> Self {
        let text = compose(query.text("q").unwrap_or_default().trim());
        let text: String = text.chars().take(MAX_TEXT_LENGTH).collect();
        Self {
            filter: Filter { folded_text: fold(&text), status: query.one_of("status") },
            after: query.cursor().map(MerchantId::new),
            limit: query.limit(DEFAULT_LIMIT, MAX_LIMIT),
        }
    }
}

impl Filter {
    fn admits(&self, merchant: &MerchantEntry) -> bool {
        self.status.is_none_or(|status| merchant.status == status) && merchant.matches(&self.folded_text)
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MerchantPage)]
pub(crate) struct PageView {
    /// The merchants of the page, in the order of their ids.
    merchants: Vec<EntryView>,
    /// The `cursor` of the next page. Null on the last page.
    next: Option<MerchantId>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MerchantEntry)]
struct EntryView {
    /// The id of the merchant. It never changes, unlike the slug.
    id: MerchantId,
    /// The last segment of the URL of its shop, unique on the platform.
    slug: String,
    /// The name that the portal and the shop show.
    name: String,
    /// The state of its application or account. Cards are sold and redeemed only while it is `ACTIVE`.
    #[schema(value_type = MerchantStatus)]
    status: OpenEnum<MerchantStatus>,
    /// Its account at the card network, in decimal digits. Null without one: it has no offers or stores and cannot
    /// sell.
    network_merchant_id: Option<NetworkMerchantId>,
    /// When it was created.
    created_at: UtcTime,
}

impl From<MerchantEntry> for EntryView {
    fn from(merchant: MerchantEntry) -> Self {
        Self {
            id: merchant.id,
            slug: merchant.slug,
            name: merchant.name,
            status: merchant.status,
            network_merchant_id: merchant.network_merchant_id,
            created_at: merchant.created_at.into(),
        }
    }
}

pub(crate) async fn merchants(_: PlatformAdministrator, State(app): State<App>, query: Query) -> Result<Data<PageView>, General> {
    let (merchants, next) = page(&app.store, MerchantsQuery::parse(&query)).await?;
    Ok(Data(PageView { merchants: merchants.into_iter().map(EntryView::from).collect(), next }))
}

/// The merchants of a page, and the last one that was looked at if others can follow.
async fn page(store: &Store, query: MerchantsQuery) -> Result<(Vec<MerchantEntry>, Option<MerchantId>), StoreError> {
    let limit = usize::from(query.limit);
    // One more than is shown tells whether others follow.
    let rows = if query.filter.is_empty() { query.limit.saturating_add(1) } else { FILTERED_ROWS };
    let (mut found, mut after) = (Vec::new(), query.after);
    for _ in 0..MAX_CALLS {
        let read = store.merchants_page(after.as_ref(), rows).await?;
        found.extend(read.merchants.into_iter().filter(|merchant| query.filter.admits(merchant)));
        if found.len() > limit {
            found.truncate(limit);
            let last = found.last().map(|merchant| merchant.id.clone());
            return Ok((found, last));
        }
        after = read.next;
        if after.is_none() {
            break;
        }
    }
    Ok((found, after))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "listMerchants",
        "List merchants",
        "Returns the merchants of the platform in the order of their ids. Invalid query parameters are ignored. A page can have \
         fewer merchants than `limit` although more follow: only the last page has no `next`.",
    )
    .query::<String>(
        "q",
        "Returns only merchants that contain this text in the name, the slug, the id or the id at the card network, \
         regardless of case and accents. Truncated to 120 characters.",
        false,
    )
    .query::<MerchantStatus>("status", "Returns only merchants with this status.", false)
    .query::<String>("cursor", "The `next` of the previous page.", false)
    .query::<i64>("limit", "Maximum number of merchants, from 1 to 200. Defaults to 50.", false)
    .success("A page of merchants.", json!({"merchants": [example()], "next": examples::MERCHANT}))
}

fn example() -> Value {
    json!({
        "id": examples::MERCHANT, "slug": "aurora-coffee", "name": "Aurora Coffee", "status": "ACTIVE",
        "networkMerchantId": "1001", "createdAt": "2025-11-03T09:00:00.000Z",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> MerchantsQuery {
        MerchantsQuery::parse(&Query::parse(query))
    }

    #[test]
    fn invalid_filters_and_empty_cursors_are_ignored() {
        for query in ["", "q=%20&status=active&cursor=", "status=ARCHIVED"] {
            assert_eq!(parse(query), MerchantsQuery { filter: Filter::default(), after: None, limit: 50 }, "{query}");
        }
        let query = parse("q=%20AURORA%20&status=ACTIVE&cursor=m%231");
        assert_eq!(query.filter, Filter { folded_text: "aurora".to_owned(), status: Some(MerchantStatus::Active) });
        assert_eq!(query.after, Some(MerchantId::new("m#1")));
        assert_eq!(parse(&format!("q={}", "å".repeat(121))).filter.folded_text, "a".repeat(120));
    }
}
