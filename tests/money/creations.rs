//! Interrupts calls that create something at each crash point, and repeats them with the same `Idempotency-Key`; so also the rotation
//! and the revocation of a key.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use shared::team::model::team::SignInMethod;
use shared::values::UserId;
use upstreams::faults::{Call, FaultKind};

use crate::harness::{FunctionRequest, Harness, LEASE, Response, TestMerchant, load_fixtures};

const KEYS: &str = "/api/auth/keys";

#[derive(Debug, Clone, Copy)]
enum Creates {
    Till,
    /// Of a program.
    Key,
    /// At the card network.
    Store,
}

/// What becomes of the call that creates something at the card network.
#[derive(Debug, Clone, Copy)]
enum NetworkFault {
    None,
    RequestLost,
    ReplyLost,
    Refused,
}

impl NetworkFault {
    fn faults(self) -> impl FnMut(Call<'_>) -> Option<FaultKind> + Send + 'static {
        move |call| match self {
            _ if !call.operation.starts_with("POST /v1/merchants/") => None,
            Self::None => None,
            Self::RequestLost => Some(FaultKind::Drop),
            Self::ReplyLost => Some(FaultKind::After),
            Self::Refused => Some(FaultKind::Status(StatusCode::UNPROCESSABLE_ENTITY)),
        }
    }
}

/// A merchant with an administrator who creates one thing.
struct Shop<'a> {
    harness: &'a Harness,
    creates: Creates,
    token: String,
}

impl<'a> Shop<'a> {
    async fn new(harness: &'a Harness, creates: Creates) -> Self {
        let merchant: TestMerchant = harness.merchant().await;
        let id = format!("admin-{}", merchant.id);
        let email = format!("{id}@shop.example");
        let user = json!({"id": id, "email": email, "merchantId": merchant.id, "merchantTeamRole": "ADMIN"});
        load_fixtures(&harness.app, &json!({"users": [user]}), None).await;
        let user = harness.app.store.user(&UserId::new(&id)).await.unwrap().unwrap();
        let opened = harness
            .app
            .store
            .open_session(&user, harness.app.random.bytes(), SignInMethod::Passkey, harness.app.clock.now())
            .await;
        Self { harness, creates, token: opened.unwrap().expose().to_owned() }
    }

    fn send(
        &self,
        name: &str,
        method: Method,
        path: &str,
        body: &Value,
    ) -> impl Future<Output = Response> + Send + 'static + use<> {
        self.send_with(&self.token, name, method, path, body)
    }

    fn send_with(
        &self,
        token: &str,
        name: &str,
        method: Method,
        path: &str,
        body: &Value,
    ) -> impl Future<Output = Response> + Send + 'static + use<> {
        let app = self.harness.instance(name);
        let function = match self.creates {
            Creates::Till | Creates::Key => accounts::routes().into_router(app),
            Creates::Store => merchant::routes().into_router(app),
        };
        let key = (method == Method::POST).then_some("key");
        FunctionRequest { method, path, token, key, body }.send(function, name)
    }

    fn create(&self) -> impl Future<Output = Response> + Send + 'static + use<> {
        let (path, body) = match self.creates {
            Creates::Till => ("/api/auth/tills", json!({"name": "Counter", "retailStoreId": "1"})),
            Creates::Key => (KEYS, json!({"name": "Accounting", "permissions": ["portal.orders"], "readOnly": true})),
            Creates::Store => ("/api/bff/retail-store", json!({"name": "North"})),
        };
        self.send("creating", Method::POST, path, &body)
    }

    async fn count(&self) -> usize {
        let (path, list) = match self.creates {
            Creates::Till => ("/api/auth/tills", "/data"),
            Creates::Key => (KEYS, "/data"),
            Creates::Store => ("/api/bff/merchant-stores", "/data/retailStores"),
        };
        let listed = self.send("listing", Method::GET, path, &Value::Null).await;
        listed.body.pointer(list).unwrap().as_array().unwrap().len()
    }

    /// Repeats the request until its answer is final. One was created at most, and if the answer says so.
    async fn check_repeats(&self, context: &str) {
        let created = self.count().await;
        assert!(created <= 1, "{context}: {created} were created");
        self.harness.clock.advance_milliseconds(LEASE);
        let first = self.create().await;
        let is_unknown = first.status == 409 && first.body["code"] == "OUTCOME_UNKNOWN";
        let may_be_unknown = matches!(self.creates, Creates::Store);
        assert!(first.status < 300 || is_unknown && may_be_unknown, "{context}: {first:?}");
        let expected = if is_unknown { created } else { 1 };
        assert_eq!(self.count().await, expected, "{context}: {first:?}");
        let second = self.create().await;
        assert_eq!(second.status, first.status, "{context}: {second:?}");
        assert_eq!(second.headers.contains_key("idempotent-replayed"), !is_unknown, "{context}: {second:?}");
        assert_eq!(self.count().await, expected, "{context}: {second:?}");
    }
}

