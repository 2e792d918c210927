//! The merchant's team: the list, the refused invitation, and changes of roles.

use futures_util::future::join_all;
use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::support::{Answer, Caller, System};

const TEAM: &str = "/api/bff/merchant/users";

fn refusal(message: &str) -> Value {
    json!({"ok": false, "error": {"message": message}})
}

async fn give(caller: &Caller<'_>, target: &str, role: &str) -> Answer {
    caller.patch(TEAM, &json!({"targetUserId": target, "merchantTeamRole": role})).await
}

/// Members of a team as `id: role`, in the order of the list.
async fn roles(caller: &Caller<'_>) -> Vec<String> {
    let team = caller.get(TEAM).await;
    let text = |item: &Value, field: &str| item[field].as_str().unwrap_or("unset").to_owned();
    let items = team.at("/data").as_array().unwrap().clone();
    items.iter().map(|item| format!("{}: {}", text(item, "id"), text(item, "merchantTeamRole"))).collect()
}

#[tokio::test]
async fn invites_come_first_and_both_groups_are_sorted_by_folded_email() {
    let system = System::start().await;
    let invite = |id: &str,
                  email: &str,
                  role: Value,
                  verified_at: Value,
                  verification_ends: &str,
                  ends: &str| {
        json!({"challengeId": id, "merchantId": "m-aurora", "email": email, "merchantTeamRole": role, "firstName": "In",
               "lastName": "Vited", "verifiedAt": verified_at, "verificationExpiresAt": verification_ends, "expiresAt": ends})
    };
    let verified = json!("now-1h");
    system
        .load(&json!({
            "invites": [
                invite("c-waits", "b@new.example", json!("VIEWER"), Value::Null, "now+1h", "now+7d"),
                invite("c-late", "A@new.example", json!("FULL"), Value::Null, "now-1h", "now+7d"),
                invite("c-invited", "C@new.example", json!("ADMIN"), verified.clone(), "now-1h", "now+7d"),
                invite("c-ended", "d@new.example", Value::Null, verified.clone(), "now-8d", "now-1d"),
                invite("c-accepted", "ADMIN@Aurora.example", json!("FULL"), verified, "now-1h", "now+7d"),
                {"challengeId": "c-rival", "merchantId": "m-rival", "email": "a@rival.example",
                 "verificationExpiresAt": "now+1h"},
            ],
        }))
        .await;
    assert_json_snapshot!("list", system.user("u-viewer").await.get(TEAM).await);
}

#[tokio::test]
async fn a_user_without_a_merchant_has_an_empty_team() {
    let system = System::start().await;
    for user in ["u-nobody", "u-root"] {
        let team = system.user(user).await.get(TEAM).await;
        assert_eq!((team.status, &team.body), (200, &json!({"ok": true, "data": []})), "{user}");
    }
}

#[tokio::test]
async fn every_invitation_leads_to_the_dashboard() {
    let system = System::start().await;
    let refused = system.user("u-nobody").await.post(TEAM, &json!({"email": "new@aurora.example"})).await;
    assert_json_snapshot!("invitation_refused", refused);
    let admin = system.user("u-admin").await;
    for body in ["", "{", "[]", "{}"] {
        let answer = admin.post_text(TEAM, body).await;
        assert_eq!((answer.status, &answer.body), (400, &refused.body), "{body}");
    }
}

#[tokio::test]
async fn a_new_role_is_shown_and_holds_at_once() {
    let system = System::start().await;
    let (admin, viewer) = (system.user("u-admin").await, system.user("u-viewer").await);
    let write = async || viewer.put("/api/bff/merchant", &json!({})).await;
    assert_eq!(write().await.status, 403);
    for (role, label, may_write, may_manage) in [
        ("FULL", "Full access", 200, 403),
        ("ADMIN", "Admin", 200, 400),
        ("VIEWER", "Viewer (read-only)", 403, 403),
        ("VIEWER", "Viewer (read-only)", 403, 403),
    ] {
        let changed = give(&admin, "u-viewer", role).await;
        assert_eq!((changed.status, changed.body), (200, json!({"ok": true})), "{role}");
        let team = admin.get(TEAM).await;
        let items = team.at("/data").as_array().unwrap();
        let item = items.iter().find(|item| item["id"] == "u-viewer").unwrap();
        assert_eq!((&item["role"], &item["merchantTeamRole"]), (&json!(label), &json!(role)));
        assert_eq!(write().await.status, may_write, "{role}");
        assert_eq!(give(&viewer, "u-viewer", "FULL").await.status, may_manage, "{role}");
    }
}

#[tokio::test]
async fn a_role_takes_the_place_of_permissions_that_were_listed_one_by_one() {
    let system = System::start().await;
    let (admin, till) = (system.user("u-admin").await, system.user("u-till").await);
    let statuses = async || {
        [till.get("/api/bff/pos/card/QR-500").await.status, till.get("/api/bff/merchant-orders").await.status]
    };
    assert_eq!(statuses().await, [200, 403]);
    assert_eq!(give(&admin, "u-till", "VIEWER").await.status, 200);
    assert_eq!(statuses().await, [403, 200]);
    assert_eq!(give(&admin, "u-till", "FULL").await.status, 200);
    assert_eq!(statuses().await, [200, 200]);
}

