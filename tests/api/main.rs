//! Black-box tests of the API: each test starts the local system and sends HTTP requests to it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod access;
mod administration;
mod analytics;
mod busy_tills;
mod clients;
mod cors;
mod exports;
mod founding;
mod guessing;
mod held_settlements;
mod invites;
mod jobs;
mod lagging_tallies;
mod local_guard;
mod merchant;
mod naive;
mod offers;
mod onboarding;
mod openapi;
mod orders;
mod payouts;
mod pos;
mod search;
mod settlements;
mod sign_in;
mod storefront;
mod stores;
mod story;
mod support;
mod tallies;
mod team;
mod till;
mod tills;
mod widget;
