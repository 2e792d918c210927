//! `POST /api/bff/pos/redeem`: redeem a gift card at a till.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::card_network::{Outcome, RedeemRequest, Refusal};
use shared::cards::model::card_tag::CardTag;
use shared::cards::model::redemption::{Redemption, RedemptionSource, RedemptionStatus};
use shared::cards::view::{Guessing, reserve_guess};
use shared::endpoint_error;
use shared::http::bounded::{MaxChars, Text};
use shared::http::schemas::always_true;
use shared::http::{
    AtTill, Certain, Description, General, Intent, IntentHeaders, Invalid, KEY_HEADER, KeyError, MADE_AT_HEADER, MADE_AT_TEXT,
    NetworkRedemption, Number, RawBody, Replayable, Replayed, Scalar, UnknownOutcome, examples, network_account,
};
use shared::merchants::model::merchant::Merchant;
use shared::operations::{
    CardOperation, Certainty, EarlierRequest, Execution, ExecutionError, OperationKind, OperationStatus, Subject, WebhookContext,
};
use shared::team::model::code::CodeKey;
use shared::team::model::till::{NamedOperator, Till};
use shared::values::{Currency, Money, NetworkMerchantId, QrCode, RedemptionId, Reference};
use utoipa::ToSchema;

use crate::idempotency::{Attempt, AttemptError, KEY_TEXT, TimeError, replayed, require_key};
use crate::store_of_till::{StoreOfTillError, store_id, store_name};
use crate::unknown::{Unknown, details};

const DEFAULT_STORE: &str = "Merchant Portal POS";
/// Longer values are rejected: they could exceed DynamoDB's 400 KB item limit.
/// In characters.
const MAX_TEXT_LENGTH: usize = 1000;
type RedeemText = MaxChars<MAX_TEXT_LENGTH>;
type ScannedCode = Text<1, MAX_TEXT_LENGTH>;

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RedeemRequest)]
struct Body {
    /// The code of the card, as scanned.
    #[schema(required = true, nullable = false, value_type = ScannedCode)]
    qr_code: Option<String>,
    /// Currency units, greater than 0.
    #[schema(required = true, nullable = false, value_type = f64, exclusive_minimum = 0)]
    redeem_amount: Option<Number>,
    /// The amount of the purchase in currency units, 0 or more.
    #[schema(required = true, nullable = false, value_type = f64, minimum = 0)]
    purchase_amount: Option<Number>,
    /// The id of the store that redeems the card. A paired till can only name its own, which is the default.
    retail_store_id: Option<Scalar>,
    /// The name of the store. A paired till can only give its own. Default: that of the till, else `Merchant Portal POS`.
    #[schema(value_type = Option<RedeemText>)]
    retail_store_name: Option<String>,
    /// Default: the merchant's currency.
    currency: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Redeemed {
    #[schema(schema_with = always_true)]
    ok: bool,
    /// The network's response. Null only if the network has lost it.
    #[schema(value_type = Option<NetworkRedemption>)]
    data: Box<RawValue>,
    #[serde(rename = "redemptionId")]
    /// The redemption that was created for the request.
    #[schema(value_type = String)]
    redemption_id: RedemptionId,
}

/// An operation with an unknown outcome.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct UnknownRedeem<'a> {
    #[schema(inline)]
    outcome: Unknown,
    /// Identifies the operation, in `getOperation`.
    #[schema(value_type = String)]
    reference: &'a Reference,
    /// The redemption that was created for the request.
    #[schema(value_type = String)]
    redemption_id: &'a RedemptionId,
}

pub(crate) fn describe() -> Description {
    Description::new(
        "redeemGiftCard",
        "Redeem a gift card",
        "Redeems an amount of a card at a till. The redemption is created before the card network is called, and shows the \
         outcome. Send an `Idempotency-Key` so that you can repeat the request safely.",
    )
    .header(KEY_HEADER, KEY_TEXT)
    .header(MADE_AT_HEADER, MADE_AT_TEXT)
    .body::<Body>(json!({"qrCode": examples::QR_CODE, "redeemAmount": 100, "purchaseAmount": 129.5}))
    .success(
        "The amount was redeemed.",
        json!({
            "ok": true,
            "data": {
                "transactionId": examples::REDEMPTION_AT_NETWORK, "qrCode": examples::QR_CODE, "amount": 100,
                "currency": "SEK", "valueRemains": 400, "status": "ACTIVE", "networkCode": examples::NETWORK_CODE,
            },
            "redemptionId": examples::REDEMPTION,
        }),
    )
    .unknown_outcome::<UnknownRedeem>(
        "UnknownRedeem",
        "It is not known yet whether the amount was redeemed (`UNKNOWN_OUTCOME`): call `getOperation` until it is.",
    )
}

