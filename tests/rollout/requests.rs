//! The requests of the dashboard and of the tills.

use std::collections::BTreeMap;

use http::StatusCode;
use serde_json::{Value, json};
use shared::domain::ids::{MerchantId, OrderId};
use shared::store::keys;
use upstreams::faults::{Call, FaultKind};

use crate::build::Request;
use crate::{Done, MERCHANT, Rollout, Version};

/// Of each sold card, in minor units.
const CARD_VALUE: i64 = 25_050;
/// Of each redemption, in minor units.
const REDEEMED: i64 = 1_250;

impl Rollout {
    /// Changes the profile through one build and reads it through the other.
    pub(crate) async fn change_profile(&mut self) {
        let website = format!("https://aurora.example/{}", self.number());
        let version = self.next();
        let change = Request::new("merchant/update-profile").body(&json!({"brand": {"website": website}}));
        let before = self.merchant_item("MERCHANT").await;
        self.send(version, &change, 200).await;
        // The old build keeps the attribute of the new one.
        let merchant = self.merchant_item("MERCHANT").await;
        let (before, after) = (&before["profile_changed_at"], &merchant["profile_changed_at"]);
        match version {
            Version::Old => assert_eq!(after, before, "{merchant}"),
            Version::New => assert!(after["S"].is_string() && after != before, "{merchant}"),
        }
        let profile = self.send(self.other(version), &Request::new("merchant/profile"), 200).await;
        assert_eq!(profile.body["data"]["brand"]["website"], website);
    }

    pub(crate) async fn sell(&mut self, has_key: bool) {
        let version = self.next();
        let request = self.sale(version);
        let sale = self.execute(version, request, has_key).await;
        self.sales.push(sale);
    }

    pub(crate) async fn look_up_and_redeem(&mut self, has_key: bool) {
        let version = self.next();
        let card = self.sales.last().unwrap().card().to_owned();
        self.balance(version, &card).await;
        let version = self.next();
        let redemption = self.execute(version, self.redemption(), has_key).await;
        self.redemptions.push(redemption);
    }

    /// A sale with a delivery type that the build knows.
    fn sale(&mut self, version: Version) -> Request {
        let receipt = format!("rollout-{}", self.number());
        let delivery_type = if version == Version::New { "LINK" } else { "QR" };
        let body = json!({
            "value": "250.50", "deliveryDetails": {"deliveryType": delivery_type}, "paymentReference": receipt,
        });
        self.receipts.push(receipt);
        Request::new("pos/issue").body(&body)
    }

    /// A redemption of the card that was sold last.
    fn redemption(&self) -> Request {
        let card = self.sales.last().unwrap().card();
        Request::new("pos/redeem").body(&json!({"qrCode": card, "redeemAmount": 12.5, "purchaseAmount": 12.5}))
    }

    fn with_key(&mut self, request: Request) -> Request {
        let key = format!("key-{}", self.number());
        request.idempotency_key(&key)
    }

    /// Sends a sale or redemption. With a key, repeats it through the other build.
    async fn execute(&mut self, version: Version, request: Request, has_key: bool) -> Done {
        let request = if has_key { self.with_key(request) } else { request };
        let response = self.send(version, &request, 200).await;
        assert!(!response.is_replayed);
        let done = Done { request, body: response.body, by: version, has_key };
        if has_key {
            self.repeat(self.other(version), &done).await;
        }
        done
    }

    /// Expects the first response again.
    async fn repeat(&mut self, version: Version, done: &Done) {
        let response = self.send(version, &done.request, 200).await;
        assert!(response.is_replayed, "{version:?}: {done:?}");
        assert_eq!(response.body, done.body, "{version:?}");
    }

    pub(crate) async fn repeat_requests_of_earlier_phases(&mut self) {
        let done = [&self.sales[..], &self.redemptions].concat();
        for done in done.iter().filter(|done| done.has_key) {
            let version = self.next();
            self.repeat(version, done).await;
        }
    }