#[tokio::test]
async fn nobody_changes_their_own_role() {
    let system = System::start().await;
    for user in ["u-admin", "u-unset"] {
        for role in ["ADMIN", "FULL", "VIEWER"] {
            let refused = give(&system.user(user).await, user, role).await;
            let message = "targetUserId: you cannot change your own role.";
            assert_eq!((refused.status, refused.body), (400, refusal(message)), "{user} to {role}");
        }
    }
}

/// A team whose only administrator is `u-last`; beside her somebody who may manage the team without being one, a till,
/// and a platform administrator.
async fn team_with_one_administrator(system: &System) {
    let member = |id: &str, more: Value| {
        let mut user = json!({"id": id, "email": format!("{id}@last.example"), "merchantId": "m-last"});
        user.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        user
    };
    system
        .load(&json!({
            "merchants": [{"id": "m-last"}],
            "users": [
                member("u-last", json!({"merchantTeamRole": "ADMIN"})),
                member("u-manager", json!({"merchantTeamRole": "FULL", "permissions": ["merchant.team.invite"]})),
                member("u-last-till", json!({"permissions": ["portal.pos"]})),
                member("u-platform", json!({"merchantTeamRole": "VIEWER", "isAdmin": true})),
            ],
        }))
        .await;
}

#[tokio::test]
async fn the_last_administrator_stays_one() {
    let system = System::start().await;
    team_with_one_administrator(&system).await;
    let message = "merchantTeamRole: the last administrator of a team stays one.";
    for user in ["u-manager", "u-platform"] {
        let caller = system.user(user).await;
        for role in ["FULL", "VIEWER"] {
            let refused = give(&caller, "u-last", role).await;
            assert_eq!((refused.status, refused.body), (400, refusal(message)), "{user} to {role}");
        }
        assert_eq!(give(&caller, "u-last", "ADMIN").await.status, 200, "{user}");
    }
    let manager = system.user("u-manager").await;
    assert_eq!(give(&manager, "u-last-till", "ADMIN").await.status, 200);
    assert_eq!(give(&manager, "u-last", "VIEWER").await.status, 200, "there is another one now");
    assert_eq!(
        roles(&manager).await,
        ["u-last-till: ADMIN", "u-last: VIEWER", "u-manager: FULL", "u-platform: VIEWER"]
    );
}

#[tokio::test]
async fn a_member_without_a_role_counts_as_an_administrator() {
    let system = System::start().await;
    let unset = system.user("u-unset").await;
    assert_eq!(give(&unset, "u-admin", "VIEWER").await.status, 200, "the one without a role is left");
    assert_eq!(give(&unset, "u-admin", "ADMIN").await.status, 200);
    let admin = system.user("u-admin").await;
    assert_eq!(give(&admin, "u-unset", "VIEWER").await.status, 200);
    assert_eq!(give(&unset, "u-admin", "VIEWER").await.status, 403);
}

#[tokio::test]
async fn two_administrators_who_downgrade_each_other_at_the_same_moment_do_not_both_succeed() {
    const ROUNDS: usize = 40;
    let system = System::start().await;
    let duellist = |id: &str| json!({"id": id, "email": format!("{id}@duel.example"), "merchantId": "m-duel", "merchantTeamRole": "ADMIN"});
    system
        .load(&json!({"merchants": [{"id": "m-duel"}], "users": [duellist("u-one"), duellist("u-two")]}))
        .await;
    let (one, two) = (system.user("u-one").await, system.user("u-two").await);
    for round in 0..ROUNDS {
        let answers = join_all([give(&one, "u-two", "VIEWER"), give(&two, "u-one", "FULL")]).await;
        let (winner, loser, standing) = match [answers[0].status, answers[1].status] {
            [200, 403] => (&one, "u-two", ["u-one: ADMIN", "u-two: VIEWER"]),
            [403, 200] => (&two, "u-one", ["u-one: FULL", "u-two: ADMIN"]),
            statuses => panic!("round {round}: {statuses:?} {answers:?}"),
        };
        assert_eq!(roles(winner).await, standing, "round {round}");
        assert_eq!(give(winner, loser, "ADMIN").await.status, 200, "round {round}");
    }
}

#[tokio::test]
async fn changes_of_one_team_at_the_same_moment_all_take_place() {
    let system = System::start().await;
    let admin = system.user("u-admin").await;
    for role in ["FULL", "VIEWER", "ADMIN"] {
        let targets = ["u-full", "u-viewer", "u-unset", "u-till"];
        let answers = join_all(targets.map(|target| give(&admin, target, role))).await;
        assert!(answers.iter().all(|answer| answer.status == 200), "{role}: {answers:?}");
        let expected = ["u-full", "u-till", "u-unset", "u-viewer"].map(|target| format!("{target}: {role}"));
        assert_eq!(roles(&admin).await[1..], expected);
    }
}

