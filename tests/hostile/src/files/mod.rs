//! Uploads files that are not what they seem, under names that are none, and looks at the links to files.

mod formats;
mod links;
mod names;
mod outside;
mod samples;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use futures_util::{StreamExt, stream};
use jiff::SignedDuration;
use local::Options;
use reqwest::Method;
use serde_json::{Value, json};
use shared::base::clock::Clock;
use shared::values::later;
use world::shop::{member, merchant, order, platform_administrator, settlement};
use world::{ApiResponse, Caller, System};

use crate::Effort;
use crate::report::Report;
use formats::gif::SMALLEST;
use names::{Arrival, SPELLINGS};
use outside::outside_of_picture;
use samples::{Fate, MARKER_START, Sample};

const MEDIA: &str = "/api/bff/offers/media";
const UPLOAD: &str = "/api/onboarding/upload";
const IMAGE: &str = "/api/public/gift-card-image?key=";
const DESIGNS: &str = "public/gift-cards/designs";
const BOUNDARY: &str = "hostile-boundary";

/// A member uploads 100 documents and 100 images a day. Some uploads are repeated.
const UPLOADS_OF_AN_OWNER: usize = 80;
const MAX_REPETITIONS: usize = 3;
const LARGE_BYTES: usize = 1024 * 1024;

