//! `GET /shop/{slug}`: the page of a shop, whole without JavaScript. `clients/storefront` has its styles and its script.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::endpoint_error;
use shared::http::html::{Markup, Page, Style};
use shared::http::schemas::Schemas;
use shared::http::{Description, Fault, PathIds, Public, Success};
use shared::values::{Color, Currency, Minor, Money};
use url::Url;
use utoipa::openapi::ResponseBuilder;

use crate::catalog::{self, Item};
use crate::languages::{links, menu};
use crate::merchant::StorefrontMerchant;
use crate::shop::{Spelled, find_in_any_case};
use crate::words::{PARAMETER, Words};

const STYLES: &str = include_str!("../../../clients/storefront/storefront.css");
const SCRIPT: &str = include_str!("../../../clients/storefront/storefront.js");

/// Of the gift cards. Those that come later are left out: a response of Lambda has at most 6 MB.
const MAX_BYTES: usize = 1024 * 1024;

/// In characters. Amounts stand in columns of one width, so that nothing moves when the script writes them anew; longer ones in wide
/// columns.
const MAX_NARROW_LABEL: usize = 10;

/// For a merchant that has not chosen a color.
const DEFAULT_COLOR: Color = Color::new(0x24, 0x42, 0x4f);
/// The background of the page in the two themes, as in `storefront.css`.
const LIGHT: Color = Color::new(0xf5, 0xf7, 0xf9);
const DARK: Color = Color::new(0x0b, 0x0f, 0x11);

/// The page, the one that says why it is not shown, or the address that it has.
#[derive(Debug)]
pub(crate) enum Shop {
    Shown(Page),
    Refused(Page, Fault),
    /// The slug as the merchant spells it, and the query that keeps the language.
    MovedTo(String, String),
}

impl IntoResponse for Shop {
    fn into_response(self) -> Response {
        match self {
            Self::Shown(page) => page.into_response(),
            Self::Refused(page, fault) => fault.with_page(page),
            Self::MovedTo(slug, query) => {
                // Relative, because the page has another path on an origin of its own.
                let slug = utf8_percent_encode(&slug, NON_ALPHANUMERIC).to_string().replace("%2D", "-");
                let location = format!("./{slug}{query}");
                (StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, location)]).into_response()
            }
        }
    }
}

impl Success for Shop {
    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        Page::describe(response, example, schemas)
    }
}

pub(crate) const LANG: &str =
    "The language of the page: `da`, `de`, `en`, `es`, `fi`, `fr`, `ja`, `nb`, `nl` or `sv`. Another one is ignored.";
pub(crate) const ACCEPT_LANGUAGE: &str = "Decides the language without `lang`; English if it lists none of these.";

pub(crate) fn describe() -> Description {
    Description::new(
        "getShop",
        "Get the page of a shop",
        "Returns the shop as a page for people and search engines, built from the same data as the merchant and the catalog. Its \
         purchase links lead to the merchant's `homeUrl` with `offer` (the id), `amount` (in minor units) and `currency` added \
         to its query.",
    )
    .query::<String>(PARAMETER, LANG, false)
    .header("Accept-Language", ACCEPT_LANGUAGE)
    .ok("The page.")
    .moved("The slug is written in a different case.")
}

endpoint_error! {
    pub(crate) enum PageError {
        /// No active merchant has this slug.
        NoShop => 404 NOT_FOUND "There is no shop at this address.",
    }
}

impl Shop {
    /// In the place of a page: why it is not shown. `failed` is the message for a failure of ours.
    pub(crate) fn refused(words: Words, error: PageError, failed: &str) -> Self {
        let (message, advice) = match error {
            PageError::NoShop => ("missing-shop", "missing-shop-advice"),
            PageError::General(_) => (failed, "failed-advice"),
        };
        let fault = Fault::from(error);
        Self::Refused(Page::of_error(fault.status(), words.language, &words.text(message), &words.text(advice)), fault)
    }
}

/// Returns the page of the shop. Redirects to the merchant's own spelling of the slug.
pub(crate) async fn get_page(
    _: Public,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
    words: Words,
) -> Result<Shop, PageError> {
    let shop = shop(&app, &invocation, &path, words).await;
    Ok(shop.unwrap_or_else(|error| Shop::refused(words, error, "failed-catalog")))
}

