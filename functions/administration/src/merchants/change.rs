//! `PATCH /api/admin/merchants/{id}`: changes a merchant's status, slug, account at the card network, terms and limits.
#![expect(clippy::option_option, reason = "null removes a value, a missing field leaves it")]

use axum::extract::State;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::base::audit;
use shared::base::invocation::Invocation;
use shared::card_network::NetworkError;
use shared::endpoint_error;
use shared::http::bounded::{PositiveMinor, Text, UpTo};
use shared::http::{
    Data, Description, Invalid, Object, OwnMerchant, PathIds, RawBody, RecentlySignedIn, Scalar, non_null, non_null_enum,
    nullable,
};
use shared::merchants::model::administration::{MerchantChange, MerchantChangeError};
use shared::merchants::model::merchant::{Merchant, MerchantStatus, SettlementMode};
use shared::merchants::rows::administration::ChangeMerchantError;
use shared::merchants::rows::merchants::ClaimError;
use shared::values::slug::{Slug, SlugError};
use shared::values::{NetworkMerchantId, OfferId, OpenEnum};
use utoipa::ToSchema;

use crate::merchants::merchant::{Fees, MerchantView, example};
use crate::merchants::of_path::{MerchantOfPathError, find, merchant_id};

/// Of ids at the card network.
const MAX_ID_DIGITS: usize = 20;

/// At least one field besides the reason.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = AdministeredMerchantChange)]
struct Body {
    /// The new status. Which ones are possible depends on the current status.
    #[serde(default, deserialize_with = "non_null_enum")]
    #[schema(required = false, nullable = false)]
    status: Option<MerchantStatus>,
    /// The new last segment of the URL of its shop: 3 to 40 characters of a-z, 0-9 and single dashes inside.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(value_type = Slug, required = false, nullable = false)]
    slug: Option<String>,
    /// Its account at the card network, in decimal digits; no other merchant can have the same. Null removes it.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, required = false, pattern = "^(0|[1-9][0-9]{0,19})$")]
    network_merchant_id: Option<Option<Scalar>>,
    /// What the merchant is paid for. It can be set once.
    #[serde(default, deserialize_with = "non_null_enum")]
    #[schema(required = false, nullable = false)]
    settlement_mode: Option<SettlementMode>,
    /// The fees deducted from the settlement of a redemption. Applies to later redemptions.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(value_type = Fees, required = false, nullable = false)]
    fees: Option<Object<Fees>>,
    /// Days from a redemption until its settlement can be paid out, at most 365. Applies to later redemptions.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false)]
    payout_delay_days: Option<PayoutDelay>,
    /// The offer that a till sells if the sale names none, in decimal digits. With null, a till sells the one with
    /// the lowest id that can be sold.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, required = false, pattern = "^(0|[1-9][0-9]{0,19})$")]
    default_offer_id: Option<Option<Scalar>>,
    /// The largest sale at a till, in minor units of the sale's currency. Null removes the limit.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<PositiveMinor>, required = false)]
    max_sale_minor: Option<Option<PositiveMinor>>,
    /// The `identityVersion` that was reviewed. Marks its changes as reviewed, so that the merchant can be paid.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false)]
    identity_reviewed: Option<u64>,
    /// The reason, for the audit trail. The merchant does not see it.
    reason: Reason,
}

/// In the audit trail.
pub(crate) type Reason = Text<1, 500>;
/// In days.
type PayoutDelay = UpTo<365>;

/// A checked body.
struct Request {
    change: MerchantChange,
    reason: String,
}

impl Request {
    fn parse(body: Body) -> Result<Self, ChangeError> {
        let change = MerchantChange {
            status: body.status,
            slug: body.slug.map(|slug| parse_slug(&slug)).transpose()?,
            network_merchant_id: parse_id("networkMerchantId", body.network_merchant_id, NetworkMerchantId::new)?,
            settlement_mode: body.settlement_mode,
            fees: body.fees.map(|Object(fees)| fees.terms()),
            payout_delay_days: body.payout_delay_days.map(UpTo::get),
            default_offer_id: parse_id("defaultOfferId", body.default_offer_id, OfferId::new)?,
            max_sale_minor: body.max_sale_minor.map(|limit| limit.map(PositiveMinor::get)),
            identity_reviewed: body.identity_reviewed,
        };
        if change == MerchantChange::default() {
            let message = "body: must name at least one field to change besides the reason.";
            return Err(Invalid::new(message).into());
        }
        Ok(Self { change, reason: body.reason.into_string() })
    }
}

fn parse_slug(text: &str) -> Result<Slug, ChangeError> {
    Slug::parse(text).map_err(|error| match error {
        SlugError::Malformed => Invalid::new(format!("slug: {error}.")).into(),
        SlugError::Reserved => ChangeError::SlugTaken,
    })
}

