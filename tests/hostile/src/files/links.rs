//! Signed links: each opens one file with a plain GET, for as long as it says.

use jiff::SignedDuration;
use serde_json::json;
use shared::clock::{Clock, later};
use shared::files::FileType;
use world::ApiResponse;

use super::formats::{pdf, png};
use super::{Portal, UPLOAD, header, open};
use crate::report::Report;
use crate::shop::upload;
use crate::texts::{filled, lists};
use crate::wire;

/// A link, and what it opens.
struct Link {
    name: &'static str,
    url: String,
    /// In seconds.
    lifetime: i64,
    content: Vec<u8>,
    disposition: String,
}

/// What has links: a document by its address, a document of another merchant by its key, and others by their ids.
struct Files {
    document: String,
    other_key: String,
    export: String,
    payout: String,
}

/// Returns the number of tricks.
pub(super) async fn attack(portal: &Portal, report: &Report) -> usize {
    let files = Files::make(portal).await;
    let mut count = 0;
    for link in files.links(portal).await {
        let opened = open(&link.url).await;
        if !link.opens(&opened) || !header(&opened, "content-disposition").starts_with("attachment; filename=\"") {
            report.breach(format!("the link to {} was answered with {opened:?}", link.name));
        }
        for (name, method, url, headers) in tricks(&link.url, &files) {
            count += 1;
            let Some(answer) = wire::send(method, &url, &headers).await else { continue };
            if (200..300).contains(&answer.status) && !(method == "GET" && link.opens(&answer)) {
                report.breach(format!("{name} of {}: {method} {url} gave {answer:?}", link.name));
            }
        }
        if !link.opens(&open(&link.url).await) {
            report.breach(format!("the file of {} was changed through its link", link.name));
        }
    }
    count + expiry(portal, &files, report).await
}

impl Link {
    /// Whether this is the file, or a part of it, as it is always served.
    fn opens(&self, answer: &ApiResponse) -> bool {
        let is_content = match answer.status {
            200 => answer.bytes == self.content,
            206 => super::position(&self.content, &answer.bytes).is_some(),
            _ => false,
        };
        is_content && header(answer, "content-disposition") == self.disposition
    }
}

impl Files {
    async fn make(portal: &Portal) -> Self {
        let owner = &portal.owners[0];
        let document = upload(owner, UPLOAD, "a.pdf", &pdf::plain()).await;
        let other_key = upload(&portal.owners[1], UPLOAD, "a.png", &png::plain()).await.text("/key");
        let app = portal.system.local.app();
        // What no link may open, under keys that a changed link could name.
        for key in ["payouts/secret.csv", "m-0/secret.csv", "secret"] {
            app.documents().put_as(key, "secret".into(), "text/csv").await.unwrap();
        }
        // The same key in the bucket of images, which is another file.
        app.files().put_as(&document.text("/key"), "secret".into(), FileType::Pdf.content_type()).await.unwrap();
        let day =
            |days: i64| later(Clock::system().now(), SignedDuration::from_hours(24 * days)).strftime("%Y-%m-%d").to_string();
        let orders = json!({"kind": "orders", "from": day(-30), "to": day(1)});
        let export = owner.post("/api/bff/exports", &orders).await.text("/data/id");
        let root = portal.system.sign_in("u-root").await;
        root.post_with_key("/api/admin/payouts", "hostile", &json!({"merchantId": "m-0"})).await.ok();
        portal.finish_jobs().await;
        let payout = owner.get("/api/bff/payouts").await.text("/data/payouts/0/id");
        Self { document: document.text("/url"), other_key, export, payout }
    }

    /// Fresh links to all kinds of files.
    async fn links(&self, portal: &Portal) -> Vec<Link> {
        let [owner, root, draft] =
            [portal.system.sign_in("u-0").await, portal.system.sign_in("u-root").await, portal.system.sign_in("u-draft").await];
        let of_draft = upload(&draft, UPLOAD, "a.pdf", &pdf::plain()).await.text("/url");
        let application = json!({"isDraft": true, "documents": [{"type": "REGISTRATION", "url": of_draft, "name": "a"}]});
        draft.post("/api/onboarding/submit", &application).await.ok();
        let preview = upload(&owner, UPLOAD, "a.pdf", &pdf::plain()).await;
        let read = async |caller: &world::Caller, path: &str, id: &str| caller.get(&path.replace("{id}", id)).await;
        let mut links = Vec::new();
        for (name, lifetime, answer, pointer) in [
            ("a document", 60, read(&owner, "/api/onboarding/document?url={id}", &self.document).await, "/url"),
            ("an export", 600, read(&owner, "/api/bff/exports/{id}", &self.export).await, "/data/url"),
            ("a payout, for its merchant", 600, read(&owner, "/api/bff/payouts/{id}/file", &self.payout).await, "/data/url"),
            ("a payout", 600, read(&root, "/api/admin/payouts/{id}/file", &self.payout).await, "/data/url"),
            ("an application", 600, read(&root, "/api/admin/merchants/{id}", "m-draft").await, "/data/profile/documents/0/link"),
            ("a preview", 3600, preview, "/previewUrl"),
        ] {
            let url = answer.text(pointer);
            let opened = open(&url).await;
            let disposition = header(&opened, "content-disposition").to_owned();
            links.push(Link { name, url, lifetime, content: opened.bytes, disposition });
        }
        links
    }
}

/// A name, a method, a URL, and headers.
type Trick = (&'static str, &'static str, String, Vec<(&'static str, &'static str)>);

