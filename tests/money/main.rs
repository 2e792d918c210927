//! Money: the POS functions and the sweep run in the test's process against embedded services. Tests inject faults into
//! upstream calls, interrupt invocations and control the clock. Afterwards the portal's records must match the card
//! network's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod crashes;
mod creations;
mod dead_connections;
mod harness;
mod histories;
mod kill;
mod network_failures;
mod payouts;
mod reconciliation;
mod recovery;
mod restores;
mod same_key;
mod services;
mod sweeps;
mod switches;
mod throttling;
mod time_zones;
mod webhooks;
