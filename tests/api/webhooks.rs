//! Webhooks: the merchant's own systems are told what happens.

use deliveries::{Shift, Work};
use futures_util::TryStreamExt;
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use serde_json::{Value, json};
use shared::base::clock::{Clock, iso_8601};
use shared::webhooks::model::EventType;
use world::contract::check_message;
use world::shop::{ISSUE, REDEEM, payment, sale, with};
use world::{ApiResponse, Caller, ManualClock, Received, Receiver, System, all_cases, error_code, poll_up_to, refusal};

use crate::card_history::units;
use crate::upstream_tls::{Authority, behind_tls};

pub(crate) const WEBHOOKS: &str = "/api/bff/webhooks";
pub(crate) const UNTIL_IDLE: Shift = Shift { work: Work::UntilIdle, until: Timestamp::MAX };

/// A system whose time only the test moves, and an endpoint of m-aurora.
pub(crate) struct Shop {
    pub(crate) system: System,
    pub(crate) clock: ManualClock,
    pub(crate) receiver: Receiver,
    id: String,
    secret: String,
}

impl Shop {
    /// With an endpoint that wants these events.
    pub(crate) async fn telling(events: &[EventType]) -> Self {
        let clock = ManualClock::new(Clock::system().now());
        let system = System::with_clock(clock.clock()).await;
        let receiver = Receiver::start().await;
        let created = create(&system.sign_in("u-admin").await, &receiver.url, events).await;
        let (id, secret) = (created.text("/data/id"), created.text("/data/secret"));
        Self { system, clock, receiver, id, secret }
    }

    pub(crate) fn path(&self) -> String {
        format!("{WEBHOOKS}/{}", self.id)
    }

    pub(crate) async fn admin(&self) -> Caller {
        self.system.sign_in("u-admin").await
    }

    pub(crate) async fn deliver(&self) -> Vec<Received> {
        deliver(&self.system, &self.receiver).await
    }

    pub(crate) async fn deliveries(&self) -> Value {
        let listed = self.admin().await.get(&format!("{}/deliveries", self.path())).await.ok();
        listed.at("/data/deliveries").clone()
    }

    pub(crate) async fn endpoint(&self) -> Value {
        self.admin().await.get(WEBHOOKS).await.row("/data", "id", &*self.id)
    }

    /// Where the latest delivery is asked for again.
    async fn retry_path(&self) -> String {
        format!("{}/deliveries/{}/retry", self.path(), self.deliveries().await[0]["id"].as_str().unwrap())
    }

    /// As a member at a till.
    pub(crate) async fn sell(&self) {
        self.system.sign_in("u-till").await.sell(100).await;
    }

    /// Sells. A worker dies while it sends the message, which is returned.
    pub(crate) async fn die_while_sending(&self) -> Received {
        self.receiver.answer_too_late();
        let dying = async {
            self.sell().await;
            let mut dying = Box::pin(deliveries::work(self.system.local.app(), UNTIL_IDLE));
            loop {
                step(&mut dying).await;
                if let Some(sent) = self.receiver.take().pop() {
                    return sent;
                }
            }
        };
        self.system.local.pause(dying).await
    }

    pub(crate) fn advance(&self, duration: SignedDuration) {
        self.clock.advance(duration.as_secs());
    }

    /// A redemption that the card network carries out, and about which it says nothing until the faults are removed.
    async fn redeem_without_an_answer(&self) -> ApiResponse {
        self.system.lose_outcomes("after").await;
        let till = self.system.sign_in("u-till").await;
        let unknown = till.post(REDEEM, &payment("QR-500", 1)).await;
        assert_eq!(unknown.status, 504, "{unknown:?}");
        unknown
    }

    pub(crate) async fn set_status(&self, status: &str) {
        let change = json!({"status": status, "reason": "Asked by phone."});
        self.system.sign_in("u-root").await.patch("/api/admin/merchants/m-aurora", &change).await.ok();
    }

    async fn test(&self, event: EventType) -> ApiResponse {
        self.admin().await.post(&format!("{}/test", self.path()), &json!({"event": event})).await
    }
}

/// Lets a worker go on for a moment, which is not its last one.
pub(crate) async fn step(worker: &mut (impl Future<Output = ()> + Unpin)) {
    assert!(poll_up_to(worker, 0).await.is_none());
    tokio::task::yield_now().await;
}

pub(crate) async fn deliver(system: &System, receiver: &Receiver) -> Vec<Received> {
    system.local.send_due_webhooks().await;
    let messages = receiver.take();
    for message in &messages {
        check_message(&message.json());
    }
    messages
}

pub(crate) async fn create(caller: &Caller, url: &str, events: &[EventType]) -> ApiResponse {
    caller.post(WEBHOOKS, &json!({"url": url, "events": events})).await.ok()
}

/// The page of the dashboard that lists the endpoints.
fn assert_links_to_webhooks(email: &Value) {
    let text = email["text"].as_str().unwrap();
    assert!(text.split_whitespace().any(|word| word.starts_with("http") && word.ends_with("/developers")), "{text}");
}

pub(crate) fn types(messages: &[Received]) -> Vec<String> {
    let mut types: Vec<String> = messages.iter().map(|message| message.json()["type"].as_str().unwrap().to_owned()).collect();
    types.sort_unstable();
    types
}

#[tokio::test]
async fn an_endpoint_is_created_changed_and_deleted_and_its_secret_is_shown_once() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let body = json!({
        "url": "http://localhost:8080/hooks", "events": ["payout.paid", "gift_card.issued", "payout.paid"],
        "description": " Loyalty ",
    });
    let created = admin.post(WEBHOOKS, &body).await;
    let id = created.text("/data/id");
    let secret = created.text("/data/secret");
    assert_eq!(created.status, 201);
    let common = json!({
        "id": id, "url": "http://localhost:8080/hooks", "events": ["gift_card.issued", "payout.paid"],
        "description": "Loyalty", "status": "ENABLED", "createdAt": created.at("/data/createdAt"),
    });
    assert_eq!(created.at("/data"), &with(common.clone(), &json!({"secret": secret})));

    let listed = json!({
        "disabledBecause": null, "createdBy": "u-admin", "lastSuccessAt": null, "lastFailureAt": null, "rotatedAt": null,
    });
    let endpoint = with(common, &listed);
    assert_eq!(admin.get(WEBHOOKS).await.at("/data"), &json!([endpoint]));

    let path = format!("{WEBHOOKS}/{id}");
    let changes = json!({"events": ["payout.paid"], "description": null, "status": "DISABLED"});
    let changed = admin.patch(&path, &changes).await.ok();
    assert_eq!(changed.at("/data"), &with(with(endpoint, &changes), &json!({"disabledBecause": "MEMBER"})));
    let enabled = admin.patch(&path, &json!({"status": "ENABLED"})).await;
    assert_eq!((enabled.at("/data/status"), enabled.at("/data/disabledBecause")), (&json!("ENABLED"), &Value::Null));

    let moved = admin.patch(&path, &json!({"url": "http://127.0.0.1:8081/"})).await;
    assert_ne!(moved.text("/data/secret"), secret);
    assert_eq!(moved.at("/data/url"), &json!("http://127.0.0.1:8081/"));
    let same = admin.patch(&path, &json!({"url": "http://127.0.0.1:8081/"})).await;
    assert_eq!(same.at("/data/secret"), &Value::Null, "the same URL needs no new secret");

    let rotated = admin.post_empty(&format!("{path}/rotation")).await.ok();
    let immediately = admin.post(&format!("{path}/rotation"), &json!({"immediately": true})).await;
    assert_ne!(rotated.text("/data/secret"), immediately.text("/data/secret"));

    let actions = admin.get("/api/bff/merchant/activity").await.each("/data/events", "action");
    assert_eq!(actions, ["WEBHOOK_SECRET_CREATED"; 4]);

    for id in ["d", "%20", "%E2%80%A8"] {
        let unknown = admin.post_empty(&format!("{path}/deliveries/{id}/retry")).await;
        assert_eq!(unknown.reply(), refusal(404, "There is no such delivery."), "{id}");
    }

    assert_eq!(admin.delete(&path).await.reply(), (200, json!({"ok": true})));
    assert_eq!(admin.get(WEBHOOKS).await.at("/data"), &json!([]));
    for (method, path, body) in [
        (Method::DELETE, path.clone(), None),
        (Method::PATCH, path.clone(), Some(json!({}))),
        (Method::POST, format!("{path}/rotation"), None),
        (Method::POST, format!("{path}/test"), Some(json!({"event": "payout.paid"}))),
        (Method::GET, format!("{path}/deliveries"), None),
        (Method::POST, format!("{path}/deliveries/d/retry"), None),
    ] {
        let gone = admin.send(method.clone(), &path, body.as_ref()).await;
        assert_eq!(gone.reply(), refusal(404, "There is no such endpoint."), "{method} {path}");
    }
}

