//! `POST /api/merchants/{slug}/balance`: what is left on a gift card, for whoever holds it.
//!
//! Nobody is signed in, so that the code is all that a caller proves. Unknown codes count towards limits of the client address and of
//! the merchant that are not those of its tills, and all codes without a balance get the same response, a second after their request
//! at the earliest: neither body nor time tells a code of another merchant from one that does not exist.

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::State;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::base::best_effort::best_effort;
use shared::base::invocation::Invocation;
use shared::card_network::{CardRecord, NetworkError};
use shared::cards::model::redemption::card_reference;
use shared::cards::view::card_code;
use shared::db::counters::{Caller, Guesser};
use shared::endpoint_error;
use shared::http::bounded::MaxChars;
use shared::http::{ClientAddress, Data, Description, Invalid, JsonBody, PathIds, Public, UtcTime, examples};
use shared::limits::model::{BALANCES, CODES_THAT_STOP_BALANCES, UsedUp};
use shared::merchants::model::merchant::Merchant;
use shared::offers::model::terms::PurchaseTime;
use shared::values::{Currency, Minor, NetworkMerchantId, QrCode, time_zone};
use tokio::time::{Instant, sleep_until};
use utoipa::ToSchema;

use crate::shop::{ShopError, active_merchant};

/// How long a request takes at least whose code has no balance: longer than its steps.
const MIN_TIME_OF_UNKNOWN: Duration = Duration::from_secs(1);

type Code = MaxChars<500>;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct BalanceRequest {
    /// The code of the card.
    #[schema(required = true, nullable = false, value_type = Code)]
    code: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = HeldCard)]
pub(crate) struct Balance {
    /// The last four characters of the code.
    pub(crate) card_ref: String,
    /// The balance, in minor units of `currency`. Null if the card network does not report it.
    pub(crate) remaining_value_minor: Option<Minor>,
    /// ISO 4217 code of the card. Null if the card network does not report it.
    pub(crate) currency: Option<Currency>,
    /// Whether it can be used: `EMPTY` if the balance is zero, else `EXPIRED` after its expiry, else `BLOCKED` if the card
    /// network does not allow its use.
    pub(crate) status: CardStatus,
    /// When the card expires. Null if it does not, or if the card network reports no readable time.
    pub(crate) valid_until: Option<UtcTime>,
}

/// Whether the card can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = HeldCardStatus)]
pub(crate) enum CardStatus {
    Active,
    /// Nothing is left.
    Empty,
    Expired,
    /// The card network does not let it be used.
    Blocked,
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getCardBalance",
        "Get the balance of a gift card",
        "Returns the balance of a card of the merchant to anyone who has its code. Allows cross-origin requests. An unknown code \
         is also looked up without spaces, with ASCII dashes and in capitals. Unknown codes and those of other merchants get the \
         same response, and count towards limits of the client address.",
    )
    .body::<BalanceRequest>(json!({"code": examples::QR_CODE}))
    .success(
        "The balance.",
        json!({
            "cardRef": "UCPB", "remainingValueMinor": 40_000, "currency": "SEK", "status": "ACTIVE",
            "validUntil": "2028-12-31T10:00:00.000Z",
        }),
    )
}

