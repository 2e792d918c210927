//! Random histories of keys: members make, rotate, use and revoke them, get other powers, are removed, leave and come back, workers die in
//! the middle, and time passes. After each step the keys must be what the contract says, by a model that shares no code with the product.

use axum::body::Body;
use futures_util::future::join;
use http::{Method, Request};
use lambda_http::RequestExt;
use serde_json::{Value, json};
use shared::base::clock::iso_8601;
use tower::ServiceExt;
use world::shop::with;
use world::{ApiResponse, Caller, Counts, Histories, ManualClock, SeededRandom, System, poll_up_to};

use crate::key_makers::come_back;
use crate::keys::KEYS;
use crate::powers::model::Member;

const STEPS: usize = 30;
const START: &str = "2026-05-28T20:26:40Z";
/// Who looks, and is never removed: so that nobody else is the last administrator.
const WATCHER: &str = "u-admin";
const USERS: [&str; 4] = ["u-unset", "u-full", "u-viewer", "u-till"];
const LISTS: [&[&str]; 4] = [
    &["portal.orders"],
    &["portal.pos"],
    &["portal.orders", "portal.reports"],
    &["portal.information", "portal.gift_cards", "portal.pos"],
];
/// In seconds.
type Time = i64;
const HOUR: Time = 3_600;
const DAY: Time = 24 * HOUR;
/// After which nothing waits for a worker that has died.
const LEASE: Time = 30;

#[derive(Debug)]
struct Key {
    id: String,
    list: Vec<&'static str>,
    maker: &'static str,
    lifetime: Time,
    expires: Time,
    ends: Option<Time>,
    over: Option<(Time, &'static str)>,
    /// The text of each secret, newest last, and until when it is good if it is not the newest. A worker that has died has told nobody.
    secrets: Vec<(Option<String>, Option<Time>)>,
    rotations: usize,
    is_newest_used: bool,
}

impl Key {
    fn end(&self) -> (Time, &'static str) {
        match (self.over, self.ends) {
            (Some(over), _) => over,
            (None, Some(at)) if at < self.expires => (at, "MAKER_LEFT"),
            (None, _) => (self.expires, "EXPIRED"),
        }
    }

    fn is_over(&self, now: Time) -> bool {
        self.end().0 <= now
    }

    fn is_good(&self, secret: usize, now: Time) -> bool {
        !self.is_over(now) && self.secrets[secret].1.is_none_or(|until| until > now)
    }

    fn is_used(&mut self, secret: usize) {
        self.is_newest_used |= secret + 1 == self.secrets.len();
    }

    fn rotated(&mut self, by: &'static str, text: Option<String>, overlap: Time, lifetime: Option<Time>, now: Time) {
        let old_end = (now + overlap).min(self.end().0);
        let newest = self.secrets.len() - 1;
        let is_replaced = self.rotations > 0 && !self.is_newest_used;
        for (index, (_, until)) in self.secrets.iter_mut().enumerate() {
            *until = match until {
                None if index == newest && !is_replaced => Some(old_end),
                // The oldest one lives on only if the newest is replaced.
                Some(until) if is_replaced => Some((*until).min(old_end)),
                None | Some(_) => Some(Time::MIN),
            };
        }
        self.secrets.push((text, None));
        self.lifetime = lifetime.unwrap_or(self.lifetime);
        (self.maker, self.expires, self.ends) = (by, now + self.lifetime, None);
        self.is_newest_used = false;
        self.rotations += 1;
    }
}

struct History {
    system: System,
    clock: ManualClock,
    now: Time,
    random: SeededRandom,
    watcher: Caller,
    members: Vec<(&'static str, Option<Member>)>,
    keys: Vec<Key>,
    /// The number of requests with an idempotency key.
    intents: usize,
    is_closed: bool,
    counts: Counts,
}

impl History {
    async fn begin(seed: u64) -> Self {
        let (system, clock) = System::at(START).await;
        let members = vec![
            (USERS[0], Some(Member::with_role(None))),
            (USERS[1], Some(Member::with_role(Some("ADMIN")))),
            (USERS[2], Some(Member::with_role(Some("VIEWER")))),
            (USERS[3], Some(Member::with_list(&["merchant.team.invite", "portal.orders", "portal.reports", "portal.pos"]))),
        ];
        let watcher = system.sign_in(WATCHER).await;
        for (user, powers) in members.iter().filter(|(user, _)| [USERS[1], USERS[3]].contains(user)) {
            let body = with(powers.as_ref().unwrap().as_request(), &json!({"targetUserId": user}));
            watcher.patch("/api/bff/merchant/users", &body).await.ok();
        }
        let (random, counts) = (SeededRandom::new(seed), Counts::default());
        Self { system, clock, now: 0, random, watcher, members, keys: Vec::new(), intents: 0, is_closed: false, counts }
    }

