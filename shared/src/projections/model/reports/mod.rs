//! Reports on a merchant's business, aggregated from its rows.
//!
//! A [`Timeline`] holds one aggregate for each day of a period and one for the preceding period. Daily aggregates add
//! up to the aggregate of the period, which [`Kpi`]s compare with the preceding one.
//!
//! [`Timeline`]: timeline::Timeline
//! [`Kpi`]: kpi::Kpi

pub mod fraud;
pub mod humanize;
pub mod kpi;
pub mod outstanding;
pub mod payouts;
pub mod ranking;
pub mod redemptions;
pub mod sales;
pub mod timeline;
pub mod total;
pub mod visits;