#[tokio::test]
async fn a_member_of_another_team_looks_like_one_who_does_not_exist() {
    let system = System::start().await;
    let admin = system.user("u-admin").await;
    let unknown = give(&admin, "u-nowhere", "VIEWER").await;
    assert_eq!((unknown.status, &unknown.body), (404, &refusal("There is no such member in your team.")));
    for target in ["u-rival", "u-nobody", "u-root", "invite:c-1", "u-viewer ", "MEMBER#u-viewer"] {
        let answer = give(&admin, target, "VIEWER").await;
        assert_eq!(answer.whole(), unknown.whole(), "{target}");
    }
    let long = give(&admin, &"x".repeat(5000), "VIEWER").await;
    assert_eq!(long.whole(), unknown.whole());
    assert_eq!(roles(&system.user("u-rival").await).await, ["u-rival: ADMIN"]);
}

#[tokio::test]
async fn a_change_of_role_needs_both_fields_and_says_which_is_wrong() {
    let system = System::start().await;
    let admin = system.user("u-admin").await;
    for (body, message) in [
        ("{}", "targetUserId: is missing."),
        (r#"{"merchantTeamRole": "FULL"}"#, "targetUserId: is missing."),
        (r#"{"targetUserId": "u-viewer"}"#, "merchantTeamRole: is missing."),
        (r#"{"targetUserId": " ", "merchantTeamRole": "FULL"}"#, "targetUserId: is missing."),
        (
            r#"{"targetUserId": null, "merchantTeamRole": "FULL"}"#,
            "targetUserId: invalid type: null, expected a string",
        ),
        (
            r#"{"targetUserId": 7, "merchantTeamRole": "FULL"}"#,
            "targetUserId: invalid type: integer `7`, expected a string",
        ),
        (
            r#"{"targetUserId": "u-viewer", "merchantTeamRole": null}"#,
            "merchantTeamRole: invalid type: null, expected a string",
        ),
        (
            r#"{"targetUserId": "u-viewer", "merchantTeamRole": {"ADMIN": null}}"#,
            "merchantTeamRole: invalid type: map, expected a string",
        ),
        (
            r#"{"targetUserId": "u-viewer", "merchantTeamRole": "admin"}"#,
            "merchantTeamRole: unknown variant `admin`, expected one of `ADMIN`, `FULL`, `VIEWER`",
        ),
        (
            r#"{"targetUserId": "u-viewer", "merchantTeamRole": ""}"#,
            "merchantTeamRole: unknown variant ``, expected one of `ADMIN`, `FULL`, `VIEWER`",
        ),
        (r#"["u-viewer", "FULL"]"#, "The body is not a JSON object."),
        ("{", "The body is not valid JSON."),
    ] {
        let request = admin.request(reqwest::Method::PATCH, TEAM).body(body);
        let answer = Caller::answer(request).await;
        assert_eq!((answer.status, &answer.body), (400, &refusal(message)), "{body}");
    }
    assert_eq!(
        roles(&admin).await,
        ["u-admin: ADMIN", "u-full: FULL", "u-till: unset", "u-unset: unset", "u-viewer: VIEWER"]
    );
}

#[tokio::test]
async fn a_caller_who_may_not_is_told_why() {
    let system = System::start().await;
    let stranger = system.anonymous();
    for answer in [
        stranger.get(TEAM).await,
        stranger.post(TEAM, &json!({})).await,
        give(&stranger, "u-viewer", "FULL").await,
    ] {
        assert_eq!((answer.status, answer.body), (401, refusal("Sign in to do this.")));
    }
    let nobody = give(&system.user("u-nobody").await, "u-viewer", "FULL").await;
    assert_eq!((nobody.status, nobody.body), (404, refusal("Your account is not linked to a merchant.")));
    for user in ["u-full", "u-viewer", "u-till"] {
        let answer = give(&system.user(user).await, "u-nowhere", "none").await;
        let message = "You do not have permission to do this.";
        assert_eq!((answer.status, answer.body), (403, refusal(message)), "{user}");
    }
}

#[tokio::test]
async fn a_table_that_fails_changes_nothing() {
    let system = System::start().await;
    let admin = system.user("u-admin").await;
    let failing = |operation: &str| json!([{"target": "dynamodb", "match": operation, "kind": "status", "times": "always", "value": 500}]);
    let before = roles(&admin).await;
    let usual = refusal("Something went wrong. Please try again.");
    system.faults(failing("TransactWriteItems")).await;
    let unchanged = give(&admin, "u-viewer", "FULL").await;
    assert_eq!((unchanged.status, &unchanged.body), (500, &usual));
    system.faults(failing("Query")).await;
    for answer in [admin.get(TEAM).await, give(&admin, "u-viewer", "FULL").await] {
        assert_eq!((answer.status, &answer.body), (500, &usual));
    }
    system.faults(json!([])).await;
    assert_eq!(roles(&admin).await, before);
}
