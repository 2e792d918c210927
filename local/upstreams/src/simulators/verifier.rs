//! Simulator of the identity verifier: the session API, a hosted page on which a developer chooses the decision, and
//! the signed decision callback to the portal.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::{Request, StatusCode};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::Sha256;
use url::{Url, form_urlencoded};

use super::{Interceptor, SimulatorOptions, error_reply, header, http_client, secrets_match, segments};
use crate::clock;
use crate::faults::Target;
use crate::journal::{Journaled, Replay};
use crate::random;
use crate::server::{Reply, Server};

const SESSION_TTL: SignedDuration = SignedDuration::from_hours(7 * 24);
const CALLBACK_TIMEOUT: Duration = Duration::from_secs(10);

const CREATED: &str = "created";
const EXPIRED: &str = "expired";
/// Sessions with these statuses expire.
const OPEN: [&str; 3] = [CREATED, "started", "submitted"];
/// The decisions on the page: the status, the label of the button, and the `reason` in the callback.
const DECISIONS: [(&str, &str, Option<&str>); 6] = [
    ("started", "Start", None),
    ("submitted", "Submit", None),
    ("approved", "Approve", None),
    ("declined", "Decline", Some("The company could not be verified.")),
    ("resubmission_requested", "Request resubmission", Some("A document is missing or cannot be read.")),
    (EXPIRED, "Expire", None),
];

/// The running simulator. Dropping it stops the server.
#[derive(Debug)]
pub struct Verifier {
    server: Server,
}

impl Verifier {
    /// `signing_key` is the HMAC key for calls in both directions.
    pub async fn start(options: SimulatorOptions, signing_key: &str) -> io::Result<Self> {
        let SimulatorOptions { data, port, api_key, faults, calls, guard } = options;
        let journal = data.map(|data| data.join("verifier.jsonl"));
        let service = Arc::new(Service {
            interceptor: Interceptor { target: Target::Verifier, faults, calls },
            api_key,
            signer: Hmac::new_from_slice(signing_key.as_bytes()).map_err(io::Error::other)?,
            client: http_client()?,
            base_url: OnceLock::new(),
            sessions: Mutex::new(Journaled::open(journal.as_deref())?),
        });
        let handler = service.clone();
        let server = Server::start(port, guard, move |request| handler.clone().handle(request)).await?;
        let _ = service.base_url.set(server.url());
        Ok(Self { server })
    }

    /// The base URL, without a trailing slash.
    pub fn url(&self) -> String {
        self.server.url()
    }
}

/// A stored verification session.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct VerificationSession {
    id: String,
    company_id: String,
    status: String,
    expires_at: Timestamp,
    decided_at: Option<Timestamp>,
    subject: VerificationRequest,
}

