//! `POST /api/auth/tills/pairing`: exchanges a pairing code for the token of a till.

use axum::extract::State;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::domain::code::Code;
use shared::domain::ids::MerchantId;
use shared::domain::merchant::Merchant;
use shared::domain::money::Currency;
use shared::domain::till::{Till, TillToken};
use shared::http::access::Public;
use shared::http::body::JsonBody;
use shared::http::context::ClientAddress;
use shared::http::description::Description;
use shared::http::examples;
use shared::http::fault::Fault;
use shared::http::rate_limit;
use shared::http::reply::Data;
use shared::store::jobs::{Job, Task};
use shared::store::rate_limits::{Caller, Limit};
use shared::store::sessions::Token;
use shared::store::tills::PairingCode;
use shared::store::{Stored, Write};
use utoipa::ToSchema;

use crate::session::TillView;
use crate::sign_in::invalid_code;

const HOUR: SignedDuration = SignedDuration::from_hours(1);
const ATTEMPTS_PER_CLIENT: usize = 20;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TillPairing {
    /// The pairing code of the till. Case, spaces and dashes do not matter.
    code: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PairedTill {
    /// The bearer token of the till, shown only once. It has the permission `portal.pos` and no other.
    token: String,
    /// The till that the device has become.
    till: TillView,
    /// The merchant that it sells and redeems for.
    merchant: MerchantOfTill,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MerchantOfTill {
    /// The id of the merchant. It never changes, unlike the slug.
    id: MerchantId,
    /// The last segment of the URL of its shop, unique on the platform.
    slug: String,
    /// The name that the portal and the shop show.
    name: String,
    /// ISO 4217 code of the merchant's own currency, the default of its sales and reports. Null if none is set.
    currency: Option<Currency>,
}

pub(crate) async fn pair_till(
    _: Public,
    State(app): State<App>,
    client: ClientAddress,
    JsonBody(body): JsonBody<TillPairing>,
) -> Result<Data<PairedTill>, Fault> {
    admit(&app, client).await?;
    let tag = Code::typed(&body.code).tag(&*app.code_key().await?);
    let now = app.clock.now();
    let code = app.store.pairing_code(&tag).await?.filter(|code| code.expires_at > now);
    let code = code.ok_or_else(invalid_code)?;
    let till = app.store.till(&code.merchant_id, &code.till_id).await?;
    let till = till.filter(|till| is_good_for(&code, till)).ok_or_else(invalid_code)?;
    let merchant = app.store.merchant(&code.merchant_id).await?.ok_or_else(invalid_code)?;
    let (token, paired) = paired(&app, &till);
    let job =
        Job::new(merchant.id.clone(), Task::TillPairedMail { till_id: till.id.clone() }, now, &app.random);
    let writes = vec![Write::delete(&code)?, Write::replace(&till, &paired)?, Write::create(&job)?];
    // Whoever loses a race has used the code a second time, or the till has been revoked.
    if !app.store.commit_if_possible(writes).await? {
        return Err(invalid_code());
    }
    let token = token.expose().to_owned();
    Ok(Data(PairedTill { token, till: TillView::from(&paired), merchant: merchant_of_till(&merchant) }))
}

fn is_good_for(code: &PairingCode, till: &Till) -> bool {
    till.revoked_at.is_none() && till.pairing.as_ref().is_some_and(|pairing| pairing.tag == code.tag)
}

fn paired(app: &App, till: &Stored<Till>) -> (Token, Till) {
    let token = Token::issue_to_till(app.random.bytes(), till);
    let now = app.clock.now();
    let known = TillToken { hash: token.hash(), paired_at: now, last_seen_at: now };
    (token, Till { pairing: None, token: Some(known), ..till.value.clone() })
}

fn merchant_of_till(merchant: &Merchant) -> MerchantOfTill {
    MerchantOfTill {
        id: merchant.id.clone(),
        slug: merchant.slug.clone(),
        name: merchant.name.clone(),
        currency: merchant.currency,
    }
}

async fn admit(app: &App, ClientAddress(client): ClientAddress) -> Result<(), Fault> {
    let limit = Limit { caller: Caller::Address(client), max_calls: ATTEMPTS_PER_CLIENT, window: HOUR };
    let message = "Too many codes were tried from here. Please try again later.";
    rate_limit::admit(app, "pair-till", &[limit], message).await
}

pub(crate) fn describe() -> Description {
    Description::new("pairTill", 
        "Pair a till",
        "Exchanges a pairing code for the token of a till. The merchant's administrators are told by mail. Allows 20 attempts an \
         hour for a client. The token lives 90 days from when the till last asked for its session, and a year at most.",
    )
    .body::<TillPairing>(json!({"code": "7KQ2M-XW9PD"}))
    .success(
        "The token, the till and its merchant.",
        json!({
            "token": "aXM6kkfVj6PFUBgwA3JVX9I18Rgp-ziMIuRMtjfwEhA.MDE5YTZkNTAtYzA0MC03YTE3LTg5NWUtNjBhZjkzYmQwNGNm.MDE5YTQ4ZjEtZDY4MC03ZThlLTkxNjAtMGEzNTA5OTk1MGQ4.till",
            "till": {
                "id": examples::TILL, "name": "Counter", "retailStoreId": "main", "retailStoreName": "Main street",
            },
            "merchant": {
                "id": examples::MERCHANT, "slug": "aurora-coffee", "name": "Aurora Coffee", "currency": "SEK",
            },
        }),
    )
    .coded_error(400, &["INVALID_REQUEST", "CODE_INVALID"], "The code is wrong, was used or has expired (`CODE_INVALID`).")
    .error(429, "Too many codes were tried.")
    .message("Too many codes were tried from here. Please try again later.")
}
