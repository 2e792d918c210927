//! Invitations to a team, and the removal of members.

use futures_util::future::join;
use reqwest::Method;
use serde_json::{Value, json};
use shared::merchants::model::merchant::MerchantStatus;
use world::shop::{member, with};
use world::{ApiResponse, Browser, Caller, System, error_code, outcomes, refusal};

const INVITES: &str = "/api/auth/invites";
const SESSION: &str = "/api/auth/session";
const ADMIN: &str = "admin@aurora.example";
const IDA: &str = "ida@example.com";

fn invite(email: &str, more: &Value) -> Value {
    with(json!({"email": email, "firstName": "Ida", "lastName": "Holm"}), more)
}

fn viewer(email: &str) -> Value {
    invite(email, &json!({"merchantTeamRole": "VIEWER"}))
}

fn path(id: &str, action: &str) -> String {
    format!("{INVITES}/{id}/{action}")
}

async fn confirm(maker: &Caller, id: &str, code: &str) -> ApiResponse {
    maker.post(&path(id, "verification"), &json!({"code": code})).await
}

/// Invites somebody and confirms it. Returns the id.
async fn invited(system: &System, maker: &Caller, maker_email: &str, body: &Value) -> String {
    let created = maker.post(INVITES, body).await.ok();
    let id = created.text("/data/challengeId");
    let code = system.code_mailed_to(maker_email).await;
    confirm(maker, &id, &code).await.ok();
    system.drain().await;
    id
}

async fn accept(browser: &mut Browser<'_>, id: &str) -> ApiResponse {
    browser.post_empty(&path(id, "acceptance")).await
}

#[tokio::test]
async fn a_confirmed_invitation_makes_a_member() {
    let (system, manual_clock) = System::at("2026-05-28T20:26:40Z").await;
    let admin = system.sign_in("u-admin").await;
    let created = admin.post(INVITES, &viewer(IDA)).await;
    let id = created.text("/data/challengeId");
    let pending = json!({
        "challengeId": id, "status": "Pending your verification",
        "verificationExpiresAt": "2026-05-28T20:36:40.000Z", "expiresAt": "2026-06-04T20:26:40.000Z",
    });
    assert_eq!(created.at("/data"), &pending);
    let code = system.code_mailed_to(ADMIN).await;
    assert_eq!(error_code(&confirm(&admin, &id, "2222-2222").await), (400, "CODE_INVALID"));
    manual_clock.advance(60);
    let confirmed = confirm(&admin, &id, &code).await;
    assert_eq!(confirmed.at("/data/status"), "Invited, pending acceptance");
    assert_eq!(confirmed.at("/data/expiresAt"), "2026-06-04T20:27:40.000Z");
    assert_eq!(error_code(&confirm(&admin, &id, &code).await), (400, "CODE_INVALID"), "used");

    system.drain().await;
    let mail = system.emails().await.pop().unwrap();
    assert_eq!((&mail["to"][0], &mail["subject"]), (&json!(IDA), &json!("You have been invited to Aurora Coffee")));
    let dashboard = &system.local.listening.clients.as_ref().unwrap().dashboard;
    let link = format!("{dashboard}/invite#{id}");
    assert!(mail["text"].as_str().unwrap().lines().any(|line| line == link), "{mail}");

    let mut ida = Browser::signed_in(&system, 2, IDA).await;
    let invite = json!({
        "challengeId": id, "merchantName": "Aurora Coffee", "role": "VIEWER", "permissions": null,
        "expiresAt": "2026-06-04T20:27:40.000Z",
    });
    assert_eq!(ida.get(SESSION).await.at("/data/invites"), &json!([invite]));
    let accepted = accept(&mut ida, &id).await;
    let shown = ["role", "user/firstName", "invites"].map(|field| accepted.at(&format!("/data/{field}")));
    assert_eq!(json!(shown), json!(["VIEWER", "Ida", []]));
    assert_eq!(ida.get("/api/bff/merchant-orders").await.status, 200);
    let emails = admin.get("/api/bff/merchant/users").await.each("/data", "email");
    assert!(emails.contains(&json!(IDA)));
    assert_eq!(error_code(&accept(&mut ida, &id).await), (410, "INVITE_OVER"), "used");
}