#[tokio::test]
async fn invalid_fields_are_named() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let endpoint = create(&admin, "http://localhost/", &[EventType::PayoutPaid]).await.text("/data/id");
    let url = |url: &str| json!({"url": url, "events": ["payout.paid"]});
    let described = |text: &str| json!({"url": "https://hooks.example.com/", "events": ["payout.paid"], "description": text});
    let invisible = "description: must not contain control or invisible characters.";
    for (body, message) in [
        (json!({}), "url: is missing."),
        (json!({"url": "https://a.example/"}), "events: is missing."),
        (url("hooks.example.com"), "url: must be an absolute URL"),
        (url("http://hooks.example.com/"), "url: must begin with https://."),
        (url("ftp://localhost/"), "url: must begin with https://."),
        (url("https://8.8.8.8/"), "url: must name a host"),
        (url("https://hooks.example.com:444/"), "url: must have port 443 or 8443."),
        (url("https://me:secret@hooks.example.com/"), "url: must not contain a user or a password."),
        (url("https://hooks.example.com/#a"), "url: must not contain a fragment."),
        (url(&format!("https://hooks.example.com/{}", "a".repeat(500))), "url: must be at most 500 characters."),
        (json!({"url": "https://hooks.example.com/", "events": []}), "events: must name at least one event."),
        (json!({"url": "https://hooks.example.com/", "events": ["all"]}), "events[0]: "),
        (described(&"a".repeat(201)), "description: must be at most 200 characters"),
        (described("Loyalty\nsystem"), invisible),
        (described("Loyalty\u{0}"), invisible),
        (described("\u{202e}metsys ytlayoL"), invisible),
        (described("Loyalty\u{2066}"), invisible),
        (described("Loyal\u{200b}ty"), invisible),
        (with(url("https://hooks.example.com/"), &json!({"secret": "mine"})), "secret: "),
    ] {
        admin.post(WEBHOOKS, &body).await.assert_invalid(message);
    }
    for (field, value) in [("url", Value::Null), ("events", Value::Null), ("status", json!("GONE"))] {
        let changed = admin.patch(&format!("{WEBHOOKS}/{endpoint}"), &json!({field: value})).await;
        changed.assert_invalid(&format!("{field}: "));
    }
}

#[tokio::test]
async fn a_merchant_has_five_endpoints_at_most() {
    let (system, admin) = System::signed_in("u-admin").await;
    let url = |number: usize| format!("http://localhost:{}/", 8000 + number);
    let creating = (0..20).map(|number| {
        let (admin, url) = (admin.clone(), url(number));
        async move { admin.post(WEBHOOKS, &json!({"url": url, "events": ["payout.paid"]})).await }
    });
    let created = count_accepted(creating, 201, 409).await;
    assert!((1..=5).contains(&created), "{created}");
    for number in created..5 {
        create(&admin, &url(50 + number), &[EventType::PayoutPaid]).await;
    }
    assert_eq!(admin.get(WEBHOOKS).await.list("/data").len(), 5);
    let refused = admin.post(WEBHOOKS, &json!({"url": url(9), "events": ["payout.paid"]})).await;
    assert_eq!((refused.status, refused.at("/error/code")), (409, &json!("WEBHOOK_LIMIT")));
    let rival = system.sign_in("u-rival").await;
    create(&rival, "http://localhost/", &[EventType::PayoutPaid]).await;
    assert_eq!(rival.get(WEBHOOKS).await.list("/data").len(), 1);
}

/// Each event needs the permission to read what it shows, at every change.
#[tokio::test]
async fn nobody_gives_away_what_they_cannot_read() {
    let (system, admin) = System::signed_in("u-admin").await;
    let of_everything = create(&admin, "http://localhost/", &EventType::ALL).await.text("/data/id");
    for (number, (event, permission)) in [
        ("gift_card.issued", "portal.orders"),
        ("gift_card.redeemed", "portal.analytics"),
        ("operation.unknown", "portal.pos"),
        ("operation.resolved", "portal.pos"),
        ("settlement.created", "portal.reports"),
        ("settlement.held", "portal.reports"),
        ("payout.paid", "portal.reports"),
        ("merchant.status_changed", "portal.information"),
    ]
    .into_iter()
    .enumerate()
    {
        let one = member_with(&system, &format!("u-one-{number}"), &["portal.organization", permission]).await;
        let none = member_with(&system, &format!("u-none-{number}"), &["portal.organization"]).await;
        let body = json!({"url": "http://localhost/", "events": [event]});
        let refused = none.post(WEBHOOKS, &body).await;
        let message = "You do not have permission to read what these events show.";
        assert_eq!(refused.reply(), refusal(403, message), "{event}");
        let created = one.post(WEBHOOKS, &body).await;
        assert_eq!(created.status, 201, "{event}: {created:?}");
        let path = format!("{WEBHOOKS}/{}", created.text("/data/id"));
        let test = json!({"event": event});
        for (caller, expected) in [(&one, 202), (&none, 403)] {
            assert_eq!(caller.post(&format!("{path}/test"), &test).await.status, expected, "{event}");
        }
        // What was sent to the endpoint for the one, the other cannot send again.
        let delivery = one.get(&format!("{path}/deliveries")).await.text("/data/deliveries/0/id");
        let retry = format!("{path}/deliveries/{delivery}/retry");
        for (caller, expected) in [(&one, 202), (&none, 403)] {
            assert_eq!(caller.post_empty(&retry).await.status, expected, "{event}");
        }
        for (caller, expected) in [(&one, 200), (&none, 403)] {
            assert_eq!(caller.patch(&path, &json!({"url": "http://localhost:81/"})).await.status, expected, "{event}");
            assert_eq!(caller.patch(&path, &json!({"status": "DISABLED"})).await.status, expected, "{event}");
            assert_eq!(caller.post_empty(&format!("{path}/rotation")).await.status, expected, "{event}");
            assert_eq!(caller.get(WEBHOOKS).await.status, 200, "{event}");
        }
        let others = format!("{WEBHOOKS}/{of_everything}");
        assert_eq!(one.patch(&others, &json!({"description": "mine"})).await.status, 403, "{event}");
        assert_eq!(one.patch(&others, &json!({"events": [event]})).await.status, 403, "{event}: what it silences, it can read");
        for (caller, expected) in [(&none, 403), (&one, 200)] {
            assert_eq!(caller.delete(&path).await.status, expected, "{event}");
        }
    }
}

/// A member of m-aurora with these permissions only.
async fn member_with(system: &System, id: &str, permissions: &[&str]) -> Caller {
    system.join(id, "m-aurora", &json!({"merchantTeamRole": null, "emailVerified": true, "permissions": permissions})).await
}

/// What shows a member the same as a message of each event.
const EVENTS_OF: [(&str, &[&str]); 5] = [
    ("portal.orders", &["gift_card.issued"]),
    ("portal.analytics", &["gift_card.redeemed"]),
    ("portal.pos", &["operation.unknown", "operation.resolved"]),
    ("portal.reports", &["settlement.created", "settlement.held", "payout.paid"]),
    ("portal.information", &["merchant.status_changed"]),
];

