//! `GET` and `POST /shop/{slug}/card`: the page on which whoever holds a gift card sees what is left on it.
//!
//! A form without a script. The code is posted, so that it is in no address, no history and no log, and the page asks no other host
//! for anything.

use std::fmt::Write as _;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use jiff::{SignedDuration, tz::TimeZone};
use qrcodegen::{QrCode as Squares, QrCodeEcc};
use serde_json::Value;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::http::html::{Markup, Page};
use shared::http::schemas::Schemas;
use shared::http::{
    ClientAddress, DescribedError, Description, EndpointError, Fault, PathIds, Public, RawBody, Success, UtcTime,
};
use shared::merchants::model::merchant::Merchant;
use shared::values::{Money, QrCode, time_zone};
use url::form_urlencoded;
use utoipa::openapi::ResponseBuilder;

use crate::balance::{Balance, BalanceError, CardStatus, balance};
use crate::languages::{links, menu};
use crate::page::{ACCEPT_LANGUAGE, LANG, PageError, Shop, colors, initials, styles};
use crate::shop::{Spelled, find_in_any_case};
use crate::words::{PARAMETER, Words};

/// The page with a balance, or with the reason why there is none.
#[derive(Debug)]
pub(crate) struct CardPage(Shop);

impl IntoResponse for CardPage {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

impl Success for CardPage {
    fn errors() -> Vec<DescribedError> {
        BalanceError::describe()
    }

    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        Page::describe(response, example, schemas)
    }
}

pub(crate) fn describe_form() -> Description {
    Description::new(
        "getCardPage",
        "Get the balance page of a shop",
        "Returns a page with a form that asks for the code of a gift card. It works without JavaScript.",
    )
    .query::<String>(PARAMETER, LANG, false)
    .header("Accept-Language", ACCEPT_LANGUAGE)
    .ok("The page.")
}

pub(crate) fn describe() -> Description {
    Description::new(
        "showCardBalance",
        "Show the balance of a gift card",
        "Accepts the form of the balance page, and returns the page with the balance of the card. Limits and errors are those of \
         `getCardBalance`.",
    )
    .query::<String>(PARAMETER, LANG, false)
    .header("Accept-Language", ACCEPT_LANGUAGE)
    .form_field("code", "The code of the card.")
    .ok("The page, with the balance.")
}

/// Returns the page with an empty form.
pub(crate) async fn get_form(_: Public, State(app): State<App>, path: PathIds, words: Words) -> Result<Shop, PageError> {
    Ok(match merchant(&app, &path).await {
        Ok(merchant) => Shop::Shown(page(words, &app, &merchant, StatusCode::OK, &form(words, false))),
        Err(error) => Shop::refused(words, error, "refused-failed"),
    })
}

pub(crate) async fn show_balance(
    _: Public,
    State(app): State<App>,
    invocation: Invocation,
    client: ClientAddress,
    (path, words): (PathIds, Words),
    RawBody(body): RawBody,
) -> Result<CardPage, PageError> {
    let merchant = match merchant(&app, &path).await {
        Ok(merchant) => merchant,
        Err(error) => return Ok(CardPage(Shop::refused(words, error, "refused-failed"))),
    };
    let code = form_urlencoded::parse(&body).find_map(|(name, value)| (name == "code").then(|| value.into_owned()));
    let code = code.unwrap_or_default();
    Ok(CardPage(match Box::pin(balance(&app, &invocation, client, &merchant, &code)).await {
        Ok((balance, code)) => {
            let content = shown(words, &balance, &merchant, &code).push(&form(words, false));
            Shop::Shown(page(words, &app, &merchant, StatusCode::OK, &content))
        }
        Err(error) => {
            let message = words.text(refusal(&error, &code));
            let content = Markup::default().raw("<p class=\"refusal\" role=\"alert\" id=\"refusal\">").text(&message).raw("</p>");
            let fault = Fault::from(error);
            Shop::Refused(page(words, &app, &merchant, fault.status(), &content.push(&form(words, true))), fault)
        }
    }))
}

/// The message that says why there is no balance.
fn refusal(error: &BalanceError, code: &str) -> &'static str {
    match error {
        BalanceError::Invalid(_) if code.trim().is_empty() => "refused-no-code",
        BalanceError::Invalid(_) => "refused-long-code",
        BalanceError::Shop(_) | BalanceError::NoSuchCard => "refused-unknown-card",
        BalanceError::TooMany(_) => "refused-too-many",
        BalanceError::NetworkFailed(_) | BalanceError::NetworkTimedOut => "refused-network",
        BalanceError::General(_) => "refused-failed",
    }
}

async fn merchant(app: &App, path: &PathIds) -> Result<Merchant, PageError> {
    let slug = path.get("slug").ok_or(PageError::NoShop)?;
    match find_in_any_case(app, slug).await?.ok_or(PageError::NoShop)? {
        Spelled::Exactly(merchant) | Spelled::InAnotherCase(merchant) => Ok(merchant),
    }
}

