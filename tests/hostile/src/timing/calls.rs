//! The calls of each route, by class.

use std::collections::BTreeSet;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use shared::base::clock::Clock;
use world::shop::{card, member, merchant, with};
use world::{Authenticator, Caller, ManualClock, System};

const CODE: &str = "/api/auth/code";
const SESSION: &str = "/api/auth/session";
const PAIRING: &str = "/api/auth/tills/pairing";
const TILLS: &str = "/api/auth/tills";
const PASSKEY_CHALLENGE: &str = "/api/auth/passkeys/challenge";

/// Addresses of each class. Their limits are counted by address.
const ADDRESSES: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whether somebody has applied. The response says it; the time says no more.
    OnboardingCheck,
    SignInCode,
    /// A wrong code.
    SignIn,
    Pairing,
    Session,
    TillSession,
    /// What is refused of a passkey.
    PasskeySignIn,
    /// Codes of cards that a holder is told nothing of.
    Balance,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    pub(super) kind: Kind,
    pairs: &'static str,
}

/// With the pairs of classes that must not be told apart. Of the onboarding check, those whose answer shows a status are told by it. Of a
/// sign-in, whoever has a challenge knows that it exists.
pub(super) const ROUTES: [Route; 8] = [
    route(Kind::OnboardingCheck, "active/draft, no merchant/unknown, no merchant/administrator, invited/unknown"),
    route(Kind::SignInCode, "known/unknown, administrator/unknown, known/administrator"),
    route(Kind::SignIn, "known address/unknown address, known address/administrator"),
    route(Kind::Pairing, "unknown/expired, unknown/replaced, unknown/revoked"),
    route(Kind::Session, "unknown/signed out, unknown/expired, unknown/ended with all, unknown/unknown user, unknown/malformed"),
    route(Kind::TillSession, "wrong secret/revoked, wrong secret/expired, wrong secret/unknown till"),
    route(Kind::PasskeySignIn, "unknown user/unknown passkey, unknown user/wrong signature"),
    route(Kind::Balance, "unknown/of another shop, unknown/without a shop"),
];

const fn route(kind: Kind, pairs: &'static str) -> Route {
    Route { kind, pairs }
}

impl Route {
    pub(super) fn pairs(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.pairs.split(", ").filter_map(|pair| pair.split_once('/'))
    }

    /// How many of so many calls are made for each class. A refusal that takes at least a fixed time says little, and lasts.
    pub(super) fn calls(self, count: usize) -> usize {
        if matches!(self.kind, Kind::PasskeySignIn | Kind::Balance) { (count / 4).min(300) } else { count }
    }

    /// All classes that are measured.
    pub(super) fn classes(self) -> BTreeSet<&'static str> {
        let of_pairs = self.pairs().flat_map(|(one, other)| [one, other]);
        of_pairs.chain((self.kind == Kind::SignIn).then_some("unknown challenge")).collect()
    }

    /// What a class has in common with those whose responses are the same.
    pub(super) fn group(self, class: &'static str) -> &'static str {
        match (self.kind, class) {
            (Kind::OnboardingCheck, "active" | "draft") => class,
            (Kind::OnboardingCheck, "no merchant" | "administrator") => "without a merchant",
            _ => "any",
        }
    }
}

pub(super) struct Callers {
    pub(super) system: Arc<System>,
    anonymous: Caller,
    /// It is advanced so far before each call that no limit is met.
    clock: ManualClock,
    kind: Kind,
    calls: usize,
    /// Tokens or codes by class.
    prepared: Vec<(&'static str, Vec<String>)>,
    passkey: Option<Authenticator>,
}

impl Callers {
    pub(super) async fn start(route: Route) -> Self {
        let clock = ManualClock::new(Clock::system().now());
        let system = System::empty(clock.clock()).await;
        system.load_fixtures(&fixtures()).await;
        let anonymous = system.anonymous();
        let mut callers =
            Self { system: Arc::new(system), anonymous, clock, kind: route.kind, calls: 0, prepared: Vec::new(), passkey: None };
        callers.prepared = match route.kind {
            Kind::Session => callers.sessions().await,
            Kind::TillSession => callers.till_sessions().await,
            Kind::Pairing => callers.codes().await,
            Kind::OnboardingCheck | Kind::SignInCode | Kind::SignIn | Kind::PasskeySignIn | Kind::Balance => Vec::new(),
        };
        if route.kind == Kind::PasskeySignIn {
            let mut passkey = Authenticator::of(&callers.system).await;
            passkey.add(&callers.administrator().await, "Phone").await;
            callers.passkey = Some(passkey);
        }
        callers
    }

