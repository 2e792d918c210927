//! Orders, and what they brought in.

use std::ops::AddAssign;

use super::humanize::humanize;
use super::ranking::Ranking;
use super::total::Total;
use crate::domain::money::Currency;
use crate::domain::order::{OrderStatus, PlacedOrder};

/// The orders of some time, in the shown currency.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sales {
    /// Orders of any status.
    pub placed: u64,
    /// Orders that are `COMPLETED`; their sum is the revenue.
    pub completed: Total,
    /// By the humanize name of the order's status.
    pub by_status: Ranking<Total>,
    /// By the humanize name of the payment's status.
    pub by_payment: Ranking<Total>,
}

impl Sales {
    pub fn add(&mut self, order: &PlacedOrder, shown: Currency) {
        self.placed += 1;
        if order.status == OrderStatus::Completed {
            self.completed.add(order.total, shown);
        }
        self.by_status.of(&humanize(&order.status)).add(order.total, shown);
        self.by_payment.of(&humanize(&order.payment_status)).add(order.total, shown);
    }
}

impl AddAssign<&Self> for Sales {
    fn add_assign(&mut self, other: &Self) {
        self.placed += other.placed;
        self.completed += &other.completed;
        self.by_status += &other.by_status;
        self.by_payment += &other.by_payment;
    }
}
