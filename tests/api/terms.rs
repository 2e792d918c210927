//! Terms of an offer: wherever offers are read, one that limits a sale and cannot be read is never taken for one that is absent.

use serde_json::{Value, json};
use world::shop::{ISSUE, member, merchant, offer, with};
use world::{Caller, System, error_code};

const OFFERS: &str = "/api/bff/offers";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Sold,
    /// It can be read, and the sale has not begun or is over.
    NotNow,
    /// The field that `saleProblem` and the refusal name.
    Unreadable(&'static str),
}
use Rule::{NotNow, Sold, Unreadable};

/// Fields of an offer in SEK which a card of 100 is sold from.
fn cases() -> Vec<(Value, Rule)> {
    let mut cases = vec![(json!({}), Sold)];
    let mut spelled = |field: &str, beside: &Value, spellings: Vec<Value>, rule: Rule| {
        cases.extend(spellings.into_iter().map(|spelling| (with(beside.clone(), &json!({field: spelling})), rule)));
    };
    let blank = || vec![Value::Null, json!(""), json!(" ")];
    let no_amount = || [json!("25,00"), json!(true), json!({}), json!("1e400")].to_vec();
    let (alone, locked) = (json!({}), json!({"priceLocked": true}));
    let (default, bounded) = (json!({"defaultPrice": 100}), json!({"minPrice": 50, "maxPrice": "500.00"}));

    spelled("faceValue", &alone, no_amount(), Unreadable("defaultPrice"));
    for (field, beside) in [("defaultPrice", &alone), ("defaultPrice", &locked)] {
        spelled(field, beside, vec![json!(100), json!("100.00"), json!(" 1e2"), json!(0)], Sold);
        spelled(field, beside, blank(), Sold);
        spelled(field, beside, no_amount(), Unreadable("defaultPrice"));
        spelled(field, beside, vec![json!(12.345), json!("-5"), json!(1e30)], Unreadable("defaultPrice"));
    }
    // A price that does not limit the sale.
    spelled("defaultPrice", &bounded, no_amount(), Sold);
    spelled("defaultPrice", &json!({"denominations": [100]}), vec![json!("25,00"), json!(12.345)], Sold);
    for (field, name) in [("minPrice", "minPrice"), ("max", "maxPrice")] {
        spelled(field, &default, blank(), Sold);
        spelled(field, &default, vec![json!("100.0"), json!(0)], Sold);
        spelled(field, &default, no_amount(), Unreadable(name));
        spelled(field, &with(default.clone(), &locked), vec![json!("25,00")], Sold);
    }
    spelled("maxPrice", &json!({"minPrice": 60}), vec![json!(50), json!(-1)], Unreadable("maxPrice"));
    let lists = [json!([100]), json!(["x", "100", null, 0.001]), json!("100, 200"), json!("100"), json!([])];
    spelled("denominations", &alone, lists.to_vec(), Sold);
    spelled("denominations", &alone, blank(), Sold);
    let no_lists = [json!(["x"]), json!([true, {}]), json!("one, two"), json!({"100": 1}), json!(false), json!([0.001, 0, -1])];
    spelled("denominations", &default, no_lists.to_vec(), Unreadable("denominations"));
    spelled("priceLocked", &default, blank(), Sold);
    spelled("priceLocked", &default, vec![json!(false), json!("false"), json!(true), json!("true")], Sold);
    spelled("priceLocked", &default, vec![json!("yes"), json!(1), json!(0), json!([])], Unreadable("priceLocked"));
    spelled("currency", &alone, vec![json!("SEK"), json!("sek"), json!(" Sek ")], Sold);
    spelled("currency", &alone, blank(), Sold);
    spelled("currency", &alone, vec![json!("ZZZ"), json!("kr"), json!("ANG"), json!(752), json!({})], Unreadable("currency"));
    for (field, sold, not_now) in [
        ("availableForPurchaseTime", ["2020-01-01", "2020-01-01T00:00:00Z", "2020-01-01 00:00"], "2999-01-01T00:00:00+02:00"),
        ("expireForPurchaseTime", ["2999-12-31", "9999-12-31T23:59:59Z", "2999-12-31T24:00:00"], "2020-12-31T24:00:00Z"),
    ] {
        spelled(field, &alone, sold.map(|time| json!(time)).to_vec(), Sold);
        spelled(field, &alone, blank(), Sold);
        spelled(field, &alone, vec![json!(not_now)], NotNow);
        let no_time = [json!("31/12/2020"), json!("01/12/2030"), json!(1_609_372_800), json!("soon"), json!(true), json!({})];
        spelled(field, &alone, no_time.to_vec(), Unreadable(field));
    }
    cases
}