    fn member(&self, user: &str) -> Option<Member> {
        match user {
            WATCHER => Some(Member::with_role(Some("ADMIN"))),
            _ => self.members.iter().find(|(member, _)| *member == user).unwrap().1.clone(),
        }
    }

    fn set(&mut self, user: &str, powers: Option<Member>) {
        self.members.iter_mut().find(|(member, _)| *member == user).unwrap().1 = powers;
    }

    /// A user, most often one who may manage keys.
    fn anybody(&mut self) -> &'static str {
        let users = [WATCHER, WATCHER, USERS[0], USERS[1], USERS[2], USERS[3]];
        let position = usize::try_from(self.random.below(6)).unwrap();
        users[position]
    }

    fn any_powers(&mut self) -> Member {
        let lists: [&[&str]; 3] = [
            &["merchant.team.invite", "portal.orders"],
            &["merchant.team.invite", "portal.orders", "portal.reports", "portal.pos"],
            &["portal.pos"],
        ];
        match self.random.below(6) {
            0 => Member::with_role(Some("ADMIN")),
            1 => Member::with_role(Some("FULL")),
            2 => Member::with_role(Some("VIEWER")),
            _ => {
                let list = self.random.pick(&lists);
                Member::with_list(list)
            }
        }
    }

    async fn signed_in(&self, user: &str) -> Caller {
        self.system.sign_in(user).await
    }

    /// What a change of a member's powers means for their keys.
    fn changed(&mut self, target: &'static str, after: Option<&Member>, ends: impl Fn(&Key) -> bool) {
        let (before, now) = (self.member(target).unwrap(), self.now);
        for key in self.keys.iter_mut().filter(|key| key.maker == target && !key.is_over(now)) {
            let list = Member::with_list(&key.list);
            let is_lost = after.is_none_or(|after| before.may_give(&list) && !after.may_give(&list));
            if is_lost && ends(key) {
                key.over = Some((now, "MAKER_LEFT"));
                self.counts.add("ended", 1);
            } else if is_lost {
                key.ends = Some(key.ends.map_or(now + 7 * DAY, |ends| ends.min(now + 7 * DAY)));
                self.counts.add("noticed", 1);
            }
        }
    }

    /// Sends a request, which a worker may have begun before and died. Returns the response and when it was done, if it was.
    async fn send_once(&mut self, by: &str, path: &str, body: &Value) -> (ApiResponse, Time) {
        self.intents += 1;
        let (key, caller, before) = (format!("k-{}", self.intents), self.signed_in(by).await, self.now);
        if self.random.percent(20) {
            self.die(&caller, Method::POST, path, &[("idempotency-key", &key)], body).await;
            self.move_clock(LEASE);
        }
        let response = caller.post_with_key(path, &key, body).await;
        let is_repeat = response.header("idempotent-replayed").is_some();
        self.counts.add("done by the dead", usize::from(is_repeat));
        (response, if is_repeat { before } else { self.now })
    }

    /// Lets a worker of its own begin a request, and die somewhere in the middle.
    async fn die(&mut self, caller: &Caller, method: Method, path: &str, headers: &[(&str, &str)], body: &Value) {
        let request = Request::builder().method(method).uri(path).header("authorization", format!("Bearer {}", caller.token()));
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let mut request = request.header("content-type", "application/json").body(Body::from(body.to_string())).unwrap();
        request.extensions_mut().insert(lambda_http::Context::default());
        let worker = accounts::routes().into_router(self.system.local.app().clone());
        let polls = self.random.below(40);
        poll_up_to(&mut Box::pin(worker.oneshot(request.with_raw_http_path(path))), polls).await;
        self.counts.add("deaths", 1);
    }

