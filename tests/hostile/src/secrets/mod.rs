//! Unique texts in everything that is secret or personal, and a search for them in everything that is answered, stored, mailed,
//! sent and logged.

mod canaries;
mod log;
mod places;
mod story;

use std::collections::BTreeSet;

use canaries::Canaries;
use log::Log;
use places::Place;

use crate::contract;
use crate::effort::Effort;
use crate::report::Report;

/// What the story has left behind.
pub(crate) struct Evidence {
    canaries: Canaries,
    places: Vec<Place>,
    /// The routes that were called, as method and template.
    called: BTreeSet<(String, String)>,
    /// What the story itself did not get through.
    failures: Vec<String>,
}

/// Everything runs in one thread, whose events go to a log of its own at the lowest level that a deployment can set.
pub(crate) async fn run(effort: Effort) -> Report {
    let (evidence, lines) = tokio::task::spawn_blocking(move || {
        let log = Log::default();
        let guard = log.capture();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let evidence = runtime.block_on(story::play(effort));
        drop(runtime);
        drop(guard);
        (evidence, log.lines())
    })
    .await
    .unwrap();

    let mut report = Report::new("finds");
    let Evidence { canaries, mut places, called, failures } = evidence;
    let answered = lines.iter().filter(|line| line.contains("\"message\":\"answered\"")).count();
    if answered < called.len() {
        report.breach(format!("{answered} requests are in the log, and more were sent"));
    }
    let count = lines.len();
    places.extend(lines.into_iter().map(|line| Place::new("log", line)));
    let finds = places::finds(&canaries, &places);
    report.count(canaries.len(), "canaries");
    report.count(canaries.kinds(), "kinds");
    report.count(places.len(), "places");
    report.count(count, "lines of the log");
    report.count(called.len(), "routes");
    for (method, path) in contract::routes() {
        if !called.contains(&(method.clone(), path.clone())) {
            report.breach(format!("no call of {method} {path}"));
        }
    }
    for problem in failures.into_iter().chain(finds).chain(canaries.missing()) {
        report.breach(problem);
    }
    report
}
