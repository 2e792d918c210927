//! What a hostile upstream does instead of answering.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::rogue::Honest;

/// In the answers of most behaviours, wherever there is room.
pub(super) const JUNK: &str = "JUNK-4be1c0";

/// What is true at the network after a call that moves money was answered so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Truth {
    Moved,
    NotMoved,
    /// The answer says nothing: it can have moved.
    Open,
}

type Bytes = fn(&Honest) -> Vec<u8>;

pub(super) enum Act {
    /// Sends these bytes and closes the connection.
    Answer(Bytes),
    AnswerAndStay(Bytes),
    /// Says nothing more until the other side closes the connection.
    AnswerAndHang(Bytes),
    AnswerAfter(Duration, Bytes),
    /// With a pause after each byte.
    Trickle(Duration, Bytes),
    Repeat {
        start: Bytes,
        chunk: fn() -> Vec<u8>,
        times: usize,
    },
    /// Closes the connection with a reset.
    Reset,
}

pub(super) struct Behaviour {
    pub(super) name: &'static str,
    pub(super) truth: Truth,
    pub(super) act: Act,
}

impl Behaviour {
    /// Whether it sends much more than is accepted.
    pub(super) fn is_large(&self) -> bool {
        matches!(self.act, Act::Repeat { .. })
    }
}

const MEGABYTE: usize = 1024 * 1024;
/// Between the bytes of behaviours that are slower than any time-out.
const SLOW: Duration = Duration::from_millis(300);

