//! The calls of each route, by class.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use http::Method;
use jiff::SignedDuration;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use shared::clock::{Clock, later};

use crate::system::{Answer, System};

const CHECK: &str = "/api/public/merchant/onboarding-check";
const CODE: &str = "/api/auth/code";
const SESSION: &str = "/api/auth/session";
const PAIRING: &str = "/api/auth/tills/pairing";
const TILLS: &str = "/api/auth/tills";

/// Addresses of each class. Their limits are counted by address.
const ADDRESSES: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// Whether somebody has applied. The response says it; the time says no more.
    OnboardingCheck,
    /// A request for a code.
    SignInCode,
    /// A wrong code.
    SignIn,
    Pairing,
    Session,
    TillSession,
}

impl Route {
    pub(super) const ALL: [Self; 6] =
        [Self::OnboardingCheck, Self::SignInCode, Self::SignIn, Self::Pairing, Self::Session, Self::TillSession];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::OnboardingCheck => "onboarding-check",
            Self::SignInCode => "request for a code",
            Self::SignIn => "sign-in",
            Self::Pairing => "pairing",
            Self::Session => "session look-up",
            Self::TillSession => "session look-up of a till",
        }
    }

    /// All that are measured. Those without a pair may differ.
    pub(super) fn classes(self) -> &'static [&'static str] {
        match self {
            Self::OnboardingCheck => &["active", "draft", "no merchant", "administrator", "invited", "unknown"],
            Self::SignInCode => &["known", "administrator", "unknown"],
            Self::SignIn => &["known address", "administrator", "unknown address", "unknown challenge"],
            Self::Pairing => &["unknown", "expired", "replaced", "revoked"],
            Self::Session => &["unknown", "signed out", "expired", "ended with all", "unknown user", "malformed"],
            Self::TillSession => &["wrong secret", "revoked", "expired", "unknown till"],
        }
    }

    /// Those that must not be told apart.
    pub(super) fn pairs(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::OnboardingCheck => &[
                // Whose answer shows a status is told by it.
                ("active", "draft"),
                ("no merchant", "unknown"),
                ("no merchant", "administrator"),
                ("invited", "unknown"),
            ],
            Self::SignInCode => &[("known", "unknown"), ("administrator", "unknown"), ("known", "administrator")],
            // Whoever has a challenge knows that it exists.
            Self::SignIn => &[("known address", "unknown address"), ("known address", "administrator")],
            Self::Pairing => &[("unknown", "expired"), ("unknown", "replaced"), ("unknown", "revoked")],
            Self::Session => &[
                ("unknown", "signed out"),
                ("unknown", "expired"),
                ("unknown", "ended with all"),
                ("unknown", "unknown user"),
                ("unknown", "malformed"),
            ],
            Self::TillSession => &[("wrong secret", "revoked"), ("wrong secret", "expired"), ("wrong secret", "unknown till")],
        }
    }

    /// Classes whose responses are the same.
    pub(super) fn shape(self, class: &'static str) -> &'static str {
        match (self, class) {
            (Self::OnboardingCheck, "active" | "draft") => class,
            (Self::OnboardingCheck, "no merchant" | "administrator") => "without a merchant",
            _ => "any",
        }
    }

    /// Without the id of a challenge, which is new in each response.
    pub(super) fn without_ids(self, mut answer: Answer) -> Answer {
        if self == Self::SignInCode {
            let mut body = answer.json();
            assert!(body["data"]["challengeId"].as_str().is_some_and(|id| id.len() == 32), "{answer:?}");
            body["data"]["challengeId"] = Value::Null;
            answer.body = body.to_string().into_bytes();
        }
        answer
    }
}

/// A clock that moves so fast that no limit is met.
#[derive(Debug, Clone, Default)]
struct FastClock(Arc<AtomicI64>);

impl FastClock {
    fn clock(&self) -> Clock {
        let Self(seconds) = self.clone();
        Clock::new(move || later(Clock::system().now(), SignedDuration::from_secs(seconds.load(Ordering::SeqCst))))
    }

    fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

pub(super) struct Callers {
    pub(super) system: Arc<System>,
    clock: FastClock,
    route: Route,
    calls: usize,
    /// Tokens, codes or challenges by class, with how often they were used.
    prepared: Vec<(&'static str, Vec<String>)>,
}

impl Callers {
    pub(super) async fn start(route: Route) -> Self {
        let clock = FastClock::default();
        let system = Arc::new(System::with_clock(clock.clock(), &fixtures()).await);
        let mut callers = Self { system, clock, route, calls: 0, prepared: Vec::new() };
        match route {
            Route::Session => callers.prepare_sessions().await,
            Route::TillSession => callers.prepare_till_sessions().await,
            Route::Pairing => callers.prepare_codes().await,
            Route::OnboardingCheck | Route::SignInCode | Route::SignIn => {}
        }
        callers
    }

