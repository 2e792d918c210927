//! Random histories of one user's passkeys: adding, using, copying and removing them, turning codes off and on, sessions by either
//! means, and an operator who resets or helps. Some of it is done by two at once: a passkey is added twice, and codes are turned off
//! while somebody signs in, or removes a passkey. After each step, who can sign in how, and which sessions live, must be what a model
//! says that shares no code with the product.

use futures_util::future::join;
use serde_json::{Value, json};
use shared::db::Write;
use shared::team::model::passkey::{Enrolment, EnrolmentCode};
use shared::team::model::team::User;
use world::{Authenticator, Browser, Caller, Counts, Histories, ManualClock, SeededRandom, System, error_code};

const STEPS: usize = 25;
const PASSKEYS: &str = "/api/auth/passkeys";
const USER: &str = "/api/auth/session/user";
const SESSION: &str = "/api/auth/session";
const ROOT: &str = "root@portal.example";
/// In seconds.
const RECENT: i64 = 15 * 60;

struct Passkey {
    authenticator: Authenticator,
    id: String,
    is_backed_up: bool,
    is_there: bool,
}

struct Session {
    caller: Caller,
    by_passkey: bool,
    begun: i64,
    lives: bool,
}

struct History {
    system: System,
    clock: ManualClock,
    now: i64,
    random: SeededRandom,
    passkeys: Vec<Passkey>,
    sessions: Vec<Session>,
    codes_are_off: bool,
    /// The code that an operator has printed last, if nobody has used it.
    enrolment: Option<String>,
    enrolments: u8,
    counts: Counts,
}

impl History {
    async fn begin(seed: u64) -> Self {
        let (system, clock) = System::at("2026-05-28T20:26:40Z").await;
        let mut history = Self {
            system,
            clock,
            now: 0,
            random: SeededRandom::new(seed),
            passkeys: Vec::new(),
            sessions: Vec::new(),
            codes_are_off: false,
            enrolment: None,
            enrolments: 0,
            counts: Counts::default(),
        };
        history.begin_session_by_code().await;
        history
    }

    fn there(&self) -> impl Iterator<Item = &Passkey> {
        self.passkeys.iter().filter(|passkey| passkey.is_there)
    }

    fn suffices(&self) -> bool {
        self.there().count() > 1 || self.there().any(|passkey| passkey.is_backed_up)
    }

    fn is_recent(&self, session: &Session) -> bool {
        self.now - session.begun <= RECENT
    }

    fn end_sessions(&mut self) {
        self.sessions.iter_mut().for_each(|session| session.lives = false);
    }

    /// A session that lives, most often the last one.
    fn session(&mut self) -> Option<usize> {
        let living: Vec<usize> = (0..self.sessions.len()).filter(|index| self.sessions[*index].lives).collect();
        let last = *living.last()?;
        Some(if self.random.percent(70) { last } else { *self.random.pick(&living) })
    }

    fn remember(&mut self, token: &str, by_passkey: bool) {
        let caller = self.system.with_token(token);
        self.sessions.push(Session { caller, by_passkey, begun: self.now, lives: true });
    }

    /// The body with which a code that was mailed signs in, unless codes are off. After an hour: so many are mailed to an address.
    async fn mailed(&mut self) -> Option<Value> {
        self.clock.advance(3_600);
        self.now += 3_600;
        let challenge = Browser::at(&self.system, 1).challenge(ROOT).await;
        self.system.drain().await;
        let mail = self.system.emails().await.pop().unwrap();
        if self.codes_are_off {
            assert_eq!(mail["subject"], "Your sign-in codes are off");
            return None;
        }
        let code = self.system.code_mailed_to(ROOT).await;
        Some(json!({"challengeId": challenge, "code": code, "transport": "bearer"}))
    }

    async fn begin_session_by_code(&mut self) {
        let Some(body) = self.mailed().await else { return };
        let signed_in = Browser::at(&self.system, 1).post(SESSION, &body).await;
        self.remember(&signed_in.ok().text("/data/token"), false);
        self.counts.add("by code", 1);
    }

