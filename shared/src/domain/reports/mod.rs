//! What reports say of a merchant's trade, counted from its rows.
//!
//! Rows are counted in tallies, and tallies add up: those of single days to that of a period. A [`Timeline`] holds
//! one for each day of the period that is shown and one for the period before it, with which [`Kpi`]s compare.
//!
//! [`Timeline`]: timeline::Timeline
//! [`Kpi`]: kpi::Kpi

pub mod days;
pub mod fraud;
pub mod humanize;
pub mod kpi;
pub mod payouts;
pub mod ranking;
pub mod redemptions;
pub mod sales;
pub mod timeline;
pub mod total;
pub mod visits;
