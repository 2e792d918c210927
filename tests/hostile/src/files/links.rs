//! Signed links: each is a download of one file, for as long as it says.

use jiff::SignedDuration;
use serde_json::json;
use shared::base::clock::Clock;
use shared::values::later;

use super::formats::pdf;
use super::{Portal, UPLOAD, header, open};
use crate::report::Report;

/// Returns the number of links. Those that are signed by clocks of earlier are opened just before the end of their lives, and just after.
pub(super) async fn attack(portal: &Portal, report: &Report) -> usize {
    let files = Files::make(portal).await;
    let mut count = 0;
    for seconds in [60, 600, 3600] {
        for (age, is_alive) in [(0, true), (seconds - 30, true), (seconds + 1, false), (seconds + 86_400, false)] {
            portal.shift.set(-age);
            for (name, _, url) in files.links(portal).await.iter().filter(|(_, lifetime, _)| *lifetime == seconds) {
                count += 1;
                let opened = open(url).await;
                let is_download = header(&opened, "content-disposition").starts_with("attachment; filename=\"");
                let is_right = if is_alive { opened.status == 200 && is_download } else { opened.status == 403 };
                if !is_right || lifetime(url) != Some(seconds) {
                    report.breach(format!("the link to {name} is answered with {opened:?} after {age} s: {url}"));
                }
            }
        }
    }
    // The link to an export does not outlive its file, which is gone a day after it was asked for.
    portal.shift.set(86_400 - 120);
    let owner = portal.system.sign_in("u-0").await;
    let url = owner.get(&format!("/api/bff/exports/{}", files.export)).await.at("/data/url").clone();
    if url.as_str().and_then(lifetime).is_none_or(|seconds| seconds > 120) {
        report.breach(format!("the link to an export outlives it: {url:?}"));
    }
    portal.shift.set(0);
    count + 1
}

/// For how many seconds a link says that it is good.
fn lifetime(url: &str) -> Option<i64> {
    url.split('&').find_map(|pair| pair.strip_prefix("X-Amz-Expires=")?.parse().ok())
}

/// What has links: a document by its address, and others by their ids.
struct Files {
    document: String,
    export: String,
    payout: String,
}

impl Files {
    async fn make(portal: &Portal) -> Self {
        let owner = &portal.owners[0];
        let document = owner.upload(UPLOAD, "a.pdf", &pdf::plain()).await.text("/url");
        let day =
            |days: i64| later(Clock::system().now(), SignedDuration::from_hours(24 * days)).strftime("%Y-%m-%d").to_string();
        let orders = json!({"kind": "orders", "from": day(-30), "to": day(1)});
        let export = owner.post("/api/bff/exports", &orders).await.text("/data/id");
        let root = portal.system.sign_in("u-root").await;
        root.post_with_key("/api/admin/payouts", "hostile", &json!({"merchantId": "m-0"})).await.ok();
        portal.finish_jobs().await;
        let payout = owner.get("/api/bff/payouts").await.text("/data/payouts/0/id");
        Self { document, export, payout }
    }

    /// Fresh links to all kinds of files: what they are to, for how many seconds they should be good, and their URLs.
    async fn links(&self, portal: &Portal) -> Vec<(&'static str, i64, String)> {
        let [owner, root, draft] =
            [portal.system.sign_in("u-0").await, portal.system.sign_in("u-root").await, portal.system.sign_in("u-draft").await];
        let of_draft = draft.upload(UPLOAD, "a.pdf", &pdf::plain()).await.text("/url");
        let application = json!({"isDraft": true, "documents": [{"type": "REGISTRATION", "url": of_draft, "name": "a"}]});
        draft.post("/api/onboarding/submit", &application).await.ok();
        let preview = owner.upload(UPLOAD, "a.pdf", &pdf::plain()).await.text("/previewUrl");
        let Self { document, export, payout } = self;
        let mut links = vec![("a preview", 3600, preview)];
        for (name, lifetime, caller, path, pointer) in [
            ("a document", 60, &owner, format!("/api/onboarding/document?url={document}"), "/url"),
            ("an export", 600, &owner, format!("/api/bff/exports/{export}"), "/data/url"),
            ("a payout, for its merchant", 600, &owner, format!("/api/bff/payouts/{payout}/file"), "/data/url"),
            ("a payout", 600, &root, format!("/api/admin/payouts/{payout}/file"), "/data/url"),
            ("an application", 600, &root, "/api/admin/merchants/m-draft".to_owned(), "/data/profile/documents/0/link"),
        ] {
            links.push((name, lifetime, caller.get(&path).await.text(pointer)));
        }
        links
    }
}
