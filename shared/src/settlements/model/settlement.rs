//! Settlements: what a merchant is owed for a sale or a redemption.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use utoipa::ToSchema;

use super::fees::{FeeSnapshot, known_fees};
use crate::cards::model::redemption::{CardLink, Redemption};
use crate::merchants::model::merchant::SettlementMode;
use crate::projections::model::reports::payouts::{HELD, PAYABLE};
use crate::projections::model::tally::{Countable, Series, SettlementKind, Tally};
use crate::values::{Currency, GiftCardId, MerchantId, Minor, OpenEnum, OrderId, PayoutId, RedemptionId, SettlementId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum SourceType {
    Order,
    Redemption,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SettlementStatus {
    Pending,
    InBatch,
    Paid,
    Void,
}

impl SettlementStatus {
    /// The name that the portal shows.
    pub fn label(self) -> &'static str {
        match self {
            Self::Pending => "Pending payout",
            Self::InBatch => "In progress",
            Self::Paid => "Paid",
            Self::Void => "Void",
        }
    }
}

/// Why a settlement is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum HeldBecause {
    /// The merchant sold the card at its own till, and has its money already.
    OwnSale,
    /// The card network's reply names another amount, currency or card than was requested.
    Disagreement,
    /// It may have been paid by a payout that a restored table does not have.
    Restored,
    /// A platform administrator holds it, for the reason in `held_reason`.
    Administrator,
}

/// Whether payouts leave a settlement out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SettlementHold {
    NotHeld {
        /// Why an administrator lifted the last hold. The merchant does not see it.
        lifted_because: Option<String>,
    },
    /// Not paid out until a platform administrator lifts the hold.
    Held {
        because: OpenEnum<HeldBecause>,
        /// The administrator's reason. The merchant does not see it.
        reason: Option<String>,
    },
}

impl Default for SettlementHold {
    fn default() -> Self {
        Self::NotHeld { lifted_because: None }
    }
}

impl From<HeldBecause> for SettlementHold {
    fn from(because: HeldBecause) -> Self {
        Self::Held { because: because.into(), reason: None }
    }
}

