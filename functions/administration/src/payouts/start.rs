//! `POST /api/admin/payouts`: start a run that makes the payouts of all merchants, or of one.

use axum::extract::State;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::db::{StoreError, Stored};
use shared::endpoint_error;
use shared::http::{
    Accepted, Description, General, Invalid, KEY_HEADER, KeyHeader, OwnMerchant, RawBody, RecentlySignedIn, Replayable,
    ReusedError, UtcTime, examples,
};
use shared::operations::fingerprint;
use shared::payouts::PayoutRun;
use shared::team::model::team::User;
use shared::values::{Currency, MerchantId, PayoutRunId};
use utoipa::ToSchema;

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PayoutRunRequest)]
pub(crate) struct Body {
    /// Default: all merchants.
    pub(crate) merchant_id: Option<String>,
    /// An ISO 4217 code. Default: all currencies.
    pub(crate) currency: Option<String>,
    /// Only settlements that are eligible before this time, which must not be later than now. Default: now.
    #[schema(value_type = Option<UtcTime>)]
    pub(crate) eligible_before: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PayoutRun)]
pub(crate) struct Started {
    /// The `runId` of each payout that the run makes.
    run_id: PayoutRunId,
}

endpoint_error! {
    pub(crate) enum StartPayoutsError {
        /// The key is missing, or a field is invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "Idempotency-Key: is missing.",
        OwnMerchant(#[from] OwnMerchant),
        KeyReused(#[from] ReusedError),
    }
}

/// Returns the id of the run, which follows from the key alone.
pub(crate) async fn start(
    RecentlySignedIn(administrator): RecentlySignedIn,
    State(app): State<App>,
    KeyHeader(key): KeyHeader,
    body: RawBody,
) -> Result<Replayable<Accepted<Started>>, StartPayoutsError> {
    let key = key.ok_or(Invalid::new("Idempotency-Key: is missing."))?;
    let (id, fingerprint) = (PayoutRun::id_of(&key), fingerprint(body.json()));
    if let Some(earlier) = app.store.payout_run(&id).await? {
        return replay(earlier, &fingerprint);
    }
    let request = Request::check(&app, body.parse()?).await??;
    if let Some(merchant) = &request.merchant_id {
        administrator.require_other(&app, merchant).await?;
    }
    let run = request.run(id, fingerprint, &administrator.user, app.clock.now());
    if run.start(&app.store).await? {
        return Ok(Replayable::First(Accepted(Started { run_id: run.id })));
    }
    let earlier = app.store.payout_run(&run.id).await?;
    replay(earlier.ok_or(General::internal("the run could not be created"))?, &run.fingerprint)
}

/// Whose settlements are paid: a validated request.
pub(crate) struct Request {
    pub(crate) merchant_id: Option<MerchantId>,
    currency: Option<Currency>,
    eligible_before: Option<Timestamp>,
}

impl Request {
    pub(crate) async fn check(app: &App, body: Body) -> Result<Result<Self, Invalid>, StoreError> {
        let merchant_id = body.merchant_id.as_ref().map(MerchantId::new);
        if let Some(id) = &merchant_id
            && app.store.merchant(id).await?.is_none()
        {
            return Ok(Err(Invalid::new("merchantId: must be the id of a merchant.")));
        }
        Ok(Self::parse(merchant_id, body, app.clock.now()))
    }

    fn parse(merchant_id: Option<MerchantId>, body: Body, now: Timestamp) -> Result<Self, Invalid> {
        let currency = body.currency.map(|code| code.parse()).transpose();
        let currency = currency.map_err(|error| Invalid::new(format!("currency: {error}.")))?;
        let eligible_before = body.eligible_before.map(|text| time(&text)).transpose()?;
        if eligible_before.is_some_and(|time| time > now) {
            return Err(Invalid::new("eligibleBefore: must not be later than now."));
        }
        Ok(Self { merchant_id, currency, eligible_before })
    }

    pub(crate) fn run(self, id: PayoutRunId, fingerprint: String, by: &User, now: Timestamp) -> PayoutRun {
        PayoutRun {
            id,
            fingerprint,
            merchant_id: self.merchant_id,
            currency: self.currency,
            eligible_before: self.eligible_before.unwrap_or(now),
            created_by: by.id.clone(),
            created_at: now,
            own_merchant_id: by.merchant_id.clone(),
            after: None,
            finished_at: None,
        }
    }
}

/// In whole milliseconds, as times are stored.
fn time(text: &str) -> Result<Timestamp, Invalid> {
    let invalid = || Invalid::new("eligibleBefore: must be a time in ISO 8601, such as 2026-01-05T10:00:00.000Z.");
    let time: Timestamp = text.parse().map_err(|_| invalid())?;
    Timestamp::from_millisecond(time.as_millisecond()).map_err(|_| invalid())
}

fn replay(earlier: Stored<PayoutRun>, fingerprint: &str) -> Result<Replayable<Accepted<Started>>, StartPayoutsError> {
    if earlier.fingerprint != fingerprint {
        return Err(ReusedError::Reused.into());
    }
    Ok(Replayable::Replayed(Accepted(Started { run_id: earlier.value.id })))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "startPayouts",
        "Start a payout run",
        "Starts a run that creates one payout for each active or inactive merchant and currency, from all pending settlements \
         that are eligible and not held. Payouts are listed as soon as they are started, and the run reports what it left out.",
    )
    .required_header(
        KEY_HEADER,
        "1 to 255 visible ASCII characters without a comma. It identifies the run across the platform and does not expire: \
         repeating the request with the same body returns the same run, with `Idempotent-Replayed: true`.",
    )
    .body::<Body>(json!({"merchantId": examples::MERCHANT, "currency": "SEK", "eligibleBefore": "2026-01-15T00:00:00.000Z"}))
    .success("The run.", json!({"runId": examples::PAYOUT_RUN}))
}
