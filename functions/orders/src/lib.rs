//! Merchant orders and gift card balances.
