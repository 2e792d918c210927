//! Decisions of the verifier: correctly signed bodies that are odd, and odd signatures.

use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit, Mac};
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;

use super::Found;
use super::verifier::submission;
use crate::contract;
use crate::system::{Answer, System};

const PATH: &str = "/api/public/merchant/kyb-decision";
const SIGNING_KEY: &str = "signing-key-of-the-verifier-51c0";
const MAX_TIME: Duration = Duration::from_secs(15);

fn sign(key: &str, body: &[u8]) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap();
    hex::encode(mac.chain_update(body).finalize().into_bytes())
}

fn fixtures() -> Value {
    let merchant =
        |id: &str| json!({"id": id, "slug": id, "status": "DRAFT", "name": "M", "brand": {"logoUrl": "https://m.example/l.png"}});
    let user = |id: &str, merchant: &str| json!({"id": id, "email": format!("{id}@m.example"), "emailVerified": true, "merchantId": merchant, "merchantTeamRole": "ADMIN"});
    json!({
        "merchants": [merchant("m-victim"), merchant("m-other")],
        "users": [user("u-victim", "m-victim"), user("u-other", "m-other"),
            {"id": "u-root", "email": "root@portal.example", "emailVerified": true, "isAdmin": true}],
    })
}

struct Callback {
    system: System,
    root: String,
}

impl Callback {
    async fn start() -> Self {
        let system = System::start(&fixtures()).await;
        // The simulator keeps its own keys: sessions are opened before the functions have others.
        for user in ["u-victim", "u-other"] {
            let token = system.sign_in(user).await;
            let request = system.request(Method::POST, "/api/onboarding/submit").bearer_auth(token).body(submission());
            let answer = system.send(request.header("content-type", "application/json")).await.unwrap();
            assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        }
        system.send(system.request(Method::POST, "/__local/drain")).await.unwrap();
        let keys = json!({"apiKey": "client", "signingKey": SIGNING_KEY});
        system.local.rotate_secret("portal/verifier", &keys).await.unwrap();
        let root = system.sign_in("u-root").await;
        Self { system, root }
    }

    /// What decisions change of a merchant.
    async fn merchant(&self, id: &str) -> Value {
        let request = self.system.request(Method::GET, &format!("/api/admin/merchants/{id}")).bearer_auth(&self.root);
        let merchant = self.system.send(request).await.unwrap().json()["data"].clone();
        json!({"status": merchant["status"], "verification": merchant["verification"]})
    }

    async fn session(&self, id: &str) -> String {
        let merchant = self.merchant(id).await;
        merchant["verification"]["sessionId"].as_str().unwrap_or_else(|| panic!("{merchant}")).to_owned()
    }

    async fn call(&self, signatures: &[&str], body: Vec<u8>) -> (Answer, Duration) {
        let mut request = self.system.request(Method::POST, PATH).header("content-type", "application/json").body(body);
        for signature in signatures {
            request = request.header("x-hmac-signature", *signature);
        }
        let begun = Instant::now();
        (self.system.send(request).await.unwrap(), begun.elapsed())
    }
}

