//! Published images: no other file can be had through their address, and one that was taken down cannot be had at all.

use http::Method;
use serde_json::{Value, json};
use shared::domain::ids::MerchantId;
use shared::files::FileType;

use super::formats::{pdf, png};
use super::{DESIGNS, IMAGE, MEDIA, Portal, UPLOAD, header, text, wire};
use crate::report::Report;
use crate::system::Answer;

const TAKE_DOWN: &str = "/api/admin/media";

/// Returns the number of tricks.
pub(super) async fn attack(portal: &Portal, report: &mut Report) -> usize {
    other_files(portal, report).await + forbidden_removals(portal, report).await + removed(portal, report).await
}

async fn publish(portal: &Portal) -> String {
    let answer = portal.upload(&portal.tokens[0], MEDIA, &png::plain()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    text(&answer.json()["data"], "key")
}

/// Asks for an image with a query that is sent as it is.
async fn ask(portal: &Portal, method: Method, query: &str, headers: &[(&str, &str)]) -> Answer {
    let path = IMAGE.split_once('?').unwrap().0;
    wire::send(method, &format!("{}{path}?{query}", portal.system.local.listening.api), headers).await
}

/// Spellings of a key that could be taken for another one.
fn spellings(key: &str) -> Vec<String> {
    let file = key.strip_prefix(DESIGNS).unwrap();
    let every = |key: &str| key.bytes().map(|byte| format!("%{byte:02x}")).collect::<Vec<_>>().concat();
    let designs = DESIGNS.trim_end_matches('/');
    [
        key.to_owned(),
        every(key),
        every(&every(key)),
        format!("/{key}"),
        format!("./{key}"),
        format!("//{key}"),
        format!("{key}/"),
        format!("{key}%00"),
        format!("{key}%20"),
        format!("+{key}"),
        format!("{key}."),
        format!("{key}%0a"),
        format!("%EF%BB%BF{key}"),
        format!("{designs}//{file}"),
        format!("{designs}/./{file}"),
        format!("{designs}/../designs/{file}"),
        format!("{designs}%5C{file}"),
        format!("{designs}\\{file}"),
        format!("{designs}%2F{file}"),
        format!("{designs}%252F{file}"),
        key.to_uppercase(),
        format!("{DESIGNS}{}", file.to_uppercase()),
        key.replace("public", "Public"),
        key.replacen('-', "%2d", 1),
        key.replace('-', "%E2%80%90"),
        key.replace('/', "%E2%88%95"),
        key.replace(".png", "%2Epng"),
        format!("https://portal-images.s3.eu-west-1.amazonaws.com/{key}"),
        format!("portal-images/{key}"),
        format!("{key}&key={key}"),
        format!("x&key={key}"),
        format!("{key}?versionId=null"),
        format!("{key}%3FversionId=null"),
        format!("{key}%23a"),
        format!("{key}&versionId=null"),
    ]
    .into()
}

/// Keys of what is no published image.
async fn other_files(portal: &Portal, report: &mut Report) -> usize {
    let app = portal.system.local.app();
    let document = text(&portal.upload(&portal.tokens[0], UPLOAD, &pdf::plain()).await.json(), "key");
    let id = "0199c1f2-7a3b-7c4d-8e5f-0123456789ab";
    let mut keys = vec![
        document.clone(),
        "payouts/a.csv".to_owned(),
        "exports/m-0/a.csv".to_owned(),
        "segments/m-0/a".to_owned(),
        "a".to_owned(),
        format!("m-0/onboarding/documents/{id}-a.png"),
        "public/gift-cards/a.png".to_owned(),
        "public/a.png".to_owned(),
        format!("public/gift-cards/designs2/{id}-a.png"),
        format!("public/gift-cards/{id}-a.png"),
        format!("{DESIGNS}a.png"),
        format!("{DESIGNS}{id}"),
        format!("{DESIGNS}{id}-"),
        format!("{DESIGNS}{id}-a/b.png"),
        format!("{DESIGNS}x/{id}-a.png"),
        format!("{DESIGNS}{}-a.png", id.to_uppercase()),
        format!("{DESIGNS}{}-a.png", id.replace('-', "")),
        format!("{DESIGNS}{{{id}}}-a.png"),
        format!("{DESIGNS}{id}-å.png"),
        format!("{DESIGNS}{id}-..png"),
        format!("{DESIGNS}{id}-.png"),
    ];
    for key in &keys {
        for files in [app.files(), app.documents()] {
            files.put_as(key, "secret".into(), "text/html").await.unwrap();
        }
    }
    keys.extend(
        ["", "%", "%zz", "..", "../../etc/passwd", "public/gift-cards/designs/", "public%2f..%2fpayouts%2fa.csv"]
            .map(str::to_owned),
    );
    keys.push(format!("{DESIGNS}../../../{document}"));
    keys.push(format!("{DESIGNS}{id}-a.png/../../../../payouts/a.csv"));
    keys.push(format!("{DESIGNS}{id}-..%2f..%2f..%2f..%2fpayouts%2fa.csv"));
    let mut count = 0;
    for key in &keys {
        for key in [key.clone(), key.replace('/', "%2F"), key.replace('/', "%252F"), format!("/{key}")] {
            count += 1;
            let answer = ask(portal, Method::GET, &format!("key={key}"), &[]).await;
            if !matches!(answer.status, 0 | 400 | 404) || super::position(&answer.body, b"secret").is_some() {
                report.breach(format!("the key {key:?} of no image was answered with {answer:?}"));
            }
        }
    }
    count
}

/// Who may not take an image down, and what is none.
async fn forbidden_removals(portal: &Portal, report: &mut Report) -> usize {
    let key = publish(portal).await;
    let document = text(&portal.upload(&portal.tokens[0], UPLOAD, &pdf::plain()).await.json(), "key");
    let body = |key: &str| json!({"key": key, "reason": "none"});
    portal.shift.set(-16 * 60);
    let stale = portal.system.sign_in("u-root").await;
    portal.shift.set(0);
    let mut count = 0;
    for (user, token, status) in [
        ("nobody", String::new(), 401),
        ("an unknown session", "a.b.c".to_owned(), 401),
        ("the owner", portal.tokens[0].clone(), 403),
        ("another merchant", portal.tokens[1].clone(), 403),
        ("a viewer", portal.system.sign_in("u-viewer").await, 403),
        ("a till", portal.system.sign_in("u-till").await, 403),
        ("an administrator of its own", portal.system.sign_in("u-linked").await, 403),
        ("an administrator who signed in a while ago", stale, 403),
    ] {
        for method in [Method::DELETE, Method::POST, Method::PUT] {
            count += 1;
            let answer = portal.write(method.clone(), &token, TAKE_DOWN, &body(&key)).await;
            let is_refused =
                if method == Method::DELETE { answer.status == status } else { matches!(answer.status, 401 | 403..=405) };
            if !is_refused {
                report.breach(format!("{user} takes an image down by {method}: {answer:?}"));
            }
        }
    }
    let root = portal.system.sign_in("u-root").await;
    let spelled: Vec<String> = spellings(&key).into_iter().filter(|spelling| *spelling != key).collect();
    for key in spelled.into_iter().chain([
        document.clone(),
        String::new(),
        DESIGNS.to_owned(),
        "*".to_owned(),
        "payouts/a.csv".to_owned(),
    ]) {
        count += 1;
        let answer = portal.write(Method::DELETE, &root, TAKE_DOWN, &body(&key)).await;
        if !matches!(answer.status, 400 | 404) {
            report.breach(format!("{key:?} is taken down: {answer:?}"));
        }
    }
    for body in
        [json!({"key": key}), json!({"key": [key], "reason": "a"}), json!({"key": key, "reason": ""}), json!([]), Value::Null]
    {
        count += 1;
        let answer = portal.write(Method::DELETE, &root, TAKE_DOWN, &body).await;
        if answer.status != 400 {
            report.breach(format!("{body} was answered with {answer:?}"));
        }
    }
    portal.settle().await;
    let link = format!("/api/onboarding/document?url=https://portal-files.s3.eu-west-1.amazonaws.com/{document}");
    let link = text(&portal.get(&portal.tokens[0], &link).await.json(), "url");
    if portal.image(&key).await.status != 200 || portal.open(&link).await.status != 200 {
        report.breach("a file is gone, though nobody was allowed to take it down".to_owned());
    }
    count
}

/// An image that was taken down, in every way that it could be asked for.
async fn removed(portal: &Portal, report: &mut Report) -> usize {
    let files = portal.system.local.app().files();
    let owner = MerchantId::new("m-0");
    let key = publish(portal).await;
    let longer = format!("{key}.png");
    files.put_image(&longer, png::plain().into(), FileType::Png, &owner).await.unwrap();
    // A second version.
    files.put_image(&key, png::plain().into(), FileType::Png, &owner).await.unwrap();
    let before = portal.image(&key).await;
    assert_eq!(before.status, 200, "{before:?}");
    let e_tag = header(&before, "etag");
    let root = portal.system.sign_in("u-root").await;
    let body = json!({"key": key, "reason": "hostile"});
    let mut count = 0;
    let mut is_gone = async |when: &str, report: &mut Report| {
        let weak = format!("W/{e_tag}");
        let headers: [Vec<(&str, &str)>; 9] = [
            vec![],
            vec![("If-None-Match", &e_tag)],
            vec![("If-None-Match", "*")],
            vec![("If-None-Match", &weak)],
            vec![("If-Modified-Since", "Fri, 01 Jan 2038 00:00:00 GMT")],
            vec![("Range", "bytes=0-7")],
            vec![("Range", "bytes=0-7"), ("If-Range", &e_tag)],
            vec![("Cache-Control", "only-if-cached")],
            vec![("Accept", "text/html")],
        ];
        let method = |name: &str| Method::from_bytes(name.as_bytes()).unwrap();
        let plain = format!("key={key}");
        let asked = headers.iter().map(|headers| (Method::GET, plain.clone(), headers.clone()));
        let methods = ["HEAD", "POST", "PUT", "DELETE", "PATCH"].map(|name| (method(name), plain.clone(), vec![]));
        let spelled = spellings(&key).into_iter().map(|spelling| (Method::GET, format!("key={spelling}"), vec![]));
        for (method, query, headers) in asked.chain(methods).chain(spelled) {
            count += 1;
            let answer = ask(portal, method.clone(), &query, &headers).await;
            let is_refused = match method {
                Method::GET => matches!(answer.status, 0 | 400 | 404),
                _ => matches!(answer.status, 403..=405),
            };
            let is_kept =
                header(&answer, "cache-control").contains("max-age=3") || header(&answer, "cache-control").contains("immutable");
            if !is_refused || is_kept || super::position(&answer.body, b"IHDR").is_some() || !header(&answer, "etag").is_empty() {
                report.breach(format!("{when}: {method} {query} {headers:?} was answered with {answer:?}"));
            }
        }
    };
    let taken_down = portal.write(Method::DELETE, &root, TAKE_DOWN, &body).await;
    assert_eq!(taken_down.status, 200, "{taken_down:?}");
    is_gone("at once", report).await;
    portal.settle().await;
    is_gone("after its file was deleted", report).await;
    if files.image_owner(&key).await.unwrap().is_some() || files.image_owner(&longer).await.unwrap().is_none() {
        report.breach("the wrong file was deleted".to_owned());
    }
    let again = publish(portal).await;
    if again == key || portal.image(&again).await.status != 200 {
        report.breach(format!("the same file again has the key {again}"));
    }
    is_gone("after the same file was uploaded again", report).await;
    files.put_image(&key, png::plain().into(), FileType::Png, &owner).await.unwrap();
    is_gone("after an object was put under its key", report).await;
    portal.shift.set(400 * 86_400);
    is_gone("after a year", report).await;
    portal.shift.set(0);
    count
}
