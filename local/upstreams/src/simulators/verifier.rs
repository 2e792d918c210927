//! Simulator of the identity verifier: the session API, a hosted page on which a developer chooses the decision, and
//! the signed decision callback to the portal.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::{Request, StatusCode};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use url::{Url, form_urlencoded};

use super::{Interceptor, error_reply, header, http_client, open_journal, secrets_match, segments};
use crate::calls::UpstreamCalls;
use crate::clock;
use crate::faults::{Faults, Target};
use crate::guard::Guard;
use crate::journal::Journal;
use crate::random;
use crate::server::{Reply, Server};

const SESSION_TTL: SignedDuration = SignedDuration::from_hours(7 * 24);
const CALLBACK_TIMEOUT: Duration = Duration::from_secs(10);

/// Configuration of the simulator.
#[derive(Debug, Clone)]
pub struct VerifierOptions {
    /// The directory for the state. `None` keeps the state in memory.
    pub data: Option<PathBuf>,
    /// The port to listen on. 0 selects a free port.
    pub port: u16,
    /// The expected value of `X-Auth-Client`.
    pub api_key: String,
    /// The HMAC key for calls in both directions.
    pub signing_key: String,
    pub faults: Faults,
    pub calls: UpstreamCalls,
    pub guard: Guard,
}

/// The running simulator. Dropping it stops the server.
#[derive(Debug)]
pub struct Verifier {
    server: Server,
    service: Arc<Service>,
}

/// The status of a verification session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    Created,
    Started,
    Submitted,
    Approved,
    Declined,
    ResubmissionRequested,
    Expired,
}

/// An error while sending a decision.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    #[error("the session does not exist")]
    UnknownSession,
    #[error("the decision could not be saved: {0}")]
    Storage(#[from] io::Error),
    #[error("the decision was saved, but the callback failed: {0}")]
    Callback(#[from] reqwest::Error),
}

impl Verifier {
    pub async fn start(options: VerifierOptions) -> io::Result<Self> {
        let VerifierOptions { data, port, api_key, signing_key, faults, calls, guard } = options;
        let service = Arc::new(Service {
            interceptor: Interceptor { target: Target::Verifier, faults, calls },
            api_key,
            signer: Signer::new(&signing_key)?,
            client: http_client()?,
            base_url: OnceLock::new(),
            sessions: Mutex::new(Sessions::open(data.as_deref())?),
        });
        let server = Server::start(port, guard, {
            let service = service.clone();
            move |request| service.clone().handle(request)
        });
        let server = server.await?;
        let _ = service.base_url.set(server.url());
        Ok(Self { server, service })
    }

    /// The base URL, without a trailing slash.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Sets the status of a session and sends the decision callback. Returns the status code of the callback response.
    pub async fn decide(&self, session_id: &str, status: SessionStatus) -> Result<StatusCode, DecideError> {
        self.service.decide(session_id, status).await
    }
}

impl SessionStatus {
    fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Started => "started",
            Self::Submitted => "submitted",
            Self::Approved => "approved",
            Self::Declined => "declined",
            Self::ResubmissionRequested => "resubmission_requested",
            Self::Expired => "expired",
        }
    }

    fn is_open(self) -> bool {
        matches!(self, Self::Created | Self::Started | Self::Submitted)
    }

    /// The `reason` in the decision callback.
    fn reason(self) -> Option<&'static str> {
        match self {
            Self::Declined => Some("The company could not be verified."),
            Self::ResubmissionRequested => Some("A document is missing or cannot be read."),
            _ => None,
        }
    }
}

/// A stored verification session.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct VerificationSession {
    id: String,
    company_id: String,
    status: SessionStatus,
    expires_at: Timestamp,
    decided_at: Option<Timestamp>,
    subject: VerificationRequest,
}

impl VerificationSession {
    /// Returns `Expired` for an open session past `expires_at`.
    fn status_at(&self, now: Timestamp) -> SessionStatus {
        if self.status.is_open() && self.expires_at <= now { SessionStatus::Expired } else { self.status }
    }
}