impl SettlementHold {
    /// Held for this reason, which tells after `told` that of a hold before it: whoever lifts it has to know both.
    fn replaced_by(&self, because: HeldBecause, told: &str) -> Self {
        let earlier = match self {
            Self::NotHeld { .. } => None,
            Self::Held { because, reason: None } => Some(format!("{told}: {because}")),
            Self::Held { because, reason: Some(reason) } => Some(format!("{told}: {because}, {reason}")),
        };
        Self::Held { because: because.into(), reason: earlier }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settlement {
    pub id: SettlementId,
    pub merchant_id: MerchantId,
    pub source_type: OpenEnum<SourceType>,
    pub source_id: String,
    pub order_id: Option<OrderId>,
    pub gift_card_id: Option<GiftCardId>,
    pub redemption_id: Option<RedemptionId>,
    pub gross: Minor,
    pub fee: Minor,
    pub net: Minor,
    pub currency: Currency,
    #[serde(default, deserialize_with = "known_fees")]
    pub fee_snapshot: Option<FeeSnapshot>,
    pub status: OpenEnum<SettlementStatus>,
    /// The payout that it has joined.
    pub payout_batch_id: Option<PayoutId>,
    pub hold: SettlementHold,
    /// A platform administrator has lifted a hold: the settlement is not held again by itself.
    pub hold_lifted: bool,
    pub eligible_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What a settlement pays for: an order if the merchant is paid on sale, a redemption otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Order(OrderId),
    Redemption(RedemptionId),
}

impl Source {
    /// Chooses the settlement to show of those that refer to this source. Void ones are left out. A settlement of the
    /// source itself comes before one that only refers to it (as one of a redemption refers to the card's order), and
    /// a newer one before an older one.
    pub fn preferred_settlement(&self, referring: Vec<Settlement>) -> Option<Settlement> {
        let candidates = referring.into_iter().filter(|settlement| settlement.status != SettlementStatus::Void);
        candidates.max_by(|one, other| {
            let rank = |settlement: &Settlement| (settlement.source().as_ref() == Some(self), settlement.created_at);
            rank(one).cmp(&rank(other)).then_with(|| one.id.cmp(&other.id))
        })
    }
}

impl Settlement {
    /// What it pays for. `None` for an imported settlement without a source id, and for a source type that this release
    /// does not know.
    pub fn source(&self) -> Option<Source> {
        let source = match self.source_type.known()? {
            SourceType::Order => Source::Order(OrderId::new(&self.source_id)),
            SourceType::Redemption => Source::Redemption(RedemptionId::new(&self.source_id)),
        };
        (!self.source_id.is_empty()).then_some(source)
    }

    /// The sources by which it can be found: its own, its order and its redemption, each once.
    pub fn sources(&self) -> Vec<Source> {
        let order = self.order_id.clone().map(Source::Order);
        let redemption = self.redemption_id.clone().map(Source::Redemption);
        let mut sources: Vec<Source> = Vec::new();
        for source in [self.source(), order, redemption].into_iter().flatten() {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        sources
    }
}

impl Settlement {
    /// Whether it is listed and counted. Void settlements are not.
    pub fn is_listed(&self) -> bool {
        self.status != SettlementStatus::Void
    }

    /// The list that it belongs to.
    pub fn kind(&self) -> SettlementKind {
        match self.source_type.known() {
            Some(SourceType::Order) => SettlementKind::Order,
            Some(SourceType::Redemption) => SettlementKind::Redemption,
            None => SettlementKind::Other,
        }
    }
}

/// Why a settlement cannot be held or released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum HoldError {
    #[error("the settlement has joined a payout")]
    InBatch,
    /// It can no longer change.
    #[error("the settlement is paid or void")]
    Final,
}

impl Settlement {
    pub fn is_held(&self) -> bool {
        matches!(self.hold, SettlementHold::Held { .. })
    }

    /// Why it is held.
    pub fn held_because(&self) -> Option<&OpenEnum<HeldBecause>> {
        match &self.hold {
            SettlementHold::Held { because, .. } => Some(because),
            SettlementHold::NotHeld { .. } => None,
        }
    }

    /// Why an administrator holds it, or lifted the hold.
    pub fn held_reason(&self) -> Option<&str> {
        match &self.hold {
            SettlementHold::Held { reason: text, .. } | SettlementHold::NotHeld { lifted_because: text } => text.as_deref(),
        }
    }

    /// The redemption whose card is to be looked up before it is paid: when the settlement was made, it was not known whether
    /// the merchant had sold the card at its own till, because the outcome of the sale was still open. `None` if the card was
    /// known, and once an administrator has lifted a hold.
    pub fn unchecked_redemption(&self) -> Option<&RedemptionId> {
        self.redemption_id.as_ref().filter(|_| self.gift_card_id.is_none() && !self.hold_lifted)
    }

    /// Whether the next payout takes it, once it is eligible.
    pub fn is_payable(&self) -> bool {
        self.status == SettlementStatus::Pending && !self.is_held()
    }

    /// Whether no payout takes it until the hold is lifted.
    pub fn is_waiting_held(&self) -> bool {
        self.status == SettlementStatus::Pending && self.is_held()
    }

    /// The label by which a pending settlement is counted besides its status and currency.
    fn waits(&self) -> Option<&'static str> {
        if self.is_payable() {
            return Some(PAYABLE);
        }
        self.is_waiting_held().then_some(HELD)
    }

    /// The settlement with a hold. `None` if it has one.
    pub fn hold(&self, because: HeldBecause, reason: Option<&str>, now: Timestamp) -> Result<Option<Self>, HoldError> {
        self.require_pending()?;
        let hold = SettlementHold::Held { because: because.into(), reason: reason.map(ToOwned::to_owned) };
        Ok((!self.is_held()).then(|| Self { hold, updated_at: now, ..self.clone() }))
    }

    /// The settlement without its hold. `None` if it has none.
    pub fn lift_hold(&self, reason: Option<&str>, now: Timestamp) -> Result<Option<Self>, HoldError> {
        self.require_pending()?;
        let lifted = || Self {
            hold: SettlementHold::NotHeld { lifted_because: reason.map(ToOwned::to_owned) },
            // Lifting the hold of a restore says that it was not paid, and nothing about its card.
            hold_lifted: self.hold_lifted || !self.is_held_by_restore(),
            updated_at: now,
            ..self.clone()
        };
        Ok(self.is_held().then(lifted))
    }

    /// The settlement of a redemption whose card turns out to be one that the merchant has sold. Held if it was sold at its own till,
    /// unless a hold was lifted before.
    pub fn claimed(&self, card: &CardLink, now: Timestamp) -> Result<Self, HoldError> {
        self.require_pending()?;
        let is_known = self.hold_lifted || self.held_because().is_some_and(|because| *because == HeldBecause::OwnSale);
        let to_hold = card.sold_at_till && !is_known;
        Ok(Self {
            order_id: Some(card.order_id.clone()),
            gift_card_id: Some(card.gift_card_id.clone()),
            hold: if to_hold { self.hold.replaced_by(HeldBecause::OwnSale, "Also held") } else { self.hold.clone() },
            updated_at: now,
            ..self.clone()
        })
    }

    fn require_pending(&self) -> Result<(), HoldError> {
        match self.status.known() {
            Some(SettlementStatus::Pending) => Ok(()),
            Some(SettlementStatus::InBatch) => Err(HoldError::InBatch),
            Some(SettlementStatus::Paid | SettlementStatus::Void) | None => Err(HoldError::Final),
        }
    }

    /// The settlement in a payout. `None` if no payout can take it.
    pub fn joined(&self, payout: &PayoutId, now: Timestamp) -> Option<Self> {
        let status = SettlementStatus::InBatch.into();
        let joined = || Self { status, payout_batch_id: Some(payout.clone()), updated_at: now, ..self.clone() };
        self.is_payable().then(joined)
    }

    /// The settlement once its payout is paid. `None` if it does not wait for this payout.
    pub fn paid(&self, payout: &PayoutId, now: Timestamp) -> Option<Self> {
        let paid = || Self { status: SettlementStatus::Paid.into(), updated_at: now, ..self.clone() };
        self.waits_for(payout).then(paid)
    }

    /// The settlement once its payout is cancelled. `None` if it does not wait for this payout.
    pub fn returned(&self, payout: &PayoutId, now: Timestamp) -> Option<Self> {
        let status = SettlementStatus::Pending.into();
        let returned = || Self { status, payout_batch_id: None, updated_at: now, ..self.clone() };
        self.waits_for(payout).then(returned)
    }

    fn waits_for(&self, payout: &PayoutId) -> bool {
        self.status == SettlementStatus::InBatch && self.payout_batch_id.as_ref() == Some(payout)
    }
}

impl Settlement {
    /// The settlement with a hold because it may have been paid before a restore. `None` if it has one.
    pub fn held_by_restore(&self, now: Timestamp) -> Option<Self> {
        if self.is_held_by_restore() {
            return None;
        }
        let hold = self.hold.replaced_by(HeldBecause::Restored, "Held before the restore");
        Some(Self { hold, updated_at: now, ..self.clone() })
    }

