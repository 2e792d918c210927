//! What a merchant is told about its team and itself: its activity, and mails to its administrators.

use serde_json::{Value, json};
use world::shop::with;
use world::{Browser, Caller, ManualClock, System, refusal};

const ACTIVITY: &str = "/api/bff/merchant/activity";

async fn events(caller: &Caller) -> Vec<Value> {
    let page = caller.get(&format!("{ACTIVITY}?limit=200")).await.ok();
    page.list("/data/events").to_vec()
}

/// `ACTION by NAME to TARGET`, oldest first.
async fn story(caller: &Caller) -> Vec<String> {
    let mut told = Vec::new();
    for event in events(caller).await.into_iter().rev() {
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or("-").to_owned();
        told.push(format!("{} by {} {} to {}", text("/action"), text("/actor/kind"), text("/actor/name"), text("/target/name")));
    }
    told
}

/// Invites Ida as a viewer, and lets her join.
async fn ida_joins<'a>(system: &'a System, admin: &Caller) -> Browser<'a> {
    let body = json!({"email": "ida@example.com", "firstName": "Ida", "lastName": "Holm", "merchantTeamRole": "VIEWER"});
    let id = admin.post("/api/auth/invites", &body).await.text("/data/challengeId");
    let code = system.code_mailed_to("admin@aurora.example").await;
    let path = |step: &str| format!("/api/auth/invites/{id}/{step}");
    assert_eq!(admin.post(&path("verification"), &json!({"code": code})).await.status, 200);
    let mut ida = Browser::at(system, 7);
    ida.sign_in("ida@example.com").await;
    ida.post_empty(&path("acceptance")).await.ok();
    ida
}

async fn id_of(browser: &mut Browser<'_>) -> String {
    browser.get("/api/auth/session").await.text("/data/user/id")
}

#[tokio::test]
async fn the_activity_tells_who_did_what() {
    let system = System::with_clock(ManualClock::at("2026-05-28T20:26:40Z").clock()).await;
    let admin = system.sign_in("u-admin").await;
    let mut ida = ida_joins(&system, &admin).await;
    let id = id_of(&mut ida).await;
    let change = json!({"targetUserId": id, "permissions": ["portal.orders", "portal.pos"]});
    assert_eq!(admin.patch("/api/bff/merchant/users", &change).await.status, 200);
    assert_eq!(admin.patch("/api/bff/merchant/users", &change).await.status, 200, "nothing changes");
    let till = admin.post("/api/auth/tills", &json!({"name": "Counter", "retailStoreId": "101"})).await;
    let code = json!({"code": till.text("/data/pairingCode")});
    assert_eq!(system.anonymous().post("/api/auth/tills/pairing", &code).await.status, 200);
    let path = format!("/api/auth/tills/{}", till.text("/data/id"));
    assert_eq!(admin.delete(&path).await.status, 200);
    let profile = json!({"company": {"legalName": "Aurora Roasters AB"}});
    assert_eq!(admin.put("/api/bff/merchant", &profile).await.status, 200);
    let export = json!({"kind": "orders", "from": "2026-05-01", "to": "2026-05-28"});
    assert_eq!(admin.post("/api/bff/exports", &export).await.status, 202);
    let withdrawn = json!({"email": "bo@example.com", "firstName": "Bo", "lastName": "Ek", "merchantTeamRole": "FULL"});
    let invite = admin.post("/api/auth/invites", &withdrawn).await.text("/data/challengeId");
    assert_eq!(admin.delete(&format!("/api/auth/invites/{invite}")).await.status, 200);
    assert_eq!(ida.delete(&format!("/api/auth/members/{id}")).await.status, 200);
    assert_eq!(admin.delete("/api/auth/members/u-viewer").await.status, 200);
    let root = system.sign_in("u-root").await;
    let suspended = json!({"status": "SUSPENDED", "reason": "A secret of the platform"});
    assert_eq!(root.patch("/api/admin/merchants/m-aurora", &suspended).await.status, 200);

    // The clock stands still, so that the order of what happened in one millisecond is that of random ids.
    let mut told = story(&admin).await;
    told.sort_unstable();
    insta::assert_json_snapshot!("activity", told);
    let all = events(&admin).await;
    assert!(!json!(all).to_string().contains("A secret of the platform"), "the reason is the platform's");
    let find = |action: &str| all.iter().find(|event| event["action"] == action).unwrap();
    let changed = find("ROLE_CHANGED");
    assert_eq!(changed["from"], json!({"merchantTeamRole": "VIEWER", "permissions": null}));
    assert_eq!(changed["to"], json!({"merchantTeamRole": null, "permissions": ["portal.orders", "portal.pos"]}));
    assert_eq!(find("STATUS_CHANGED")["to"], json!({"status": "SUSPENDED"}));
    assert_eq!(find("COMPANY_CHANGED")["to"], json!({"legalName": "Aurora Roasters AB"}));
    assert_eq!(find("EXPORT_REQUESTED")["to"], json!({"from": "2026-05-01", "to": "2026-05-28"}));
}