    async fn make(&mut self) {
        let (by, list) = (self.anybody(), *self.random.pick(&LISTS));
        let days = *self.random.pick(&[1, 3, 20, 180]);
        let body = json!({"name": "Key", "permissions": list, "readOnly": false, "expiresInDays": days});
        let (made, at) = self.send_once(by, KEYS, &body).await;
        let live = self.keys.iter().filter(|key| !key.is_over(at)).count();
        let member = self.member(by);
        let expected = match member {
            None => 404,
            Some(member) if !member.holds("merchant.team.invite") => 403,
            Some(_) if self.is_closed => 409,
            Some(member) if !member.may_give(&Member::with_list(list)) => 403,
            Some(_) if live >= 20 => 409,
            Some(_) => 201,
        };
        assert_eq!(made.status, expected, "{by}: {made:?}");
        if expected == 201 {
            let (id, text) = (made.text("/data/id"), made.at("/data/key").as_str().map(str::to_owned));
            let lifetime = days * DAY;
            self.keys.push(Key {
                id,
                list: list.to_vec(),
                maker: by,
                lifetime,
                expires: at + lifetime,
                ends: None,
                over: None,
                secrets: vec![(text, None)],
                rotations: 0,
                is_newest_used: false,
            });
            self.counts.add("made", 1);
        }
    }

    /// What is answered to who rotates a key at this time.
    fn rotation_status(&self, by: &str, key: &Key, at: Time) -> u16 {
        match self.member(by) {
            None => 404,
            Some(member) if !member.holds("merchant.team.invite") => 403,
            Some(member) if !member.may_give(&Member::with_list(&key.list)) => 403,
            Some(_) if key.is_over(at) => 409,
            Some(_) => 200,
        }
    }

    /// Chooses a key, who rotates it, for how long, and how.
    fn any_rotation(&mut self) -> Option<(usize, &'static str, Time, Option<Time>)> {
        let index = self.any_key()?;
        let (by, overlap) = (self.anybody(), *self.random.pick(&[0, 1, 24, 168]));
        let days = self.random.percent(30).then(|| *self.random.pick(&[1, 2, 30]));
        Some((index, by, overlap, days))
    }

    fn rotated(
        &mut self,
        index: usize,
        by: &'static str,
        rotated: &ApiResponse,
        at: Time,
        (overlap, days): (Time, Option<Time>),
    ) {
        let key = &self.keys[index];
        assert_eq!(rotated.status, self.rotation_status(by, key, at), "{by}: {rotated:?}");
        if rotated.status == 200 {
            let text = rotated.at("/data/key").as_str().map(str::to_owned);
            self.keys[index].rotated(by, text, overlap * HOUR, days.map(|days| days * DAY), at);
            self.counts.add("rotated", 1);
        }
    }

    async fn rotate(&mut self) {
        let Some((index, by, overlap, days)) = self.any_rotation() else { return };
        let path = format!("{KEYS}/{}/rotation", self.keys[index].id);
        let (rotated, at) = self.send_once(by, &path, &rotation(overlap, days)).await;
        self.rotated(index, by, &rotated, at, (overlap, days));
    }

    /// Rotates a key while it is used.
    async fn rotate_and_use(&mut self) {
        let Some((index, by, overlap, days)) = self.any_rotation() else { return };
        let secret = self.any_secret(index);
        let Some(text) = self.keys[index].secrets[secret].0.clone() else { return };
        let (caller, program) = (self.signed_in(by).await, self.system.with_token(&text));
        let (path, body) = (format!("{KEYS}/{}/rotation", self.keys[index].id), rotation(overlap, days));
        let (rotated, used) = join(caller.post(&path, &body), program.get("/api/auth/session")).await;
        let now = self.now;
        // Who was let in was so before the rotation, as far as the rotation ended the secret.
        if used.status == 200 {
            assert!(self.keys[index].is_good(secret, now), "{:?}", self.keys[index]);
            self.keys[index].is_used(secret);
        }
        self.rotated(index, by, &rotated, now, (overlap, days));
        assert!(used.status == 200 || !self.keys[index].is_good(secret, now), "{:?}: {used:?}", self.keys[index]);
    }

