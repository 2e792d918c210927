//! The merchant's team: list, rejected invitations, and role changes.

use futures_util::future::join_all;
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use world::shop::member;
use world::{ApiResponse, Caller, System, refusal};

const TEAM: &str = "/api/bff/merchant/users";

async fn change_role(caller: &Caller, target: &str, role: &str) -> ApiResponse {
    caller.patch(TEAM, &json!({"targetUserId": target, "merchantTeamRole": role})).await
}

/// Returns the members of a team as `id: role`, as listed.
async fn roles(caller: &Caller) -> Vec<String> {
    let text = |item: &Value, field: &str| item[field].as_str().unwrap_or("unset").to_owned();
    let team = caller.get(TEAM).await;
    team.list("/data").iter().map(|item| format!("{}: {}", text(item, "id"), text(item, "merchantTeamRole"))).collect()
}

#[tokio::test]
async fn lists_invitations_first_and_sorts_by_case_folded_email() {
    let system = System::start().await;
    let invite = |id: &str, email: &str, role: Option<&str>, verified_at: Option<&str>, verification_ends: &str, ends: &str| {
        json!({"challengeId": id, "merchantId": "m-aurora", "email": email, "merchantTeamRole": role, "firstName": "In",
               "lastName": "Vited", "verifiedAt": verified_at, "verificationExpiresAt": verification_ends, "expiresAt": ends})
    };
    let verified = Some("now-1h");
    let invites = json!([
        invite("c-waits", "b@new.example", Some("VIEWER"), None, "now+1h", "now+7d"),
        invite("c-late", "A@new.example", Some("FULL"), None, "now-1h", "now+7d"),
        invite("c-invited", "C@new.example", Some("ADMIN"), verified, "now-1h", "now+7d"),
        invite("c-twin", "c@New.example", Some("VIEWER"), verified, "now-1h", "now+7d"),
        invite("c-ended", "d@new.example", None, verified, "now-8d", "now-1d"),
        invite("c-accepted", "ADMIN@Aurora.example", Some("FULL"), verified, "now-1h", "now+7d"),
        {"challengeId": "c-rival", "merchantId": "m-rival", "email": "a@rival.example", "verificationExpiresAt": "now+1h"},
    ]);
    system.load_fixtures(&json!({"invites": invites})).await;
    assert_json_snapshot!("list", system.sign_in("u-viewer").await.get(TEAM).await);
}

#[tokio::test]
async fn user_without_a_merchant_has_an_empty_team() {
    let system = System::start().await;
    for user in ["u-nobody", "u-root"] {
        let team = system.sign_in(user).await.get(TEAM).await;
        assert_eq!(team.reply(), (200, json!({"ok": true, "data": []})), "{user}");
    }
}

#[tokio::test]
async fn rejects_every_invitation_and_refers_to_the_dashboard() {
    let system = System::start().await;
    let rejected = system.sign_in("u-nobody").await.post(TEAM, &json!({"email": "new@aurora.example"})).await;
    assert_json_snapshot!("invitation_refused", rejected);
    let admin = system.sign_in("u-admin").await;
    for body in ["", "{", "[]", "{}"] {
        assert_eq!(admin.post_text(TEAM, body).await.reply(), rejected.reply(), "{body}");
    }
}

#[tokio::test]
async fn role_change_takes_effect_immediately() {
    let (_system, [admin, viewer]) = System::with_callers(["u-admin", "u-viewer"]).await;
    let write = async || viewer.put("/api/bff/merchant", &json!({})).await;
    assert_eq!(write().await.status, 403);
    for (role, label, write_status, manage_status) in [
        ("FULL", "Full access", 200, 403),
        ("ADMIN", "Admin", 200, 400),
        ("VIEWER", "Viewer (read-only)", 403, 403),
        ("VIEWER", "Viewer (read-only)", 403, 403),
    ] {
        assert_eq!(change_role(&admin, "u-viewer", role).await.reply(), (200, json!({"ok": true})), "{role}");
        let item = admin.get(TEAM).await.row("/data", "id", "u-viewer");
        assert_eq!([&item["role"], &item["merchantTeamRole"]], [label, role]);
        assert_eq!(write().await.status, write_status, "{role}");
        assert_eq!(change_role(&viewer, "u-viewer", "FULL").await.status, manage_status, "{role}");
    }
}

#[tokio::test]
async fn role_replaces_individual_permissions() {
    let (_system, [admin, till]) = System::with_callers(["u-admin", "u-till"]).await;
    for (role, card, orders) in [(None, 200, 403), (Some("VIEWER"), 403, 200), (Some("FULL"), 200, 200)] {
        if let Some(role) = role {
            change_role(&admin, "u-till", role).await.ok();
        }
        assert_eq!(till.get("/api/bff/pos/card/QR-500").await.status, card, "{role:?}");
        assert_eq!(till.get("/api/bff/merchant-orders").await.status, orders, "{role:?}");
    }
}