#[tokio::test]
async fn an_invitation_gives_a_role_or_a_list_of_permissions() {
    let (system, admin) = System::signed_in("u-admin").await;
    let exactly_one = "merchantTeamRole, permissions: exactly one of them must be given.";
    let as_viewer = |field: &str, value: Value| json!({"merchantTeamRole": "VIEWER", field: value});
    for (more, message) in [
        (json!({}), exactly_one),
        (as_viewer("permissions", json!(["portal.pos"])), exactly_one),
        (json!({"permissions": []}), "permissions: must not be empty."),
        (as_viewer("firstName", json!(" ")), "firstName: must have 1 to 80 characters."),
        (as_viewer("lastName", json!("x://y")), "lastName: must not contain a link."),
        (as_viewer("lastName", json!("Ho\u{202e}lm")), "lastName: must not contain control or invisible characters."),
        (as_viewer("email", json!("ida")), "email: must be a valid e-mail address."),
        (as_viewer("phonePrefix", json!("46")), "phonePrefix: must be a plus sign and one to four digits."),
        (json!({"merchantTeamRole": "OWNER"}), "merchantTeamRole: must be ADMIN, FULL or VIEWER."),
    ] {
        assert_eq!(admin.post(INVITES, &invite(IDA, &more)).await.reply(), refusal(400, message));
    }
    for (number, name) in ["李", "O", "Å", "می\u{200c}نا"].into_iter().enumerate() {
        let named = json!({"merchantTeamRole": "VIEWER", "firstName": name, "lastName": name});
        assert_eq!(admin.post(INVITES, &invite(&format!("{number}@example.com"), &named)).await.status, 201, "{name}");
    }
    let body = invite(IDA, &json!({"permissions": ["portal.pos", "portal.orders"]}));
    let id = invited(&system, &admin, ADMIN, &body).await;
    let mut ida = Browser::signed_in(&system, 2, IDA).await;
    let accepted = accept(&mut ida, &id).await;
    assert_eq!(
        (accepted.at("/data/role"), accepted.at("/data/permissions")),
        (&Value::Null, &json!(["portal.orders", "portal.pos"]))
    );
    assert_eq!(ida.get("/api/bff/settlements").await.status, 403);
}

#[tokio::test]
async fn nobody_gives_what_they_do_not_have() {
    let system = System::start().await;
    let powers = json!({"merchantTeamRole": "FULL", "permissions": ["merchant.team.invite", "portal.orders"]});
    let manager = system.join("u-manager", "m-aurora", &with(powers, &json!({"emailVerified": true}))).await;
    for (more, status) in [
        (json!({"merchantTeamRole": "ADMIN"}), 403),
        (json!({"merchantTeamRole": "FULL"}), 403),
        (json!({"merchantTeamRole": "VIEWER"}), 403),
        (json!({"permissions": ["merchant.team.invite"]}), 403),
        (json!({"permissions": ["portal.orders", "portal.pos"]}), 403),
        (json!({"permissions": ["portal.orders"]}), 201),
    ] {
        assert_eq!(manager.post(INVITES, &invite(IDA, &more)).await.status, status, "{more}");
    }
    assert_eq!(system.sign_in("u-full").await.post(INVITES, &viewer("x@example.com")).await.status, 403);
}

#[tokio::test]
async fn an_invitation_is_over_once_its_maker_may_not_make_it() {
    let (system, admin) = System::signed_in("u-admin").await;
    let unset = system.sign_in("u-unset").await;
    let id = invited(&system, &unset, "Unset@aurora.example", &viewer(IDA)).await;
    let mut ida = Browser::signed_in(&system, 2, IDA).await;
    let role = |role| json!({"targetUserId": "u-unset", "merchantTeamRole": role});
    admin.patch("/api/bff/merchant/users", &role("FULL")).await;
    assert_eq!(error_code(&accept(&mut ida, &id).await), (410, "INVITE_OVER"));
    assert_eq!(ida.get(SESSION).await.at("/data/invites"), &json!([]));
    admin.patch("/api/bff/merchant/users", &role("ADMIN")).await;
    assert_eq!(admin.delete("/api/auth/members/u-unset").await.status, 200);
    assert_eq!(error_code(&accept(&mut ida, &id).await), (410, "INVITE_OVER"));
    let ids = admin.get("/api/bff/merchant/users").await.each("/data", "id");
    assert!(!ids.contains(&json!(format!("invite:{id}"))), "{ids:?}");
}

