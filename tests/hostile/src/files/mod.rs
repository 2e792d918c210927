//! Uploads files that are not what they seem, opens signed links in other ways than they were made for, and looks for images
//! that were taken down.

mod formats;
mod limits;
mod links;
mod names;
mod outside;
mod published;
mod samples;
mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use futures_util::{StreamExt, stream};
use http::Method;
use jiff::SignedDuration;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use shared::clock::{Clock, later};

use crate::effort::Effort;
use crate::report::Report;
use crate::system::{Answer, System};
use names::{SPELLINGS, Spelling};
use outside::outside_of_picture;
use samples::{Fate, MARKER_START, Sample};

const MEDIA: &str = "/api/bff/offers/media";
const UPLOAD: &str = "/api/onboarding/upload";
const IMAGE: &str = "/api/public/gift-card-image?key=";
const DESIGNS: &str = "public/gift-cards/designs/";
const BOUNDARY: &str = "hostile-boundary";

/// A merchant uploads 200 files a day of each kind. Some are repeated.
const UPLOADS_OF_A_MERCHANT: usize = 150;
const MAX_REPETITIONS: usize = 3;
const LARGE_BYTES: usize = 1024 * 1024;

pub(crate) async fn run(effort: Effort) -> Report {
    let mut report = Report::new("breaches");
    let mut random = effort.random();
    let samples = samples::all(effort.choose(8, 400), effort.choose(4, 300), &mut random);
    let names = names::all();
    let uploads = jobs(&samples, &names, effort);
    let merchants = uploads.len() / UPLOADS_OF_A_MERCHANT + 2;
    let portal = Portal::start(merchants).await;

    let outcomes: Vec<Outcome> = stream::iter(&uploads).map(|job| portal.try_upload(job)).buffer_unordered(2).collect().await;
    report.count(samples.len(), "files");
    report.count(names.len() * SPELLINGS.len(), "names");
    report.count(outcomes.len(), "uploads");
    report.count(outcomes.iter().filter(|outcome| outcome.is_stored).count(), "stored");
    outcomes.into_iter().flat_map(|outcome| outcome.breaches).for_each(|breach| report.breach(breach));

    let tricks = links::attack(&portal, &mut report).await + published::attack(&portal, &mut report).await;
    report.count(tricks, "tricks with links and keys");
    limits::attack(&portal, effort, &mut report).await;
    report
}

/// One upload: a file, a name, and where it goes.
struct Job<'a> {
    headers: String,
    bytes: &'a [u8],
    fate: Fate,
    route: &'static str,
    /// What the file was named, if the header says so without doubt.
    name: Option<&'a str>,
    what: String,
}

/// Each file with random names, and each name in every spelling with a small image.
fn jobs<'a>(samples: &'a [Sample], names: &'a [String], effort: Effort) -> Vec<Job<'a>> {
    let mut random = effort.random();
    let mut jobs = Vec::new();
    for (index, sample) in samples.iter().enumerate() {
        for route in routes(index, effort) {
            for _ in 0..effort.choose(1, 3) {
                let headers = names::random_headers(names, &mut random);
                let what = format!("{} to {route} with {headers:?}", sample.name);
                jobs.push(Job { headers, bytes: &sample.bytes, fate: sample.fate.clone(), route, name: None, what });
            }
        }
    }
    for (index, name) in names.iter().enumerate() {
        for (turn, spelling) in SPELLINGS.into_iter().enumerate() {
            // A name has another quarter of the spellings than the next one.
            if effort.quick && !(index + turn).is_multiple_of(4) {
                continue;
            }
            for route in routes(index + turn / 4, effort) {
                let headers = spelling.headers(name);
                let what = format!("the name {name:?} ({spelling:?}) to {route}");
                let fate = named_fate(name, spelling);
                let name = spelling.is_faithful().then_some(name.as_str());
                jobs.push(Job { headers, bytes: samples::SMALLEST, fate, route, name, what });
            }
        }
    }
    jobs
}

/// Both routes, or one of them by turns.
fn routes(index: usize, effort: Effort) -> Vec<&'static str> {
    let both = [MEDIA, UPLOAD];
    if effort.quick { vec![both[index % 2]] } else { both.into() }
}

