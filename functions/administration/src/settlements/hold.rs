//! `PATCH /api/admin/settlements/{merchantId}/{id}`: hold a settlement, or lift the hold.

use axum::extract::State;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::base::audit;
use shared::db::{Update, Write};
use shared::endpoint_error;
use shared::http::{Data, Description, Invalid, JsonBody, OwnMerchant, PathIds, RecentlySignedIn, UtcTime, examples};
use shared::merchants::model::audit::{AuditAction, AuditEntry, AuditedChange};
use shared::settlements::model::settlement::{HeldBecause, HoldError, Settlement, SettlementStatus};
use shared::values::{Currency, MerchantId, Minor, OpenEnum, SettlementId, UserId};
use shared::webhooks::model::Event;
use utoipa::ToSchema;

use crate::merchants::change::Reason;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SettlementHold)]
pub(crate) struct Body {
    /// `true` holds the settlement, `false` lifts the hold.
    held: bool,
    /// The reason, for the audit trail. The merchant does not see it.
    reason: Reason,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = HeldSettlement)]
pub(crate) struct SettlementView {
    /// The id of the settlement.
    id: SettlementId,
    /// The merchant that is owed the amount.
    merchant_id: MerchantId,
    /// Holds can change only while it is `PENDING`.
    #[schema(value_type = SettlementStatus)]
    status: OpenEnum<SettlementStatus>,
    /// Whether payouts exclude it until the hold is lifted.
    held: bool,
    /// The gross amount less the fees, in minor units of `currency`.
    net_amount_minor: Minor,
    /// ISO 4217 code of the amount.
    currency: Currency,
    /// When it becomes eligible for a payout.
    eligible_at: UtcTime,
}

impl From<&Settlement> for SettlementView {
    fn from(settlement: &Settlement) -> Self {
        Self {
            id: settlement.id.clone(),
            merchant_id: settlement.merchant_id.clone(),
            status: settlement.status.clone(),
            held: settlement.is_held(),
            net_amount_minor: settlement.net,
            currency: settlement.currency,
            eligible_at: settlement.eligible_at.into(),
        }
    }
}

endpoint_error! {
    pub(crate) enum HoldSettlementError {
        /// A field is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "reason: is missing.",
        OwnMerchant(#[from] OwnMerchant),
        /// There is no such settlement.
        NoSuchSettlement => 404 NOT_FOUND "There is no such settlement.",
        /// It has joined a payout.
        InBatch => 409 IN_BATCH "The settlement has joined a payout.",
        /// It is paid or void.
        Final => 409 SETTLEMENT_CLOSED "The settlement is paid or void.",
    }
}

impl From<HoldError> for HoldSettlementError {
    fn from(error: HoldError) -> Self {
        match error {
            HoldError::InBatch => Self::InBatch,
            HoldError::Final => Self::Final,
        }
    }
}

/// Returns the settlement. To repeat the request does no harm.
pub(crate) async fn hold(
    RecentlySignedIn(administrator): RecentlySignedIn,
    State(app): State<App>,
    path: PathIds,
    JsonBody(body): JsonBody<Body>,
) -> Result<Data<SettlementView>, HoldSettlementError> {
    let reason = body.reason.into_string();
    let merchant = MerchantId::new(path.get("merchantId").unwrap_or_default());
    administrator.require_other(&app, &merchant).await?;
    let id = SettlementId::new(path.get("id").unwrap_or_default());
    let settlement = app.store.settlement(&merchant, &id).await?;
    let settlement = settlement.ok_or(HoldSettlementError::NoSuchSettlement)?;
    let to_tell = app.store.merchant(&merchant).await?;
    let updated = app.store.update(settlement, |current| {
        let now = app.clock.now();
        let changed = if body.held {
            current.hold(HeldBecause::Administrator, Some(&reason), now)
        } else {
            current.lift_hold(Some(&reason), now)
        };
        let Some(changed) = changed? else {
            return Ok::<_, HoldSettlementError>((None, (current.clone(), None)));
        };
        let entry = audit_entry(&app, &changed, &administrator.user.id, &reason, now);
        let mut with = vec![Write::create(&entry)?];
        if let Some(merchant) = to_tell.as_ref().filter(|_| changed.is_held()) {
            let event = Event::SettlementHeld { settlement_id: changed.id.clone() };
            with.extend(app.store.webhook_message(merchant, event, now)?);
        }
        Ok((Some(Update { row: changed.clone(), with }), (changed, Some(entry))))
    });
    let (settlement, entry) = updated.await?;
    if let Some(entry) = entry {
        audit::administration(&entry);
    }
    Ok(Data(SettlementView::from(&settlement)))
}

fn audit_entry(app: &App, changed: &Settlement, by: &UserId, reason: &str, now: Timestamp) -> AuditEntry {
    let held = changed.is_held();
    let action = if held { AuditAction::SettlementHeld } else { AuditAction::SettlementReleased };
    let change = AuditedChange { field: "held".to_owned(), from: Some((!held).to_string()), to: Some(held.to_string()) };
    AuditEntry {
        subject: Some(changed.id.to_string()),
        changes: vec![change],
        reason: Some(reason.to_owned()),
        ..app.store.new_audit_entry(by, Some(&changed.merchant_id), action, now)
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "holdSettlement",
        "Hold or release a settlement",
        "Holds a pending settlement, so that no payout includes it, or lifts the hold.",
    )
    .body::<Body>(json!({"held": false, "reason": "The merchant has shown the receipt."}))
    .success(
        "The settlement.",
        json!({
            "id": examples::SETTLEMENT, "merchantId": examples::MERCHANT, "status": "PENDING", "held": false,
            "netAmountMinor": 9_650, "currency": "SEK", "eligibleAt": "2026-01-12T10:00:00.000Z",
        }),
    )
}
