//! The pages of shops in the language of their visitors.

use std::collections::BTreeSet;

use serde_json::json;
use shared::values::Language;
use world::shop::card;
use world::{System, client};

const SHOP: &str = "/shop/aurora-coffee";
const CARD: &str = "/shop/aurora-coffee/card";

struct Shown {
    status: u16,
    content_language: String,
    vary: String,
    html: String,
}

async fn shown(request: reqwest::RequestBuilder, accept_language: &str) -> Shown {
    let response = request.header("accept-language", accept_language).send().await.unwrap();
    let all = |name: &str| {
        let values = response.headers().get_all(name).iter().map(|value| value.to_str().unwrap());
        values.collect::<Vec<_>>().join(", ")
    };
    let (status, content_language, vary) = (response.status().as_u16(), all("content-language"), all("vary"));
    Shown { status, content_language, vary, html: response.text().await.unwrap() }
}

async fn get(system: &System, path: &str, accept_language: &str) -> Shown {
    shown(client().get(format!("{}{path}", system.local.listening.api)), accept_language).await
}

async fn ask(system: &System, path: &str, accept_language: &str, code: &str) -> Shown {
    let request = client().post(format!("{}{path}", system.local.listening.api));
    shown(request.header("content-type", "application/x-www-form-urlencoded").body(format!("code={code}")), accept_language).await
}

#[tokio::test]
async fn a_page_is_in_the_language_that_is_chosen_or_preferred() {
    let system = System::start().await;
    let rubbish = "x-nothing;q=0.3,".repeat(640);
    let rubbish_and_french = format!("{rubbish}fr;q=0.1");
    for (query, accept_language, expected) in [
        ("", "", "en"),
        ("", "en-GB", "en"),
        ("", "de-AT,de;q=0.9,en;q=0.8", "de"),
        ("", "pl,fi;q=0.8,sv;q=0.9", "sv"),
        ("", "nn-NO", "nb"),
        ("", "no", "nb"),
        ("", "pl", "en"),
        ("", "ja;q=0", "en"),
        ("?lang=da", "de", "da"),
        ("?lang=NO", "de", "nb"),
        ("?lang=es-MX", "", "es"),
        ("?lang=", "nl", "nl"),
        ("?lang=xx", "nl", "nl"),
        ("?lang=%3Cscript%3E", "fi", "fi"),
        ("?lang=fr&lang=de", "ja", "fr"),
        ("", &rubbish, "en"),
        ("", &rubbish_and_french, "fr"),
        ("", ";;q=;,,*;q=x,\"'<>", "en"),
    ] {
        for path in [SHOP, CARD, "/shop/nobody", "/shop/nobody/card"] {
            let page = get(&system, &format!("{path}{query}"), accept_language).await;
            let case = format!("{path}{query} {accept_language:.40}");
            assert_eq!(page.status, if path.contains("nobody") { 404 } else { 200 }, "{case}");
            assert_eq!(page.content_language, expected, "{case}");
            assert!(page.html.contains(&format!("<html lang=\"{expected}\">")), "{case}");
            assert!(page.vary.contains("Accept-Language"), "{case}: {}", page.vary);
        }
    }
}

