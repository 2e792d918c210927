//! Payouts: batches of settlements that are paid to a merchant together, and the runs that make them.
//!
//! ```text
//!            settlements join            count and sum are fixed       one decision
//! (a run) ──► BUILDING ──────────────────────► IN_BATCH ──────┬──► PAYING ─────► PAID
//!                 │                                           │
//!                 └── the sum is 0 or less ───────────────────┴──► CANCELLING ─► CANCELLED
//! ```
//!
//! A settlement that joins, is paid or leaves changes in the same transaction as its payout, on condition that neither has
//! changed since it was read. So workers that race or return from the dead cannot count a settlement twice.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;
use utoipa::ToSchema;

use super::export::UploadedPart;
use super::ids::{MerchantId, PayoutId, PayoutRunId, UserId};
use super::merchant::{Merchant, MerchantStatus, SettlementMode};
use super::money::{Currency, Minor};
use super::open_enum::OpenEnum;
use super::settlement::Settlement;
use super::tally::SettlementKind;

/// A request to make the payouts of all merchants, or of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayoutRun {
    pub id: PayoutRunId,
    /// A hash of the request. The id follows from its idempotency key.
    pub fingerprint: String,
    /// `None` for all merchants.
    pub merchant_id: Option<MerchantId>,
    /// `None` for all currencies.
    pub currency: Option<Currency>,
    /// Settlements that are eligible at this time or later wait for another run.
    pub eligible_before: Timestamp,
    pub created_by: UserId,
    pub created_at: Timestamp,
    /// The merchant of the administrator who started it, which it leaves out.
    pub own_merchant_id: Option<MerchantId>,
    /// The last merchant whose payouts were started.
    pub after: Option<MerchantId>,
    pub finished_at: Option<Timestamp>,
}

impl PayoutRun {
    /// The id of the run with this idempotency key. It is the same for every caller and at any time.
    pub fn id_of(idempotency_key: &str) -> PayoutRunId {
        PayoutRunId::new(short_hash(&["run", idempotency_key]))
    }

    /// The payout of a merchant's settlements in a currency, before any of them has joined.
    pub fn payout(&self, merchant: &Merchant, currency: Currency, now: Timestamp) -> Payout {
        let parts = ["payout", self.id.as_str(), merchant.id.as_str(), currency.code()];
        Payout {
            id: PayoutId::new(short_hash(&parts)),
            run_id: self.id.clone(),
            merchant_id: merchant.id.clone(),
            currency,
            settlement_mode: merchant.settlement_mode.as_ref().and_then(OpenEnum::known),
            eligible_before: self.eligible_before,
            status: PayoutStatus::Building.into(),
            count: 0,
            net: Minor::ZERO,
            is_complete: false,
            upload: None,
            closed_count: 0,
            closed_until: None,
            created_by: self.created_by.clone(),
            created_at: now,
            closed_by: None,
            closed_at: None,
            reference: None,
            reason: None,
        }
    }
}

/// Why a merchant is not paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotPayable {
    #[error("The merchant is neither ACTIVE nor INACTIVE.")]
    Status,
    /// Who the merchant is has changed, and no administrator has reviewed the change.
    #[error("Who the merchant is has changed. An administrator has to review it first.")]
    IdentityChanged,
}

impl Merchant {
    /// Why no payout is made for it or confirmed as paid. `None` if it can be paid.
    pub fn not_payable(&self) -> Option<NotPayable> {
        if !matches!(self.status.known(), Some(MerchantStatus::Active | MerchantStatus::Inactive)) {
            return Some(NotPayable::Status);
        }
        self.unreviewed_identity_changes().next().map(|_| NotPayable::IdentityChanged)
    }
}