async fn shop(app: &App, invocation: &Invocation, path: &PathIds, words: Words) -> Result<Shop, PageError> {
    let slug = path.get("slug").ok_or(PageError::NoShop)?;
    let merchant = match find_in_any_case(app, slug).await?.ok_or(PageError::NoShop)? {
        Spelled::Exactly(merchant) => merchant,
        Spelled::InAnotherCase(merchant) => return Ok(Shop::MovedTo(merchant.slug, words.query())),
    };
    let (items, merchant) =
        tokio::join!(catalog::on_sale(app, invocation, &merchant), StorefrontMerchant::load(app, invocation, merchant.clone()));
    let (items, _) = items?;
    let address = format!("{}/{}", app.settings.webshop_base_url, merchant.slug);
    Ok(Shop::Shown(page(words, &merchant, &items, &address)))
}

fn page(words: Words, merchant: &StorefrontMerchant, items: &[Item], address: &str) -> Page {
    let words = words.with_currencies(items.iter().map(|item| item.currency));
    let mut cards = Markup::default();
    let mut shown = Vec::new();
    for item in items {
        if cards.len() > MAX_BYTES {
            break;
        }
        cards = cards.push(&card(words, merchant, item, shown.len()));
        shown.push(item);
    }
    Page {
        status: StatusCode::OK,
        language: words.language,
        head: head(words, merchant, &shown, address),
        styles: vec![styles(), colors(merchant.primary_color.as_deref(), merchant.secondary_color.as_deref())],
        body: body(words, merchant, &cards),
        script: Some(SCRIPT),
        keeps_to_itself: false,
    }
}

pub(crate) fn styles() -> Style {
    Style::Rules(STYLES)
}

/// The colors of a merchant that has chosen these.
pub(crate) fn colors(primary: Option<&str>, secondary: Option<&str>) -> Style {
    let brand = primary.and_then(Color::parse).unwrap_or(DEFAULT_COLOR);
    Style::Colors(vec![
        ("brand", brand),
        ("brand-end", brand.shade()),
        ("on-brand", brand.text()),
        ("brand-accent", secondary.and_then(Color::parse).unwrap_or_else(|| brand.mix(brand.text(), 20))),
        ("brand-text-light", brand.as_text_on(LIGHT)),
        ("brand-text-dark", brand.as_text_on(DARK)),
    ])
}

fn head(words: Words, merchant: &StorefrontMerchant, items: &[&Item], address: &str) -> Markup {
    let shop = [("shop", merchant.name.as_str())];
    let title = words.with("shop-title", &shop);
    let description = merchant.description.clone().unwrap_or_else(|| words.with("shop-description", &shop));
    let mut head = Markup::default().raw("<title>").text(&title).raw("</title>");
    head = head.push(&links(words, address));
    let icon = merchant.logo_url.as_deref().unwrap_or("data:,");
    head = head.raw("<link rel=\"icon\" href=\"").text(icon).raw("\">");
    head = head.raw("<meta name=\"description\" content=\"").text(&description).raw("\">");
    head = head.raw("<meta name=\"twitter:card\" content=\"summary\">");
    let image = merchant.logo_url.as_deref().or_else(|| items.iter().find_map(|item| item.image_url.as_deref()));
    let own_address = format!("{address}{}", words.query());
    let properties = [
        ("og:type", Some("website")),
        ("og:site_name", Some(merchant.name.as_str())),
        ("og:title", Some(title.as_str())),
        ("og:description", Some(description.as_str())),
        ("og:url", Some(own_address.as_str())),
        ("og:image", image),
    ];
    for (property, value) in properties {
        let Some(value) = value else { continue };
        head = head.raw("<meta property=\"").raw(property).raw("\" content=\"").text(value).raw("\">");
    }
    if items.is_empty() { head } else { head.json_ld(&linked_data(merchant, items, address)) }
}

/// What search engines read of the gift cards (schema.org).
fn linked_data(merchant: &StorefrontMerchant, items: &[&Item], address: &str) -> Value {
    let products = items.iter().map(|item| {
        let prices: Vec<Option<Minor>> = match &item.price_options[..] {
            [] => vec![None],
            options => options.iter().copied().map(Some).collect(),
        };
        let offers: Vec<Value> = prices.into_iter().map(|price| linked_offer(merchant, item, price, address)).collect();
        let mut product = json!({
            "@type": "Product", "name": item.name, "sku": item.id,
            "brand": {"@type": "Brand", "name": merchant.name}, "offers": offers,
        });
        let optional = [
            ("description", &item.description),
            ("image", item.image_url.as_ref().map_or(&merchant.logo_url, |_| &item.image_url)),
        ];
        for (name, value) in optional {
            if let (Some(product), Some(value)) = (product.as_object_mut(), value) {
                product.insert(name.to_owned(), json!(value));
            }
        }
        product
    });
    json!({"@context": "https://schema.org", "@graph": products.collect::<Vec<_>>()})
}