    fn any_key(&mut self) -> Option<usize> {
        let count = i64::try_from(self.keys.len()).unwrap();
        (count > 0).then(|| usize::try_from(self.random.below(count)).unwrap())
    }

    /// One of the latest three.
    fn any_secret(&mut self, key: usize) -> usize {
        let count = self.keys[key].secrets.len();
        count - 1 - usize::try_from(self.random.below(i64::try_from(count.min(3)).unwrap())).unwrap()
    }

    async fn use_one(&mut self, key: usize, secret: usize) {
        let found = &mut self.keys[key];
        let Some(text) = &found.secrets[secret].0 else { return };
        let status = self.system.with_token(text).get("/api/auth/session").await.status;
        let is_good = found.is_good(secret, self.now);
        assert_eq!(status, if is_good { 200 } else { 401 }, "secret {secret} of {found:?} at {}", self.now);
        if is_good {
            found.is_used(secret);
            self.counts.add("used", 1);
        }
    }

    async fn revoke(&mut self) {
        let Some(index) = self.any_key() else { return };
        let by = self.anybody();
        let (caller, path) = (self.signed_in(by).await, format!("{KEYS}/{}", self.keys[index].id));
        if self.random.percent(30) {
            self.die(&caller, Method::DELETE, &path, &[], &Value::Null).await;
        }
        let revoked = caller.delete(&path).await;
        let expected = match self.member(by) {
            None => 404,
            Some(member) if !member.holds("merchant.team.invite") => 403,
            Some(_) => 200,
        };
        assert_eq!(revoked.status, expected, "{by}: {revoked:?}");
        let key = &mut self.keys[index];
        if expected == 200 && !key.is_over(self.now) {
            key.over = Some((self.now, "REVOKED"));
        }
    }

    async fn change(&mut self) {
        let (by, target, powers, keeps) = (self.anybody(), *self.random.pick(&USERS), self.any_powers(), self.random.percent(40));
        let mut body = powers.as_request();
        body["targetUserId"] = json!(target);
        body["keepKeys"] = json!(keeps);
        let changed = self.signed_in(by).await.patch("/api/bff/merchant/users", &body).await;
        let expected = match (self.member(by), self.member(target)) {
            (None, _) => 404,
            (Some(by), _) if !by.holds("merchant.team.invite") => 403,
            _ if by == target => 400,
            (Some(_), None) => 404,
            (Some(by), Some(held)) if !by.may_give(&held) || !by.may_give(&powers) => 403,
            _ => 200,
        };
        assert_eq!(changed.status, expected, "{by} {target}: {changed:?}");
        if expected == 200 && self.member(target).unwrap() != powers.given() {
            let taker = self.member(by).unwrap();
            self.changed(target, Some(&powers.given()), |key| !(keeps && taker.may_give(&Member::with_list(&key.list))));
            self.set(target, Some(powers.given()));
        }
    }

    async fn remove(&mut self) {
        let target = *self.random.pick(&USERS);
        let (by, keeps) = (if self.random.percent(40) { target } else { self.anybody() }, self.random.percent(40));
        let path = format!("/api/auth/members/{target}?keepKeys={keeps}");
        let removed = self.signed_in(by).await.delete(&path).await;
        let expected = match (self.member(by), self.member(target)) {
            (Some(_), Some(_)) if by == target => 200,
            (Some(by), _) if !by.holds("merchant.team.invite") => 403,
            (None, _) | (Some(_), None) => 404,
            (Some(by), Some(held)) if !by.may_give(&held) => 403,
            _ => 200,
        };
        assert_eq!(removed.status, expected, "{by} {target}: {removed:?}");
        if expected == 200 {
            let taker = self.member(by).unwrap();
            self.changed(target, None, |key| by != target && !(keeps && taker.may_give(&Member::with_list(&key.list))));
            self.set(target, None);
        }
    }