/// The events that the permissions in the set let read: a bit for each of `EVENTS_OF`.
fn events_of(set: usize) -> Vec<&'static str> {
    EVENTS_OF.iter().enumerate().filter(|(bit, _)| set & (1 << bit) != 0).flat_map(|(_, (_, events))| *events).copied().collect()
}

/// All members × all changes: whoever changes an endpoint can read all that it wants before, and all that it wants after. By default,
/// members who read nothing, one of the events, all but one, or everything, and a third of the changes.
#[tokio::test]
async fn every_change_of_an_endpoint_needs_what_it_wants_before_and_after() {
    const SETS: usize = 1 << EVENTS_OF.len();
    let all = all_cases();
    let clock = ManualClock::new(Clock::system().now());
    let system = System::with_clock(clock.clock()).await;
    for set in 0..SETS {
        let permissions = EVENTS_OF.iter().enumerate().filter(|(bit, _)| set & (1 << bit) != 0).map(|(_, (name, _))| *name);
        let permissions: Vec<&str> = permissions.chain(["portal.organization"]).collect();
        member_with(&system, &format!("u-{set}"), &permissions).await;
    }
    let singles = (0..EVENTS_OF.len()).map(|bit| 1 << bit);
    let wanted: Vec<usize> = singles.chain([SETS - 1]).collect();
    let mut urls = 0;
    for before in wanted.iter().copied() {
        clock.advance(3600);
        let admin = system.sign_in("u-admin").await;
        let create = async || {
            let body = json!({"url": "http://localhost/", "events": events_of(before)});
            format!("{WEBHOOKS}/{}", admin.post(WEBHOOKS, &body).await.text("/data/id"))
        };
        let mut path = create().await;
        let members =
            (0..SETS).filter(|set| all || [0, 1, EVENTS_OF.len() - 1, EVENTS_OF.len()].contains(&(set.count_ones() as usize)));
        for set in members {
            let member = system.sign_in(&format!("u-{set}")).await;
            let was = admin.get(WEBHOOKS).await.body;
            let reads = |events: usize| events & !set == 0;
            urls += 1;
            let url = format!("http://localhost:{}/", 1000 + urls);
            let mut changes = vec![
                (Method::PATCH, path.clone(), Some(json!({"url": url})), before),
                (Method::PATCH, path.clone(), Some(json!({"status": "DISABLED"})), before),
                (Method::PATCH, path.clone(), Some(json!({"status": "ENABLED"})), before),
                (Method::POST, format!("{path}/rotation"), None, before),
            ];
            for after in &wanted {
                changes.push((Method::PATCH, path.clone(), Some(json!({"events": events_of(*after)})), *after));
                changes.push((Method::PATCH, path.clone(), Some(json!({"events": events_of(*after), "url": url})), *after));
            }
            changes.push((Method::DELETE, path.clone(), None, before));
            for (number, (method, of, body, after)) in changes.into_iter().enumerate() {
                if !all && (number + set) % 3 != 0 {
                    continue;
                }
                let case = format!("{before:b} by {set:b}: {method} {body:?}");
                let changed = member.send(method.clone(), &of, body.as_ref()).await;
                let expected = if reads(before | after) { 200 } else { 403 };
                assert_eq!(changed.status, expected, "{case}: {changed:?}");
                if expected == 403 {
                    continue;
                }
                clock.advance(120);
                if method == Method::DELETE {
                    path = create().await;
                } else {
                    admin.patch(&path, &json!({"events": events_of(before), "status": "ENABLED"})).await.ok();
                }
            }
            assert!(reads(before) || admin.get(WEBHOOKS).await.body == was, "{before:b} by {set:b}: nothing has changed");
        }
        assert_eq!(admin.delete(&path).await.status, 200);
    }
}

/// A merchant whose sales, redemptions and settlements wait, as their endpoint does not answer.
pub(crate) struct Waiting {
    pub(crate) shop: Shop,
    pub(crate) member: Caller,
    pub(crate) elsewhere: Receiver,
}

impl Waiting {
    /// The member can change endpoints and read the merchant's details, and nothing else.
    pub(crate) async fn begin() -> Self {
        let events = [
            EventType::GiftCardIssued,
            EventType::GiftCardRedeemed,
            EventType::SettlementCreated,
            EventType::MerchantStatusChanged,
        ];
        let shop = Shop::telling(&events).await;
        let member = member_with(&shop.system, "u-mover", &["portal.organization", "portal.information"]).await;
        shop.receiver.answer([500; 100]);
        shop.sell().await;
        shop.system.sign_in("u-till").await.redeem("QR-500", 100).await;
        shop.set_status("SUSPENDED").await;
        shop.set_status("ACTIVE").await;
        assert_eq!(shop.deliver().await.len(), 5);
        Self { shop, member, elsewhere: Receiver::start().await }
    }

    /// What arrives at the other address until nothing waits any more.
    pub(crate) async fn arrive(&self) -> Vec<String> {
        self.shop.advance(SignedDuration::from_hours(1));
        types(&deliver(&self.shop.system, &self.elsewhere).await)
    }
}

#[tokio::test]
async fn what_waits_is_not_moved_by_who_cannot_read_it() {
    let Waiting { shop, member, elsewhere } = Waiting::begin().await;
    let url = &elsewhere.url;
    for change in [
        json!({"url": url, "events": ["merchant.status_changed"]}),
        json!({"events": ["merchant.status_changed"]}),
        json!({"url": url}),
        json!({"status": "DISABLED"}),
    ] {
        assert_eq!(member.patch(&shop.path(), &change).await.status, 403, "{change}");
    }
    shop.advance(SignedDuration::from_hours(1));
    shop.receiver.recover();
    assert_eq!((shop.deliver().await.len(), elsewhere.take().len()), (5, 0));
}

#[tokio::test]
async fn what_the_mover_of_an_endpoint_cannot_read_is_withheld_for_good() {
    let waiting = Waiting::begin().await;
    let (shop, elsewhere) = (&waiting.shop, &waiting.elsewhere);
    let admin = shop.admin().await;
    // A message whose body is still to be made waits as well.
    let moving = async {
        shop.sell().await;
        admin.patch(&shop.path(), &json!({"events": ["merchant.status_changed"]})).await.ok();
        waiting.member.patch(&shop.path(), &json!({"url": elsewhere.url})).await.ok();
        shop.advance(SignedDuration::from_secs(1));
        admin.patch(&shop.path(), &json!({"events": ["gift_card.issued", "merchant.status_changed"]})).await.ok();
    };
    shop.system.local.pause(moving).await;
    assert_eq!(waiting.arrive().await, ["merchant.status_changed"; 2]);
    let deliveries = shop.deliveries().await;
    let withheld: Vec<&Value> = deliveries.as_array().unwrap().iter().filter(|one| one["status"] == "FAILED").collect();
    assert_eq!(withheld.len(), 4, "{deliveries}");
    for one in &withheld {
        assert_eq!(one["attempts"].as_array().unwrap().last().unwrap()["error"], "withheld", "{one}");
    }
    // Not even whoever can read it sends it there, or to a later address.
    admin.patch(&shop.path(), &json!({"url": format!("{}?again", elsewhere.url)})).await.ok();
    for one in withheld {
        let retry = format!("{}/deliveries/{}/retry", shop.path(), one["id"].as_str().unwrap());
        assert_eq!(error_code(&admin.post_empty(&retry).await), (409, "WEBHOOK_WITHHELD"));
    }
    assert_eq!(waiting.arrive().await.len(), 0);
    shop.sell().await;
    assert_eq!(waiting.arrive().await, ["gift_card.issued"], "what happens after the move is sent");
}