/// Why settlements are in no payout of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum LeftOutReason {
    /// The merchant is neither `ACTIVE` nor `INACTIVE`.
    Status,
    /// Who the merchant is has changed, and no administrator has reviewed the change.
    IdentityChanged,
    /// The administrator who started the run belongs to the merchant, or has belonged to it.
    OwnMerchant,
    /// All of the merchant's settlements are held.
    AllHeld,
    /// The sum is 0 or less: a debt is set off against later settlements.
    NotPositive,
    /// The merchant or the settlements cannot be read.
    Unreadable,
    /// The merchant's settlement mode does not pay this kind of settlements.
    OtherKind,
    /// Settlements of this merchant and currency are joining a payout of another run.
    AnotherRun,
}

impl From<NotPayable> for LeftOutReason {
    fn from(reason: NotPayable) -> Self {
        match reason {
            NotPayable::Status => Self::Status,
            NotPayable::IdentityChanged => Self::IdentityChanged,
        }
    }
}

/// Count and net amount of settlements in one currency.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Owed {
    pub count: u64,
    pub net: Minor,
}

impl Owed {
    /// With one more settlement. `None` if the sum is no amount any more.
    pub fn and(self, net: Minor) -> Option<Self> {
        Some(Self { count: self.count + 1, net: self.net.checked_add(net)? })
    }

    pub fn plus(self, other: Self) -> Option<Self> {
        Some(Self { count: self.count + other.count, net: self.net.checked_add(other.net)? })
    }
}

/// Settlements of a merchant in a currency that are in no payout of a run, although they are eligible.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub run_id: PayoutRunId,
    pub merchant_id: MerchantId,
    /// Empty if the merchant cannot be read.
    pub merchant_name: String,
    pub currency: Currency,
    /// `None` if there are too many to be counted.
    pub count: Option<u64>,
    /// The sum of their net amounts, if they could be counted.
    pub net: Option<Minor>,
    pub reason: OpenEnum<LeftOutReason>,
}

/// 128 bits of a hash, as 32 hexadecimal digits.
fn short_hash(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize()).chars().take(32).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PayoutStatus {
    /// Settlements join.
    Building,
    /// Waits for the decision whether it is paid.
    InBatch,
    /// It is paid; its settlements become `PAID`.
    Paying,
    Paid,
    /// It is not paid; its settlements become `PENDING` again.
    Cancelling,
    Cancelled,
}

/// The settlements of a merchant in a currency that are paid together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payout {
    /// 32 characters, so that it fits the end-to-end id of a bank transfer.
    pub id: PayoutId,
    pub run_id: PayoutRunId,
    pub merchant_id: MerchantId,
    pub currency: Currency,
    /// The merchant's mode when the payout was started, which decides the kind of its settlements. Required in a row, also
    /// if null.
    #[serde(deserialize_with = "Option::deserialize")]
    pub settlement_mode: Option<SettlementMode>,
    pub eligible_before: Timestamp,
    pub status: OpenEnum<PayoutStatus>,
    /// The number of settlements that have joined.
    pub count: u64,
    /// The sum of their net amounts.
    pub net: Minor,
    /// No more settlements join.
    pub is_complete: bool,
    /// How far its file is, while it is being written.
    #[serde(default)]
    pub upload: Option<Upload>,
    /// The number of settlements that have been paid, or have left.
    pub closed_count: u64,
    /// Settlements with this id or one before it have been paid, or have left.
    pub closed_until: Option<String>,
    pub created_by: UserId,
    pub created_at: Timestamp,
    /// Who decided whether it is paid. `None` before the decision, and if its sum was 0 or less.
    pub closed_by: Option<UserId>,
    pub closed_at: Option<Timestamp>,
    /// The reference of the payment.
    pub reference: Option<String>,
    /// Why it is not paid.
    pub reason: Option<String>,
}

/// How far the file of a payout is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upload {
    pub id: String,
    pub parts: Vec<UploadedPart>,
    /// The last settlement in these parts.
    pub until: String,
}

/// What an administrator decides about a payout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Paid { reference: String },
    Cancelled { reason: String },
}

/// Why a decision is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DecisionError {
    #[error("settlements are still joining the payout")]
    Building,
    #[error("it was decided otherwise before")]
    Closed,
}

