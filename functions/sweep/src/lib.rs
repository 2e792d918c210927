//! Settles unknown outcomes and retries deliveries on a schedule.