#[tokio::test]
async fn administrators_are_told_who_silences_an_endpoint() {
    let shop = Shop::telling(&EventType::ALL).await;
    shop.system.drain().await;
    shop.advance(SignedDuration::from_hours(2));
    let full = shop.system.sign_in("u-full").await;
    for number in 0..50 {
        let events = if number % 2 == 0 { json!(["payout.paid"]) } else { json!(["payout.paid", "settlement.held"]) };
        full.patch(&shop.path(), &json!({"events": events})).await.ok();
    }
    full.patch(&shop.path(), &json!({"description": "Loyalty"})).await.ok();
    shop.system.drain().await;
    let emails = shop.system.emails().await;
    let told: Vec<&Value> = told_of_endpoints(&emails).collect();
    assert_eq!(told.len(), 6, "of the new endpoint, of its first change, and an hour later of the last one: two administrators");
    assert!(told[5]["text"].as_str().unwrap().contains("settlement.held, payout.paid"), "{}", told[5]);
    // A change that nobody was told yet does not go unnoticed by a deletion.
    full.patch(&shop.path(), &json!({"url": "http://localhost:666/"})).await.ok();
    full.delete(&shop.path()).await.ok();
    shop.system.drain().await;
    let emails = shop.system.emails().await;
    let deleted = emails.iter().filter(|email| email["text"].as_str().unwrap().contains("deleted the endpoint"));
    assert_eq!(deleted.filter(|email| email["text"].as_str().unwrap().contains("localhost:666")).count(), 2);
}

#[tokio::test]
async fn a_message_that_is_sent_again_by_hand_never_disables_its_endpoint() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    shop.sell().await;
    assert_eq!(shop.deliver().await.len(), 1);
    let retry = shop.retry_path().await;
    for answer in [410, 500, 410, 500] {
        shop.receiver.answer([answer]);
        shop.admin().await.post_empty(&retry).await.ok();
        assert_eq!(shop.deliver().await.len(), 1);
        assert_eq!(shop.endpoint().await["status"], "ENABLED", "{answer}");
        assert_ne!(shop.endpoint().await["lastFailureAt"], Value::Null);
        shop.advance(SignedDuration::from_hours(6 * 24));
    }
}

/// On one thread: the local system sends as the function on AWS does.
#[tokio::test]
async fn a_silent_receiver_with_a_long_queue_keeps_no_other_merchant_waiting() {
    const MESSAGES: usize = 40;
    let system = System::start().await;
    system.local.limit_webhooks(std::time::Duration::from_secs(1)).await;
    let (silent, quick) = (Receiver::start().await, Receiver::start().await);
    (0..10 * MESSAGES).for_each(|_| silent.answer_too_late());
    create(&system.sign_in("u-admin").await, &silent.url, &[EventType::GiftCardIssued]).await;
    let rival = system.sign_in("u-rival").await;
    create(&rival, &quick.url, &[EventType::GiftCardIssued]).await;
    let till = system.sign_in("u-till").await;
    let selling = async {
        for _ in 0..MESSAGES {
            till.sell(100).await;
        }
    };
    system.local.pause(selling).await;
    let mut attempts = silent.take().len();
    while attempts == 0 {
        tokio::task::yield_now().await;
        attempts += silent.take().len();
    }
    rival.sell(100).await;
    while quick.take().is_empty() {
        tokio::task::yield_now().await;
    }
    attempts += silent.take().len();
    assert!(attempts < MESSAGES / 2, "the other merchant's message came after {attempts} attempts");
}

/// Nothing of its queue stays.
#[tokio::test]
async fn the_queue_of_an_endpoint_ends_with_it() {
    let shop = Shop::telling(&EventType::ALL).await;
    shop.receiver.answer([500; 100]);
    for _ in 0..60 {
        shop.sell().await;
    }
    shop.deliver().await;
    let queue = async || {
        let rows =
            shop.system.store().scan(vec!["WEBHOOK_QUEUE#".to_owned(), "WEBHOOKS#".to_owned()]).try_concat().await.unwrap();
        assert!(rows.iter().all(|row| row.contains_key("ttl") || row.contains_key("url")), "{rows:?}");
        rows.len()
    };
    assert_eq!(queue().await, 61);
    shop.admin().await.delete(&shop.path()).await.ok();
    shop.deliver().await;
    assert_eq!(queue().await, 0);
}

/// The database deletes expired rows in any order.
#[tokio::test]
async fn entries_whose_delivery_has_expired_block_no_endpoint() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    shop.receiver.answer([500; 100]);
    for _ in 0..25 {
        shop.sell().await;
    }
    shop.deliver().await;
    let store = shop.system.store();
    for row in store.scan(vec!["WEBHOOK_DELIVERIES#".to_owned()]).try_concat().await.unwrap() {
        store.remove(&shared::db::item_key(&row).unwrap()).await.unwrap();
    }
    shop.receiver.recover();
    shop.advance(SignedDuration::from_hours(1));
    shop.sell().await;
    assert_eq!(shop.deliver().await.len(), 1);
}

#[tokio::test]
async fn a_sale_and_a_redemption_are_told_with_their_settlement() {
    let events = [EventType::GiftCardIssued, EventType::GiftCardRedeemed, EventType::SettlementCreated];
    let shop = Shop::telling(&events).await;
    let second = Receiver::start().await;
    create(&shop.admin().await, &second.url, &[EventType::GiftCardIssued]).await;
    let rival = Receiver::start().await;
    create(&shop.system.sign_in("u-rival").await, &rival.url, &EventType::ALL).await;
    let till = shop.system.sign_in("u-till").await;

    let sale = with(sale(250), &json!({"paymentReference": "receipt-1"}));
    let sold = till.post(ISSUE, &sale).await.ok();
    let issued = shop.deliver().await;
    let [issued] = &issued[..] else { panic!("{issued:?}") };
    issued.verify(&shop.secret).unwrap();
    assert_eq!(issued.header("content-type"), "application/json");
    assert_eq!(issued.header("user-agent"), "gift-card-portal/1");
    assert!(issued.header("webhook-id").strip_prefix("msg_").is_some_and(|id| id.len() == 26));
    let body = issued.json();
    let code = sold.text("/data/qrCode");
    let expected = json!({
        "type": "gift_card.issued", "timestamp": body["timestamp"], "merchantId": "m-aurora", "test": false,
        "data": {
            "orderId": sold.at("/data/orderId"), "paymentReference": "receipt-1", "cardRef": body["data"]["cardRef"],
            "amountMinor": 25_000, "currency": "SEK", "offerId": body["data"]["offerId"],
            "offerName": body["data"]["offerName"], "store": {"id": null, "name": null}, "till": null, "refundOf": null,
        },
    });
    assert_eq!(body, expected);
    assert!(!String::from_utf8_lossy(&issued.body).contains(&code), "no body has the code of a card");
    let same = second.take();
    assert_eq!(same.len(), 1);
    assert_eq!((same[0].header("webhook-id"), &same[0].body), (issued.header("webhook-id"), &issued.body));
    assert_eq!(same[0].signatures_by(&shop.secret), 0, "each endpoint has a secret of its own");

    let redeemed = till.redeem("QR-500", 100).await;
    let messages = shop.deliver().await;
    assert_eq!(types(&messages), ["gift_card.redeemed", "settlement.created"]);
    let of = |name: &str| messages.iter().map(Received::json).find(|body| body["type"] == name).unwrap();
    let settlement = of("settlement.created");
    let rows = shop.admin().await.get("/api/bff/settlements").await;
    assert_eq!(&settlement["data"], rows.at("/rows/0"));
    let body = of("gift_card.redeemed");
    let data = json!({
        "redemptionId": redeemed.at("/redemptionId"), "cardRef": body["data"]["cardRef"], "amountMinor": 10_000,
        "currency": "SEK", "remainingValueMinor": 40_000, "store": {"id": null, "name": "Merchant Portal POS"},
        "till": null, "settlementId": settlement["data"]["id"],
    });
    assert_eq!(body["data"], data);
    assert_eq!(second.take().len() + rival.take().len(), 0);
    let statuses: Vec<Value> = shop.deliveries().await.as_array().unwrap().iter().map(|one| one["status"].clone()).collect();
    assert_eq!(statuses, ["DELIVERED"; 3]);
}