    fn is_held_by_restore(&self) -> bool {
        self.held_because().is_some_and(|because| *because == HeldBecause::Restored)
    }
}

impl SettlementKind {
    /// The settlements that a merchant with this settlement mode sees.
    pub fn listed(mode: Option<SettlementMode>) -> &'static [Self] {
        match mode {
            Some(SettlementMode::OnSale) => &[Self::Order],
            Some(SettlementMode::OnRedemption) => &[Self::Redemption],
            None => &Self::ALL,
        }
    }
}

impl Countable for Settlement {
    fn counted_at(&self) -> Timestamp {
        self.eligible_at
    }

    fn count(&self, series: Series, tally: &mut Tally) {
        if !matches!(series, Series::Settlements(_)) {
            return;
        }
        let (status, currency) = (self.status.to_string(), self.currency.code());
        match self.waits() {
            Some(waits) => tally.add([&status, currency, waits], self.net),
            None => tally.add([&status, currency], self.net),
        }
    }
}

/// From when on a payout can take the settlement of a redemption that succeeds now. `None` outside of the calendar.
pub fn eligible_at(now: Timestamp, payout_delay_days: u32) -> Option<Timestamp> {
    now.checked_add(SignedDuration::from_hours(i64::from(payout_delay_days) * 24)).ok()
}