endpoint_error! {
    pub(crate) enum BalanceError {
        Shop(#[from] ShopError),
        /// The code is missing or too long.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "code: is missing.",
        /// The code is unknown, or its card belongs to another merchant.
        NoSuchCard => 404 CARD_NOT_FOUND "This shop has no gift card with this code.",
        /// Too many codes were tried.
        TooMany(#[from] UsedUp) => 429 TOO_MANY_REQUESTS "Too many codes have been tried. Please try again later.",
        /// The card network failed.
        NetworkFailed(NetworkError) => 502 CARD_NETWORK_FAILED "The card cannot be looked up at the moment. Please try again.",
        /// The card network did not answer in time.
        NetworkTimedOut => 504 CARD_NETWORK_TIMEOUT "The card cannot be looked up at the moment. Please try again.",
    }
}

impl From<NetworkError> for BalanceError {
    fn from(error: NetworkError) -> Self {
        match error {
            NetworkError::Timeout => Self::NetworkTimedOut,
            error => Self::NetworkFailed(error),
        }
    }
}

/// Returns what is left on a card.
pub(crate) async fn get_balance(
    _: Public,
    State(app): State<App>,
    invocation: Invocation,
    client: ClientAddress,
    path: PathIds,
    JsonBody(body): JsonBody<BalanceRequest>,
) -> Result<Data<Balance>, BalanceError> {
    let merchant = active_merchant(&app, &path).await?;
    let code = body.code.unwrap_or_default();
    let (balance, _) = Box::pin(balance(&app, &invocation, client, &merchant, &code)).await?;
    Ok(Data(balance))
}

/// Returns what is left on the card with this code, and the code as the card network knows it. Blanks around it are ignored. One that
/// is unknown is asked for once more in its [plain](QrCode::plain) form.
pub(crate) async fn balance(
    app: &App,
    invocation: &Invocation,
    ClientAddress(client): ClientAddress,
    merchant: &Merchant,
    code: &str,
) -> Result<(Balance, QrCode), BalanceError> {
    let earliest = Instant::now() + MIN_TIME_OF_UNKNOWN;
    Code::check("code", code)?;
    let code = card_code(code);
    if code.as_str().is_empty() {
        return Err(Invalid::new("code: is missing.").into());
    }
    app.store.use_up(&[(BALANCES, Caller::Address(client))], 1, app.clock.now()).await??;
    let holder = Holder { app, invocation, merchant, client };
    let forms = [code.plain(), Some(code)];
    for code in forms.into_iter().rev().flatten() {
        if let Some(card) = holder.look_up(&code).await? {
            return Ok((Balance::new(&card, &code, merchant, app.clock.now()), code));
        }
    }
    sleep_until(earliest).await;
    Err(BalanceError::NoSuchCard)
}

/// Who asks a merchant for the cards that they hold.
struct Holder<'a> {
    app: &'a App,
    invocation: &'a Invocation,
    merchant: &'a Merchant,
    client: Option<IpAddr>,
}

impl Holder<'_> {
    /// `None` if the merchant has no card with this code, which is counted.
    async fn look_up(&self, code: &QrCode) -> Result<Option<CardRecord>, BalanceError> {
        let Self { app, merchant, .. } = self;
        let Some(account) = &merchant.network_merchant_id else { return Ok(None) };
        let by = Guesser::Holder(self.client);
        let reservation = app.store.reserve_guess(&merchant.id, by, app.clock.now()).await?.inspect_err(|used_up| {
            if used_up.limit == CODES_THAT_STOP_BALANCES {
                app.metrics.record_stopped_balance();
            }
        })?;
        let card = self.card_of_merchant(account, code).await;
        if let Ok(None) = &card {
            let counted = app.store.count_guess(&merchant.id, by, &reservation, app.clock.now()).await;
            best_effort("the count of a guessed card code", counted);
        } else {
            app.store.give_back(reservation).await;
        }
        card
    }

    /// A card whose record names no account is the merchant's if it has sold it. That is always read, so that all codes take the same
    /// steps.
    async fn card_of_merchant(&self, account: &NetworkMerchantId, code: &QrCode) -> Result<Option<CardRecord>, BalanceError> {
        let Self { app, merchant, .. } = self;
        let network = app.card_network();
        let (sold, card) = tokio::join!(app.store.card_by_code(&merchant.id, code), network.card(self.invocation, account, code));
        let is_sold_here = sold?.is_some();
        match card {
            Ok(card) => Ok(Some(card).filter(|card| card.merchant.is_some() || is_sold_here)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl Balance {
    fn new(card: &CardRecord, code: &QrCode, merchant: &Merchant, now: Timestamp) -> Self {
        let currency: Option<Currency> = card.currency.as_deref().and_then(|currency| currency.parse().ok());
        let remaining_value_minor =
            currency.zip(card.value_remains.as_ref()).and_then(|(currency, remains)| remains.minor(currency).ok());
        let expires: Option<PurchaseTime> = card.expires_at.as_deref().and_then(|time| time.parse().ok());
        let valid_until = expires.map(|expires| expires.end(&time_zone(&merchant.time_zone)));
        let status = match card.status.as_deref().filter(|status| !status.trim().is_empty()) {
            _ if remaining_value_minor == Some(Minor::ZERO) => CardStatus::Empty,
            _ if valid_until.is_some_and(|end| end <= now) => CardStatus::Expired,
            None | Some("ACTIVE") => CardStatus::Active,
            Some(_) => CardStatus::Blocked,
        };
        Self {
            card_ref: card_reference(None, Some(code)).to_owned(),
            remaining_value_minor,
            currency,
            status,
            valid_until: valid_until.map(UtcTime),
        }
    }
}
