//! Calls that create something, repeated with the same `Idempotency-Key`.

use futures_util::TryStreamExt;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use shared::base::clock::Clock;
use world::{ApiResponse, Caller, ManualClock, System, error_code};

const DAY: i64 = 24 * 60 * 60;

struct Call {
    path: &'static str,
    /// Two of what it can create, so that each can be created beside the other.
    bodies: [Value; 2],
    /// Part of a body that is refused.
    invalid: Value,
    /// Where things of this kind are listed, and the list in the response.
    listed: (&'static str, &'static str),
    /// The entry in the activity that stands for one, if there is no list of them.
    action: Option<&'static str>,
    /// What the first response shows, and no other one.
    secret: Option<&'static str>,
}

const ACTIVITY: (&str, &str) = ("/api/bff/merchant/activity?limit=200", "/data/events");

fn calls() -> [Call; 6] {
    let offer = |name: &str| json!({"name": name, "giftCardOfferType": "GIFTCARD_DIGITAL", "minPrice": 50.0, "maxPrice": 500});
    let invite = |name: &str| json!({"email": format!("{name}@example.com"), "firstName": "Ida", "lastName": "Holm", "merchantTeamRole": "VIEWER"});
    let endpoint = |path: &str| json!({"url": format!("https://hooks.example.com/{path}"), "events": ["gift_card.issued"]});
    let (offers, invites, endpoints) = (["One", "Two"].map(offer), ["one", "two"].map(invite), ["one", "two"].map(endpoint));
    let stores = ["one", "two"].map(|id| json!({"name": "North", "externalId": id, "cashRegisters": 1}));
    let tills = ["One", "Two"].map(|name| json!({"name": name, "retailStoreId": 101}));
    let exports = ["2026-02-01", "2026-02-02"].map(|to| json!({"kind": "orders", "from": "2026-02-01", "to": to}));
    let plain = |path, bodies, invalid, listed| Call { path, bodies, invalid, listed, action: None, secret: None };
    let active =
        |path, bodies, invalid, action, secret| Call { action: Some(action), secret, ..plain(path, bodies, invalid, ACTIVITY) };
    [
        plain("/api/bff/offers", offers, json!({"name": "n".repeat(100_000)}), ("/api/bff/offers", "/data/items")),
        plain("/api/bff/retail-store", stores, json!({"externalId": []}), ("/api/bff/merchant-stores", "/data/retailStores")),
        active("/api/auth/tills", tills, json!({"retailStoreId": ""}), "TILL_CREATED", Some("/data/pairingCode")),
        active("/api/auth/invites", invites, json!({"email": "?"}), "MEMBER_INVITED", None),
        active(
            "/api/bff/webhooks",
            endpoints,
            json!({"url": "http://hooks.example.com"}),
            "WEBHOOK_SECRET_CREATED",
            Some("/data/secret"),
        ),
        active("/api/bff/exports", exports, json!({"to": "2026-01-01"}), "EXPORT_REQUESTED", None),
    ]
}

impl Call {
    fn is_at_network(&self) -> bool {
        self.action.is_none()
    }

    async fn count(&self, caller: &Caller) -> usize {
        let response = caller.get(self.listed.0).await.ok();
        let listed = response.list(self.listed.1).iter();
        listed.filter(|one| self.action.is_none_or(|action| one["action"] == action)).count()
    }

    fn refused(&self) -> Value {
        world::shop::with(self.bodies[0].clone(), &self.invalid)
    }

    async fn send(&self, caller: &Caller, key: &str, body: usize) -> ApiResponse {
        caller.post_with_key(self.path, key, &self.bodies[body]).await
    }

    /// Sends a request that creates one more. An export ends before the next one.
    async fn creates(&self, system: &System, caller: &Caller, key: &str, body: usize, what: &str) -> ApiResponse {
        let before = self.count(caller).await;
        let created = self.send(caller, key, body).await.ok();
        assert!(!is_replayed(&created), "{}, {what}: {created:?}", self.path);
        assert!(self.secret.is_none_or(|secret| created.at(secret).is_string()), "{}, {what}", self.path);
        system.drain().await;
        assert_eq!(self.count(caller).await, before + 1, "{}, {what}", self.path);
        created
    }