fn tricks(url: &str, files: &Files) -> Vec<Trick> {
    let lists = lists(include_str!("tricks.json"));
    let (address, query) = url.split_once('?').unwrap();
    let (host, bucket_and_key) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let (bucket, key) = bucket_and_key.split_once('/').unwrap();
    let origin = format!("http://{host}");
    let (folder, file) = key.rsplit_once('/').unwrap();
    let values = [("other", &*files.other_key), ("key", key), ("folder", folder), ("file", file)];
    let mut keys: Vec<String> = filled(&lists["keysOfLinks"], &values).collect();
    keys.extend(["%2D", "%2d", "%252D"].map(|dash| key.replace('-', dash)));
    keys.extend(["M-0", "m-1"].map(|merchant| key.replace("m-0", merchant)));
    keys.extend([
        key.to_uppercase(),
        key.replace(".csv", ".CSV").replace(".pdf", ".PDF"),
        format!("%{:02x}{}", key.as_bytes()[0], &key[1..]),
        key[..key.len() - 1].to_owned(),
    ]);
    let get = |name: &'static str, url: String| (name, "GET", url, vec![]);
    let mut tricks: Vec<Trick> = Vec::new();
    tricks.extend(keys.iter().map(|key| get("another key", format!("{origin}/{bucket}/{key}?{query}"))));
    let buckets = lists["buckets"].iter().filter(|other| *other != bucket);
    tricks.extend(buckets.map(|bucket| get("another bucket", format!("{origin}/{bucket}/{key}?{query}"))));
    let methods = ["HEAD", "PUT", "DELETE", "POST", "PATCH", "OPTIONS", "COPY", "get"];
    tricks.extend(methods.map(|method| ("another method", method, url.to_owned(), vec![])));
    for added in &lists["parameters"] {
        let changed = [format!("{query}&{added}"), format!("{added}&{query}")];
        tricks.extend(changed.map(|query| get("an added parameter", format!("{address}?{query}"))));
    }
    let pairs: Vec<&str> = query.split('&').collect();
    for (index, pair) in pairs.iter().enumerate() {
        let (name, value) = pair.split_once('=').unwrap();
        let without = [&pairs[..index], &pairs[index + 1..]].concat().join("&");
        let changed = match name {
            "X-Amz-Expires" => "604800".to_owned(),
            "X-Amz-Date" => "20380101T000000Z".to_owned(),
            "X-Amz-Credential" => value.replace("eu-west-1", "us-east-1"),
            "X-Amz-SignedHeaders" => "host%3Brange".to_owned(),
            "X-Amz-Signature" => value.chars().rev().collect(),
            "X-Amz-Algorithm" => "AWS4-HMAC-SHA1".to_owned(),
            _ => format!("{value}x"),
        };
        tricks.extend([
            get("a missing parameter", format!("{address}?{without}")),
            get("a renamed parameter", format!("{address}?{without}&{}={value}", name.to_lowercase())),
            get("an empty parameter", format!("{address}?{without}&{name}=")),
            get("a changed parameter", format!("{address}?{without}&{name}={changed}")),
        ]);
    }
    let (url, by_host) = (url.to_owned(), format!("{origin}/{key}?{query}"));
    tricks.extend([
        ("the bucket as host", "GET", by_host.clone(), vec![("Host", "portal-images.localhost")]),
        ("the host of another bucket", "GET", by_host, vec![("Host", "portal-files.localhost")]),
        ("another host", "GET", url.clone(), vec![("Host", "localhost")]),
        ("an added deletion", "DELETE", format!("{url}&versionId=null"), vec![]),
        ("an added upload", "POST", format!("{url}&uploads"), vec![]),
        ("an added part", "PUT", format!("{url}&uploadId=1&partNumber=1"), vec![]),
        get("no signature", address.to_owned()),
        get("a fragment", format!("{url}#a")),
        ("a range", "GET", url.clone(), vec![("Range", "bytes=0-3")]),
        ("a range of everything", "GET", url.clone(), vec![("Range", "bytes=0-0,2-3,5-")]),
        ("another method by header", "GET", url.clone(), vec![("X-HTTP-Method-Override", "DELETE")]),
        ("a copy", "PUT", url.clone(), vec![("x-amz-copy-source", "/portal-files/payouts/secret.csv")]),
        ("an access list", "PUT", format!("{url}&acl"), vec![("x-amz-acl", "public-read")]),
        ("a session beside it", "GET", address.to_owned(), vec![("Authorization", "AWS anonymous:")]),
    ]);
    tricks
}

/// For how many seconds a link says that it is good.
fn lifetime(url: &str) -> Option<i64> {
    url.split('&').find_map(|pair| pair.strip_prefix("X-Amz-Expires=")?.parse().ok())
}

/// Links that are signed by clocks of earlier: just before the end of their lives, and just after.
async fn expiry(portal: &Portal, files: &Files, report: &Report) -> usize {
    let mut count = 0;
    for seconds in [60, 600, 3600] {
        for (age, is_alive) in [(seconds - 30, true), (seconds + 1, false), (seconds + 86_400, false)] {
            portal.shift.set(-age);
            for link in files.links(portal).await.iter().filter(|link| link.lifetime == seconds) {
                count += 1;
                let status = open(&link.url).await.status;
                if status != if is_alive { 200 } else { 403 } || lifetime(&link.url) != Some(seconds) {
                    report.breach(format!("the link to {} is answered with {status} after {age} s: {}", link.name, link.url));
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