    /// Turns codes off while a code that was mailed before signs in, and so does a passkey.
    async fn turn_codes_off_beside_sign_ins(&mut self) {
        let Some(body) = self.mailed().await else { return };
        let Some(index) = self.passkeys.iter().position(|passkey| passkey.is_there) else { return };
        let begun = self.passkeys[index].authenticator.sign_in(&self.system).await;
        self.remember(&begun.ok().text("/data/token"), true);
        let session = self.sessions.last().unwrap().caller.clone();
        let mut browser = Browser::at(&self.system, 1);
        let off = json!({"mailSignIn": false});
        let sign_in = self.passkeys[index].authenticator.sign_in(&self.system);
        let (turned, by_code, by_passkey) = tokio::join!(session.patch(USER, &off), browser.post(SESSION, &body), sign_in);
        self.remember(&by_passkey.ok().text("/data/token"), true);
        if by_code.status == 200 {
            self.remember(&by_code.text("/data/token"), false);
            self.counts.add("by code while codes are turned off", 1);
        }
        if self.suffices() {
            turned.ok();
            self.codes_are_off = true;
            self.counts.add("off beside sign-ins", 1);
        } else {
            assert_eq!((error_code(&turned), by_code.status), ((409, "SECOND_PASSKEY"), 200));
        }
        // Whether it came too late or was used.
        assert_eq!(Browser::at(&self.system, 1).post(SESSION, &body).await.status, 400);
    }

    /// Turns codes on again while a code that was mailed before they were off signs in.
    async fn turn_codes_on_beside_a_sign_in(&mut self) {
        let Some(body) = self.mailed().await else { return };
        let Some(index) = self.passkeys.iter().position(|passkey| passkey.is_there).filter(|_| self.suffices()) else { return };
        let begun = self.passkeys[index].authenticator.sign_in(&self.system).await;
        self.remember(&begun.ok().text("/data/token"), true);
        let session = self.sessions.last().unwrap().caller.clone();
        session.patch(USER, &json!({"mailSignIn": false})).await.ok();
        let mut browser = Browser::at(&self.system, 1);
        let on = json!({"mailSignIn": true});
        let (turned, by_code) = tokio::join!(session.patch(USER, &on), browser.post(SESSION, &body));
        turned.ok();
        if by_code.status == 200 {
            self.remember(&by_code.text("/data/token"), false);
            self.counts.add("by code while codes are turned on", 1);
        } else {
            assert_eq!(by_code.status, 400);
            self.counts.add("refused while codes are turned on", 1);
        }
        // Used, whether it signed in or was refused.
        assert_eq!(Browser::at(&self.system, 1).post(SESSION, &body).await.status, 400);
    }

    /// Codes can only be off if the loss of one device locks nobody out, whichever of the two comes first.
    async fn turn_codes_off_beside_a_removal(&mut self) {
        let there: Vec<usize> = (0..self.passkeys.len()).filter(|index| self.passkeys[*index].is_there).collect();
        let [index, ..] = there[..] else { return };
        let begun = self.passkeys[index].authenticator.sign_in(&self.system).await;
        let session = self.system.with_token(&begun.ok().text("/data/token"));
        let sufficed = self.suffices();
        let path = format!("{PASSKEYS}/{}", self.passkeys[*self.random.pick(&there)].id);
        let off = json!({"mailSignIn": false});
        let (turned, removed) = join(session.patch(USER, &off), session.delete(&path)).await;
        removed.ok();
        self.passkeys.iter_mut().filter(|passkey| path.ends_with(&passkey.id)).for_each(|passkey| passkey.is_there = false);
        self.end_sessions();
        match turned.status {
            200 => assert!(sufficed || self.codes_are_off, "{turned:?}"),
            // It came after the removal.
            401 => {}
            _ => assert_eq!(error_code(&turned), (409, "SECOND_PASSKEY")),
        }
        self.codes_are_off = (self.codes_are_off || turned.status == 200) && self.suffices();
        self.counts.add("off beside a removal", 1);
    }

