//! `GET /api/bff/merchant-orders`: the merchant's orders, paginated.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::domain::order::{OrderFilter, OrderStatus, PaymentStatus};
use shared::domain::search::compose;
use shared::http::access::{MaybeAuthorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Data;
use shared::projections::lists;
use shared::store::pages::{Page, PageRequest};
use utoipa::ToSchema;

use crate::summary::{OrderSummary, example};

/// The query parameters.
#[derive(Debug)]
struct OrdersQuery {
    filter: OrderFilter,
    /// One-based page number.
    page: usize,
    page_size: usize,
}

/// Clients cannot read larger numbers exactly.
const MAX_PAGE: i64 = (1 << 53) - 1;
const DEFAULT_PAGE_SIZE: i64 = 20;
const MAX_PAGE_SIZE: i64 = 50;
/// Maximum length of the search text, in characters. Longer texts are truncated.
const MAX_TEXT_LENGTH: usize = 120;

impl OrdersQuery {
    /// Ignores invalid values and clamps numbers to their bounds.
    fn parse(query: &Query) -> Self {
        let page = query.whole_number("page").unwrap_or(1).clamp(1, MAX_PAGE);
        let page_size = query.whole_number("pageSize").unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE);
        // Composed before it is truncated: the limit counts what a user sees as one character.
        let text = compose(query.text("q").unwrap_or_default().trim());
        Self {
            filter: OrderFilter {
                status: query.one_of("status"),
                payment_status: query.one_of("paymentStatus"),
                text: text.chars().take(MAX_TEXT_LENGTH).collect(),
            },
            page: usize::try_from(page).unwrap_or(usize::MAX),
            page_size: usize::try_from(page_size).unwrap_or(usize::MAX),
        }
    }

    fn page_request(&self) -> PageRequest {
        PageRequest { offset: (self.page - 1).saturating_mul(self.page_size), limit: self.page_size }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderPage {
    /// The orders of the page, newest first.
    orders: Vec<OrderSummary>,
    /// Number of matching orders on all pages.
    total: usize,
    /// One-based number of this page.
    page: usize,
    /// Maximum number of orders on a page.
    page_size: usize,
}

/// Returns an empty page for a user without a merchant.
pub(crate) async fn orders(
    caller: MaybeAuthorized<permission::Orders>,
    State(app): State<App>,
    query: Query,
) -> Result<Data<OrderPage>, Fault> {
    let query = OrdersQuery::parse(&query);
    let page = match caller {
        MaybeAuthorized::Authorized(caller) => {
            let (merchant, now) = (&caller.merchant, app.clock.now());
            let (filter, page) = (&query.filter, query.page_request());
            lists::orders(&app.store, app.segments(), merchant, filter, page, now).await?
        }
        MaybeAuthorized::NoMerchant(_) => Page::default(),
    };
    let orders = page.rows.into_iter().map(OrderSummary::new).collect();
    Ok(Data(OrderPage { orders, total: page.total, page: query.page, page_size: query.page_size }))
}

pub(crate) fn describe() -> Description {
    Description::new("listOrders", 
        "List orders",
        "Returns the merchant's orders, newest first. Invalid query parameters are ignored, and numbers are clamped to \
         their bounds. A user without a merchant gets an empty page.",
    )
    .query::<i64>("page", "One-based page number. Defaults to 1.", false)
    .query::<i64>("pageSize", "Number of orders per page, from 1 to 50. Defaults to 20.", false)
    .query::<OrderStatus>("status", "Returns only orders with this status.", false)
    .query::<PaymentStatus>("paymentStatus", "Returns only orders with this payment status.", false)
    .query::<String>(
        "q",
        "Returns only orders that contain this text in the order id, the buyer's e-mail address or name, or a \
         transaction id, regardless of case and of composed or decomposed characters. Truncated to 120 characters.",
        false,
    )
    .success("A page of orders.", json!({"orders": [example()], "total": 1, "page": 1, "pageSize": 20}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> OrdersQuery {
        OrdersQuery::parse(&Query::parse(query))
    }

    #[test]
    fn clamps_page_numbers_and_sizes() {
        for (query, page, page_size, offset) in [
            ("", 1, 20, 0),
            ("page=3", 3, 20, 40),
            ("page=0&pageSize=0", 1, 1, 0),
            ("page=-1&pageSize=-1", 1, 1, 0),
            ("page=2&pageSize=50", 2, 50, 50),
            ("page=2&pageSize=51", 2, 50, 50),
            ("page=two&pageSize=many", 1, 20, 0),
            ("page=1.5&pageSize=", 1, 20, 0),
            ("page=2&page=3", 2, 20, 20),
        ] {
            let parsed = parse(query);
            assert_eq!(
                (parsed.page, parsed.page_size, parsed.page_request().offset),
                (page, page_size, offset),
                "{query}"
            );
        }
        for too_large in ["page=9007199254740992", "page=99999999999999999999"] {
            assert_eq!(parse(too_large).page, 9_007_199_254_740_991, "{too_large}");
        }
    }

    #[test]
    fn ignores_invalid_filters() {
        let filter = parse("status=COMPLETED&paymentStatus=PAYMENT_CREATED&q=%20Anna%20").filter;
        assert_eq!(filter.status, Some(OrderStatus::Completed));
        assert_eq!(filter.payment_status, Some(PaymentStatus::PaymentCreated));
        assert_eq!(filter.text, "Anna");
        let filter = parse("status=completed&paymentStatus=&q=%20").filter;
        assert_eq!((filter.status, filter.payment_status, filter.text.as_str()), (None, None, ""));
    }

    #[test]
    fn truncates_long_search_texts_by_characters() {
        let long = parse(&format!("q={}", "å".repeat(121)));
        assert_eq!(long.filter.text, "å".repeat(120));
    }
}
