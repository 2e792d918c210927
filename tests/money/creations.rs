//! Interrupts calls that create something at each crash point, and repeats them with the same `Idempotency-Key`.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use shared::team::model::team::SignInMethod;
use shared::values::ids::UserId;
use upstreams::faults::{Call, FaultKind};

use crate::harness::{FunctionRequest, Harness, LEASE, Response, TestMerchant, load_fixtures};

#[derive(Debug, Clone, Copy)]
enum Creates {
    Till,
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
        let app = self.harness.instance(name);
        let function = match self.creates {
            Creates::Till => accounts::routes().into_router(app),
            Creates::Store => merchant::routes().into_router(app),
        };
        let key = (method == Method::POST).then_some("key");
        FunctionRequest { method, path, token: &self.token, key, body }.send(function, name)
    }

    fn create(&self) -> impl Future<Output = Response> + Send + 'static + use<> {
        let (path, body) = match self.creates {
            Creates::Till => ("/api/auth/tills", json!({"name": "Counter", "retailStoreId": "1"})),
            Creates::Store => ("/api/bff/retail-store", json!({"name": "North"})),
        };
        self.send("creating", Method::POST, path, &body)
    }

    async fn count(&self) -> usize {
        let (path, list) = match self.creates {
            Creates::Till => ("/api/auth/tills", "/data"),
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
    for fault in [NetworkFault::None, NetworkFault::RequestLost, NetworkFault::ReplyLost, NetworkFault::Refused] {
        count += test_crashes(Creates::Store, fault).await;
    }
    println!("{count} crashes");
}