#[tokio::test]
async fn a_page_names_its_addresses_and_keeps_the_language_that_was_chosen() {
    let system = System::start().await;
    let preferred = get(&system, SHOP, "de").await.html;
    assert!(preferred.contains("<link rel=\"canonical\" href=\"https://shop.example/aurora-coffee\">"), "{preferred}");
    assert!(preferred.contains(" href=\"./aurora-coffee/card\">Guthaben einer Karte abfragen</a>"), "{preferred}");
    let chosen = get(&system, &format!("{SHOP}?lang=de"), "fr").await.html;
    assert!(chosen.contains("<link rel=\"canonical\" href=\"https://shop.example/aurora-coffee?lang=de\">"), "{chosen}");
    assert!(chosen.contains(" href=\"./aurora-coffee/card?lang=de\">"), "{chosen}");
    let card = get(&system, &format!("{CARD}?lang=de"), "fr").await.html;
    assert!(card.contains("<link rel=\"canonical\" href=\"https://shop.example/aurora-coffee/card?lang=de\">"), "{card}");
    assert!(card.contains(" href=\"../aurora-coffee?lang=de\">"), "{card}");
    for language in Language::ALL {
        let (tag, name) = (language.tag(), language.own_name());
        let link = format!("<a href=\"?lang={tag}\" lang=\"{tag}\" hreflang=\"{tag}\">{name}</a>");
        let alternate = format!("<link rel=\"alternate\" hreflang=\"{tag}\" href=\"https://shop.example/aurora-coffee");
        for (html, end) in [(&chosen, ""), (&card, "/card")] {
            assert!(html.contains(&format!("{alternate}{end}?lang={tag}\">")), "{tag} {html}");
            assert_eq!(html.contains(&link), language != Language::German, "{tag} {html}");
        }
    }
    let moved = client().get(format!("{}/shop/Aurora-Coffee?lang=sv-FI&x=y", system.local.listening.api)).send().await.unwrap();
    assert_eq!(moved.headers()["location"], "./aurora-coffee?lang=sv");
}

#[tokio::test]
async fn what_became_of_a_card_is_said_in_the_language() {
    let system = System::start().await;
    let cards = [
        ("QR-GONE", json!({"expiresAt": "2020-02-28"})),
        ("QR-EMPTY", json!({"valueRemains": 0})),
        ("QR-STOPPED", json!({"status": "SUSPENDED"})),
        ("QR-LONG", json!({"valueRemains": 1234.5, "expiresAt": "2096-05-31"})),
    ];
    let cards: Vec<_> =
        cards.into_iter().map(|(code, fields)| world::shop::with(card("1001", code, 2000, "SEK"), &fields)).collect();
    system.load_fixtures(&json!({"cardNetwork": {"cards": cards}})).await;
    system.set_network_fault("GET /v1/cards/QR-BROKEN", "status", json!(500)).await;
    let long = "x".repeat(501);
    for (code, status, text) in [
        ("QR-LONG", 200, "1.234,50\u{a0}SEK</bdi>"),
        ("QR-LONG", 200, "<dt>Gültig bis</dt><dd>31. Mai 2096</dd>"),
        ("QR-LONG", 200, "lassen Sie den Code an der Kasse von <bdi>Aurora Coffee</bdi> scannen."),
        ("QR-GONE", 200, "<dt>Abgelaufen am</dt><dd>28. Februar 2020</dd>"),
        ("QR-GONE", 200, "<p>Diese Karte kann nicht mehr verwendet werden.</p>"),
        ("QR-EMPTY", 200, "<p>Auf dieser Karte ist kein Guthaben mehr.</p>"),
        ("QR-STOPPED", 200, "zurzeit nicht verwendet werden. Bitte fragen Sie <bdi>Aurora Coffee</bdi>.</p>"),
        ("QR-NOBODY", 404, ">Dieser Shop hat keine Geschenkkarte mit diesem Code.</p>"),
        ("QR-BROKEN", 502, ">Die Karte kann zurzeit nicht abgefragt werden. Bitte versuchen Sie es noch einmal.</p>"),
        ("+", 400, ">Bitte geben Sie den Code Ihrer Karte ein.</p>"),
        (&long, 400, ">Dieser Code ist zu lang: Er kann höchstens 500\u{a0}Zeichen haben.</p>"),
    ] {
        let page = ask(&system, &format!("{CARD}?lang=de"), "fr", code).await;
        assert!(page.status == status && page.html.contains(text), "{code}: {} {}", page.status, page.html);
        assert_eq!(page.content_language, "de", "{code}");
    }
    let missing = ask(&system, "/shop/nobody/card", "sv", "QR-LONG").await;
    assert!(missing.status == 404 && missing.html.contains("Det finns ingen butik på den här adressen."), "{}", missing.html);
    system.set_network_fault("GET /v1/merchants/1001/offers", "status", json!(500)).await;
    let failed = get(&system, SHOP, "sv").await;
    assert!(failed.status == 500 && failed.html.contains("Sortimentet kunde inte hämtas. Försök igen."), "{}", failed.html);
}

