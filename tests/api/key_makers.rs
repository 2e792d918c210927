//! When keys end with their makers and their merchant, and what administrators are told of keys.

use serde_json::{Value, json};
use shared::db::Write;
use shared::merchants::model::merchant::MerchantStatus;
use shared::team::model::team::{Membership, Powers, Role, Stamp, User};
use shared::values::{MerchantId, UserId};
use world::{ApiResponse, Caller, ManualClock, System, error_code};

use crate::keys::{KEYS, program};

const USERS: &str = "/api/bff/merchant/users";
const START: &str = "2026-05-28T20:26:40Z";
const AT_ONCE: &str = "2026-05-28T20:26:40.000Z";
const IN_7_DAYS: &str = "2026-06-04T20:26:40.000Z";
const DAY: i64 = 24 * 3_600;

struct Shop {
    system: System,
    clock: ManualClock,
    admin: Caller,
    maker: Caller,
}

impl Shop {
    /// With a second administrator, who makes keys.
    async fn start() -> Self {
        let (system, clock) = System::at(START).await;
        let of_maker = json!({"email": "maker@aurora.example", "firstName": "Mia", "lastName": "Ker"});
        let maker = system.join("u-maker", "m-aurora", &of_maker).await;
        let admin = system.sign_in("u-admin").await;
        Self { system, clock, admin, maker }
    }

    async fn program(&self, permissions: &[&str]) -> (String, Caller) {
        let (id, program) = program(&self.system, &self.maker, permissions, &json!({})).await;
        assert!(works(&program).await);
        (id, program)
    }

    async fn key(&self, id: &str) -> Value {
        self.system.sign_in("u-admin").await.get(KEYS).await.row("/data", "id", id)
    }

    async fn change(&self, fields: Value) -> ApiResponse {
        self.admin.patch(USERS, &world::shop::with(json!({"targetUserId": "u-maker"}), &fields)).await
    }
}

/// Somebody who was removed is a member again, as an administrator.
pub(crate) async fn come_back(system: &System, user: &str) {
    let (store, id, merchant) = (system.store(), UserId::new(user), MerchantId::new("m-aurora"));
    let user = store.user(&id).await.unwrap().unwrap();
    let linked = User { merchant_id: Some(merchant.clone()), ..user.value.clone() };
    let member = Membership::new(merchant, id, Powers::of_role(Role::Admin), Stamp::new([7; 16]));
    let writes = vec![Write::replace(&user, &linked).unwrap(), Write::create(&member).unwrap()];
    store.commit(writes).await.unwrap();
}

async fn works(program: &Caller) -> bool {
    program.get("/api/auth/session").await.status == 200
}

/// Who takes what from the maker, and when the keys for orders and for the till end.
#[tokio::test]
async fn a_key_ends_when_its_maker_can_no_longer_give_what_it_has() {
    let list = |permissions: &[&str]| json!({"permissions": permissions});
    let (both, orders) =
        (list(&["merchant.team.invite", "portal.orders", "portal.pos"]), list(&["merchant.team.invite", "portal.orders"]));
    let keeping = |fields: &Value| world::shop::with(fields.clone(), &json!({"keepKeys": true}));
    let (viewer, full) = (json!({"merchantTeamRole": "VIEWER"}), json!({"merchantTeamRole": "FULL"}));
    for (name, change, of_orders, of_pos) in [
        ("both kept", Some(both), None, None),
        ("pos taken", Some(orders.clone()), None, Some(AT_ONCE)),
        ("pos taken, kept", Some(keeping(&orders)), None, Some(IN_7_DAYS)),
        ("not to manage", Some(list(&["portal.orders", "portal.pos"])), Some(AT_ONCE), Some(AT_ONCE)),
        ("viewer", Some(viewer.clone()), Some(AT_ONCE), Some(AT_ONCE)),
        ("viewer, kept", Some(keeping(&viewer)), Some(IN_7_DAYS), Some(IN_7_DAYS)),
        ("full", Some(full), Some(AT_ONCE), Some(AT_ONCE)),
        ("removed", None, Some(AT_ONCE), Some(AT_ONCE)),
        ("removed, kept", None, Some(IN_7_DAYS), Some(IN_7_DAYS)),
        ("left", None, Some(IN_7_DAYS), Some(IN_7_DAYS)),
    ] {
        let shop = Shop::start().await;
        let keys = [shop.program(&["portal.orders"]).await, shop.program(&["portal.pos"]).await];
        let (other, of_other) = program(&shop.system, &shop.admin, &["portal.orders"], &json!({})).await;
        let changed = match (name, change) {
            (_, Some(change)) => shop.change(change).await,
            ("left", None) => shop.maker.delete("/api/auth/members/u-maker").await,
            ("removed", None) => shop.admin.delete("/api/auth/members/u-maker").await,
            (_, None) => shop.admin.delete("/api/auth/members/u-maker?keepKeys=true").await,
        };
        assert_eq!(changed.status, 200, "{name}: {changed:?}");
        let ends = [of_orders, of_pos];
        for ((id, program), end) in keys.iter().zip(ends) {
            let key = shop.key(id).await;
            assert_eq!(works(program).await, end != Some(AT_ONCE), "{name}: {key}");
            let (ends_at, ended_at, because) = match end {
                None => (Value::Null, Value::Null, Value::Null),
                Some(AT_ONCE) => (Value::Null, json!(AT_ONCE), json!("MAKER_LEFT")),
                Some(later) => (json!(later), Value::Null, Value::Null),
            };
            assert_eq!((&key["endsAt"], &key["endedAt"], &key["endedBecause"]), (&ends_at, &ended_at, &because), "{name}");
        }
        let activity = shop.admin.get("/api/bff/merchant/activity").await.ok();
        let ending = activity.list("/data/events").iter().filter(|event| event["action"] == "KEY_ENDING");
        let ending: Vec<&Value> = ending.map(|event| &event["to"]["endsAt"]).collect();
        let expected: Vec<&str> = ends.into_iter().flatten().collect();
        assert_eq!(ending.len(), expected.len(), "{name}");
        assert!(ending.iter().all(|at| expected.contains(&at.as_str().unwrap())), "{name}: {ending:?}");
        let told = shop.system.told("A key ends soon").await;
        // Two administrators are told of each that has not ended, or three if the maker still is one.
        let later = expected.iter().filter(|at| **at == IN_7_DAYS).count();
        assert_eq!(told.len(), 2 * later, "{name}: {told:?}");
        shop.clock.advance(7 * DAY - 1);
        assert_eq!(works(&keys[1].1).await, of_pos != Some(AT_ONCE), "{name}");
        shop.clock.advance(1);
        assert_eq!(works(&keys[1].1).await, of_pos.is_none(), "{name}");
        if of_pos.is_some() {
            assert_eq!(shop.key(&keys[1].0).await["endedBecause"], "MAKER_LEFT", "{name}");
        }
        assert!(works(&of_other).await && shop.key(&other).await["endedAt"].is_null(), "{name}");
    }
}

