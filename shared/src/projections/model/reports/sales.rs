//! Order counts and revenue.

use std::ops::AddAssign;

use super::humanize::humanize;
use super::ranking::Ranking;
use super::total::{Total, currency};
use crate::cards::model::order::OrderStatus;
use crate::projections::model::tally::Tally;
use crate::values::OpenEnum;

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
    /// From the tally of [`Series::Orders`](crate::projections::model::tally::Series::Orders).
    pub fn new(orders: &Tally) -> Self {
        let completed = OpenEnum::from(OrderStatus::Completed).to_string();
        let mut sales = Self::default();
        for (labels, figures) in orders.iter() {
            let [status, payment_status, _fraud, code] = labels else { continue };
            let Some(currency) = currency(code) else { continue };
            sales.placed.add_figures(currency, figures);
            if *status == completed {
                sales.completed.add_figures(currency, figures);
            }
            sales.by_status.entry(&humanize(status)).add_figures(currency, figures);
            sales.by_payment.entry(&humanize(payment_status)).add_figures(currency, figures);
        }
        sales
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
