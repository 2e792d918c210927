//! The whole system on one machine.
