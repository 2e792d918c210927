//! A merchant who exports orders and settlements now and then, and downloads the files.

use std::time::Duration;

use jiff::tz::TimeZone;
use reqwest::Method;
use serde_json::json;
use shared::clock::Clock;

use super::fixtures::Merchant;
use super::shift::{POLL_INTERVAL, Session, Shift, code, is_success};

const EXPORTS: &str = "/api/bff/exports";
/// A merchant's exports of a day.
const MAX_EXPORTS: usize = 20;

pub(super) async fn run(shift: Shift, merchant: Merchant, every: Duration) {
    let session = shift.signed_in(&merchant.administrator()).await;
    for kind in ["orders", "settlements", "redemptions"].iter().cycle().take(MAX_EXPORTS) {
        if !shift.wait_until(shift.elapsed() + every).await {
            return;
        }
        export(&shift, &session, kind).await;
    }
}

async fn export(shift: &Shift, session: &Session, kind: &str) {
    // Whatever the day is in the merchant's zone.
    let today = Clock::system().now().to_zoned(TimeZone::UTC).date();
    let (from, to) = (today.yesterday().unwrap(), today.tomorrow().unwrap());
    let body = json!({"kind": kind, "from": from.to_string(), "to": to.to_string()});
    let Some(started) = session.request("others", Method::POST, EXPORTS, None, Some(&body)).await else { return };
    let Some(id) = started.at("/data/id").as_str() else {
        // One whose response was lost in a kill may still be running.
        if code(&started) != Some("EXPORT_RUNNING") {
            shift.unexplained_error(format!("export of {kind}: {started:?}"));
        }
        return;
    };
    while !shift.has_ended() {
        tokio::time::sleep(POLL_INTERVAL).await;
        let Some(export) = session.read("others", &format!("{EXPORTS}/{id}")).await else { continue };
        match export.at("/data/status").as_str() {
            Some("RUNNING") => {}
            Some("READY") => {
                let downloaded = shift.send("downloads", |client, _| client.get(export.text("/data/url"))).await;
                if let Some(answer) = downloaded.filter(|answer| !is_success(answer)) {
                    shift.unexplained_error(format!("a file of an export: {answer:?}"));
                }
                return;
            }
            _ => return shift.unexplained_error(format!("export of {kind}: {export:?}")),
        }
    }
}