#[tokio::test]
async fn an_address_is_invited_once_at_a_time_and_members_not_at_all() {
    let (system, manual_clock) = System::at("2026-05-28T20:26:40Z").await;
    let (admin, unset) = (system.sign_in("u-admin").await, system.sign_in("u-unset").await);
    assert_eq!(error_code(&admin.post(INVITES, &viewer("FULL@aurora.example")).await), (409, "ALREADY_MEMBER"));
    let (body, same) = (viewer(IDA), viewer("IDA@example.com"));
    let (one, other) = join(admin.post(INVITES, &body), unset.post(INVITES, &same)).await;
    assert_eq!(outcomes([&one, &other]), [(201, ""), (409, "ALREADY_INVITED")]);
    assert_eq!(error_code(&admin.post(INVITES, &viewer(IDA)).await), (409, "ALREADY_INVITED"));
    manual_clock.advance(600);
    assert_eq!(admin.post(INVITES, &viewer(IDA)).await.status, 201, "it was not confirmed in time");
    let team = admin.get("/api/bff/merchant/users").await;
    let rows = team.list("/data");
    assert_eq!(rows.iter().filter(|row| row["id"].as_str().unwrap().starts_with("invite:")).count(), 1);
}

#[tokio::test]
async fn only_its_maker_confirms_and_resends_and_only_the_invited_address_accepts() {
    let (system, [admin, unset]) = System::with_callers(["u-admin", "u-unset"]).await;
    let rival = system.sign_in("u-rival").await;
    let (id, code) = with_code(&system, &admin, ADMIN).await;
    for other in [&unset, &rival] {
        assert_eq!(confirm(other, &id, &code).await.status, 404);
        assert_eq!(other.post_empty(&path(&id, "resend")).await.status, 404);
    }
    assert_eq!(rival.delete(&format!("{INVITES}/{id}")).await.status, 404);
    // The code of an invitation signs nobody in, and the invitation cannot be accepted before it is confirmed.
    let mut browser = Browser::at(&system, 2);
    assert_eq!(browser.exchange(&id, &code).await.status, 400);
    let mut ida = Browser::signed_in(&system, 3, IDA).await;
    assert_eq!(error_code(&accept(&mut ida, &id).await), (410, "INVITE_OVER"));
    assert_eq!(confirm(&admin, &id, &code).await.status, 200);
    let mut stranger = Browser::signed_in(&system, 4, "bo@example.com").await;
    let other_address = accept(&mut stranger, &id).await;
    assert_eq!(error_code(&other_address), (403, "OTHER_ADDRESS"));
    assert_eq!(other_address.at("/error/invitedAddress"), "i•••@e•••.com");
    let mut member = Browser::signed_in(&system, 5, "full@aurora.example").await;
    assert_eq!(error_code(&accept(&mut member, &id).await), (403, "OTHER_ADDRESS"));
    assert_eq!(unset.delete(&format!("{INVITES}/{id}")).await.status, 200);
    assert_eq!(unset.delete(&format!("{INVITES}/{id}")).await.status, 404);
    assert_eq!(error_code(&accept(&mut ida, &id).await), (410, "INVITE_OVER"));
}

#[tokio::test]
async fn of_two_acceptances_at_the_same_time_one_succeeds_and_none_of_who_belongs_to_another_merchant() {
    let (system, admin) = System::signed_in("u-admin").await;
    let id = invited(&system, &admin, ADMIN, &viewer("admin@rival.example")).await;
    let mut rival = Browser::signed_in(&system, 2, "admin@rival.example").await;
    assert_eq!(error_code(&accept(&mut rival, &id).await), (409, "ALREADY_LINKED"));
    let id = invited(&system, &admin, ADMIN, &viewer(IDA)).await;
    let (mut one, mut other) = (Browser::signed_in(&system, 3, IDA).await, Browser::signed_in(&system, 4, IDA).await);
    let (first, second) = join(accept(&mut one, &id), accept(&mut other, &id)).await;
    assert!(matches!(outcomes([&first, &second])[..], [(200, _), (409 | 410, _)]), "{first:?} {second:?}");
}

