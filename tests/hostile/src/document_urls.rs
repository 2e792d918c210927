//! Asks for links to documents with addresses that could be taken for those of one's own.

use std::collections::BTreeMap;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use reqwest::Method;
use serde_json::{Value, json};
use world::shop::{member, merchant, platform_administrator};
use world::{ApiResponse, Caller, System, client};

use crate::Effort;
use crate::report::Report;
use crate::shop::{paired_till, upload};
use crate::texts::{filled, lists};

const DOCUMENT: &str = "/api/onboarding/document";
const FOLDER: &str = "/onboarding/documents/";
const OWN: &str = "m-1";

/// Merchants whose ids or folders resemble one another. Their administrators are `u-0`, `u-1` …
const MERCHANTS: [&str; 12] =
    [OWN, "m-2", "m-10", "M-1", "m-1/../m-2", "m-1%2F", "..", ".", "exports", "payouts", "public", "å m-1"];

/// Who asks, and whose documents they may have. Administrators of the platform may have all.
struct Asker {
    name: &'static str,
    caller: Caller,
    merchant: &'static str,
}

const ALL: &str = "all";

impl Asker {
    fn may_read(&self, merchant: &str) -> bool {
        self.merchant == ALL || self.merchant == merchant
    }
}

/// An uploaded document.
struct Document {
    merchant: &'static str,
    url: String,
    key: String,
    content: Vec<u8>,
}

pub(crate) async fn run(effort: Effort) -> Report {
    let report = Report::new("links");
    let system = System::with_fixtures(&fixtures()).await;
    let documents = documents(&system).await;
    let askers = askers(&system).await;
    let tricks = tricks(&documents);
    let mut asked = 0;
    for asker in &askers {
        // The documents that uploads have named are given to those who may have them, and to nobody else.
        for document in &documents {
            let status = ask(asker, &query_of(&document.url)).await.status;
            if (status == 200) != asker.may_read(document.merchant) {
                report.breach(format!("{} is answered with {status} for a document of {:?}", asker.name, document.merchant));
            }
        }
        for (index, query) in tricks.iter().enumerate() {
            // Of those who may have nothing at all, only some are asked for in the quick part.
            if effort.quick && ![OWN, "m-2", ALL].contains(&asker.merchant) && !index.is_multiple_of(8) {
                continue;
            }
            asked += 1;
            if let Some(breach) = breach_of(asker, query, &ask(asker, query).await, &documents).await {
                report.breach(format!("{} asks with {query:?}: {breach}", asker.name));
            }
        }
    }
    report.count(tricks.len(), "tricks");
    report.count(askers.len(), "callers");
    report.count(asked, "requests");
    report
}

fn fixtures() -> Value {
    let of_each = |(index, id): (usize, &&str)| {
        let fields = json!({"slug": format!("shop-{index}"), "name": "Shop", "status": "DRAFT", "networkMerchantId": null});
        (
            merchant(id, "", "SEK", &fields),
            member(&format!("u-{index}"), id, &json!({"email": format!("u-{index}@shop.example")})),
        )
    };
    let (merchants, mut users): (Vec<_>, Vec<_>) = MERCHANTS.iter().enumerate().map(of_each).unzip();
    users.extend([
        member("u-viewer", OWN, &json!({"merchantTeamRole": "VIEWER"})),
        member("u-pos", OWN, &json!({"merchantTeamRole": null, "permissions": ["portal.pos"]})),
        json!({"id": "u-nobody", "email": "nobody@shop.example"}),
        platform_administrator("u-root"),
        member("u-linked", "m-2", &json!({"isAdmin": true, "merchantTeamRole": "VIEWER"})),
    ]);
    json!({"merchants": merchants, "users": users})
}

/// A document of each merchant, and files that are none.
async fn documents(system: &System) -> Vec<Document> {
    let mut documents = Vec::new();
    for (index, merchant) in MERCHANTS.into_iter().enumerate() {
        let administrator = system.sign_in(&format!("u-{index}")).await;
        let content = format!("%PDF-1.7 of {merchant}").into_bytes();
        let uploaded = upload(&administrator, "/api/onboarding/upload", "a.pdf", &content).await;
        documents.push(Document { merchant, url: uploaded.text("/url"), key: uploaded.text("/key"), content });
    }
    let app = system.local.app();
    for key in ["payouts/a.csv", "exports/m-1/a.csv", "m-1/private/a.pdf", "a.pdf", "segments/m-1/a"] {
        for files in [app.documents(), app.files()] {
            files.put_as(key, "secret".into(), "text/csv").await.unwrap();
        }
    }
    documents
}

