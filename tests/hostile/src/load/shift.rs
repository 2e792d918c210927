//! What all who take part in the load share: where the portal is, when the load ends, and what was measured.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use shared::http::routes::{Route, Routes};
use tokio::sync::watch;
use world::{ApiResponse, client, matches_path_template};

use super::trends::{Trend, response_times};

/// No request takes longer: API Gateway gives up after 30 seconds.
const TIMEOUT: Duration = Duration::from_secs(30);

pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(500);
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

    /// Waits until so much of the shift has passed. Returns `false` if it ends before.
    pub(super) async fn wait_until(&self, elapsed: Duration) -> bool {
        while self.elapsed() < elapsed && !self.has_ended() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        !self.has_ended()
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
    pub(super) async fn send(
        &self,
        what: &'static str,
        request: impl Fn(&Client, &str) -> RequestBuilder,
    ) -> Option<ApiResponse> {
        let api = self.api().await;
        let (interruptions, started) = (self.interruptions(), Instant::now());
        let timed = if self.has_just_started_again() { AFTER_A_KILL } else { what };
        let sent = world::send(request(&self.0.client, &api).timeout(TIMEOUT)).await;
        let mut log = self.0.log.lock().unwrap();
        match sent {
            Ok(answer) => {
                let (at, took) = (self.elapsed().as_secs_f64(), started.elapsed().as_secs_f64() * 1_000.0);
                log.times.entry(timed).or_default().push((at, took));
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

    /// The answers of each function up to now.
    pub(super) fn requests(&self) -> BTreeMap<&'static str, f64> {
        self.0.log.lock().unwrap().requests.clone()
    }

    /// What all functions have asked of DynamoDB since the portal was started. `None` if it was killed meanwhile.
    pub(super) async fn usage(&self) -> Option<Value> {
        let api = self.api().await;
        let answer = world::send(self.0.client.get(format!("{api}/__local/usage")).timeout(TIMEOUT)).await;
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
                return Session { shift: self.clone(), token: answer.text("/token") };
            }
        }
    }
}

pub(super) fn is_success(answer: &ApiResponse) -> bool {
    (200..300).contains(&answer.status)
}

/// The code of an error, wherever its format has it.
pub(super) fn code(answer: &ApiResponse) -> Option<&str> {
    answer.at("/error/code").as_str().or(answer.at("/code").as_str())
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
        key: Option<&str>,
        body: Option<&Value>,
    ) -> Option<ApiResponse> {
        let send = |client: &Client, api: &str| {
            let request = client.request(method.clone(), format!("{api}{path}")).bearer_auth(&self.token);
            let request = key.iter().fold(request, |request, key| request.header("idempotency-key", *key));
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
    pub(super) async fn read(&self, what: &'static str, path: &str) -> Option<ApiResponse> {
        let answer = self.request(what, Method::GET, path, None, None).await?;
        if answer.status == 429 {
            self.shift.0.log.lock().unwrap().limited += 1;
            return None;
        }
        if !is_success(&answer) {
            self.shift.unexplained_error(format!("GET {path}: {answer:?}"));
            return None;
        }
        Some(answer)
    }

    /// Repeats a request that a kill has left without a response: all of these can be repeated.
    pub(super) async fn repeat(&self, method: Method, path: &str, key: Option<&str>, body: &Value) -> ApiResponse {
        loop {
            if let Some(answer) = self.request("others", method.clone(), path, key, Some(body)).await {
                return answer;
            }
        }
    }
}