/// A name that breaks the header it stands in can make the form invalid.
fn named_fate(name: &str, spelling: Spelling) -> Fate {
    let breaks_headers =
        matches!(spelling, Spelling::Quoted | Spelling::Raw | Spelling::Token) && name.contains(char::is_control);
    let is_plain = !breaks_headers && spelling != Spelling::SecondHeader && name.len() < 2_000;
    if is_plain { Fate::Image(samples::GIF, samples::SMALLEST.to_vec()) } else { Fate::Harmless(samples::GIF) }
}

struct Outcome {
    is_stored: bool,
    breaches: Vec<String>,
}

/// A clock that an attack can turn.
#[derive(Debug, Clone, Default)]
struct Shift(Arc<AtomicI64>);

impl Shift {
    fn clock(&self) -> Clock {
        let Self(seconds) = self.clone();
        Clock::new(move || later(Clock::system().now(), SignedDuration::from_secs(seconds.load(Ordering::SeqCst))))
    }

    fn set(&self, seconds: i64) {
        self.0.store(seconds, Ordering::SeqCst);
    }
}

/// The system with merchants that upload.
struct Portal {
    system: System,
    shift: Shift,
    tokens: Vec<String>,
    uploads: [AtomicUsize; 2],
}

impl Portal {
    /// Besides `merchants`, there are merchants for the limits, a draft, and an administrator of the platform.
    async fn start(merchants: usize) -> Self {
        let shift = Shift::default();
        let ids: Vec<String> =
            (0..merchants).map(|index| index.to_string()).chain(["images", "documents"].map(str::to_owned)).collect();
        let active = ids.iter().map(|id| {
            json!({"id": format!("m-{id}"), "slug": format!("shop-{id}"), "name": "Shop", "status": "ACTIVE", "currency": "SEK",
                   "settlementMode": "SETTLEMENT_ON_REDEMPTION"})
        });
        let draft = json!({"id": "m-draft", "slug": "draft", "name": "Draft", "status": "DRAFT"});
        let member = |id: &str, merchant: &str, role: &str| {
            json!({"id": format!("u-{id}"), "email": format!("{id}@shop.example"), "merchantId": merchant,
                   "merchantTeamRole": role, "emailVerified": true})
        };
        let users = ids.iter().map(|id| member(id, &format!("m-{id}"), "ADMIN"));
        let others = [member("draft", "m-draft", "ADMIN"), member("viewer", "m-0", "VIEWER")].into_iter().chain([
            json!({"id": "u-root", "email": "root@portal.example", "isAdmin": true, "emailVerified": true}),
            json!({"id": "u-linked", "email": "linked@portal.example", "isAdmin": true, "merchantId": "m-0",
                   "emailVerified": true}),
            json!({"id": "u-till", "email": "till@shop.example", "merchantId": "m-0", "permissions": ["portal.pos"]}),
        ]);
        let settlement = json!({
            "id": "s-1", "merchantId": "m-0", "sourceType": "REDEMPTION", "redemptionId": "r-1", "grossAmountMinor": 1000,
            "feeAmountMinor": 50, "netAmountMinor": 950, "currency": "SEK", "createdAt": "now-20d", "updatedAt": "now-20d",
            "eligibleAt": "now-10d", "status": "PENDING",
        });
        let order = json!({"id": "o-1", "merchantId": "m-0", "createdAt": "now-1d", "totalAmountMinor": 1000, "currency": "SEK"});
        let fixtures = json!({
            "merchants": active.chain([draft]).collect::<Vec<_>>(), "users": users.chain(others).collect::<Vec<_>>(),
            "settlements": [settlement], "orders": [order],
        });
        let system = System::with_clock(shift.clock(), &fixtures).await;
        let mut tokens = Vec::new();
        for index in 0..merchants {
            tokens.push(system.sign_in(&format!("u-{index}")).await);
        }
        Self { system, shift, tokens, uploads: Default::default() }
    }

    /// The token of a merchant that can still upload.
    fn uploader(&self, route: &str) -> &str {
        let count = self.uploads[usize::from(route == UPLOAD)].fetch_add(1, Ordering::SeqCst);
        &self.tokens[count / UPLOADS_OF_A_MERCHANT]
    }

    async fn send(&self, request: RequestBuilder) -> Answer {
        self.system.send(request).await.unwrap_or_else(|error| panic!("no response: {error}"))
    }

