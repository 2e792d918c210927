//! Published images: no other file can be had through their address, and one that was taken down cannot be had at all.

use reqwest::Method;
use serde_json::{Value, json};
use shared::domain::ids::MerchantId;
use shared::files::FileType;
use world::{ApiResponse, Caller};

use super::formats::{pdf, png};
use super::{DESIGNS, IMAGE, MEDIA, Portal, UPLOAD, header, open};
use crate::report::Report;
use crate::shop::upload;
use crate::texts::{Lists, filled, lists};
use crate::wire;

const TAKE_DOWN: &str = "/api/admin/media";

/// Returns the number of tricks.
pub(super) async fn attack(portal: &Portal, report: &Report) -> usize {
    let lists = lists(include_str!("tricks.json"));
    other_files(portal, &lists, report).await
        + forbidden_removals(portal, &lists, report).await
        + removed(portal, &lists, report).await
}

async fn publish(portal: &Portal) -> String {
    upload(&portal.owners[0], MEDIA, "a.png", &png::plain()).await.text("/data/key")
}

/// Asks for an image with a query that is sent as it is. `None` if it cannot even be read.
async fn ask(portal: &Portal, method: &str, query: &str, headers: &[(&str, &str)]) -> Option<ApiResponse> {
    let path = IMAGE.split_once('?').unwrap().0;
    wire::send(method, &format!("{}{path}?{query}", portal.system.local.listening.api), headers).await
}

/// Spellings of a key that could be taken for another one.
fn spellings(key: &str, lists: &Lists) -> Vec<String> {
    let file = key.strip_prefix(DESIGNS).unwrap().trim_start_matches('/');
    let every = |key: &str| key.bytes().map(|byte| format!("%{byte:02x}")).collect::<Vec<_>>().concat();
    let values = [("key", key), ("designs", DESIGNS), ("file", file)];
    let computed = [
        every(key),
        every(&every(key)),
        key.to_uppercase(),
        format!("{DESIGNS}/{}", file.to_uppercase()),
        key.replacen('-', "%2d", 1),
        key.replace('-', "%E2%80%90"),
        key.replace('/', "%E2%88%95"),
        key.replace(".png", "%2Epng"),
    ];
    filled(&lists["spellings"], &values).chain(computed).collect()
}

/// Keys of what is no published image.
async fn other_files(portal: &Portal, lists: &Lists, report: &Report) -> usize {
    let app = portal.system.local.app();
    let document = upload(&portal.owners[0], UPLOAD, "a.pdf", &pdf::plain()).await.text("/key");
    let id = "0199c1f2-7a3b-7c4d-8e5f-0123456789ab";
    let values: [(&str, &str); 5] = [
        ("document", &*document),
        ("designs", DESIGNS),
        ("id", id),
        ("ID", &id.to_uppercase()),
        ("idWithoutDashes", &id.replace('-', "")),
    ];
    for key in filled(&lists["stored"], &values) {
        for files in [app.files(), app.documents()] {
            files.put_as(&key, "secret".into(), "text/html").await.unwrap();
        }
    }
    let mut count = 0;
    for key in filled(&lists["stored"], &values).chain(filled(&lists["notStored"], &values)) {
        for key in [key.clone(), key.replace('/', "%2F"), key.replace('/', "%252F"), format!("/{key}")] {
            count += 1;
            let Some(answer) = ask(portal, "GET", &format!("key={key}"), &[]).await else { continue };
            if !matches!(answer.status, 400 | 404) || answer.contains("secret") {
                report.breach(format!("the key {key:?} of no image was answered with {answer:?}"));
            }
        }
    }
    count
}

