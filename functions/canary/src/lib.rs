//! Sells a gift card and redeems it, through the API as a till does. Only for a merchant that exists for tests.

use std::time::Duration;

use http::StatusCode;
use reqwest::{Client, RequestBuilder};
use serde::Deserialize;
use serde_json::{Number, Value, json};
use shared::app::App;
use shared::aws::Aws;
use shared::aws::secrets::{Secret, SecretError};
use shared::base::outbound;
use shared::base::settings::{SettingError, required};
use shared::db::StoreError;
use shared::values::{MerchantId, NetworkMerchantId};
use thiserror::Error;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longer than the timeout of a function.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The type of the cards that give back, which are not sold.
const REFUND: &str = "REFUND_DIGITAL";

#[derive(Debug, Error)]
pub enum Failure {
    #[error("the merchant {0} does not exist")]
    NoMerchant(MerchantId),
    /// Two settings name the merchant and its account, so that a wrong id alone sells no card of a real one.
    #[error("the merchant {0} has another account at the card network than the one for tests: nothing was sold")]
    NotForTests(MerchantId),
    #[error("{step}: the response is {status}")]
    Status { step: &'static str, status: StatusCode },
    #[error("{step}: there is no response: {source}")]
    NoResponse { step: &'static str, source: reqwest::Error },
    #[error("{0}: the response is unreadable")]
    Unreadable(&'static str),
    #[error("the merchant has no offer with a price")]
    NothingOnSale,
    #[error("the card is not empty after its whole value was redeemed")]
    NotEmpty,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Secret(#[from] SecretError),
}

/// The merchant that exists for tests, and its account at the card network.
#[derive(Debug, Clone)]
pub struct TestMerchant {
    pub id: MerchantId,
    pub account: NetworkMerchantId,
}

/// The token of a till of the test merchant.
#[derive(Deserialize)]
struct TillToken {
    token: String,
}

/// The scheduled function.
pub struct Canary {
    merchant: TestMerchant,
    till: Secret<TillToken>,
}

impl Canary {
    /// Reads the settings that no other function has.
    pub fn read(app: &App, lookup: impl Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        let merchant = TestMerchant {
            id: MerchantId::new(required(&lookup, "TEST_MERCHANT")?),
            account: NetworkMerchantId::new(required(&lookup, "TEST_NETWORK_ACCOUNT")?),
        };
        let secrets = Aws::new(app.settings.aws.clone()).secrets_manager();
        Ok(Self { merchant, till: Secret::new(secrets, required(&lookup, "TEST_TILL_SECRET_ID")?) })
    }

    pub async fn run(&self, app: &App) -> Result<(), Failure> {
        sell_and_redeem(app, &self.till.get().await?.token, &self.merchant).await
    }
}

/// Sells the cheapest card that the merchant offers, and redeems all of it. `token` is that of a till, or of a user who may sell.
pub async fn sell_and_redeem(app: &App, token: &str, merchant: &TestMerchant) -> Result<(), Failure> {
    require_for_tests(app, merchant).await?;
    let till = Till { app, client: outbound::client(CONNECT_TIMEOUT), token, merchant };
    let offers = till.get("offers", "/api/bff/pos/offers").await?;
    let (offer, price) = cheapest(&offers).ok_or(Failure::NothingOnSale)?;
    let sale = json!({"giftCardOfferId": offer, "value": price, "deliveryDetails": {"deliveryType": "QR"}});
    let sold = till.post("sale", "/api/bff/pos/issue", &sale).await?;
    let code = sold.pointer("/data/qrCode").and_then(Value::as_str).ok_or(Failure::Unreadable("sale"))?;
    let redemption = json!({"qrCode": code, "redeemAmount": price, "purchaseAmount": price});
    let redeemed = till.post("redemption", "/api/bff/pos/redeem", &redemption).await?;
    if redeemed.pointer("/data/valueRemains").and_then(amount) == Some(0.0) { Ok(()) } else { Err(Failure::NotEmpty) }
}

async fn require_for_tests(app: &App, test: &TestMerchant) -> Result<(), Failure> {
    let merchant = app.store.merchant(&test.id).await?.ok_or_else(|| Failure::NoMerchant(test.id.clone()))?;
    let is_for_tests = merchant.value.network_merchant_id.as_ref() == Some(&test.account);
    if is_for_tests { Ok(()) } else { Err(Failure::NotForTests(test.id.clone())) }
}

struct Till<'a> {
    app: &'a App,
    client: Client,
    token: &'a str,
    merchant: &'a TestMerchant,
}

impl Till<'_> {
    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.app.settings.portal_base_url)
    }