    fn form(&self, token: &str, route: &str, headers: &str, bytes: &[u8]) -> RequestBuilder {
        let head = format!("--{BOUNDARY}\r\n{headers}\r\n");
        let body = [head.as_bytes(), bytes, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat();
        let request = self.system.request(Method::POST, route).bearer_auth(token);
        request.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}")).body(body)
    }

    async fn upload(&self, token: &str, route: &str, bytes: &[u8]) -> Answer {
        self.send(self.form(token, route, &Spelling::Quoted.headers("a.png"), bytes)).await
    }

    async fn image(&self, key: &str) -> Answer {
        self.send(self.system.request(Method::GET, &format!("{IMAGE}{key}"))).await
    }

    /// Opens a link without a session.
    async fn open(&self, link: &str) -> Answer {
        wire::send(Method::GET, link, &[]).await
    }

    async fn get(&self, token: &str, path: &str) -> Answer {
        self.send(self.system.request(Method::GET, path).bearer_auth(token)).await
    }

    async fn write(&self, method: Method, token: &str, path: &str, body: &Value) -> Answer {
        let request = self.system.request(method, path).bearer_auth(token).header("content-type", "application/json");
        self.send(request.header("idempotency-key", "hostile").body(body.to_string())).await
    }

    /// Lets all jobs run.
    async fn settle(&self) {
        let settled = self.send(self.system.request(Method::POST, "/__local/settle")).await;
        assert_eq!((settled.status, &settled.json()["dead"]), (200, &json!(0)), "{settled:?}");
    }

    async fn try_upload(&self, job: &Job<'_>) -> Outcome {
        let token = self.uploader(job.route);
        let mut answer = self.send(self.form(token, job.route, &job.headers, job.bytes)).await;
        // On a machine that is busy with other things, the largest files are not stored in time.
        for _ in 0..MAX_REPETITIONS {
            if job.bytes.len() < LARGE_BYTES || answer.status != 500 {
                break;
            }
            answer = self.send(self.form(token, job.route, &job.headers, job.bytes)).await;
        }
        let mut breaches = Vec::new();
        let is_stored = answer.status == 200;
        if is_stored {
            self.check_stored(job, &answer, &mut breaches).await;
        } else {
            check_refusal(job, &answer, &mut breaches);
        }
        let breaches = breaches.into_iter().map(|breach| format!("{}: {breach}", job.what)).collect();
        Outcome { is_stored, breaches }
    }

    async fn check_stored(&self, job: &Job<'_>, answer: &Answer, breaches: &mut Vec<String>) {
        let is_document = job.route == UPLOAD;
        let content_types = match (&job.fate, is_document) {
            (Fate::Refused, _) | (Fate::Document, false) => return breaches.push("was stored".to_owned()),
            (Fate::Document, true) => "application/pdf",
            (Fate::Image(content_type, _) | Fate::Harmless(content_type), _) => content_type,
        };
        let served =
            if is_document { self.check_document(job, answer, breaches).await } else { self.check_image(answer, breaches).await };
        let content_type = header(&served, "content-type");
        let is_expected = content_types == "any" || content_types == content_type;
        if served.status != 200 || !is_expected || signature_type(&served.body) != Some(&*content_type) {
            breaches.push(format!("was served with {} as {content_type:?}", served.status));
        }
        match &job.fate {
            Fate::Image(_, expected) if served.body != *expected => {
                breaches.push(format!("was stored as {}", served.body[..served.body.len().min(200)].escape_ascii()));
            }
            Fate::Document if served.body != job.bytes => breaches.push("was changed".to_owned()),
            Fate::Harmless(_) => {
                let outside = outside_of_picture(&content_type, &served.body);
                if let Some(position) = position(&outside, MARKER_START) {
                    let around = &outside[position.saturating_sub(60)..outside.len().min(position + 60)];
                    breaches.push(format!("kept the marker: {}", around.escape_ascii()));
                }
            }
            _ => {}
        }
    }

