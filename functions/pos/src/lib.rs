//! Issue, redeem and look up gift cards at a till.