    async fn get(&self, step: &'static str, path: &str) -> Result<Value, Failure> {
        self.send(step, self.client.get(self.url(path))).await
    }

    /// Never repeated: what may have moved money is looked at by people.
    async fn post(&self, step: &'static str, path: &str, body: &Value) -> Result<Value, Failure> {
        let now = self.app.clock.now();
        let request = self.client.post(self.url(path)).header("content-type", "application/json");
        let request = request.header("idempotency-key", self.app.random.uuid(now).to_string());
        let request = request.header("idempotency-made-at", now.to_string());
        // Refused if the token is that of another merchant.
        let request = request.header("x-expected-merchant", self.merchant.id.as_str());
        self.send(step, request.body(body.to_string())).await
    }

    async fn send(&self, step: &'static str, request: RequestBuilder) -> Result<Value, Failure> {
        // The address of a card contains its code.
        let no_response = |error: reqwest::Error| Failure::NoResponse { step, source: error.without_url() };
        let response = request.bearer_auth(self.token).timeout(TIMEOUT).send().await.map_err(no_response)?;
        let status = response.status();
        if !status.is_success() {
            return Err(Failure::Status { step, status });
        }
        serde_json::from_slice(&response.bytes().await.map_err(no_response)?).map_err(|_| Failure::Unreadable(step))
    }
}

/// The id and the price of the cheapest offer.
fn cheapest(offers: &Value) -> Option<(&Value, &Number)> {
    let offers = offers.pointer("/data/items")?.as_array()?.iter().filter(|offer| offer["type"] != REFUND);
    let priced = offers.filter_map(|offer| Some((&offer["id"], price(offer)?)));
    priced.min_by(|(_, left), (_, right)| as_amount(left).total_cmp(&as_amount(right)))
}

/// The lowest price at which an offer can be sold.
fn price(offer: &Value) -> Option<&Number> {
    let denominations = offer["denominations"].as_array().into_iter().flatten().filter_map(Value::as_number);
    let lowest = denominations.min_by(|left, right| as_amount(left).total_cmp(&as_amount(right)));
    let default = || offer["defaultPrice"].as_number();
    let any = || if offer["priceLocked"] == true { None } else { offer["min"].as_number() };
    lowest.or_else(any).or_else(default).filter(|price| as_amount(price) > 0.0)
}

fn as_amount(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::MAX)
}

/// The network writes amounts as numbers or as text.
fn amount(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_card_is_sold_at_a_price_that_its_offer_allows() {
        let offers = |items: Value| json!({"data": {"items": items}});
        let fixed = json!({"id": "1", "type": "GIFTCARD_DIGITAL", "priceLocked": true, "defaultPrice": 20, "min": 5});
        let listed = json!({"id": "2", "type": "GIFTCARD_DIGITAL", "denominations": [50, 10.5], "min": 1});
        let any = json!({"id": "3", "type": "GIFTCARD_DIGITAL", "priceLocked": false, "min": 15, "defaultPrice": 30});
        let refund = json!({"id": "4", "type": REFUND, "min": 1});
        for (items, expected) in [
            (json!([fixed, listed, any, refund]), Some(("2", 10.5))),
            (json!([fixed, any]), Some(("3", 15.0))),
            (json!([fixed]), Some(("1", 20.0))),
            (json!([refund]), None),
            (json!([{"id": "5", "type": "GIFTCARD_DIGITAL", "min": 0}]), None),
        ] {
            let offers = offers(items);
            let found = cheapest(&offers).map(|(id, price)| (id.as_str().unwrap(), as_amount(price)));
            assert_eq!(found, expected, "{offers}");
        }
    }
}