/// A merchant for each case, whose first offer has the fields of the case and whose second one can be sold.
fn fixtures(cases: &[(Value, Rule)]) -> Value {
    let (mut merchants, mut users, mut accounts, mut offers) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (number, (fields, _)) in cases.iter().enumerate() {
        let (id, account) = (format!("m-{number}"), account(number));
        merchants.push(merchant(&id, &account, "SEK", &json!({"timeZone": "Europe/Stockholm"})));
        users.push(member(&format!("u-{number}"), &id, &json!({})));
        accounts.push(json!({"merchantId": account, "name": id}));
        let [first, second] = ids(number);
        offers.extend([offer(&account, first, fields), offer(&account, second, &json!({}))]);
    }
    json!({"merchants": merchants, "users": users, "cardNetwork": {"merchants": accounts, "offers": offers}})
}

fn account(number: usize) -> String {
    (700_000 + number).to_string()
}

fn ids(number: usize) -> [u64; 2] {
    let first = 800_000 + 2 * u64::try_from(number).unwrap();
    [first, first + 1]
}

fn sale(offer: Option<u64>) -> Value {
    json!({"value": 100, "giftCardOfferId": offer, "deliveryDetails": {"deliveryType": "QR"}})
}

/// The name of the offer from which a sale without one is made.
async fn sold_by_default(till: &Caller) -> Value {
    let sold = till.post(ISSUE, &sale(None)).await.ok();
    let order = till.get(&format!("/api/bff/merchant-orders/{}", sold.text("/data/orderId"))).await;
    order.at("/data/items/0/offerName").clone()
}

#[tokio::test]
async fn what_cannot_be_read_is_not_absent_wherever_an_offer_is_read() {
    let cases = cases();
    let system = System::start().await;
    system.load_fixtures(&fixtures(&cases)).await;
    for (number, (fields, rule)) in cases.iter().enumerate() {
        let caller = system.sign_in(&format!("u-{number}")).await;
        let ([first, second], is_sold) = (ids(number), *rule == Sold);
        let expected = json!(format!("Offer {}", if is_sold { first } else { second }));

        let named = caller.post(ISSUE, &sale(Some(first))).await;
        let refusal = match rule {
            Sold => Value::Null,
            NotNow => json!("OFFER_NOT_AVAILABLE"),
            Unreadable(_) => json!("OFFER_UNREADABLE"),
        };
        assert_eq!((named.status, named.at("/error/code")), (if is_sold { 200 } else { 400 }, &refusal), "{fields}: {named:?}");

        assert_eq!(sold_by_default(&caller).await, expected, "default offer {fields}");
        let default = Some(serde_json::from_value(json!(first.to_string())).unwrap());
        system.change_merchant(&format!("m-{number}"), |merchant| merchant.default_offer_id = default).await;
        assert_eq!(sold_by_default(&caller).await, expected, "configured offer {fields}");

        let id = json!(first.to_string());
        let is_listed = |items: &[Value]| items.iter().any(|item| item["id"] == id);
        let till = caller.get("/api/bff/pos/offers").await;
        assert_eq!(is_listed(till.list("/data/items")), is_sold, "list of a till {fields}: {till:?}");
        let catalog = system.anonymous().get(&format!("/api/merchants/m-{number}/catalog")).await;
        assert_eq!(is_listed(catalog.list("/data")), is_sold, "catalog {fields}: {catalog:?}");
        let page = system.anonymous().get(&format!("/shop/m-{number}")).await;
        assert_eq!((page.status, page.contains(&format!("Offer {first}"))), (200, is_sold), "page {fields}");

        let portal = caller.get(OFFERS).await;
        let problem = portal.at("/data/items/0/saleProblem");
        assert_eq!(portal.at("/data/items/0/id"), &id, "{fields}");
        match rule {
            Sold | NotNow => assert_eq!(problem, &Value::Null, "{fields}"),
            Unreadable(field) => {
                let problem = problem.as_str().unwrap_or_else(|| panic!("{fields}: {portal:?}"));
                assert!(problem.starts_with(&format!("{field}: ")), "{fields}: {problem}");
                let message = format!("giftCardOfferId: the offer cannot be sold. {problem}");
                assert_eq!(named.text("/error/message"), message);
            }
        }
        assert_eq!(portal.at("/data/items/1/saleProblem"), &Value::Null);
    }
}

