//! `PATCH /api/admin/merchants/{id}`: changes a merchant's status, slug, account at the card network, terms and limits.

use axum::extract::State;
use http::StatusCode;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use shared::app::App;
use shared::audit;
use shared::card_network::NetworkError;
use shared::domain::administration::{
    MAX_PAYOUT_DELAY_DAYS, MAX_PERCENT_BPS, MerchantChange, MerchantChangeError, Setting,
};
use shared::domain::fees::FeeTerms;
use shared::domain::ids::{NetworkMerchantId, OfferId};
use shared::domain::merchant::{Merchant, MerchantStatus, SettlementMode};
use shared::domain::money::Minor;
use shared::domain::slug::{Slug, SlugError};
use shared::http::access::RecentlySignedIn;
use shared::http::body::{Object, RawBody, Scalar, non_null, non_null_enum};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::http::reply::Data;
use shared::invocation::Invocation;
use shared::store::administration::ChangeMerchantError;
use shared::store::merchants::ClaimError;
use utoipa::ToSchema;

use crate::merchant::{Fees, MerchantView, example};
use crate::merchant_of_path::{find, merchant_id, no_such_merchant};

/// In characters.
const MAX_REASON_LENGTH: usize = 500;
/// Of ids at the card network.
const MAX_ID_DIGITS: usize = 20;

/// At least one field besides the reason.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = AdministeredMerchantChange)]
struct Body {
    /// The next status. The present one decides which can follow.
    #[serde(default, deserialize_with = "non_null_enum")]
    #[schema(required = false, nullable = false)]
    status: Option<MerchantStatus>,
    /// The new last segment of the URL of its shop: 3 to 40 characters of a-z, 0-9 and single dashes inside.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(
        required = false,
        nullable = false,
        pattern = "^[a-z0-9]+(-[a-z0-9]+)*$",
        min_length = 3,
        max_length = 40
    )]
    slug: Option<String>,
    /// Its account at the card network, in decimal digits; no other merchant can have the same. Null removes it.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, required = false, pattern = "^(0|[1-9][0-9]{0,19})$")]
    network_merchant_id: Setting<Scalar>,
    /// What the merchant is paid for. It can be set once.
    #[serde(default, deserialize_with = "non_null_enum")]
    #[schema(required = false, nullable = false)]
    settlement_mode: Option<SettlementMode>,
    /// What is kept of the settlement of a redemption. Counts for later redemptions.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(value_type = Fees, required = false, nullable = false)]
    fees: Option<Object<Fees>>,
    /// Days from a redemption until a payout can take its settlement, at most 365. Counts for later redemptions.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false, maximum = 365)]
    payout_delay_days: Option<u32>,
    /// The offer that a till sells if the sale names none, in decimal digits. With null, a till sells the one with
    /// the lowest id that can be sold.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<String>, required = false, pattern = "^(0|[1-9][0-9]{0,19})$")]
    default_offer_id: Setting<Scalar>,
    /// The largest sale at a till, in minor units of the sale's currency. Null removes the limit.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(value_type = Option<i64>, required = false, minimum = 1, maximum = 9_007_199_254_740_991_i64)]
    max_sale_minor: Setting<i64>,
    /// The `identityVersion` that was read: its changes are reviewed, so that the merchant can be paid.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false)]
    identity_reviewed: Option<u64>,
    /// Why, for the audit trail. The merchant does not see it.
    #[schema(min_length = 1, max_length = 500)]
    reason: String,
}

/// Null unsets the field. With `serde(default)`, the field can be omitted.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Setting<T>, D::Error> {
    Option::deserialize(deserializer).map(Setting::to)
}

/// A checked body.
struct Request {
    change: MerchantChange,
    reason: String,
}