#[tokio::test]
async fn a_borrowed_name_hides_nobody() {
    let (system, admin) = System::signed_in("u-admin").await;
    let member = system.sign_in("u-full").await;
    let rename = async |first: &str, last: &str| {
        let name = json!({"firstName": first, "lastName": last, "phone": "1"});
        assert_eq!(member.patch("/api/auth/session/user", &name).await.status, 200);
    };
    rename("Anna", "Berg").await;
    rename("Anna", "Berg").await;
    assert_eq!(member.put("/api/bff/merchant", &json!({"company": {"legalName": "Mine AB"}})).await.status, 200);
    rename("Filip", "Ek").await;
    let told: Vec<Value> = events(&admin).await.into_iter().map(|event| json!([event["action"], event["actor"]])).collect();
    let by = |name: &str| json!({"kind": "MEMBER", "id": "u-full", "name": name, "address": "full@aurora.example"});
    let expected = [("NAME_CHANGED", "Anna Berg"), ("COMPANY_CHANGED", "Anna Berg"), ("NAME_CHANGED", "Filip Ek")];
    assert_eq!(told, expected.map(|(action, name)| json!([action, by(name)])));
    let first = events(&admin).await.pop().unwrap();
    assert_eq!(first["from"], json!({"firstName": "Filip", "lastName": "Ek"}));
    assert_eq!(first["to"], json!({"firstName": "Anna", "lastName": "Berg"}));
    assert_eq!(first["target"], json!({"id": "u-full", "name": "Anna Berg"}));
}

#[tokio::test]
async fn pages_of_the_activity_neither_skip_nor_repeat_events() {
    let (system, admin) = System::signed_in("u-admin").await;
    for number in 0..7 {
        let body = json!({"company": {"legalName": format!("Aurora {number}")}});
        assert_eq!(admin.put("/api/bff/merchant", &body).await.status, 200);
    }
    let all = events(&admin).await;
    assert_eq!(all.len(), 7);
    for limit in [1, 2, 3, 7, 8] {
        assert_eq!(admin.walk(ACTIVITY, "events", limit).await, all, "{limit}");
    }
    for cursor in ["x", "2026-01-01T00:00:00Z", "~", &format!("2026-01-01T00:00:00Z~{}", "a".repeat(40))] {
        let refused = admin.get(&format!("{ACTIVITY}?cursor={cursor}")).await;
        let message = "cursor: must be the `next` of an earlier page.";
        assert_eq!(refused.reply(), refusal(400, message), "{cursor}");
    }
    assert_eq!(events(&system.sign_in("u-rival").await).await, Vec::<Value>::new(), "another merchant's activity");
}

/// The subjects of the mails to an address, without codes.
async fn news_to(system: &System, address: &str) -> Vec<String> {
    system.subjects_to(address).await.into_iter().filter(|subject| subject.contains("Aurora")).collect()
}

#[tokio::test]
async fn administrators_are_told_once_each_who_came_and_went() {
    let (system, admin) = System::signed_in("u-admin").await;
    let mut ida = ida_joins(&system, &admin).await;
    system.drain().await;
    let id = id_of(&mut ida).await;
    // The first attempt to send the mails fails.
    system.set_faults(json!([{"target": "ses", "match": "*", "kind": "throttle", "times": 1}])).await;
    let promote = json!({"targetUserId": id, "merchantTeamRole": "ADMIN"});
    assert_eq!(admin.patch("/api/bff/merchant/users", &promote).await.status, 200);
    system.drain().await;
    assert_eq!(ida.delete(&format!("/api/auth/members/{id}")).await.status, 200);
    system.drain().await;
    assert_eq!(admin.delete("/api/auth/members/u-viewer").await.status, 200);
    system.drain().await;
    let expected = [
        "Somebody joined the team of Aurora Coffee",
        "There is a new administrator of Aurora Coffee",
        "Somebody left the team of Aurora Coffee",
        "Somebody was removed from the team of Aurora Coffee",
    ];
    for administrator in ["admin@aurora.example", "Unset@aurora.example"] {
        assert_eq!(news_to(&system, administrator).await, expected, "{administrator}");
    }
    for other in ["full@aurora.example", "viewer@aurora.example", "ida@example.com"] {
        let news = news_to(&system, other).await;
        assert!(news.iter().all(|subject| subject.starts_with("You have been invited")), "{other}: {news:?}");
    }
}

#[tokio::test]
async fn the_mail_with_the_code_of_an_invitation_tells_what_it_confirms() {
    let (system, admin) = System::signed_in("u-admin").await;
    for (number, (powers, words)) in [
        (json!({"merchantTeamRole": "ADMIN"}), "with this access:\n\n- Admin: everything, including the team\n"),
        (json!({"permissions": ["portal.orders", "portal.pos"]}), "- See orders\n- Sell and redeem at a till\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let mallory = json!({"email": format!("mallory{number}@example.com"), "firstName": "Mallory", "lastName": "Holm"});
        let body = with(powers, &mallory);
        assert_eq!(admin.post("/api/auth/invites", &body).await.status, 201);
        system.code_mailed_to("admin@aurora.example").await;
        let text = system.emails().await.pop().unwrap()["text"].as_str().unwrap().to_owned();
        for expected in [words, "Mallory Holm", &format!("mallory{number}@example.com"), "end all of your sessions"] {
            assert!(text.contains(expected), "{expected} in {text}");
        }
    }
}