    pub(super) async fn call(&mut self, class: &'static str) -> Answer {
        let request = self.prepare(class).await;
        self.send(request).await
    }

    pub(super) async fn send(&self, request: RequestBuilder) -> Answer {
        self.system.send(request).await.unwrap()
    }

    fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        self.system.request(Method::POST, path).header("content-type", "application/json").body(body.to_string())
    }

    /// The next request of a class. What it needs is made before its time is taken.
    pub(super) async fn prepare(&mut self, class: &'static str) -> RequestBuilder {
        self.calls += 1;
        match self.route {
            Route::OnboardingCheck => {
                // 20 calls of a client in 10 minutes.
                self.clock.advance(40);
                self.post(CHECK, &json!({"email": self.address(class)}))
            }
            Route::SignInCode => {
                // 60 calls of a client in an hour.
                self.clock.advance(90);
                self.post(CODE, &json!({"email": self.address(class)}))
            }
            Route::SignIn => {
                let challenge = self.challenge(class).await;
                self.post(SESSION, &json!({"challengeId": challenge, "code": "2222-2222", "transport": "bearer"}))
            }
            Route::Pairing => {
                // 20 calls of a client in an hour.
                self.clock.advance(200);
                let code = self.next_prepared(class).unwrap_or_else(|| self.unknown_code());
                self.post(PAIRING, &json!({"code": code}))
            }
            Route::Session | Route::TillSession => {
                let token = self.next_prepared(class).unwrap_or_else(|| self.unknown_token(class));
                self.system.request(Method::GET, SESSION).bearer_auth(token)
            }
        }
    }

    /// An address of a class. All have the same length.
    fn address(&self, class: &str) -> String {
        address(class, self.calls % ADDRESSES)
    }

    fn next_prepared(&self, class: &str) -> Option<String> {
        let (_, values) = self.prepared.iter().find(|(prepared, _)| *prepared == class)?;
        values.get(self.calls % values.len()).cloned()
    }

    async fn challenge(&mut self, class: &'static str) -> String {
        if class == "unknown challenge" {
            return format!("{:032x}", self.calls);
        }
        self.clock.advance(90);
        let class = class.strip_suffix(" address").unwrap_or(class);
        let asked = self.send(self.post(CODE, &json!({"email": self.address(class)}))).await;
        asked.json()["data"]["challengeId"].as_str().unwrap_or_else(|| panic!("{asked:?}")).to_owned()
    }

    async fn session_of(&self, index: usize) -> String {
        self.system.sign_in(&format!("u-known-{index}")).await
    }

    /// Tokens that were good once.
    async fn prepare_sessions(&mut self) {
        let [mut signed_out, mut expired, mut ended] = [const { Vec::new() }; 3];
        for index in 0..30 {
            expired.push(self.session_of(index).await);
        }
        self.clock.advance(12 * 3600 + 1);
        for index in 30..60 {
            let token = self.session_of(index).await;
            self.end(&token, SESSION).await;
            signed_out.push(token);
        }
        for index in 60..90 {
            let token = self.session_of(index).await;
            self.end(&token, "/api/auth/sessions").await;
            ended.push(token);
        }
        self.prepared = vec![("signed out", signed_out), ("expired", expired), ("ended with all", ended)];
    }

