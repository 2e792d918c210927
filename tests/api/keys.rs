//! Keys of a merchant's own programs: how they are made, rotated and revoked, what they may do, and when they end.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use world::shop::{ISSUE, REDEEM, payment, sale, with};
use world::{ApiResponse, Caller, ManualClock, System, error_code, refusal};

pub(crate) const KEYS: &str = "/api/auth/keys";
const SESSION: &str = "/api/auth/session";
pub(crate) const ORDERS: &str = "/api/bff/merchant-orders";
const START: &str = "2026-05-28T20:26:40Z";
const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

fn body(permissions: &[&str]) -> Value {
    json!({"name": "Accounting", "permissions": permissions, "readOnly": false})
}

pub(crate) async fn make(maker: &Caller, permissions: &[&str], fields: &Value) -> ApiResponse {
    maker.post(KEYS, &with(body(permissions), fields)).await.ok()
}

/// The id of a new key, and a program that has it.
pub(crate) async fn program(system: &System, maker: &Caller, permissions: &[&str], fields: &Value) -> (String, Caller) {
    let made = make(maker, permissions, fields).await;
    (made.text("/data/id"), system.with_token(&made.text("/data/key")))
}

pub(crate) async fn rotate(system: &System, by: &Caller, id: &str, fields: &Value) -> Caller {
    let rotated = by.post(&format!("{KEYS}/{id}/rotation"), fields).await.ok();
    system.with_token(&rotated.text("/data/key"))
}

async fn works(program: &Caller) -> bool {
    let response = program.get(SESSION).await;
    assert!(response.status == 200 || error_code(&response) == (401, "UNAUTHORIZED"), "{response:?}");
    response.status == 200
}

pub(crate) async fn listed(manager: &Caller, id: &str) -> Value {
    manager.get(KEYS).await.row("/data", "id", id)
}

pub(crate) async fn started() -> (System, ManualClock, Caller) {
    let (system, clock) = System::at(START).await;
    let admin = system.sign_in("u-admin").await;
    (system, clock, admin)
}

/// Whoever was signed in is so for 12 hours.
async fn again(system: &System) -> Caller {
    system.sign_in("u-admin").await
}

#[tokio::test]
async fn a_key_is_made_once_shown_once_and_tells_who_it_is() {
    let (system, clock, admin) = started().await;
    let made = admin
        .post(
            KEYS,
            &json!({"name": " Accounting ", "permissions": ["portal.orders", "portal.reports", "portal.orders"],
                                         "readOnly": true}),
        )
        .await;
    let (id, text) = (made.text("/data/id"), made.text("/data/key"));
    let shown = json!({
        "id": id, "name": "Accounting", "permissions": ["portal.reports", "portal.orders"], "readOnly": true,
        "createdAt": "2026-05-28T20:26:40.000Z", "createdBy": {"id": "u-admin", "name": "Anna Berg"},
        "expiresAt": "2026-11-24T20:26:40.000Z", "endsAt": null, "lastUsedAt": null,
    });
    assert_eq!((made.status, made.at("/data")), (201, &with(shown.clone(), &json!({"key": text}))));
    assert!(text.starts_with("gcpk_") && text.len() <= 160, "{text}");
    assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'), "{text}");

    let program = system.with_token(&text);
    clock.advance(60);
    let session = program.get(SESSION).await.ok();
    let key = json!({"id": id, "name": "Accounting", "permissions": ["portal.reports", "portal.orders"], "readOnly": true,
                     "expiresAt": "2026-11-24T20:26:40.000Z"});
    assert_eq!((session.at("/data/user"), session.at("/data/till"), session.at("/data/key")), (&Value::Null, &Value::Null, &key));
    assert_eq!(session.at("/data/merchant/id"), "m-aurora");
    assert_eq!(session.header("session-merchant"), Some("m-aurora"));
    let more = json!({"lastUsedAt": "2026-05-28T20:27:40.000Z", "previousUntil": null, "endedAt": null, "endedBecause": null});
    assert_eq!(listed(&admin, &id).await, with(shown, &more));
    let rows = format!("{:?}", system.rows().await);
    assert!(!rows.contains(&text) && !rows.contains(text.split('_').nth(1).unwrap()), "the secret is stored");
}

