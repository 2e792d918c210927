//! Values that all subjects share: money, ids, names, dates, languages. Nothing here does I/O, or knows JSON, HTTP or AWS.

mod calendar;
mod color;
pub mod csv;
mod file_type;
mod ids;
mod language;
mod links;
mod messages;
mod money;
pub mod names;
mod open_enum;
mod period;
mod search;
pub mod slug;
mod span;

pub use calendar::{
    Calendar, Calendars, Dates, MINUTES_PER_QUARTER, Minute, Quarter, date_of, day_span, live_from, live_minutes, month_span,
    parse_date, release,
};
pub use color::Color;
pub use file_type::FileType;
pub use ids::*;
pub use language::{CurrencyLabel, Language};
pub use links::{public_link, public_url};
pub use messages::Catalogue;
pub use money::{AmountError, Currency, Decimal, Minor, Money, UnknownCurrency};
pub use open_enum::OpenEnum;
pub use period::{Day, PeriodSlot, ReportPeriod, is_time_zone, time_zone};
pub use search::{compose, fold};
pub use span::{Span, later};

/// A text without the blanks around it; `None` if nothing else is there.
pub fn non_blank(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}