#[tokio::test]
async fn a_message_is_attempted_ten_times_with_the_same_bytes_then_it_has_failed() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    shop.receiver.answer([500; 11]);
    shop.system.sign_in("u-till").await.sell(100).await;
    let first = shop.deliver().await;
    assert_eq!(first.len(), 1);
    let mut waits = Vec::new();
    for attempt in 2..=10 {
        let delivery = shop.deliveries().await[0].clone();
        assert_eq!((&delivery["status"], delivery["attempts"].as_array().unwrap().len()), (&json!("PENDING"), attempt - 1));
        let next: Timestamp = delivery["nextAttemptAt"].as_str().unwrap().parse().unwrap();
        let wait = next.duration_since(shop.clock.clock().now());
        shop.advance(wait - SignedDuration::from_secs(1));
        assert_eq!(shop.deliver().await.len(), 0, "not before {next}");
        shop.advance(SignedDuration::from_secs(2));
        let again = shop.deliver().await;
        assert_eq!(again.len(), 1, "attempt {attempt}");
        assert_eq!((again[0].header("webhook-id"), &again[0].body), (first[0].header("webhook-id"), &first[0].body));
        assert_eq!(again[0].signatures_by(&shop.secret), 1);
        waits.push(wait.as_secs());
    }
    let schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (wait, scheduled) in waits.iter().zip(schedule) {
        assert!((scheduled..=scheduled + scheduled / 5).contains(wait), "{waits:?}");
    }
    assert_ne!(waits, schedule, "with jitter");
    let delivery = shop.deliveries().await[0].clone();
    assert_eq!((&delivery["status"], &delivery["nextAttemptAt"]), (&json!("FAILED"), &Value::Null));
    let attempt = &delivery["attempts"][9];
    assert_eq!((&attempt["status"], &attempt["error"]), (&json!(500), &json!("status 500")));
    assert_eq!(shop.endpoint().await["status"], "ENABLED", "75 hours are not five days");

    let retry = shop.retry_path().await;
    let retried = shop.admin().await.post_empty(&retry).await;
    assert_eq!((retried.status, retried.at("/data/deliveryId")), (202, &delivery["id"]));
    assert_eq!(shop.deliver().await.len(), 1);
    assert_eq!(shop.deliveries().await[0]["status"], "FAILED", "one more attempt, answered with 500");
    shop.receiver.answer([200]);
    shop.admin().await.post_empty(&retry).await;
    assert_eq!(shop.deliver().await[0].body, first[0].body);
    assert_eq!(shop.deliveries().await[0]["status"], "DELIVERED");
}

#[tokio::test]
async fn a_message_has_the_time_of_its_event_and_of_its_attempt() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    let then = iso_8601(shop.clock.clock().now());
    shop.receiver.answer([500]);
    let late = async {
        shop.sell().await;
        shop.advance(SignedDuration::from_hours(1));
    };
    shop.system.local.pause(late).await;
    for wait in [0, 7] {
        shop.advance(SignedDuration::from_secs(wait));
        let told = shop.deliver().await;
        assert_eq!(told[0].json()["timestamp"], then);
        assert_eq!(told[0].header("webhook-timestamp"), shop.clock.clock().now().as_second().to_string());
    }
}

#[tokio::test]
async fn an_endpoint_can_ask_for_time() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    shop.receiver.ask_to_wait(429, "120");
    shop.receiver.ask_to_wait(503, "9999999");
    shop.system.sign_in("u-till").await.sell(100).await;
    assert_eq!(shop.deliver().await.len(), 1);
    shop.advance(SignedDuration::from_secs(119));
    assert_eq!(shop.deliver().await.len(), 0);
    shop.advance(SignedDuration::from_secs(1));
    assert_eq!(shop.deliver().await.len(), 1);
    shop.advance(SignedDuration::from_hours(24) - SignedDuration::from_secs(1));
    assert_eq!(shop.deliver().await.len(), 0);
    shop.advance(SignedDuration::from_secs(1));
    assert_eq!(shop.deliver().await.len(), 1, "a day at most");
    assert_eq!(shop.deliveries().await[0]["status"], "DELIVERED");
}

#[tokio::test]
async fn an_endpoint_that_is_gone_is_disabled_and_the_administrators_are_told() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    shop.system.drain().await;
    let before = shop.system.emails().await.len();
    shop.receiver.answer([410]);
    shop.sell().await;
    assert_eq!(shop.deliver().await.len(), 1);
    let endpoint = shop.endpoint().await;
    assert_eq!((&endpoint["status"], &endpoint["disabledBecause"]), (&json!("DISABLED"), &json!("GONE")));
    shop.system.drain().await;
    let emails = shop.system.emails().await;
    let administrators = ["admin@aurora.example", "Unset@aurora.example"];
    let told: Vec<&Value> = emails[before..].iter().map(|email| &email["to"]).collect();
    assert!(!told.is_empty() && told.len() <= administrators.len(), "{told:?}");
    for email in &emails[before..] {
        assert!(email["subject"].as_str().unwrap().contains("no longer delivered"), "{email}");
        assert_links_to_webhooks(email);
    }

    shop.sell().await;
    shop.advance(SignedDuration::from_hours(48));
    assert_eq!(shop.deliver().await.len(), 0);
    shop.admin().await.patch(&shop.path(), &json!({"status": "ENABLED"})).await;
    assert_eq!(shop.deliver().await.len(), 2, "what waited is sent");
}

#[tokio::test]
async fn what_waits_for_a_disabled_endpoint_has_failed_after_three_days() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    let admin = shop.admin().await;
    admin.patch(&shop.path(), &json!({"status": "DISABLED"})).await;
    shop.sell().await;
    assert_eq!(shop.deliver().await.len(), 0);
    assert_eq!(shop.deliveries().await[0]["status"], "PENDING");
    assert_eq!(error_code(&shop.test(EventType::PayoutPaid).await), (409, "WEBHOOK_DISABLED"));
    assert_eq!(error_code(&admin.post_empty(&shop.retry_path().await).await), (409, "WEBHOOK_DISABLED"));

    shop.advance(SignedDuration::from_hours(72));
    shop.deliver().await;
    assert_eq!(shop.deliveries().await[0]["status"], "FAILED");
    shop.sell().await;
    shop.deliver().await;
    assert_eq!(shop.deliveries().await.as_array().unwrap().len(), 1, "nothing more is kept for it");
    shop.admin().await.patch(&shop.path(), &json!({"status": "ENABLED"})).await;
    assert_eq!(shop.deliver().await.len(), 0);
    shop.sell().await;
    assert_eq!(shop.deliver().await.len(), 1);
}

#[tokio::test]
async fn an_endpoint_that_accepts_nothing_for_five_days_is_disabled_when_a_message_has_failed() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    shop.receiver.answer([500; 100]);
    shop.sell().await;
    for day in 0..10 {
        shop.deliver().await;
        let is_enabled = shop.endpoint().await["status"] == "ENABLED";
        if !is_enabled {
            assert!(day >= 5, "disabled after {day} days");
            assert_eq!(shop.endpoint().await["disabledBecause"], "FAILING");
            shop.system.drain().await;
            let emails = shop.system.emails().await;
            let told = emails.iter().filter(|email| email["subject"].as_str().unwrap().contains("no longer delivered"));
            assert_eq!(told.count(), 2, "both administrators");
            return;
        }
        shop.sell().await;
        for _ in 0..24 {
            shop.advance(SignedDuration::from_hours(1));
            shop.deliver().await;
        }
    }
    panic!("never disabled");
}

