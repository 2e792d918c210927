//! `POST /api/bff/pos/redeem`: take money off a gift card at a till.

use std::str::FromStr;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use shared::app::App;
use shared::card_network::{MoneyCall, RedeemRequest};
use shared::domain::ids::{NetworkMerchantId, QrCode, RedemptionId, Reference};
use shared::domain::merchant::Merchant;
use shared::domain::money::{AmountError, Currency, Decimal, Money};
use shared::domain::operation::{Outcome, Subject};
use shared::domain::redemption::{Redemption, RedemptionStatus};
use shared::domain::settlement::SettlementTerms;
use shared::http::access::{Authorized, network_account, permission};
use shared::http::body::{RawBody, Scalar};
use shared::http::description::{AsTheNetworkHasIt, Description};
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::operations::Standing;
use shared::store::Write;
use shared::store::idempotency::KeyedRoute;
use utoipa::ToSchema;

use crate::idempotency::{Earlier, KEY_HEADER, KEY_TEXT, KeyHeader, Keyed, replayed};
use crate::intent::{Execution, Intent, refused};

const DEFAULT_STORE: &str = "Merchant Portal POS";
/// A code or a name that is longer is none, and could grow a row beyond its bounds.
const MAX_TEXT_LENGTH: usize = 1000;

#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RedeemRequest)]
struct Body {
    #[schema(required = true, nullable = false, pattern = r"\S", max_length = 1000)]
    qr_code: Option<String>,
    /// Currency units, greater than 0.
    #[schema(required = true, nullable = false, value_type = f64, exclusive_minimum = 0)]
    redeem_amount: Option<Number>,
    /// Currency units, 0 or more: what the customer buys.
    #[schema(required = true, nullable = false, value_type = f64, minimum = 0)]
    purchase_amount: Option<Number>,
    retail_store_id: Option<Scalar>,
    /// `Merchant Portal POS` without it.
    #[schema(max_length = 1000)]
    retail_store_name: Option<String>,
    /// The merchant's without it.
    currency: Option<String>,
}

/// A JSON number; a text with digits in it is none.
#[derive(Debug)]
struct Number(Decimal);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <Box<RawValue>>::deserialize(deserializer)?;
        raw.get().parse().map(Self).map_err(|error| match error {
            AmountError::NotDecimal => D::Error::custom("must be a number"),
            error => D::Error::custom(error),
        })
    }
}

#[derive(Debug, Serialize, ToSchema)]
struct Redeemed {
    ok: bool,
    #[schema(value_type = AsTheNetworkHasIt)]
    data: Box<RawValue>,
    #[serde(rename = "redemptionId")]
    #[schema(value_type = String)]
    redemption_id: RedemptionId,
}
pub(crate) fn describe() -> Description {
    Description::new(
        "Redeem a gift card",
        "Takes money off a card at a till. A redemption is written before the card network is asked, and shows what \
         came of it. Send an `Idempotency-Key` to be able to repeat the request.",
    )
    .header(KEY_HEADER, KEY_TEXT)
    .body::<Body>(json!({"qrCode": "QR-1", "redeemAmount": 100, "purchaseAmount": 129.5}))
    .answer::<Redeemed>(
        "The money was taken off.",
        json!({
            "ok": true,
            "data": {"transactionId": "t-1", "amount": 100, "currency": "SEK", "valueRemains": 150.5},
            "redemptionId": "0199-redemption",
        }),
    )
    .refuses(400, "A field is missing or an amount cannot be, or there is no card network account.")
    .refuses(409, "The first request with this key is still at work.")
    .refuses(422, "The key was used with another request.")
    .refuses(504, "Too little time was left, or it is not known yet whether money moved.")
    .passes_on_the_network()
}

/// Redeems and answers with the network's reply and the id of the redemption.
///
/// 400 for a missing field or an amount that cannot be; `Redeem failed` with the network's status and its answer in
/// `details` where it refuses; 504 with `details.outcome: "unknown"` where it cannot be known yet whether money moved.
pub(crate) async fn redeem(
    caller: Authorized<permission::Pos>,
    State(app): State<App>,
    invocation: Invocation,
    key: KeyHeader,
    body: RawBody,
) -> Result<Response, Fault> {
    let merchant = caller.merchant.value;
    let payment = Payment::check(&merchant, body.parse()?)?;
    let keyed = Keyed::new(key, &body, &merchant.id, KeyedRoute::Redeem);
    if let Some(keyed) = &keyed
        && let Some(earlier) = keyed.earlier(&app, &invocation).await?
    {
        return answer_again(&earlier);
    }
    let redemption = payment.redemption(&app, &merchant);
    let intent = Intent {
        merchant: merchant.id.clone(),
        subject: Subject::Redeem(redemption.id.clone()),
        about: Write::create(&redemption)?,
        call: MoneyCall::Redeem(payment.into_request()),
    };
    match intent.meet(&app, &invocation, keyed.as_ref()).await? {
        Execution::Now { reference, standing } => answer(&redemption.id, &reference, &standing),
        Execution::Earlier(earlier) => answer_again(&earlier),
    }
}

