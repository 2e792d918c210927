//! Signed links: each opens one file with a plain GET, for as long as it says.

use http::Method;
use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::clock::{Clock, later};
use shared::files::FileType;

use super::formats::{pdf, png};
use super::{Portal, UPLOAD, header, text, wire};
use crate::report::Report;
use crate::system::Answer;

/// A link, and what it opens.
struct Link {
    name: &'static str,
    url: String,
    /// In seconds.
    lifetime: i64,
    content: Vec<u8>,
    disposition: String,
}

/// What has links.
struct Files {
    document: Value,
    other_document: Value,
    export: String,
    payout: String,
}

/// Returns the number of tricks.
pub(super) async fn attack(portal: &Portal, report: &mut Report) -> usize {
    let files = Files::make(portal).await;
    let links = files.links(portal).await;
    let mut count = 0;
    for link in &links {
        let opened = portal.open(&link.url).await;
        if !link.opens(&opened) || !header(&opened, "content-disposition").starts_with("attachment; filename=\"") {
            report.breach(format!("the link to {} was answered with {opened:?}", link.name));
        }
        for trick in tricks(&link.url, &files) {
            count += 1;
            let answer = wire::send(trick.method.clone(), &trick.url, &trick.headers).await;
            if (200..300).contains(&answer.status) && !(trick.method == Method::GET && link.opens(&answer)) {
                report.breach(format!("{} of {}: {} {} gave {answer:?}", trick.name, link.name, trick.method, trick.url));
            }
        }
        if !link.opens(&portal.open(&link.url).await) {
            report.breach(format!("the file of {} was changed through its link", link.name));
        }
    }
    count + expiry(portal, &files, report).await
}

impl Link {
    /// Whether this is the file, or a part of it, as it is always served.
    fn opens(&self, answer: &Answer) -> bool {
        let is_content = match answer.status {
            200 => answer.body == self.content,
            206 => super::position(&self.content, &answer.body).is_some(),
            _ => false,
        };
        is_content && header(answer, "content-disposition") == self.disposition
    }
}

impl Files {
    async fn make(portal: &Portal) -> Self {
        let token = &portal.tokens[0];
        let document = portal.upload(token, UPLOAD, &pdf::plain()).await.json();
        let other_document = portal.upload(&portal.tokens[1], UPLOAD, &png::plain()).await.json();
        // What no link may open, under keys that a changed link could name.
        let documents = portal.system.local.app().documents();
        for key in ["payouts/secret.csv", "m-0/secret.csv", "secret"] {
            documents.put_as(key, "secret".into(), "text/csv").await.unwrap();
        }
        // The same key in the bucket of images, which is another file.
        let key = text(&document, "key");
        portal.system.local.app().files().put_as(&key, "secret".into(), FileType::Pdf.content_type()).await.unwrap();
        let now = Clock::system().now();
        let day = |days: i64| later(now, SignedDuration::from_hours(24 * days)).strftime("%Y-%m-%d").to_string();
        let body = json!({"kind": "orders", "from": day(-30), "to": day(1)});
        let export = portal.write(Method::POST, token, "/api/bff/exports", &body).await;
        assert_eq!(export.status, 202, "{export:?}");
        let root = portal.system.sign_in("u-root").await;
        let run = portal.write(Method::POST, &root, "/api/admin/payouts", &json!({"merchantId": "m-0"})).await;
        assert_eq!(run.status, 202, "{run:?}");
        portal.settle().await;
        let payouts = portal.get(token, "/api/bff/payouts").await.json();
        let payout = text(&payouts["data"]["payouts"][0], "id");
        let export = text(&export.json()["data"], "id");
        Self { document, other_document, export, payout }
    }