fn page(words: Words, app: &App, merchant: &Merchant, status: StatusCode, content: &Markup) -> Page {
    let name = merchant.name.as_str();
    let address = format!("{}/{}/card", app.settings.webshop_base_url, merchant.slug);
    let head = Markup::default().raw("<title>").text(&words.with("card-title", &[("shop", name)]));
    let head = head.raw("</title><link rel=\"icon\" href=\"data:,\">").push(&links(words, &address));
    let body =
        Markup::default().raw("<header class=\"hero low\"><div class=\"inside\"><span class=\"logo\" aria-hidden=\"true\">");
    let body = body.text(&initials(name)).raw("</span><p class=\"name\" dir=\"auto\">").text(name);
    let body = body.raw("</p></div></header><main class=\"inside holder\"><h1>").text(&words.text("card-heading"));
    let body = body.raw("</h1>").push(content).raw("</main><footer><div class=\"inside\"><a href=\"../");
    let body = body.text(&merchant.slug).text(&words.query()).raw("\">").text(&words.with("shop-title", &[("shop", name)]));
    let body = body.raw("</a>").push(&menu(words)).raw("</div></footer>");
    let storefront = &merchant.storefront;
    let colors = colors(storefront.primary_color.as_deref(), storefront.secondary_color.as_deref());
    Page { status, language: words.language, head, styles: vec![styles(), colors], body, script: None, keeps_to_itself: true }
}

fn form(words: Words, is_refused: bool) -> Markup {
    let form = Markup::default().raw("<form method=\"post\"><label for=\"code\">").text(&words.text("card-code"));
    let form = form.raw("</label><input id=\"code\" name=\"code\" required maxlength=\"500\" autocomplete=\"off\" ");
    let form = form.raw("autocapitalize=\"characters\" spellcheck=\"false\" enterkeyhint=\"go\" aria-describedby=\"where");
    let form = form.raw(if is_refused { " refusal\" aria-invalid=\"true\">" } else { "\">" });
    let form = form.raw("<p id=\"where\">").text(&words.text("card-code-hint")).raw("</p><button class=\"buy\">");
    form.text(&words.text("card-show")).raw("</button></form>")
}

fn shown(words: Words, balance: &Balance, merchant: &Merchant, code: &QrCode) -> Markup {
    let shop = Markup::default().raw("<bdi>").text(&merchant.name).raw("</bdi>");
    let left = balance.remaining_value_minor.zip(balance.currency).map(|(minor, currency)| Money::new(minor, currency));
    let left = match left {
        Some(left) => words.amount(left),
        None => words.text("card-unknown"),
    };
    let label = words.text("card-balance");
    let mut shown = Markup::default().raw("<section class=\"held\" aria-label=\"").text(&label).raw("\"><dl><dt>").text(&label);
    shown = shown.raw("</dt><dd class=\"left\"><bdi>").text(&left).raw("</bdi></dd>");
    if let Some(UtcTime(end)) = balance.valid_until {
        let label = if balance.status == CardStatus::Expired { "card-expired-on" } else { "card-valid-until" };
        shown = shown.raw("<dt>").text(&words.text(label)).raw("</dt><dd>");
        shown = shown.text(&words.language.day(last_day(end, &time_zone(&merchant.time_zone)))).raw("</dd>");
    }
    shown = shown.raw("<dt>").text(&words.text("card-reference")).raw("</dt><dd><bdi>… ").text(&balance.card_ref);
    shown = shown.raw("</bdi></dd></dl><p>");
    shown = match balance.status {
        CardStatus::Active => {
            let how = shown.push(&words.around("card-pay", &[("shop", &shop)]));
            how.raw("</p>").push(&qr(words, code.as_str()))
        }
        CardStatus::Empty => shown.text(&words.text("card-empty")).raw("</p>"),
        CardStatus::Expired => shown.text(&words.text("card-expired")).raw("</p>"),
        CardStatus::Blocked => shown.push(&words.around("card-blocked", &[("shop", &shop)])).raw("</p>"),
    };
    shown.raw("</section><h2>").text(&words.text("card-another")).raw("</h2>")
}

/// The last day on which something is valid that ends at this moment.
fn last_day(end: jiff::Timestamp, zone: &TimeZone) -> jiff::civil::Date {
    let last = end.checked_sub(SignedDuration::from_secs(1)).unwrap_or(end);
    last.to_zoned(zone.clone()).date()
}

/// Nothing for a text that is too long for a QR code.
fn qr(words: Words, text: &str) -> Markup {
    let Ok(squares) = Squares::encode_text(text, QrCodeEcc::Medium) else { return Markup::default() };
    let size = squares.size();
    let mut path = String::new();
    for (x, y) in (0..size).flat_map(|y| (0..size).map(move |x| (x, y))).filter(|(x, y)| squares.get_module(*x, *y)) {
        let _ = write!(path, "M{x} {y}h1v1h-1z");
    }
    let svg = Markup::default().raw("<svg class=\"qr\" role=\"img\" aria-label=\"").text(&words.text("card-qr"));
    let svg = svg.raw("\" viewBox=\"").text(&format!("-4 -4 {0} {0}", size + 8)).raw("\"><path d=\"").text(&path);
    svg.raw("\"/></svg>")
}