#[tokio::test]
async fn who_rotates_a_key_that_is_to_end_is_its_maker_from_then_on() {
    let shop = Shop::start().await;
    let (id, first) = shop.program(&["portal.orders"]).await;
    assert_eq!(shop.maker.delete("/api/auth/members/u-maker").await.status, 200);
    shop.clock.advance(6 * DAY);
    let admin = shop.system.sign_in("u-admin").await;
    let rotated = admin.post(&format!("{KEYS}/{id}/rotation"), &json!({"overlapHours": 168})).await.ok();
    let second = shop.system.with_token(&rotated.text("/data/key"));
    let key = shop.key(&id).await;
    assert_eq!((&key["endsAt"], &key["previousUntil"]), (&Value::Null, &json!(IN_7_DAYS)));
    assert_eq!(key["createdBy"], json!({"id": "u-admin", "name": "Anna Berg"}));
    assert!(works(&first).await && works(&second).await);
    shop.clock.advance(DAY);
    assert!(!works(&first).await && works(&second).await);
    // It ends with its new maker.
    let unset = shop.system.sign_in("u-unset").await;
    assert_eq!(unset.delete("/api/auth/members/u-admin").await.status, 200);
    assert!(!works(&second).await);
    assert_eq!(error_code(&unset.post(&format!("{KEYS}/{id}/rotation"), &json!({})).await), (409, "KEY_OVER"));
    // Not even a maker who comes back, and is what they were, gives it life.
    shop.system.join("u-admin", "m-aurora", &json!({"email": "admin@aurora.example"})).await;
    assert!(!works(&second).await);
}

/// The maker is removed and their keys are kept, comes back, and goes once more.
#[tokio::test]
async fn a_second_notice_does_not_move_the_end_of_the_first() {
    for goes_again in ["left", "removed, kept", "removed"] {
        let shop = Shop::start().await;
        let (id, program) = shop.program(&["portal.orders"]).await;
        assert_eq!(shop.admin.delete("/api/auth/members/u-maker?keepKeys=true").await.status, 200);
        assert_eq!(shop.key(&id).await["endsAt"], IN_7_DAYS);
        shop.clock.advance(3 * DAY);
        come_back(&shop.system, "u-maker").await;
        assert_eq!(shop.key(&id).await["endsAt"], IN_7_DAYS, "nobody has taken the notice back");
        let (admin, maker) = (shop.system.sign_in("u-admin").await, shop.system.sign_in("u-maker").await);
        let gone = match goes_again {
            "left" => maker.delete("/api/auth/members/u-maker").await,
            "removed" => admin.delete("/api/auth/members/u-maker").await,
            _ => admin.delete("/api/auth/members/u-maker?keepKeys=true").await,
        };
        assert_eq!(gone.status, 200, "{goes_again}: {gone:?}");
        if goes_again == "removed" {
            assert!(!works(&program).await);
            assert_eq!(shop.key(&id).await["endedAt"], "2026-05-31T20:26:40.000Z");
            continue;
        }
        assert_eq!(shop.key(&id).await["endsAt"], IN_7_DAYS, "{goes_again}");
        shop.clock.advance(4 * DAY - 1);
        assert!(works(&program).await, "{goes_again}");
        shop.clock.advance(1);
        assert!(!works(&program).await, "{goes_again}");
        let over = shop.key(&id).await;
        assert_eq!((&over["endedAt"], &over["endedBecause"]), (&json!(IN_7_DAYS), &json!("MAKER_LEFT")), "{goes_again}");
    }
}

