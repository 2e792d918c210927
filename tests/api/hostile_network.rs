//! What a card network says that does not keep to its contract goes no further.

use std::sync::{Arc, Mutex};

use local::{Local, Options, StartingState};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{ApiResponse, Caller, client};

/// Answers every request with the same response.
struct Network {
    url: String,
    response: Arc<Mutex<String>>,
}

impl Network {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let response = Arc::new(Mutex::new(String::new()));
        let shared = Arc::clone(&response);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let response = shared.lock().unwrap().clone();
                tokio::spawn(answer(stream, response));
            }
        });
        Self { url, response }
    }

    fn respond(&self, status: u16, headers: &str, body: &str) {
        let length = body.len();
        *self.response.lock().unwrap() =
            format!("HTTP/1.1 {status} Odd\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}");
    }
}

async fn answer(mut stream: TcpStream, response: String) {
    let mut request = Vec::new();
    while !is_complete(&request) {
        let mut buffer = [0; 8192];
        let length = stream.read(&mut buffer).await.unwrap_or(0);
        if length == 0 {
            return;
        }
        request.extend(&buffer[..length]);
    }
    let _ = stream.write_all(response.as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn is_complete(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0)
}

struct System {
    local: Local,
    network: Network,
}

impl System {
    async fn start() -> Self {
        let network = Network::start().await;
        let options = Options { fixtures: StartingState::Demo, card_network: Some(network.url.clone()), ..Options::default() };
        Self { local: Local::start(options).await.unwrap(), network }
    }

    async fn look_up(&self) -> ApiResponse {
        let token = self.local.sign_in(local::demo::ADMIN).await.unwrap().unwrap();
        let url = format!("{}/api/bff/pos/card/QR-1", self.local.listening.api);
        Caller::send_request(client().get(url).bearer_auth(token)).await
    }

    async fn redeem(&self) -> ApiResponse {
        let token = self.local.sign_in(local::demo::ADMIN).await.unwrap().unwrap();
        let url = format!("{}/api/bff/pos/redeem", self.local.listening.api);
        let body = json!({"qrCode": "QR-1", "redeemAmount": 1, "purchaseAmount": 1}).to_string();
        Caller::send_request(client().post(url).bearer_auth(token).body(body)).await
    }
}

/// JSON of this many levels.
fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

#[tokio::test]
async fn only_statuses_of_errors_are_passed_on() {
    let system = System::start().await;
    for (status, expected) in [(400, 400), (422, 422), (503, 503), (599, 599), (600, 502), (700, 502), (999, 502), (304, 502)] {
        system.network.respond(status, "", "{}");
        let response = system.look_up().await;
        assert_eq!(response.status, expected, "{status}: {response:?}");
    }
    // It is not known what such a status means for the money.
    system.network.respond(700, "", "{}");
    assert_eq!(system.redeem().await.status, 504);
}

#[tokio::test]
async fn nobody_is_told_to_wait_longer_than_an_hour() {
    let system = System::start().await;
    for (sent, expected) in [
        ("7", Some("7")),
        ("3600", Some("3600")),
        ("3601", Some("3600")),
        ("4294967296", Some("3600")),
        ("Fri, 31 Dec 9999 23:59:59 GMT", None),
    ] {
        system.network.respond(429, &format!("retry-after: {sent}\r\n"), "{}");
        let (card, redeemed) = (system.look_up().await, system.redeem().await);
        assert_eq!((card.status, card.header("retry-after")), (429, expected), "{sent}");
        assert_eq!((redeemed.status, redeemed.header("retry-after")), (429, expected), "{sent}");
    }
}

#[tokio::test]
async fn json_of_more_than_64_levels_is_unreadable() {
    let system = System::start().await;
    let card = |levels: usize| json!({"qrCode": "QR-1", "odd": nested(levels - 1)});
    system.network.respond(200, "", &card(64).to_string());
    let found = system.look_up().await;
    assert_eq!((found.status, found.at("/data")), (200, &card(64)));
    for levels in [65, 100] {
        system.network.respond(200, "", &card(levels).to_string());
        assert_eq!(system.look_up().await.status, 502, "{levels}");
    }
    let deep = format!("{{\"qrCode\": \"QR-1\", \"odd\": {}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    system.network.respond(200, "", &deep);
    assert_eq!(system.look_up().await.status, 502);

    // The status of an error counts whatever is said about it.
    system.network.respond(422, "", &nested(65).to_string());
    let refused = system.look_up().await;
    assert_eq!((refused.status, refused.at("/error/details")), (422, &json!(nested(65).to_string())));
}

/// The key of the local system.
const API_KEY: &str = "local-card-network-key";

#[tokio::test]
async fn the_key_with_which_we_call_is_in_no_answer() {
    let system = System::start().await;
    let hidden = "*".repeat(API_KEY.len());
    for status in [400, 422, 500] {
        system.network.respond(status, "", &json!({"authorization": format!("Bearer {API_KEY}")}).to_string());
        let refused = system.look_up().await;
        assert_eq!((refused.status, refused.at("/error/details/authorization")), (status, &json!(format!("Bearer {hidden}"))));
        let redeemed = system.redeem().await;
        assert!(!redeemed.body.to_string().contains(API_KEY), "{redeemed:?}");
    }
    system.network.respond(403, "", &format!("<pre>{API_KEY} {API_KEY}</pre>"));
    assert_eq!(system.look_up().await.at("/error/details"), &json!(format!("<pre>{hidden} {hidden}</pre>")));

    let answer = json!({"qrCode": "QR-1", "transactionId": "t-1", "debug": [API_KEY]});
    system.network.respond(200, "", &answer.to_string());
    for found in [system.look_up().await, system.redeem().await] {
        assert_eq!((found.status, found.at("/data/debug/0"), found.at("/data/qrCode")), (200, &json!(hidden), &json!("QR-1")));
    }
}
