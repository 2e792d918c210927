//! Merchant profile, team and retail stores.