impl VerificationSession {
    /// `expired` for an open session past `expires_at`.
    fn status_at(&self, now: Timestamp) -> &str {
        if self.expires_at <= now && OPEN.contains(&self.status.as_str()) { EXPIRED } else { &self.status }
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

/// The sessions, keyed by id.
type Sessions = BTreeMap<String, VerificationSession>;

impl Replay for Sessions {
    type Change = VerificationSession;

    fn apply(&mut self, session: VerificationSession) {
        self.insert(session.id.clone(), session);
    }
}

#[derive(Debug)]
struct Service {
    interceptor: Interceptor,
    api_key: String,
    signer: Hmac<Sha256>,
    client: reqwest::Client,
    /// Set once the server listens.
    base_url: OnceLock<String>,
    sessions: Mutex<Journaled<Sessions>>,
}

#[derive(Deserialize)]
struct CreateSession {
    verification: VerificationRequest,
}

impl Service {
    fn sessions(&self) -> MutexGuard<'_, Journaled<Sessions>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn session(&self, id: &str) -> Option<VerificationSession> {
        self.sessions().get(id).cloned()
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
            ("POST", ["sessions", id, "decision"]) => self.decide(id, request.body()).await,
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
        matches("x-auth-client", &self.api_key) & matches("x-hmac-signature", &self.sign(message))
    }

    /// Returns the signature in lower-case hex.
    fn sign(&self, message: &[u8]) -> String {
        hex::encode(self.signer.clone().chain_update(message).finalize().into_bytes())
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
        // The id of a company stays the same across sessions.
        let earlier = sessions.values().find(|session| session.subject.vendor_data == subject.vendor_data);
        let session = VerificationSession {
            id: random::id(),
            company_id: earlier.map_or_else(random::id, |session| session.company_id.clone()),
            status: CREATED.to_owned(),
            expires_at: clock::now() + SESSION_TTL,
            decided_at: None,
            subject,
        };
        let reply = self.reply(StatusCode::CREATED, &session);
        match sessions.commit(session) {
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
        let verification = json!({
            "id": session.id,
            "companyId": session.company_id,
            "url": format!("{}/sessions/{}", self.base_url.get().map_or("", String::as_str), session.id),
            "status": session.status_at(clock::now()),
            "expiresAt": session.expires_at,
        });
        Reply::json(status, &json!({"status": "success", "verification": verification}))
    }

    /// Takes the decision that was chosen on the page, and shows it.
    async fn decide(&self, id: &str, form: &[u8]) -> Reply {
        let chosen = form_urlencoded::parse(form).find(|(name, _)| name == "status").map(|(_, status)| status);
        let Some((status, _, reason)) = DECISIONS.into_iter().find(|(status, ..)| chosen.as_deref() == Some(*status)) else {
            return html(StatusCode::BAD_REQUEST, "Invalid decision", "<p>The status is not a valid decision.</p>");
        };
        let Some(session) = self.session(id) else { return self.page(id, None) };
        let decided = VerificationSession { status: status.to_owned(), decided_at: Some(clock::now()), ..session };
        let saved = self.sessions().commit(decided.clone());
        let notice = match saved {
            Ok(()) => self.send_decision(&decided, reason).await,
            Err(error) => format!("Error: the decision could not be saved: {error}."),
        };
        self.page(id, Some(&notice))
    }

    /// Sends the callback, and returns how the portal answered.
    async fn send_decision(&self, session: &VerificationSession, reason: Option<&str>) -> String {
        let verification = json!({
            "id": session.id,
            "vendorData": session.subject.vendor_data,
            "companyId": session.company_id,
            "status": session.status,
            "reason": reason,
            "decidedAt": session.decided_at,
        });
        let body = json!({"verification": verification}).to_string();
        let call = self.client.post(&session.subject.callback).timeout(CALLBACK_TIMEOUT);
        let call = call.header("content-type", "application/json").header("x-hmac-signature", self.sign(body.as_bytes()));
        match call.body(body).send().await {
            Ok(response) => format!("The decision was sent. The portal answered {}.", response.status()),
            Err(error) => format!("Error: the decision was saved, but the callback failed: {error}."),
        }
    }

    fn page(&self, id: &str, notice: Option<&str>) -> Reply {
        match self.session(id) {
            Some(session) => html(StatusCode::OK, "Verification", &page_content(&session, clock::now(), notice)),
            None => html(StatusCode::NOT_FOUND, "Session not found", "<p>This session does not exist.</p>"),
        }
    }
}

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
        ("Status", session.status_at(now).to_owned()),
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
    let buttons = DECISIONS.map(|(status, label, _)| format!("<button name=\"status\" value=\"{status}\">{label}</button>"));
    format!(
        "<p>This is a simulated verification: no company is checked. The decision that you choose is sent to the portal \
         as the verifier's decision callback.</p>{notice}<dl>{rows}</dl>\
         <form method=\"post\" action=\"/sessions/{id}/decision\">{buttons}</form>",
        notice = notice.unwrap_or_default(),
        id = escape(&session.id),
        buttons = buttons.concat(),
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_session_expires() {
        let subject = json!({
            "callback": "http://portal.example/", "vendorData": "m-1", "people": [],
            "company": {"name": "Aurora", "registrationNumber": "1", "vatNumber": null, "country": "SE"},
        });
        let subject = serde_json::from_value(subject).unwrap();
        let now = clock::now();
        let session = VerificationSession {
            id: "s".to_owned(),
            company_id: "c".to_owned(),
            status: CREATED.to_owned(),
            expires_at: now,
            decided_at: None,
            subject,
        };
        assert_eq!((session.status_at(now), session.status_at(now - Duration::from_millis(1))), (EXPIRED, CREATED));
        assert_eq!(VerificationSession { status: "approved".to_owned(), ..session }.status_at(now), "approved");
    }
}