    /// Sends a request that creates nothing, and returns what the first one returned.
    async fn replays(&self, caller: &Caller, key: &str, first: &ApiResponse, what: &str) {
        let before = self.count(caller).await;
        self.is_replay(&self.send(caller, key, 0).await, first, what);
        assert_eq!(self.count(caller).await, before, "{}, {what}", self.path);
    }

    fn is_replay(&self, repeat: &ApiResponse, first: &ApiResponse, what: &str) {
        let mut expected = first.body.clone();
        if let Some(secret) = self.secret {
            *expected.pointer_mut(secret).unwrap() = Value::Null;
        }
        assert_eq!((repeat.status, &repeat.body), (first.status, &expected), "{}, {what}", self.path);
        assert!(is_replayed(repeat), "{}, {what}", self.path);
    }
}

fn is_replayed(response: &ApiResponse) -> bool {
    response.header("idempotent-replayed") == Some("true")
}

/// The embedded services delete what has expired by the real time.
async fn system() -> (System, ManualClock) {
    let clock = ManualClock::new(Clock::system().now());
    (System::with_clock(clock.clock()).await, clock)
}

#[tokio::test]
async fn a_key_creates_once_for_a_caller_a_merchant_and_a_call() {
    let (system, clock) = system().await;
    let (admin, other, rival) =
        (system.sign_in("u-admin").await, system.sign_in("u-unset").await, system.sign_in("u-rival").await);
    for call in calls() {
        let first = call.creates(&system, &admin, "key", 0, "first").await;
        call.replays(&admin, "key", &first, "repeat").await;
        assert_eq!(error_code(&call.send(&admin, "key", 1).await), (422, "IDEMPOTENCY_KEY_REUSED"), "{}", call.path);
        let spelled = call.bodies[0].to_string().replace("\":", "\" :\n ").replace("50.0", "5e1");
        let spelled = admin.request(Method::POST, call.path).header("idempotency-key", "key").body(spelled);
        call.is_replay(&Caller::send_request(spelled.header("content-type", "application/json")).await, &first, "spelling");

        call.creates(&system, &other, "key", 1, "other caller").await;
        call.creates(&system, &rival, "key", 0, "other merchant").await;
        call.replays(&admin, "key", &first, "after others").await;
        if let Some(secret) = call.secret {
            let rows: Vec<_> = system.store().scan(vec!["CREATION#".to_owned()]).try_concat().await.unwrap();
            assert!(!format!("{rows:?}").contains(&first.text(secret)), "{}", call.path);
        }
    }

    // The sessions end before the keys do.
    clock.advance(DAY - 1);
    let admin = system.sign_in("u-admin").await;
    for call in calls() {
        let repeat = call.send(&admin, "key", 0).await;
        assert!(is_replayed(&repeat), "{}: {repeat:?}", call.path);
    }
    clock.advance(2);
    for call in calls().into_iter().filter(|call| call.path != "/api/auth/invites") {
        let expired = call.send(&admin, "key", 1).await;
        assert!(!is_replayed(&expired) && expired.status != 422, "{}: {expired:?}", call.path);
    }
}

#[tokio::test]
async fn refusals_are_not_kept_and_without_a_key_nothing_is_remembered() {
    let (system, _) = system().await;
    let admin = system.sign_in("u-admin").await;
    for call in calls() {
        let before = call.count(&admin).await;
        assert_eq!(admin.post_with_key(call.path, "key", &call.refused()).await.status, 400, "{}", call.path);
        for keys in [&["key", "key"][..], &["a,b"], &[""], &["a b"]] {
            let request = admin.request_with_json(Method::POST, call.path, &call.bodies[0]);
            let request = keys.iter().fold(request, |request, key| request.header("idempotency-key", *key));
            assert_eq!(Caller::send_request(request).await.status, 400, "{} {keys:?}", call.path);
        }
        assert_eq!(call.count(&admin).await, before, "{}", call.path);
        let first = call.creates(&system, &admin, "key", 0, "after a refusal").await;
        call.replays(&admin, "key", &first, "after a refusal").await;
        let second = admin.post(call.path, &call.bodies[1]).await.ok();
        system.drain().await;
        let third = admin.post(call.path, &call.bodies[1]).await;
        assert!(!is_replayed(&second) && !is_replayed(&third), "{}", call.path);
        assert!(third.status >= 400 || third.body != second.body, "{}: {third:?}", call.path);
    }
}