/// The company and the people to verify, as sent by the portal.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct VerificationRequest {
    callback: String,
    vendor_data: String,
    company: Company,
    #[serde(default)]
    people: Vec<Person>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Company {
    name: Option<String>,
    registration_number: Option<String>,
    vat_number: Option<String>,
    country: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Person {
    name: Option<String>,
    role: Option<String>,
}

/// The sessions, keyed by id, and their journal.
#[derive(Debug)]
struct Sessions {
    by_id: BTreeMap<String, VerificationSession>,
    journal: Journal,
}

impl Sessions {
    fn open(data: Option<&Path>) -> io::Result<Self> {
        let mut by_id = BTreeMap::new();
        let journal = open_journal(data, "verifier.jsonl", |session: VerificationSession| {
            by_id.insert(session.id.clone(), session);
        })?;
        Ok(Self { by_id, journal })
    }

    fn put(&mut self, session: VerificationSession) -> io::Result<()> {
        self.journal.append(&session)?;
        self.by_id.insert(session.id.clone(), session);
        Ok(())
    }

    /// Returns the company id of an earlier session for the same merchant, because the id stays the same across sessions.
    fn company_id(&self, vendor_data: &str) -> Option<String> {
        let session = self.by_id.values().find(|session| session.subject.vendor_data == vendor_data)?;
        Some(session.company_id.clone())
    }
}

/// Signs messages with HMAC-SHA256 and the shared signing key.
#[derive(Debug)]
struct Signer(Hmac<Sha256>);

impl Signer {
    fn new(key: &str) -> io::Result<Self> {
        Hmac::new_from_slice(key.as_bytes()).map(Self).map_err(io::Error::other)
    }

    /// Returns the signature in lower-case hex.
    fn sign(&self, message: &[u8]) -> String {
        hex::encode(self.0.clone().chain_update(message).finalize().into_bytes())
    }
}

#[derive(Debug)]
struct Service {
    interceptor: Interceptor,
    api_key: String,
    signer: Signer,
    client: reqwest::Client,
    /// Set once the server listens.
    base_url: OnceLock<String>,
    sessions: Mutex<Sessions>,
}

#[derive(Deserialize)]
struct CreateSession {
    verification: VerificationRequest,
}

#[derive(Serialize)]
struct SessionReply<'a> {
    status: &'static str,
    verification: SessionView<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionView<'a> {
    id: &'a str,
    company_id: &'a str,
    url: String,
    status: SessionStatus,
    expires_at: Timestamp,
}

#[derive(Serialize)]
struct DecisionCallback<'a> {
    verification: DecisionView<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DecisionView<'a> {
    id: &'a str,
    vendor_data: &'a str,
    company_id: &'a str,
    status: SessionStatus,
    reason: Option<&'a str>,
    decided_at: Option<Timestamp>,
}

impl Service {
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn session(&self, id: &str) -> Option<VerificationSession> {
        self.sessions().by_id.get(id).cloned()
    }

    async fn handle(self: Arc<Self>, request: Request<Bytes>) -> Reply {
        let path = segments(request.uri().path());
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        match (request.method().as_str(), path.as_slice()) {
            (method, ["v1", call @ ..]) => {
                self.interceptor.intercept(&request, async { self.call(method, call, &request) }).await
            }
            // Browser requests are not upstream calls: they are neither logged nor subject to faults.
            ("GET", ["sessions", id]) => self.page(id, None),
            ("POST", ["sessions", id, "decision"]) => self.decide_on_page(id, request.body()).await,
            _ => html(StatusCode::NOT_FOUND, "Page not found", "<p>This page does not exist.</p>"),
        }
    }