/// Interrupts the call at each of its points. Returns their number.
async fn test_crashes(creates: Creates, fault: NetworkFault) -> usize {
    let harness = Harness::new().await;
    for point in 0.. {
        let shop = Shop::new(&harness, creates).await;
        let end = harness.run_until_crash(point, fault.faults(), shop.create()).await;
        shop.check_repeats(&format!("{creates:?}, {fault:?}, {end:?}")).await;
        if end.is_ok() {
            return point;
        }
    }
    unreachable!()
}

#[tokio::test]
async fn what_was_interrupted_is_created_once() {
    let mut count = test_crashes(Creates::Till, NetworkFault::None).await;
    count += test_crashes(Creates::Key, NetworkFault::None).await;
    for fault in [NetworkFault::None, NetworkFault::RequestLost, NetworkFault::ReplyLost, NetworkFault::Refused] {
        count += test_crashes(Creates::Store, fault).await;
    }
    println!("{count} crashes");
}

impl Shop<'_> {
    /// A new key: its id and text.
    async fn key(&self) -> (String, String) {
        let made = self.create().await;
        let text = |pointer| made.body.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        (text("/data/id"), text("/data/key"))
    }

    /// A rotation under no key of its own. Returns the new text.
    async fn rotate_anew(&self, path: &str) -> String {
        let function = accounts::routes().into_router(self.harness.instance("rotating"));
        let body = json!({"overlapHours": 1});
        let request = FunctionRequest { method: Method::POST, path, token: &self.token, key: None, body: &body };
        request.send(function, "rotating").await.body["data"]["key"].as_str().unwrap().to_owned()
    }

    async fn works(&self, text: &str) -> bool {
        let used = self.send_with(text, "program", Method::GET, "/api/auth/session", &Value::Null).await;
        assert!([200, 401].contains(&used.status), "{used:?}");
        used.status == 200
    }

    /// How often this is in the merchant's activity.
    async fn count_deeds(&self, action: &str) -> usize {
        let router = merchant::routes().into_router(self.harness.instance("activity"));
        let (method, path) = (Method::GET, "/api/bff/merchant/activity");
        let request = FunctionRequest { method, path, token: &self.token, key: None, body: &Value::Null };
        let activity = request.send(router, "activity").await;
        let events = activity.body.pointer("/data/events").unwrap().as_array().unwrap().clone();
        events.iter().filter(|event| event["action"] == action).count()
    }
}

/// The secret of before goes on in any case, until the caller has a new one.
#[tokio::test]
async fn a_rotation_that_was_interrupted_happens_once_and_loses_no_program() {
    let harness = Harness::new().await;
    for point in 0.. {
        let shop = Shop::new(&harness, Creates::Key).await;
        let (id, first) = shop.key().await;
        assert!(shop.works(&first).await);
        let path = format!("{KEYS}/{id}/rotation");
        let rotate = || shop.send("rotating", Method::POST, &path, &json!({"overlapHours": 1}));
        let end = harness.run_until_crash(point, |_| None, rotate()).await;
        assert!(shop.works(&first).await, "{end:?}");
        assert!(shop.count_deeds("KEY_ROTATED").await <= 1, "{end:?}");

        harness.clock.advance_milliseconds(LEASE);
        let repeated = rotate().await;
        assert_eq!((repeated.status, shop.count_deeds("KEY_ROTATED").await), (200, 1), "{end:?}: {repeated:?}");
        assert!(shop.works(&first).await, "{end:?}");
        // Whoever was not told the secret rotates once more, and the first one goes on.
        let second = match repeated.body["data"]["key"].as_str() {
            Some(text) => text.to_owned(),
            None => {
                assert!(repeated.is_replay(), "{end:?}: {repeated:?}");
                shop.rotate_anew(&path).await
            }
        };
        assert!(shop.works(&first).await && shop.works(&second).await, "{end:?}");
        if end.is_ok() {
            println!("{point} crashes");
            return;
        }
    }
}

#[tokio::test]
async fn a_revocation_that_was_interrupted_is_one_when_it_is_repeated() {
    let harness = Harness::new().await;
    for point in 0.. {
        let shop = Shop::new(&harness, Creates::Key).await;
        let (id, text) = shop.key().await;
        let path = format!("{KEYS}/{id}");
        let revoke = || shop.send("revoking", Method::DELETE, &path, &Value::Null);
        let end = harness.run_until_crash(point, |_| None, revoke()).await;
        // What is written and what is told of it go together.
        assert_eq!(shop.works(&text).await, shop.count_deeds("KEY_REVOKED").await == 0, "{end:?}");
        for _ in 0..2 {
            let repeated = revoke().await;
            assert_eq!((repeated.status, shop.works(&text).await), (200, false), "{end:?}: {repeated:?}");
            assert_eq!(shop.count_deeds("KEY_REVOKED").await, 1, "{end:?}");
        }
        if end.is_ok() {
            println!("{point} crashes");
            return;
        }
    }
}