async fn askers(system: &System) -> Vec<Asker> {
    let mut askers = Vec::new();
    for (name, user, merchant) in [
        ("an administrator", "u-0", OWN),
        ("a viewer", "u-viewer", OWN),
        ("a member who only sells", "u-pos", ""),
        ("another merchant", "u-1", "m-2"),
        ("a merchant with a longer id", "u-2", "m-10"),
        ("a merchant with a path as id", "u-4", "m-1/../m-2"),
        ("a merchant with an encoded slash in its id", "u-5", "m-1%2F"),
        ("a merchant with dots as id", "u-6", ".."),
        ("a user without a merchant", "u-nobody", ""),
        ("a platform administrator", "u-root", ALL),
        ("a platform administrator with a merchant", "u-linked", ALL),
    ] {
        askers.push(Asker { name, caller: system.sign_in(user).await, merchant });
    }
    let administrator = system.sign_in("u-0").await;
    let till = paired_till(system, &administrator).await.1;
    let ended = system.sign_in("u-0").await;
    ended.delete("/api/auth/session").await.ok();
    for (name, caller) in [("a till", till), ("an ended session", ended), ("nobody", system.anonymous())] {
        askers.push(Asker { name, caller, merchant: "" });
    }
    askers
}

async fn ask(asker: &Asker, query: &str) -> ApiResponse {
    let request = asker.caller.request(Method::GET, &format!("{DOCUMENT}?{query}"));
    world::send(request).await.unwrap_or_else(|error| panic!("no response to {query}: {error}"))
}

/// What is wrong with an answer. A link must be for a key that the address names, in a folder that the caller may read, and must
/// open nothing else.
async fn breach_of(asker: &Asker, query: &str, response: &ApiResponse, documents: &[Document]) -> Option<String> {
    if response.status != 200 {
        let is_refusal = matches!(response.status, 400 | 401 | 403) && !response.contains("X-Amz-Sig");
        return (!is_refusal).then(|| format!("was answered with {response:?}"));
    }
    let link = response.text("/url");
    let (path, signed) = link.strip_prefix("http://").and_then(|rest| rest.split_once('/')?.1.split_once('?'))?;
    let Some(path) = path.strip_prefix("portal-files/") else { return Some(format!("a link to another bucket: {link}")) };
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let key = decoded(path);
    if url_of(query).split_once(".amazonaws.com/").map(|(_, path)| decoded(path)).as_ref() != Some(&key) {
        return Some(format!("a link to {key:?}, which is not what was named"));
    }
    let (folder, file) = key.split_once(FOLDER)?;
    let is_in_folder =
        !folder.contains('/') && !folder.trim_matches('.').is_empty() && !file.contains(['/', '\\', '%']) && file.len() > 37;
    if !is_in_folder || !asker.may_read(&decoded(folder)) {
        return Some(format!("a link to {key:?}"));
    }
    let parameters: BTreeMap<&str, &str> = signed.split('&').filter_map(|pair| pair.split_once('=')).collect();
    if parameters.get("X-Amz-Expires") != Some(&"60") || parameters.get("X-Amz-SignedHeaders") != Some(&"host") {
        return Some(format!("a link that is signed otherwise: {link}"));
    }
    let opened = world::send(client().get(&link)).await.ok()?;
    let is_right = match documents.iter().find(|document| document.key == key) {
        Some(document) => opened.status == 200 && opened.bytes == document.content,
        None => matches!(opened.status, 403 | 404),
    };
    (!is_right).then(|| format!("a link that opens with {opened:?}"))
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn query_of(url: &str) -> String {
    format!("url={}", encoded(url))
}

/// The first `url` of a query, decoded as forms are.
fn url_of(query: &str) -> String {
    let decoded = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    let mut pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.find(|(name, _)| decoded(name) == "url").map(|(_, value)| decoded(value)).unwrap_or_default()
}

/// Queries with addresses that are not those of an upload, or are spelled in another way.
fn tricks(documents: &[Document]) -> Vec<String> {
    let lists = lists(include_str!("document_urls.json"));
    let of = |merchant: &str| documents.iter().find(|document| document.merchant == merchant).unwrap();
    let (own, other) = (of(OWN), of("m-2"));
    let (folder, file) = own.key.rsplit_once('/').unwrap();
    let host = "https://portal-files.s3.eu-west-1.amazonaws.com";
    let values: [(&str, &str); 10] = [
        ("url", &*own.url),
        ("key", &own.key),
        ("folder", folder),
        ("file", file),
        ("id", &file[..36]),
        ("ID", &file[..36].to_uppercase()),
        ("otherUrl", &other.url),
        ("other", &other.key),
        ("otherFile", other.key.rsplit('/').next().unwrap()),
        ("longer", &of("m-10").key),
    ];
    let mut urls: Vec<String> = filled(&lists["urls"], &values).collect();
    urls.extend(filled(&lists["hosts"], &values).map(|host| format!("https://{host}/{}", own.key)));
    urls.extend(filled(&lists["keys"], &values).map(|key| format!("{host}/{key}")));
    urls.extend([format!("{host}/{}", own.key.replace('-', "%2D")), "a".repeat(8_000), own.url.clone() + &"a".repeat(4_000)]);
    urls.extend(documents.iter().map(|document| document.url.clone()));
    urls.extend(documents.iter().map(|document| format!("{host}/{folder}/../../../{}", document.key)));
    let [own, other] = [&own.url, &other.url].map(|url| encoded(url));
    let values: [(&str, &str); 3] = [("own", &*own), ("another", &other), ("twice", &other.replace('%', "%25"))];
    urls.iter().map(|url| query_of(url)).chain(filled(&lists["queries"], &values)).collect()
}
