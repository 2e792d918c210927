//! A merchant who exports orders and settlements now and then, and downloads the files.

use std::time::Duration;

use jiff::tz::TimeZone;
use reqwest::{Client, Method};
use serde_json::json;
use shared::clock::Clock;

use super::fixtures::Merchant;
use super::shift::{Session, Shift};

const EXPORTS: &str = "/api/bff/exports";
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// A merchant's exports of a day.
const MAX_EXPORTS: usize = 20;

pub(super) struct Exports {
    shift: Shift,
    session: Session,
    every: Duration,
}

impl Exports {
    pub(super) async fn open(shift: &Shift, merchant: Merchant, every: Duration) -> Self {
        let session = shift.signed_in(&merchant.administrator()).await;
        Self { shift: shift.clone(), session, every }
    }

    pub(super) async fn run(self) {
        let kinds = ["orders", "settlements", "redemptions"];
        for kind in kinds.iter().cycle().take(MAX_EXPORTS) {
            let next = self.shift.elapsed() + self.every;
            while self.shift.elapsed() < next {
                if self.shift.has_ended() {
                    return;
                }
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            self.export(kind).await;
        }
    }

    async fn export(&self, kind: &str) {
        // Whatever the day is in the merchant's zone.
        let today = Clock::system().now().to_zoned(TimeZone::UTC).date();
        let (from, to) = (today.yesterday().unwrap(), today.tomorrow().unwrap());
        let body = json!({"kind": kind, "from": from.to_string(), "to": to.to_string()});
        let Some(started) = self.session.request("others", Method::POST, EXPORTS, &[], Some(&body)).await else { return };
        let Some(id) = started.at("/data/id").as_str() else {
            // One whose response was lost in a kill may still be running.
            if started.code() != Some("EXPORT_RUNNING") {
                self.shift.unexplained_error(format!("export of {kind}: {started:?}"));
            }
            return;
        };
        while !self.shift.has_ended() {
            tokio::time::sleep(POLL_INTERVAL).await;
            let Some(export) = self.session.read("others", &format!("{EXPORTS}/{id}")).await else { continue };
            match export.at("/data/status").as_str() {
                Some("RUNNING") => {}
                Some("READY") => return self.download(export.at("/data/url").as_str().unwrap()).await,
                _ => return self.shift.unexplained_error(format!("export of {kind}: {export:?}")),
            }
        }
    }

    async fn download(&self, url: &str) {
        let answer = self.shift.send("downloads", |client: &Client, _: &str| client.get(url)).await;
        if let Some(answer) = answer.filter(|answer| !answer.is_success()) {
            self.shift.unexplained_error(format!("a file of an export: {answer:?}"));
        }
    }
}