/// Without a price, the buyer chooses one.
fn linked_offer(merchant: &StorefrontMerchant, item: &Item, price: Option<Minor>, address: &str) -> Value {
    let units = |minor| Money::new(minor, item.currency).units();
    let url = merchant.home_url.as_deref().and_then(|home| buy_url(home, item, price));
    let mut offer = json!({
        "@type": "Offer", "priceCurrency": item.currency, "availability": "https://schema.org/InStock",
        "url": url.as_deref().unwrap_or(address),
    });
    let (name, value) = match price {
        Some(price) => ("price", json!(units(price))),
        None => {
            let range = json!({
                "@type": "PriceSpecification", "priceCurrency": item.currency,
                "minPrice": item.min_value.map(units), "maxPrice": item.max_value.map(units),
            });
            ("priceSpecification", range)
        }
    };
    if let Some(offer) = offer.as_object_mut() {
        offer.insert(name.to_owned(), value);
    }
    offer
}

fn body(words: Words, merchant: &StorefrontMerchant, cards: &Markup) -> Markup {
    let name = merchant.name.as_str();
    let shop = Markup::default().raw("<bdi>").text(name).raw("</bdi>");
    let mut body =
        Markup::default().raw("<header class=\"hero\"><div class=\"inside\"><span class=\"logo\" aria-hidden=\"true\">");
    body = body.text(&initials(name));
    if let Some(logo) = &merchant.logo_url {
        body = body.raw("<img src=\"").text(logo).raw("\" alt=\"\">");
    }
    body = body.raw("</span><h1 dir=\"auto\">").text(name).raw("</h1>");
    if let Some(description) = &merchant.description {
        body = body.raw("<p dir=\"auto\">").text(description).raw("</p>");
    }
    if let Some(home) = &merchant.home_url {
        body = body.raw("<a class=\"visit\" href=\"").text(home).raw("\">");
        body = body.text(&words.with("shop-visit", &[("host", &host(home))])).raw("</a>");
    }
    body = body.raw("</div></header><main class=\"inside\"><h2>").text(&words.text("shop-gift-cards")).raw("</h2>");
    body = if cards.is_empty() {
        body = body.raw("<div class=\"empty\"><b>").text(&words.text("shop-empty-title")).raw("</b><p>");
        body.push(&words.around("shop-empty", &[("shop", &shop)])).raw("</p></div>")
    } else {
        body.raw("<ul class=\"offers\">").push(cards).raw("</ul>")
    };
    body = body.raw("</main><footer><div class=\"inside\"><span>");
    body = match merchant.home_url {
        Some(_) => body.push(&words.around("shop-sold-by", &[("shop", &shop)])),
        None => body.text(&words.text("shop-sold-in-shop")),
    };
    // Relative, because the page has another path on an origin of its own.
    body = body.raw("</span><a href=\"./").text(&merchant.slug).raw("/card").text(&words.query()).raw("\">");
    body = body.text(&words.text("shop-check-balance")).raw("</a>");
    if let Some(terms) = &merchant.terms_url {
        body = body.raw("<a href=\"").text(terms).raw("\">").text(&words.text("shop-terms")).raw("</a>");
    }
    body.push(&menu(words)).raw("</div></footer>")
}