/// A payment by card that nothing speaks against.
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
    fn check(merchant: &Merchant, body: Body) -> Result<Self, Fault> {
        let missing = |field: &'static str| move || Fault::invalid(format!("{field}: is missing."));
        let code = body.qr_code.filter(|code| !code.trim().is_empty()).ok_or_else(missing("qrCode"))?;
        let Number(redeem) = body.redeem_amount.ok_or_else(missing("redeemAmount"))?;
        let Number(purchase) = body.purchase_amount.ok_or_else(missing("purchaseAmount"))?;
        let currency = currency(body.currency, merchant)?;
        let invalid = |field: &'static str| move |error| Fault::invalid(format!("{field}: {error}."));
        let amount = redeem.minor(currency).map_err(invalid("redeemAmount"))?;
        let purchase = purchase.minor(currency).map_err(invalid("purchaseAmount"))?;
        if !redeem.is_positive() {
            return Err(Fault::invalid("redeemAmount: must be greater than 0."));
        }
        if purchase.get() < 0 {
            return Err(Fault::invalid("purchaseAmount: must be 0 or more."));
        }
        for (field, text) in [("qrCode", Some(&code)), ("retailStoreName", body.retail_store_name.as_ref())] {
            if text.is_some_and(|text| text.chars().count() > MAX_TEXT_LENGTH) {
                return Err(Fault::invalid(format!(
                    "{field}: must be at most {MAX_TEXT_LENGTH} characters."
                )));
            }
        }
        let store_name = body.retail_store_name.filter(|name| !name.trim().is_empty());
        Ok(Self {
            account: network_account(merchant)?.clone(),
            code: QrCode::new(code.trim()),
            amount: Money::new(amount, currency),
            purchase: Money::new(purchase, currency),
            retail_store_id: body.retail_store_id.and_then(Scalar::into_text),
            retail_store_name: store_name.unwrap_or_else(|| DEFAULT_STORE.to_owned()),
        })
    }

    /// The redemption as it stands before the network is asked.
    fn redemption(&self, app: &App, merchant: &Merchant) -> Redemption {
        let now = app.clock.now();
        Redemption {
            id: RedemptionId::new(app.random.uuid(now).to_string()),
            merchant_id: merchant.id.clone(),
            occurred_at: now,
            status: RedemptionStatus::Pending,
            source: Some("POS".to_owned()),
            store_name: Some(self.retail_store_name.clone()),
            amount: self.amount,
            qr_code: Some(self.code.clone()),
            network_code: None,
            card: None,
            terms: SettlementTerms::for_redemption_at(merchant),
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

fn currency(given: Option<String>, merchant: &Merchant) -> Result<Currency, Fault> {
    match given.map(|code| code.trim().to_uppercase()).filter(|code| !code.is_empty()) {
        Some(code) => {
            Currency::from_str(&code).map_err(|error| Fault::invalid(format!("currency: {error}.")))
        }
        None => Ok(merchant.currency.unwrap_or(Currency::USD)),
    }
}

/// The answer that the first request got, or would have got.
fn answer_again(Earlier { operation, standing }: &Earlier) -> Result<Response, Fault> {
    let Subject::Redeem(id) = &operation.subject else {
        return Err(Fault::internal("a key of the redeem route stands for another operation"));
    };
    Ok(replayed(answer(id, &operation.reference, standing), standing))
}

fn answer(id: &RedemptionId, reference: &Reference, standing: &Standing) -> Result<Response, Fault> {
    match standing {
        Standing::Closed(Outcome::Succeeded(reply)) => {
            let data = serde_json::from_str(reply).map_err(|error| Fault::internal(error.to_string()))?;
            Ok(Json(Redeemed { ok: true, data, redemption_id: id.clone() }).into_response())
        }
        Standing::Closed(Outcome::Failed(refusal)) => Err(refused("Redeem failed", refusal)),
        Standing::Unknown => Err(Fault::upstream(
            504,
            "Redeem failed",
            Some(json!({"reference": reference, "outcome": "unknown"})),
        )),
    }
}