/// The settlement of a redemption cannot be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the payout date lies outside of the calendar")]
pub struct SettlementError;

impl Settlement {
    /// The id of the settlement that [`Settlement::of_redemption`] makes. Imported ones have other ids.
    pub fn id_of(redemption: &RedemptionId) -> SettlementId {
        SettlementId::new(format!("settlement-{redemption}"))
    }

    /// The settlement of a successful redemption, or `None` if the merchant is paid on sale. Its id is derived from the
    /// redemption's, so that it can be created only once.
    ///
    /// It is held if the merchant has the money already, because it sold the card at its own till, or if it is not certain
    /// what was redeemed.
    pub fn of_redemption(redemption: &Redemption, now: Timestamp) -> Result<Option<Self>, SettlementError> {
        let Some(terms) = redemption.terms else { return Ok(None) };
        let gross = redemption.amount.minor;
        let fee = terms.fees.fee(gross);
        let net = gross.checked_sub(fee).ok_or(SettlementError)?;
        Ok(Some(Self {
            id: Self::id_of(&redemption.id),
            merchant_id: redemption.merchant_id.clone(),
            source_type: SourceType::Redemption.into(),
            source_id: redemption.id.to_string(),
            order_id: redemption.card.as_ref().map(|card| card.order_id.clone()),
            gift_card_id: redemption.card.as_ref().map(|card| card.gift_card_id.clone()),
            redemption_id: Some(redemption.id.clone()),
            gross,
            fee,
            net,
            currency: redemption.amount.currency,
            fee_snapshot: Some(FeeSnapshot::Applied(terms.fees)),
            status: SettlementStatus::Pending.into(),
            payout_batch_id: None,
            hold: Self::initial_hold(redemption),
            hold_lifted: false,
            eligible_at: eligible_at(now, terms.payout_delay_days).ok_or(SettlementError)?,
            created_at: now,
            updated_at: now,
        }))
    }

