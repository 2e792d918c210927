//! Valid requests, and what can be made of them.

use std::io::Write;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use world::{PNG, SeededRandom};

use super::values;
use crate::request::{Content, Request, encoded, form};

/// A request, part by part. Nothing of it needs to be valid.
#[derive(Debug, Clone)]
pub(super) struct Wire {
    pub(super) method: String,
    pub(super) target: String,
    version: &'static str,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) body: Vec<u8>,
    /// The lines before the body and the body as it is sent. `None` for a valid length, if there is a body.
    framing: Option<(String, Vec<u8>)>,
    has_body: bool,
    line_end: &'static str,
    /// How many bytes are sent before the client ends its side of the connection. `None` for all.
    pub(super) cut_at: Option<usize>,
}

impl Wire {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let end = self.line_end;
        let mut bytes = format!("{} {} {}{end}", self.method, self.target, self.version).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend([name.as_bytes(), b": ", value, end.as_bytes()].concat());
        }
        let (lines, body) = match &self.framing {
            Some((lines, body)) => (lines.clone(), body),
            None if self.has_body => (format!("Content-Length: {}{end}", self.body.len()), &self.body),
            None => (String::new(), &self.body),
        };
        bytes.extend([lines.as_bytes(), end.as_bytes(), body].concat());
        bytes.truncate(self.cut_at.unwrap_or(usize::MAX));
        bytes
    }
}

/// Fields of rows that no request may set, except those that requests to a route may have.
static SERVER_OWNED: LazyLock<Vec<(String, Value)>> = LazyLock::new(|| {
    let fields = json!({
        "isAdmin": true, "merchantTeamRole": "ADMIN", "role": "ADMIN", "permissions": ["portal.pos", "merchant.team.invite"],
        "emailVerified": true, "merchantId": "m-another", "networkMerchantId": "1", "settlementMode": "SETTLEMENT_ON_SALE",
        "fees": {"percentBps": 0, "fixedMinor": 0}, "payoutDelayDays": 0, "maxSaleMinor": 999_999_999, "held": false,
        "status": "ACTIVE", "id": "another", "pk": "MERCHANT#m", "sk": "MERCHANT", "ttl": 1, "version": 0,
    });
    fields.as_object().unwrap().clone().into_iter().collect()
});

/// What is done to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mutation {
    Nothing,
    /// One part is unusual.
    Part,
    Fields,
    Text,
    Query,
    Ids,
    Path,
    Headers,
    Type,
    Framing,
    Method,
    Form,
}

impl Mutation {
    /// One that can be made of the request, and nothing now and then.
    pub(super) fn pick(request: &Request, random: &mut SeededRandom) -> Self {
        use Mutation::{Fields, Form, Framing, Headers, Ids, Method, Nothing, Path, Query, Text, Type};
        let of_any = [Nothing, Query, Query, Ids, Path, Headers, Framing, Method];
        let own: &[Self] = match request.content {
            Content::None => &[],
            Content::Json(_) => &[Fields, Fields, Fields, Fields, Fields, Fields, Text, Text, Type],
            Content::UrlEncoded(_) => &[Text, Text, Text, Type],
            Content::Form => &[Form, Form, Form, Form, Type],
        };
        *random.pick(&[&of_any, own].concat())
    }
}

/// A valid request, as bytes to be.
pub(super) fn wire(request: &Request, host: &str, token: Option<&str>) -> Wire {
    let mut headers = vec![("Host".to_owned(), host.into()), ("Connection".to_owned(), b"close".to_vec())];
    headers.extend(token.map(|token| ("Authorization".to_owned(), format!("Bearer {token}").into_bytes())));
    headers.extend(request.headers.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes())));
    let (content_type, body) = match (request.body(), &request.content) {
        (Some((content_type, _)), Content::Json(body)) => (Some(content_type), values::to_text(body).into_bytes()),
        (Some((content_type, body)), _) => (Some(content_type), body),
        (None, _) => (None, Vec::new()),
    };
    let has_body = content_type.is_some();
    headers.extend(content_type.map(|content_type| ("Content-Type".to_owned(), content_type.into_bytes())));
    let (method, target) = (request.method.to_string(), request.target());
    Wire { method, target, version: "HTTP/1.1", headers, body, framing: None, has_body, line_end: "\r\n", cut_at: None }
}