impl Request {
    /// 400 for an invalid value or no change at all; 409 for a reserved slug.
    fn parse(body: Body) -> Result<Self, Fault> {
        let change = MerchantChange {
            status: body.status,
            slug: body.slug.map(|slug| parse_slug(&slug)).transpose()?,
            network_merchant_id: body
                .network_merchant_id
                .try_map(|id| parse_id("networkMerchantId", id).map(NetworkMerchantId::new))?,
            settlement_mode: body.settlement_mode,
            fees: body.fees.map(|Object(fees)| parse_fees(fees)).transpose()?,
            payout_delay_days: body.payout_delay_days.map(parse_payout_delay).transpose()?,
            default_offer_id: body
                .default_offer_id
                .try_map(|id| parse_id("defaultOfferId", id).map(OfferId::new))?,
            max_sale_minor: body.max_sale_minor.try_map(parse_max_sale)?,
            identity_reviewed: body.identity_reviewed,
        };
        if change == MerchantChange::default() {
            return Err(Fault::invalid("body: must name at least one field to change besides the reason."));
        }
        Ok(Self { change, reason: parse_reason(&body.reason)? })
    }
}

fn parse_slug(text: &str) -> Result<Slug, Fault> {
    Slug::parse(text).map_err(|error| match error {
        SlugError::Malformed => Fault::invalid(format!("slug: {error}.")),
        SlugError::Reserved => slug_taken(),
    })
}

/// Decimal digits without leading zeros, so that equal numbers are equal texts.
fn parse_id(field: &str, value: Scalar) -> Result<String, Fault> {
    let text = value.into_non_blank().unwrap_or_default();
    let is_number = (1..=MAX_ID_DIGITS).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'));
    if !is_number {
        let message = format!("{field}: must be null or a number of at most {MAX_ID_DIGITS} digits.");
        return Err(Fault::invalid(message));
    }
    Ok(text)
}

fn parse_fees(Fees { percent_bps, fixed_minor }: Fees) -> Result<FeeTerms, Fault> {
    if percent_bps > MAX_PERCENT_BPS {
        return Err(Fault::invalid(format!("fees.percentBps: must be at most {MAX_PERCENT_BPS}.")));
    }
    Ok(FeeTerms { percent_bps, fixed_minor })
}

fn parse_payout_delay(days: u32) -> Result<u32, Fault> {
    if days > MAX_PAYOUT_DELAY_DAYS {
        return Err(Fault::invalid(format!("payoutDelayDays: must be at most {MAX_PAYOUT_DELAY_DAYS}.")));
    }
    Ok(days)
}

fn parse_max_sale(amount: i64) -> Result<Minor, Fault> {
    if !(1..=Minor::MAX.get()).contains(&amount) {
        return Err(Fault::invalid("maxSaleMinor: must be null or a whole number of 1 or more."));
    }
    Ok(Minor::new(amount))
}

pub(super) fn parse_reason(text: &str) -> Result<String, Fault> {
    let reason = text.trim();
    let length = reason.chars().count();
    if !(1..=MAX_REASON_LENGTH).contains(&length) || reason.chars().any(char::is_control) {
        let message = format!("reason: must have 1 to {MAX_REASON_LENGTH} characters on one line.");
        return Err(Fault::invalid(message));
    }
    Ok(reason.to_owned())
}

/// Responds with 404 if there is no such merchant.
pub(crate) async fn change_merchant(
    RecentlySignedIn(administrator): RecentlySignedIn,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
    body: RawBody,
) -> Result<Data<MerchantView>, Fault> {
    let id = merchant_id(&path)?;
    administrator.require_other(&app, &id).await?;
    let merchant = find(&app, &id).await?;
    let Request { change, reason } = Request::parse(body.parse()?)?;
    require_network_account(&app, &invocation, &merchant, &change).await?;
    let by = &administrator.user.id;
    let changed = app.store.change_merchant(&id, &change, &reason, by, &app.clock).await;
    let (merchant, entry) = changed.map_err(to_fault)?;
    audit::administration(&entry);
    MerchantView::read(&app, &merchant).await.map(Data)
}

