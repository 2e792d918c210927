//! `POST /api/auth/tills/pairing`: exchanges a pairing code for the token of a till.

use axum::extract::State;
use http::HeaderMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::db::counters::Caller;
use shared::db::{News, StoreError, Stored, Task, Write};
use shared::endpoint_error;
use shared::http::{ClientAddress, Data, Description, Invalid, JsonBody, PublicToPeople, examples};
use shared::limits;
use shared::limits::model::{PAIRING_ATTEMPTS, UsedUp};
use shared::merchants::model::activity::{ActivityAction, Actor, Deed};
use shared::merchants::model::merchant::Merchant;
use shared::team::model::code::{Code, Purpose};
use shared::team::model::till::{Pairing, PairingAttempt, Till, TillToken};
use shared::team::rows::sessions::Token;
use shared::team::rows::tills::PairingCode;
use shared::values::{Currency, MerchantId};
use utoipa::ToSchema;

use crate::session::TillView;
use crate::session::sign_in::CodeError;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TillPairing {
    /// The pairing code of the till. Case, spaces and dashes do not matter.
    code: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PairedTill {
    /// The bearer token of the till, shown only once. It has only the permission `portal.pos`.
    token: String,
    /// The till that the device is paired with.
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

/// What the device has chosen to repeat its attempt by, if the response is lost.
const ATTEMPT_HEADER: &str = "Pairing-Attempt";
const ATTEMPT_LENGTH: usize = 32;

endpoint_error! {
    pub(crate) enum PairTillError {
        /// The header or a field is invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "Pairing-Attempt: must be 32 hexadecimal digits.",
        Code(#[from] CodeError),
        /// Too many codes were tried.
        TooManyAttempts(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "Too many codes were tried from your network. Please try again later.",
    }
}

pub(crate) async fn pair_till(
    _: PublicToPeople,
    State(app): State<App>,
    client: ClientAddress,
    headers: HeaderMap,
    JsonBody(body): JsonBody<TillPairing>,
) -> Result<Data<PairedTill>, PairTillError> {
    let attempt = attempt_tag(&app, &headers).await?;
    admit(&app, client).await?;
    let tag = Code::typed(&body.code).tag(&*app.code_key().await?);
    let mut attempts = app.store.attempts("a till");
    loop {
        let now = app.clock.now();
        let code = app.store.pairing_code(&tag).await?.filter(|code| code.expires_at > now);
        let code = code.ok_or(CodeError::NotValid)?;
        let till = app.store.till(&code.merchant_id, &code.till_id).await?.ok_or(CodeError::NotValid)?;
        let (pairing, is_repeat) = use_of(&code, &till, attempt.as_deref()).ok_or(CodeError::NotValid)?;
        let maker = app.store.membership(&till.merchant_id, &pairing.made_by.user_id).await?;
        let maker = maker.filter(|maker| pairing.is_good(Some(maker), now)).ok_or(CodeError::NotValid)?;
        let merchant = app.store.merchant(&till.merchant_id).await?.ok_or(CodeError::NotValid)?;
        let (token, paired) = paired(&app, &till, pairing, attempt.as_deref());
        let mut writes = vec![Write::replace(&till, &paired)?, Write::require_unchanged(&maker)?];
        // A repeat needs the code once more.
        writes.push(if attempt.is_some() { Write::require_unchanged(&code) } else { Write::delete(&code) }?);
        if !is_repeat {
            writes.extend(announcements(&app, &paired, now)?);
        }
        if attempts.committed(app.store.commit(writes).await).await? {
            let token = token.expose().to_owned();
            let (till, merchant) = (TillView::from(&paired), merchant_of_till(&merchant));
            return Ok(Data(PairedTill { token, till, merchant }));
        }
    }
}

/// A keyed hash of the header, which must be 32 hexadecimal digits.
async fn attempt_tag(app: &App, headers: &HeaderMap) -> Result<Option<String>, PairTillError> {
    let Some(value) = headers.get(ATTEMPT_HEADER) else { return Ok(None) };
    let value = value.to_str().unwrap_or_default();
    if value.len() != ATTEMPT_LENGTH || !value.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let message = format!("{ATTEMPT_HEADER}: must be {ATTEMPT_LENGTH} hexadecimal digits.");
        return Err(Invalid::new(message).into());
    }
    Ok(Some(app.code_key().await?.tag(Purpose::PairingAttempt, &[&value.to_ascii_lowercase()])))
}

/// The code as the till has it, and whether this repeats the attempt that has used it. `None` if it cannot be used: it was used by
/// another attempt, or a newer code was made, or the till was revoked, or its token is in use.
fn use_of<'a>(code: &PairingCode, till: &'a Till, attempt: Option<&str>) -> Option<(&'a Pairing, bool)> {
    if till.revoked_at.is_some() {
        return None;
    }
    if let Some(waiting) = &till.pairing {
        return (waiting.tag == code.tag).then_some((waiting, false));
    }
    let earlier = till.token.as_ref()?.attempt.as_ref()?;
    (earlier.code.tag == code.tag && Some(earlier.tag.as_str()) == attempt).then_some((&earlier.code, true))
}

/// The till with a fresh token, which ends the one before.
fn paired(app: &App, till: &Stored<Till>, code: &Pairing, attempt: Option<&str>) -> (Token, Till) {
    let token = Token::issue_to_till(app.random.bytes(), till);
    let now = app.clock.now();
    let attempt = attempt.map(|tag| PairingAttempt { tag: tag.to_owned(), code: code.clone() });
    let known = TillToken { hash: token.hash(), paired_at: now, last_seen_at: now, attempt };
    (token, Till { pairing: None, token: Some(known), ..till.value.clone() })
}

fn announcements(app: &App, till: &Till, now: Timestamp) -> Result<Vec<Write>, StoreError> {
    let deed = Deed::new(ActivityAction::TillPaired).to_target(&till.id, &till.name);
    let news = News::TillPaired { till_id: till.id.clone() };
    let job = app.store.enqueue(till.merchant_id.clone(), Task::TeamNews { news }, now)?;
    Ok(vec![app.store.record(Actor::till(till), &till.merchant_id, deed, now)?, job])
}

fn merchant_of_till(merchant: &Merchant) -> MerchantOfTill {
    MerchantOfTill {
        id: merchant.id.clone(),
        slug: merchant.slug.clone(),
        name: merchant.name.clone(),
        currency: merchant.currency,
    }
}

async fn admit(app: &App, ClientAddress(client): ClientAddress) -> Result<(), PairTillError> {
    limits::count(app, &[(PAIRING_ATTEMPTS, Caller::Address(client))]).await
}

const EXAMPLE_TOKEN: &str = "aXM6kkfVj6PFUBgwA3JVX9I18Rgp-ziMIuRMtjfwEhA.MDE5YTZkNTAtYzA0MC03YTE3LTg5NWUtNjBhZjkzYmQwNGNm.\
                             MDE5YTQ4ZjEtZDY4MC03ZThlLTkxNjAtMGEzNTA5OTk1MGQ4.till";

pub(crate) fn describe() -> Description {
    Description::new(
        "pairTill",
        "Pair a till",
        "Exchanges a pairing code for the token of a till. The merchant's administrators are notified by e-mail. A client has 20 \
         attempts an hour. The token is valid for 90 days after the till last requested its session, and for a year at \
         most.\n\nA device that received no response can repeat the request with the same code and the same `Pairing-Attempt` \
         within the ten minutes of the code. It gets a new token, which replaces the previous one, until a token has been used \
         to request its session.",
    )
    .header("Pairing-Attempt", "32 random hexadecimal digits, generated by the device, which identify a repeat of the request.")
    .body::<TillPairing>(json!({"code": "7KQ2M-XW9PD"}))
    .success(
        "The token, the till and its merchant.",
        json!({
            "token": EXAMPLE_TOKEN,
            "till": {
                "id": examples::TILL, "name": "Counter", "retailStoreId": "main", "retailStoreName": "Main street",
            },
            "merchant": {
                "id": examples::MERCHANT, "slug": "aurora-coffee", "name": "Aurora Coffee", "currency": "SEK",
            },
        }),
    )
}