/// Bodies that change nothing, whatever their signature says.
fn odd_bodies(session: &str, others: &str, now: Timestamp) -> Vec<Vec<u8>> {
    let at = |seconds: i64| now.saturating_add(SignedDuration::from_secs(seconds)).unwrap().to_string();
    let decision = |changes: Value| {
        let mut decision = json!({"id": session, "vendorData": "m-victim", "companyId": "c", "status": "approved", "reason": null, "decidedAt": at(0)});
        for (name, value) in changes.as_object().unwrap() {
            decision[name] = value.clone();
        }
        json!({"verification": decision}).to_string().into_bytes()
    };
    let long = "x".repeat(100_000);
    let mut bodies: Vec<Vec<u8>> = [
        json!({"id": others}),
        json!({"id": ""}),
        json!({"id": null}),
        json!({"id": 1}),
        json!({"id": [session]}),
        json!({"id": format!("{session} ")}),
        json!({"id": session.to_uppercase() + "x"}),
        json!({"id": long}),
        json!({"vendorData": "m-other"}),
        json!({"vendorData": "m-none"}),
        json!({"vendorData": ""}),
        json!({"vendorData": "m-victim#x"}),
        json!({"vendorData": "../m-victim"}),
        json!({"vendorData": null}),
        json!({"vendorData": {"S": "m-victim"}}),
        json!({"vendorData": long}),
        json!({"vendorData": "\u{0}"}),
        json!({"status": "APPROVED"}),
        json!({"status": "ACTIVE"}),
        json!({"status": ""}),
        json!({"status": long}),
        json!({"status": null}),
        json!({"status": ["approved"]}),
        json!({"status": "approved\u{0}"}),
        json!({"status": "created"}),
        json!({"decidedAt": at(3600)}),
        json!({"decidedAt": at(86_400 * 365)}),
        json!({"decidedAt": "9999-12-31T23:59:59Z"}),
        json!({"decidedAt": "99999-01-01T00:00:00Z"}),
        json!({"decidedAt": "yesterday"}),
        json!({"decidedAt": ""}),
        json!({"decidedAt": 1_767_261_600}),
        json!({"decidedAt": null}),
        json!({"decidedAt": "2026-01-01"}),
    ]
    .map(decision)
    .into();
    let good = String::from_utf8(decision(json!({}))).unwrap();
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    bodies.extend([
        Vec::new(),
        b" ".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"{}".to_vec(),
        b"\"\"".to_vec(),
        b"1e999".to_vec(),
        b"{\"verification\": null}".to_vec(),
        b"{\"verification\": []}".to_vec(),
        b"\xff\xfe".to_vec(),
        b"\0".to_vec(),
        good[..good.len() / 2].into(),
        good.repeat(2).into(),
        format!("\u{feff}{good}").into(),
        good.replace('"', "'").into(),
        good.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        nested(100_000).into(),
        good.replacen('{', &format!("{{\"deep\": {}, ", nested(100_000)), 1).into(),
        format!("{{\"verification\": {}}}", nested(100_000)).into(),
        // The same field twice: no reader may take one of them for the decision.
        good.replacen("\"status\"", "\"status\": \"declined\", \"status\"", 1).into(),
        good.replacen("\"verification\"", "\"verification\": {}, \"verification\"", 1).into(),
        vec![b' '; 7 * 1024 * 1024],
    ]);
    bodies
}

pub(super) async fn attack(found: &Found) -> Vec<(usize, &'static str)> {
    let callback = Callback::start().await;
    let (session, others) = (callback.session("m-victim").await, callback.session("m-other").await);
    let now = callback.system.local.app().clock.now();
    let before = [callback.merchant("m-victim").await, callback.merchant("m-other").await];
    let bodies = odd_bodies(&session, &others, now);
    for body in &bodies {
        let shown = String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned();
        let (answer, time) = callback.call(&[&sign(SIGNING_KEY, body)], body.clone()).await;
        let is_expected = [200, 400, 413].contains(&answer.status) && time < MAX_TIME;
        if !is_expected || !contract::violations("POST", PATH, &answer).is_empty() {
            found.add(format!("a signed decision {shown}: {} after {time:?}", answer.status));
        }
        let after = [callback.merchant("m-victim").await, callback.merchant("m-other").await];
        if after != before {
            found.add(format!("a signed decision {shown} has changed a merchant: {after:?}"));
            break;
        }
    }

    let good = json!({"verification": {"id": session, "vendorData": "m-victim", "companyId": "c", "status": "approved", "decidedAt": now.to_string()}});
    let good = good.to_string().into_bytes();
    let right = sign(SIGNING_KEY, &good);
    let wrong = [
        vec![],
        vec![String::new()],
        vec![right.to_uppercase()],
        vec![right[..63].to_owned()],
        vec![format!("{right}0")],
        vec![format!("sha256={right}")],
        vec![sign("", &good)],
        vec![sign("client", &good)],
        vec![sign(SIGNING_KEY, b"")],
        vec![sign(SIGNING_KEY, &[&good[..], b" "].concat())],
        vec!["0".repeat(64)],
        vec!["\u{e9}".to_owned()],
        vec![sign("local-verifier-signing-key", &good)],
        vec![String::new(), right.clone()],
        vec![format!("{right}, {right}")],
    ];
    for signatures in &wrong {
        let (answer, time) = callback.call(&signatures.iter().map(String::as_str).collect::<Vec<_>>(), good.clone()).await;
        if answer.status != 401 || time > MAX_TIME {
            found.add(format!("a decision signed by {signatures:?}: {} after {time:?}", answer.status));
        }
    }
    if callback.merchant("m-victim").await != before[0] {
        found.add("a decision without a valid signature has changed a merchant".to_owned());
    }
    let (answer, _) = callback.call(&[&right], good).await;
    let merchant = callback.merchant("m-victim").await;
    if answer.status != 200 || merchant["status"] != "DECISION_PENDING" {
        found.add(format!("a valid decision: {}, {}", answer.status, merchant["status"]));
    }
    vec![(bodies.len() + wrong.len(), "odd decisions")]
}
