//! A payout: the settlements of a merchant in a currency that are paid together.
//!
//! ```text
//!            settlements join     the file is written      one decision        the settlements have followed
//! (a run) ──► Joining ──────────► WritingFile ─────────► Sealed ───┬──► Paying ──────► Paid
//!                                      │                           │
//!                                      └─ the sum is 0 or less ────┴──► Cancelling ──► Cancelled
//! ```
//!
//! A payout that is paying or cancelling is *decided*; one that is paid or cancelled is *done*. Every change of the state is a
//! method that refuses the payouts that it is not for.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::state::{Building, Cancellation, Cause, Decided, Followed, Payment, PayoutState, PayoutStatus, Upload};
use crate::merchants::model::merchant::SettlementMode;
use crate::projections::model::tally::SettlementKind;
use crate::settlements::model::settlement::Settlement;
use crate::values::{Currency, MerchantId, Minor, OpenEnum, PayoutId, PayoutRunId, UserId};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payout {
    /// 32 characters, so that it fits the end-to-end id of a bank transfer.
    pub id: PayoutId,
    pub run_id: PayoutRunId,
    pub merchant_id: MerchantId,
    pub currency: Currency,
    /// The merchant's mode when the payout was started, which decides the kind of its settlements. Required, also if null.
    #[serde(deserialize_with = "Option::deserialize")]
    pub settlement_mode: Option<SettlementMode>,
    pub eligible_before: Timestamp,
    pub created_by: UserId,
    pub created_at: Timestamp,
    /// The number of settlements that have joined.
    pub(super) count: u64,
    /// The sum of their net amounts.
    pub(super) net: Minor,
    pub(super) state: PayoutState,
}

/// What an administrator decides about a payout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Paid { reference: String },
    Cancelled { reason: String },
}

/// Who can confirm that a payout is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfirmedBy {
    /// Another person than the one who started it.
    SecondPerson,
    Anyone,
}

/// Why a decision is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DecisionError {
    #[error("another person than the one who started the payout has to confirm it")]
    SecondPerson,
    #[error("settlements are still joining the payout")]
    NotSealed,
    #[error("it was decided otherwise before")]
    DecidedOtherwise,
}

/// Why a settlement does not join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum JoinError {
    #[error("the payout does not admit the settlement")]
    NotAdmitted,
    #[error("the sum of the payout would be too large")]
    TooLarge,
}

/// The payout is in another state than the change is for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a payout that is {0} does not allow this change")]
pub struct WrongState(String);

impl Payout {
    /// The number of settlements that have joined.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum of their net amounts.
    pub fn net(&self) -> Minor {
        self.net
    }

    pub fn state(&self) -> &PayoutState {
        &self.state
    }

    pub fn status(&self) -> OpenEnum<PayoutStatus> {
        self.state.status()
    }

    /// Whether count and sum are fixed.
    pub fn is_sealed(&self) -> bool {
        !matches!(self.state, PayoutState::Building(_))
    }