endpoint_error! {
    pub(crate) enum RedeemError {
        /// A field is missing or invalid, or the merchant has no card network account.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "qrCode: is missing.",
        Attempt(#[from] AttemptError),
        Store(#[from] StoreOfTillError),
        Guessing(#[from] Guessing),
        Time(#[from] TimeError),
        Refused(Refusal) => card_network "Redeem failed",
        Unknown(UnknownOutcome),
        Replayed(#[from] Replayed),
    }
}

impl From<ExecutionError> for RedeemError {
    fn from(error: ExecutionError) -> Self {
        match error {
            ExecutionError::TooLittleTime => TimeError::TooLittle.into(),
            ExecutionError::Idempotency(error) => Self::Attempt(KeyError::from(error).into()),
            ExecutionError::RefundTooLarge => General::internal("a redeem gives nothing back").into(),
            ExecutionError::Store(error) => error.into(),
        }
    }
}

/// Returns the network's response and the id of the redemption.
pub(crate) async fn redeem(
    caller: AtTill,
    State(app): State<App>,
    invocation: Invocation,
    intent: Intent,
    body: RawBody,
) -> Certain<Replayable<Json<Redeemed>>, RedeemError> {
    let mut certainty = Certainty::new(intent.has_key);
    let response = try_to_redeem(caller, &app, &invocation, intent.headers, &body, &mut certainty);
    let response = Box::pin(response).await;
    Certain::new(&certainty, response)
}

async fn try_to_redeem(
    caller: AtTill,
    app: &App,
    invocation: &Invocation,
    headers: Result<IntentHeaders, Invalid>,
    body: &RawBody,
    certainty: &mut Certainty,
) -> Result<Replayable<Json<Redeemed>>, RedeemError> {
    let (requested_by, till) = (caller.named_operator(None), caller.till().cloned());
    let merchant = caller.merchant.value;
    require_key(&requested_by.operator, &headers).map_err(AttemptError::from)?;
    let attempt = Attempt::of(app, invocation, &merchant, OperationKind::Redeem, headers, body, certainty);
    let (attempt, card_tags) = tokio::join!(attempt, app.code_key());
    let key = match attempt? {
        Attempt::First(key) => key,
        Attempt::Repeat(earlier) => return replay(&earlier, certainty),
    };
    let payment = Payment::check(&merchant, till.as_ref(), body.parse()?)?;
    let redemption = payment.redemption(app, &merchant, &requested_by, &*card_tags?);
    let reservation = reserve_guess(app, &merchant, &requested_by.operator).await?;
    let webhook = WebhookContext::of(&merchant, None, payment.retail_store_id.clone());
    let operation = CardOperation::Redeem { redemption: &redemption, request: &payment.into_request() };
    let execution = operation.execute(app, invocation, &requested_by.operator, key.as_ref(), webhook, certainty).await;
    // An unknown code was counted when the outcome was recorded.
    app.store.give_back(reservation).await;
    match execution? {
        Execution::Executed { reference, status } => {
            respond(&redemption.id, &reference, &status).map(Json).map(Replayable::First)
        }
        Execution::Earlier(earlier) => replay(&earlier, certainty),
    }
}

/// A validated redeem request.
#[derive(Debug)]
struct Payment {
    account: NetworkMerchantId,
    code: QrCode,
    amount: Money,
    purchase: Money,
    retail_store_id: Option<String>,
    retail_store_name: String,
}

impl Payment {
    fn check(merchant: &Merchant, till: Option<&Till>, body: Body) -> Result<Self, RedeemError> {
        let store_id = store_id(till, body.retail_store_id.and_then(Scalar::into_non_blank))?;
        let store_name = store_name(till, body.retail_store_name)?;
        let missing = |field: &'static str| move || Invalid::new(format!("{field}: is missing."));
        let code = body.qr_code.filter(|code| !code.trim().is_empty()).ok_or_else(missing("qrCode"))?;
        let Number(redeem) = body.redeem_amount.ok_or_else(missing("redeemAmount"))?;
        let Number(purchase) = body.purchase_amount.ok_or_else(missing("purchaseAmount"))?;
        let currency = currency(body.currency, merchant)?;
        let invalid = |field: &'static str| move |error| Invalid::new(format!("{field}: {error}."));
        let amount = redeem.minor(currency).map_err(invalid("redeemAmount"))?;
        let purchase = purchase.minor(currency).map_err(invalid("purchaseAmount"))?;
        if !redeem.is_positive() {
            return Err(Invalid::new("redeemAmount: must be greater than 0.").into());
        }
        if purchase.get() < 0 {
            return Err(Invalid::new("purchaseAmount: must be 0 or more.").into());
        }
        RedeemText::check("qrCode", &code)?;
        store_name.iter().try_for_each(|name| RedeemText::check("retailStoreName", name))?;
        Ok(Self {
            account: network_account(merchant)?.clone(),
            code: QrCode::new(code.trim()),
            amount: Money::new(amount, currency),
            purchase: Money::new(purchase, currency),
            retail_store_id: store_id,
            retail_store_name: store_name.unwrap_or_else(|| DEFAULT_STORE.to_owned()),
        })
    }

    /// The redemption before the network is called.
    fn redemption(&self, app: &App, merchant: &Merchant, by: &NamedOperator, card_tags: &CodeKey) -> Redemption {
        let now = app.clock.now();
        Redemption {
            id: RedemptionId::new(app.random.uuid(now).to_string()),
            merchant_id: merchant.id.clone(),
            occurred_at: now,
            status: RedemptionStatus::Pending.into(),
            source: Some(RedemptionSource::Pos.into()),
            store_name: Some(self.retail_store_name.clone()),
            amount: self.amount,
            qr_code: Some(self.code.clone()),
            network_code: None,
            card: None,
            foreign_currency: merchant.currency != Some(self.amount.currency),
            reply_disagrees: false,
            card_tag: Some(CardTag::new(card_tags, &merchant.id, &self.code)),
            requested_by: Some(by.clone()),
            terms: merchant.redemption_terms(),
        }
    }

    fn into_request(self) -> RedeemRequest {
        RedeemRequest {
            merchant_id: self.account,
            qr_code: self.code,
            redeem_amount: self.amount.decimal(),
            purchase_amount: self.purchase.decimal(),
            currency: self.amount.currency,
            retail_store_id: self.retail_store_id,
            retail_store_name: self.retail_store_name,
        }
    }
}

fn currency(requested: Option<String>, merchant: &Merchant) -> Result<Currency, Invalid> {
    match requested.filter(|code| !code.trim().is_empty()) {
        Some(code) => code.parse().map_err(|error| Invalid::new(format!("currency: {error}."))),
        None => Ok(merchant.currency.unwrap_or(Currency::USD)),
    }
}

/// The response to the first request.
fn replay(earlier: &EarlierRequest, certainty: &mut Certainty) -> Result<Replayable<Json<Redeemed>>, RedeemError> {
    let Subject::Redeem(id) = &earlier.operation.subject else {
        let cause = "an idempotency key of the redeem route belongs to another operation";
        return Err(General::internal(cause).into());
    };
    let reference = &earlier.operation.reference;
    replayed(earlier.status(certainty), |status| respond(id, reference, status).map(Json))
}

pub(crate) fn respond(id: &RedemptionId, reference: &Reference, status: &OperationStatus) -> Result<Redeemed, RedeemError> {
    match status {
        OperationStatus::Closed(Outcome::Succeeded(response)) => {
            let data = serde_json::from_str(response).map_err(|error| General::internal(error.to_string()))?;
            Ok(Redeemed { ok: true, data, redemption_id: id.clone() })
        }
        OperationStatus::Closed(Outcome::Failed(refusal)) => Err(RedeemError::Refused(refusal.clone())),
        OperationStatus::Unknown => Err(RedeemError::Unknown(UnknownOutcome {
            message: "It is not known yet whether the amount was redeemed. Do not redeem it again without the same \
                      Idempotency-Key.",
            details: details(&UnknownRedeem { outcome: Unknown::Unknown, reference, redemption_id: id }),
        })),
    }
}