    async fn end(&self, token: &str, path: &str) {
        let answer = self.send(self.system.request(Method::DELETE, path).bearer_auth(token)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }

    /// Makes a till, and returns its id and a code for it.
    async fn till(&self, administrator: &str) -> (String, String) {
        let body = json!({"name": "Counter", "retailStoreId": "1"});
        let made = self.send(self.post(TILLS, &body).bearer_auth(administrator)).await;
        let text = |name: &str| made.json()["data"][name].as_str().unwrap_or_else(|| panic!("{made:?}")).to_owned();
        (text("id"), text("pairingCode"))
    }

    /// A till that was paired, and its token.
    async fn paired_till(&self, administrator: &str) -> (String, String) {
        self.clock.advance(200);
        let (id, code) = self.till(administrator).await;
        let paired = self.send(self.post(PAIRING, &json!({"code": code}))).await.json();
        (id, paired["data"]["token"].as_str().unwrap_or_else(|| panic!("{paired}")).to_owned())
    }

    async fn prepare_till_sessions(&mut self) {
        const LIFETIME: i64 = 91 * 86_400;
        let [mut wrong_secret, mut revoked, mut expired] = [const { Vec::new() }; 3];
        let administrator = self.session_of(0).await;
        for _ in 0..15 {
            expired.push(self.paired_till(&administrator).await.1);
        }
        self.clock.advance(LIFETIME);
        let administrator = self.session_of(0).await;
        for _ in 0..15 {
            let (id, token) = self.paired_till(&administrator).await;
            self.end(&administrator, &format!("{TILLS}/{id}")).await;
            revoked.push(token);
            let (_, token) = self.paired_till(&administrator).await;
            let (_, ids) = token.split_once('.').unwrap();
            wrong_secret.push(format!("{}.{ids}", BASE64.encode([7; 32])));
        }
        self.prepared = vec![("wrong secret", wrong_secret), ("revoked", revoked), ("expired", expired)];
    }

    /// Codes that cannot be used any more. At most 20 wait for a merchant.
    async fn prepare_codes(&mut self) {
        let [mut expired, mut replaced, mut revoked] = [const { Vec::new() }; 3];
        let administrator = self.session_of(0).await;
        for _ in 0..10 {
            expired.push(self.till(&administrator).await.1);
        }
        self.clock.advance(601);
        for _ in 0..10 {
            let (id, code) = self.till(&administrator).await;
            let renewed = self.send(self.post(&format!("{TILLS}/{id}/pairing"), &json!({})).bearer_auth(&administrator)).await;
            assert_eq!(renewed.status, 200, "{renewed:?}");
            replaced.push(code);
        }
        self.clock.advance(601);
        for _ in 0..10 {
            let (id, code) = self.till(&administrator).await;
            self.end(&administrator, &format!("{TILLS}/{id}")).await;
            revoked.push(code);
        }
        self.prepared = vec![("expired", expired), ("replaced", replaced), ("revoked", revoked)];
    }

    fn unknown_code(&self) -> String {
        const ALPHABET: &[u8] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
        let mut number = self.calls * 7_919;
        let mut code = String::new();
        for _ in 0..10 {
            code.push(char::from(ALPHABET[number % ALPHABET.len()]));
            number /= ALPHABET.len();
        }
        code.insert(5, '-');
        code
    }

    fn unknown_token(&self, class: &str) -> String {
        let mut secret = [9; 32];
        secret[..8].copy_from_slice(&self.calls.to_be_bytes());
        let ids =
            |id: &str, merchant: &str| format!("{}.{}.{}", BASE64.encode(secret), BASE64.encode(id), BASE64.encode(merchant));
        match class {
            "unknown" => ids(&format!("u-known-{}", 30 + self.calls % 60), "m-1"),
            "unknown user" => ids(&format!("u-other-{}", 30 + self.calls % 60), "m-9"),
            "unknown till" => format!("{}.till", ids("0199c1f2-7a3b-7c4d-8e5f-0123456789ab", "m-9")),
            "malformed" => "not-a-token".to_owned(),
            other => panic!("{other}"),
        }
    }
}

/// An address of 20 characters before the `@`, so that no class is known by its length.
fn address(class: &str, index: usize) -> String {
    let name = class.replace(' ', "-");
    format!("{name:x<16}-{index:03}@shop.example")
}

fn fixtures() -> Value {
    let merchant = |id: &str, status: &str| json!({"id": id, "slug": id, "name": "Shop", "status": status, "currency": "SEK"});
    let mut users = Vec::new();
    let mut invites = Vec::new();
    for index in 0..ADDRESSES {
        // A new till is told to every administrator.
        let role = if index == 0 { "ADMIN" } else { "VIEWER" };
        let user = |class: &str, merchant: Value, is_admin: bool| {
            json!({"id": format!("u-{}-{index}", class.replace(' ', "-")), "email": address(class, index), "emailVerified": true,
                   "merchantId": merchant, "merchantTeamRole": role, "isAdmin": is_admin})
        };
        users.extend([
            user("known", json!("m-1"), false),
            user("active", json!("m-1"), false),
            user("draft", json!("m-2"), false),
            user("no merchant", Value::Null, false),
            user("administrator", Value::Null, true),
        ]);
        invites.push(json!({
            "challengeId": format!("ch-{index}"), "merchantId": "m-1", "email": address("invited", index), "firstName": "A",
            "lastName": "B", "merchantTeamRole": "VIEWER", "verifiedAt": "now-1h", "verificationExpiresAt": "now+1h",
            "expiresAt": "now+7d",
        }));
    }
    json!({"merchants": [merchant("m-1", "ACTIVE"), merchant("m-2", "DRAFT")], "users": users, "invites": invites})
}