    /// The next request of a class. What it needs is made before its time is taken.
    pub(super) async fn prepare(&mut self, class: &'static str) -> RequestBuilder {
        self.calls += 1;
        let (path, body) = match self.kind {
            Kind::OnboardingCheck => {
                // 20 calls of a client in 10 minutes.
                self.clock.advance(40);
                ("/api/public/merchant/onboarding-check", json!({"email": self.address(class)}))
            }
            Kind::SignInCode => {
                // 60 calls of a client in an hour.
                self.clock.advance(90);
                (CODE, json!({"email": self.address(class)}))
            }
            Kind::SignIn => {
                let challenge = self.challenge(class).await;
                (SESSION, json!({"challengeId": challenge, "code": "2222-2222", "transport": "bearer"}))
            }
            Kind::Pairing => {
                // 20 calls of a client in an hour.
                self.clock.advance(200);
                (PAIRING, json!({"code": self.next_prepared(class).unwrap_or_else(|| self.unknown_code())}))
            }
            Kind::PasskeySignIn => {
                // 600 failures of a client in an hour.
                self.clock.advance(10);
                let challenge = self.anonymous.post(PASSKEY_CHALLENGE, &json!({})).await;
                let credential = self.credential(class, challenge.at("/data/options"));
                (
                    SESSION,
                    json!({"challengeId": challenge.at("/data/challengeId"), "credential": credential, "transport": "bearer"}),
                )
            }
            Kind::Balance => {
                // 20 unknown codes of a client in 10 minutes.
                self.clock.advance(40);
                let code = match class {
                    "unknown" => format!("NOBODY-{:04}", self.calls),
                    "of another shop" => "QR-OF-OTHER".to_owned(),
                    _ => "QR-UNOWNED-".to_owned(),
                };
                ("/api/merchants/m-1/balance", json!({"code": code}))
            }
            Kind::Session | Kind::TillSession => {
                let token = self.next_prepared(class).unwrap_or_else(|| self.unknown_token(class));
                return self.anonymous.request(Method::GET, SESSION).bearer_auth(token);
            }
        };
        self.anonymous.request(Method::POST, path).header("content-type", "application/json").body(body.to_string())
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
        self.anonymous.post(CODE, &json!({"email": self.address(class)})).await.text("/data/challengeId")
    }

    fn credential(&mut self, class: &str, options: &Value) -> Value {
        let passkey = self.passkey.as_mut().unwrap();
        let mut credential = passkey.sign(options);
        match class {
            "unknown user" => credential["response"]["userHandle"] = json!(BASE64.encode([7; 16])),
            "unknown passkey" => {
                let id = json!(BASE64.encode([7; 16]));
                (credential["id"], credential["rawId"]) = (id.clone(), id);
            }
            "wrong signature" => {
                let other = with(options.clone(), &json!({"challenge": BASE64.encode([7; 32])}));
                credential["response"]["signature"] = passkey.sign(&other)["response"]["signature"].take();
            }
            other => panic!("{other}"),
        }
        credential
    }

    /// A session of each of these users, which some of them end by a call.
    async fn sessions_of(&self, users: std::ops::Range<usize>, ended_by: Option<&str>) -> Vec<String> {
        let mut tokens = Vec::new();
        for user in users {
            let caller = self.system.sign_in(&format!("u-known-{user}")).await;
            if let Some(path) = ended_by {
                caller.delete(path).await.ok();
            }
            tokens.push(caller.token().to_owned());
        }
        tokens
    }

    async fn sessions(&self) -> Vec<(&'static str, Vec<String>)> {
        let expired = self.sessions_of(0..30, None).await;
        self.clock.advance(12 * 3600 + 1);
        let signed_out = self.sessions_of(30..60, Some(SESSION)).await;
        let ended = self.sessions_of(60..90, Some("/api/auth/sessions")).await;
        vec![("signed out", signed_out), ("expired", expired), ("ended with all", ended)]
    }

    async fn administrator(&self) -> Caller {
        self.system.sign_in("u-known-0").await
    }