pub(crate) async fn run(effort: Effort) -> Report {
    let report = Report::new("breaches");
    let mut random = effort.random();
    let samples = samples::all(effort.choose(8, 400), effort.choose(4, 300), &mut random);
    let names = names::all();
    let uploads = jobs(&samples, &names, effort);
    let portal = Portal::start(uploads.len() / UPLOADS_OF_AN_OWNER + 2).await;
    let stored = AtomicUsize::new(0);
    stream::iter(&uploads).for_each_concurrent(2, |job| portal.try_upload(job, &stored, &report)).await;
    report.count(samples.len(), "files");
    report.count(names.len() * SPELLINGS.len(), "names");
    report.count(uploads.len(), "uploads");
    report.count(stored.into_inner(), "stored");
    report.count(links::attack(&portal, &report).await, "links");
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
    for (index, Sample { name, bytes, fate }) in samples.iter().enumerate() {
        for route in routes(index, effort) {
            for _ in 0..effort.choose(1, 3) {
                let headers = names::random_headers(names, &mut random);
                let what = format!("{name} to {route} with {headers:?}");
                jobs.push(Job { headers, bytes, fate: fate.clone(), route, name: None, what });
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
                let headers = names::headers(spelling, name);
                let what = format!("the name {name:?} ({}) to {route}", spelling.0);
                let fate = named_fate(name, spelling.1);
                let is_plain = !name.contains(|c: char| c.is_control() || "\"\\".contains(c));
                let name = (spelling.1 == Arrival::AsItIs && is_plain).then_some(name.as_str());
                jobs.push(Job { headers, bytes: SMALLEST, fate, route, name, what });
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
fn named_fate(name: &str, arrival: Arrival) -> Fate {
    let is_broken = arrival == Arrival::Odd || (arrival != Arrival::Changed && name.contains(char::is_control));
    let is_plain = !is_broken && name.len() < 2_000;
    if is_plain { Fate::Image(samples::GIF, SMALLEST.to_vec()) } else { Fate::Harmless(samples::GIF) }
}

/// The clock of this machine, which an attack can turn: links are checked by it.
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
    /// An administrator of each merchant.
    owners: Vec<Caller>,
    uploads: [AtomicUsize; 2],
}

impl Portal {
    /// Besides `merchants`, there are a draft, and an administrator of the platform.
    async fn start(merchants: usize) -> Self {
        let shift = Shift::default();
        let ids: Vec<String> = (0..merchants).map(|index| format!("m-{index}")).chain(["m-draft".to_owned()]).collect();
        let of_each = ids.iter().map(|id| {
            let status = if id == "m-draft" { "DRAFT" } else { "ACTIVE" };
            merchant(id, "", "SEK", &json!({"status": status, "networkMerchantId": null}))
        });
        let members = ids.iter().map(|id| member(&id.replacen('m', "u", 1), id, &json!({"emailVerified": true})));
        let users: Vec<Value> = members.chain([platform_administrator("u-root")]).collect();
        let of_merchant = json!({"merchantId": "m-0", "status": "PENDING", "createdAt": "now-20d"});
        let sold = json!({"merchantId": "m-0", "totalAmountMinor": 1_000, "currency": "SEK"});
        let fixtures = json!({
            "merchants": of_each.collect::<Vec<_>>(), "users": users,
            "settlements": [settlement("s-1", "now-10d", 950, &of_merchant)], "orders": [order("o-1", "now-1d", &sold)],
        });
        let system = System::without_fixtures(Options { clock: shift.clock(), ..Options::default() }).await;
        system.load_fixtures(&fixtures).await;
        let mut owners = Vec::new();
        for index in 0..merchants {
            owners.push(system.sign_in(&format!("u-{index}")).await);
        }
        Self { system, shift, owners, uploads: Default::default() }
    }

    async fn finish_jobs(&self) {
        let drained = self.system.drain().await;
        assert_eq!(drained["dead"], 0, "{drained}");
    }

    async fn try_upload(&self, job: &Job<'_>, stored: &AtomicUsize, report: &Report) {
        let count = self.uploads[usize::from(job.route == UPLOAD)].fetch_add(1, Ordering::SeqCst);
        // One that can still upload.
        let owner = &self.owners[count / UPLOADS_OF_AN_OWNER];
        let head = format!("--{BOUNDARY}\r\n{}\r\n", job.headers);
        let body = [head.as_bytes(), job.bytes, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat();
        let send = async || {
            let request = owner.request(Method::POST, job.route);
            let request = request.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"));
            world::send(request.body(body.clone())).await.unwrap_or_else(|error| panic!("no response to {}: {error}", job.what))
        };
        let mut answer = send().await;
        // On a machine that is busy with other things, the largest files are not stored in time.
        for _ in 0..MAX_REPETITIONS {
            if job.bytes.len() < LARGE_BYTES || answer.status != 500 {
                break;
            }
            answer = send().await;
        }
        let mut breaches = Vec::new();
        if answer.status == 200 {
            stored.fetch_add(1, Ordering::SeqCst);
            self.check_stored(job, &answer, &mut breaches).await;
        } else {
            check_refusal(job, &answer, &mut breaches);
        }
        for breach in breaches {
            report.breach(format!("{}: {breach}", job.what));
        }
    }

    async fn check_stored(&self, job: &Job<'_>, answer: &ApiResponse, breaches: &mut Vec<String>) {
        let is_document = job.route == UPLOAD;
        let expected = match &job.fate {
            _ if is_document => document_type(job.bytes),
            Fate::Refused | Fate::Document => None,
            Fate::Image(content_type, _) | Fate::Harmless(content_type) => Some(*content_type),
        };
        let Some(expected) = expected else { return breaches.push("was stored".to_owned()) };
        let served =
            if is_document { check_document(job, answer, breaches).await } else { self.check_image(answer, breaches).await };
        let content_type = header(&served, "content-type");
        let is_expected = expected == "any" || expected == content_type;
        if served.status != 200 || !is_expected || document_type(&served.bytes) != Some(content_type) {
            breaches.push(format!("was served with {} as {content_type:?}", served.status));
        }
        // A name that was sent can add no header.
        for name in served.headers.keys() {
            if name.as_str().contains("injected") || ["set-cookie", "location", "refresh"].contains(&name.as_str()) {
                breaches.push(format!("is served with {name}"));
            }
        }
        match &job.fate {
            _ if is_document && served.bytes == job.bytes => {}
            _ if is_document => breaches.push("was changed".to_owned()),
            Fate::Image(_, expected) if served.bytes != *expected => {
                breaches.push(format!("was stored as {}", served.bytes[..served.bytes.len().min(200)].escape_ascii()));
            }
            Fate::Harmless(_) => {
                let outside = outside_of_picture(content_type, &served.bytes);
                if let Some(position) = position(&outside, MARKER_START) {
                    let around = &outside[position.saturating_sub(60)..outside.len().min(position + 60)];
                    breaches.push(format!("kept the marker: {}", around.escape_ascii()));
                }
            }
            _ => {}
        }
    }

    async fn check_image(&self, answer: &ApiResponse, breaches: &mut Vec<String>) -> ApiResponse {
        let [key, file_name, preview] = ["key", "fileName", "previewUrl"].map(|name| answer.text(&format!("/data/{name}")));
        if key != format!("{DESIGNS}/{file_name}") || !is_file_name(&file_name) {
            breaches.push(format!("has the key {key:?}"));
        }
        let served = self.system.anonymous().get(&format!("{IMAGE}{key}")).await;
        let path = preview.strip_prefix(&self.system.local.listening.api).unwrap_or("/unknown");
        if self.system.anonymous().get(path).await.comparable() != served.comparable() {
            breaches.push(format!("is not at its address: {preview}"));
        }
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", "default-src 'none'; sandbox"),
            ("cache-control", "public, max-age=3600, s-maxage=0, stale-if-error=0"),
        ] {
            if header(&served, name) != value {
                breaches.push(format!("is served with {name}: {:?}", header(&served, name)));
            }
        }
        served
    }
}

async fn check_document(job: &Job<'_>, answer: &ApiResponse, breaches: &mut Vec<String>) -> ApiResponse {
    let [key, filename, preview, url, original] =
        ["key", "filename", "previewUrl", "url", "originalName"].map(|name| answer.text(&format!("/{name}")));
    let folder = key.strip_suffix(&filename).unwrap_or_default();
    let merchant = folder.strip_prefix("m-").and_then(|rest| rest.strip_suffix("/onboarding/documents/"));
    let is_own = merchant.is_some_and(|merchant| merchant.bytes().all(|byte| byte.is_ascii_digit()));
    if !is_own || !is_file_name(&filename) {
        breaches.push(format!("has the key {key:?}"));
    }
    if !url.ends_with(&format!("amazonaws.com/{key}")) || !url.starts_with("https://") {
        breaches.push(format!("has the URL {url:?}"));
    }
    if job.name.is_some_and(|name| name != original) {
        breaches.push(format!("has the original name {original:?}"));
    }
    let served = open(&preview).await;
    let extension = filename.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let expected = header(&served, "content-type").rsplit('/').next().unwrap_or_default();
    if extension != expected && (&*extension, expected) != ("jpg", "jpeg") {
        breaches.push(format!("is named {filename}"));
    }
    let disposition = header(&served, "content-disposition");
    if disposition != format!("attachment; filename=\"{filename}\"") {
        breaches.push(format!("is served with content-disposition: {disposition:?}"));
    }
    served
}

async fn open(link: &str) -> ApiResponse {
    world::get(link).await
}

fn check_refusal(job: &Job<'_>, answer: &ApiResponse, breaches: &mut Vec<String>) {
    let must_be_stored = match job.fate {
        Fate::Image(..) => true,
        Fate::Document => job.route == UPLOAD,
        Fate::Refused | Fate::Harmless(_) => false,
    };
    if must_be_stored {
        breaches.push(format!("was refused: {}", answer.bytes.escape_ascii()));
    }
    let message = answer.at("/error/message").as_str().unwrap_or_default();
    let is_sentence = message.ends_with('.') && message.len() > 10 && !message.contains(char::is_control);
    if !matches!(answer.status, 400 | 413 | 415) || !is_sentence || position(&answer.bytes, MARKER_START).is_some() {
        breaches.push(format!("was answered with {} {}", answer.status, answer.bytes.escape_ascii()));
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

/// The type by the first bytes. A PDF can begin later.
fn document_type(bytes: &[u8]) -> Option<&'static str> {
    let types: [(&[u8], &str); 5] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF", "image/webp"),
    ];
    let image = types.iter().find(|(signature, _)| bytes.starts_with(signature)).map(|(_, content_type)| *content_type);
    image.or(position(&bytes[..bytes.len().min(1_028)], b"%PDF-").map(|_| "application/pdf"))
}

fn header<'a>(answer: &'a ApiResponse, name: &str) -> &'a str {
    answer.header(name).unwrap_or_default()
}

fn position(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}