    /// Whether it was decided that it is not paid.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.state, PayoutState::Cancelling { .. } | PayoutState::Cancelled { .. })
    }

    /// Whether nothing is left to do until somebody decides, or ever.
    pub fn is_waiting_or_done(&self) -> bool {
        match self.state {
            PayoutState::Building(_) | PayoutState::Paying { .. } | PayoutState::Cancelling { .. } => false,
            PayoutState::Sealed | PayoutState::Paid { .. } | PayoutState::Cancelled { .. } | PayoutState::Unknown(_) => true,
        }
    }

    pub fn decided(&self) -> Decided<'_> {
        self.state.decided()
    }

    pub fn kinds(&self) -> &'static [SettlementKind] {
        SettlementKind::listed(self.settlement_mode)
    }

    /// Whether a settlement can join.
    pub fn admits(&self, settlement: &Settlement) -> bool {
        self.state == PayoutState::Building(Building::Joining)
            && settlement.is_payable()
            && settlement.merchant_id == self.merchant_id
            && settlement.currency == self.currency
            && self.kinds().contains(&settlement.kind())
            && settlement.eligible_at < self.eligible_before
    }

    /// The payout and the settlement after it has joined. One that makes the sum larger than an amount can be waits for
    /// another payout.
    pub fn join(&self, settlement: &Settlement, now: Timestamp) -> Result<(Self, Settlement), JoinError> {
        if !self.admits(settlement) {
            return Err(JoinError::NotAdmitted);
        }
        let net = self.net.checked_add(settlement.net).ok_or(JoinError::TooLarge)?;
        if net.get().unsigned_abs() > Minor::MAX.get().unsigned_abs() {
            return Err(JoinError::TooLarge);
        }
        let joined = settlement.joined(&self.id, now).ok_or(JoinError::NotAdmitted)?;
        Ok((Self { count: self.count + 1, net, ..self.clone() }, joined))
    }

    /// The payout once no more settlements join.
    pub fn complete(&self) -> Result<Self, WrongState> {
        match self.state {
            PayoutState::Building(Building::Joining) => Ok(self.writing_file(None)),
            _ => Err(self.wrong_state()),
        }
    }

    /// The payout with this much of its file; `None` begins the file again.
    pub fn written(&self, upload: Option<Upload>) -> Result<Self, WrongState> {
        match self.state {
            PayoutState::Building(Building::WritingFile { .. }) => Ok(self.writing_file(upload)),
            _ => Err(self.wrong_state()),
        }
    }

    /// The payout with its final count and sum, once its file is written.
    pub fn seal(&self, now: Timestamp) -> Result<Self, WrongState> {
        match self.state {
            PayoutState::Building(Building::WritingFile { .. }) if self.net > Minor::ZERO => Ok(self.with(PayoutState::Sealed)),
            PayoutState::Building(Building::WritingFile { .. }) => {
                let cancellation = Cancellation { at: now, cause: Cause::NothingToPay };
                Ok(self.with(PayoutState::Cancelling { cancellation, followed: Followed::default() }))
            }
            _ => Err(self.wrong_state()),
        }
    }

    /// The payout after a decision. `None` if the same was decided before.
    pub fn decide(
        &self,
        decision: &Decision,
        by: &UserId,
        confirmed_by: ConfirmedBy,
        now: Timestamp,
    ) -> Result<Option<Self>, DecisionError> {
        let is_confirmation = matches!(decision, Decision::Paid { .. });
        if is_confirmation && confirmed_by == ConfirmedBy::SecondPerson && *by == self.created_by {
            return Err(DecisionError::SecondPerson);
        }
        match &self.state {
            PayoutState::Building(_) => Err(DecisionError::NotSealed),
            PayoutState::Sealed => Ok(Some(self.with(decided(decision.clone(), by.clone(), now)))),
            _ if self.has_decision(decision) => Ok(None),
            _ => Err(DecisionError::DecidedOtherwise),
        }
    }

    fn has_decision(&self, decision: &Decision) -> bool {
        match (&self.state, decision) {
            (PayoutState::Paying { payment, .. } | PayoutState::Paid { payment }, Decision::Paid { reference }) => {
                payment.reference == *reference
            }
            (
                PayoutState::Cancelling { cancellation, .. } | PayoutState::Cancelled { cancellation },
                Decision::Cancelled { reason },
            ) => cancellation.reason() == Some(reason),
            _ => false,
        }
    }

    /// A settlement that follows the decision. `None` without a decision, and if the settlement does not wait for it.
    pub fn follow(&self, settlement: &Settlement, now: Timestamp) -> Option<Settlement> {
        match self.state {
            PayoutState::Paying { .. } => settlement.paid(&self.id, now),
            PayoutState::Cancelling { .. } => settlement.returned(&self.id, now),
            _ => None,
        }
    }

    /// The payout after more settlements have followed.
    pub fn follow_up_to(&self, followed: Followed) -> Result<Self, WrongState> {
        match self.state.clone() {
            PayoutState::Paying { payment, .. } => Ok(self.with(PayoutState::Paying { payment, followed })),
            PayoutState::Cancelling { cancellation, .. } => Ok(self.with(PayoutState::Cancelling { cancellation, followed })),
            _ => Err(self.wrong_state()),
        }
    }

    /// The payout once all of its settlements have followed. `None` if some have not.
    pub fn done(&self) -> Option<Self> {
        match self.state.clone() {
            PayoutState::Paying { payment, followed } if followed.count == self.count => {
                Some(self.with(PayoutState::Paid { payment }))
            }
            PayoutState::Cancelling { cancellation, followed } if followed.count == self.count => {
                Some(self.with(PayoutState::Cancelled { cancellation }))
            }
            _ => None,
        }
    }

    fn writing_file(&self, upload: Option<Upload>) -> Self {
        self.with(PayoutState::Building(Building::WritingFile { upload }))
    }

    pub(super) fn with(&self, state: PayoutState) -> Self {
        Self { state, ..self.clone() }
    }

    fn wrong_state(&self) -> WrongState {
        WrongState(self.status().to_string())
    }
}