    fn initial_hold(redemption: &Redemption) -> SettlementHold {
        let hold: SettlementHold =
            if redemption.reply_disagrees { HeldBecause::Disagreement.into() } else { SettlementHold::default() };
        let is_own_sale = redemption.card.as_ref().is_some_and(|card| card.sold_at_till);
        if is_own_sale { hold.replaced_by(HeldBecause::OwnSale, "Also held") } else { hold }
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::settlements::model::fees::{FeeTerms, SettlementTerms};

    pub(crate) fn settlement(id: &str, source: &Source, status: SettlementStatus, created_at: &str) -> Settlement {
        let (source_type, source_id) = match source {
            Source::Order(id) => (SourceType::Order, id.to_string()),
            Source::Redemption(id) => (SourceType::Redemption, id.to_string()),
        };
        Settlement {
            id: SettlementId::new(id),
            merchant_id: MerchantId::new("m-1"),
            source_type: source_type.into(),
            source_id,
            order_id: Some(OrderId::new("o-1")),
            gift_card_id: None,
            redemption_id: None,
            gross: Minor::new(1000),
            fee: Minor::ZERO,
            net: Minor::new(1000),
            currency: Currency::EUR,
            fee_snapshot: None,
            status: status.into(),
            payout_batch_id: None,
            hold: SettlementHold::default(),
            hold_lifted: false,
            eligible_at: created_at.parse().unwrap(),
            created_at: created_at.parse().unwrap(),
            updated_at: created_at.parse().unwrap(),
        }
    }

    #[test]
    fn a_settlement_of_the_source_itself_is_preferred_then_the_newest() {
        use SettlementStatus::{Paid, Pending, Void};
        let order = Source::Order(OrderId::new("o-1"));
        let redemption = Source::Redemption(RedemptionId::new("r-1"));
        let of_order = settlement("s-order", &order, Pending, "2026-01-01T00:00:00Z");
        let void = settlement("s-void", &order, Void, "2026-01-09T00:00:00Z");
        let first = settlement("s-first", &redemption, Paid, "2026-01-02T00:00:00Z");
        let second = settlement("s-second", &redemption, Paid, "2026-01-03T00:00:00Z");
        let twin = settlement("s-first-twin", &redemption, Paid, "2026-01-02T00:00:00Z");

        let shown = |about: &[&Settlement]| {
            let forwards = order.preferred_settlement(about.iter().map(|settlement| (*settlement).clone()).collect());
            let backwards = order.preferred_settlement(about.iter().rev().map(|settlement| (*settlement).clone()).collect());
            assert_eq!(forwards, backwards, "the result does not depend on the order of the input");
            forwards.map(|settlement| settlement.id.to_string())
        };
        assert_eq!(shown(&[&second, &of_order, &void, &first]).as_deref(), Some("s-order"));
        assert_eq!(shown(&[&first, &second, &void]).as_deref(), Some("s-second"));
        assert_eq!(shown(&[&first, &twin]).as_deref(), Some("s-first-twin"));
        assert_eq!(shown(&[&void]), None);
        assert_eq!(shown(&[]), None);
    }

    #[test]
    fn a_settlement_is_found_by_its_source_its_order_and_its_redemption() {
        let order = Source::Order(OrderId::new("o-1"));
        let redemption = Source::Redemption(RedemptionId::new("r-1"));
        let at = "2026-01-01T00:00:00Z";
        let about = |source| settlement("s", source, SettlementStatus::Paid, at).sources();
        let nothing = Source::Redemption(RedemptionId::new(""));
        assert_eq!(about(&redemption), [redemption.clone(), order.clone()]);
        for source in [&order, &nothing] {
            assert_eq!(about(source), std::slice::from_ref(&order));
        }
    }

    #[test]
    fn a_list_shows_the_settlements_of_the_merchants_mode() {
        use SettlementKind::{Order, Other, Redemption};
        for (mode, listed) in [
            (Some(SettlementMode::OnSale), &[Order][..]),
            (Some(SettlementMode::OnRedemption), &[Redemption]),
            (None, &[Order, Redemption, Other]),
        ] {
            assert_eq!(SettlementKind::listed(mode), listed, "{mode:?}");
        }
        let source = Source::Order(OrderId::new("o-1"));
        let settlement = |status| settlement("s", &source, status, "2026-01-01T00:00:00Z");
        assert_eq!(settlement(SettlementStatus::Paid).kind(), Order);
        assert!(settlement(SettlementStatus::Paid).is_listed());
        assert!(!settlement(SettlementStatus::Void).is_listed());
    }

    #[test]
    fn only_a_pending_settlement_is_held_or_released() {
        use SettlementStatus::{InBatch, Paid, Pending, Void};
        let source = Source::Order(OrderId::new("o-1"));
        let now = Timestamp::UNIX_EPOCH;
        let pending = settlement("s", &source, Pending, "2026-01-01T00:00:00Z");
        assert_eq!(pending.lift_hold(None, now), Ok(None));
        let held = pending.hold(HeldBecause::Administrator, Some("a doubt"), now).unwrap().unwrap();
        assert_eq!((held.hold_lifted, held.is_payable()), (false, false));
        let because = HeldBecause::Administrator.into();
        assert_eq!(held.hold, SettlementHold::Held { because, reason: Some("a doubt".to_owned()) });
        assert_eq!(held.hold(HeldBecause::OwnSale, None, now), Ok(None), "the first reason stays");
        let released = held.lift_hold(Some("cleared"), now).unwrap().unwrap();
        assert_eq!((released.hold_lifted, released.is_payable()), (true, true));
        assert_eq!(released.hold, SettlementHold::NotHeld { lifted_because: Some("cleared".to_owned()) });
        for (status, error) in [(InBatch, HoldError::InBatch), (Paid, HoldError::Final), (Void, HoldError::Final)] {
            let settlement = Settlement { status: status.into(), ..held.clone() };
            assert_eq!(settlement.lift_hold(None, now), Err(error));
            assert_eq!(settlement.hold(HeldBecause::Administrator, None, now), Err(error));
        }
    }

    #[test]
    fn a_restore_holds_what_may_have_been_paid_and_keeps_the_reason_of_an_earlier_hold() {
        let now = Timestamp::UNIX_EPOCH;
        let source = Source::Order(OrderId::new("o-1"));
        let pending = settlement("s", &source, SettlementStatus::Pending, "2026-01-01T00:00:00Z");
        let restored = pending.held_by_restore(now).unwrap();
        assert!(!restored.is_payable());
        assert_eq!(restored.hold, HeldBecause::Restored.into());
        assert_eq!(restored.held_by_restore(now), None);
        let lifted = restored.lift_hold(None, now).unwrap().unwrap();
        assert_eq!((lifted.is_payable(), lifted.hold_lifted), (true, false), "its card is still looked at");

        let own = Settlement { hold: HeldBecause::OwnSale.into(), ..pending.clone() };
        let restored = own.held_by_restore(now).unwrap();
        assert_eq!(restored.held_reason(), Some("Held before the restore: OWN_SALE"));
        assert_eq!(restored.held_because(), Some(&HeldBecause::Restored.into()));
    }

    #[test]
    fn a_card_that_was_sold_at_the_own_till_is_told_beside_an_earlier_hold() {
        let now = Timestamp::UNIX_EPOCH;
        let source = Source::Redemption(RedemptionId::new("r"));
        let pending = settlement("s", &source, SettlementStatus::Pending, "2026-01-01T00:00:00Z");
        let card = CardLink {
            order_id: OrderId::new("o"),
            gift_card_id: GiftCardId::new("g"),
            sold_at_till: true,
            currency: Currency::EUR,
        };
        let doubt = SettlementHold::Held { because: HeldBecause::Administrator.into(), reason: Some("a doubt".to_owned()) };
        for (hold, reason) in [
            (SettlementHold::default(), None),
            (HeldBecause::OwnSale.into(), None),
            (HeldBecause::Restored.into(), Some("Also held: RESTORED")),
            (doubt, Some("Also held: ADMINISTRATOR, a doubt")),
        ] {
            let claimed = Settlement { hold, ..pending.clone() }.claimed(&card, now).unwrap();
            assert_eq!((claimed.held_because(), claimed.held_reason()), (Some(&HeldBecause::OwnSale.into()), reason));
        }
        let cleared = Settlement { hold_lifted: true, ..pending }.claimed(&card, now).unwrap();
        assert!(!cleared.is_held());
    }

    #[test]
    fn the_card_of_a_redemption_is_looked_up_unless_it_is_known_or_cleared() {
        let redemption = Some(RedemptionId::new("r"));
        let source = Source::Redemption(RedemptionId::new("r"));
        let pending = settlement("s", &source, SettlementStatus::Pending, "2026-01-01T00:00:00Z");
        let unchecked = Settlement { redemption_id: redemption.clone(), ..pending.clone() };
        assert_eq!(unchecked.unchecked_redemption(), redemption.as_ref());
        let card = Some(GiftCardId::new("g"));
        for checked in
            [pending, Settlement { gift_card_id: card, ..unchecked.clone() }, Settlement { hold_lifted: true, ..unchecked }]
        {
            assert_eq!(checked.unchecked_redemption(), None);
        }
    }

    fn payable_after(payout_delay_days: u32) -> Redemption {
        let terms = Some(SettlementTerms { fees: FeeTerms::default(), payout_delay_days });
        Redemption { terms, ..Redemption::example() }
    }

    #[test]
    fn a_settlement_is_held_for_a_card_of_the_own_till_and_for_a_disagreeing_reply() {
        let card = |sold_at_till| CardLink {
            order_id: OrderId::new("o"),
            gift_card_id: GiftCardId::new("g"),
            sold_at_till,
            currency: Currency::EUR,
        };
        for (card, reply_disagrees, held) in [
            (None, false, false),
            (Some(card(false)), false, false),
            (Some(card(true)), false, true),
            (None, true, true),
            (Some(card(true)), true, true),
        ] {
            let redemption = Redemption { card, reply_disagrees, ..payable_after(7) };
            let settlement = Settlement::of_redemption(&redemption, Timestamp::UNIX_EPOCH);
            assert_eq!(settlement.unwrap().unwrap().is_held(), held, "{redemption:?}");
        }
    }

    #[test]
    fn a_payout_date_outside_of_the_calendar_is_an_error() {
        let settled = |days| Settlement::of_redemption(&payable_after(days), Timestamp::UNIX_EPOCH);
        assert!(settled(7).unwrap().is_some());
        assert_eq!(settled(10_000_000), Err(SettlementError));
        assert_eq!(settled(u32::MAX), Err(SettlementError));
    }
}
