//! What all who take part in the load share: where the portal is, when the load ends, and what was measured.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use shared::http::routes::{Route, Routes};
use tokio::sync::watch;
use world::{client, matches_path_template};

use super::samples::{Trend, response_times};

/// No request takes longer: API Gateway gives up after 30 seconds.
const TIMEOUT: Duration = Duration::from_secs(30);

/// For so long, a portal that was killed makes up for what it has missed.
const SETTLING: Duration = Duration::from_secs(5);
/// The requests of this time are measured apart.
const AFTER_A_KILL: &str = "soon after a kill";

/// Clones share the state.
#[derive(Clone)]
pub(super) struct Shift(Arc<State>);

struct State {
    started: Instant,
    has_ended: AtomicBool,
    client: Client,
    routes: Vec<Routes>,
    portal: watch::Sender<Address>,
    /// How often the portal was killed.
    interruptions: AtomicUsize,
    log: Mutex<Log>,
}

#[derive(Clone)]
struct Address {
    /// `None` while the portal starts again.
    api: Option<String>,
    process: u32,
    /// When it was started.
    since: Instant,
}

#[derive(Default)]
struct Log {
    /// Seconds since the start and milliseconds, by what was requested.
    times: BTreeMap<&'static str, Vec<(f64, f64)>>,
    /// Answers of each function.
    requests: BTreeMap<&'static str, f64>,
    /// Requests that were refused because of a limit.
    limited: usize,
    unexplained: Vec<String>,
}

/// A response to a request that reached the portal.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) money_moved: Option<String>,
    pub(super) body: Value,
}

impl Answer {
    pub(super) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub(super) fn at(&self, pointer: &str) -> &Value {
        self.body.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// The code of an error, wherever its format has it.
    pub(super) fn code(&self) -> Option<&str> {
        self.at("/error/code").as_str().or(self.at("/code").as_str())
    }
}

impl Shift {
    pub(super) fn new(api: String, process: u32) -> Self {
        let (portal, _) = watch::channel(Address { api: Some(api), process, since: Instant::now() });
        Self(Arc::new(State {
            started: Instant::now(),
            has_ended: AtomicBool::new(false),
            client: client(),
            routes: local::route_tables(),
            portal,
            interruptions: AtomicUsize::new(0),
            log: Mutex::default(),
        }))
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.0.started.elapsed()
    }

    pub(super) fn end(&self) {
        self.0.has_ended.store(true, Ordering::SeqCst);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.0.has_ended.load(Ordering::SeqCst)
    }

    /// The portal is about to be killed: requests get no response from now on.
    pub(super) fn interrupt(&self) {
        self.0.interruptions.fetch_add(1, Ordering::SeqCst);
        self.0.portal.send_modify(|address| address.api = None);
    }

    pub(super) fn resume(&self, api: String, process: u32) {
        self.0.portal.send_replace(Address { api: Some(api), process, since: Instant::now() });
    }

    pub(super) fn process_id(&self) -> u32 {
        self.0.portal.borrow().process
    }

    /// Whether the portal was killed and has just started again.
    fn has_just_started_again(&self) -> bool {
        self.interruptions() > 0 && self.0.portal.borrow().since.elapsed() < SETTLING
    }

    async fn api(&self) -> String {
        let mut portal = self.0.portal.subscribe();
        let address = portal.wait_for(|address| address.api.is_some()).await.unwrap();
        address.api.clone().unwrap()
    }

    pub(super) fn interruptions(&self) -> usize {
        self.0.interruptions.load(Ordering::SeqCst)
    }

    /// Sends a request, and records how long it took. `None` if the portal was killed meanwhile.
    pub(super) async fn send(&self, what: &'static str, request: impl Fn(&Client, &str) -> RequestBuilder) -> Option<Answer> {
        let api = self.api().await;
        let (interruptions, started) = (self.interruptions(), Instant::now());
        let timed = if self.has_just_started_again() { AFTER_A_KILL } else { what };
        let sent = answer(request(&self.0.client, &api).timeout(TIMEOUT)).await;
        let mut log = self.0.log.lock().unwrap();
        match sent {
            Ok(answer) => {
                log.add(timed, self.elapsed(), started.elapsed());
                Some(answer)
            }
            Err(error) => {
                if self.interruptions() == interruptions {
                    log.unexplained.push(format!("{what}: {error:?}"));
                }
                None
            }
        }
    }

    /// Records how long something took.
    pub(super) fn record(&self, what: &'static str, time: Duration) {
        self.0.log.lock().unwrap().add(what, self.elapsed(), time);
    }