/// What is left to do for a payout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayoutStep {
    /// Let settlements join.
    Join,
    /// Write the file, then fix count and sum.
    Seal,
    /// Mark its settlements as paid.
    Pay,
    /// Return its settlements.
    Return,
    /// Nothing, until an administrator decides. Nothing ever, once it is paid or cancelled.
    Nothing,
}

impl Payout {
    pub fn next_step(&self) -> PayoutStep {
        match self.status.known() {
            Some(PayoutStatus::Building) if self.is_complete => PayoutStep::Seal,
            Some(PayoutStatus::Building) => PayoutStep::Join,
            Some(PayoutStatus::Paying) => PayoutStep::Pay,
            Some(PayoutStatus::Cancelling) => PayoutStep::Return,
            Some(PayoutStatus::InBatch | PayoutStatus::Paid | PayoutStatus::Cancelled) | None => {
                PayoutStep::Nothing
            }
        }
    }

    /// Whether count and sum are fixed.
    pub fn is_sealed(&self) -> bool {
        self.status != PayoutStatus::Building
    }

    /// The kinds of settlements that it pays.
    pub fn kinds(&self) -> &'static [SettlementKind] {
        SettlementKind::listed(self.settlement_mode)
    }

    /// Whether a settlement can join.
    pub fn admits(&self, settlement: &Settlement) -> bool {
        settlement.is_payable()
            && settlement.merchant_id == self.merchant_id
            && settlement.currency == self.currency
            && self.kinds().contains(&settlement.kind())
            && settlement.eligible_at < self.eligible_before
    }

    /// The payout after a settlement has joined. `None` if the sum would be larger than an amount can be: the settlement
    /// waits for another payout.
    pub fn joined_by(&self, settlement: &Settlement) -> Option<Self> {
        let net = self.net.checked_add(settlement.net)?;
        let is_amount = net.get().unsigned_abs() <= Minor::MAX.get().unsigned_abs();
        is_amount.then(|| Self { count: self.count + 1, net, ..self.clone() })
    }

    /// The payout once no more settlements join.
    #[must_use]
    pub fn completed(&self) -> Self {
        Self { is_complete: true, ..self.clone() }
    }

    /// The payout with its final count and sum. It is not paid if the sum is 0 or less: a debt is set off against later
    /// settlements.
    #[must_use]
    pub fn sealed(&self, now: Timestamp) -> Self {
        if self.net > Minor::ZERO {
            return Self { status: PayoutStatus::InBatch.into(), upload: None, ..self.clone() };
        }
        let status = PayoutStatus::Cancelling.into();
        Self { status, upload: None, closed_at: Some(now), ..self.clone() }
    }

    /// The payout after a decision. `None` if the same was decided before.
    pub fn decided(
        &self,
        decision: &Decision,
        by: &UserId,
        now: Timestamp,
    ) -> Result<Option<Self>, DecisionError> {
        match self.status.known() {
            Some(PayoutStatus::Building) => Err(DecisionError::Building),
            Some(PayoutStatus::InBatch) => Ok(Some(self.closed_by(decision, by, now))),
            _ if self.decision().as_ref() == Some(decision) => Ok(None),
            _ => Err(DecisionError::Closed),
        }
    }

    fn closed_by(&self, decision: &Decision, by: &UserId, now: Timestamp) -> Self {
        let closed = Self { closed_by: Some(by.clone()), closed_at: Some(now), ..self.clone() };
        match decision.clone() {
            Decision::Paid { reference } => {
                Self { status: PayoutStatus::Paying.into(), reference: Some(reference), ..closed }
            }
            Decision::Cancelled { reason } => {
                Self { status: PayoutStatus::Cancelling.into(), reason: Some(reason), ..closed }
            }
        }
    }

    /// What an administrator has decided.
    fn decision(&self) -> Option<Decision> {
        match self.status.known()? {
            PayoutStatus::Paying | PayoutStatus::Paid => {
                self.reference.clone().map(|reference| Decision::Paid { reference })
            }
            PayoutStatus::Cancelling | PayoutStatus::Cancelled => {
                self.reason.clone().map(|reason| Decision::Cancelled { reason })
            }
            PayoutStatus::Building | PayoutStatus::InBatch => None,
        }
    }

    /// A settlement as it is after the decision. `None` if it is not one that waits for it.
    pub fn closed(&self, settlement: &Settlement, now: Timestamp) -> Option<Settlement> {
        match self.next_step() {
            PayoutStep::Pay => settlement.paid(&self.id, now),
            PayoutStep::Return => settlement.returned(&self.id, now),
            PayoutStep::Join | PayoutStep::Seal | PayoutStep::Nothing => None,
        }
    }

    /// The payout after `count` more settlements were paid or returned, up to one with this id.
    #[must_use]
    pub fn closed_up_to(&self, id: String, count: u64) -> Self {
        Self { closed_count: self.closed_count + count, closed_until: Some(id), ..self.clone() }
    }

    /// The payout as a restored table takes it over from the one that it replaces: what was decided is done.
    #[must_use]
    pub fn carried_over(&self) -> Self {
        let status = match self.next_step() {
            PayoutStep::Pay => PayoutStatus::Paid,
            PayoutStep::Return => PayoutStatus::Cancelled,
            PayoutStep::Join | PayoutStep::Seal | PayoutStep::Nothing => return self.clone(),
        };
        Self { status: status.into(), closed_count: self.count, ..self.clone() }
    }

    /// The payout after a restore, if nothing tells what was decided about it since the restored moment: its settlements are
    /// returned. `None` if it was decided as paid before that moment, or is done.
    pub fn withdrawn(&self, now: Timestamp) -> Option<Self> {
        let is_open = matches!(
            self.status.known(),
            Some(PayoutStatus::Building | PayoutStatus::InBatch | PayoutStatus::Cancelling)
        );
        let reason = || "Restored: it may have been paid, or its settlements by another payout.".to_owned();
        is_open.then(|| Self {
            status: PayoutStatus::Cancelled.into(),
            is_complete: true,
            upload: None,
            closed_count: self.count,
            closed_at: self.closed_at.or(Some(now)),
            reason: Some(self.reason.clone().unwrap_or_else(reason)),
            ..self.clone()
        })
    }

    /// The payout once all of its settlements have been paid or returned. `None` if some have not.
    pub fn finished(&self) -> Option<Self> {
        let status = match self.next_step() {
            PayoutStep::Pay => PayoutStatus::Paid,
            PayoutStep::Return => PayoutStatus::Cancelled,
            PayoutStep::Join | PayoutStep::Seal | PayoutStep::Nothing => return None,
        };
        (self.closed_count == self.count).then(|| Self { status: status.into(), ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::SettlementId;
    use crate::domain::settlement::{SettlementStatus, SourceType};

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn run() -> PayoutRun {
        PayoutRun {
            id: PayoutRun::id_of("key"),
            fingerprint: "f".to_owned(),
            merchant_id: None,
            currency: None,
            eligible_before: "2026-01-02T00:00:00Z".parse().unwrap(),
            created_by: UserId::new("u-1"),
            created_at: NOW,
            own_merchant_id: Some(MerchantId::new("m-own")),
            after: None,
            finished_at: None,
        }
    }

    fn merchant(status: MerchantStatus) -> Merchant {
        let settlement_mode = Some(SettlementMode::OnRedemption.into());
        Merchant { status: status.into(), settlement_mode, ..Merchant::new(MerchantId::new("m")) }
    }

    fn payout() -> Payout {
        run().payout(&merchant(MerchantStatus::Active), Currency::EUR, NOW)
    }

    fn settlement(net: i64) -> Settlement {
        Settlement {
            id: SettlementId::new("s"),
            merchant_id: MerchantId::new("m"),
            source_type: SourceType::Redemption.into(),
            source_id: "r".to_owned(),
            order_id: None,
            gift_card_id: None,
            redemption_id: None,
            gross: Minor::new(net),
            fee: Minor::ZERO,
            net: Minor::new(net),
            currency: Currency::EUR,
            fee_snapshot: None,
            status: SettlementStatus::Pending.into(),
            payout_batch_id: None,
            held: false,
            held_because: None,
            held_reason: None,
            hold_lifted: false,
            eligible_at: "2026-01-01T23:59:59.999Z".parse().unwrap(),
            created_at: NOW,
            updated_at: NOW,
        }
    }

    #[test]
    fn ids_follow_from_the_idempotency_key_the_merchant_and_the_currency() {
        let payout_of = |run: &PayoutRun, merchant_id: &str, currency: Currency| {
            run.payout(&Merchant::new(MerchantId::new(merchant_id)), currency, NOW).id
        };
        let other = PayoutRun { id: PayoutRun::id_of("other"), ..run() };
        let ids = [
            payout_of(&run(), "m", Currency::EUR),
            payout_of(&run(), "m", Currency::USD),
            payout_of(&run(), "mE", Currency::EUR),
            payout_of(&other, "m", Currency::EUR),
        ];
        let different: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(different.len(), ids.len());
        assert!(ids.iter().all(|id| id.as_str().len() == 32));
        assert_eq!(payout_of(&run(), "m", Currency::EUR), ids[0]);
    }

    #[test]
    fn active_and_inactive_merchants_are_paid_once_their_identity_is_reviewed() {
        use MerchantStatus::{Active, DecisionPending, Inactive, Suspended};
        for (status, not_payable) in [
            (Active, None),
            (Inactive, None),
            (Suspended, Some(NotPayable::Status)),
            (DecisionPending, Some(NotPayable::Status)),
        ] {
            assert_eq!(merchant(status).not_payable(), not_payable, "{status:?}");
        }
        let before = merchant(Active);
        let mut renamed = Merchant { legal_name: "B".to_owned(), ..before.clone() };
        renamed.record_identity_changes(&before, &UserId::new("u"), NOW);
        assert_eq!(renamed.not_payable(), Some(NotPayable::IdentityChanged));
        renamed.review_identity();
        assert_eq!(renamed.not_payable(), None);
    }

    #[test]
    fn admits_what_is_pending_eligible_not_held_and_of_the_listed_kind() {
        let payable = settlement(100);
        assert!(payout().admits(&payable));
        for refused in [
            Settlement { held: true, ..payable.clone() },
            Settlement { status: SettlementStatus::InBatch.into(), ..payable.clone() },
            Settlement { status: SettlementStatus::Void.into(), ..payable.clone() },
            Settlement { currency: Currency::USD, ..payable.clone() },
            Settlement { source_type: SourceType::Order.into(), ..payable.clone() },
            Settlement { merchant_id: MerchantId::new("m-2"), ..payable.clone() },
            Settlement { eligible_at: run().eligible_before, ..payable.clone() },
        ] {
            assert!(!payout().admits(&refused), "{refused:?}");
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
            let joined =
                amounts.iter().fold(payout(), |payout, net| payout.joined_by(&settlement(*net)).unwrap());
            let sealed = joined.completed().sealed(NOW);
            assert_eq!(sealed.status, status, "{amounts:?}");
            assert_eq!((sealed.count, sealed.net.get()), (amounts.len() as u64, amounts.iter().sum()));
        }
        let full = payout().joined_by(&settlement(Minor::MAX.get())).unwrap();
        assert_eq!(full.joined_by(&settlement(1)), None);
    }

    #[test]
    fn one_decision_is_taken_and_can_be_repeated() {
        let (one, other) = (UserId::new("u-2"), UserId::new("u-3"));
        let paid = |reference: &str| Decision::Paid { reference: reference.to_owned() };
        let cancelled = |reason: &str| Decision::Cancelled { reason: reason.to_owned() };
        let building = payout().joined_by(&settlement(100)).unwrap();
        assert_eq!(building.decided(&paid("A"), &one, NOW), Err(DecisionError::Building));
        let sealed = building.completed().sealed(NOW);
        for (decision, others) in
            [(paid("A"), [paid("B"), cancelled("A")]), (cancelled("A"), [paid("A"), cancelled("B")])]
        {
            let decided = sealed.decided(&decision, &one, NOW).unwrap().unwrap();
            let finished = decided.closed_up_to("s".to_owned(), 1).finished().unwrap();
            for payout in [&decided, &finished] {
                assert_eq!(payout.decided(&decision, &other, NOW), Ok(None));
                assert_eq!(payout.closed_by, Some(one.clone()));
                for contrary in &others {
                    assert_eq!(payout.decided(contrary, &other, NOW), Err(DecisionError::Closed));
                }
            }
            assert_eq!(decided.finished(), None, "a settlement is missing");
        }
        let not_paid = payout().completed().sealed(NOW);
        assert_eq!(not_paid.decided(&cancelled("A"), &one, NOW), Err(DecisionError::Closed));
    }

    #[test]
    fn after_a_restore_a_decided_payout_is_done_and_an_undecided_one_can_be_withdrawn() {
        let by = UserId::new("u-2");
        let building = payout().joined_by(&settlement(100)).unwrap();
        let sealed = building.completed().sealed(NOW);
        let decided = |decision| sealed.decided(&decision, &by, NOW).unwrap().unwrap();
        let paying = decided(Decision::Paid { reference: "A".to_owned() });
        let cancelling = decided(Decision::Cancelled { reason: "A".to_owned() });
        for (payout, carried_over, is_withdrawn) in [
            (&building, PayoutStatus::Building, true),
            (&sealed, PayoutStatus::InBatch, true),
            (&paying, PayoutStatus::Paid, false),
            (&cancelling, PayoutStatus::Cancelled, true),
        ] {
            let carried = payout.carried_over();
            assert_eq!(carried.status, carried_over, "{payout:?}");
            assert_eq!(carried.carried_over(), carried);
            let withdrawn = payout.withdrawn(NOW);
            assert_eq!(withdrawn.is_some(), is_withdrawn, "{payout:?}");
            assert_eq!(
                withdrawn.map(|withdrawn| withdrawn.next_step()),
                is_withdrawn.then_some(PayoutStep::Nothing)
            );
            assert_eq!(
                carried.withdrawn(NOW).is_some(),
                !carried.is_sealed() || carried.status == PayoutStatus::InBatch
            );
        }
        assert_eq!(cancelling.withdrawn(NOW).unwrap().reason.as_deref(), Some("A"));
    }

    #[test]
    fn a_settlement_names_its_payout_until_it_is_returned() {
        let sealed = payout().joined_by(&settlement(100)).unwrap().completed().sealed(NOW);
        let joined = settlement(100).joined(&sealed.id, NOW);
        assert_eq!(
            (&joined.status, &joined.payout_batch_id),
            (&SettlementStatus::InBatch.into(), &Some(sealed.id.clone()))
        );
        let by = UserId::new("u-2");
        let decide = |decision| sealed.decided(&decision, &by, NOW).unwrap().unwrap();
        let paying = decide(Decision::Paid { reference: "A".to_owned() });
        let cancelling = decide(Decision::Cancelled { reason: "A".to_owned() });
        let paid = paying.closed(&joined, NOW).unwrap();
        assert_eq!(
            (&paid.status, &paid.payout_batch_id),
            (&SettlementStatus::Paid.into(), &Some(sealed.id.clone()))
        );
        assert_eq!(cancelling.closed(&joined, NOW).unwrap(), settlement(100));
        for stranger in [paid, settlement(100), settlement(100).joined(&PayoutId::new("other"), NOW)] {
            assert_eq!(paying.closed(&stranger, NOW), None);
            assert_eq!(cancelling.closed(&stranger, NOW), None);
        }
    }
}
