//! Asks for links to documents with addresses that could be taken for those of one's own.

use std::collections::BTreeMap;

use http::Method;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};

use crate::effort::Effort;
use crate::report::Report;
use crate::system::{Answer, System};

const DOCUMENT: &str = "/api/onboarding/document";
const FOLDER: &str = "/onboarding/documents/";
const OWN: &str = "m-1";

/// Merchants whose ids or folders resemble one another.
const MERCHANTS: [&str; 12] =
    [OWN, "m-2", "m-10", "M-1", "m-1/../m-2", "m-1%2F", "..", ".", "exports", "payouts", "public", "å m-1"];

/// Who asks, and whether they may have the documents of [`OWN`].
struct Caller {
    name: &'static str,
    token: Option<String>,
    reads_own: bool,
    /// A platform administrator, who may have those of all merchants.
    reads_all: bool,
    /// Its merchant, if it is not [`OWN`].
    merchant: &'static str,
}

pub(crate) async fn run(effort: Effort) -> Report {
    let mut report = Report::new("links");
    let system = System::start(&fixtures()).await;
    let documents = documents(&system).await;
    let callers = callers(&system).await;
    let own = documents.iter().find(|document| document.merchant == OWN).unwrap();
    let (mut asked, mut granted) = (0, 0);
    let tricks = tricks(own, &documents);
    for caller in &callers {
        check_honest(&system, caller, &documents, &mut report).await;
        for (index, query) in tricks.iter().enumerate() {
            // Of those who may have nothing at all, only some are asked for in the quick part.
            if effort.quick && !(caller.reads_own || caller.merchant == "m-2") && !index.is_multiple_of(8) {
                continue;
            }
            asked += 1;
            let answer = ask(&system, caller, query).await;
            if answer.status == 200 {
                granted += 1;
            }
            if let Some(breach) = breach_of(caller, query, &answer, &documents, &system).await {
                report.breach(format!("{} asks with {query:?}: {breach}", caller.name));
            }
        }
    }
    report.count(tricks.len(), "tricks");
    report.count(callers.len(), "callers");
    report.count(asked, "requests");
    report.count(granted, "links to what the caller may read");
    report
}

fn fixtures() -> Value {
    let merchant =
        |(index, id): (usize, &&str)| json!({"id": id, "slug": format!("shop-{index}"), "name": "Shop", "status": "DRAFT"});
    let administrators = MERCHANTS.iter().enumerate().map(|(index, id)| {
        json!({"id": format!("u-{index}"), "email": format!("u-{index}@shop.example"), "merchantId": id,
               "merchantTeamRole": "ADMIN"})
    });
    let others = json!([
        {"id": "u-viewer", "email": "viewer@shop.example", "merchantId": OWN, "merchantTeamRole": "VIEWER"},
        {"id": "u-pos", "email": "pos@shop.example", "merchantId": OWN, "permissions": ["portal.pos"]},
        {"id": "u-nobody", "email": "nobody@shop.example"},
        {"id": "u-root", "email": "root@portal.example", "isAdmin": true},
        {"id": "u-linked", "email": "linked@portal.example", "isAdmin": true, "merchantId": "m-2", "merchantTeamRole": "VIEWER"},
    ]);
    let users: Vec<Value> = administrators.chain(others.as_array().unwrap().iter().cloned()).collect();
    json!({"merchants": MERCHANTS.iter().enumerate().map(merchant).collect::<Vec<_>>(), "users": users})
}

/// An uploaded document.
struct Document {
    merchant: &'static str,
    url: String,
    key: String,
    content: Vec<u8>,
}

