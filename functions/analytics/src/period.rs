//! The reporting period, set by the query parameter `days`.

use shared::app::App;
use shared::db::StoreError;
use shared::endpoint_error;
use shared::http::{Authorized, Description, Query, permission};
use shared::limits::model::{REPORTS, UsedUp, report_cost};
use shared::limits::while_counted;
use shared::merchants::model::merchant::Merchant;
use shared::projections::reports::ReportReader;

const ALLOWED_DAYS: [u8; 4] = [7, 14, 30, 90];
const DEFAULT_DAYS: u8 = 14;

/// A reader of the tallies of the requested period.
pub(crate) fn reader<'a>(app: &'a App, merchant: &'a Merchant, query: &Query) -> ReportReader<'a> {
    ReportReader::new(&app.store, merchant, app.clock.now(), day_count(query))
}

endpoint_error! {
    pub(crate) enum ReportError {
        /// The caller, or all members of the merchant together, have reached the hourly limit of reports.
        UsedUp(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "You have reached your limit of 2400 reports an hour. Please try again in 12 minutes.",
    }
}

/// Reads a report, which counts the more the longer its period is.
pub(crate) async fn counted<T>(
    app: &App,
    caller: &Authorized<permission::Analytics>,
    query: &Query,
    read: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, ReportError> {
    let cost = report_cost(day_count(query));
    while_counted(app, &caller.member().within(REPORTS), cost, async { Ok(read.await?) }).await
}

fn day_count(query: &Query) -> u8 {
    let requested = query.whole_number("days");
    ALLOWED_DAYS.into_iter().find(|days| requested == Some(i64::from(*days))).unwrap_or(DEFAULT_DAYS)
}

/// Starts the description of a report and documents the query parameter `days`.
pub(crate) fn report_description(id: &'static str, summary: &'static str, text: &'static str) -> Description {
    let days = "Length of the period in days: 7, 14, 30 or 90. Defaults to 14; other values are ignored. The period ends today \
                in the merchant's time zone. A member can request 2400 reports an hour; a report on 30 days counts as two, and \
                one on 90 days as four.";
    Description::new(id, summary, text).query::<i64>("days", days, false)
}
