//! `GET /api/bff/merchant-orders`: the merchant's orders, page by page.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::domain::order::{Order, OrderFilter, OrderStatus, PaymentStatus};
use shared::http::access::{MaybeAuthorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Data;
use shared::store::pages::{Page, PageRequest};
use utoipa::ToSchema;

use crate::summary::{Summary, example};

/// What the query asks for.
#[derive(Debug)]
struct Wanted {
    filter: OrderFilter,
    /// From 1.
    page: usize,
    page_size: usize,
}

const DEFAULT_PAGE_SIZE: i64 = 20;
const MAX_PAGE_SIZE: i64 = 50;
/// Characters of a search text that count.
const MAX_TEXT_LENGTH: usize = 120;

impl Wanted {
    /// Reads the query. Nothing in it is an error: what makes no sense is left out or brought within its bounds.
    fn read(query: &Query) -> Self {
        let page = query.whole_number("page").unwrap_or(1).max(1);
        let page_size = query.whole_number("pageSize").unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE);
        let text = query.text("q").unwrap_or_default().trim();
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

    fn stretch(&self) -> PageRequest {
        PageRequest { skip: (self.page - 1).saturating_mul(self.page_size), take: self.page_size }
    }

    fn answer(&self, page: &Page<Order>) -> Response {
        let orders = page.rows.iter().map(Summary::of).collect();
        Data(Listing { orders, total: page.total, page: self.page, page_size: self.page_size })
            .into_response()
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OrderPage)]
struct Listing<'a> {
    orders: Vec<Summary<'a>>,
    /// Orders on all pages together.
    total: usize,
    page: usize,
    page_size: usize,
}

/// `{orders, total, page, pageSize}`, newest first; nothing in it for a user without a merchant.
pub(crate) async fn orders(
    caller: MaybeAuthorized<permission::Orders>,
    State(app): State<App>,
    query: Query,
) -> Result<Response, Fault> {
    let wanted = Wanted::read(&query);
    let page = match caller {
        MaybeAuthorized::Authorized(caller) => {
            app.store.orders(&caller.merchant.id, &wanted.filter, wanted.stretch()).await?
        }
        MaybeAuthorized::NoMerchant(_) => Page::default(),
    };
    Ok(wanted.answer(&page))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "List orders",
        "The merchant's orders, newest first. No value of the query is an error: what makes no sense is left out or \
         brought within its bounds. A user without a merchant gets an empty page.",
    )
    .query::<i64>("page", "From 1, which is the default.", false)
    .query::<i64>("pageSize", "1 to 50, by default 20.", false)
    .query::<OrderStatus>("status", "Only orders of this status.", false)
    .query::<PaymentStatus>("paymentStatus", "Only orders of this payment status.", false)
    .query::<String>(
        "q",
        "Found anywhere in the order's id, the buyer's e-mail or name, or a transaction id, whatever the case. \
         120 characters count.",
        false,
    )
    .data::<Listing>("A page.", json!({"orders": [example()], "total": 1, "page": 1, "pageSize": 20}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Wanted {
        Wanted::read(&Query::parse(query))
    }

    #[test]
    fn pages_stay_within_their_bounds() {
        for (query, page, page_size, skipped) in [
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
            let wanted = read(query);
            assert_eq!(
                (wanted.page, wanted.page_size, wanted.stretch().skip),
                (page, page_size, skipped),
                "{query}"
            );
        }
        assert_eq!(read("page=99999999999999999999").stretch().skip, usize::MAX);
    }

    #[test]
    fn filters_that_make_no_sense_are_none() {
        let filter = read("status=COMPLETED&paymentStatus=PAYMENT_CREATED&q=%20Anna%20").filter;
        assert_eq!(filter.status, Some(OrderStatus::Completed));
        assert_eq!(filter.payment_status, Some(PaymentStatus::PaymentCreated));
        assert_eq!(filter.text, "Anna");
        let filter = read("status=completed&paymentStatus=&q=%20").filter;
        assert_eq!((filter.status, filter.payment_status, filter.text.as_str()), (None, None, ""));
    }

    #[test]
    fn a_search_text_is_cut_at_a_character() {
        let long = read(&format!("q={}", "å".repeat(121)));
        assert_eq!(long.filter.text, "å".repeat(120));
    }
}
