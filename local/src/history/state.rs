//! The states of orders.

use shared::cards::model::order::{FraudStatus, GiftCardStatus, OrderStatus, PaymentStatus};

/// The statuses of an order and of its card.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State {
    pub(crate) order: OrderStatus,
    pub(crate) payment: PaymentStatus,
    pub(crate) fraud: FraudStatus,
    /// `None` if the order has no gift card.
    pub(crate) card: Option<GiftCardStatus>,
}

/// The states of some orders of a thousand. The others are completed.
pub(crate) type Shares = &'static [(i64, State)];

pub(crate) const COMPLETED: State = paid(OrderStatus::Completed, Some(GiftCardStatus::Issued));
pub(crate) const UNCHECKED: State = State { fraud: FraudStatus::NotChecked, ..COMPLETED };
pub(crate) const REFUNDED: State = paid(OrderStatus::Refunded, Some(GiftCardStatus::Cancelled));
pub(crate) const ISSUE_FAILED: State = paid(OrderStatus::IssueFailed, Some(GiftCardStatus::Failed));
pub(crate) const PAID: State = paid(OrderStatus::Paid, None);
pub(crate) const CAPTURED: State = paid(OrderStatus::PaymentCaptureSucceeded, Some(GiftCardStatus::Pending));
pub(crate) const CAPTURED_IN_REVIEW: State =
    State { order: OrderStatus::PaymentCapturedPendingFraudReview, fraud: FraudStatus::Review, ..CAPTURED };

pub(crate) const IN_REVIEW: State =
    unpaid(OrderStatus::PaymentCapturePendingReview, PaymentStatus::PaymentCreated, FraudStatus::Review);
pub(crate) const AUTHORIZED: State =
    unpaid(OrderStatus::PaymentAuthSucceeded, PaymentStatus::PaymentAuthorized, FraudStatus::Passed);
pub(crate) const BLOCKED: State = unpaid(OrderStatus::Failed, PaymentStatus::PaymentCaptureFailed, FraudStatus::Blocked);
pub(crate) const CAPTURE_FAILED: State = State { fraud: FraudStatus::Passed, ..BLOCKED };
pub(crate) const PAYMENT_FAILED: State =
    unpaid(OrderStatus::PaymentFailed, PaymentStatus::PaymentFailed, FraudStatus::NotChecked);
pub(crate) const CANCELLED: State = unpaid(OrderStatus::Cancelled, PaymentStatus::PaymentCreated, FraudStatus::NotChecked);
pub(crate) const PENDING_PAYMENT: State = State { order: OrderStatus::PendingPayment, ..CANCELLED };

const fn paid(order: OrderStatus, card: Option<GiftCardStatus>) -> State {
    State { order, payment: PaymentStatus::PaymentCaptureSucceeded, fraud: FraudStatus::Passed, card }
}

const fn unpaid(order: OrderStatus, payment: PaymentStatus, fraud: FraudStatus) -> State {
    State { order, payment, fraud, card: None }
}