/// The card that is drawn, its name, its amounts to choose from, and for each of them the link to buy it.
fn card(words: Words, merchant: &StorefrontMerchant, item: &Item, number: usize) -> Markup {
    let chosen = first_choice(&item.price_options, merchant.popular_gift_card_amount);
    let mut card = Markup::default().raw("<li class=\"offer\" data-currency=\"").text(&item.currency.to_string());
    card = card.raw("\" data-display=\"").text(words.currency_display());
    card = card.raw("\"><div class=\"art\" aria-hidden=\"true\"><b dir=\"auto\">").text(&merchant.name);
    card = card.raw("</b><span>").text(&words.text("offer-drawn")).raw("<bdi class=\"drawn\">");
    // The script draws the one that is chosen.
    if let [only] = item.price_options[..] {
        card = card.push(&amount(words, only, item.currency));
    }
    card = card.raw("</bdi></span>");
    if let Some(image) = &item.image_url {
        card = card.raw("<img src=\"").text(image).raw("\" alt=\"\" loading=\"lazy\">");
    }
    card = card.raw("</div><h3 dir=\"auto\">").text(&item.name).raw("</h3>");
    if let Some(description) = &item.description {
        card = card.raw("<p class=\"muted\" dir=\"auto\">").text(description).raw("</p>");
    }
    let has_choice = item.price_options.len() > 1 || takes_other_amounts(merchant, item);
    card = if has_choice {
        card.push(&choice(words, merchant, item, chosen, number))
    } else {
        let only = item.price_options.first().copied();
        // A fixed price stands on the drawn card already, for all but screen readers.
        let is_drawn = item.min_value.is_some() && item.min_value == item.max_value && item.image_url.is_none();
        let class = if is_drawn { "price sr" } else { "price" };
        let card = card.raw("<p class=\"").raw(class).raw("\">").push(&price_range(words, item)).raw("</p>");
        card.push(&buy(words, merchant, item, only))
    };
    card.raw("</li>")
}

/// Whether a buyer can enter an amount that is not among the suggested ones.
fn takes_other_amounts(merchant: &StorefrontMerchant, item: &Item) -> bool {
    item.is_variable && merchant.home_url.is_some() && !item.price_options.is_empty()
}

/// One link for each amount, of which the style sheet shows that of the chosen one.
fn choice(words: Words, merchant: &StorefrontMerchant, item: &Item, chosen: Option<Minor>, number: usize) -> Markup {
    let is_long = |price: &Minor| words.amount(Money::new(*price, item.currency)).chars().count() > MAX_NARROW_LABEL;
    let class = if item.price_options.iter().any(is_long) { "<fieldset class=\"wide\">" } else { "<fieldset>" };
    let legend = words.with("offer-amounts", &[("offer", &item.name)]);
    let mut choice = Markup::default().raw(class).raw("<legend class=\"sr\">").text(&legend).raw("</legend>");
    let group = format!("amount-{number}");
    for price in &item.price_options {
        choice = choice.raw("<label><input type=\"radio\" name=\"").text(&group).raw("\"");
        choice = if Some(*price) == chosen { choice.raw(" checked>") } else { choice.raw(">") };
        choice = choice.push(&amount(words, *price, item.currency)).raw("</label>");
        choice = choice.push(&buy(words, merchant, item, Some(*price)));
    }
    if takes_other_amounts(merchant, item) {
        choice = choice.push(&other_amount(words, merchant, item, &group));
    }
    choice.raw("</fieldset>")
}

/// A field for an amount between the bounds, which it names. The script adds what is entered to the link; without one, the shop
/// asks for it.
fn other_amount(words: Words, merchant: &StorefrontMerchant, item: &Item, group: &str) -> Markup {
    let mut other = Markup::default().raw("<label><input type=\"radio\" name=\"").text(group).raw("\" aria-label=\"");
    other = other.text(&words.text("offer-other-amount")).raw("\">").text(&words.text("offer-other"));
    other = other.raw("</label><div class=\"other\" data-decimals=\"").text(&item.currency.exponent().to_string()).raw("\"");
    if let Some(min) = item.min_value {
        other = other.raw(" data-min=\"").text(&min.get().to_string()).raw("\"");
    }
    if let Some(max) = item.max_value {
        other = other.raw(" data-max=\"").text(&max.get().to_string()).raw("\"");
    }
    let label = words.with("offer-amount-in", &[("currency", &item.currency.to_string())]);
    other = other.raw("><input inputmode=\"decimal\" autocomplete=\"off\" aria-label=\"").text(&label);
    other = other.raw("\" aria-describedby=\"bounds-").text(group).raw("\"><p id=\"bounds-").text(group).raw("\">");
    let bounds = ["offer-enter-range", "offer-enter-from", "offer-enter-up-to", "offer-enter-any"];
    other = other.push(&between(words, item, bounds)).raw("</p>");
    other.push(&buy(words, merchant, item, None)).raw("</div>")
}