/// Changes the fields of a JSON body.
pub(super) fn change_fields(body: &mut Value, marker: &str, random: &mut SeededRandom) {
    for _ in 0..=random.below(3) {
        let mut pointers = Vec::new();
        collect(body, "", &mut pointers);
        let pointer = random.pick(&pointers).clone();
        let value = values::json(marker, random);
        match (body.pointer_mut(&pointer), random.below(6)) {
            (Some(Value::Object(fields)), 0) => {
                fields.extend([random.pick(&SERVER_OWNED).clone()]);
            }
            (Some(Value::Object(fields)), 1) => {
                fields.insert(values::text(marker, random), value);
            }
            (Some(Value::Object(fields)), 2) => {
                let names: Vec<String> = fields.keys().cloned().collect();
                if !names.is_empty() {
                    fields.remove(random.pick(&names));
                }
            }
            (Some(Value::Array(members)), 0) => members.resize(*random.pick(&[0, 2, 51, 501]), value),
            (Some(place), _) => *place = value,
            (None, _) => {}
        }
    }
}

/// The pointers of all values in a body.
fn collect(value: &Value, pointer: &str, pointers: &mut Vec<String>) {
    pointers.push(pointer.to_owned());
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                collect(value, &format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")), pointers);
            }
        }
        Value::Array(members) => {
            for (number, value) in members.iter().enumerate().take(3) {
                collect(value, &format!("{pointer}/{number}"), pointers);
            }
        }
        _ => {}
    }
}

/// Changes the text of a JSON body.
pub(super) fn change_text(text: &str, marker: &str, random: &mut SeededRandom) -> Vec<u8> {
    let half = text.len() / 2;
    let bytes = text.as_bytes();
    match random.below(16) {
        0 => bytes[..half].to_vec(),
        1 => Vec::new(),
        2 => [b"\xef\xbb\xbf", bytes].concat(),
        3 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        4 => [bytes, b" trailing"].concat(),
        5 => [bytes, bytes].concat(),
        6 => [b"[", bytes, b"]"].concat(),
        7 => [&bytes[..half], b"\xff\xfe", &bytes[half..]].concat(),
        8 => [&bytes[..half], b"\0", &bytes[half..]].concat(),
        // Every field twice.
        9 => match (text.strip_prefix('{'), text.strip_suffix('}')) {
            (Some(rest), Some(start)) if rest.len() > 1 => format!("{start},{rest}").into_bytes(),
            _ => bytes.to_vec(),
        },
        10 => format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)).into_bytes(),
        11 => "{\"a\":".repeat(50_000).into_bytes(),
        12 => format!("{{\"{marker}\": \"{}\"}}", "y".repeat(6 * 1024 * 1024)).into_bytes(),
        13 => format!("\"<b>{marker}\"").into_bytes(),
        14 => bytes.iter().rev().copied().collect(),
        _ => vec![u8::try_from(random.below(256)).unwrap(); 64],
    }
}

/// Other values of the parameters that the route has, and parameters that it has not.
pub(super) fn change_query(request: &mut Request, known: &[&str], marker: &str, random: &mut SeededRandom) {
    for name in known {
        if random.percent(60) {
            request.query.push(((*name).to_owned(), values::text(marker, random)));
        }
    }
    match random.below(5) {
        0 => request.query.push((marker.to_owned(), values::markup(marker, random))),
        1 => request.query.extend((0..1_000).map(|number| (format!("a{number}"), marker.to_owned()))),
        2 => request.query.push((format!("{}[]", known.first().unwrap_or(&"a")), "1".to_owned())),
        _ => {}
    }
}

/// Other spellings of the path, and paths that are none.
pub(super) fn change_target(target: &str, marker: &str, random: &mut SeededRandom) -> String {
    let position = usize::try_from(random.below(i64::try_from(target.len()).unwrap())).unwrap();
    let (start, end) = target.split_at(if target.is_char_boundary(position) { position } else { 0 });
    match random.below(12) {
        0..=5 => format!("{start}{}{end}", values::any("inPaths", random)),
        6 => format!("http://{marker}.example{target}"),
        7 => format!("{target}/{}", encoded(&values::markup(marker, random))),
        8 => format!("{target}?{}", "a".repeat(*random.pick(&[7_000, 60_000, 200_000]))),
        9 => format!("{target}#{marker}"),
        10 => target.to_ascii_uppercase(),
        _ => (*random.pick(&["*", "/", "//", "", "host:80", "\\", "/%", "?", "/api/../__local"])).to_owned(),
    }
}