#[tokio::test]
async fn users_cannot_change_their_own_role_and_without_one_count_as_administrators() {
    let (system, unset) = System::signed_in("u-unset").await;
    for user in ["u-admin", "u-unset"] {
        for role in ["ADMIN", "FULL", "VIEWER"] {
            let rejected = change_role(&system.sign_in(user).await, user, role).await;
            let message = "targetUserId: you cannot change your own role.";
            assert_eq!(rejected.reply(), refusal(400, message), "{user} to {role}");
        }
    }
    for role in ["VIEWER", "ADMIN"] {
        change_role(&unset, "u-admin", role).await.ok();
    }
    change_role(&system.sign_in("u-admin").await, "u-unset", "VIEWER").await.ok();
    assert_eq!(change_role(&unset, "u-admin", "VIEWER").await.status, 403);
}

/// Loads a team whose only administrator is `u-last`. The other members are a user who may manage the team, a till, and a
/// platform administrator.
async fn load_team_with_one_administrator(system: &System) {
    let users = json!([
        member("u-last", "m-last", &json!({})),
        member("u-manager", "m-last", &json!({"merchantTeamRole": "FULL", "permissions": ["merchant.team.invite"]})),
        member("u-last-till", "m-last", &json!({"merchantTeamRole": null, "permissions": ["portal.pos"]})),
        member("u-platform", "m-last", &json!({"merchantTeamRole": "VIEWER", "isAdmin": true})),
    ]);
    system.load_fixtures(&json!({"merchants": [{"id": "m-last"}], "users": users})).await;
}

#[tokio::test]
async fn last_administrator_cannot_be_downgraded() {
    let system = System::start().await;
    load_team_with_one_administrator(&system).await;
    let message = "You can only grant or revoke roles and permissions that you have yourself.";
    for caller in ["u-platform", "u-manager"] {
        let caller = system.sign_in(caller).await;
        for role in ["FULL", "VIEWER"] {
            assert_eq!(change_role(&caller, "u-last", role).await.reply(), refusal(403, message), "{role}");
        }
    }
    let last = system.sign_in("u-last").await;
    assert_eq!(change_role(&last, "u-last-till", "ADMIN").await.status, 200);
    let other = system.sign_in("u-last-till").await;
    assert_eq!(change_role(&other, "u-last", "VIEWER").await.status, 200, "the team has another administrator");
    assert_eq!(roles(&other).await, ["u-last-till: ADMIN", "u-last: VIEWER", "u-manager: FULL", "u-platform: VIEWER"]);
}

#[tokio::test]
async fn only_administrators_give_or_take_the_administrator_role() {
    let system = System::start().await;
    load_team_with_one_administrator(&system).await;
    let unset = member("u-unset-role", "m-last", &json!({"merchantTeamRole": null}));
    let restricted = member("u-restricted", "m-last", &json!({"permissions": ["portal.orders"]}));
    system.load_fixtures(&json!({"users": [unset, restricted]})).await;
    let manager = system.sign_in("u-manager").await;
    let message = "You can only grant or revoke roles and permissions that you have yourself.";
    let before = roles(&manager).await;
    for (target, role) in [
        ("u-last", "VIEWER"),
        ("u-last", "ADMIN"),
        ("u-unset-role", "FULL"),
        ("u-restricted", "FULL"),
        ("u-last-till", "ADMIN"),
        ("u-last-till", "VIEWER"),
        ("u-platform", "ADMIN"),
    ] {
        assert_eq!(change_role(&manager, target, role).await.reply(), refusal(403, message), "{target} to {role}");
    }
    assert_eq!(roles(&manager).await, before);
    assert_eq!(change_role(&manager, "u-nowhere", "VIEWER").await.status, 404);
    let platform = system.sign_in("u-platform").await;
    assert_eq!(change_role(&platform, "u-restricted", "VIEWER").await.status, 403, "a viewer of this team");

    for administrator in ["u-last", "u-unset-role"] {
        let caller = system.sign_in(administrator).await;
        for role in ["ADMIN", "FULL"] {
            change_role(&caller, "u-restricted", role).await.ok();
        }
    }
}