    async fn check_image(&self, answer: &Answer, breaches: &mut Vec<String>) -> Answer {
        let data = answer.json()["data"].clone();
        let [key, file_name, preview] = ["key", "fileName", "previewUrl"].map(|name| text(&data, name));
        if key != format!("{DESIGNS}{file_name}") || !is_file_name(&file_name) {
            breaches.push(format!("has the key {key:?}"));
        }
        let served = self.image(&key).await;
        let path = preview.strip_prefix(&self.system.local.listening.api).unwrap_or("/unknown");
        if self.send(self.system.request(Method::GET, path)).await != served {
            breaches.push(format!("is not at its address: {preview}"));
        }
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", "default-src 'none'; sandbox"),
            ("cache-control", "public, max-age=3600"),
        ] {
            if header(&served, name) != value {
                breaches.push(format!("is served with {name}: {:?}", header(&served, name)));
            }
        }
        check_header_names(&served, breaches);
        served
    }

    async fn check_document(&self, job: &Job<'_>, answer: &Answer, breaches: &mut Vec<String>) -> Answer {
        let body = answer.json();
        let [key, filename, preview, url, original] =
            ["key", "filename", "previewUrl", "url", "originalName"].map(|name| text(&body, name));
        let folder = key.strip_suffix(&filename).unwrap_or_default();
        let is_own = folder.strip_prefix("m-").and_then(|rest| rest.strip_suffix("/onboarding/documents/"));
        if !is_own.is_some_and(|merchant| merchant.bytes().all(|byte| byte.is_ascii_digit())) || !is_file_name(&filename) {
            breaches.push(format!("has the key {key:?}"));
        }
        if !url.ends_with(&format!("amazonaws.com/{key}")) || !url.starts_with("https://") {
            breaches.push(format!("has the URL {url:?}"));
        }
        if job.name.is_some_and(|name| name != original) {
            breaches.push(format!("has the original name {original:?}"));
        }
        let served = self.open(&preview).await;
        let extension = filename.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let expected = match &*header(&served, "content-type") {
            "image/jpeg" => &["jpg", "jpeg"][..],
            "image/png" => &["png"],
            "image/gif" => &["gif"],
            "image/webp" => &["webp"],
            _ => &["pdf"],
        };
        if !expected.contains(&&*extension) {
            breaches.push(format!("is named {filename}"));
        }
        let disposition = header(&served, "content-disposition");
        if disposition != format!("attachment; filename=\"{filename}\"") {
            breaches.push(format!("is served with content-disposition: {disposition:?}"));
        }
        check_header_names(&served, breaches);
        served
    }
}

fn check_refusal(job: &Job<'_>, answer: &Answer, breaches: &mut Vec<String>) {
    let must_be_stored = match job.fate {
        Fate::Image(..) => true,
        Fate::Document => job.route == UPLOAD,
        Fate::Refused | Fate::Harmless(_) => false,
    };
    if must_be_stored {
        breaches.push(format!("was refused: {}", answer.body.escape_ascii()));
    }
    let message = text(&answer.json()["error"], "message");
    let is_sentence = message.ends_with('.') && message.len() > 10 && !message.contains(char::is_control);
    if !matches!(answer.status, 400 | 413 | 415) || !is_sentence || position(&answer.body, MARKER_START).is_some() {
        breaches.push(format!("was answered with {} {}", answer.status, answer.body.escape_ascii()));
    }
}

/// A name that was sent can add no header.
fn check_header_names(served: &Answer, breaches: &mut Vec<String>) {
    for name in served.headers.keys() {
        if name.contains("injected") || name == "set-cookie" || name == "location" || name == "refresh" {
            breaches.push(format!("is served with {name}"));
        }
    }
}

/// A new UUID, a dash, and a name that means nothing in a path, a header or a URL.
fn is_file_name(name: &str) -> bool {
    let Some((id, name)) = name.split_at_checked(36) else { return false };
    let Some(name) = name.strip_prefix('-') else { return false };
    let is_id = id.bytes().enumerate().all(|(index, byte)| match index {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    });
    let is_safe = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    is_id && is_safe && (1..=66).contains(&name.len()) && !name.starts_with('.') && !name.ends_with('.')
}

/// The type by the first bytes.
fn signature_type(bytes: &[u8]) -> Option<&'static str> {
    let types: [(&[u8], &str); 6] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF", "image/webp"),
        (b"%PDF-", "application/pdf"),
    ];
    types.iter().find(|(signature, _)| bytes.starts_with(signature)).map(|(_, content_type)| *content_type)
}

fn header(answer: &Answer, name: &str) -> String {
    answer.headers.get(name).map(|value| String::from_utf8_lossy(value).into_owned()).unwrap_or_default()
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

fn position(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}