/// More headers, and others.
pub(super) fn change_headers(wire: &mut Wire, marker: &str, random: &mut SeededRandom) {
    let text = values::text(marker, random);
    let cookie = format!("__Host-portal_session={marker}; __Host-portal_session=2; gc_as=<{marker}>; =; ;");
    let origins = ["null", "https://evil.example", "http://localhost:1", "file://", "<M>"];
    let names = ["Expect", "Upgrade", "Transfer-Encoding", "Content-Length", "X Space", "", ":", "X-\u{e5}", "X-Hmac-Signature"];
    let of_names = ["100-continue", "websocket", "h2c", "-1", "18446744073709551616", ""];
    let added: Vec<(&str, String)> = match random.below(20) {
        0 => vec![("Authorization", "Bearer a.b.c".to_owned())],
        1 => vec![("Authorization", "Basic YTpi".to_owned())],
        2 => vec![("Cookie", cookie)],
        3 => vec![("Idempotency-Key", text)],
        4 => vec![("Idempotency-Key", "1".to_owned()), ("Idempotency-Key", "2".to_owned())],
        5 => vec![("Idempotency-Made-At", text)],
        6 => vec![("X-Expected-Merchant", text)],
        7 => vec![("Pairing-Attempt", text)],
        8 => vec![("Origin", (*random.pick(&origins)).to_owned())],
        9 => vec![("Host", format!("{marker}.example"))],
        10 => vec![("X-Forwarded-For", format!("1.1.1.1, {marker}"))],
        11 => vec![("X-HTTP-Method-Override", "DELETE".to_owned())],
        12 => (0..random.below(300)).map(|number| ("X-Many", format!("{number} {marker}"))).collect(),
        13 => vec![("X-Long", "h".repeat(*random.pick(&[8_000, 60_000, 500_000])))],
        14 => vec![("User-Agent", values::markup(marker, random))],
        15 => vec![("Accept-Encoding", "gzip, br, *;q=0, \u{0}".to_owned())],
        16 => vec![("If-None-Match", format!("\"{marker}\", *, W/"))],
        17 => vec![("Range", "bytes=0-0,-1,5-2".to_owned())],
        18 => return wire.headers.push(("X-Bytes".to_owned(), b"\x80\xff\xfe".to_vec())),
        _ => vec![(*random.pick(&names), (*random.pick(&of_names)).to_owned())],
    };
    wire.headers.extend(added.into_iter().map(|(name, value)| (name.to_owned(), value.into_bytes())));
}

/// Other content types and encodings.
pub(super) fn change_type(wire: &mut Wire, marker: &str, random: &mut SeededRandom) {
    wire.headers.retain(|(name, _)| name != "Content-Type");
    let mut add = |name: &str, value: String| wire.headers.push((name.to_owned(), value.into_bytes()));
    match random.below(9) {
        0 => {}
        1 => add("Content-Type", "text/plain".to_owned()),
        2 => add("Content-Type", "application/x-www-form-urlencoded".to_owned()),
        3 => add("Content-Type", format!("application/json; charset=\"{marker}\"")),
        4 => add("Content-Type", format!("<{marker}>/*; a")),
        5 => {
            add("Content-Type", "application/json".to_owned());
            add("Content-Type", "multipart/form-data; boundary=b".to_owned());
        }
        6 => add("Content-Type", "application/vnd.api+json; charset=utf-16".to_owned()),
        compressed => {
            add("Content-Type", "application/json".to_owned());
            add("Content-Encoding", (*random.pick(&["gzip", "br", "gzip, gzip", "identity, x"])).to_owned());
            // Both zeros without an end and the body itself.
            let content = if compressed == 7 { vec![b' '; 4 * 1024 * 1024] } else { wire.body.clone() };
            let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
            gzip.write_all(&content).unwrap();
            wire.body = gzip.finish().unwrap();
        }
    }
}