fn with_status(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn json(status: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    with_status(status, "content-type: application/json\r\n", body.as_ref())
}

/// The honest answer with other headers.
fn with_headers(honest: &Honest, headers: &str) -> Vec<u8> {
    with_status("200 OK", headers, honest.body.as_bytes())
}

fn redirect(status: &str, location: &str) -> Vec<u8> {
    with_status(status, &format!("location: {location}\r\n"), b"{}")
}

/// An error with a body as the contract has it.
fn refusal(status: &str) -> Vec<u8> {
    json(status, format!(r#"{{"code": "ODD", "message": "{JUNK}"}}"#))
}

fn chunked(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n", body.len())
}

fn utf16(text: &str) -> Vec<u8> {
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

/// The honest answer with these fields at its end. Of fields with the same name, readers take the last one.
fn with_fields(honest: &Honest, fields: &str) -> Vec<u8> {
    let object = honest.body.strip_suffix('}').unwrap_or("{\"x\": 1");
    json("200 OK", format!("{object}, {fields}}}"))
}

fn nested(levels: usize) -> String {
    "[".repeat(levels) + &"]".repeat(levels)
}

macro_rules! behaviours {
    ($($name:literal $truth:ident $act:expr;)*) => {
        &[$(Behaviour { name: $name, truth: Truth::$truth, act: $act }),*]
    };
}

use Act::{Answer, AnswerAfter, AnswerAndHang, AnswerAndStay, Repeat, Reset, Trickle};

pub(super) const BEHAVIOURS: &[Behaviour] = behaviours! {
    // Connections.
    "closes without an answer" Open Answer(|_| Vec::new());
    "resets the connection" Open Reset;
    "never answers" Open AnswerAndHang(|_| Vec::new());
    "half of a status line" Open Answer(|_| b"HTTP/1.1 20".to_vec());
    "half of a head, then silence" Open AnswerAndHang(|_| b"HTTP/1.1 200 OK\r\ncontent-le".to_vec());
    "a head, then silence" Open AnswerAndHang(|_| b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n".to_vec());
    "half of the body, then silence" Open AnswerAndHang(|honest| {
        let mut answer = json("200 OK", &honest.body);
        answer.truncate(answer.len() - 3);
        answer
    });
    "byte by byte" Moved Trickle(SLOW, |honest| json("200 OK", &honest.body));
    "space by space before the body" Moved Trickle(SLOW, |honest| json("200 OK", " ".repeat(1000) + &honest.body));
    "after two seconds" Moved AnswerAfter(Duration::from_secs(2), |honest| json("200 OK", &honest.body));
    "after six seconds" Moved AnswerAfter(Duration::from_secs(6), |honest| json("200 OK", &honest.body));
    "answers twice" Moved AnswerAndStay(|honest| {
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{}", honest.body.len(), honest.body);
        answer.repeat(2).into_bytes()
    });
    "a strange answer after the answer" Moved AnswerAndStay(|honest| {
        let body = &honest.body;
        let strange = format!(r#"{{"qrCode": "STRANGE", "transactionId": "t", "junk": "{JUNK}"}}"#);
        let answer = |body: &str| format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        (answer(body) + &answer(&strange)).into_bytes()
    });
    // Protocols.
    "only a body" Open Answer(|_| JUNK.into());
    "random bytes" Open Answer(|_| (0..512_u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect());
    "HTTP/2" Open Answer(|_| b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0d\0\x04\0\x01\0\0\0\x05\0\0@\0".to_vec());
    "the preface of HTTP/2" Open Answer(|_| b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec());
    "TLS" Open Answer(|_| b"\x15\x03\x01\0\x02\x02\x46\x16\x03\x03\0\x04\x0e\0\0\0".to_vec());
    "HTTP/1.0" Moved Answer(|honest| format!("HTTP/1.0 200 OK\r\n\r\n{}", honest.body).into_bytes());
    "HTTP/3.7" Open Answer(|_| b"HTTP/3.7 200 OK\r\ncontent-length: 2\r\n\r\n{}".to_vec());
    "lines that end without CR" Moved Answer(|honest| format!("HTTP/1.1 200 OK\n\n{}", honest.body).into_bytes());
    "no reason" Moved Answer(|honest| with_status("200", "", honest.body.as_bytes()));
    "a reason that is junk" Moved Answer(|honest| with_status(&format!("200 {JUNK}"), "", honest.body.as_bytes()));
    "a reason of control characters" Open Answer(|_| with_status("500 \x01\x02", "", b"{}"));
    "a request instead of an answer" Open Answer(|honest| honest.request.bytes());
    // Statuses.
    "status 000" Open Answer(|_| refusal("000 Odd"));
    "status 99" Open Answer(|_| refusal("99 Odd"));
    "status 1000" Open Answer(|_| refusal("1000 Odd"));
    "status abc" Open Answer(|_| refusal("abc Odd"));
    "status -1" Open Answer(|_| refusal("-1 Odd"));
    "status 101" Open Answer(|_| with_status("101 Switching Protocols", "upgrade: websocket\r\n", b""));
    "status 201" Moved Answer(|honest| json("201 Created", &honest.body));
    "status 202 without a result" Open Answer(|_| json("202 Accepted", format!(r#"{{"junk": "{JUNK}"}}"#)));
    "status 204 with a body" Open Answer(|honest| json("204 No Content", &honest.body));
    "status 205" Open Answer(|_| json("205 Reset Content", ""));
    "status 206" Moved Answer(|honest| json("206 Partial Content", &honest.body));
    "status 299" Moved Answer(|honest| json("299 Odd", &honest.body));
    "status 304" Open Answer(|_| with_status("304 Not Modified", "etag: \"x\"\r\n", b""));
    "status 399" Open Answer(|_| refusal("399 Odd"));
    "status 400" NotMoved Answer(|_| refusal("400 Bad Request"));
    "status 401" Open Answer(|_| refusal("401 Unauthorized"));
    "status 402" NotMoved Answer(|_| refusal("402 Payment Required"));
    "status 403 with a page" NotMoved Answer(|_| {
        with_status("403 Forbidden", "content-type: text/html\r\n", format!("<script>alert('{JUNK}')</script>").as_bytes())
    });
    "status 404" NotMoved Answer(|_| refusal("404 Not Found"));
    "status 407" NotMoved Answer(|_| with_status("407 Proxy", "proxy-authenticate: Basic realm=\"JUNK-4be1c0\"\r\n", b"{}"));
    "status 408" Open Answer(|_| refusal("408 Request Timeout"));
    "status 409" NotMoved Answer(|_| json("409 Conflict", r#"{"code": "REFERENCE_FENCED"}"#));
    "status 413" NotMoved Answer(|_| with_status("413 Too Large", "", JUNK.repeat(500).as_bytes()));
    "status 418" NotMoved Answer(|_| refusal("418 Teapot"));
    "status 422" NotMoved Answer(|_| refusal("422 Unprocessable"));
    "status 425" NotMoved Answer(|_| refusal("425 Too Early"));
    "status 429" Open Answer(|_| with_status("429 Busy", "retry-after: 99999999999\r\n", b"{}"));
    "status 429 with a negative time" Open Answer(|_| with_status("429 Busy", "retry-after: -5\r\n", b"{}"));
    "status 429 with junk for a time" Open Answer(|_| with_status("429 Busy", "retry-after: JUNK-4be1c0\r\n", b"{}"));
    "status 451" NotMoved Answer(|_| refusal("451 Legal"));
    "status 499" NotMoved Answer(|_| refusal("499 Odd"));
    "status 500" Open Answer(|_| refusal("500 Internal Server Error"));
    "status 502 with a page" Open Answer(|_| {
        with_status("502 Bad Gateway", "content-type: text/html\r\n", format!("<html>{JUNK}</html>").as_bytes())
    });
    "status 503" Open Answer(|_| with_status("503 Busy", "retry-after: 1.5e300\r\n", b""));
    "status 504" Open Answer(|_| refusal("504 Gateway Timeout"));
    "status 511" Open Answer(|_| refusal("511 Network Authentication Required"));
    "status 599" Open Answer(|_| refusal("599 Odd"));
    "status 600" Open Answer(|_| refusal("600 Odd"));
    "status 999" Open Answer(|_| refusal("999 Odd"));
    // Interim answers.
    "a thousand interim answers" Moved Answer(|honest| {
        let interim = "HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n".repeat(1000);
        [interim.as_bytes(), &json("200 OK", &honest.body)].concat()
    });
    "interim answers without end" Open Repeat {
        start: |_| Vec::new(), chunk: || b"HTTP/1.1 100 Continue\r\n\r\n".repeat(40_000), times: 100,
    };
    // Redirects.
    "redirect 301" Open Answer(|honest| redirect("301 Moved", &honest.trap));
    "redirect 302" Open Answer(|honest| redirect("302 Found", &honest.trap));
    "redirect 303" Open Answer(|honest| redirect("303 See Other", &format!("{}/v1", honest.trap)));
    "redirect 307" Open Answer(|honest| redirect("307 Temporary", &honest.trap));
    "redirect 308" Open Answer(|honest| redirect("308 Permanent", &honest.trap));
    "redirect 300 with a choice" Open Answer(|honest| redirect("300 Choices", &honest.trap));
    "redirect without a scheme" Open Answer(|honest| redirect("307 Temporary", honest.trap.trim_start_matches("http:")));
    "redirect to itself" Open Answer(|honest| redirect("307 Temporary", &honest.request.path));
    "redirect to the metadata of a machine" Open Answer(|_| {
        redirect("307 Temporary", "http://169.254.169.254/latest/meta-data/iam/security-credentials/")
    });
    "redirect to the credentials of a task" Open Answer(|_| redirect("302 Found", "http://169.254.170.2/v2/credentials"));
    "redirect to the Lambda runtime" Open Answer(|_| redirect("307 Temporary", "http://127.0.0.1:9001/2018-06-01/runtime"));
    "redirect to a file" Open Answer(|_| redirect("302 Found", "file:///etc/passwd"));
    "a refresh and a link elsewhere" Moved Answer(|honest| {
        with_headers(honest, &format!("refresh: 0; url={0}\r\nlink: <{0}>; rel=preload\r\nalt-svc: h2=\"{0}\"\r\n", honest.trap))
    });
    // Headers.
    "headers of ours" Moved Answer(|honest| with_headers(honest, "money-moved: JUNK-4be1c0\r\nidempotent-replayed: JUNK-4be1c0\r\n\
        x-request-id: JUNK-4be1c0\r\nset-cookie: __Host-portal_session=JUNK-4be1c0\r\nlocation: /JUNK-4be1c0\r\n\
        access-control-allow-origin: JUNK-4be1c0\r\nretry-after: 7\r\ncache-control: public, JUNK-4be1c0\r\n\
        content-security-policy: JUNK-4be1c0\r\nstrict-transport-security: JUNK-4be1c0\r\netag: \"JUNK-4be1c0\"\r\n"));
    "headers of ours on an error" NotMoved Answer(|_| with_status("422 JUNK-4be1c0", "money-moved: yes\r\n\
        set-cookie: gc_as=JUNK-4be1c0\r\nx-request-id: JUNK-4be1c0\r\nidempotent-replayed: true\r\nlocation: /JUNK-4be1c0\r\n", b"{}"));
    "ninety headers" Moved Answer(|honest| with_headers(honest, &"x-junk: JUNK-4be1c0\r\n".repeat(90)));
    "a thousand headers" Open Answer(|honest| with_headers(honest, &"x-junk: JUNK-4be1c0\r\n".repeat(1000)));
    "headers without end" Open Repeat {
        start: |_| b"HTTP/1.1 200 OK\r\n".to_vec(), chunk: || b"x-junk: JUNK-4be1c0\r\n".repeat(50_000), times: 100,
    };
    "a header without end" Open Repeat {
        start: |_| b"HTTP/1.1 200 OK\r\nx-junk: ".to_vec(), chunk: || vec![b'x'; MEGABYTE], times: 100,
    };
    "a status line without end" Open Repeat {
        start: |_| b"HTTP/1.1 200 ".to_vec(), chunk: || vec![b'x'; MEGABYTE], times: 100,
    };
    "a header of odd bytes" Moved Answer(|honest| {
        let head = b"HTTP/1.1 200 OK\r\nx-junk: \x80\xff\xfe\r\nconnection: close\r\n\r\n";
        [head, honest.body.as_bytes()].concat()
    });
    "a header with a null byte" Open Answer(|honest| with_headers(honest, "x-junk: a\0b\r\n"));
    "a folded header" Open Answer(|honest| with_headers(honest, "x-junk: a\r\n set-cookie: JUNK-4be1c0\r\n"));
    "a header without a colon" Open Answer(|honest| with_headers(honest, "JUNK-4be1c0\r\n"));
    "two lengths" Open Answer(|honest| with_headers(honest, "content-length: 1\r\n"));
    "a negative length" Open Answer(|_| b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}".to_vec());
    "a length of 99999999999999999999" Open Answer(|_| b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n{}".to_vec());
    "a length that is too large" Open Answer(|_| b"HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n{}".to_vec());
    "a length that is too small" Open Answer(|honest| {
        format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n\r\n{}", honest.body).into_bytes()
    });
    "a length and chunks" Open Answer(|honest| chunked(&honest.body).replace("\r\n\r\n", "\r\ncontent-length: 7\r\n\r\n").into_bytes());
    // Encodings.
    "chunks" Moved Answer(|honest| (chunked(&honest.body) + "0\r\n\r\n").into_bytes());
    "chunks with trailers" Moved Answer(|honest| {
        (chunked(&honest.body) + "0\r\nmoney-moved: JUNK-4be1c0\r\nset-cookie: JUNK-4be1c0\r\n\r\n").into_bytes()
    });
    "chunks that do not end" Open AnswerAndHang(|honest| chunked(&honest.body).into_bytes());
    "chunks that are closed" Open Answer(|honest| chunked(&honest.body).into_bytes());
    "a chunk of size zz" Open Answer(|_| b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n".to_vec());
    "a chunk that overflows" Open Answer(|_| {
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n".to_vec()
    });
    "a transfer encoding that does not exist" Open Answer(|_| b"HTTP/1.1 200 OK\r\ntransfer-encoding: junk\r\n\r\n{}".to_vec());
    "chunks of a byte" Open Repeat {
        start: |_| b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec(),
        chunk: || b"1\r\n \r\n".repeat(100_000), times: 30,
    };
    "an extension of a chunk without end" Open Repeat {
        start: |_| b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;".to_vec(), chunk: || vec![b'x'; MEGABYTE], times: 100,
    };
    "gzip that nobody asked for" Open Answer(|honest| {
        with_status("200 OK", "content-encoding: gzip\r\n", &gzip(honest.body.as_bytes()))
    });
    "a bomb of gzip" Open Answer(|_| with_status("200 OK", "content-encoding: gzip\r\n", &gzip(&vec![b' '; 4 * MEGABYTE])));
    "brotli that is none" Moved Answer(|honest| with_headers(honest, "content-encoding: br\r\n"));
    "text that is JSON" Moved Answer(|honest| with_headers(honest, "content-type: text/html; charset=utf-7\r\n"));
    "UTF-16" Open Answer(|honest| with_status("200 OK", "content-type: application/json; charset=utf-16\r\n", &utf16(&honest.body)));
    "a byte order mark" Open Answer(|honest| json("200 OK", ["\u{feff}", &honest.body].concat()));
    "invalid UTF-8" Open Answer(|_| json("200 OK", b"{\"qrCode\": \"\xff\xfe\", \"transactionId\": \"\xff\"}"));
    "half of a surrogate pair" Open Answer(|_| json("200 OK", r#"{"qrCode": "\ud800", "transactionId": "\ud800"}"#));
    // Bodies.
    "no body" Open Answer(|_| json("200 OK", ""));
    "spaces" Open Answer(|_| json("200 OK", " \n\t "));
    "a page" Open Answer(|_| with_status("200 OK", "content-type: text/html\r\n", b"<!doctype html><h1>JUNK-4be1c0</h1>"));
    "null" Open Answer(|_| json("200 OK", "null"));
    "true" Open Answer(|_| json("200 OK", "true"));
    "a number" Open Answer(|_| json("200 OK", "1e999"));
    "a text" Open Answer(|_| json("200 OK", "\"JUNK-4be1c0\""));
    "an array" Open Answer(|_| json("200 OK", "[]"));
    "an array of anything" Open Answer(|_| json("200 OK", r#"[1, null, "JUNK-4be1c0", [], {"qrCode": "x"}]"#));
    "an empty object" Open Answer(|_| json("200 OK", "{}"));
    "fields of other types" Open Answer(|_| json("200 OK", r#"{"qrCode": {"a": 1}, "transactionId": [1], "offers": "JUNK-4be1c0",
        "retailStores": {"a": []}, "giftCardOfferId": {}, "termsUrl": 7, "logoUrl": [], "valueRemains": [], "verification": 1}"#));
    "empty texts" Open Answer(|_| json("200 OK", r#"{"qrCode": "", "transactionId": "", "giftCardOfferId": "", "termsUrl": ""}"#));
    "fields that are null" Open Answer(|_| json("200 OK", r#"{"qrCode": null, "transactionId": null, "offers": null, "verification": null}"#));
    "NaN" Open Answer(|_| json("200 OK", r#"{"qrCode": "q", "transactionId": "t", "valueRemains": NaN}"#));
    "single quotes" Open Answer(|_| json("200 OK", "{'qrCode': 'q', 'transactionId': 't'}"));
    "a comma too many" Open Answer(|honest| json("200 OK", honest.body.replace('}', ",}")));
    "two documents" Open Answer(|honest| json("200 OK", honest.body.repeat(2)));
    "half of a document" Open Answer(|honest| json("200 OK", &honest.body[..honest.body.len() / 2]));
    "an error with status 200" Open Answer(|_| json("200 OK", r#"{"code": "CARD_BLOCKED", "message": "JUNK-4be1c0"}"#));
    "fields twice" Moved Answer(|honest| with_fields(honest, r#""qrCode": "twice", "transactionId": "twice", "junk": "JUNK-4be1c0""#));
    "numbers without bounds" Moved Answer(|honest| with_fields(honest, r#""valueRemains": 1e400, "amount": -1e-400, "odd": 99999999999999999999999999"#));
    "a negative balance" Moved Answer(|honest| with_fields(honest, r#""valueRemains": -12.5, "amount": "-1""#));
    "a fraction that the currency has not" Moved Answer(|honest| with_fields(honest, r#""valueRemains": 1.23456789, "amount": 0.001"#));
    "another currency" Moved Answer(|honest| with_fields(honest, r#""currency": "XTS""#));
    "another card" Moved Answer(|honest| with_fields(honest, r#""qrCode": "ANOTHER""#));
    "names of an object's prototype" Moved Answer(|honest| with_fields(honest, r#""__proto__": {"ok": true}, "constructor": 1"#));
    "null characters" Moved Answer(|honest| with_fields(honest, r#""status": "\u0000\u202e", "name": "\u0000""#));
    "a text of a megabyte" Moved Answer(|honest| with_fields(honest, &format!(r#""long": "{}""#, "x".repeat(MEGABYTE))));
    "ten thousand fields" Moved Answer(|honest| {
        let fields: Vec<String> = (0..10_000).map(|i| format!("\"f{i}\": {i}")).collect();
        with_fields(honest, &fields.join(","))
    });
    "sixty levels" Moved Answer(|honest| with_fields(honest, &format!("\"deep\": {}", nested(60))));
    "a thousand levels" Open Answer(|honest| with_fields(honest, &format!("\"deep\": {}", nested(1000))));
    "a hundred thousand levels" Open Answer(|_| json("200 OK", nested(100_000)));
    "levels without end" Open Repeat {
        start: |_| b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), chunk: || vec![b'['; MEGABYTE], times: 100,
    };
    "a hundred megabytes" Open Repeat {
        start: |_| format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{{\"x\": \"", 100 * MEGABYTE).into_bytes(),
        chunk: || vec![b'x'; MEGABYTE], times: 100,
    };
    "a hundred megabytes of spaces" Open Repeat {
        start: |_| b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), chunk: || vec![b' '; MEGABYTE], times: 100,
    };
    "a hundred megabytes of small fields" Open Repeat {
        start: |_| b"HTTP/1.1 200 OK\r\n\r\n{\"offers\": [".to_vec(), chunk: || b"{\"a\":1,\"b\":[]},".repeat(70_000), times: 100,
    };
    "a hundred megabytes with status 400" NotMoved Repeat {
        start: |_| format!("HTTP/1.1 400 Bad\r\ncontent-length: {}\r\n\r\n", 100 * MEGABYTE).into_bytes(),
        chunk: || vec![b'x'; MEGABYTE], times: 100,
    };
    "a hundred megabytes with status 500" Open Repeat {
        start: |_| b"HTTP/1.1 500 Bad\r\ntransfer-encoding: chunked\r\n\r\n".to_vec(),
        chunk: || [format!("{MEGABYTE:x}\r\n").as_bytes(), &[b'x'; MEGABYTE], b"\r\n"].concat(), times: 100,
    };
    // Errors.
    "an error that is JSON cut in half" NotMoved Answer(|_| json("422 Odd", r#"{"code": "CARD_BL"#));
    "an error of a hundred levels" NotMoved Answer(|_| json("422 Odd", nested(100)));
    "an error of a hundred thousand levels" NotMoved Answer(|_| json("422 Odd", nested(100_000)));
    "an error that is a number" NotMoved Answer(|_| json("422 Odd", "1e999"));
    "an error of odd bytes" NotMoved Answer(|_| json("422 Odd", b"\xff\0\x1b[31m\xfe"));
    "an error without a body" NotMoved Answer(|_| json("422 Odd", ""));
    "an error whose body does not come" Open AnswerAndHang(|_| b"HTTP/1.1 422 Odd\r\ncontent-length: 100\r\n\r\n{".to_vec());
    "an error with what we sent" NotMoved Answer(|honest| json("400 Bad Request", honest.request.bytes()));
    "a failure with what we sent" Open Answer(|honest| {
        let head = serde_json::json!({"code": "ODD", "request": honest.request.head});
        json("500 Internal Server Error", head.to_string())
    });
    "a success with what we sent" Moved Answer(|honest| {
        with_fields(honest, &format!("\"request\": {}", serde_json::json!(honest.request.head)))
    });
};