/// Decimal digits without leading zeros, so that equal numbers are equal texts.
fn parse_id<T>(field: &str, value: Option<Option<Scalar>>, new: fn(String) -> T) -> Result<Option<Option<T>>, Invalid> {
    let Some(Some(value)) = value else { return Ok(value.map(|_| None)) };
    let text = value.into_non_blank().unwrap_or_default();
    let is_number = (1..=MAX_ID_DIGITS).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'));
    if !is_number {
        let message = format!("{field}: must be null or a number of at most {MAX_ID_DIGITS} digits.");
        return Err(Invalid::new(message));
    }
    Ok(Some(Some(new(text))))
}

endpoint_error! {
    pub(crate) enum ChangeError {
        /// A value is invalid, or there is nothing to change.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "payoutDelayDays: must be at most 365.",
        /// The account does not exist at the card network.
        NoSuchAccount => 400 NO_SUCH_NETWORK_ACCOUNT
            "networkMerchantId: there is no such account at the card network.",
        OwnMerchant(#[from] OwnMerchant),
        OfPath(#[from] MerchantOfPathError),
        /// The current status cannot change to this one.
        StatusConflict(String) => 409 STATUS_CONFLICT "A merchant cannot go from status DRAFT to ACTIVE.",
        /// The slug is taken or reserved.
        SlugTaken => 409 SLUG_TAKEN "slug: is taken or reserved.",
        /// Another merchant uses this card network account.
        AccountTaken => 409 NETWORK_ACCOUNT_TAKEN
            "networkMerchantId: another merchant uses this card network account.",
        /// The settlement mode is already set.
        ModeFixed => 409 MODE_FIXED "The settlement mode is already set and cannot be changed.",
        /// `identityReviewed` is not the current `identityVersion`.
        IdentityChanged => 409 IDENTITY_CHANGED "The identity of the merchant has changed since it was read.",
        /// The account could not be looked up at the card network.
        NetworkUnavailable(NetworkError) => 502 CARD_NETWORK_UNAVAILABLE
            "The account could not be looked up at the card network. Please try again later.",
    }
}

impl From<ChangeMerchantError> for ChangeError {
    fn from(error: ChangeMerchantError) -> Self {
        match error {
            ChangeMerchantError::NoSuchMerchant => MerchantOfPathError::NoSuchMerchant.into(),
            ChangeMerchantError::Refused(error) => match error {
                MerchantChangeError::StatusConflict(from, to) => {
                    let to = OpenEnum::from(to);
                    Self::StatusConflict(format!("A merchant cannot go from status {from} to {to}."))
                }
                MerchantChangeError::ModeFixed => Self::ModeFixed,
                MerchantChangeError::IdentityChanged => Self::IdentityChanged,
            },
            ChangeMerchantError::Claim(ClaimError::SlugTaken) => Self::SlugTaken,
            ChangeMerchantError::Claim(ClaimError::NetworkAccountTaken) => Self::AccountTaken,
            ChangeMerchantError::Claim(ClaimError::Store(error)) | ChangeMerchantError::Store(error) => error.into(),
        }
    }
}

pub(crate) async fn change_merchant(
    RecentlySignedIn(administrator): RecentlySignedIn,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
    body: RawBody,
) -> Result<Data<MerchantView>, ChangeError> {
    let id = merchant_id(&path)?;
    administrator.require_other(&app, &id).await?;
    let merchant = find(&app, &id).await?;
    let Request { change, reason } = Request::parse(body.parse()?)?;
    require_network_account(&app, &invocation, &merchant, &change).await?;
    let by = &administrator.user.id;
    let (merchant, entry) = app.store.change_merchant(&id, &change, &reason, by, &app.clock).await?;
    audit::administration(&entry);
    Ok(Data(MerchantView::read(&app, &merchant).await?))
}

/// Refuses another account that does not exist at the card network.
async fn require_network_account(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    change: &MerchantChange,
) -> Result<(), ChangeError> {
    let Some(Some(account)) = &change.network_merchant_id else { return Ok(()) };
    if merchant.network_merchant_id.as_ref() == Some(account) {
        return Ok(());
    }
    match app.card_network().account(invocation, account).await {
        Ok(_) => Ok(()),
        Err(NetworkError::ErrorResponse(response)) if response.status == StatusCode::NOT_FOUND => Err(ChangeError::NoSuchAccount),
        Err(error) => Err(ChangeError::NetworkUnavailable(error)),
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "changeMerchant",
        "Change a merchant",
        "Changes a merchant's status, slug, card network account, settlement terms or limits, or marks changes of its identity \
         as reviewed, without which it is not paid. Fees and the payout delay apply to later redemptions. The audit trail \
         records each change with its reason. The merchant's administrators are notified of a new status by e-mail. You cannot \
         change your own merchant.",
    )
    .body::<Body>(json!({
        "status": "ACTIVE", "networkMerchantId": "1001", "fees": {"percentBps": 250, "fixedMinor": 100},
        "payoutDelayDays": 7, "reason": "All documents are in order",
    }))
    .success("The changed merchant.", example())
}