    /// Fresh links to all kinds of files.
    async fn links(&self, portal: &Portal) -> Vec<Link> {
        let token = portal.system.sign_in("u-0").await;
        let root = portal.system.sign_in("u-root").await;
        let draft = portal.system.sign_in("u-draft").await;
        let preview = portal.upload(&token, UPLOAD, &pdf::plain()).await.json();
        let document = format!("/api/onboarding/document?url={}", text(&self.document, "url"));
        let of_draft = portal.upload(&draft, UPLOAD, &pdf::plain()).await.json();
        let application =
            json!({"isDraft": true, "documents": [{"type": "REGISTRATION", "url": text(&of_draft, "url"), "name": "a"}]});
        let submitted = portal.write(Method::POST, &draft, "/api/onboarding/submit", &application).await;
        assert_eq!(submitted.status, 200, "{submitted:?}");
        let mut links = Vec::new();
        for (name, lifetime, answer, pointer) in [
            ("a document", 60, portal.get(&token, &document).await, "/url"),
            ("an export", 600, portal.get(&token, &format!("/api/bff/exports/{}", self.export)).await, "/data/url"),
            (
                "a payout, for its merchant",
                600,
                portal.get(&token, &format!("/api/bff/payouts/{}/file", self.payout)).await,
                "/data/url",
            ),
            ("a payout", 600, portal.get(&root, &format!("/api/admin/payouts/{}/file", self.payout)).await, "/data/url"),
            (
                "a document of an application",
                600,
                portal.get(&root, "/api/admin/merchants/m-draft").await,
                "/data/profile/documents/0/link",
            ),
        ] {
            let url = answer.json().pointer(pointer).and_then(Value::as_str).map(str::to_owned);
            let url = url.unwrap_or_else(|| panic!("no link to {name}: {}", answer.body.escape_ascii()));
            links.push((name, lifetime, url));
        }
        links.push(("a preview", 3600, text(&preview, "previewUrl")));
        let mut opened = Vec::new();
        for (name, lifetime, url) in links {
            let answer = portal.open(&url).await;
            let (content, disposition) = (answer.body.clone(), header(&answer, "content-disposition"));
            opened.push(Link { name, url, lifetime, content, disposition });
        }
        opened
    }
}

struct Trick {
    name: String,
    method: Method,
    url: String,
    headers: Vec<(&'static str, &'static str)>,
}

#[expect(clippy::too_many_lines, reason = "a list")]
fn tricks(url: &str, files: &Files) -> Vec<Trick> {
    let (address, query) = url.split_once('?').unwrap();
    let (origin, bucket_and_key) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let (bucket, key) = bucket_and_key.split_once('/').unwrap();
    let origin = format!("http://{origin}");
    let (folder, file) = key.rsplit_once('/').unwrap();
    let mut tricks = Vec::new();
    let mut add = |name: &str, method: Method, url: String, headers: Vec<(&'static str, &'static str)>| {
        tricks.push(Trick { name: name.to_owned(), method, url, headers });
    };
    let other = text(&files.other_document, "key");
    let keys = [
        other.clone(),
        "payouts/secret.csv".to_owned(),
        "m-0/secret.csv".to_owned(),
        "secret".to_owned(),
        String::new(),
        folder.to_owned(),
        format!("{folder}/"),
        format!("{key}/"),
        format!("{key}%00"),
        format!("{key}.bak"),
        format!("/{key}"),
        format!("./{key}"),
        format!("{folder}//{file}"),
        format!("{folder}/./{file}"),
        format!("{folder}/../{folder}/{file}"),
        format!("{key}/../../../secret"),
        format!("{key}/%2e%2e/%2e%2e/secret"),
        format!("{key}%2f..%2f..%2fsecret"),
        format!("{folder}%2F{file}"),
        format!("{folder}%252F{file}"),
        format!("{folder}\\{file}"),
        format!("{folder}%5C{file}"),
        key.to_uppercase(),
        key.replace("m-0", "M-0"),
        key.replace('-', "%2D"),
        key.replace('-', "%2d"),
        key.replace('-', "%252D"),
        key.replace(".csv", ".CSV").replace(".pdf", ".PDF"),
        format!("{key};a"),
        format!("{key}%20"),
        format!("{key}%0d%0a"),
        format!("%{:02x}{}", key.as_bytes()[0], &key[1..]),
        key.replace("m-0", "m-1"),
        key[..key.len() - 1].to_owned(),
    ];
    for changed in keys {
        add("another key", Method::GET, format!("{origin}/{bucket}/{changed}?{query}"), vec![]);
    }
    for changed in ["portal-images", "portal-search", "portal-files2", "Portal-Files", "", ".versions", "portal-files%2F.."] {
        if changed != bucket {
            add("another bucket", Method::GET, format!("{origin}/{changed}/{key}?{query}"), vec![]);
        }
    }
    add("the bucket as host", Method::GET, format!("{origin}/{key}?{query}"), vec![("Host", "portal-images.localhost")]);
    add("another host", Method::GET, url.to_owned(), vec![("Host", "localhost")]);
    add("the host of another bucket", Method::GET, format!("{origin}/{key}?{query}"), vec![("Host", "portal-files.localhost")]);
    for method in ["HEAD", "PUT", "DELETE", "POST", "PATCH", "OPTIONS", "COPY", "get"] {
        add("another method", Method::from_bytes(method.as_bytes()).unwrap(), url.to_owned(), vec![]);
    }
    for added in [
        "versionId=null",
        "versionId=1",
        "response-content-type=text%2Fhtml",
        "response-content-disposition=inline",
        "acl",
        "tagging",
        "uploads",
        "uploadId=1",
        "partNumber=1",
        "list-type=2",
        "versions",
        "torrent",
        "x-id=DeleteObject",
        "X-Amz-Expires=604800",
        "X-Amz-Signature=0",
        "X-Amz-SignedHeaders=host",
        "prefix=payouts%2F",
        "attributes",
        "retention",
        "legal-hold",
        "policy",
        "a=b",
    ] {
        for changed in [format!("{query}&{added}"), format!("{added}&{query}")] {
            add("an added parameter", Method::GET, format!("{address}?{changed}"), vec![]);
        }
    }
    add("an added deletion", Method::DELETE, format!("{address}?{query}&versionId=null"), vec![]);
    add("an added upload", Method::POST, format!("{address}?{query}&uploads"), vec![]);
    add("an added part", Method::PUT, format!("{address}?{query}&uploadId=1&partNumber=1"), vec![]);
    let pairs: Vec<&str> = query.split('&').collect();
    for (index, pair) in pairs.iter().enumerate() {
        let (name, value) = pair.split_once('=').unwrap();
        let without: Vec<&str> = pairs.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, pair)| *pair).collect();
        let without = without.join("&");
        add("a missing parameter", Method::GET, format!("{address}?{without}"), vec![]);
        add("a renamed parameter", Method::GET, format!("{address}?{without}&{}={value}", name.to_lowercase()), vec![]);
        add("an empty parameter", Method::GET, format!("{address}?{without}&{name}="), vec![]);
        let changed = match name {
            "X-Amz-Expires" => "604800".to_owned(),
            "X-Amz-Date" => "20380101T000000Z".to_owned(),
            "X-Amz-Credential" => value.replace("eu-west-1", "us-east-1"),
            "X-Amz-SignedHeaders" => "host%3Brange".to_owned(),
            "X-Amz-Signature" => value.chars().rev().collect(),
            "X-Amz-Algorithm" => "AWS4-HMAC-SHA1".to_owned(),
            _ => format!("{value}x"),
        };
        add("a changed parameter", Method::GET, format!("{address}?{without}&{name}={changed}"), vec![]);
    }
    add("no signature", Method::GET, address.to_owned(), vec![]);
    add("a fragment", Method::GET, format!("{url}#a"), vec![]);
    add("a range", Method::GET, url.to_owned(), vec![("Range", "bytes=0-3")]);
    add("a range of everything", Method::GET, url.to_owned(), vec![("Range", "bytes=0-0,2-3,5-")]);
    add("another method by header", Method::GET, url.to_owned(), vec![("X-HTTP-Method-Override", "DELETE")]);
    add("a copy", Method::PUT, url.to_owned(), vec![("x-amz-copy-source", "/portal-files/payouts/secret.csv")]);
    add("an access list", Method::PUT, format!("{url}&acl"), vec![("x-amz-acl", "public-read")]);
    add("a session beside it", Method::GET, address.to_owned(), vec![("Authorization", "AWS anonymous:")]);
    tricks
}