    async fn come_back(&mut self) {
        let target = *self.random.pick(&USERS);
        if self.member(target).is_none() {
            come_back(&self.system, target).await;
            self.set(target, Some(Member::with_role(Some("ADMIN"))));
        }
    }

    fn move_clock(&mut self, by: Time) {
        self.clock.advance(by);
        self.now += by;
    }

    async fn pass(&mut self) {
        let by = *self.random.pick(&[1, HOUR, 12 * HOUR, DAY, 7 * DAY]);
        self.move_clock(by);
        self.watcher = self.signed_in(WATCHER).await;
    }

    async fn close(&mut self) {
        let root = self.signed_in("u-root").await;
        root.patch("/api/admin/merchants/m-aurora", &json!({"status": "INACTIVE", "reason": "closed"})).await.ok();
        self.is_closed = true;
        for key in self.keys.iter_mut().filter(|key| !key.is_over(self.now)) {
            key.over = Some((self.now, "MERCHANT_INACTIVE"));
        }
    }

    async fn check(&self) {
        let listed = self.watcher.get(KEYS).await.ok();
        let listed = listed.list("/data");
        let time = |at: Time| json!(iso_8601(START.parse::<jiff::Timestamp>().unwrap() + jiff::SignedDuration::from_secs(at)));
        let shown: Vec<&Key> = self.keys.iter().filter(|key| key.end().0 + 90 * DAY > self.now).collect();
        assert_eq!(listed.len(), shown.len());
        for key in shown {
            let found = listed.iter().find(|found| found["id"] == key.id.as_str()).unwrap();
            let (end, because) = key.end();
            let is_over = key.is_over(self.now);
            let previous = key.secrets.iter().filter_map(|(_, until)| *until).filter(|until| *until > self.now && !is_over).max();
            let expected = [
                ("expiresAt", time(key.expires)),
                ("endsAt", key.ends.map_or(Value::Null, time)),
                ("endedAt", if is_over { time(end) } else { Value::Null }),
                ("endedBecause", if is_over { json!(because) } else { Value::Null }),
                ("previousUntil", previous.map_or(Value::Null, time)),
            ];
            for (field, value) in expected {
                assert_eq!(found[field], value, "{field} of {key:?} at {}: {found}", self.now);
            }
            assert_eq!(found["createdBy"]["id"], key.maker);
        }
    }

    async fn step(&mut self) {
        match self.random.below(100) {
            0..25 => self.make().await,
            25..40 => self.rotate().await,
            40..45 => self.rotate_and_use().await,
            45..65 => {
                if let Some(key) = self.any_key() {
                    let secret = self.any_secret(key);
                    self.use_one(key, secret).await;
                }
            }
            65..68 => self.revoke().await,
            68..78 => self.change().await,
            78..83 => self.remove().await,
            83..87 => self.come_back().await,
            87..99 => self.pass().await,
            _ if self.is_closed => {}
            _ => self.close().await,
        }
    }
}

fn rotation(overlap: Time, days: Option<Time>) -> Value {
    let lifetime = days.map_or(json!({}), |days| json!({"expiresInDays": days}));
    with(json!({"overlapHours": overlap}), &lifetime)
}

async fn run(seed: u64) -> Counts {
    let mut history = History::begin(seed).await;
    for _ in 0..STEPS {
        history.step().await;
        history.check().await;
    }
    for key in 0..history.keys.len() {
        for secret in 0..history.keys[key].secrets.len() {
            history.use_one(key, secret).await;
        }
    }
    history.counts
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_what_the_contract_says_whatever_happens() {
    let histories = Histories::new("--test api keys_are_what_the_contract_says", 6);
    let counts =
        histories.run(4, 1_000, || Box::pin(async {}), |(), seed| Box::pin(async move { Ok(Box::pin(run(seed)).await) })).await;
    for what in ["made", "rotated", "used", "deaths"] {
        assert!(counts.of(what) > 0, "{what}: {counts:?}");
    }
}
