//! An honest network behind a proxy that distorts one answer of a sale or a redemption.

use std::sync::{Arc, Mutex};

use local::Options;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::Found;
use super::rogue::{Request, listen};
use crate::contract;
use crate::effort::Effort;
use crate::system::{Answer, System};

/// What the proxy does with the call that moves money.
#[derive(Clone, Copy)]
enum Tampering {
    LoseRequest,
    LoseAnswer,
    /// The request arrives twice, and the second answer is passed on.
    Double,
    /// The answer to the call before.
    Earlier,
    /// Something else than the answer, made of its body.
    Replace(fn(&str) -> Vec<u8>),
}

fn json_of(body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// The answer with one field replaced, as the text of its JSON.
fn with(body: &str, field: &str, value: &str) -> Vec<u8> {
    let mut answer: Value = serde_json::from_str(body).unwrap();
    answer[field] = json!("REPLACED");
    json_of(answer.to_string().replace("\"REPLACED\"", value))
}

const TAMPERINGS: [(&str, Tampering); 27] = [
    ("the request is lost", Tampering::LoseRequest),
    ("the answer is lost", Tampering::LoseAnswer),
    ("the request is doubled", Tampering::Double),
    ("the answer of another call", Tampering::Earlier),
    ("another currency", Tampering::Replace(|body| with(body, "currency", "\"XTS\""))),
    ("no currency", Tampering::Replace(|body| with(body, "currency", "null"))),
    ("another amount", Tampering::Replace(|body| with(body, "amount", "10.01"))),
    ("a tenth of the amount", Tampering::Replace(|body| with(body, "amount", "1"))),
    ("a negative amount", Tampering::Replace(|body| with(body, "amount", "-10"))),
    ("an amount that is NaN", Tampering::Replace(|body| with(body, "amount", "NaN"))),
    ("an amount of 400 digits", Tampering::Replace(|body| with(body, "amount", &"9".repeat(400)))),
    ("an amount in a text", Tampering::Replace(|body| with(body, "amount", "\"10.000000000000000000001\""))),
    ("a negative balance", Tampering::Replace(|body| with(body, "valueRemains", "-1"))),
    ("another card", Tampering::Replace(|body| with(body, "qrCode", "\"ANOTHER-MERCHANTS-CARD\""))),
    ("no proof", Tampering::Replace(|body| with(body, "transactionId", "null"))),
    ("the amount twice", Tampering::Replace(|body| json_of(body.replacen('{', "{\"amount\": 1, ", 1)))),
    ("half of the answer", Tampering::Replace(|body| json_of(&body[..body.len() / 2]))),
    ("an empty answer", Tampering::Replace(|_| json_of(""))),
    ("a byte order mark", Tampering::Replace(|body| json_of(format!("\u{feff}{body}")))),
    ("UTF-16", Tampering::Replace(|body| json_of(body.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>()))),
    ("a page", Tampering::Replace(|_| b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<html>ok</html>".to_vec())),
    ("an interim answer only", Tampering::Replace(|_| b"HTTP/1.1 100 Continue\r\n\r\n".to_vec())),
    (
        "204 with the answer",
        Tampering::Replace(|body| String::from_utf8(json_of(body)).unwrap().replacen("200 OK", "204 No Content", 1).into_bytes()),
    ),
    (
        "500 with the answer",
        Tampering::Replace(|body| String::from_utf8(json_of(body)).unwrap().replacen("200 OK", "500 Odd", 1).into_bytes()),
    ),
    ("408", Tampering::Replace(|_| b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n".to_vec())),
    (
        "a redirect",
        Tampering::Replace(|_| b"HTTP/1.1 307 Temporary\r\nlocation: /v1/cards/redeem\r\ncontent-length: 0\r\n\r\n".to_vec()),
    ),
    ("the start of a TLS connection", Tampering::Replace(|_| b"\x16\x03\x01\0\x05\x01\0\0\x01\0".to_vec())),
];

/// Those whose answer names something else than was asked for: the settlement of the redemption is held.
const DISAGREEING: [&str; 7] = [
    "another currency",
    "another amount",
    "a tenth of the amount",
    "a negative amount",
    "an amount of 400 digits",
    "an amount in a text",
    "another card",
];

/// Whether the network can be asked what became of the call.
const CAN_ASK: [bool; 2] = [true, false];

#[derive(Default)]
struct Rules {
    tampering: Option<Tampering>,
    look_ups_fail: bool,
    /// The body of the last answer to a call that moves money.
    last: String,
}

struct Proxy {
    url: String,
    rules: Arc<Mutex<Rules>>,
    _server: JoinSet<()>,
}

impl Proxy {
    async fn start(network: String) -> Self {
        let (url, listener) = listen().await;
        let rules: Arc<Mutex<Rules>> = Arc::default();
        let shared = rules.clone();
        let client = world::client();
        let mut server = JoinSet::new();
        server.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(relay(stream, network.clone(), client.clone(), shared.clone()));
            }
        });
        Self { url, rules, _server: server }
    }
}

/// Answers one request of a connection.
async fn relay(mut stream: TcpStream, network: String, client: reqwest::Client, rules: Arc<Mutex<Rules>>) {
    let Some(request) = Request::read(&mut stream).await else { return };
    let moves_money = request.method == "POST" && request.path.starts_with("/v1/cards/");
    let is_look_up = request.path.starts_with("/v1/operations/");
    let (tampering, look_ups_fail, last) = {
        let mut rules = rules.lock().unwrap();
        let tampering = if moves_money { rules.tampering.take() } else { None };
        (tampering, rules.look_ups_fail, rules.last.clone())
    };
    if matches!(tampering, Some(Tampering::LoseRequest)) || (is_look_up && look_ups_fail) {
        return;
    }
    let (mut status, mut body) = forward(&client, &network, &request).await;
    if matches!(tampering, Some(Tampering::Double)) {
        (status, body) = forward(&client, &network, &request).await;
    }
    if moves_money {
        rules.lock().unwrap().last.clone_from(&body);
    }
    let answer = match tampering {
        Some(Tampering::LoseAnswer) => return,
        Some(Tampering::Earlier) => json_of(last),
        Some(Tampering::Replace(replace)) if status < 400 => replace(&body),
        _ => {
            let head = format!(
                "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            (head + &body).into_bytes()
        }
    };
    let _ = stream.write_all(&answer).await;
    let _ = stream.shutdown().await;
}

async fn forward(client: &reqwest::Client, network: &str, request: &Request) -> (u16, String) {
    let method = Method::from_bytes(request.method.as_bytes()).unwrap();
    let mut forwarded = client.request(method, format!("{network}{}", request.path)).body(request.body.clone());
    for name in ["authorization", "idempotency-key", "x-request-id", "content-type"] {
        if let Some(value) = request.header(name) {
            forwarded = forwarded.header(name, value);
        }
    }
    let response = forwarded.send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

fn fixtures() -> Value {
    json!({
        "merchants": [{"id": "m-1", "slug": "m-1", "status": "ACTIVE", "name": "M", "currency": "SEK", "networkMerchantId": "1001",
            "settlementMode": "SETTLEMENT_ON_REDEMPTION", "brand": {"logoUrl": "https://m.example/l.png"}}],
        "users": [{"id": "u-1", "email": "u@m.example", "emailVerified": true, "merchantId": "m-1", "merchantTeamRole": "ADMIN"}],
        "cardNetwork": {
            "merchants": [{"merchantId": "1001", "name": "M"}],
            "offers": [{"merchantId": "1001", "giftCardOfferId": 501, "name": "Card", "giftCardOfferType": "GIFTCARD_DIGITAL",
                "giftCardOfferStatus": "AVAILABLE", "currency": "SEK", "minPrice": 1, "maxPrice": 5000}],
            "cards": [{"merchantId": "1001", "qrCode": "QR-1", "status": "ACTIVE", "value": 100_000, "valueRemains": 100_000, "currency": "SEK"}],
        },
    })
}

struct Flows {
    network: System,
    proxy: Proxy,
    system: System,
    token: String,
}

/// A header of a response as text.
fn header(answer: &Answer, name: &str) -> String {
    answer.headers.get(name).map(|value| String::from_utf8_lossy(value).into_owned()).unwrap_or_default()
}

impl Flows {
    async fn start() -> Self {
        let network = System::start(&fixtures()).await;
        let proxy = Proxy::start(network.local.listening.card_network.clone()).await;
        let options = Options { card_network: Some(proxy.url.clone()), ..Options::default() };
        let system = System::with_options(options, &fixtures()).await;
        let token = system.sign_in("u-1").await;
        Self { network, proxy, system, token }
    }

    async fn call(&self, method: Method, path: &str, body: &str, key: Option<&str>) -> Answer {
        let mut request = self.system.request(method, path).bearer_auth(&self.token);
        if !body.is_empty() {
            request = request.header("content-type", "application/json").body(body.to_owned());
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        self.system.send(request).await.unwrap()
    }

    /// How many calls the network has carried out.
    fn carried_out(&self) -> usize {
        let operations = self.network.local.card_network_operations();
        operations.iter().filter(|operation| operation.http_status < 400).count()
    }

    async fn attempt(&self, (name, tampering): (&str, Tampering), kind: &str, can_ask: bool, with_key: bool, found: &Found) {
        let context = format!("{kind}, {name}, can ask {can_ask}, key {with_key}");
        let path = format!("/api/bff/pos/{kind}");
        let body = if kind == "issue" {
            json!({"value": 10, "deliveryDetails": {"deliveryType": "QR"}})
        } else {
            json!({"qrCode": "QR-1", "redeemAmount": 10, "purchaseAmount": 10})
        };
        let key = context.replace(' ', "-");
        let key = with_key.then_some(key.as_str());
        let before = self.carried_out();
        {
            let mut rules = self.proxy.rules.lock().unwrap();
            rules.tampering = Some(tampering);
            rules.look_ups_fail = !can_ask;
        }
        let answer = self.call(Method::POST, &path, &body.to_string(), key).await;
        let moved = self.carried_out() - before;
        let said = header(&answer, "money-moved");
        let is_true = match (said.as_str(), moved) {
            ("yes", 1) | ("no" | "not-yet", 0) => true,
            ("unknown", 0 | 1) => !can_ask,
            _ => false,
        };
        if !is_true {
            found.add(format!("{context}: Money-Moved {said:?}, and {moved} calls were carried out: {}", answer.json()));
        }
        for violation in contract::violations("POST", &path, &answer) {
            found.add(format!("{context}: {violation}"));
        }

        // The network can be asked again: whoever repeats the request learns the truth, and nothing moves twice.
        {
            let mut rules = self.proxy.rules.lock().unwrap();
            rules.tampering = None;
            rules.look_ups_fail = false;
        }
        if said == "unknown" {
            let reference = find_reference(&answer.json()).unwrap_or_default();
            let shown = self.call(Method::GET, &format!("/api/bff/pos/operations/{reference}"), "", None).await;
            let expected = if moved == 1 { "SUCCEEDED" } else { "FAILED" };
            if shown.json()["data"]["status"] != expected {
                found.add(format!("{context}: later the operation is {}, and not {expected}", shown.json()));
            }
        }
        if with_key && (said == "yes" || (said == "unknown" && moved == 1)) {
            let repeated = self.call(Method::POST, &path, &body.to_string(), key).await;
            if header(&repeated, "money-moved") != "yes" || self.carried_out() - before != 1 {
                found.add(format!("{context}: the repeat is {} {}", repeated.status, repeated.json()));
            }
        }
    }
}

fn find_reference(body: &Value) -> Option<String> {
    let details = [&body["details"], &body["error"]["details"]];
    details.iter().find_map(|details| details["reference"].as_str().map(str::to_owned))
}

/// How many settlements there are, and how many of them are held.
async fn settlements(flows: &Flows) -> (usize, usize) {
    let answer = flows.call(Method::GET, "/api/bff/settlements?take=200", "", None).await.json();
    let rows = answer["rows"].as_array().cloned().unwrap_or_default();
    (rows.len(), rows.iter().filter(|settlement| settlement["held"] == true).count())
}

pub(super) async fn attack(effort: Effort, found: &Found) -> Vec<(usize, &'static str)> {
    let flows = Flows::start().await;
    let mut count = 0;
    let mut held = 0;
    // Sales come last: a distorted one can make the card of the redemptions one of the merchant's own till.
    for kind in ["redeem", "issue"] {
        for (index, tampering) in TAMPERINGS.into_iter().enumerate() {
            for can_ask in CAN_ASK.into_iter().skip(effort.choose(index % 2, 0)).take(effort.choose(1, 2)) {
                for with_key in [true, false].into_iter().take(effort.choose(1, 2)) {
                    let before = flows.carried_out();
                    flows.attempt(tampering, kind, can_ask, with_key, found).await;
                    count += 1;
                    if kind == "redeem" {
                        let moved = flows.carried_out() - before;
                        held += if DISAGREEING.contains(&tampering.0) { moved } else { 0 };
                        let expected = (flows.carried_out(), held);
                        let seen = settlements(&flows).await;
                        if seen != expected {
                            found.add(format!("{}: settlements, held: {seen:?}, and not {expected:?}", tampering.0));
                            held = seen.1;
                        }
                    }
                }
            }
        }
    }
    vec![(count, "distorted answers"), (held, "settlements held")]
}