#[tokio::test]
async fn a_resent_code_replaces_the_one_before_and_a_resent_link_is_good_for_seven_more_days() {
    let (system, manual_clock) = System::at("2026-05-28T20:26:40Z").await;
    let admin = system.sign_in("u-admin").await;
    let (id, first) = with_code(&system, &admin, ADMIN).await;
    manual_clock.advance(11 * 60);
    let resent = admin.post_empty(&path(&id, "resend")).await;
    assert_eq!(resent.at("/data/status"), "Pending your verification");
    let second = system.code_mailed_to(ADMIN).await;
    assert_eq!(confirm(&admin, &id, &first).await.status, 400);
    assert_eq!(confirm(&admin, &id, &second).await.status, 200);
    manual_clock.advance(6 * 24 * 3600);
    assert_eq!(system.sign_in("u-admin").await.post_empty(&path(&id, "resend")).await.status, 200);
    manual_clock.advance(7 * 24 * 3600 - 1);
    let mut ida = Browser::signed_in(&system, 2, IDA).await;
    assert_eq!(ida.get(SESSION).await.list("/data/invites").len(), 1);
    manual_clock.advance(1);
    assert_eq!(error_code(&accept(&mut ida, &id).await), (410, "INVITE_OVER"));
}

#[tokio::test]
async fn mails_are_limited_for_a_merchant_and_for_an_invited_address() {
    let (system, manual_clock) = System::at("2026-05-28T20:26:40Z").await;
    let admin = system.sign_in("u-admin").await;
    system.load_fixtures(&json!({"users": [member("u-boss", "m-aurora", &json!({}))]})).await;
    let id = invited(&system, &admin, ADMIN, &viewer(IDA)).await;
    for _ in 0..2 {
        assert_eq!(admin.post_empty(&path(&id, "resend")).await.status, 200);
    }
    assert_eq!(admin.post_empty(&path(&id, "resend")).await.status, 429);
    // Confirming and mailing again are not invitations: one of ten is gone.
    let (unset, boss) = (system.sign_in("u-unset").await, system.sign_in("u-boss").await);
    for (member, left) in [(&admin, 9), (&unset, 10)] {
        for number in 0..left {
            member.post(INVITES, &viewer(&format!("a{left}-{number}@example.com"))).await.ok();
            manual_clock.advance(600);
        }
        let refused = member.post(INVITES, &viewer("last@example.com")).await;
        assert!(refused.status == 429 && refused.contains("You have reached your limit of 10 invitations a day."), "{refused:?}");
    }
    let refused = boss.post(INVITES, &viewer("last@example.com")).await;
    assert!(refused.status == 429 && refused.contains("Your team has reached its limit of 20 invitations a day."), "{refused:?}");
}

/// A stranger founds a merchant for nothing, and invites somebody whom an employer wants to invite.
#[tokio::test]
async fn nobody_uses_up_the_invitations_of_another_merchant() {
    let (system, _) = System::at("2026-05-28T20:26:40Z").await;
    for n in 1..=2 {
        let merchant = json!({"id": format!("m-{n}"), "slug": format!("m-{n}"), "status": "DRAFT"});
        let user = member(&format!("u-{n}"), &format!("m-{n}"), &json!({"email": format!("u{n}@draft.example")}));
        system.load_fixtures(&json!({"merchants": [merchant], "users": [user]})).await;
    }
    let mails_sent = async || system.subjects_to(IDA).await.len();
    let one = system.sign_in("u-1").await;
    // Confirmed and withdrawn at once: nothing is mailed, and nothing counts.
    for _ in 0..5 {
        let (id, code) = with_code(&system, &one, "u1@draft.example").await;
        // Before a worker sends the mail.
        let statuses = async { [confirm(&one, &id, &code).await.status, one.delete(&format!("{INVITES}/{id}")).await.status] };
        assert_eq!(system.local.pause(statuses).await, [200, 200]);
        assert_eq!(mails_sent().await, 0);
    }
    // What is mailed counts, for all merchants that were never active together.
    for _ in 0..3 {
        let (id, status) = confirmed(&system, &one, "u1@draft.example").await;
        assert_eq!(status, 200);
        system.drain().await;
        assert_eq!(one.delete(&format!("{INVITES}/{id}")).await.status, 200);
    }
    assert_eq!(mails_sent().await, 3);
    assert_eq!(confirmed(&system, &system.sign_in("u-2").await, "u2@draft.example").await.1, 429);
    // An active merchant has its own.
    let admin = system.sign_in("u-admin").await;
    let (id, status) = confirmed(&system, &admin, ADMIN).await;
    assert_eq!(status, 200);
    for status in [200, 200, 429] {
        assert_eq!(admin.post_empty(&path(&id, "resend")).await.status, status);
    }
}