    /// The answers of each function up to now.
    pub(super) fn requests(&self) -> BTreeMap<&'static str, f64> {
        self.0.log.lock().unwrap().requests.clone()
    }

    /// What all functions have asked of DynamoDB since the portal was started. `None` if it was killed meanwhile.
    pub(super) async fn usage(&self) -> Option<Value> {
        let api = self.api().await;
        let answer = answer(self.0.client.get(format!("{api}/__local/usage")).timeout(TIMEOUT)).await;
        answer.ok().map(|answer| answer.body)
    }

    fn count(&self, method: &Method, path: &str) {
        let path = path.split('?').next().unwrap_or_default();
        let is_of = |route: &&Route| route.method == *method && matches_path_template(route.path, path);
        let routes = self.0.routes.iter().find(|routes| routes.routes().iter().any(|route| is_of(&route)));
        let function = routes.unwrap_or_else(|| panic!("no route for {method} {path}")).group();
        *self.0.log.lock().unwrap().requests.entry(function).or_default() += 1.0;
    }

    /// Records an error that no documented limit and no fault of the network explains.
    pub(super) fn unexplained_error(&self, error: String) {
        self.0.log.lock().unwrap().unexplained.push(error);
    }

    pub(super) fn unexplained(&self) -> Vec<String> {
        self.0.log.lock().unwrap().unexplained.clone()
    }

    /// The response times, for each kind of request.
    pub(super) fn response_times(&self) -> Vec<Trend> {
        let log = self.0.log.lock().unwrap();
        log.times.iter().map(|(what, times)| response_times(what, times)).collect()
    }

    /// How many requests a limit has refused.
    pub(super) fn limited(&self) -> usize {
        self.0.log.lock().unwrap().limited
    }

    pub(super) async fn signed_in(&self, user: &str) -> Session {
        let body = json!({"userId": user}).to_string();
        loop {
            let sign_in = |client: &Client, api: &str| client.post(format!("{api}/__local/sessions")).body(body.clone());
            if let Some(answer) = self.send("sign-in", sign_in).await {
                let token = answer.at("/token").as_str().unwrap_or_else(|| panic!("{answer:?}")).to_owned();
                return Session { shift: self.clone(), token };
            }
        }
    }
}

impl Log {
    fn add(&mut self, what: &'static str, at: Duration, time: Duration) {
        self.times.entry(what).or_default().push((at.as_secs_f64(), time.as_secs_f64() * 1_000.0));
    }
}

async fn answer(request: RequestBuilder) -> Result<Answer, reqwest::Error> {
    let response = request.send().await?;
    let status = response.status().as_u16();
    let money_moved = response.headers().get("money-moved").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let body = serde_json::from_slice(&response.bytes().await?).unwrap_or(Value::Null);
    Ok(Answer { status, money_moved, body })
}

/// A signed-in user.
#[derive(Clone)]
pub(super) struct Session {
    shift: Shift,
    token: String,
}

impl Session {
    pub(super) async fn request(
        &self,
        what: &'static str,
        method: Method,
        path: &str,
        headers: &[(&'static str, &str)],
        body: Option<&Value>,
    ) -> Option<Answer> {
        let send = |client: &Client, api: &str| {
            let request = client.request(method.clone(), format!("{api}{path}")).bearer_auth(&self.token);
            let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
            match body {
                Some(body) => request.header("content-type", "application/json").body(body.to_string()),
                None => request,
            }
        };
        let answer = self.shift.send(what, send).await?;
        self.shift.count(&method, path);
        Some(answer)
    }

    /// Reads what does not need the card network. `None` if the portal was killed meanwhile, or if a limit was reached.
    pub(super) async fn read(&self, what: &'static str, path: &str) -> Option<Answer> {
        let answer = self.request(what, Method::GET, path, &[], None).await?;
        if answer.status == 429 {
            self.shift.0.log.lock().unwrap().limited += 1;
            return None;
        }
        if !answer.is_success() {
            self.shift.unexplained_error(format!("GET {path}: {answer:?}"));
            return None;
        }
        Some(answer)
    }

    /// Creates something, which has to succeed.
    pub(super) async fn create(&self, path: &str, body: &Value) -> Answer {
        loop {
            if let Some(answer) = self.request("others", Method::POST, path, &[], Some(body)).await {
                assert!(answer.is_success(), "{path}: {answer:?}");
                return answer;
            }
        }
    }
}
