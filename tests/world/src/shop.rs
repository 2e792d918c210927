//! Merchants, what they have, and what their tills do: as fixtures and as requests.

use serde::Serialize;
use serde_json::{Value, json};

use crate::{ApiResponse, Caller, System};

pub const ISSUE: &str = "/api/bff/pos/issue";
pub const REDEEM: &str = "/api/bff/pos/redeem";

/// Returns the base fixtures: five merchants, users with every role, offers and cards.
pub fn base() -> Value {
    serde_json::from_str(include_str!("base.json")).unwrap()
}

/// Returns a JSON object with `fields` added or replaced.
pub fn with(mut object: Value, fields: &Value) -> Value {
    let fields = fields.as_object().unwrap_or_else(|| panic!("{fields} is not an object"));
    object.as_object_mut().unwrap().extend(fields.clone());
    object
}

/// Returns a platform administrator.
pub fn platform_administrator(id: &str) -> Value {
    json!({"id": id, "email": format!("{id}@portal.example"), "isAdmin": true, "emailVerified": true})
}

/// Returns an active merchant with an account at the card network, which is settled on redemption.
pub fn merchant(id: &str, account: &str, currency: &str, fields: &Value) -> Value {
    let merchant = json!({
        "id": id, "slug": id, "name": id, "status": "ACTIVE", "currency": currency, "networkMerchantId": account,
        "settlementMode": "SETTLEMENT_ON_REDEMPTION",
    });
    with(merchant, fields)
}

/// Returns a member of a merchant's team, who is an administrator by default.
pub fn member(id: &str, merchant: &str, fields: &Value) -> Value {
    let address = format!("{id}@{merchant}.example");
    with(json!({"id": id, "email": address, "merchantId": merchant, "merchantTeamRole": "ADMIN"}), fields)
}

/// Returns an offer of the card network.
pub fn offer(account: &str, id: u64, fields: &Value) -> Value {
    let offer = json!({
        "merchantId": account, "giftCardOfferId": id, "name": format!("Offer {id}"), "giftCardOfferType": "GIFTCARD_DIGITAL",
        "giftCardOfferStatus": "AVAILABLE",
    });
    with(offer, fields)
}

/// Returns an active card of the card network.
pub fn card(account: &str, code: &str, value: u32, currency: &str) -> Value {
    json!({
        "merchantId": account, "qrCode": code, "networkCode": format!("N-{code}"), "status": "ACTIVE", "value": value,
        "valueRemains": value, "currency": currency,
    })
}

/// Returns an order of m-aurora by default.
pub fn order(id: &str, created_at: &str, fields: &Value) -> Value {
    with(json!({"id": id, "merchantId": "m-aurora", "createdAt": created_at}), fields)
}

/// Returns a redemption at a till, of m-aurora by default.
pub fn redemption(id: &str, occurred_at: &str, minor: i64, fields: &Value) -> Value {
    let redemption = json!({
        "id": id, "merchantId": "m-aurora", "occurredAt": occurred_at, "status": "SUCCEEDED", "source": "POS", "amountMinor": minor,
    });
    with(redemption, fields)
}

/// Returns a settlement without a fee of the redemption `r-{id}`, of m-aurora by default.
pub fn settlement(id: &str, eligible_at: &str, net: i64, fields: &Value) -> Value {
    let settlement = json!({
        "id": id, "merchantId": "m-aurora", "redemptionId": format!("r-{id}"), "eligibleAt": eligible_at, "currency": "SEK",
        "grossAmountMinor": net, "feeAmountMinor": 0, "netAmountMinor": net,
    });
    with(settlement, fields)
}

/// The request for a sale at a till.
pub fn sale(value: impl Serialize) -> Value {
    json!({"value": value, "deliveryDetails": {"deliveryType": "QR"}})
}

/// The request for a redemption at a till.
pub fn payment(code: impl Serialize, amount: impl Serialize) -> Value {
    json!({"qrCode": code, "redeemAmount": amount, "purchaseAmount": amount})
}

impl Caller {
    /// Sells a card.
    pub async fn sell(&self, value: impl Serialize) -> ApiResponse {
        self.post(ISSUE, &sale(value)).await.ok()
    }

    /// Redeems an amount of a card.
    pub async fn redeem(&self, code: impl Serialize, amount: impl Serialize) -> ApiResponse {
        self.post(REDEEM, &payment(code, amount)).await.ok()
    }

    /// Returns what is left on a card, as the card network says.
    pub async fn remaining(&self, code: &str) -> Value {
        self.get(&format!("/api/bff/pos/card/{code}")).await.ok().at("/data/valueRemains").clone()
    }
}

impl System {
    /// Adds a member to a merchant's team, who is an administrator by default, and signs them in.
    pub async fn join(&self, id: &str, merchant: &str, fields: &Value) -> Caller {
        self.load_fixtures(&json!({"users": [member(id, merchant, fields)]})).await;
        self.sign_in(id).await
    }

    /// A till of m-aurora, paired with a store.
    pub async fn paired_till(&self) -> Caller {
        let admin = self.sign_in("u-admin").await;
        let till = json!({"name": "Counter", "retailStoreId": "101", "retailStoreName": "Main street"});
        let code = admin.post("/api/auth/tills", &till).await.text("/data/pairingCode");
        let paired = self.anonymous().post("/api/auth/tills/pairing", &json!({"code": code})).await;
        self.with_token(&paired.text("/data/token"))
    }
}