#[tokio::test]
async fn what_a_key_cannot_be_is_refused() {
    let (system, _, admin) = started().await;
    for (fields, message) in [
        (json!({"permissions": []}), "permissions: must not be empty."),
        (json!({"permissions": ["merchant.team.invite"]}), "permissions: merchant.team.invite cannot be granted to a key."),
        (json!({"expiresInDays": 0}), "expiresInDays: must be 1 to 366."),
        (json!({"expiresInDays": 367}), "expiresInDays: must be 1 to 366."),
        (json!({"name": "A"}), "name: must have 2 to 80 characters."),
        (json!({"name": "see https://evil.example"}), "name: must not contain a link."),
    ] {
        let refused = admin.post(KEYS, &with(body(&["portal.pos"]), &fields)).await;
        assert_eq!(refused.reply(), refusal(400, message), "{fields}");
    }
    for fields in [json!({"permissions": ["portal.everything"]}), json!({"readOnly": null}), json!({"surprise": 1})] {
        assert_eq!(admin.post(KEYS, &with(body(&["portal.pos"]), &fields)).await.status, 400, "{fields}");
    }
    let without = json!({"name": "Accounting", "permissions": ["portal.pos"]});
    assert_eq!(admin.post(KEYS, &without).await.status, 400);
    assert_eq!(admin.get(KEYS).await.list("/data"), &[] as &[Value]);
    let powers = json!({"merchantTeamRole": null, "permissions": ["merchant.team.invite", "portal.orders"]});
    let manager = system.join("u-manager", "m-aurora", &powers).await;
    assert_eq!(error_code(&manager.post(KEYS, &body(&["portal.pos", "portal.orders"])).await), (403, "FORBIDDEN"));
    let id = make(&manager, &["portal.orders"], &json!({"readOnly": true})).await.text("/data/id");
    let of_admin = make(&admin, &["portal.pos"], &json!({})).await.text("/data/id");
    // To rotate is to give; to revoke takes only the permission to manage.
    let rotation = |id: &str| format!("{KEYS}/{id}/rotation");
    assert_eq!(error_code(&manager.post(&rotation(&of_admin), &json!({})).await), (403, "FORBIDDEN"));
    assert_eq!(manager.post(&rotation(&id), &json!({"overlapHours": 169})).await.status, 400);
    assert_eq!(manager.delete(&format!("{KEYS}/{of_admin}")).await.status, 200);
    let rival = system.sign_in("u-rival").await;
    for id in [id.as_str(), "none", "%20", "a#b"] {
        assert_eq!(rival.delete(&format!("{KEYS}/{}", id.replace('#', "%23"))).await.status, 404, "{id}");
        assert_eq!(rival.post(&rotation(&id.replace('#', "%23")), &json!({})).await.status, 404, "{id}");
    }
    assert_eq!(rival.get(KEYS).await.list("/data"), &[] as &[Value]);
}

#[tokio::test]
async fn a_key_acts_with_its_permissions_and_not_those_of_its_maker() {
    let (system, _, admin) = started().await;
    let boss = system.join("u-boss", "m-aurora", &json!({"isAdmin": true})).await;
    let (_, orders) = program(&system, &boss, &["portal.orders"], &json!({})).await;
    assert_eq!(orders.get(ORDERS).await.status, 200);
    for path in ["/api/bff/settlements", "/api/bff/pos/offers", "/api/bff/merchant/activity"] {
        assert_eq!(error_code(&orders.get(path).await), (403, "FORBIDDEN"), "{path}");
    }
    for path in [
        "/api/admin/merchants",
        "/api/bff/webhooks",
        "/api/bff/merchant/users",
        "/api/auth/sessions",
        KEYS,
        "/api/onboarding/document",
    ] {
        assert_eq!(error_code(&orders.get(path).await), (403, "NOT_FOR_KEYS"), "{path}");
    }
    let (_, seller) = program(&system, &boss, &["portal.pos"], &json!({})).await;
    let other = seller.post_with_key(ISSUE, "k", &with(sale(100), &json!({"merchantId": "m-rival"}))).await;
    assert_eq!(error_code(&other), (403, "FORBIDDEN"));
    assert_eq!(seller.post_with_key(ISSUE, "l", &sale(100)).await.status, 200);

    let (_, reader) =
        program(&system, &admin, &["portal.orders", "portal.pos", "portal.information"], &json!({"readOnly": true})).await;
    assert_eq!(reader.get("/api/bff/pos/offers").await.status, 200);
    assert_eq!(error_code(&reader.put("/api/bff/merchant", &json!({})).await), (403, "FORBIDDEN"));
    assert_eq!(error_code(&reader.post_with_key(ISSUE, "k", &sale(100)).await), (403, "FORBIDDEN"));
    let export = |kind| json!({"kind": kind, "from": "2026-01-01", "to": "2026-01-02"});
    assert_eq!(reader.post("/api/bff/exports", &export("orders")).await.status, 202);
    assert_eq!(error_code(&reader.post("/api/bff/exports", &export("settlements")).await), (403, "FORBIDDEN"));
}