#[tokio::test]
async fn both_secrets_sign_for_a_day_after_a_rotation() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    let rotation = format!("{}/rotation", shop.path());
    let second = shop.admin().await.post_empty(&rotation).await.text("/data/secret");
    let signed = async |secrets: &[&str]| {
        shop.test(EventType::GiftCardIssued).await;
        let messages = shop.deliver().await;
        assert_eq!(messages.len(), 1);
        secrets.iter().map(|secret| messages[0].signatures_by(secret)).collect::<Vec<_>>()
    };
    assert_eq!(signed(&[&shop.secret, &second]).await, [1, 1]);
    shop.advance(SignedDuration::from_hours(24) - SignedDuration::from_secs(1));
    assert_eq!(signed(&[&shop.secret, &second]).await, [1, 1]);
    shop.advance(SignedDuration::from_secs(1));
    assert_eq!(signed(&[&shop.secret, &second]).await, [0, 1]);
    let third = shop.admin().await.post(&rotation, &json!({"immediately": false})).await.text("/data/secret");
    let fourth = shop.admin().await.post(&rotation, &json!({})).await.text("/data/secret");
    assert_eq!(signed(&[&second, &third, &fourth]).await, [0, 1, 1], "a second rotation ends the oldest");
    let fifth = shop.admin().await.post(&rotation, &json!({"immediately": true})).await.text("/data/secret");
    assert_eq!(signed(&[&third, &fourth, &fifth]).await, [0, 0, 1]);
}

#[tokio::test]
async fn tests_and_retries_are_limited() {
    let shop = Shop::telling(&[EventType::PayoutPaid]).await;
    for event in EventType::ALL {
        let sent = shop.test(event).await.ok();
        let messages = shop.deliver().await;
        assert_eq!(messages.len(), 1);
        let body = messages[0].json();
        assert_eq!((&body["type"], &body["test"]), (&json!(event), &json!(true)));
        assert_eq!(body["merchantId"], "m-aurora");
        assert_eq!(shop.deliveries().await[0]["id"], *sent.at("/data/deliveryId"));
        shop.advance(SignedDuration::from_secs(1));
    }
    for _ in 8..10 {
        assert_eq!(shop.test(EventType::PayoutPaid).await.status, 202);
    }
    let refused = shop.test(EventType::PayoutPaid).await;
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (429, true), "{refused:?}");
    shop.advance(SignedDuration::from_hours(1));
    assert_eq!(shop.test(EventType::PayoutPaid).await.status, 202);
    shop.deliver().await;

    let admin = shop.admin().await;
    let retry = shop.retry_path().await;
    for _ in 0..50 {
        assert_eq!(admin.post_empty(&retry).await.status, 202);
        shop.deliver().await;
    }
    assert_eq!(admin.post_empty(&retry).await.status, 429);
}

#[tokio::test]
async fn nothing_is_sent_to_a_deleted_endpoint_and_what_waits_follows_a_new_address() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    let admin = shop.admin().await;
    shop.receiver.answer([500]);
    shop.sell().await;
    assert_eq!(shop.deliver().await.len(), 1);
    let other = Receiver::start().await;
    let moved = admin.patch(&shop.path(), &json!({"url": other.url})).await;
    shop.advance(SignedDuration::from_secs(6));
    assert_eq!(shop.deliver().await.len(), 0);
    let arrived = other.take();
    assert_eq!((arrived.len(), arrived[0].signatures_by(&moved.text("/data/secret"))), (1, 1));

    other.answer([500]);
    shop.sell().await;
    shop.deliver().await;
    assert_eq!(other.take().len(), 1);
    assert_eq!(admin.delete(&shop.path()).await.status, 200);
    shop.sell().await;
    shop.advance(SignedDuration::from_hours(100));
    shop.deliver().await;
    assert_eq!(other.take().len(), 0);
}

#[tokio::test]
async fn deliveries_are_listed_page_by_page() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    let (admin, till) = (shop.admin().await, shop.system.sign_in("u-till").await);
    for number in 0..7 {
        shop.receiver.answer([if number % 2 == 0 { 200 } else { 500 }]);
        till.sell(100).await;
        shop.deliver().await;
    }
    let all = shop.deliveries().await;
    let count = |status: &str| all.as_array().unwrap().iter().filter(|one| status.is_empty() || one["status"] == status).count();
    assert_eq!(count("") - count("PENDING") - count("DELIVERED"), 0);
    for status in ["", "DELIVERED", "PENDING", "FAILED"] {
        let seen = admin.walk(&format!("{}/deliveries?status={status}", shop.path()), "deliveries", 2).await;
        let distinct: std::collections::BTreeSet<String> = seen.iter().map(|one| one["id"].to_string()).collect();
        assert_eq!((seen.len(), distinct.len()), (count(status), count(status)), "{status}");
    }
    shop.advance(SignedDuration::from_hours(30 * 24) - SignedDuration::from_secs(1));
    assert_eq!(shop.deliveries().await.as_array().unwrap().len(), 7);
    shop.advance(SignedDuration::from_secs(1));
    assert_eq!(shop.deliveries().await, json!([]));
}

/// The first look-up after a minute that does not settle it is told, then the outcome.
#[tokio::test]
async fn an_unknown_outcome_is_told_after_a_minute_and_what_it_was_when_it_is_known() {
    let shop = Shop::telling(&[EventType::OperationUnknown, EventType::OperationResolved]).await;
    let unknown = shop.redeem_without_an_answer().await;
    shop.system.drain().await;
    assert_eq!(shop.deliver().await.len(), 0, "not within the first minute");
    shop.advance(SignedDuration::from_secs(61));
    shop.system.drain().await;
    shop.system.drain().await;
    let told = shop.deliver().await;
    assert_eq!(types(&told), ["operation.unknown"], "once");
    let (reference, redemption) = (unknown.at("/details/reference"), unknown.at("/details/redemptionId"));
    let expected = json!({"reference": reference, "kind": "REDEEM", "redemptionId": redemption});
    assert_eq!(told[0].json()["data"], expected);
    shop.system.set_faults(json!([])).await;
    shop.advance(SignedDuration::from_hours(1));
    shop.system.drain().await;
    let told = shop.deliver().await;
    assert_eq!(types(&told), ["operation.resolved"]);
    let expected = json!({"reference": reference, "kind": "REDEEM", "redemptionId": redemption, "status": "SUCCEEDED"});
    assert_eq!(told[0].json()["data"], expected);
}

/// A receiver that never heard of a question gets no answer to it.
#[tokio::test]
async fn an_outcome_is_not_told_where_it_was_not_told_that_it_is_unknown() {
    let shop = Shop::telling(&[EventType::OperationUnknown, EventType::OperationResolved]).await;
    shop.redeem_without_an_answer().await;
    for (status, wait) in [("SUSPENDED", 61), ("ACTIVE", 3_600)] {
        shop.set_status(status).await;
        shop.advance(SignedDuration::from_secs(wait));
        shop.system.drain().await;
        shop.system.set_faults(json!([])).await;
    }
    assert_eq!(types(&shop.deliver().await), Vec::<String>::new());
}