#[tokio::test]
async fn the_keys_of_a_merchant_end_when_it_is_closed() {
    let shop = Shop::start().await;
    let (id, program) = shop.program(&["portal.orders"]).await;
    let root = shop.system.sign_in("u-root").await;
    let set = async |status: &str| {
        root.patch("/api/admin/merchants/m-aurora", &json!({"status": status, "reason": "told"})).await.ok();
    };
    set("SUSPENDED").await;
    assert!(works(&program).await);
    set("INACTIVE").await;
    assert!(!works(&program).await);
    let key = shop.key(&id).await;
    assert_eq!((&key["endedAt"], &key["endedBecause"]), (&json!(AT_ONCE), &json!("MERCHANT_INACTIVE")));
    let refused = shop.admin.post(KEYS, &json!({"name": "New", "permissions": ["portal.orders"], "readOnly": true})).await;
    assert_eq!(error_code(&refused), (409, "MERCHANT_INACTIVE"));
    // Also where somebody sets it to another status by hand.
    shop.system.change_merchant("m-aurora", |merchant| merchant.status = MerchantStatus::Active.into()).await;
    assert!(!works(&program).await);

    let founder = shop.system.sign_in("u-nobody").await;
    founder.post("/api/auth/merchant", &json!({"name": "Short", "slug": "short"})).await.ok();
    let (_, of_draft) = crate::keys::program(&shop.system, &founder, &["portal.orders"], &json!({})).await;
    assert!(works(&of_draft).await);
    assert_eq!(founder.delete("/api/auth/merchant").await.status, 200);
    assert!(!works(&of_draft).await);
}

/// The subjects of the mails about keys, without the name of the merchant.
async fn told(system: &System, address: &str) -> Vec<String> {
    let subjects = system.subjects_to(address).await.into_iter();
    subjects.filter(|subject| subject.starts_with("A key")).map(|subject| subject.replace(" Aurora Coffee", "")).collect()
}

#[tokio::test]
async fn administrators_are_told_of_keys_and_14_days_and_1_day_before_they_expire() {
    let shop = Shop::start().await;
    let address = "admin@aurora.example";
    let (id, _) = program(&shop.system, &shop.maker, &["portal.orders"], &json!({"expiresInDays": 20})).await;
    let (made, rotated, expires) = ("A key was created for", "A key was rotated at", "A key expires soon at");
    assert_eq!(told(&shop.system, address).await, [made]);
    let mail = shop.system.emails().await.into_iter().find(|mail| mail["to"][0] == address).unwrap();
    let text = mail["text"].as_str().unwrap();
    assert!(text.contains("Accounting") && text.contains("portal.orders") && text.contains("Mia Ker"), "{text}");
    assert!(!text.contains("gcpk_"), "{text}");
    shop.clock.advance(5 * DAY);
    shop.system.sign_in("u-admin").await.post(&format!("{KEYS}/{id}/rotation"), &json!({"expiresInDays": 30})).await.ok();
    assert_eq!(told(&shop.system, address).await, [made, rotated]);
    // What was to be told of the end that it had is told no more.
    shop.clock.advance(13 * DAY);
    assert_eq!(told(&shop.system, address).await, [made, rotated]);
    shop.clock.advance(3 * DAY);
    assert_eq!(told(&shop.system, address).await, [made, rotated, expires]);
    shop.clock.advance(13 * DAY);
    assert_eq!(told(&shop.system, address).await, [made, rotated, expires, expires]);
    shop.clock.advance(DAY);
    assert_eq!(told(&shop.system, address).await, [made, rotated, expires, expires]);
    assert_eq!(told(&shop.system, "full@aurora.example").await, [""; 0]);
    // One that was revoked is not announced.
    let admin = shop.system.sign_in("u-admin").await;
    let (revoked, _) = program(&shop.system, &admin, &["portal.orders"], &json!({"expiresInDays": 20})).await;
    assert_eq!(admin.delete(&format!("{KEYS}/{revoked}")).await.status, 200);
    shop.clock.advance(19 * DAY);
    assert_eq!(told(&shop.system, address).await, [made, rotated, expires, expires, made]);
}
