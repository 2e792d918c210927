//! Who gives and takes what in a team: every kind of member, everything that can be given or taken, every route that does.
//!
//! `model` says what is expected, in the words of the API. It shares no code with the domain.

pub(crate) mod model;

mod histories;

use jiff::Timestamp;
use serde_json::{Value, json};
use shared::db::Write;
use shared::team::model::passkey::{Enrolment, EnrolmentCode};
use shared::team::model::team::{Membership, Powers, Stamp, User};
use shared::values::{MerchantId, OpenEnum, UserId};

use model::{Member, PERMISSIONS};
use world::{Browser, Caller, System, all_cases, error_code};

/// What a member can hold: each role, none, each permission as a list, and some lists.
fn kinds() -> Vec<Member> {
    let roles = [Some("ADMIN"), Some("FULL"), Some("VIEWER"), None].map(Member::with_role);
    let singles = PERMISSIONS.iter().map(|permission| Member::with_list(&[permission]));
    let lists = [
        Member::with_list(&PERMISSIONS),
        Member::with_list(&["merchant.team.invite", "portal.orders"]),
        Member::with_list(&["merchant.team.invite", "portal.pos"]),
        Member { role: Some("ADMIN"), ..Member::with_list(&["merchant.team.invite"]) },
    ];
    roles.into_iter().chain(singles).chain(lists).collect()
}

/// Each kind of giver, once as a platform administrator as well: that gives no power.
fn givers() -> Vec<(Member, bool)> {
    kinds().into_iter().flat_map(|kind| [(kind.clone(), false), (kind, true)]).collect()
}

pub(crate) fn powers(member: &Member) -> Powers {
    let known = |text: &str| serde_json::from_value(json!(text)).unwrap();
    Powers {
        role: member.role.map(|role| OpenEnum::Known(known(role))),
        permissions: member.permissions.as_ref().map(|listed| {
            let permissions = listed.iter().map(|name| serde_json::from_value(json!(name)).unwrap());
            permissions.map(OpenEnum::Known).collect()
        }),
    }
}

/// A merchant with an administrator, a giver of this kind and a target.
struct Team<'a> {
    system: &'a System,
    id: String,
}

impl<'a> Team<'a> {
    async fn load(system: &'a System, number: usize, giver: &Member, is_platform: bool) -> Self {
        let id = format!("m-team-{number}");
        let user = |name: &str, member: &Member, is_admin: bool| {
            json!({"id": format!("u-{name}-{number}"), "email": format!("{name}{number}@team.example"), "merchantId": id,
                   "emailVerified": true, "merchantTeamRole": member.role, "permissions": member.permissions, "isAdmin": is_admin})
        };
        let admin = Member::with_role(Some("ADMIN"));
        let users = json!([user("admin", &admin, false), user("giver", giver, is_platform), user("target", &admin, false),]);
        let merchant = json!({"id": id, "slug": id, "name": "Team", "status": "ACTIVE"});
        system.load_fixtures(&json!({"merchants": [merchant], "users": users})).await;
        Self { system, id }
    }

    fn user(&self, name: &str) -> String {
        format!("u-{name}-{}", self.id.trim_start_matches("m-team-"))
    }

    async fn giver(&self) -> Caller {
        self.system.sign_in(&self.user("giver")).await
    }

    /// Makes the target a member of this kind again, whatever it is now.
    async fn reset_target(&self, kind: &Member) {
        let store = &self.system.store();
        let (merchant, id) = (MerchantId::new(self.id.as_str()), UserId::new(self.user("target")));
        let membership = Membership::new(merchant.clone(), id.clone(), powers(kind), Stamp::new([0; 16]));
        let user = store.user(&id).await.unwrap().unwrap();
        let linked = User { merchant_id: Some(merchant), ..user.value.clone() };
        let writes = [Write::put(&membership), Write::replace(&user, &linked)].map(Result::unwrap);
        store.commit(writes.into()).await.unwrap();
    }
}