#[tokio::test]
async fn a_new_status_is_told_if_the_merchant_was_or_is_active() {
    let shop = Shop::telling(&[EventType::MerchantStatusChanged, EventType::GiftCardIssued]).await;
    let set = async |status: &str| {
        shop.set_status(status).await;
        shop.deliver().await.iter().map(|message| message.json()["data"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(set("SUSPENDED").await, [json!({"from": "ACTIVE", "to": "SUSPENDED"})]);
    assert_eq!(set("ACTIVE").await, [json!({"from": "SUSPENDED", "to": "ACTIVE"})]);
    assert_eq!(set("SUSPENDED").await, [json!({"from": "ACTIVE", "to": "SUSPENDED"})]);
    assert_eq!(set("INACTIVE").await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_hold_is_told() {
    let shop = Shop::telling(&[EventType::SettlementHeld]).await;
    let redeemed = shop.system.sign_in("u-till").await.redeem("QR-500", 100).await;
    let rows = shop.admin().await.get("/api/bff/settlements").await;
    let id = rows.text("/rows/0/id");
    assert_eq!(rows.at("/rows/0/redemptionId"), redeemed.at("/redemptionId"));
    assert_eq!(shop.deliver().await.len(), 0);
    let root = shop.system.sign_in("u-root").await;
    for held in [true, true, false] {
        let path = format!("/api/admin/settlements/m-aurora/{id}");
        assert_eq!(root.patch(&path, &json!({"held": held, "reason": "Looked at."})).await.status, 200);
    }
    let told = shop.deliver().await;
    assert_eq!(types(&told), ["settlement.held"]);
    assert_eq!(told[0].json()["data"]["id"], id);
}

/// Administrators are told, and their mailboxes not flooded.
#[tokio::test]
async fn a_merchant_has_sixty_new_urls_an_hour_and_administrators_one_mail_of_an_endpoint() {
    let shop = Shop::telling(&[EventType::PayoutPaid]).await;
    let (admin, unset) = (shop.admin().await, shop.system.sign_in("u-unset").await);
    let (mut set, mut refused) = (0, 0);
    for number in 0..40 {
        let change = async |caller: &Caller, of: &str| {
            let body = json!({"url": format!("http://localhost:{}/{of}", 9000 + number)});
            caller.patch(&shop.path(), &body).await.status
        };
        let statuses = futures_util::future::join(change(&admin, "a"), change(&unset, "b")).await;
        for status in [statuses.0, statuses.1] {
            assert!(matches!(status, 200 | 429), "{status}");
            set += usize::from(status == 200);
            refused += usize::from(status == 429);
        }
    }
    assert_eq!((set, refused), (59, 21), "each has thirty, and one more was the URL of the new endpoint");
    let body = json!({"url": "http://localhost/", "events": ["payout.paid"]});
    let created = admin.post(WEBHOOKS, &body).await;
    assert_eq!((created.status, created.header("retry-after").is_some()), (429, true), "{created:?}");
    // What keeps the URL is not limited.
    assert_eq!(admin.patch(&shop.path(), &json!({"description": "Loyalty"})).await.status, 200);
    assert_eq!(shop.system.sign_in("u-rival").await.post(WEBHOOKS, &body).await.status, 201);

    shop.system.drain().await;
    let emails = shop.system.emails().await;
    for administrator in ["admin@aurora.example", "Unset@aurora.example"] {
        let told = told_of_endpoints(&emails).filter(|email| email["to"] == json!([administrator]));
        let told: Vec<&Value> = told.collect();
        assert_eq!(told.len(), 2, "{administrator}: of the new endpoint, and then of the last of its changes");
        assert!(told[1]["text"].as_str().unwrap().contains(":9029"), "{}", told[1]);
        told.into_iter().for_each(assert_links_to_webhooks);
    }

    shop.advance(SignedDuration::from_hours(1));
    assert_eq!(admin.post(WEBHOOKS, &body).await.status, 201);
}

fn told_of_endpoints(emails: &[Value]) -> impl Iterator<Item = &Value> {
    emails.iter().filter(|email| email["subject"].as_str().unwrap().starts_with("A webhook endpoint was set"))
}

/// However many ask at the same moment.
#[tokio::test]
async fn parallel_tests_and_retries_exceed_no_limit() {
    let shop = Shop::telling(&[EventType::PayoutPaid]).await;
    let admin = shop.admin().await;
    let mut tests = 0;
    for _ in 0..10 {
        tests += admitted_at_once(&admin, &format!("{}/test", shop.path()), Some(&json!({"event": "payout.paid"}))).await;
    }
    assert_eq!(tests, 10);
    assert_eq!(shop.deliveries().await.as_array().unwrap().len(), 10);
    shop.deliver().await;
    let retry = shop.retry_path().await;
    let mut retries = 0;
    for _ in 0..40 {
        retries += admitted_at_once(&admin, &retry, None).await;
        shop.deliver().await;
    }
    assert_eq!(admin.post_empty(&retry).await.status, 429);
    assert!(retries >= 50, "while it is being sent, to ask again is free: {retries}");
}

async fn admitted_at_once(caller: &Caller, path: &str, body: Option<&Value>) -> usize {
    count_accepted((0..8).map(|_| caller.send(Method::POST, path, body)), 202, 429).await
}

/// Of requests at the same moment, each is accepted with the one status or refused with the other.
async fn count_accepted(requests: impl Iterator<Item = impl Future<Output = ApiResponse>>, accepted: u16, refused: u16) -> usize {
    let statuses: Vec<u16> = futures_util::future::join_all(requests).await.iter().map(|response| response.status).collect();
    // Who loses ten times against others is asked to come back.
    assert!(statuses.iter().all(|status| [accepted, refused, 503].contains(status)), "{statuses:?}");
    statuses.iter().filter(|status| **status == accepted).count()
}

#[tokio::test]
async fn a_worker_sends_five_messages_of_a_merchant_at_once_and_two_to_slow_endpoints() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    shop.system.local.limit_webhooks(std::time::Duration::from_millis(500)).await;
    for _ in 0..4 {
        create(&shop.admin().await, &shop.receiver.url, &[EventType::GiftCardIssued]).await;
    }
    for _ in 0..20 {
        shop.receiver.answer_too_late();
    }
    // Endpoints have to show that they are quick.
    shop.sell().await;
    assert_eq!(shop.deliver().await.len(), 5);
    assert!(shop.receiver.most_at_once() <= 2);
    shop.sell().await;
    shop.sell().await;
    assert_eq!(shop.deliver().await.len(), 10);
    assert!((3..=5).contains(&shop.receiver.most_at_once()));
}

#[tokio::test]
async fn what_a_worker_was_sending_when_it_died_is_sent_again_half_a_minute_later() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    let sent = shop.die_while_sending().await;
    shop.advance(SignedDuration::from_secs(29));
    assert_eq!(shop.deliver().await.len(), 0, "the worker could still be sending it");
    shop.advance(SignedDuration::from_secs(1));
    let again = shop.deliver().await;
    assert_eq!((again.len(), again[0].header("webhook-id"), &again[0].body), (1, sent.header("webhook-id"), &sent.body));
    assert_eq!(shop.deliveries().await[0]["status"], "DELIVERED");
}

#[tokio::test]
async fn an_answer_that_comes_too_late_is_none() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    shop.system.local.limit_webhooks(std::time::Duration::from_millis(100)).await;
    shop.receiver.answer_too_late();
    shop.sell().await;
    assert_eq!(shop.deliver().await.len(), 1);
    let delivery = &shop.deliveries().await[0];
    assert_eq!(delivery["status"], "PENDING");
    let attempt = &delivery["attempts"][0];
    assert_eq!((&attempt["status"], &attempt["error"]), (&Value::Null, &json!("no answer within 10 seconds")));
}

/// The endpoint is the merchant's: it stays, and they can change it no longer.
#[tokio::test]
async fn a_member_who_loses_a_role_leaves_the_endpoint() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    let (admin, full) = (shop.admin().await, shop.system.sign_in("u-full").await);
    let receiver = Receiver::start().await;
    let created = create(&full, &receiver.url, &[EventType::GiftCardIssued]).await;
    let path = format!("{WEBHOOKS}/{}", created.text("/data/id"));
    let role = json!({"targetUserId": "u-full", "merchantTeamRole": "VIEWER"});
    admin.patch("/api/bff/merchant/users", &role).await.ok();
    for (method, path, body) in [
        (Method::PATCH, path.clone(), Some(json!({"url": "http://localhost/"}))),
        (Method::POST, format!("{path}/rotation"), None),
        (Method::POST, format!("{path}/test"), Some(json!({"event": "payout.paid"}))),
        (Method::DELETE, path.clone(), None),
    ] {
        assert_eq!(full.send(method.clone(), &path, body.as_ref()).await.status, 403, "{method} {path}");
    }
    assert_eq!(full.get(WEBHOOKS).await.list("/data").len(), 2, "a viewer sees it");
    shop.sell().await;
    shop.deliver().await;
    assert_eq!(receiver.take().len(), 1);
    assert_eq!(admin.delete(&path).await.status, 200);
}

#[tokio::test]
async fn nothing_is_sent_to_a_system_that_cannot_prove_its_name() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    let server = shop.receiver.url.trim_end_matches("/hooks");
    let unknown = behind_tls(server, &Authority::new("Nobody")).await;
    let without_tls = server.replace("http:", "https:");
    for url in [unknown, without_tls] {
        assert_eq!(shop.admin().await.patch(&shop.path(), &json!({"url": url})).await.status, 200);
        shop.sell().await;
        assert_eq!(shop.deliver().await.len(), 0);
        let attempt = shop.deliveries().await[0]["attempts"][0].clone();
        assert_eq!(attempt["error"], "the certificate or TLS is not valid", "{url}");
    }
}