    async fn begin_session_by_passkey(&mut self) {
        if self.passkeys.is_empty() {
            return;
        }
        let index = usize::try_from(self.random.below(i64::try_from(self.passkeys.len()).unwrap())).unwrap();
        let signed_in = self.passkeys[index].authenticator.sign_in(&self.system).await;
        if self.passkeys[index].is_there {
            self.remember(&signed_in.ok().text("/data/token"), true);
            self.counts.add("by passkey", 1);
        } else {
            assert_eq!(error_code(&signed_in), (400, "PASSKEY_INVALID"));
            self.counts.add("by a removed passkey", 1);
        }
    }

    async fn copy(&mut self) {
        let Some(index) = self.passkeys.iter().position(|passkey| passkey.is_there && passkey.authenticator.counter > 0) else {
            return;
        };
        let authenticator = &mut self.passkeys[index].authenticator;
        let counter = authenticator.counter;
        authenticator.counter -= 1;
        assert_eq!(error_code(&authenticator.sign_in(&self.system).await), (400, "PASSKEY_INVALID"));
        authenticator.counter = counter;
        self.counts.add("copies refused", 1);
    }

    async fn add(&mut self) {
        let Some(index) = self.session() else { return };
        let is_recent = self.is_recent(&self.sessions[index]);
        let caller = &self.sessions[index].caller;
        let options = caller.post(&format!("{PASSKEYS}/options"), &json!({})).await;
        if !is_recent {
            assert_eq!(error_code(&options), (403, "SIGN_IN_AGAIN"));
            return;
        }
        let mut authenticator = Authenticator::of(&self.system).await;
        let is_backed_up = self.random.percent(30);
        if is_backed_up {
            authenticator.flags |= Authenticator::BACKED_UP;
        } else if self.random.percent(50) {
            authenticator.counter = 1;
        }
        let options = options.ok();
        let credential = authenticator.make(options.at("/data/options"));
        let mut body = json!({"challengeId": options.at("/data/challengeId"), "name": "Passkey", "credential": credential});
        let sends_code = self.random.percent(80);
        if sends_code {
            body["enrolmentCode"] = json!(self.enrolment.clone().unwrap_or_else(|| "none".to_owned()));
        }
        // Twice at once: one of them adds it.
        let (one, other) = join(caller.post(PASSKEYS, &body), caller.post(PASSKEYS, &body)).await;
        let added: Vec<_> = [&one, &other].into_iter().filter(|answer| answer.status == 201).collect();
        let is_enrolled = sends_code && self.enrolment.is_some();
        let has_room = self.there().count() < 10;
        assert_eq!(added.len(), usize::from(is_enrolled && has_room), "{one:?} {other:?}");
        if !is_enrolled {
            assert_eq!(error_code(&one), (403, "ENROLMENT_REQUIRED"));
            self.counts.add("not enrolled", 1);
        }
        if let Some(added) = added.first() {
            self.passkeys.push(Passkey { authenticator, id: added.text("/data/id"), is_backed_up, is_there: true });
            self.enrolment = None;
            self.counts.add("added", 1);
        }
    }

    async fn remove(&mut self) {
        let Some(session) = self.session() else { return };
        if self.passkeys.is_empty() {
            return;
        }
        let index = usize::try_from(self.random.below(i64::try_from(self.passkeys.len()).unwrap())).unwrap();
        let path = format!("{PASSKEYS}/{}", self.passkeys[index].id);
        let removed = self.sessions[session].caller.delete(&path).await;
        if !self.is_recent(&self.sessions[session]) {
            assert_eq!(error_code(&removed), (403, "SIGN_IN_AGAIN"));
        } else if self.passkeys[index].is_there {
            removed.ok();
            self.passkeys[index].is_there = false;
            self.end_sessions();
            self.codes_are_off &= self.suffices();
            self.counts.add("removed", 1);
        } else {
            assert_eq!(removed.status, 404);
        }
    }

