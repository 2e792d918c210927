//! Names of files, and headers of the parts of a form that carry them.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use world::SeededRandom;

/// Names that would leave their folder, break a header or mean something to a system.
pub(super) fn all() -> Vec<String> {
    let mut names: Vec<String> = serde_json::from_str(include_str!("names.json")).unwrap();
    names.extend([
        "a".repeat(300) + ".png",
        format!("a.{}", "e".repeat(300)),
        "é".repeat(300) + ".png",
        "../".repeat(100) + "a.png",
        ".".repeat(300),
        "\u{1f600}".repeat(75),
    ]);
    names
}

/// What becomes of a name in a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// As [`Arrival::MayBreak`], and unless it has quotes or backslashes.
    AsItIs,
    Changed,
    /// Its control characters can make the form invalid.
    MayBreak,
    /// The form may be refused.
    Odd,
}

/// How a name stands in the headers of a part of a form: what it is called, what becomes of the name, and the headers, each with its line
/// end. They are made of the name, and of the name when it is percent-encoded.
pub(super) type Spelling = (&'static str, Arrival, fn(&str, &str) -> String);

pub(super) const SPELLINGS: [Spelling; 13] = [
    ("quoted", Arrival::MayBreak, |name, _| file(&format!("filename=\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))),
    // As browsers do, unless it has quotes.
    ("raw", Arrival::AsItIs, |name, _| file(&format!("filename=\"{name}\""))),
    ("token", Arrival::MayBreak, |name, _| file(&format!("filename={name}"))),
    // Forms have no extended parameters (RFC 7578).
    ("extended", Arrival::Changed, |_, encoded| file(&format!("filename*=UTF-8''{encoded}"))),
    ("encoded word", Arrival::Changed, |name, _| file(&format!("filename=\"=?UTF-8?B?{}?=\"", BASE64_STANDARD.encode(name)))),
    ("twice", Arrival::Changed, |_, it| file(&format!("filename=\"a.png\"; filename=\"{it}\"; FILENAME=\"{it}\""))),
    ("extended twice", Arrival::Changed, |_, it| file(&format!("filename*=UTF-8''{it}; filename*=UTF-8''{it}.html"))),
    ("both", Arrival::Changed, |_, encoded| file(&format!("filename=\"a.png\"; filename*=UTF-8'en'{encoded}"))),
    ("continued", Arrival::Changed, |_, it| file(&format!("filename*0*=UTF-8''{it}; filename*1*={it}"))),
    ("unknown charset", Arrival::Changed, |_, encoded| file(&format!("filename=\"a.png\"; filename*=koi8-r''{encoded}"))),
    ("single quotes", Arrival::Changed, |_, encoded| file(&format!("filename='{encoded}'"))),
    ("content type", Arrival::Changed, |_, it| file("filename=\"a\"") + &format!("Content-Type: image/png; name=\"{it}\"\r\n")),
    ("second header", Arrival::Odd, |_, encoded| {
        file("filename=\"a\"") + &format!("Content-Disposition: form-data; name=\"other\"; filename*=UTF-8''{encoded}\r\n")
    }),
];

fn file(file_name: &str) -> String {
    format!("Content-Disposition: form-data; name=\"file\"; {file_name}\r\n")
}

pub(super) fn headers((_, _, headers): Spelling, name: &str) -> String {
    let encoded = name.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
    headers(name, &encoded)
}

/// What a part says about its content, which counts for nothing.
pub(super) const CLAIMS: [&str; 15] = [
    "",
    "Content-Type: image/png\r\n",
    "Content-Type: image/svg+xml\r\n",
    "Content-Type: text/html; charset=utf-16\r\n",
    "Content-Type: application/pdf\r\n",
    "Content-Type: application/octet-stream\r\n",
    "Content-Type: multipart/mixed; boundary=inner\r\n",
    "Content-Type: image/png\r\nContent-Type: text/html\r\n",
    "Content-Type: \r\n",
    "Content-Type: image/../../html\r\n",
    "Content-Transfer-Encoding: base64\r\nContent-Type: image/gif\r\n",
    "Content-Encoding: gzip\r\n",
    "Content-Location: http://evil.example/a.html\r\nContent-ID: <a>\r\n",
    "X-Amz-Meta-Merchant: m-2\r\nx-amz-acl: public-read\r\n",
    "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
];

pub(super) fn random_headers(names: &[String], random: &mut SeededRandom) -> String {
    let name = random.pick(names).clone();
    // Others can make a part that is no file.
    let wanted = *random.pick(&["single quotes", "both", "unknown charset", "twice"]);
    let spelling = SPELLINGS.iter().find(|(spelling, ..)| *spelling == wanted).unwrap();
    let claim = *random.pick(&CLAIMS);
    headers(*spelling, &name) + claim
}