    fn call(&self, method: &str, path: &[&str], request: &Request<Bytes>) -> Reply {
        match (method, path) {
            ("POST", ["sessions"]) if self.is_signed(request, request.body()) => self.create(request.body()),
            ("GET", ["sessions", id]) if self.is_signed(request, id.as_bytes()) => self.get(id),
            ("POST", ["sessions"]) | ("GET", ["sessions", _]) => {
                error_reply(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", "the API key or the signature is missing or wrong")
            }
            _ => error_reply(StatusCode::NOT_FOUND, "NOT_FOUND", "there is no such call"),
        }
    }

    fn is_signed(&self, request: &Request<Bytes>, message: &[u8]) -> bool {
        let matches =
            |name, expected: &str| header(request.headers(), name).is_some_and(|actual| secrets_match(actual, expected));
        matches("x-auth-client", &self.api_key) & matches("x-hmac-signature", &self.signer.sign(message))
    }

    fn create(&self, body: &[u8]) -> Reply {
        let invalid = |message: &str| error_reply(StatusCode::BAD_REQUEST, "INVALID_REQUEST", message);
        let subject = match serde_json::from_slice::<CreateSession>(body) {
            Ok(create) => create.verification,
            Err(error) => return invalid(&error.to_string()),
        };
        if Url::parse(&subject.callback).is_err() {
            return invalid("`callback` must be a URL");
        }
        let mut sessions = self.sessions();
        let company_id = sessions.company_id(&subject.vendor_data).unwrap_or_else(random::id);
        let session = VerificationSession {
            id: random::id(),
            company_id,
            status: SessionStatus::Created,
            expires_at: clock::now() + SESSION_TTL,
            decided_at: None,
            subject,
        };
        let reply = self.reply(StatusCode::CREATED, &session);
        match sessions.put(session) {
            Ok(()) => reply,
            Err(error) => error_reply(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", &error.to_string()),
        }
    }

    fn get(&self, id: &str) -> Reply {
        match self.session(id) {
            Some(session) => self.reply(StatusCode::OK, &session),
            None => error_reply(StatusCode::NOT_FOUND, "SESSION_NOT_FOUND", "no such session"),
        }
    }

    fn reply(&self, status: StatusCode, session: &VerificationSession) -> Reply {
        let verification = SessionView {
            id: &session.id,
            company_id: &session.company_id,
            url: format!("{}/sessions/{}", self.base_url.get().map_or("", String::as_str), session.id),
            status: session.status_at(clock::now()),
            expires_at: session.expires_at,
        };
        Reply::json(status, &SessionReply { status: "success", verification })
    }

    async fn decide(&self, id: &str, status: SessionStatus) -> Result<StatusCode, DecideError> {
        let session = self.save_decision(id, status)?;
        let body = decision_body(&session)?;
        let call = self.client.post(&session.subject.callback).timeout(CALLBACK_TIMEOUT);
        let call = call.header("content-type", "application/json").header("x-hmac-signature", self.signer.sign(&body));
        Ok(call.body(body).send().await?.status())
    }

    fn save_decision(&self, id: &str, status: SessionStatus) -> Result<VerificationSession, DecideError> {
        let mut sessions = self.sessions();
        let mut session = sessions.by_id.get(id).cloned().ok_or(DecideError::UnknownSession)?;
        session.status = status;
        session.decided_at = Some(clock::now());
        sessions.put(session.clone())?;
        Ok(session)
    }

    async fn decide_on_page(&self, id: &str, form: &[u8]) -> Reply {
        let decision = form_urlencoded::parse(form).find(|(name, _)| name == "status");
        let decision = decision.and_then(|(_, value)| DECISIONS.into_iter().find(|(status, _)| status.as_str() == value));
        let Some((status, _)) = decision else {
            return html(StatusCode::BAD_REQUEST, "Invalid decision", "<p>The status is not a valid decision.</p>");
        };
        let notice = match self.decide(id, status).await {
            Ok(status) => format!("The decision was sent. The portal answered {status}."),
            Err(error) => format!("Error: {error}."),
        };
        self.page(id, Some(&notice))
    }

    fn page(&self, id: &str, notice: Option<&str>) -> Reply {
        match self.session(id) {
            Some(session) => html(StatusCode::OK, "Verification", &page_content(&session, clock::now(), notice)),
            None => html(StatusCode::NOT_FOUND, "Session not found", "<p>This session does not exist.</p>"),
        }
    }
}

fn decision_body(session: &VerificationSession) -> io::Result<Vec<u8>> {
    let verification = DecisionView {
        id: &session.id,
        vendor_data: &session.subject.vendor_data,
        company_id: &session.company_id,
        status: session.status,
        reason: session.status.reason(),
        decided_at: session.decided_at,
    };
    Ok(serde_json::to_vec(&DecisionCallback { verification })?)
}

/// The decisions on the page: the status and the label of the button.
const DECISIONS: [(SessionStatus, &str); 6] = [
    (SessionStatus::Started, "Start"),
    (SessionStatus::Submitted, "Submit"),
    (SessionStatus::Approved, "Approve"),
    (SessionStatus::Declined, "Decline"),
    (SessionStatus::ResubmissionRequested, "Request resubmission"),
    (SessionStatus::Expired, "Expire"),
];

const STYLE: &str = "\
body{margin:0;background:#f3f4f6;color:#1f2937;font:16px/1.5 system-ui,sans-serif}\
main{max-width:36rem;margin:4rem auto;padding:2rem;background:#fff;border-radius:12px;box-shadow:0 1px 4px #0002}\
h1{margin:0 0 .5rem;font-size:1.4rem}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dt{color:#6b7280}dd{margin:0}\
form{display:flex;flex-wrap:wrap;gap:.5rem}\
button{padding:.5rem 1rem;border:1px solid #cbd5e1;border-radius:8px;background:#f8fafc;font:inherit;cursor:pointer}\
button:hover{background:#e2e8f0}\
.notice{padding:.75rem 1rem;border-radius:8px;background:#ecfdf5}";

fn html(status: StatusCode, title: &str, content: &str) -> Reply {
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style>\
         <main><h1>{title}</h1>{content}</main></html>"
    );
    Reply::bytes(status, "text/html; charset=utf-8", page)
}

fn page_content(session: &VerificationSession, now: Timestamp, notice: Option<&str>) -> String {
    let VerificationRequest { vendor_data, company, people, .. } = &session.subject;
    let missing = || "–".to_owned();
    let person = |person: &Person| {
        let name = person.name.clone().unwrap_or_else(missing);
        person.role.as_ref().map_or(name.clone(), |role| format!("{name} ({role})"))
    };
    let rows = [
        ("Status", session.status_at(now).as_str().to_owned()),
        ("Company", company.name.clone().unwrap_or_else(missing)),
        ("Registration number", company.registration_number.clone().unwrap_or_else(missing)),
        ("VAT number", company.vat_number.clone().unwrap_or_else(missing)),
        ("Country", company.country.clone().unwrap_or_else(missing)),
        ("People", people.iter().map(person).collect::<Vec<_>>().join(", ")),
        ("Merchant", vendor_data.clone()),
        ("Decided", session.decided_at.map_or_else(missing, |time| time.to_string())),
        ("Valid until", session.expires_at.to_string()),
    ];
    let rows = rows.map(|(name, value)| format!("<dt>{name}</dt><dd>{}</dd>", escape(&value))).concat();
    let notice = notice.map(|notice| format!("<p class=\"notice\" role=\"status\">{}</p>", escape(notice)));
    let button = |(status, label): (SessionStatus, &str)| {
        format!("<button name=\"status\" value=\"{}\">{label}</button>", status.as_str())
    };
    let buttons = DECISIONS.map(button).concat();
    format!(
        "<p>This is a simulated verification: no company is checked. The decision that you choose is sent to the portal \
         as the verifier's decision callback.</p>{notice}<dl>{rows}</dl>\
         <form method=\"post\" action=\"/sessions/{id}/decision\">{buttons}</form>",
        notice = notice.unwrap_or_default(),
        id = escape(&session.id),
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    struct TestVerifier {
        verifier: Verifier,
        client: reqwest::Client,
        faults: Faults,
        calls: UpstreamCalls,
    }

    impl TestVerifier {
        async fn start(data: Option<&Path>) -> Self {
            let (faults, calls) = (Faults::default(), UpstreamCalls::default());
            let verifier = Verifier::start(VerifierOptions {
                data: data.map(Path::to_owned),
                port: 0,
                api_key: "client".to_owned(),
                signing_key: "key".to_owned(),
                faults: faults.clone(),
                calls: calls.clone(),
                guard: Guard::default(),
            });
            Self { verifier: verifier.await.unwrap(), client: http_client().unwrap(), faults, calls }
        }

        async fn create(&self, callback: &str) -> (u16, Value) {
            let body = session_request(callback).to_string();
            let call = self.client.post(format!("{}/v1/sessions", self.verifier.url()));
            self.send(call, &body, "client", &sign(&body)).await.unwrap()
        }

        async fn get(&self, id: &str) -> (u16, Value) {
            let call = self.client.get(format!("{}/v1/sessions/{id}", self.verifier.url()));
            self.send(call, "", "client", &sign(id)).await.unwrap()
        }

        async fn send(
            &self,
            call: reqwest::RequestBuilder,
            body: &str,
            client: &str,
            signature: &str,
        ) -> reqwest::Result<(u16, Value)> {
            let call = call.header("X-Auth-Client", client).header("X-Hmac-Signature", signature);
            let reply = call.body(body.to_owned()).send().await?;
            let status = reply.status().as_u16();
            Ok((status, serde_json::from_slice(&reply.bytes().await?).unwrap()))
        }
    }

    fn session_request(callback: &str) -> Value {
        json!({"verification": {
            "callback": callback, "vendorData": "m-1",
            "company": {"name": "<b>Aurora & Sons</b>", "registrationNumber": "1", "vatNumber": null, "country": "SE"},
            "people": [{"name": "Anna", "role": "CEO"}],
        }})
    }

    fn sign(message: &str) -> String {
        Signer::new("key").unwrap().sign(message.as_bytes())
    }

    fn id(session: &Value) -> &str {
        session["verification"]["id"].as_str().unwrap()
    }

    /// Starts a portal that accepts every decision, and returns it with its call log.
    async fn portal() -> (Server, UpstreamCalls) {
        let calls = UpstreamCalls::default();
        let portal = Server::start(0, Guard::default(), {
            let calls = calls.clone();
            move |request: Request<Bytes>| {
                let (headers, body) = (request.headers(), request.body());
                calls.record(Target::Verifier, request.method(), request.uri().path(), headers, body);
                async { Reply::json(StatusCode::OK, &json!({"ok": true})) }
            }
        });
        (portal.await.unwrap(), calls)
    }

    #[test]
    fn signs_with_hmac_sha256_in_hex() {
        let signer = Signer::new("Jefe").unwrap();
        assert_eq!(
            signer.sign(b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[tokio::test]
    async fn creates_and_returns_a_session() {
        let simulator = TestVerifier::start(None).await;
        let (status, created) = simulator.create("http://portal.example/decision").await;
        assert_eq!((status, &created["status"]), (201, &json!("success")));
        let session = &created["verification"];
        assert_eq!(session["status"], "created");
        assert_eq!(session["url"], format!("{}/sessions/{}", simulator.verifier.url(), id(&created)));
        assert!(session["expiresAt"].as_str().unwrap().parse::<Timestamp>().unwrap() > clock::now());

        assert_eq!(simulator.get(id(&created)).await, (200, created.clone()));
        assert_eq!(simulator.get("unknown").await.0, 404);
        let (_, second) = simulator.create("http://portal.example/decision").await;
        assert_ne!(id(&second), id(&created));
        assert_eq!(second["verification"]["companyId"], session["companyId"]);
        let statuses: Vec<_> = simulator.calls.all().iter().map(|call| call.status).collect();
        assert_eq!(statuses, [Some(201), Some(200), Some(404), Some(201)]);
    }

    #[tokio::test]
    async fn requires_the_api_key_and_the_signature() {
        let simulator = TestVerifier::start(None).await;
        let (_, created) = simulator.create("http://portal.example/decision").await;
        let body = session_request("http://portal.example/decision").to_string();
        for (client, signature) in [
            ("other", sign(&body)),
            ("client", sign("another body")),
            ("client", sign(&body).to_uppercase()),
            ("client", String::new()),
        ] {
            let call = simulator.client.post(format!("{}/v1/sessions", simulator.verifier.url()));
            assert_eq!(simulator.send(call, &body, client, &signature).await.unwrap().0, 401);
        }
        let call = simulator.client.get(format!("{}/v1/sessions/{}", simulator.verifier.url(), id(&created)));
        assert_eq!(simulator.send(call, "", "client", &sign("")).await.unwrap().0, 401);
        let call = simulator.client.post(format!("{}/v1/sessions", simulator.verifier.url()));
        assert_eq!(simulator.send(call, "{}", "client", &sign("{}")).await.unwrap().0, 400);
        assert_eq!(simulator.create("not a url").await.0, 400);
    }

    #[tokio::test]
    async fn sends_the_decision_to_the_portal() {
        let (simulator, (portal, received)) = (TestVerifier::start(None).await, portal().await);
        let (_, created) = simulator.create(&format!("{}/decision", portal.url())).await;

        let status = simulator.verifier.decide(id(&created), SessionStatus::Declined).await.unwrap();
        assert_eq!(status, StatusCode::OK);
        let call = received.all().remove(0);
        let decision = &call.body["verification"];
        assert_eq!((call.method.as_str(), call.path.as_str()), ("POST", "/decision"));
        assert_eq!(call.headers["x-hmac-signature"].len(), 64);
        assert_eq!(decision["id"], created["verification"]["id"]);
        assert_eq!(decision["companyId"], created["verification"]["companyId"]);
        assert_eq!((&decision["vendorData"], &decision["status"]), (&json!("m-1"), &json!("declined")));
        assert!(decision["reason"].is_string());
        assert!(decision["decidedAt"].as_str().unwrap().parse::<Timestamp>().is_ok());
        assert_eq!(simulator.get(id(&created)).await.1["verification"]["status"], "declined");

        let unknown = simulator.verifier.decide("unknown", SessionStatus::Approved).await;
        assert!(matches!(unknown, Err(DecideError::UnknownSession)));
    }

    #[tokio::test]
    async fn signs_the_raw_body_of_the_callback() {
        let (simulator, received) = (TestVerifier::start(None).await, Arc::new(Mutex::new(Vec::new())));
        let portal = Server::start(0, Guard::default(), {
            let received = received.clone();
            move |request: Request<Bytes>| {
                let signature = header(request.headers(), "x-hmac-signature").unwrap().to_owned();
                received.lock().unwrap().push((signature, request.into_body()));
                async { Reply::Drop }
            }
        });
        let portal = portal.await.unwrap();
        let (_, created) = simulator.create(&portal.url()).await;

        let lost = simulator.verifier.decide(id(&created), SessionStatus::Approved).await;
        assert!(matches!(lost, Err(DecideError::Callback(_))));
        let (signature, body) = received.lock().unwrap().remove(0);
        assert_eq!(signature, sign(std::str::from_utf8(&body).unwrap()));
        assert_eq!(simulator.get(id(&created)).await.1["verification"]["status"], "approved");
    }

    #[tokio::test]
    async fn a_decision_can_be_chosen_on_the_page() {
        let (simulator, (portal, received)) = (TestVerifier::start(None).await, portal().await);
        let (_, created) = simulator.create(&format!("{}/decision", portal.url())).await;
        let calls = simulator.calls.all().len();
        let url = created["verification"]["url"].as_str().unwrap();

        let page = simulator.client.get(url).send().await.unwrap().text().await.unwrap();
        assert!(page.contains("simulated verification") && page.contains("<dd>created</dd>"), "{page}");
        assert!(page.contains("&lt;b&gt;Aurora &amp; Sons&lt;/b&gt;") && !page.contains("<b>"), "{page}");

        let choose = |status: &str| simulator.client.post(format!("{url}/decision")).body(format!("status={status}")).send();
        let page = choose("resubmission_requested").await.unwrap().text().await.unwrap();
        assert!(page.contains("answered 200 OK") && page.contains("<dd>resubmission_requested</dd>"), "{page}");
        assert_eq!(received.all()[0].body["verification"]["status"], "resubmission_requested");
        assert_eq!(choose("created").await.unwrap().status(), StatusCode::BAD_REQUEST);
        assert_eq!(simulator.calls.all().len(), calls);
    }

    #[tokio::test]
    async fn reports_an_expired_session_and_creates_a_new_one() {
        let (simulator, (portal, _)) = (TestVerifier::start(None).await, portal().await);
        let (_, old) = simulator.create(&portal.url()).await;
        let session = simulator.verifier.service.session(id(&old)).unwrap();
        assert_eq!(session.status_at(session.expires_at), SessionStatus::Expired);
        assert_eq!(
            VerificationSession { status: SessionStatus::Approved, ..session.clone() }.status_at(session.expires_at),
            SessionStatus::Approved
        );

        let expired = VerificationSession { expires_at: clock::now(), ..session };
        simulator.verifier.service.sessions().put(expired).unwrap();
        assert_eq!(simulator.get(id(&old)).await.1["verification"]["status"], "expired");
        let (_, new) = simulator.create(&portal.url()).await;
        assert_eq!(simulator.get(id(&new)).await.1["verification"]["status"], "created");
    }

    #[tokio::test]
    async fn sessions_survive_a_restart() {
        let (data, (portal, _)) = (tempfile::tempdir().unwrap(), portal().await);
        let simulator = TestVerifier::start(Some(data.path())).await;
        let (_, created) = simulator.create(&portal.url()).await;
        simulator.verifier.decide(id(&created), SessionStatus::Submitted).await.unwrap();
        drop(simulator);

        let simulator = TestVerifier::start(Some(data.path())).await;
        assert_eq!(simulator.get(id(&created)).await.1["verification"]["status"], "submitted");
    }

    #[tokio::test]
    async fn injected_faults_replace_the_reply() {
        let simulator = TestVerifier::start(None).await;
        let rules = json!([
            {"target": "verifier", "match": "POST /v1/sessions", "kind": "status", "value": 500},
            {"target": "verifier", "match": "GET *", "kind": "drop"},
        ]);
        simulator.faults.replace(serde_json::from_value(rules).unwrap());
        assert_eq!(simulator.create("http://portal.example/").await.0, 500);
        assert_eq!(simulator.create("http://portal.example/").await.0, 201);
        let call = simulator.client.get(format!("{}/v1/sessions/x", simulator.verifier.url()));
        assert!(simulator.send(call, "", "client", &sign("x")).await.is_err());
        assert_eq!(simulator.calls.all().last().unwrap().status, None);
    }
}