fn buy(words: Words, merchant: &StorefrontMerchant, item: &Item, price: Option<Minor>) -> Markup {
    let Some(url) = merchant.home_url.as_deref().and_then(|home| buy_url(home, item, price)) else {
        return Markup::default().raw("<p class=\"sold\">").text(&words.text("offer-sold-in-shop")).raw("</p>");
    };
    let label = match price {
        Some(price) => {
            let amount = words.amount(Money::new(price, item.currency));
            words.with("offer-buy-for", &[("offer", &item.name), ("amount", &amount)])
        }
        None => words.with("offer-buy-any", &[("offer", &item.name)]),
    };
    let link = Markup::default().raw("<a class=\"buy\" href=\"").text(&url).raw("\" aria-label=\"").text(&label);
    link.raw("\">").text(&words.text("offer-buy")).raw("</a>")
}

/// The merchant's home page with its own query, and what is to be bought. Parameters of these names are replaced.
fn buy_url(home: &str, item: &Item, price: Option<Minor>) -> Option<String> {
    let mut url = Url::parse(home).ok()?;
    let is_own = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default();
        !pair.is_empty() && !["offer", "amount", "currency"].contains(&name)
    };
    let own: Vec<&str> = url.query().unwrap_or_default().split('&').filter(is_own).collect();
    let own = own.join("&");
    url.set_query(Some(&own).filter(|own| !own.is_empty()).map(String::as_str));
    let mut query = url.query_pairs_mut();
    query.append_pair("offer", item.id.as_str());
    if let Some(price) = price {
        query.append_pair("amount", &price.get().to_string());
    }
    query.append_pair("currency", &item.currency.to_string());
    drop(query);
    Some(url.into())
}

/// The popular amount if it can be bought, else one in the middle.
fn first_choice(options: &[Minor], popular: Option<i64>) -> Option<Minor> {
    let popular = popular.map(Minor::new).filter(|popular| options.contains(popular));
    popular.or_else(|| options.get(options.len().saturating_sub(1) / 2).copied())
}

fn price_range(words: Words, item: &Item) -> Markup {
    match (item.min_value, item.max_value) {
        (Some(min), Some(max)) if min == max => amount(words, min, item.currency),
        _ => between(words, item, ["offer-range", "offer-from", "offer-up-to", "offer-any"]),
    }
}

/// The message with both bounds, only the lowest, only the highest, or none. A bound that is null is not set.
fn between(words: Words, item: &Item, [both, lowest, highest, none]: [&str; 4]) -> Markup {
    let price = |minor| amount(words, minor, item.currency);
    match (item.min_value, item.max_value) {
        (Some(min), Some(max)) => words.around(both, &[("min", &price(min)), ("max", &price(max))]),
        (Some(min), None) => words.around(lowest, &[("min", &price(min))]),
        (None, Some(max)) => words.around(highest, &[("max", &price(max))]),
        (None, None) => words.around(none, &[]),
    }
}

/// An amount, which the script writes anew as the browser's region does.
fn amount(words: Words, minor: Minor, currency: Currency) -> Markup {
    let money = Money::new(minor, currency);
    let markup = Markup::default().raw("<bdi><data value=\"").text(&money.units()).raw("\">");
    markup.text(&words.amount(money)).raw("</data></bdi>")
}

/// One or two letters that stand for a name where there is no logo.
pub(crate) fn initials(name: &str) -> String {
    let mut letters = name.split_whitespace().filter_map(|word| word.chars().next().filter(|c| c.is_alphanumeric()));
    let first = letters.next();
    first.into_iter().chain(letters.next_back()).flat_map(char::to_uppercase).collect()
}

fn host(url: &str) -> String {
    let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.as_deref().unwrap_or(url).trim_start_matches("www.").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_are_of_the_first_and_the_last_word() {
        for (name, expected) in [
            ("Aurora Coffee", "AC"),
            ("The Old & Grand Café", "TC"),
            ("émile", "É"),
            ("& Sons", "S"),
            ("日本 書店", "日書"),
            ("—", ""),
            ("", ""),
        ] {
            assert_eq!(initials(name), expected, "{name}");
        }
    }

    #[test]
    fn the_popular_amount_is_chosen_or_one_in_the_middle() {
        let options: Vec<Minor> = [100, 200, 300, 400].map(Minor::new).into();
        for (popular, expected) in [(Some(400), 400), (Some(500), 200), (None, 200)] {
            assert_eq!(first_choice(&options, popular), Some(Minor::new(expected)), "{popular:?}");
        }
        assert_eq!(first_choice(&[], Some(100)), None);
    }
}