    /// Returns the balance of a card in minor units.
    async fn balance(&mut self, version: Version, card: &str) -> i64 {
        let request = Request::new("pos/card").path(format!("/api/bff/pos/card/{card}"));
        let response = self.send(version, &request, 200).await;
        let balance = response.body["data"]["valueRemains"].as_f64().unwrap();
        #[expect(clippy::cast_possible_truncation, reason = "the amounts are small")]
        let minor = (balance * 100.0).round() as i64;
        minor
    }

    /// Reads the team, which does not change, and the reports, which count each sale once.
    pub(crate) async fn read_reports(&mut self) {
        let version = self.next();
        let team = self.send(version, &Request::new("merchant/team"), 200).await.body;
        assert_eq!(*self.team.get_or_insert_with(|| team.clone()), team);
        let version = self.next();
        let overview = self.send(version, &Request::new("analytics/overview"), 200).await.body;
        let placed = overview["data"]["kpis"]["ordersPlaced"]["value"].as_u64().unwrap();
        let placed_before = placed - u64::try_from(self.receipts.len()).unwrap();
        assert_eq!(*self.placed_before.get_or_insert(placed_before), placed_before, "{version:?}");
        let version = self.next();
        self.send(version, &Request::new("analytics/redemptions"), 200).await;
    }

    /// The card network executes requests, but neither responds nor answers lookups. The requests with a key are repeated
    /// through the other build, which finds the outcome. The others are left to the sweep of either build.
    pub(crate) async fn lose_responses(&mut self) {
        for version in self.live() {
            for is_sale in [true, false] {
                let request = if is_sale { self.sale(version) } else { self.redemption() };
                let request = self.with_key(request);
                self.send_without_outcome(version, &request).await;
                let response = self.send(self.other(version), &request, 200).await;
                assert!(response.is_replayed);
                let done = Done { request, body: response.body, by: version, has_key: true };
                if is_sale { &mut self.sales } else { &mut self.redemptions }.push(done);
            }
            let sale = self.sale(version);
            self.send_without_outcome(version, &sale).await;
        }
    }

