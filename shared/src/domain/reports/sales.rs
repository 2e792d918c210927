//! Order counts and revenue.

use std::ops::AddAssign;

use super::humanize::humanize;
use super::ranking::Ranking;
use super::total::Total;
use crate::domain::order::{OrderStatus, PlacedOrder};

/// Orders of a day or a period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sales {
    /// Orders of any status.
    pub placed: Total,
    /// Orders with status `COMPLETED`; their sum is the revenue.
    pub completed: Total,
    /// Orders by the display name of their status.
    pub by_status: Ranking<Total>,
    /// Orders by the display name of their payment status.
    pub by_payment: Ranking<Total>,
}

impl Sales {
    pub fn add(&mut self, order: &PlacedOrder) {
        self.placed.add(order.total);
        if order.status == OrderStatus::Completed {
            self.completed.add(order.total);
        }
        self.by_status.entry(&humanize(&order.status)).add(order.total);
        self.by_payment.entry(&humanize(&order.payment_status)).add(order.total);
    }
}

impl AddAssign<&Self> for Sales {
    fn add_assign(&mut self, other: &Self) {
        self.placed += &other.placed;
        self.completed += &other.completed;
        self.by_status += &other.by_status;
        self.by_payment += &other.by_payment;
    }
}