/// Bodies that end early, late or never, and requests of two lengths.
pub(super) fn change_framing(wire: &mut Wire, random: &mut SeededRandom) {
    const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";
    let body = wire.body.clone();
    let length = body.len();
    let right = format!("{length:x}");
    let lines = |lines: &str| lines.replace("{length}", &length.to_string()).replace("{more}", &(length + 100).to_string());
    let mut chunked = |of: &str, size: &str| {
        wire.framing = Some((lines(of), [size.as_bytes(), b"\r\n", &body, b"\r\n0\r\n\r\n"].concat()));
    };
    match random.below(19) {
        0 => chunked(CHUNKED, &right),
        1 => chunked(CHUNKED, &format!("{right};a=\"b\"")),
        2 => chunked(CHUNKED, "ffffffffffffffff1"),
        3 => chunked(CHUNKED, "-1"),
        4 => chunked(CHUNKED, "zz"),
        5 => {
            chunked(CHUNKED, &format!("{:x}", length + 1000));
            wire.cut_at = Some(usize::MAX);
        }
        6 => chunked(&format!("Content-Length: {{length}}\r\n{CHUNKED}"), &right),
        7 => chunked(&format!("{CHUNKED}Content-Length: 0\r\n"), &right),
        8 => wire.framing = Some((lines("Content-Length: {length}\r\nContent-Length: {more}\r\n"), body)),
        9 => wire.framing = Some((lines("Content-Length: {length}, {length}\r\n"), body)),
        10 => wire.framing = Some(("Content-Length: -5\r\n".to_owned(), body)),
        11 => wire.framing = Some(("Content-Length: 1e3\r\n".to_owned(), body)),
        12 => {
            wire.framing = Some((lines("Content-Length: {more}\r\n"), body));
            wire.cut_at = Some(usize::MAX);
        }
        13 => wire.cut_at = Some(usize::try_from(random.below(200)).unwrap()),
        14 => wire.framing = Some(("Content-Length: 11000000\r\n".to_owned(), vec![b' '; 11_000_000])),
        15 => wire.line_end = "\n",
        16 => wire.version = *random.pick(&["HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/9.9", "HTP/1.1", ""]),
        17 => chunked("Transfer-Encoding: chunked, chunked\r\n", &right),
        _ => chunked("Transfer-Encoding: xchunked\r\nTransfer-Encoding:\tchunked\r\n", &right),
    }
}

pub(super) fn change_method(wire: &mut Wire, marker: &str, random: &mut SeededRandom) {
    let long = "M".repeat(10_000);
    let methods = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", marker, &long,
        "G\u{0}T", "<M>", "PRI",
    ];
    let method: &str = random.pick::<&str>(&methods);
    method.clone_into(&mut wire.method);
}

/// Other boundaries, part headers, names and files.
pub(super) fn change_form(wire: &mut Wire, marker: &str, random: &mut SeededRandom) {
    let part = |headers: &str, file: &[u8]| [format!("--b\r\n{headers}\r\n\r\n").as_bytes(), file, b"\r\n--b--\r\n"].concat();
    let file = "Content-Disposition: form-data; name=\"file\"; filename=\"a.png\"";
    wire.body = match random.below(18) {
        0 => form(&values::text(marker, random), PNG),
        1 => form(&format!("../{marker}.html"), b"<html><script>alert(1)</script>"),
        2 => form("a.svg", format!("<svg onload='{marker}'/>").as_bytes()),
        3 => form("a.png", &[PNG, format!("<script>{marker}</script>").as_bytes()].concat()),
        4 => part("Content-Disposition: form-data; name=\"other\"", PNG),
        5 => part("", PNG),
        6 => part(&format!("{file}\r\nX-Long: {}", "h".repeat(9_000)), PNG),
        7 => part(&format!("{file}; filename*=UTF-8''%0d%0a{marker}%00"), PNG),
        8 => part(&format!("{file}\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64"), PNG),
        9 => part(&format!("{file}\r\n{}", "X-A: b\r\n".repeat(2_000)), PNG),
        10 => form("a.png", PNG)[..70].to_vec(),
        11 => part(file, &vec![0; 4 * 1024 * 1024 + 1]),
        12 => [form("a.png", PNG).repeat(500), b"--b--".to_vec()].concat(),
        13 => part(file, b""),
        14 => part(file, b"GIF89a\xff\xff\xff\xff\x00\x00\x00"),
        15 => part(file, b"\xff\xd8\xff\xe1\xff\xffExif"),
        16 => part(file, b"RIFF\xff\xff\xff\xffWEBPVP8X\xff\xff\xff\xff"),
        _ => form("a.png", b"%PDF-1.7 <script>"),
    };
    let boundaries =
        ["b", "b", "b", "b", "b", "b", "b", "", "\"b\"", "\"\"", "b; boundary=c", "b\u{0}", "--", "%62", "\"b\\\"\""];
    let boundary = match random.below(16) {
        0 => "b".repeat(*random.pick(&[70, 71, 5_000])),
        _ => (*random.pick(&boundaries)).to_owned(),
    };
    wire.headers.retain(|(name, _)| name != "Content-Type");
    let content_type = format!("multipart/form-data; boundary={boundary}");
    wire.headers.push(("Content-Type".to_owned(), content_type.into_bytes()));
}

/// Adds all fields that only the server sets, except those that requests to the route may have.
pub(super) fn add_server_owned(body: &mut Value, own_fields: &[&str]) {
    if let Value::Object(members) = body {
        members.values_mut().for_each(|member| add_server_owned(member, own_fields));
        for (name, value) in SERVER_OWNED.iter().filter(|(name, _)| !own_fields.contains(&name.as_str())) {
            members.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
}