/// Invites Ida and confirms it. Returns the id, and the status of the confirmation.
async fn confirmed(system: &System, caller: &Caller, email: &str) -> (String, u16) {
    let (id, code) = with_code(system, caller, email).await;
    let status = confirm(caller, &id, &code).await.status;
    (id, status)
}

/// A new invitation, and the code that confirms it.
async fn with_code(system: &System, caller: &Caller, email: &str) -> (String, String) {
    let id = caller.post(INVITES, &viewer(IDA)).await.ok().text("/data/challengeId");
    (id, system.code_mailed_to(email).await)
}

#[tokio::test]
async fn members_are_removed_and_leave_but_an_administrator_stays() {
    let (system, admin) = System::signed_in("u-admin").await;
    let remove = async |caller: &Caller, user: &str| caller.delete(&format!("/api/auth/members/{user}")).await.status;
    let (full, viewer) = (system.sign_in("u-full").await, system.sign_in("u-viewer").await);
    assert_eq!(remove(&full, "u-viewer").await, 403);
    assert_eq!(remove(&system.sign_in("u-rival").await, "u-viewer").await, 404);
    assert_eq!(remove(&admin, "u-viewer").await, 200);
    assert_eq!(viewer.get(SESSION).await.status, 401, "the session ended with the membership");
    assert_eq!(system.sign_in("u-viewer").await.get(SESSION).await.at("/data/merchant"), &Value::Null);
    assert_eq!(remove(&full, "u-full").await, 200, "anybody may leave");
    assert_eq!(remove(&admin, "u-unset").await, 200);
    assert_eq!(remove(&admin, "u-admin").await, 400, "the last administrator stays");
    assert_eq!(admin.get(SESSION).await.status, 200);
}

#[tokio::test]
async fn two_administrators_who_remove_each_other_do_not_leave_a_team_without_one() {
    let (_system, [admin, unset]) = System::with_callers(["u-admin", "u-unset"]).await;
    let (one, other) = join(admin.delete("/api/auth/members/u-unset"), unset.delete("/api/auth/members/u-admin")).await;
    assert_eq!([one.status, other.status].iter().filter(|status| **status == 200).count(), 1, "{one:?} {other:?}");
}

#[tokio::test]
async fn a_closed_merchant_invites_nobody() {
    let (system, admin) = System::signed_in("u-admin").await;
    let (id, code) = with_code(&system, &admin, ADMIN).await;
    system.change_merchant("m-aurora", |merchant| merchant.status = MerchantStatus::Inactive.into()).await;
    let created = admin.post(INVITES, &viewer("bo@example.com")).await;
    let resent = admin.post_empty(&path(&id, "resend")).await;
    for refused in [created, confirm(&admin, &id, &code).await, resent] {
        assert_eq!(error_code(&refused), (409, "MERCHANT_INACTIVE"), "{refused:?}");
    }
}

/// Routes without a body do not look at one, but a form of another site names its type.
#[tokio::test]
async fn writes_without_a_body_refuse_other_content_types() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let id = admin.post(INVITES, &viewer(IDA)).await.text("/data/challengeId");
    let withdraw = || admin.request(Method::DELETE, &format!("{INVITES}/{id}"));
    for (content_type, status) in [
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("application/json; charset=utf-8", 200),
    ] {
        let withdraw = withdraw().header("content-type", content_type);
        assert_eq!(Caller::send_request(withdraw).await.status, status, "{content_type}");
    }
}