#[tokio::test]
async fn an_offer_that_cannot_be_read_is_made_and_shown_with_its_problem() {
    let (system, admin) = System::signed_in("u-admin").await;
    let body = json!({"defaultPrice": "25,00", "priceLocked": true, "giftCardOfferStatus": "AVAILABLE", "currency": "ZZZ",
                      "availableForPurchaseTime": "soon", "expireForPurchaseTime": ""});
    let made = admin.post(OFFERS, &body).await.ok();
    let shown = ["defaultPrice", "currency", "availableForPurchaseTime", "expireForPurchaseTime", "priceLocked"];
    let expected = [Value::Null, json!("ZZZ"), json!("soon"), Value::Null, json!(true)];
    assert_eq!(shown.map(|field| made.at("/data")[field].clone()), expected);
    assert_eq!(made.text("/data/saleProblem"), "currency: must be an ISO 4217 currency code.");
    let sale = json!({"value": 4000, "giftCardOfferId": made.at("/data/id"), "deliveryDetails": {"deliveryType": "QR"}});
    assert_eq!(error_code(&admin.post(ISSUE, &sale).await), (400, "OFFER_UNREADABLE"));

    // Corrected field by field, it can be sold.
    let path = format!("{OFFERS}/{}", made.text("/data/id"));
    for (fields, problem) in [
        (json!({"currency": "sek"}), json!("defaultPrice: must be a decimal number.")),
        (
            json!({"defaultPrice": 4000}),
            json!("availableForPurchaseTime: must be a date or a time in ISO 8601, such as 2026-12-31 or 2026-12-31T18:00:00Z."),
        ),
        (json!({"availableForPurchaseTime": ""}), Value::Null),
    ] {
        assert_eq!(admin.put(&path, &fields).await.ok().at("/data/saleProblem"), &problem, "{fields}");
    }
    assert_eq!(admin.get(&path).await.at("/data/raw/currency"), &json!("SEK"));
    assert_eq!(admin.post(ISSUE, &sale).await.status, 200);
    assert_eq!(system.network_calls().await.iter().filter(|call| call["path"] == "/v1/cards/issue").count(), 1);
}

#[tokio::test]
async fn a_date_is_a_day_of_the_merchants_zone() {
    // 23:30 in Stockholm.
    let (system, clock) = System::at("2026-11-27T22:30:00Z").await;
    let offers = [
        offer("1001", 510, &json!({"expireForPurchaseTime": "2026-11-27"})),
        offer("1001", 511, &json!({"availableForPurchaseTime": "2026-11-28"})),
    ];
    system.load_fixtures(&json!({"cardNetwork": {"offers": offers}})).await;
    for sold in [510, 511] {
        let till = system.sign_in("u-till").await;
        for id in [510, 511] {
            let issued = till.post(ISSUE, &sale(Some(id))).await;
            assert_eq!(issued.status, if id == sold { 200 } else { 400 }, "{id}: {issued:?}");
        }
        clock.advance(60 * 60);
    }
}

#[tokio::test]
async fn a_change_is_refused_for_what_it_changes() {
    let (system, admin) = System::signed_in("u-admin").await;
    let fields = json!({"currency": "hrk", "expireForPurchaseTime": "31/12/2020", "defaultPrice": "25,00"});
    system.load_fixtures(&json!({"cardNetwork": {"offers": [offer("1001", 510, &fields)]}})).await;
    let path = format!("{OFFERS}/510");
    for (changes, field) in [
        (json!({"name": "Kept", "currency": "HRK", "expireForPurchaseTime": "31/12/2020"}), None),
        (json!({"currency": "BGN"}), Some("currency")),
        (json!({"currency": "ANG"}), Some("currency")),
        (json!({"currency": ""}), Some("currency")),
        (json!({"expireForPurchaseTime": "31/12/2021"}), Some("expireForPurchaseTime")),
        (json!({"expireForPurchaseTime": "1609372800"}), Some("expireForPurchaseTime")),
        (json!({"availableForPurchaseTime": "31/12/2020"}), Some("availableForPurchaseTime")),
        (json!({"availableForPurchaseTime": "2020-12-31", "expireForPurchaseTime": "2999-12-31T24:00Z"}), None),
        (json!({"currency": " eur"}), None),
        (json!({"currency": "HRK"}), Some("currency")),
    ] {
        let changed = admin.put(&path, &changes).await;
        match field {
            None => assert_eq!(changed.status, 200, "{changes}: {changed:?}"),
            Some(field) => {
                assert_eq!(changed.status, 400, "{changes}: {changed:?}");
                assert!(changed.text("/error/message").starts_with(&format!("{field}: ")), "{changes}: {changed:?}");
            }
        }
    }
    let offer = admin.get(&path).await;
    assert_eq!((offer.at("/data/name"), offer.at("/data/raw/currency")), (&json!("Kept"), &json!("EUR")));
}

#[tokio::test]
async fn currency_codes_are_read_in_any_case_and_kept_in_capitals() {
    let system = System::start().await;
    let shop = merchant("m-kuna", "7001", "hrk", &json!({}));
    let offers = [offer("7001", 510, &json!({"currency": "Hrk"})), offer("7001", 511, &json!({}))];
    let network = json!({"merchants": [{"merchantId": "7001", "name": "Kuna"}], "offers": offers});
    system.load_fixtures(&json!({"merchants": [shop], "cardNetwork": network})).await;
    let admin = system.join("u-kuna", "m-kuna", &json!({})).await;
    assert_eq!(admin.get("/api/bff/merchant").await.at("/data/company/currency"), &json!("HRK"));
    let listed = admin.get(OFFERS).await;
    for (place, offer) in [510, 511].into_iter().enumerate() {
        assert_eq!(listed.at(&format!("/data/items/{place}/currency")), &json!("HRK"), "{listed:?}");
        let sold = admin.post(ISSUE, &with(sale(Some(offer)), &json!({"currency": "hrk"}))).await;
        assert_eq!(sold.status, 200, "a currency of the past stays where it stands: {sold:?}");
    }
}