/// What a page says: its texts, and the names of its parts.
fn said(html: &str) -> BTreeSet<String> {
    let is_shown = |part: &&str| !part.starts_with("style>") && !part.starts_with("script");
    let [before, after] =
        html.rsplit_once("<script>").map_or([html, ""], |(before, script)| [before, script.rsplit_once("</script>").unwrap().1]);
    let texts = [before, after].into_iter().flat_map(|html| html.split('<')).filter(is_shown);
    let texts = texts.filter_map(|part| Some(part.split_once('>')?.1));
    let labels = html.split(" aria-label=\"").skip(1).filter_map(|part| part.split('"').next());
    let said = texts.chain(labels).map(str::trim).filter(|text| text.chars().any(char::is_alphabetic));
    said.map(str::to_owned).collect()
}

#[tokio::test]
async fn no_english_is_left_on_a_page_in_another_language() {
    let system = System::start().await;
    let offers = [
        ("Alpha", json!({"denominations": [100, 200], "minPrice": 100, "maxPrice": 1000})),
        ("Beta", json!({})),
        ("Gamma", json!({"minPrice": 50})),
        ("Delta", json!({"maxPrice": 900, "denominations": [100]})),
        ("Epsilon", json!({"defaultPrice": 250})),
    ];
    let offers = offers.into_iter().enumerate().map(|(number, (name, terms))| {
        let offer =
            json!({"merchantId": "1901", "giftCardOfferId": 19_010 + number, "name": name, "giftCardOfferStatus": "AVAILABLE"});
        world::shop::with(offer, &terms)
    });
    let merchant = json!({
        "id": "m-words", "slug": "words", "status": "ACTIVE", "name": "Omega", "networkMerchantId": "1901", "currency": "SEK",
        "storefront": {"homeUrl": "https://omega.example"},
    });
    let without_home = json!({"id": "m-none", "slug": "none", "status": "ACTIVE", "name": "Omega", "currency": "SEK"});
    let network = json!({
        "merchants": [{"merchantId": "1901", "name": "Omega", "termsUrl": "https://omega.example/terms"}],
        "offers": offers.collect::<Vec<_>>(), "cards": [card("1901", "QR-OMEGA", 500, "SEK")],
    });
    system.load_fixtures(&json!({"merchants": [merchant, without_home], "cardNetwork": network})).await;
    let data = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Omega", "O", "… MEGA"];
    let data: BTreeSet<&str> = data.into_iter().chain(Language::ALL.map(Language::own_name)).collect();
    // Some languages write amounts as English does.
    let is_data = |text: &str| data.contains(text) || text.starts_with("SEK\u{a0}");
    for path in ["/shop/words", "/shop/none", "/shop/words/card", "/shop/nobody"] {
        let english = said(&get(&system, path, "en").await.html);
        assert!(english.len() > 1, "{path}: {english:?}");
        for language in Language::ALL.into_iter().filter(|language| *language != Language::English) {
            let other = said(&get(&system, path, language.tag()).await.html);
            let left: Vec<_> = other.intersection(&english).filter(|text| !is_data(text)).collect();
            assert!(left.is_empty(), "{path} {}: {left:?}", language.tag());
        }
    }
    let [english, german] =
        [ask(&system, "/shop/words/card", "en", "QR-OMEGA").await, ask(&system, "/shop/words/card", "de", "QR-OMEGA").await];
    let left: Vec<_> = said(&german.html).intersection(&said(&english.html)).filter(|text| !is_data(text)).cloned().collect();
    assert!(english.status == 200 && left.is_empty(), "{left:?}");
}