/// What a request carries decides before anything else.
#[tokio::test]
async fn a_key_is_a_bearer_and_nothing_else_and_never_comes_from_a_browser() {
    let (system, clock, admin) = started().await;
    let made = make(&admin, &["portal.orders"], &json!({})).await;
    let (id, text) = (made.text("/data/id"), made.text("/data/key"));
    let program = system.with_token(&text);
    let cookie = |token: &str| format!("__Host-portal_session={token}");
    let send = |caller: &Caller, path: &str, headers: &[(&'static str, String)]| {
        let get = caller.request(Method::GET, path);
        Caller::send_request(headers.iter().fold(get, |get, (name, value)| get.header(*name, value)))
    };
    let anonymous = system.anonymous();
    let origin = ("origin", system.local.app().settings.portal_base_url.clone());
    let fetch = ("sec-fetch-site", "same-origin".to_owned());
    for (caller, headers, expected) in [
        (&program, vec![], (200, "")),
        (&anonymous, vec![("cookie", cookie(&text))], (401, "UNAUTHORIZED")),
        (&program, vec![("cookie", cookie(admin.token()))], (401, "UNAUTHORIZED")),
        (&program, vec![("cookie", cookie(&text))], (401, "UNAUTHORIZED")),
        (&program, vec![("authorization", format!("Bearer {text}"))], (401, "UNAUTHORIZED")),
        (&anonymous, vec![("authorization", format!("Basic {text}"))], (401, "UNAUTHORIZED")),
        (&program, vec![origin.clone()], (403, "KEY_IN_BROWSER")),
        (&program, vec![fetch.clone()], (403, "KEY_IN_BROWSER")),
    ] {
        assert_eq!(error_code(&send(caller, SESSION, &headers).await), expected, "{headers:?}");
    }
    // An invalid key is refused first, then the browser, then the route, then the permission.
    let mistyped = system.with_token(&format!("{text}x"));
    let order = [
        (&mistyped, KEYS, vec![origin.clone()], (401, "UNAUTHORIZED")),
        (&program, KEYS, vec![origin.clone()], (403, "KEY_IN_BROWSER")),
        (&program, KEYS, vec![], (403, "NOT_FOR_KEYS")),
        (&program, "/api/bff/settlements", vec![], (403, "FORBIDDEN")),
    ];
    for (caller, path, headers, expected) in order {
        assert_eq!(error_code(&send(caller, path, &headers).await), expected, "{path} {headers:?}");
    }
    // A key has no session to end, and ends with none.
    assert_eq!(error_code(&program.delete(SESSION).await), (403, "NOT_FOR_KEYS"));
    assert!(works(&program).await);
    clock.advance(1);
    assert_eq!(again(&system).await.delete(&format!("{KEYS}/{id}")).await.status, 200);
    assert_eq!(error_code(&send(&program, SESSION, &[origin]).await), (401, "UNAUTHORIZED"));
}

#[tokio::test]
async fn a_program_that_sells_and_redeems_has_to_name_its_intent() {
    let (system, _, admin) = started().await;
    let (id, program) = program(&system, &admin, &["portal.pos", "portal.gift_cards"], &json!({"name": "Web shop"})).await;
    for (path, body) in [(ISSUE, sale(100)), (REDEEM, payment("QR-500", 10))] {
        let refused = program.post(path, &body).await;
        assert_eq!((refused.status, refused.header("money-moved")), (400, Some("no")), "{path}");
        assert!(refused.contains("IDEMPOTENCY_KEY_REQUIRED"), "{refused:?}");
    }
    assert_eq!(system.network_calls().await, Vec::<Value>::new());
    let named = with(payment("QR-500", 10), &json!({"retailStoreId": 102, "retailStoreName": "North"}));
    let redeemed = program.post_with_key(REDEEM, "one", &named).await.ok();
    let again = program.post_with_key(REDEEM, "one", &named).await.ok();
    assert_eq!((again.body == redeemed.body, again.header("idempotent-replayed")), (true, Some("true")));
    let history = program.get("/api/bff/cards/QR-500/history").await.ok();
    assert_eq!((history.at("/data/events/0/by"), history.at("/data/events/0/storeName")), (&json!("Web shop"), &json!("North")));
    assert_eq!(history.at("/data/events/0/kind"), "REDEEMED");
    // Its look-ups count by themselves, and so do those of a second key.
    for guess in 0..60 {
        assert_eq!(program.get(&format!("/api/bff/pos/card/NONE-{guess}")).await.status, 404, "{guess}");
    }
    assert_eq!(program.get("/api/bff/pos/card/NONE").await.status, 429);
    let (_, second) = self::program(&system, &admin, &["portal.pos"], &json!({})).await;
    assert_eq!(second.get("/api/bff/pos/card/NONE").await.status, 404);
    assert_eq!(admin.get("/api/bff/pos/card/NONE").await.status, 404);
    assert_ne!(id, "");
}

/// Each step of a rotation: by whom the key was used, and which of its secrets work then.
#[tokio::test]
async fn a_rotation_keeps_the_old_secret_for_a_while_and_replaces_one_that_was_never_used() {
    let (system, clock, admin) = started().await;
    let (id, first) = program(&system, &admin, &["portal.orders"], &json!({"expiresInDays": 30})).await;
    assert!(works(&first).await);
    let second = rotate(&system, &admin, &id, &json!({})).await;
    assert_eq!(listed(&admin, &id).await["previousUntil"], "2026-05-29T20:26:40.000Z");
    clock.advance(HOUR);
    // The second one was never used: it is replaced, and the first one stays.
    let third = rotate(&system, &admin, &id, &json!({"overlapHours": 168})).await;
    assert_eq!(listed(&admin, &id).await["previousUntil"], "2026-05-29T20:26:40.000Z");
    assert!(!works(&second).await && works(&first).await && works(&third).await);
    // The third one was used: the first one ends at once.
    let fourth = rotate(&system, &admin, &id, &json!({"overlapHours": 2})).await;
    assert!(!works(&first).await && works(&third).await && works(&fourth).await);
    assert_eq!(listed(&admin, &id).await["previousUntil"], "2026-05-28T23:26:40.000Z");
    clock.advance(2 * HOUR - 1);
    assert!(works(&third).await);
    clock.advance(1);
    assert!(!works(&third).await && works(&fourth).await);
    assert_eq!(listed(&admin, &id).await["previousUntil"], Value::Null);
    let fifth = rotate(&system, &admin, &id, &json!({"overlapHours": 0, "expiresInDays": 1})).await;
    assert!(!works(&fourth).await && works(&fifth).await);
    // By default, it lives as long as it was last rotated for; the old secret ends no later than it would have.
    let sixth = rotate(&system, &admin, &id, &json!({"overlapHours": 168})).await;
    assert_eq!(listed(&admin, &id).await["expiresAt"], "2026-05-29T23:26:40.000Z");
    assert!(works(&fifth).await && works(&sixth).await);
    clock.advance(DAY - 1);
    assert!(works(&fifth).await && works(&sixth).await);
    clock.advance(1);
    assert!(!works(&fifth).await && !works(&sixth).await);
    let admin = again(&system).await;
    assert_eq!(error_code(&admin.post(&format!("{KEYS}/{id}/rotation"), &json!({})).await), (409, "KEY_OVER"));
    let over = listed(&admin, &id).await;
    assert_eq!((&over["endedAt"], &over["endedBecause"]), (&json!("2026-05-29T23:26:40.000Z"), &json!("EXPIRED")));
}

#[tokio::test]
async fn a_key_that_is_over_is_listed_for_90_days_and_never_lives_again() {
    let (system, clock, admin) = started().await;
    let (id, program) = program(&system, &admin, &["portal.orders"], &json!({})).await;
    assert!(works(&program).await);
    for _ in 0..2 {
        assert_eq!(admin.delete(&format!("{KEYS}/{id}")).await.status, 200);
        assert!(!works(&program).await);
        let over = listed(&admin, &id).await;
        assert_eq!((&over["endedAt"], &over["endedBecause"]), (&json!("2026-05-28T20:26:40.000Z"), &json!("REVOKED")));
        clock.advance(HOUR);
    }
    assert_eq!(error_code(&admin.post(&format!("{KEYS}/{id}/rotation"), &json!({})).await), (409, "KEY_OVER"));
    clock.advance(90 * DAY - 2 * HOUR - 1);
    assert_eq!(again(&system).await.get(KEYS).await.list("/data").len(), 1);
    clock.advance(1);
    assert_eq!(again(&system).await.get(KEYS).await.list("/data").len(), 0);
}

#[tokio::test]
async fn twenty_keys_at_once_and_twenty_secrets_a_day_for_a_member() {
    let (system, clock, admin) = started().await;
    let mut ids = Vec::new();
    for _ in 0..10 {
        ids.push(make(&admin, &["portal.orders"], &json!({"readOnly": true})).await.text("/data/id"));
    }
    for id in &ids {
        rotate(&system, &admin, id, &json!({})).await;
    }
    let more = admin.post(KEYS, &body(&["portal.orders"])).await;
    assert_eq!(error_code(&more), (429, "TOO_MANY_REQUESTS"));
    assert!(more.text("/error/message").starts_with("You have reached your limit of 20 new key secrets a day."), "{more:?}");
    // Another member has more, until the merchant has used up its 40, or has 20 keys.
    let unset = system.sign_in("u-unset").await;
    let orders = body(&["portal.orders"]);
    let made = join_all((0..14).map(|_| unset.post(KEYS, &orders))).await;
    assert_eq!(made.iter().filter(|made| made.status == 201).count(), 10, "{made:?}");
    let refused: Vec<_> = made.iter().filter(|made| made.status != 201).map(error_code).collect();
    assert!(refused.iter().all(|refusal| *refusal == (409, "KEY_LIMIT")), "{refused:?}");
    // What is over does not count, and what was refused was not counted.
    assert_eq!(unset.delete(&format!("{KEYS}/{}", ids[0])).await.status, 200);
    assert_eq!(unset.post(KEYS, &body(&["portal.orders"])).await.status, 201);
    clock.advance(DAY);
    assert_eq!(error_code(&again(&system).await.post(KEYS, &body(&["portal.orders"])).await), (409, "KEY_LIMIT"));
}

#[tokio::test]
async fn all_keys_together_have_the_share_of_one_member() {
    let (system, _, admin) = started().await;
    let (_, one) = program(&system, &admin, &["portal.orders"], &json!({"readOnly": true})).await;
    let (_, two) = program(&system, &admin, &["portal.orders"], &json!({"readOnly": true})).await;
    let export = async |caller: &Caller| {
        let body = json!({"kind": "orders", "from": "2026-01-01", "to": "2026-01-02"});
        let started = caller.post("/api/bff/exports", &body).await;
        system.drain().await;
        started
    };
    for exporter in [&one, &two].repeat(5) {
        assert_eq!(export(exporter).await.status, 202);
    }
    for exporter in [&one, &two] {
        let refused = export(exporter).await;
        assert_eq!(error_code(&refused), (429, "TOO_MANY_REQUESTS"));
        let message = "The keys of your merchant have reached their limit of 10 exports a day.";
        assert!(refused.text("/error/message").starts_with(message), "{refused:?}");
    }
    assert_eq!(export(&admin).await.status, 202);
}

#[tokio::test]
async fn a_repeat_makes_one_key_and_shows_no_secret_again() {
    let (system, _, admin) = started().await;
    let orders = body(&["portal.orders"]);
    let made = join_all((0..8).map(|_| admin.post_with_key(KEYS, "one", &orders))).await;
    let first: Vec<_> = made.iter().filter(|made| made.header("idempotent-replayed").is_none()).collect();
    assert_eq!((first.len(), admin.get(KEYS).await.list("/data").len()), (1, 1));
    let (id, text) = (first[0].text("/data/id"), first[0].text("/data/key"));
    for repeat in made.iter().filter(|made| made.header("idempotent-replayed").is_some()) {
        assert_eq!(repeat.at("/data"), &with(first[0].at("/data").clone(), &json!({"key": null})));
    }
    assert_eq!(admin.post_with_key(KEYS, "one", &body(&["portal.reports"])).await.status, 422);
    // The same key of another call, or for another key, is another one.
    let other = make(&admin, &["portal.orders"], &json!({})).await.text("/data/id");
    let rotated = admin.post_with_key(&format!("{KEYS}/{id}/rotation"), "one", &json!({})).await.ok();
    let repeated = admin.post_with_key(&format!("{KEYS}/{id}/rotation"), "one", &json!({})).await.ok();
    assert_eq!(repeated.at("/data"), &with(rotated.at("/data").clone(), &json!({"key": null})));
    let of_other = admin.post_with_key(&format!("{KEYS}/{other}/rotation"), "one", &json!({})).await.ok();
    assert_eq!(of_other.header("idempotent-replayed"), None);
    assert!(works(&system.with_token(&text)).await && works(&system.with_token(&rotated.text("/data/key"))).await);
}

#[tokio::test]
async fn its_use_is_written_once_an_hour_and_fails_no_request() {
    let (system, clock, admin) = started().await;
    let (id, program) = program(&system, &admin, &["portal.orders"], &json!({})).await;
    let used = async || listed(&admin, &id).await["lastUsedAt"].clone();
    for (seconds, expected) in [(0, "20:26:40"), (HOUR - 1, "20:26:40"), (1, "21:26:40"), (60, "21:26:40")] {
        clock.advance(seconds);
        assert!(works(&program).await);
        assert_eq!(used().await, format!("2026-05-28T{expected}.000Z"), "{seconds}");
    }
    clock.advance(HOUR);
    system.set_fault("dynamodb", "TransactWriteItems", "status", 500).await;
    assert!(works(&program).await);
    system.set_faults(json!([])).await;
    assert_eq!(used().await, "2026-05-28T21:26:40.000Z");
}

#[tokio::test]
async fn what_a_key_does_is_shown_by_its_name() {
    let (system, clock, admin) = started().await;
    let (id, program) = program(&system, &admin, &["portal.information"], &json!({"name": "ERP"})).await;
    clock.advance(1);
    rotate(&system, &admin, &id, &json!({})).await;
    clock.advance(1);
    assert_eq!(program.put("/api/bff/merchant", &json!({"company": {"legalName": "Aurora Roasters AB"}})).await.status, 200);
    clock.advance(1);
    assert_eq!(admin.delete(&format!("{KEYS}/{id}")).await.status, 200);
    system.finish_work().await;
    let activity = admin.get("/api/bff/merchant/activity").await.ok();
    let member = json!({"kind": "MEMBER", "id": "u-admin", "name": "Anna Berg", "address": "admin@aurora.example"});
    let key = json!({"kind": "KEY", "id": id, "name": "ERP", "address": null});
    let target = json!({"id": id, "name": "ERP"});
    let event = |event: &Value| json!([event["action"], event["actor"], event["target"]]);
    let expected = json!([
        ["KEY_REVOKED", member, target],
        ["COMPANY_CHANGED", key, null],
        ["KEY_ROTATED", member, target],
        ["KEY_CREATED", member, target],
    ]);
    assert_eq!(activity.list("/data/events").iter().map(event).collect::<Value>(), expected);
    let given = activity.at("/data/events/3/to");
    assert_eq!((&given["permissions"], &given["readOnly"]), (&json!(["portal.information"]), &json!("false")));
    // The maker answers for it: the mail about the change goes to them.
    for (address, mails) in [("admin@aurora.example", 3), ("Unset@aurora.example", 2), ("full@aurora.example", 0)] {
        let subjects = system.subjects_to(address).await;
        assert_eq!(subjects.len(), mails, "{address}: {subjects:?}");
    }
    let root = system.sign_in("u-root").await;
    let trail = root.get("/api/admin/merchants/m-aurora/audit?onlyChanges=true").await.ok();
    assert_eq!(trail.at("/data/audit/0/action"), "IDENTITY_CHANGED");
    assert_eq!(trail.at("/data/audit/0/actor"), &json!({"kind": "KEY", "id": id, "name": "ERP"}));
}