/// What a sale and a redemption write, in their function. Of a merchant without an endpoint, it is what it was before there were
/// webhooks.
#[tokio::test]
async fn a_merchant_without_an_endpoint_pays_nothing_and_one_with_an_endpoint_a_row_for_each_event() {
    let (system, till) = System::signed_in("u-till").await;
    // The first sale of a day also writes what others find.
    till.sell(100).await;
    till.redeem("QR-500", 10).await;
    let write_units = async || units(&system.usage().await["pos"], "writeUnits");
    let measure = async || {
        // Nobody makes the bodies meanwhile.
        let measuring = async {
            system.reset_usage().await;
            till.sell(100).await;
            let sale = write_units().await;
            system.reset_usage().await;
            till.redeem("QR-500", 10).await;
            (sale, write_units().await, messages_of(&system).await)
        };
        system.local.pause(measuring).await
    };
    let (sale, redemption, messages) = measure().await;
    assert_eq!((sale, redemption), (SALE_WRITES, REDEMPTION_WRITES));
    assert_eq!(messages, Vec::<usize>::new());

    let url = "http://127.0.0.1:9/hooks";
    let admin = system.sign_in("u-admin").await;
    let endpoint = create(&admin, url, &[EventType::PayoutPaid]).await.text("/data/id");
    let (sale, redemption, messages) = measure().await;
    assert_eq!((sale, redemption), (SALE_WRITES, REDEMPTION_WRITES), "an endpoint that wants neither costs nothing");
    assert_eq!(messages, Vec::<usize>::new());

    // Another endpoint is no other row.
    create(&admin, url, &EventType::ALL).await;
    admin.patch(&format!("{WEBHOOKS}/{endpoint}"), &json!({"events": EventType::ALL})).await;
    let (sale, redemption, messages) = measure().await;
    assert_eq!((sale, redemption), (SALE_WRITES + MESSAGE_WRITES, REDEMPTION_WRITES + 2.0 * MESSAGE_WRITES));
    assert_eq!(messages.len(), 3, "issued; redeemed and its settlement");
    assert!(messages.iter().all(|bytes| *bytes <= 1024), "{messages:?}");
}

/// What it costs to send a message.
#[tokio::test]
async fn a_message_costs_the_same_however_many_were_sent_before_and_less_among_others() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    shop.sell().await;
    shop.system.drain().await;
    shop.receiver.take();
    let till = shop.system.sign_in("u-till").await;
    // Calls, and units of DynamoDB.
    let send = async |messages: usize| {
        let measuring = async {
            for _ in 0..messages {
                till.sell(100).await;
            }
            shop.system.reset_usage().await;
            deliveries::work(shop.system.local.app(), UNTIL_IDLE).await;
            shop.system.usage().await
        };
        let usage = shop.system.local.pause(measuring).await;
        assert_eq!(shop.receiver.take().len(), messages);
        let total = |kind: &str| usage.as_object().unwrap().values().map(|function| units(function, kind)).sum::<f64>();
        (total("calls"), total("readUnits") + total("writeUnits"))
    };
    let alone = send(1).await;
    let among_others = send(30).await;
    assert_eq!(send(1).await, alone);
    assert!(among_others.0 < 30.0 * alone.0 / 2.0 && among_others.1 < 30.0 * alone.1, "{among_others:?} {alone:?}");
}

/// From the event to the deliveries, beyond what a merchant without endpoints pays; docs/cost.md says so. The first message to each
/// endpoint costs more: it has to show that it is quick.
#[tokio::test]
async fn a_message_that_is_accepted_at_once_writes_six_units_and_two_for_each_further_endpoint() {
    for (endpoints, of_sale, of_redemption, of_disabled) in [(1, 6.0, 11.0, 11.0), (5, 14.0, 23.0, 39.0)] {
        let shop = Shop::telling(&EventType::ALL).await;
        let admin = shop.admin().await;
        let mut paths = vec![shop.path()];
        while paths.len() < endpoints {
            let created = create(&admin, &shop.receiver.url, &EventType::ALL).await;
            paths.push(format!("{WEBHOOKS}/{}", created.text("/data/id")));
        }
        shop.sell().await;
        shop.system.sign_in("u-till").await.redeem("QR-500", 10).await;
        shop.deliver().await;
        // Beyond those of the function that is called.
        let written = async |is_sale: bool| {
            shop.advance(SignedDuration::from_secs(1));
            // After days, in a new session.
            let till = shop.system.sign_in("u-till").await;
            let measuring = async {
                shop.system.reset_usage().await;
                if is_sale {
                    till.sell(100).await;
                } else {
                    till.redeem("QR-500", 10).await;
                }
                deliveries::work(shop.system.local.app(), UNTIL_IDLE).await;
                let usage = shop.system.usage().await;
                let of_functions = ["/pos", "/local"].iter().filter_map(|function| usage.pointer(function));
                of_functions.map(|usage| units(usage, "writeUnits")).sum::<f64>()
            };
            shop.system.local.pause(measuring).await - if is_sale { SALE_WRITES } else { REDEMPTION_WRITES }
        };
        assert_eq!((written(true).await, shop.receiver.take().len()), (of_sale, endpoints));
        assert_eq!((written(false).await, shop.receiver.take().len()), (of_redemption, 2 * endpoints));
        for path in paths {
            admin.patch(&path, &json!({"status": "DISABLED"})).await.ok();
        }
        assert_eq!((written(true).await, shop.receiver.take().len()), (of_disabled, 0), "it is kept for three days");
        shop.advance(SignedDuration::from_hours(72));
        shop.deliver().await;
        assert_eq!((written(true).await, shop.receiver.take().len()), (3.0, 0), "nothing is kept any more");
    }
}

/// The till's user can name a store by any text.
#[tokio::test]
async fn the_row_of_a_message_stays_small() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    let till = shop.system.sign_in("u-till").await;
    let stores = ["s".repeat(200), "\u{1F600}".repeat(50), "s".repeat(201), "s".repeat(100_000)];
    let selling = async {
        for store in &stores {
            let sale = json!({
                "value": 100, "deliveryDetails": {"deliveryType": "QR"}, "retailStoreId": store,
                "paymentReference": "\u{1F600}".repeat(80),
            });
            assert_eq!(till.post(ISSUE, &sale).await.status, 200, "{}", store.len());
        }
        messages_of(&shop.system).await
    };
    let sizes = shop.system.local.pause(selling).await;
    assert_eq!(sizes.len(), stores.len());
    assert!(sizes.iter().all(|bytes| *bytes <= 1024), "{sizes:?}");
    let messages = shop.deliver().await;
    let told: std::collections::BTreeSet<String> =
        messages.iter().map(|message| message.json()["data"]["store"]["id"].as_str().unwrap_or_default().to_owned()).collect();
    assert_eq!(told, [String::new(), stores[0].clone(), stores[1].clone()].into());
    assert!(messages.iter().all(|message| message.body.len() <= 8 * 1024));
}

/// Write units of the function, with those of indexes.
const SALE_WRITES: f64 = 24.0;
const REDEMPTION_WRITES: f64 = 28.0;
/// A row of 1 KB in a transaction.
const MESSAGE_WRITES: f64 = 2.0;

/// The sizes of the messages that are stored, in bytes.
async fn messages_of(system: &System) -> Vec<usize> {
    let rows = system.store().scan(vec!["WEBHOOK_MESSAGE#".to_owned()]).try_concat().await.unwrap();
    // JSON is longer than what is counted.
    rows.into_iter().map(|row| serde_dynamo::from_item::<_, Value>(row).unwrap().to_string().len()).collect()
}