#[tokio::test]
async fn concurrent_mutual_downgrades_leave_one_administrator() {
    const ROUNDS: usize = 40;
    let system = System::start().await;
    let users = ["u-one", "u-two"].map(|id| member(id, "m-duel", &json!({})));
    system.load_fixtures(&json!({"merchants": [{"id": "m-duel"}], "users": users})).await;
    let (one, two) = (system.sign_in("u-one").await, system.sign_in("u-two").await);
    for round in 0..ROUNDS {
        let responses = join_all([change_role(&one, "u-two", "VIEWER"), change_role(&two, "u-one", "FULL")]).await;
        let (winner, loser, expected) = match [responses[0].status, responses[1].status] {
            [200, 403] => (&one, "u-two", ["u-one: ADMIN", "u-two: VIEWER"]),
            [403, 200] => (&two, "u-one", ["u-one: FULL", "u-two: ADMIN"]),
            statuses => panic!("round {round}: {statuses:?} {responses:?}"),
        };
        assert_eq!(roles(winner).await, expected, "round {round}");
        assert_eq!(change_role(winner, loser, "ADMIN").await.status, 200, "round {round}");
    }
}

#[tokio::test]
async fn concurrent_role_changes_in_a_team_all_succeed() {
    let (_system, admin) = System::signed_in("u-admin").await;
    for role in ["FULL", "VIEWER", "ADMIN"] {
        let targets = ["u-full", "u-viewer", "u-unset", "u-till"];
        let responses = join_all(targets.map(|target| change_role(&admin, target, role))).await;
        assert!(responses.iter().all(|response| response.status == 200), "{role}: {responses:?}");
        let expected = ["u-full", "u-till", "u-unset", "u-viewer"].map(|target| format!("{target}: {role}"));
        assert_eq!(roles(&admin).await[1..], expected);
    }
}

#[tokio::test]
async fn returns_404_for_a_member_of_another_team() {
    let (system, admin) = System::signed_in("u-admin").await;
    let unknown = change_role(&admin, "u-nowhere", "VIEWER").await;
    assert_eq!(unknown.reply(), refusal(404, "There is no such member in your team."));
    for target in ["u-rival", "u-nobody", "u-root", "invite:c-1", "u-viewer ", "MEMBER#u-viewer", &"x".repeat(5000)] {
        assert_eq!(change_role(&admin, target, "VIEWER").await.comparable(), unknown.comparable(), "{target}");
    }
    assert_eq!(roles(&system.sign_in("u-rival").await).await, ["u-rival: ADMIN"]);
}

#[tokio::test]
async fn role_change_rejects_missing_or_invalid_fields_by_name() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let exactly_one = "merchantTeamRole, permissions: exactly one of them must be given.";
    for (body, message) in [
        ("{}", "targetUserId: is missing."),
        (r#"{"merchantTeamRole": "FULL"}"#, "targetUserId: is missing."),
        (r#"{"targetUserId": "u-viewer"}"#, exactly_one),
        (r#"{"targetUserId": "u-viewer", "merchantTeamRole": "FULL", "permissions": ["portal.pos"]}"#, exactly_one),
        (r#"{"targetUserId": "u-viewer", "permissions": []}"#, "permissions: must not be empty."),
        (r#"{"targetUserId": " ", "merchantTeamRole": "FULL"}"#, "targetUserId: is missing."),
        (r#"{"targetUserId": null, "merchantTeamRole": "FULL"}"#, "targetUserId: must be a string."),
        (r#"{"targetUserId": 7, "merchantTeamRole": "FULL"}"#, "targetUserId: must be a string."),
        (r#"{"targetUserId": "u-viewer", "merchantTeamRole": null}"#, "merchantTeamRole: must be a string."),
        (r#"{"targetUserId": "u-viewer", "merchantTeamRole": {"ADMIN": null}}"#, "merchantTeamRole: must be a string."),
        (r#"{"targetUserId": "u-viewer", "merchantTeamRole": "admin"}"#, "merchantTeamRole: must be ADMIN, FULL or VIEWER."),
        (r#"{"targetUserId": "u-viewer", "merchantTeamRole": ""}"#, "merchantTeamRole: must be ADMIN, FULL or VIEWER."),
        (r#"["u-viewer", "FULL"]"#, "The body is not a JSON object."),
        ("{", "The body is not valid JSON."),
    ] {
        let request = admin.request(reqwest::Method::PATCH, TEAM).body(body);
        assert_eq!(Caller::send_request(request).await.reply(), refusal(400, message), "{body}");
    }
    assert_eq!(roles(&admin).await, ["u-admin: ADMIN", "u-full: FULL", "u-till: unset", "u-unset: unset", "u-viewer: VIEWER"]);
}

#[tokio::test]
async fn a_change_that_cannot_be_stored_changes_no_role() {
    let (system, admin) = System::signed_in("u-admin").await;
    let before = roles(&admin).await;
    system.set_fault("dynamodb", "TransactWriteItems", "status", 500).await;
    let unchanged = change_role(&admin, "u-viewer", "FULL").await;
    assert_eq!(unchanged.reply(), refusal(500, "Something went wrong. Please try again."));
    assert_eq!(roles(&admin).await, before);
}