#[tokio::test]
async fn members_give_and_take_exactly_what_the_rule_allows() {
    let system = System::start().await;
    let (mut checked, mut allowed) = (0, 0);
    let mut check = |what: String, expected: bool, status: u16| {
        checked += 1;
        allowed += usize::from(expected);
        let refused = if expected { status < 300 } else { status == 403 };
        assert!(refused, "{what}: {status}");
    };
    // Of the pairs of what a member holds and what they get, one of 24 by default.
    let all = all_cases();
    for (number, (giver, is_platform)) in givers().into_iter().enumerate() {
        let team = Team::load(&system, number, &giver, is_platform).await;
        let caller = team.giver().await;
        let passes = is_platform || giver.holds("merchant.team.invite");
        let mut inviter = caller.clone();
        for (index, given) in kinds().into_iter().enumerate() {
            if given.role.is_none() && given.permissions.is_none() {
                continue;
            }
            // A member invites ten a day.
            if index % 10 == 9 {
                inviter = Team::load(&system, 1_000 * index + number, &giver, is_platform).await.giver().await;
            }
            let body = given.as_invite(&format!("i{index}@new{number}.example"));
            let status = inviter.post("/api/auth/invites", &body).await.status;
            check(format!("{giver:?} {is_platform} invites {given:?}"), giver.may_give(&given), status);
        }
        for (index, held) in kinds().into_iter().enumerate() {
            for (other, given) in kinds().into_iter().enumerate() {
                let is_left_out = !all && (index + other + number) % 24 != 0;
                if is_left_out || (given.role.is_none() && given.permissions.is_none()) {
                    continue;
                }
                team.reset_target(&held).await;
                let mut body = given.as_request();
                body["targetUserId"] = json!(team.user("target"));
                let status = caller.patch("/api/bff/merchant/users", &body).await.status;
                let expected = giver.may_give(&held) && giver.may_give(&given);
                check(format!("{giver:?} {is_platform} makes {held:?} {given:?}"), expected, status);
            }
        }
        for held in kinds() {
            team.reset_target(&held).await;
            let path = format!("/api/auth/members/{}", team.user("target"));
            let status = caller.delete(&path).await.status;
            check(format!("{giver:?} {is_platform} removes {held:?}"), giver.may_give(&held), status);
        }
        let till = json!({"name": "Counter", "retailStoreId": "1"});
        let created = caller.post("/api/auth/tills", &till).await;
        let gives_a_till = giver.may_give(&Member::with_list(&["portal.pos"]));
        check(format!("{giver:?} {is_platform} creates a till"), gives_a_till, created.status);
        let admin = system.sign_in(&team.user("admin")).await;
        let id = admin.post("/api/auth/tills", &till).await.text("/data/id");
        let renewed = caller.post_empty(&format!("/api/auth/tills/{id}/pairing")).await;
        check(format!("{giver:?} {is_platform} makes a code"), gives_a_till, renewed.status);
        let revoked = caller.delete(&format!("/api/auth/tills/{id}")).await;
        check(format!("{giver:?} {is_platform} revokes a till"), passes, revoked.status);
    }
    println!("{checked} cases of giving and taking, {allowed} of them allowed");
}

/// What can happen to the maker of an invitation or a code; afterwards, they are what they were before.
#[derive(Debug, Clone, Copy)]
enum Interlude {
    None,
    AnotherRole,
    AList,
    PlatformAdministrator,
    RemovedAndBack,
}

impl Interlude {
    const ALL: [Self; 5] = [Self::None, Self::AnotherRole, Self::AList, Self::PlatformAdministrator, Self::RemovedAndBack];

    async fn happens(self, system: &System, admin: &Caller, maker: &str, email: &str) {
        let change = async |powers: Value| {
            let mut body = powers;
            body["targetUserId"] = json!(maker);
            admin.patch("/api/bff/merchant/users", &body).await.ok();
        };
        let store = system.store();
        match self {
            Self::None => {}
            Self::AnotherRole => change(json!({"merchantTeamRole": "VIEWER"})).await,
            Self::AList => change(json!({"permissions": PERMISSIONS})).await,
            Self::PlatformAdministrator => {
                store.add_platform_admin(email, &UserId::new("none"), &enrolment()).await.unwrap();
                store.remove_platform_admin(email).await.unwrap();
            }
            Self::RemovedAndBack => {
                admin.delete(&format!("/api/auth/members/{maker}")).await.ok();
                let (merchant, id) = (MerchantId::new("m-aurora"), UserId::new(maker));
                let admin = powers(&Member::with_role(Some("ADMIN")));
                let membership = Membership::new(merchant.clone(), id.clone(), admin, store.new_stamp());
                let user = store.user(&id).await.unwrap().unwrap();
                let linked = User { merchant_id: Some(merchant), ..user.value.clone() };
                let writes = [Write::create(&membership), Write::replace(&user, &linked)].map(Result::unwrap);
                store.commit(writes.into()).await.unwrap();
                return;
            }
        }
        if matches!(self, Self::AnotherRole | Self::AList) {
            change(json!({"merchantTeamRole": "ADMIN"})).await;
        }
    }
}