    /// Expects 504, the only 5xx of the rollout: the outcome is unknown.
    async fn send_without_outcome(&mut self, version: Version, request: &Request) {
        self.system.faults.decide(|call: Call<'_>| {
            if call.operation.starts_with("POST /v1/cards/") {
                return Some(FaultKind::After);
            }
            let is_lookup = call.operation.starts_with("GET /v1/operations/");
            is_lookup.then_some(FaultKind::Status(StatusCode::SERVICE_UNAVAILABLE))
        });
        let response = self.send(version, request, 504).await;
        assert!(response.body.to_string().contains(r#""outcome":"unknown""#), "{response:?}");
        self.system.faults.replace(Vec::new());
    }

    /// Sends the same sale to both builds at the same time. One of them sells.
    pub(crate) async fn sell_through_both_builds_at_once(&mut self) {
        let request = self.sale(Version::Old);
        let request = self.with_key(request);
        let [old, new] = [Version::Old, Version::New].map(|version| self.builds[&version].send(&request));
        let (old, new) = tokio::join!(old, new);
        let is_first = [&old, &new].map(|response| response.status == 200 && !response.is_replayed);
        for response in [&old, &new] {
            assert!([200, 409].contains(&response.status), "{response:?}");
        }
        let (by, body) = match is_first {
            [true, false] => (Version::Old, old.body),
            [false, true] => (Version::New, new.body),
            _ => panic!("{old:?} {new:?}"),
        };
        let sale = Done { request, body, by, has_key: true };
        for version in [Version::Old, Version::New] {
            self.repeat(version, &sale).await;
        }
        self.sales.push(sale);
    }

    /// Cancels a redemption through one build. It can then be made through neither: both honour closed keys, which is why a release
    /// that cancels may run beside this one. Code before *Idempotency keys answer for 90 days* does not.
    pub(crate) async fn cancel(&mut self) {
        let key = format!("key-{}", self.number());
        let body = json!({"kind": "REDEEM", "idempotencyKey": key});
        let version = self.next();
        let cancelled = self.send(version, &Request::new("pos/cancellation").body(&body), 200).await;
        assert_eq!(cancelled.body["data"]["status"], "CANCELLED");
        let redemption = self.redemption().idempotency_key(&key);
        for version in [version, self.other(version)] {
            let refused = self.send(version, &redemption, 409).await;
            assert_eq!(refused.body["code"], "CANCELLED", "{version:?}");
        }
    }

    /// Checks that the list contains all orders, and the detail of those from `first` on. A build returns values of the
    /// other one as text. Returns the number of orders of the new build that the old build closed.
    pub(crate) async fn check_orders(&mut self, version: Version, first: usize) -> usize {
        let listed = self.listed_orders(version).await;
        let mut closed_by_old = 0;
        for sale in &self.sales {
            assert_eq!(listed[sale.order_id()]["status"], "COMPLETED");
        }
        let sales = self.sales[first..].to_vec();
        for sale in &sales {
            let id = sale.order_id();
            let item = self.system.item(&keys::order(&MerchantId::new(MERCHANT), &OrderId::new(id))).await;
            let request = Request::new("orders/detail").path(format!("/api/bff/merchant-orders/{id}"));
            let order = self.send(version, &request, 200).await.body["data"].take();
            assert_eq!(order["giftCards"][0]["qrCode"], sale.card());
            let sent = sale.request.json_body();
            assert_eq!(order["deliveryType"], sent["deliveryDetails"]["deliveryType"]);
            let fulfilment = &item["fulfilment_status"]["S"];
            assert_eq!([&order, &listed[id]].map(|order| &order["fulfilmentStatus"]), [fulfilment; 2]);
            // The old build keeps the attribute if it closes the operation of the new one.
            let is_by_new = sale.by == Version::New;
            assert_eq!(item["channel"]["S"] == "TILL", is_by_new, "{sale:?}: {item}");
            closed_by_old += usize::from(is_by_new && fulfilment != "FULFILMENT_SENT");
        }
        closed_by_old
    }

    pub(crate) async fn check_all_orders(&mut self) {
        for version in [Version::Old, Version::New] {
            let closed_by_old = self.check_orders(version, 0).await;
            assert_ne!(closed_by_old, 0, "the old build closed no sale of the new one");
            let by_new = self.sales.iter().filter(|sale| sale.by == Version::New).count();
            println!("{version:?} shows all orders; {by_new} are of the new build, which the old one closed {closed_by_old} of");
        }
    }

    async fn listed_orders(&mut self, version: Version) -> BTreeMap<String, Value> {
        let mut listed = BTreeMap::new();
        for page in 1.. {
            let request = Request::new("orders/list").query(format!("page={page}&pageSize=50&q=rollout-"));
            let body = self.send(version, &request, 200).await.body;
            let orders = body["data"]["orders"].as_array().unwrap();
            if orders.is_empty() {
                assert_eq!(body["data"]["total"], listed.len());
                assert_eq!(self.receipts.len(), listed.len());
                break;
            }
            listed.extend(orders.iter().map(|order| (order["id"].as_str().unwrap().to_owned(), order.clone())));
        }
        listed
    }

    pub(crate) async fn check_balances(&mut self) {
        for sale in self.sales.clone() {
            let is_of_card = |redemption: &&Done| redemption.request.json_body()["qrCode"] == sale.card();
            let redeemed = i64::try_from(self.redemptions.iter().filter(is_of_card).count()).unwrap() * REDEEMED;
            for version in [Version::Old, Version::New] {
                let balance = self.balance(version, sale.card()).await;
                assert_eq!(balance, CARD_VALUE - redeemed, "{version:?}: {sale:?}");
            }
        }
    }
}

impl Done {
    /// The order of a sale.
    fn order_id(&self) -> &str {
        self.body["data"]["orderId"].as_str().unwrap()
    }

    /// The card of a sale.
    fn card(&self) -> &str {
        self.body["data"]["qrCode"].as_str().unwrap()
    }
}