/// Links that are signed by clocks of earlier: just before the end of their lives, and just after.
async fn expiry(portal: &Portal, files: &Files, report: &mut Report) -> usize {
    let mut count = 0;
    for lifetime in [60, 600, 3600] {
        for (age, is_alive) in [(lifetime - 30, true), (lifetime + 1, false), (lifetime + 86_400, false)] {
            portal.shift.set(-age);
            for link in files.links(portal).await.iter().filter(|link| link.lifetime == lifetime) {
                count += 1;
                let answer = portal.open(&link.url).await;
                let opens = answer.status == 200;
                if opens != is_alive || (!is_alive && answer.status != 403) {
                    report.breach(format!("the link to {} is answered with {} after {age} s", link.name, answer.status));
                }
                let says = link.url.split('&').find_map(|pair| pair.strip_prefix("X-Amz-Expires="));
                if says != Some(&*lifetime.to_string()) {
                    report.breach(format!("the link to {} says that it lives {says:?}", link.name));
                }
            }
        }
    }
    // The link to an export does not outlive its file, which is gone a day after it was asked for.
    portal.shift.set(86_400 - 120);
    let token = portal.system.sign_in("u-0").await;
    let export = portal.get(&token, &format!("/api/bff/exports/{}", files.export)).await.json();
    let url = text(&export["data"], "url");
    let expires: Option<i64> = url.split('&').find_map(|pair| pair.strip_prefix("X-Amz-Expires=")?.parse().ok());
    if expires.is_none_or(|seconds| seconds > 120) {
        report.breach(format!("the link to an export outlives it: {url:?}"));
    }
    portal.shift.set(0);
    count + 1
}