    /// Makes a till, and returns its path and a code for it.
    async fn till(&self, administrator: &Caller) -> (String, String) {
        let made = administrator.post(TILLS, &json!({"name": "Counter", "retailStoreId": "1"})).await;
        (format!("{TILLS}/{}", made.text("/data/id")), made.text("/data/pairingCode"))
    }

    /// A till that was paired, and its token.
    async fn paired_till(&self, administrator: &Caller) -> (String, String) {
        self.clock.advance(200);
        let (path, code) = self.till(administrator).await;
        (path, self.anonymous.post(PAIRING, &json!({"code": code})).await.text("/data/token"))
    }

    async fn till_sessions(&self) -> Vec<(&'static str, Vec<String>)> {
        const LIFETIME: i64 = 91 * 86_400;
        let [mut wrong_secret, mut revoked, mut expired] = [const { Vec::new() }; 3];
        let administrator = self.administrator().await;
        for _ in 0..15 {
            expired.push(self.paired_till(&administrator).await.1);
        }
        self.clock.advance(LIFETIME);
        let administrator = self.administrator().await;
        for _ in 0..15 {
            let (path, token) = self.paired_till(&administrator).await;
            administrator.delete(&path).await.ok();
            revoked.push(token);
            let (_, token) = self.paired_till(&administrator).await;
            wrong_secret.push(format!("{}.{}", BASE64.encode([7; 32]), token.split_once('.').unwrap().1));
        }
        vec![("wrong secret", wrong_secret), ("revoked", revoked), ("expired", expired)]
    }

    /// Codes that cannot be used any more. At most 20 wait for a merchant.
    async fn codes(&self) -> Vec<(&'static str, Vec<String>)> {
        let administrator = self.administrator().await;
        let mut prepared = Vec::new();
        for class in ["expired", "replaced", "revoked"] {
            let mut codes = Vec::new();
            for _ in 0..10 {
                let (path, code) = self.till(&administrator).await;
                match class {
                    "replaced" => drop(administrator.post(&format!("{path}/pairing"), &json!({})).await.ok()),
                    "revoked" => drop(administrator.delete(&path).await.ok()),
                    _ => {}
                }
                codes.push(code);
            }
            prepared.push((class, codes));
            self.clock.advance(601);
        }
        prepared
    }

    fn unknown_code(&self) -> String {
        const ALPHABET: &[u8] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
        let digits = (0..10).scan(self.calls * 7_919, |number, _| {
            let digit = ALPHABET[*number % ALPHABET.len()];
            *number /= ALPHABET.len();
            Some(char::from(digit))
        });
        let mut code: String = digits.collect();
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
    let mut users = Vec::new();
    let mut invites = Vec::new();
    for index in 0..ADDRESSES {
        // A new till is told to every administrator.
        let role = if index == 0 { "ADMIN" } else { "VIEWER" };
        for (class, merchant) in
            [("known", "m-1"), ("active", "m-1"), ("draft", "m-2"), ("no merchant", ""), ("administrator", "")]
        {
            let merchant = if merchant.is_empty() { Value::Null } else { json!(merchant) };
            let fields = json!({"email": address(class, index), "emailVerified": true, "merchantId": merchant, "merchantTeamRole": role,
                                "isAdmin": class == "administrator"});
            users.push(member(&format!("u-{}-{index}", class.replace(' ', "-")), "m", &fields));
        }
        invites.push(json!({
            "challengeId": format!("ch-{index}"), "merchantId": "m-1", "email": address("invited", index), "firstName": "A",
            "lastName": "B", "merchantTeamRole": "VIEWER", "verifiedAt": "now-1h", "verificationExpiresAt": "now+1h",
            "expiresAt": "now+7d",
        }));
    }
    let draft = with(merchant("m-2", "", "SEK", &json!({})), &json!({"status": "DRAFT", "networkMerchantId": null}));
    let active = merchant("m-1", "1001", "SEK", &json!({}));
    let accounts = ["1001", "1002"].map(|id| json!({"merchantId": id, "name": id}));
    let unowned = with(card("1001", "QR-UNOWNED-", 500, "SEK"), &json!({"merchantId": null}));
    let network = json!({"merchants": accounts, "cards": [card("1002", "QR-OF-OTHER", 500, "SEK"), unowned]});
    json!({"merchants": [active, draft], "users": users, "invites": invites, "cardNetwork": network})
}
