//! Unique texts in everything that is secret or personal, and a search for them in everything that is answered, stored, mailed,
//! sent and logged.

mod places;
mod story;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tracing_subscriber::fmt::MakeWriter;
use world::contract;

use crate::report::Report;
use places::ALLOWED;

/// The lowest level that `RUST_LOG` can name.
const LOG_LEVEL: &str = "trace";
/// Shorter texts would be found by chance.
const MIN_LENGTH: usize = 8;

/// What the story has left behind.
#[derive(Default)]
struct Evidence {
    /// Secrets, codes and personal data of each kind.
    canaries: BTreeMap<&'static str, BTreeSet<String>>,
    /// What was answered, stored, mailed, sent or logged: a name, such as `answer GET /api/bff/merchant`, `row ORDER#`, `mail`,
    /// `object portal-files`, `webhook` or `log`, and the text.
    places: Vec<(String, String)>,
    /// The routes that were called, as method and template.
    called: BTreeSet<(String, String)>,
    /// What the story itself did not get through.
    failures: Vec<String>,
}

/// Everything runs in one thread, whose events go to a log of its own at the lowest level that a deployment can set.
pub(crate) async fn run() -> Report {
    let play = || {
        let log = Log::default();
        let _guard = tracing::subscriber::set_default(shared::lambda::json_log(Some(LOG_LEVEL), log.clone()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let evidence = runtime.block_on(story::play());
        drop(runtime);
        let text = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
        (evidence, text)
    };
    let (mut evidence, log) = tokio::task::spawn_blocking(play).await.unwrap();

    let report = Report::new("finds");
    let answered = log.lines().filter(|line| line.contains("\"message\":\"answered\"")).count();
    if answered < evidence.called.len() {
        report.breach(format!("{answered} requests are in the log, and more were sent"));
    }
    evidence.places.extend(log.lines().map(|line| ("log".to_owned(), line.to_owned())));
    let canaries = evidence.canaries.values().map(BTreeSet::len).sum::<usize>();
    report.figure(format!("{canaries} canaries of {} kinds", evidence.canaries.len()));
    report.count(evidence.places.len(), "places");
    report.count(log.lines().count(), "lines of the log");
    for (method, path) in contract::routes().iter().filter(|route| !evidence.called.contains(route)) {
        report.breach(format!("no call of {method} {path}"));
    }
    for (kind, _) in ALLOWED.iter().filter(|(kind, _)| !evidence.canaries.contains_key(kind)) {
        report.breach(format!("the story has no {kind}"));
    }
    for failure in evidence.failures.iter().cloned().chain(evidence.finds()) {
        report.breach(failure);
    }
    report
}

impl Evidence {
    /// Notes a text of a kind, which has a row in the table of places.
    fn note(&mut self, kind: &'static str, text: &str) {
        assert!(ALLOWED.iter().any(|(allowed, _)| *allowed == kind), "{kind} is not in the table");
        if text.len() < MIN_LENGTH {
            return self.failures.push(format!("the story got no {kind}: {text:?}"));
        }
        self.canaries.entry(kind).or_default().insert(text.to_owned());
    }

    /// Every canary that is where it may not be, once for each kind and place.
    fn finds(&self) -> Vec<String> {
        let mut finds = BTreeMap::new();
        for (kind, allowed) in ALLOWED {
            for spelling in self.canaries.get(kind).into_iter().flatten().flat_map(|text| spellings(text)) {
                for (name, text) in
                    self.places.iter().filter(|(name, _)| !allowed.split(", ").any(|pattern| covers(pattern, name)))
                {
                    let Some(position) = text.find(&spelling) else { continue };
                    let around = text.get(position.saturating_sub(80)..(position + spelling.len() + 40).min(text.len()));
                    let find = format!("{kind} in {name}: …{}…", around.unwrap_or(&spelling));
                    finds.entry((kind, name)).or_insert(find);
                }
            }
        }
        finds.into_values().collect()
    }
}

/// Whether a place has this name: a route, or the kind of a row with what follows.
fn covers(pattern: &str, name: &str) -> bool {
    match pattern {
        "" => false,
        _ if pattern.starts_with("answer") => pattern == name,
        _ => name.starts_with(pattern),
    }
}

/// A text as it is, in base64, in hex, percent-encoded, and escaped in JSON.
fn spellings(text: &str) -> BTreeSet<String> {
    let json = serde_json::to_string(text).unwrap();
    BTreeSet::from([
        text.to_owned(),
        STANDARD_NO_PAD.encode(text),
        URL_SAFE_NO_PAD.encode(text),
        hex::encode(text),
        utf8_percent_encode(text, NON_ALPHANUMERIC).to_string(),
        json.trim_matches('"').to_owned(),
    ])
}

/// What the functions log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