fn decided(decision: Decision, by: UserId, at: Timestamp) -> PayoutState {
    match decision {
        Decision::Paid { reference } => {
            PayoutState::Paying { payment: Payment { by, at, reference }, followed: Followed::default() }
        }
        Decision::Cancelled { reason } => {
            let cancellation = Cancellation { at, cause: Cause::Decision { by, reason } };
            PayoutState::Cancelling { cancellation, followed: Followed::default() }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::settlements::model::settlement::{self, HeldBecause, SettlementStatus, Source, SourceType};
    use crate::values::RedemptionId;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    /// Started by `u-1`.
    pub(in super::super) fn payout() -> Payout {
        Payout {
            id: PayoutId::new("p"),
            run_id: PayoutRunId::new("run"),
            merchant_id: MerchantId::new("m"),
            currency: Currency::EUR,
            settlement_mode: Some(SettlementMode::OnRedemption),
            eligible_before: "2026-01-02T00:00:00Z".parse().unwrap(),
            created_by: UserId::new("u-1"),
            created_at: NOW,
            count: 0,
            net: Minor::ZERO,
            state: PayoutState::Building(Building::Joining),
        }
    }

    /// A payout of one settlement, in every state before the decision.
    pub(in super::super) fn undecided() -> [Payout; 3] {
        let (joining, _) = payout().join(&settlement(100), NOW).unwrap();
        let writing = joining.complete().unwrap();
        let sealed = writing.seal(NOW).unwrap();
        [joining, writing, sealed]
    }

    /// The same payout, decided by `u-2`.
    pub(in super::super) fn decided(decision: &Decision) -> Payout {
        let [.., sealed] = undecided();
        sealed.decide(decision, &UserId::new("u-2"), ConfirmedBy::SecondPerson, NOW).unwrap().unwrap()
    }

    pub(in super::super) fn paid(reference: &str) -> Decision {
        Decision::Paid { reference: reference.to_owned() }
    }

    pub(in super::super) fn cancelled(reason: &str) -> Decision {
        Decision::Cancelled { reason: reason.to_owned() }
    }

    /// The payout once its settlement has followed.
    fn done(payout: &Payout) -> Payout {
        let followed = Followed { count: 1, until: Some("s".to_owned()) };
        payout.follow_up_to(followed).unwrap().done().unwrap()
    }

    fn settlement(net: i64) -> Settlement {
        let source = Source::Redemption(RedemptionId::new("r"));
        Settlement {
            merchant_id: MerchantId::new("m"),
            order_id: None,
            gross: Minor::new(net),
            net: Minor::new(net),
            eligible_at: "2026-01-01T23:59:59.999Z".parse().unwrap(),
            ..settlement::tests::settlement("s", &source, SettlementStatus::Pending, &NOW.to_string())
        }
    }

    #[test]
    fn admits_what_is_pending_eligible_not_held_and_of_the_listed_kind() {
        let payable = settlement(100);
        assert!(payout().admits(&payable));
        for refused in [
            Settlement { hold: HeldBecause::OwnSale.into(), ..payable.clone() },
            Settlement { status: SettlementStatus::InBatch.into(), ..payable.clone() },
            Settlement { status: SettlementStatus::Void.into(), ..payable.clone() },
            Settlement { currency: Currency::USD, ..payable.clone() },
            Settlement { source_type: SourceType::Order.into(), ..payable.clone() },
            Settlement { merchant_id: MerchantId::new("m-2"), ..payable.clone() },
            Settlement { eligible_at: payout().eligible_before, ..payable.clone() },
        ] {
            assert!(!payout().admits(&refused), "{refused:?}");
            assert_eq!(payout().join(&refused, NOW), Err(JoinError::NotAdmitted));
        }
    }

    #[test]
    fn a_sum_of_zero_or_less_is_not_paid() {
        for (amounts, status) in [
            (&[100, -99][..], PayoutStatus::InBatch),
            (&[100, -100], PayoutStatus::Cancelling),
            (&[-5], PayoutStatus::Cancelling),
            (&[], PayoutStatus::Cancelling),
        ] {
            let joined = amounts.iter().fold(payout(), |payout, net| {
                let (larger, _) = payout.join(&settlement(*net), NOW).unwrap();
                larger
            });
            let sealed = joined.complete().unwrap().seal(NOW).unwrap();
            assert_eq!(sealed.status(), status, "{amounts:?}");
            assert_eq!((sealed.count(), sealed.net().get()), (amounts.len() as u64, amounts.iter().sum()));
        }
        let (full, _) = payout().join(&settlement(Minor::MAX.get()), NOW).unwrap();
        assert_eq!(full.join(&settlement(1), NOW), Err(JoinError::TooLarge));
    }

    #[test]
    fn each_change_is_refused_in_every_other_state() {
        let [joining, writing, sealed] = undecided();
        let (paying, cancelling) = (decided(&paid("A")), decided(&cancelled("A")));
        let unknown = payout().with(serde_json::from_str(r#"{"status": "RECALLED"}"#).unwrap());
        let states = [joining, writing, sealed, paying.clone(), done(&paying), cancelling.clone(), done(&cancelling), unknown];
        let allowed = |change: &dyn Fn(&Payout) -> bool| states.each_ref().map(change);
        let (yes, no) = (true, false);
        let joins = |payout: &Payout| payout.join(&settlement(1), NOW).is_ok();
        assert_eq!(allowed(&joins), [yes, no, no, no, no, no, no, no]);
        let completes = |payout: &Payout| payout.complete().is_ok();
        assert_eq!(allowed(&completes), [yes, no, no, no, no, no, no, no]);
        let is_written = |payout: &Payout| payout.written(None).is_ok();
        assert_eq!(allowed(&is_written), [no, yes, no, no, no, no, no, no]);
        let is_sealed = |payout: &Payout| payout.seal(NOW).is_ok();
        assert_eq!(allowed(&is_sealed), [no, yes, no, no, no, no, no, no]);
        let by = UserId::new("u-2");
        let is_decided = |payout: &Payout| payout.decide(&paid("B"), &by, ConfirmedBy::SecondPerson, NOW).is_ok();
        assert_eq!(allowed(&is_decided), [no, no, yes, no, no, no, no, no]);
        let follows = |payout: &Payout| payout.follow_up_to(Followed::default()).is_ok();
        assert_eq!(allowed(&follows), [no, no, no, yes, no, yes, no, no]);
    }

    #[test]
    fn one_decision_is_taken_and_can_be_repeated() {
        let (by, other) = (UserId::new("u-2"), UserId::new("u-3"));
        let decide = |payout: &Payout, decision: &Decision| payout.decide(decision, &other, ConfirmedBy::SecondPerson, NOW);
        let [joining, writing, _] = undecided();
        for payout in [joining, writing] {
            assert_eq!(decide(&payout, &paid("A")), Err(DecisionError::NotSealed));
        }
        for (decision, others) in [(paid("A"), [paid("B"), cancelled("A")]), (cancelled("A"), [paid("A"), cancelled("B")])] {
            let decided = decided(&decision);
            for payout in [&decided, &done(&decided)] {
                assert_eq!(decide(payout, &decision), Ok(None));
                assert_eq!(payout.decided().by, Some(&by));
                for contrary in &others {
                    assert_eq!(decide(payout, contrary), Err(DecisionError::DecidedOtherwise));
                }
            }
            assert_eq!(decided.done(), None, "a settlement is missing");
        }
        let not_paid = payout().complete().unwrap().seal(NOW).unwrap();
        assert_eq!(decide(&not_paid, &cancelled("A")), Err(DecisionError::DecidedOtherwise));
    }

    #[test]
    fn who_started_a_payout_does_not_confirm_it_but_can_cancel_it() {
        let [.., sealed] = undecided();
        let creator = UserId::new("u-1");
        for payout in [&sealed, &decided(&paid("A"))] {
            let confirmed = payout.decide(&paid("A"), &creator, ConfirmedBy::SecondPerson, NOW);
            assert_eq!(confirmed, Err(DecisionError::SecondPerson));
        }
        assert!(sealed.decide(&paid("A"), &creator, ConfirmedBy::Anyone, NOW).is_ok());
        assert!(sealed.decide(&cancelled("A"), &creator, ConfirmedBy::SecondPerson, NOW).is_ok());
    }

    #[test]
    fn a_settlement_names_its_payout_until_it_is_returned() {
        let (_, joined) = payout().join(&settlement(100), NOW).unwrap();
        let state = |settlement: &Settlement| (settlement.status.known(), settlement.payout_batch_id.clone());
        assert_eq!(state(&joined), (Some(SettlementStatus::InBatch), Some(payout().id)));
        let (paying, cancelling) = (decided(&paid("A")), decided(&cancelled("A")));
        let paid = paying.follow(&joined, NOW).unwrap();
        assert_eq!(state(&paid), (Some(SettlementStatus::Paid), Some(payout().id)));
        assert_eq!(cancelling.follow(&joined, NOW).unwrap(), settlement(100));
        let of_another = settlement(100).joined(&PayoutId::new("other"), NOW).unwrap();
        for stranger in [paid, settlement(100), of_another] {
            assert_eq!(paying.follow(&stranger, NOW), None);
            assert_eq!(cancelling.follow(&stranger, NOW), None);
        }
    }
}