#[tokio::test]
async fn of_twenty_at_once_one_creates_and_the_others_return_its_response() {
    let (system, _) = system().await;
    let admin = system.sign_in("u-admin").await;
    for call in calls() {
        let before = call.count(&admin).await;
        let responses = join_all((0..20).map(|_| call.send(&admin, "key", 0))).await;
        let (repeats, firsts): (Vec<_>, Vec<_>) =
            responses.iter().partition(|response| is_replayed(response) || response.status >= 400);
        assert_eq!(firsts.len(), 1, "{}: {responses:?}", call.path);
        for repeat in repeats {
            // One that has waited for five seconds is told so.
            if error_code(repeat) != (409, "IN_PROGRESS") {
                call.is_replay(repeat, firsts[0], "at once");
            }
        }
        assert_eq!(call.count(&admin).await, before + 1, "{}", call.path);
        call.replays(&admin, "key", firsts[0], "later").await;
    }
}

#[tokio::test]
async fn a_repeat_needs_the_permission_still_and_not_what_the_first_one_has_used_up() {
    let (system, _) = system().await;
    let (admin, other) = (system.sign_in("u-admin").await, system.sign_in("u-unset").await);
    let endpoints = |number: usize| json!({"url": format!("https://hooks.example.com/{number}"), "events": ["gift_card.issued"]});
    let last = admin.post_with_key("/api/bff/webhooks", "last", &endpoints(0)).await.ok();
    for number in 1..5 {
        admin.post("/api/bff/webhooks", &endpoints(number)).await.ok();
    }
    assert_eq!(error_code(&admin.post("/api/bff/webhooks", &endpoints(5)).await), (409, "WEBHOOK_LIMIT"));
    let repeat = admin.post_with_key("/api/bff/webhooks", "last", &endpoints(0)).await;
    assert_eq!((repeat.status, repeat.at("/data/id")), (201, last.at("/data/id")));

    let till = json!({"name": "Counter", "retailStoreId": 101});
    other.post_with_key("/api/auth/tills", "key", &till).await.ok();
    let change = json!({"targetUserId": "u-unset", "merchantTeamRole": "FULL"});
    admin.patch("/api/bff/merchant/users", &change).await.ok();
    assert_eq!(other.post_with_key("/api/auth/tills", "key", &till).await.status, 403);
}

/// Of a fault of the network: what the first response is, whether something was created, and what a repeat is answered.
#[tokio::test]
async fn as_long_as_the_outcome_at_the_network_is_unknown_a_repeat_creates_nothing() {
    for (kind, value, is_created, frees) in [
        ("after", Value::Null, true, false),
        ("drop", Value::Null, false, false),
        ("body", json!("not json"), false, false),
        ("status", json!(500), false, false),
        ("status", json!(401), false, false),
        ("status", json!(429), false, false),
        ("status", json!(408), false, false),
        ("status", json!(422), false, true),
        ("status", json!(404), false, true),
    ] {
        let (system, _) = system().await;
        let admin = system.sign_in("u-admin").await;
        for call in calls().into_iter().filter(Call::is_at_network) {
            let what = format!("{} {kind} {value}", call.path);
            let before = call.count(&admin).await;
            system.set_network_fault("POST *", kind, value.clone()).await;
            let failed = call.send(&admin, "key", 0).await;
            assert!(failed.status >= 400 && !is_replayed(&failed), "{what}: {failed:?}");
            assert_ne!(error_code(&failed).1, "OUTCOME_UNKNOWN", "{what}: the network's own answer");
            system.set_faults(json!([])).await;
            if frees {
                call.creates(&system, &admin, "key", 0, &what).await;
                continue;
            }
            assert_eq!(call.count(&admin).await, before + usize::from(is_created), "{what}");
            for _ in 0..2 {
                assert_eq!(error_code(&call.send(&admin, "key", 0).await), (409, "OUTCOME_UNKNOWN"), "{what}");
                assert_eq!(error_code(&call.send(&admin, "key", 1).await), (422, "IDEMPOTENCY_KEY_REUSED"), "{what}");
            }
            assert_eq!(call.count(&admin).await, before + usize::from(is_created), "{what}");
            call.creates(&system, &admin, "another", 1, &what).await;
        }
    }
}