/// 400 if the merchant is to have another account that does not exist at the card network; 502 while the network cannot be
/// asked.
async fn require_network_account(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    change: &MerchantChange,
) -> Result<(), Fault> {
    let Setting::Set(account) = &change.network_merchant_id else { return Ok(()) };
    if merchant.network_merchant_id.as_ref() == Some(account) {
        return Ok(());
    }
    match app.card_network().account(invocation, account).await {
        Ok(_) => Ok(()),
        Err(NetworkError::ErrorResponse(response)) if response.status == StatusCode::NOT_FOUND => {
            let message = "networkMerchantId: there is no such account at the card network.";
            Err(Fault::invalid(message).code("NO_SUCH_NETWORK_ACCOUNT"))
        }
        Err(error) => {
            let message = "The card network could not be asked for the account. Please try again later.";
            Err(Fault::network_unavailable(message, error.to_string()))
        }
    }
}

fn to_fault(error: ChangeMerchantError) -> Fault {
    match error {
        ChangeMerchantError::NoSuchMerchant => no_such_merchant(),
        ChangeMerchantError::Refused(error) => refused(&error),
        ChangeMerchantError::Claim(error) => claim_fault(error),
        ChangeMerchantError::Store(error) => error.into(),
    }
}

fn refused(error: &MerchantChangeError) -> Fault {
    let code = match error {
        MerchantChangeError::StatusConflict(..) => "STATUS_CONFLICT",
        MerchantChangeError::ModeFixed => "MODE_FIXED",
        MerchantChangeError::IdentityChanged => "IDENTITY_CHANGED",
    };
    Fault::conflict(code, sentence(error))
}

/// An error's text as a sentence: `fees are fixed` becomes `Fees are fixed.`
fn sentence(error: &impl ToString) -> String {
    let text = error.to_string();
    let mut chars = text.chars();
    chars.next().map(|first| format!("{}{}.", first.to_uppercase(), chars.as_str())).unwrap_or_default()
}

fn claim_fault(error: ClaimError) -> Fault {
    match error {
        ClaimError::SlugTaken => slug_taken(),
        ClaimError::NetworkAccountTaken => {
            let message = "networkMerchantId: another merchant has this account at the card network.";
            Fault::conflict("NETWORK_ACCOUNT_TAKEN", message)
        }
        ClaimError::Store(error) => error.into(),
    }
}

fn slug_taken() -> Fault {
    Fault::conflict("SLUG_TAKEN", "slug: is taken or reserved.")
}

pub(crate) fn describe() -> Description {
    Description::new("changeMerchant", 
        "Change a merchant",
        "Changes a merchant's status, slug, account at the card network, settlement terms or limits, or reviews changes of its \
         identity, without which it is not paid. Fees and the payout delay \
         count for later redemptions. The audit trail records each change with its reason. The merchant's administrators \
         are told of a new status by e-mail. Not for the own merchant.",
    )
    .body::<Body>(json!({
        "status": "ACTIVE", "networkMerchantId": "1001", "fees": {"percentBps": 250, "fixedMinor": 100},
        "payoutDelayDays": 7, "reason": "All documents are in order",
    }))
    .success("The changed merchant.", example())
    .coded_error(
        400,
        &["INVALID_REQUEST", "NO_SUCH_NETWORK_ACCOUNT"],
        "A value is invalid, there is nothing to change, or the account does not exist at the card network \
         (`NO_SUCH_NETWORK_ACCOUNT`).",
    )
    .message("payoutDelayDays: must be at most 365.")
    .error(404, "There is no such merchant.")
    .message("There is no such merchant.")
    .coded_error(
        502,
        &["CARD_NETWORK_UNAVAILABLE"],
        "The card network could not be asked for the account (`CARD_NETWORK_UNAVAILABLE`).",
    )
    .coded_error(
        409,
        &["STATUS_CONFLICT", "SLUG_TAKEN", "NETWORK_ACCOUNT_TAKEN", "MODE_FIXED", "IDENTITY_CHANGED"],
        "The merchant cannot have this status next (`STATUS_CONFLICT`), the slug is taken or reserved (`SLUG_TAKEN`), another \
         merchant has the account at the card network (`NETWORK_ACCOUNT_TAKEN`), the settlement mode is set already \
         (`MODE_FIXED`), or `identityReviewed` is not the current `identityVersion` (`IDENTITY_CHANGED`).",
    )
}