/// Who may not take an image down, and what is none.
async fn forbidden_removals(portal: &Portal, lists: &Lists, report: &Report) -> usize {
    let system = &portal.system;
    let key = publish(portal).await;
    let document = upload(&portal.owners[0], UPLOAD, "a.pdf", &pdf::plain()).await;
    let body = |key: &str| json!({"key": key, "reason": "none"});
    portal.shift.set(-16 * 60);
    let stale = system.sign_in("u-root").await;
    portal.shift.set(0);
    let mut count = 0;
    let mut refuse = async |who: &str, caller: &Caller, method: Method, body: &Value, statuses: &[u16]| {
        count += 1;
        let request = caller.request(method.clone(), TAKE_DOWN).header("content-type", "application/json").body(body.to_string());
        let answer = world::send(request).await.unwrap();
        if !statuses.contains(&answer.status) {
            report.breach(format!("{who} takes {body} down by {method}: {answer:?}"));
        }
    };
    for (who, caller, status) in [
        ("nobody", system.anonymous(), 401),
        ("an unknown session", system.with_token("a.b.c"), 401),
        ("the owner", portal.owners[0].clone(), 403),
        ("another merchant", portal.owners[1].clone(), 403),
        ("a viewer", system.sign_in("u-viewer").await, 403),
        ("a till", system.sign_in("u-till").await, 403),
        ("an administrator of its own", system.sign_in("u-linked").await, 403),
        ("an administrator who signed in a while ago", stale, 403),
    ] {
        refuse(who, &caller, Method::DELETE, &body(&key), &[status]).await;
        refuse(who, &caller, Method::POST, &body(&key), &[401, 403, 404, 405]).await;
        refuse(who, &caller, Method::PUT, &body(&key), &[401, 403, 404, 405]).await;
    }
    let root = system.sign_in("u-root").await;
    let mut others: Vec<String> = spellings(&key, lists).into_iter().filter(|spelling| *spelling != key).collect();
    others.extend([&*document.text("/key"), "", "public/gift-cards/designs/", "*", "payouts/a.csv"].map(str::to_owned));
    for other in &others {
        refuse("an administrator", &root, Method::DELETE, &body(other), &[400, 404]).await;
    }
    for body in
        [json!({"key": key}), json!({"key": [key], "reason": "a"}), json!({"key": key, "reason": ""}), json!([]), Value::Null]
    {
        refuse("an administrator", &root, Method::DELETE, &body, &[400]).await;
    }
    portal.finish_jobs().await;
    let link = portal.owners[0].get(&format!("/api/onboarding/document?url={}", document.text("/url"))).await.text("/url");
    if portal.image(&key).await.status != 200 || open(&link).await.status != 200 {
        report.breach("a file is gone, though nobody was allowed to take it down");
    }
    count
}

/// An image that was taken down, in every way that it could be asked for.
async fn removed(portal: &Portal, lists: &Lists, report: &Report) -> usize {
    let files = portal.system.local.app().files();
    let owner = MerchantId::new("m-0");
    let key = publish(portal).await;
    let longer = format!("{key}.png");
    // The key has a second version.
    for key in [&longer, &key] {
        files.put_image(key, png::plain().into(), FileType::Png, &owner).await.unwrap();
    }
    let image = portal.image(&key).await;
    let e_tag = header(&image, "etag");
    let (plain, weak) = (format!("key={key}"), format!("W/{e_tag}"));
    let headers: [&[(&str, &str)]; 9] = [
        &[],
        &[("If-None-Match", e_tag)],
        &[("If-None-Match", "*")],
        &[("If-None-Match", &weak)],
        &[("If-Modified-Since", "Fri, 01 Jan 2038 00:00:00 GMT")],
        &[("Range", "bytes=0-7")],
        &[("Range", "bytes=0-7"), ("If-Range", e_tag)],
        &[("Cache-Control", "only-if-cached")],
        &[("Accept", "text/html")],
    ];
    let mut count = 0;
    let mut is_gone = async |when: &str| {
        let asked = headers.map(|headers| ("GET", plain.clone(), headers)).into_iter();
        let methods = ["HEAD", "POST", "PUT", "DELETE", "PATCH"].map(|method| (method, plain.clone(), headers[0]));
        let spelled = spellings(&key, lists).into_iter().map(|spelling| ("GET", format!("key={spelling}"), headers[0]));
        for (method, query, headers) in asked.chain(methods).chain(spelled) {
            count += 1;
            let Some(answer) = ask(portal, method, &query, headers).await else { continue };
            let is_refused = match method {
                "GET" => matches!(answer.status, 400 | 404),
                _ => matches!(answer.status, 403..=405),
            };
            let cached = header(&answer, "cache-control");
            let is_kept = cached.contains("max-age=3") || cached.contains("immutable") || !header(&answer, "etag").is_empty();
            if !is_refused || is_kept || answer.contains("IHDR") {
                report.breach(format!("{when}: {method} {query} {headers:?} was answered with {answer:?}"));
            }
        }
    };
    let root = portal.system.sign_in("u-root").await;
    let take_down = root.request(Method::DELETE, TAKE_DOWN).header("content-type", "application/json");
    Caller::send_request(take_down.body(json!({"key": key, "reason": "hostile"}).to_string())).await.ok();
    is_gone("at once").await;
    portal.finish_jobs().await;
    is_gone("after its file was deleted").await;
    if files.image_owner(&key).await.unwrap().is_some() || files.image_owner(&longer).await.unwrap().is_none() {
        report.breach("the wrong file was deleted");
    }
    let again = publish(portal).await;
    if again == key || portal.image(&again).await.status != 200 {
        report.breach(format!("the same file again has the key {again}"));
    }
    is_gone("after the same file was uploaded again").await;
    files.put_image(&key, png::plain().into(), FileType::Png, &owner).await.unwrap();
    is_gone("after an object was put under its key").await;
    portal.shift.set(400 * 86_400);
    is_gone("after a year").await;
    portal.shift.set(0);
    count
}