    async fn turn_codes(&mut self, off: bool) {
        let Some(index) = self.session() else { return };
        let session = &self.sessions[index];
        let changed = session.caller.patch(USER, &json!({"mailSignIn": !off})).await;
        let expected = match off && !self.codes_are_off {
            true if !session.by_passkey => Err((403, "PASSKEY_REQUIRED")),
            true if !self.is_recent(session) => Err((403, "SIGN_IN_AGAIN")),
            true if !self.suffices() => Err((409, "SECOND_PASSKEY")),
            true | false => Ok(()),
        };
        match expected {
            Ok(()) => {
                changed.ok();
                self.codes_are_off = off;
                self.counts.add(if off { "off" } else { "on" }, 1);
            }
            Err(error) => assert_eq!(error_code(&changed), error),
        }
    }

    async fn print_code(&mut self) {
        self.enrolments += 1;
        let code = EnrolmentCode::new([self.enrolments; 16]);
        let enrolment = Enrolment::new(&code, self.system.local.app().clock.now());
        self.system.store().reset_platform_admin(ROOT, &enrolment).await.unwrap().unwrap();
        self.passkeys.iter_mut().for_each(|passkey| passkey.is_there = false);
        self.end_sessions();
        (self.codes_are_off, self.enrolment) = (false, Some(code.expose().to_owned()));
        self.counts.add("reset", 1);
    }

    /// An operator hands a further code over without a reset, as far as the user can tell: what they have stays.
    async fn enrol(&mut self) {
        self.enrolments += 1;
        let code = EnrolmentCode::new([self.enrolments; 16]);
        let enrolment = Enrolment::new(&code, self.system.local.app().clock.now());
        let store = self.system.store();
        let user = store.user_by_email(ROOT).await.unwrap().unwrap();
        let enrolled = User { enrolment: Some(enrolment), ..user.value.clone() };
        store.commit(vec![Write::replace(&user, &enrolled).unwrap()]).await.unwrap();
        self.enrolment = Some(code.expose().to_owned());
    }

    async fn step(&mut self) {
        match self.random.below(26) {
            0..=2 => self.begin_session_by_code().await,
            3..=7 => self.begin_session_by_passkey().await,
            8 => self.copy().await,
            9..=12 => {
                self.enrol().await;
                self.add().await;
            }
            13 => self.add().await,
            14 => self.remove().await,
            15 | 16 => self.turn_codes(true).await,
            17 => self.turn_codes(false).await,
            18 => {
                self.clock.advance(RECENT + 1);
                self.now += RECENT + 1;
            }
            19..=21 => self.turn_codes_off_beside_sign_ins().await,
            22 => self.turn_codes_off_beside_a_removal().await,
            23 | 24 => self.turn_codes_on_beside_a_sign_in().await,
            _ => {
                if self.random.percent(40) {
                    self.print_code().await;
                }
            }
        }
    }

    async fn check(&self) {
        for session in &self.sessions {
            let lives = session.lives && self.now - session.begun < 12 * 3_600;
            let answer = session.caller.get(SESSION).await;
            assert_eq!(answer.status, if lives { 200 } else { 401 });
            if lives {
                let method = if session.by_passkey { "PASSKEY" } else { "CODE" };
                assert_eq!(answer.text("/data/signedInWith"), method);
                assert_eq!(answer.at("/data/user/mailSignIn"), &json!(!self.codes_are_off));
                assert_eq!(session.caller.get(PASSKEYS).await.list("/data").len(), self.there().count());
            }
        }
        assert!(!self.codes_are_off || self.suffices(), "nobody is locked out by the loss of one device");
    }
}

async fn run(seed: u64) -> Counts {
    let mut history = Box::pin(History::begin(seed)).await;
    for _ in 0..STEPS {
        Box::pin(history.step()).await;
        history.sessions.retain(|session| history.now - session.begun < 12 * 3_600);
        history.check().await;
    }
    history.counts
}

#[tokio::test(flavor = "multi_thread")]
async fn passkeys_and_sessions_are_what_the_model_says() {
    let histories = Histories::new("--test api passkey_histories::", 6);
    let counts =
        histories.run(4, 1_000, || Box::pin(async {}), |(), seed| Box::pin(async move { Ok(Box::pin(run(seed)).await) })).await;
    for what in ["added", "by passkey"] {
        assert!(counts.of(what) > 0, "no history has {what}");
    }
}