#[tokio::test]
async fn what_a_member_made_is_over_for_good_once_they_change() {
    for interlude in Interlude::ALL {
        let system = System::start().await;
        let admin = system.sign_in("u-admin").await;
        let maker = system.join("u-maker", "m-aurora", &json!({"email": "maker@aurora.example"})).await;
        let stays = matches!(interlude, Interlude::None);
        let viewer = Member::with_role(Some("VIEWER"));

        let created = maker.post("/api/auth/invites", &viewer.as_invite("open@new.example")).await;
        let unconfirmed = created.text("/data/challengeId");
        let created = maker.post("/api/auth/invites", &viewer.as_invite("ida@new.example")).await;
        let confirmed = created.text("/data/challengeId");
        let code = model::code_of(&system, &confirmed).await;
        let path = |id: &str, step: &str| format!("/api/auth/invites/{id}/{step}");
        maker.post(&path(&confirmed, "verification"), &json!({"code": code})).await.ok();
        let till = maker.post("/api/auth/tills", &json!({"name": "Counter", "retailStoreId": "1"})).await;
        let pairing_code = till.text("/data/pairingCode");

        interlude.happens(&system, &admin, "u-maker", "maker@aurora.example").await;
        let maker = system.sign_in("u-maker").await;

        let team = admin.get("/api/bff/merchant/users").await;
        let status = |id: &str| {
            team.list("/data").iter().find(|item| item["id"] == format!("invite:{id}")).map(|item| item["status"].clone())
        };
        let removed = matches!(interlude, Interlude::RemovedAndBack);
        let shown = |open: &str| {
            if removed { None } else { Some(json!(if stays { open } else { "Invitation expired" })) }
        };
        assert_eq!(status(&unconfirmed), shown("Pending your verification"), "{interlude:?}");
        assert_eq!(status(&confirmed), shown("Invited, pending acceptance"), "{interlude:?}");

        let code = model::code_of(&system, &unconfirmed).await;
        let confirm = maker.post(&path(&unconfirmed, "verification"), &json!({"code": code})).await;
        let resent = maker.post_empty(&path(&confirmed, "resend")).await;
        let over = if removed { 404 } else { 410 };
        for response in [confirm, resent] {
            assert_eq!(response.status, if stays { 200 } else { over }, "{interlude:?}: {response:?}");
        }
        let mut ida = Browser::at(&system, 9);
        assert_eq!(ida.sign_in("ida@new.example").await.status, 200);
        let session = ida.get("/api/auth/session").await;
        assert_eq!(session.list("/data/invites").len(), usize::from(stays), "{interlude:?}");
        let profile = ida.get("/api/bff/merchant").await;
        assert_eq!(profile.at("/meta/pendingTeamInvite"), &json!(stays), "{interlude:?}");
        let accepted = ida.post_empty(&path(&confirmed, "acceptance")).await;
        let paired = system.anonymous().post("/api/auth/tills/pairing", &json!({"code": pairing_code})).await;
        if stays {
            assert_eq!((accepted.status, paired.status), (200, 200), "{accepted:?} {paired:?}");
        } else {
            assert_eq!(error_code(&accepted), (410, "INVITE_OVER"), "{interlude:?}");
            assert_eq!(error_code(&paired), (400, "CODE_INVALID"), "{interlude:?}");
            let again = admin.post("/api/auth/invites", &viewer.as_invite("ida@new.example")).await;
            assert_eq!(again.status, 201, "one that is over is in nobody's way: {again:?}");
        }
    }
}

fn enrolment() -> Enrolment {
    Enrolment::new(&EnrolmentCode::new([0; 16]), Timestamp::UNIX_EPOCH)
}
