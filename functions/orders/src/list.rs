//! `GET /api/bff/merchant-orders`: the merchant's orders, paginated.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::cards::model::order::{OrderEntry, OrderFilter, OrderStatus, PaymentStatus};
use shared::db::{Page, PageRequest, PageStart};
use shared::endpoint_error;
use shared::http::{Authorized, Data, Description, MaybeAuthorized, Query, permission};
use shared::limits::model::{SEARCHES, UsedUp};
use shared::limits::while_counted;
use shared::projections::lists;
use shared::values::{Dates, parse_date};
use utoipa::ToSchema;

use crate::summary::{OrderSummary, example};

/// The query parameters.
#[derive(Debug)]
struct OrdersQuery {
    filter: OrderFilter,
    /// One-based page number.
    page: usize,
    request: PageRequest,
}

/// Clients cannot read larger numbers exactly.
const MAX_PAGE: i64 = (1 << 53) - 1;
const DEFAULT_PAGE_SIZE: i64 = 20;
const MAX_PAGE_SIZE: i64 = 50;

impl OrdersQuery {
    /// Ignores invalid values and clamps numbers to their bounds.
    fn parse(query: &Query) -> Self {
        let page = query.whole_number("page").unwrap_or(1).clamp(1, MAX_PAGE);
        let page_size = query.whole_number("pageSize").unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE);
        let page_size = usize::try_from(page_size).unwrap_or(usize::MAX);
        let page = usize::try_from(page).unwrap_or(usize::MAX);
        Self {
            filter: OrderFilter {
                status: query.one_of("status"),
                payment_status: query.one_of("paymentStatus"),
                placed: Dates { from: query.text("from").and_then(parse_date), to: query.text("to").and_then(parse_date) },
                text: OrderFilter::text(query.text("q").unwrap_or_default()),
            },
            page,
            request: PageRequest {
                start: PageStart::new(query.text("after"), (page - 1).saturating_mul(page_size)),
                limit: page_size,
            },
        }
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
    /// The `after` of the next page. Null on the last one.
    next_cursor: Option<String>,
}

endpoint_error! {
    pub(crate) enum ListOrdersError {
        /// The caller, or all members of the merchant together, have reached the hourly limit of searches.
        UsedUp(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "You have reached your limit of 2400 searches an hour. Please try again in 12 minutes.",
    }
}

/// Returns an empty page for a user without a merchant.
pub(crate) async fn orders(
    caller: MaybeAuthorized<Authorized<permission::Orders>>,
    State(app): State<App>,
    query: Query,
) -> Result<Data<OrderPage>, ListOrdersError> {
    let query = OrdersQuery::parse(&query);
    let page = match caller {
        MaybeAuthorized::Authorized(caller) => page_of(&app, &caller, &query).await?,
        MaybeAuthorized::NoMerchant(_) => Page::default(),
    };
    Ok(Data(OrderPage {
        orders: page.rows.into_iter().map(OrderSummary::new).collect(),
        total: page.total,
        page: query.page,
        page_size: query.request.limit,
        next_cursor: page.next.map(|next| next.to_string()),
    }))
}

/// A search reads all orders, and is counted.
async fn page_of(
    app: &App,
    caller: &Authorized<permission::Orders>,
    query: &OrdersQuery,
) -> Result<Page<OrderEntry>, ListOrdersError> {
    let (filter, now) = (&query.filter, app.clock.now());
    let page = Box::pin(lists::orders(&app.store, app.segments(), &caller.merchant, filter, &query.request, now));
    if filter.text.is_empty() {
        return Ok(page.await?);
    }
    while_counted(app, &caller.member().within(SEARCHES), 1, async { Ok(page.await?) }).await
}

pub(crate) fn describe() -> Description {
    Description::new(
        "listOrders",
        "List orders",
        "Returns the merchant's orders, newest first. Invalid query parameters are ignored, and numbers are clamped to \
         their bounds. A user without a merchant gets an empty page.",
    )
    .query::<i64>("page", "One-based page number. Defaults to 1.", false)
    .query::<i64>("pageSize", "Number of orders per page, from 1 to 50. Defaults to 20.", false)
    .query::<String>(
        "after",
        "The `nextCursor` of the previous page. Paging by cursor shows each order once, even while orders are added; page \
         numbers would repeat some. Takes precedence over `page`. An empty or invalid cursor starts at the beginning of the \
         list.",
        false,
    )
    .query::<String>(
        "from",
        "Returns only orders that were placed on this day or later: a day of the merchant's time zone, such as 2026-01-31.",
        false,
    )
    .query::<String>("to", "Returns only orders that were placed on this day or earlier.", false)
    .query::<OrderStatus>("status", "Returns only orders with this status.", false)
    .query::<PaymentStatus>("paymentStatus", "Returns only orders with this payment status.", false)
    .query::<String>(
        "q",
        "Returns only orders that contain this text in the order id, the buyer's e-mail address or name, or a transaction id, \
         regardless of case and accents. Truncated to 120 characters. A member can make 1200 such requests an hour, and a \
         merchant 4800.",
        false,
    )
    .success("A page of orders.", json!({"orders": [example()], "total": 1, "page": 1, "pageSize": 20, "nextCursor": null}))
}