/// A document of each merchant, and files that are none.
async fn documents(system: &System) -> Vec<Document> {
    let mut documents = Vec::new();
    for (index, merchant) in MERCHANTS.into_iter().enumerate() {
        let token = system.sign_in(&format!("u-{index}")).await;
        let content = format!("%PDF-1.7 of {merchant}").into_bytes();
        let form =
            [b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n", &content[..], b"\r\n--b--\r\n"];
        let request = system.request(Method::POST, "/api/onboarding/upload").bearer_auth(token).body(form.concat());
        let answer = system.send(request.header("content-type", "multipart/form-data; boundary=b")).await.unwrap().json();
        let [url, key] = ["url", "key"].map(|name| answer[name].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned());
        documents.push(Document { merchant, url, key, content });
    }
    let app = system.local.app();
    for key in ["payouts/a.csv", "exports/m-1/a.csv", "m-1/private/a.pdf", "a.pdf", "segments/m-1/a"] {
        for files in [app.documents(), app.files()] {
            files.put_as(key, "secret".into(), "text/csv").await.unwrap();
        }
    }
    documents
}

async fn callers(system: &System) -> Vec<Caller> {
    let mut callers = Vec::new();
    for (name, user, reads_own, reads_all, merchant) in [
        ("an administrator", "u-0", true, false, OWN),
        ("a viewer", "u-viewer", true, false, OWN),
        ("a member who only sells", "u-pos", false, false, OWN),
        ("another merchant", "u-1", false, false, "m-2"),
        ("a merchant with a longer id", "u-2", false, false, "m-10"),
        ("a merchant with a path as id", "u-4", false, false, "m-1/../m-2"),
        ("a merchant with an encoded slash in its id", "u-5", false, false, "m-1%2F"),
        ("a merchant with dots as id", "u-6", false, false, ".."),
        ("a user without a merchant", "u-nobody", false, false, ""),
        ("a platform administrator", "u-root", true, true, ""),
        ("a platform administrator with a merchant", "u-linked", true, true, "m-2"),
    ] {
        callers.push(Caller { name, token: Some(system.sign_in(user).await), reads_own, reads_all, merchant });
    }
    callers.push(Caller { name: "a till", token: Some(till(system).await), reads_own: false, reads_all: false, merchant: "" });
    let ended = system.sign_in("u-0").await;
    let request = system.request(Method::DELETE, "/api/auth/session").bearer_auth(&ended);
    assert_eq!(system.send(request).await.unwrap().status, 200);
    callers.push(Caller { name: "an ended session", token: Some(ended), reads_own: false, reads_all: false, merchant: "" });
    callers.push(Caller { name: "nobody", token: None, reads_own: false, reads_all: false, merchant: "" });
    callers
}

/// The token of a paired till.
async fn till(system: &System) -> String {
    let administrator = system.sign_in("u-0").await;
    let made = json!({"name": "Counter", "retailStoreId": "1"});
    let request = |path: &str, body: &Value| {
        system.request(Method::POST, path).header("content-type", "application/json").body(body.to_string())
    };
    let made = system.send(request("/api/auth/tills", &made).bearer_auth(administrator)).await.unwrap().json();
    let paired =
        system.send(request("/api/auth/tills/pairing", &json!({"code": made["data"]["pairingCode"]}))).await.unwrap().json();
    paired["data"]["token"].as_str().unwrap_or_else(|| panic!("{made} {paired}")).to_owned()
}

async fn ask(system: &System, caller: &Caller, query: &str) -> Answer {
    let request = system.request(Method::GET, &format!("{DOCUMENT}?{query}"));
    let request = match &caller.token {
        Some(token) => request.bearer_auth(token),
        None => request,
    };
    system.send(request).await.unwrap_or_else(|error| panic!("no response to {query}: {error}"))
}

/// Whether the documents that uploads have named are given to those who may have them, and to nobody else.
async fn check_honest(system: &System, caller: &Caller, documents: &[Document], report: &mut Report) {
    for document in documents {
        let may_read =
            if document.merchant == OWN { caller.reads_own } else { caller.reads_all || caller.reads(document.merchant) };
        let answer = ask(system, caller, &query_of(&document.url)).await;
        if (answer.status == 200) != may_read {
            report
                .breach(format!("{} is answered with {} for a document of {:?}", caller.name, answer.status, document.merchant));
        }
    }
}

impl Caller {
    /// Whether they are a member of another merchant than [`OWN`] who may read its documents.
    fn reads(&self, merchant: &str) -> bool {
        self.merchant == merchant && merchant != OWN
    }

    fn may_open(&self, merchant: &str) -> bool {
        self.reads_all || self.reads(merchant) || merchant == OWN && self.reads_own
    }
}

/// What is wrong with an answer. A link must be for a key that the address names, in a folder that the caller may read, and must
/// open nothing else.
async fn breach_of(caller: &Caller, query: &str, answer: &Answer, documents: &[Document], system: &System) -> Option<String> {
    if answer.status != 200 {
        let is_refusal = matches!(answer.status, 400 | 401 | 403) && !answer.body.windows(9).any(|part| part == b"X-Amz-Sig");
        return (!is_refusal).then(|| format!("was answered with {} {}", answer.status, answer.body.escape_ascii()));
    }
    let link = answer.json()["url"].as_str().unwrap_or_default().to_owned();
    let (path, signed) = link.strip_prefix("http://").and_then(|rest| rest.split_once('/')?.1.split_once('?'))?;
    let Some(path) = path.strip_prefix("portal-files/") else { return Some(format!("a link to another bucket: {link}")) };
    let key = percent_decode_str(path).decode_utf8().ok()?.into_owned();
    let named = url_of(query);
    let of_query = named.split_once(".amazonaws.com/").map(|(_, path)| percent_decode_str(path).decode_utf8_lossy().into_owned());
    if of_query.as_deref() != Some(&*key) {
        return Some(format!("a link to {key:?}, which is not what was named"));
    }
    let (folder, file) = key.split_once(FOLDER)?;
    let merchant = percent_decode_str(folder).decode_utf8().ok()?.into_owned();
    let is_in_folder =
        !folder.contains('/') && !folder.trim_matches('.').is_empty() && !file.contains(['/', '\\', '%']) && file.len() > 37;
    if !is_in_folder || !caller.may_open(&merchant) {
        return Some(format!("a link to {key:?}"));
    }
    let parameters: BTreeMap<&str, &str> = signed.split('&').filter_map(|pair| pair.split_once('=')).collect();
    if parameters.get("X-Amz-Expires") != Some(&"60") || parameters.get("X-Amz-SignedHeaders") != Some(&"host") {
        return Some(format!("a link that is signed otherwise: {link}"));
    }
    let opened = system.send(world::client().get(&link)).await.ok()?;
    let expected = documents.iter().find(|document| document.key == key).map(|document| &document.content);
    let is_right = match expected {
        Some(content) => opened.status == 200 && opened.body == *content,
        None => matches!(opened.status, 403 | 404),
    };
    (!is_right).then(|| format!("a link that opens with {} {}", opened.status, opened.body.escape_ascii()))
}

fn query_of(url: &str) -> String {
    format!("url={}", utf8_percent_encode(url, NON_ALPHANUMERIC))
}

/// The first `url` of a query, decoded as forms are.
fn url_of(query: &str) -> String {
    let decoded = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    let mut pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.find(|(name, _)| decoded(name) == "url").map(|(_, value)| decoded(value)).unwrap_or_default()
}

/// Queries with addresses that are not those of an upload.
#[expect(clippy::too_many_lines, reason = "a list")]
fn tricks(own: &Document, all: &[Document]) -> Vec<String> {
    let url = &own.url;
    let host = "portal-files.s3.eu-west-1.amazonaws.com";
    let key = &own.key;
    let of = |merchant: &str| all.iter().find(|document| document.merchant == merchant).unwrap();
    let (other, longer) = (of("m-2"), of("m-10"));
    let (folder, file) = key.rsplit_once('/').unwrap();
    let other_file = other.key.rsplit('/').next().unwrap();
    let at = |host: &str| format!("https://{host}/{key}");
    let keyed = |key: &str| format!("https://{host}/{key}");
    let mut urls = vec![
        // Schemes.
        url.replace("https:", "http:"),
        url.replace("https:", "HTTPS:"),
        url.replace("https:", "s3:"),
        url.replace("https://", "https:"),
        url.replace("https://", "https:///"),
        url.replace("https://", "https:\\\\"),
        url.replace("https://", "//"),
        url.replace("https:", "file:"),
        url.replace("https:", "data:"),
        url.replace("https:", "javascript:"),
        format!("s3://portal-files/{key}"),
        format!("arn:aws:s3:::portal-files/{key}"),
        key.clone(),
        format!("/{key}"),
        format!(" {url}"),
        format!("\t{url}"),
        format!("\n{url}"),
        format!("\u{feff}{url}"),
        format!("\0{url}"),
        format!("<{url}>"),
        // Hosts.
        at("PORTAL-FILES.s3.eu-west-1.amazonaws.com"),
        at("portal-files.S3.EU-WEST-1.AMAZONAWS.COM"),
        at(&format!("{host}.")),
        at(&format!("{host}:443")),
        at(&format!("{host}:80")),
        at(&format!("{host}:")),
        at(&format!("user@{host}")),
        at(&format!("user:password@{host}")),
        at(&format!("{host}@evil.example")),
        at(&format!("{host}%40evil.example")),
        at(&format!("{host}.evil.example")),
        at(&format!("evil.example#{host}")),
        at(&format!("evil.example/{host}")),
        at(&format!("evil.example?{host}")),
        at(&format!("evil.example\\{host}")),
        at("portal-files.s3.amazonaws.com.evil.example"),
        at("portal-files.s3.us-east-1.amazonaws.com"),
        at("portal-files.s3-eu-west-1.amazonaws.com"),
        at("portal-files.s3.dualstack.eu-west-1.amazonaws.com"),
        at("portal-files.s3-accelerate.amazonaws.com"),
        at("portal-files.s3-accelerate.dualstack.amazonaws.com"),
        at("portal-files.s3-website-eu-west-1.amazonaws.com"),
        at("portal-files.s3-website.eu-west-1.amazonaws.com"),
        at("portal-files.s3-fips.eu-west-1.amazonaws.com"),
        at("portal-files.s3.eu-west-1.amazonaws.com.cn"),
        at("portal-files-123456789012.s3-accesspoint.eu-west-1.amazonaws.com"),
        at("portal-files.mrap.accesspoint.s3-global.amazonaws.com"),
        at("portal-files.s3-object-lambda.eu-west-1.amazonaws.com"),
        at("portal-files--euw1-az1--x-s3.s3express-euw1-az1.eu-west-1.amazonaws.com"),
        at("portal-files2.s3.eu-west-1.amazonaws.com"),
        at("portal-file.s3.eu-west-1.amazonaws.com"),
        at("xportal-files.s3.eu-west-1.amazonaws.com"),
        at("a.portal-files.s3.eu-west-1.amazonaws.com"),
        at("portal-search.s3.eu-west-1.amazonaws.com"),
        at("portal-files.s3..amazonaws.com"),
        at("s3.eu-west-1.amazonaws.com/portal-files"),
        at("s3.amazonaws.com/portal-files"),
        at("s3-eu-west-1.amazonaws.com/portal-files"),
        at("portal-files%2es3.eu-west-1.amazonaws.com"),
        at("portal\u{2010}files.s3.eu-west-1.amazonaws.com"),
        at("portal-files。s3.eu-west-1.amazonaws.com"),
        at("ｐortal-files.s3.eu-west-1.amazonaws.com"),
        at("xn--portal-files.s3.eu-west-1.amazonaws.com"),
        at("portal-fıles.s3.eu-west-1.amazonaws.com"),
        at("127.0.0.1"),
        at("[::1]"),
        at("0x7f000001"),
        at("169.254.169.254"),
        at("localhost:4567/portal-files"),
        at(""),
        at("portal-files"),
        at(&format!("{host}\t")),
        at(&format!("{host}\r\n")),
        at(&format!("{host}\0")),
        at("portal-files.s3.eu-west-1.amazonaws.com/portal-images"),
        // Queries and fragments.
        format!("{url}?versionId=null"),
        format!("{url}?versionId=1"),
        format!("{url}?X-Amz-Signature=a&X-Amz-Expires=604800"),
        format!("{url}?"),
        format!("{url}?response-content-type=text/html"),
        format!("{url}?acl"),
        format!("{url}?uploads"),
        format!("{url}#"),
        format!("{url}#a"),
        format!("{url}%3FversionId=null"),
        format!("{url}%23a"),
        format!("{url}&acl"),
        format!("{url};a"),
        format!("{url}%3Facl"),
        // Paths to another merchant's document.
        keyed(&other.key),
        keyed(&longer.key),
        keyed(&format!("{folder}/../../../{}", other.key)),
        keyed(&format!("m-1/../{}", other.key)),
        keyed(&format!("m-1/%2e%2e/{}", other.key)),
        keyed(&format!("m-1/%2E%2E%2F{}", other.key)),
        keyed(&format!("m-1/%252e%252e/{}", other.key)),
        keyed(&format!("m-1%2F..%2F{}", other.key)),
        keyed(&format!("m-1%252F..%252Fm-2{FOLDER}{other_file}")),
        keyed(&format!("m-1\\..\\{}", other.key)),
        keyed(&format!("m-1%5C..%5C{}", other.key)),
        keyed(&format!("m-1;/../{}", other.key)),
        keyed(&format!("m-1/..;/{}", other.key)),
        keyed(&format!("m-1/..%00/{}", other.key)),
        keyed(&format!("m-1/.../{}", other.key)),
        keyed(&format!("m-1//{}", other.key)),
        keyed(&format!("{folder}/{}", other.key)),
        keyed(&format!("{folder}/{}", other.key.replace('/', "%2F"))),
        keyed(&format!("/{}", other.key)),
        keyed(&format!("./{}", other.key)),
        keyed(&format!("m-1/onboarding/documents/{other_file}/../../../../{}", other.key)),
        keyed(&format!("m-1%00{}", other.key)),
        keyed(&format!("{}%00{}", other.key, key)),
        keyed(&other.key.replace("m-2", "m-1/m-2")),
        keyed(&other.key.replace("m-2", "m-1,m-2")),
        keyed(&other.key.replace("m-2", "%6d-2")),
        keyed(&other.key.replace("m-2", "m%2d2")),
        keyed(&other.key.replace("m-2", "M-2")),
        keyed(&other.key.replace("m-2", "ｍ-2")),
        keyed(&other.key.replace("m-2", "m-2%20")),
        keyed(&key.replace("m-1", "m-10")),
        keyed(&key.replace("m-1", "m-")),
        keyed(&key.replace("m-1", "m-1%2F")),
        keyed(&key.replace("m-1", "M-1")),
        keyed(&key.replace("m-1", "*")),
        keyed(&key.replace("m-1", "")),
        keyed(&key.replace("m-1", ".")),
        keyed(&key.replace("m-1", "..")),
        keyed(&key.replace("m-1", "%2E%2E")),
        keyed(&key.replace("m-1", "%252E%252E")),
        // Paths that are not those of documents.
        keyed("payouts/a.csv"),
        keyed("exports/m-1/a.csv"),
        keyed("m-1/private/a.pdf"),
        keyed("a.pdf"),
        keyed("segments/m-1/a"),
        keyed(""),
        keyed("/"),
        keyed("m-1/"),
        keyed("m-1/onboarding/"),
        keyed(&format!("{folder}/")),
        keyed(folder),
        keyed("public/gift-cards/designs/a.png"),
        keyed(&format!("public/gift-cards/designs/{file}")),
        keyed(&format!("{folder}/../documents/{file}")),
        keyed(&format!("{folder}/./{file}")),
        keyed(&format!("{folder}//{file}")),
        keyed(&format!("{folder}/a/{file}")),
        keyed(&format!("{folder}/{file}/")),
        keyed(&format!("{folder}/{file}/a")),
        keyed(&format!("{folder}/../../../payouts/a.csv")),
        keyed(&format!("{folder}/{}..%2F..%2F..%2F..%2Fpayouts%2Fa.csv", &file[..37])),
        keyed(&format!("{folder}/{}", file.to_uppercase())),
        keyed(&format!("{folder}/{}", &file[..36])),
        keyed(&format!("{folder}/{}", &file[..37])),
        keyed(&format!("{folder}/{}", file.replace(".pdf", ".pdf%00.png"))),
        keyed(&format!("{folder}/{file}%0d%0aX-A:%20b")),
        keyed(&format!("{folder}/{file} ")),
        keyed(&format!("{folder}/{file}.")),
        keyed(&format!("{folder}/{file}%2e")),
        keyed(&format!("{folder}/%ff{file}")),
        keyed(&format!("{folder}/a-{file}")),
        keyed(&key.replace("/onboarding/", "/Onboarding/")),
        keyed(&key.replace("/documents/", "/documents2/")),
        keyed(&key.replace("/documents/", "%2Fdocuments%2F")),
        keyed(&key.replace("documents", "private")),
        keyed(&key.replace('/', "%252F")),
        keyed(&key.replace('/', "\\")),
        keyed(&key.replace('/', "\u{2215}")),
        // Which are the same address after all, or one of an own document that does not exist.
        url.clone(),
        url.replace(".eu-west-1.", "."),
        keyed(&key.replace('/', "%2F")),
        keyed(&key.replace('-', "%2D")),
        keyed(&key.replace("m-1", "%6D-1")),
        url.replace("portal-files", "portal-images"),
        keyed(&format!("{folder}/{other_file}")),
        url.replace(".pdf", ".png"),
        url.replace(".pdf", ""),
        // Other values.
        String::new(),
        " ".to_owned(),
        "null".to_owned(),
        "undefined".to_owned(),
        "%".to_owned(),
        "https://".to_owned(),
        "a".repeat(8_000),
        format!("{url}{}", "a".repeat(4_000)),
        format!("{url},{}", other.url),
        format!("{url} {}", other.url),
        format!("[\"{url}\"]"),
        format!("{{\"url\":\"{url}\"}}"),
    ];
    urls.extend(all.iter().map(|document| document.url.clone()));
    urls.extend(all.iter().map(|document| keyed(&format!("{folder}/../../../{}", document.key))));
    let mut queries: Vec<String> = urls.iter().map(|url| query_of(url)).collect();
    let [own, other] = [url, &other.url].map(|url| utf8_percent_encode(url, NON_ALPHANUMERIC).to_string());
    queries.extend([
        format!("url={own}&url={other}"),
        format!("url={other}&url={own}"),
        format!("url[]={other}"),
        format!("url%5B%5D={other}"),
        format!("URL={other}"),
        format!("url.={other}"),
        format!("url={own};url={other}"),
        format!("url={}", other.replace('%', "%25")),
        format!("url={own}&merchantId=m-2"),
        format!("merchantId=m-2&url={other}"),
        format!("url={own}&key={other}"),
        format!("%75rl={other}"),
        "url".to_owned(),
        String::new(),
        "url=%zz".to_owned(),
        "url=%ff%fe".to_owned(),
        format!("url={own}%00"),
        format!("url=%00{other}"),
        format!("url={own}%0d%0aHost:%20evil.example"),
        format!("url={other}&isAdmin=true"),
    ]);
    queries
}
