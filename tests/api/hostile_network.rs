//! What a card network says that does not keep to its contract goes no further.

use local::{Options, StartingState};
use serde_json::{Value, json};
use world::shop::{REDEEM, payment};
use world::{ApiResponse, Caller, Network, System};

struct Till {
    caller: Caller,
    network: Network,
    _system: System,
}

impl Till {
    async fn start() -> Self {
        let network = Network::start().await;
        let options = Options { fixtures: StartingState::Demo, card_network: Some(network.url.clone()), ..Options::default() };
        let system = System::with_data_of(options).await;
        Self { caller: system.sign_in(local::demo::ADMIN).await, network, _system: system }
    }

    async fn look_up(&self) -> ApiResponse {
        self.caller.get("/api/bff/pos/card/QR-1").await
    }

    async fn redeem(&self) -> ApiResponse {
        self.caller.post(REDEEM, &payment("QR-1", 1)).await
    }
}

/// JSON of this many levels.
fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

#[tokio::test]
async fn only_statuses_of_errors_are_passed_on() {
    let till = Till::start().await;
    for (status, expected) in [(400, 400), (422, 422), (503, 503), (599, 599), (600, 502), (700, 502), (999, 502), (304, 502)] {
        till.network.respond(status, "", "{}");
        assert_eq!(till.look_up().await.status, expected, "{status}");
    }
    // It is not known what such a status means for the money.
    till.network.respond(700, "", "{}");
    assert_eq!(till.redeem().await.status, 504);
}

#[tokio::test]
async fn nobody_is_told_to_wait_longer_than_an_hour() {
    let till = Till::start().await;
    for (sent, expected) in [
        ("20", Some("20")),
        ("3600", Some("3600")),
        ("3601", Some("3600")),
        ("4294967296", Some("3600")),
        ("Fri, 31 Dec 9999 23:59:59 GMT", None),
    ] {
        till.network.respond(429, &format!("retry-after: {sent}\r\n"), "{}");
        let card = till.look_up().await;
        assert_eq!((card.status, card.header("retry-after")), (429, expected), "{sent}");
    }
}

#[tokio::test]
async fn json_of_more_than_64_levels_is_unreadable() {
    let till = Till::start().await;
    let card = |levels: usize| json!({"qrCode": "QR-1", "odd": nested(levels - 1)});
    till.network.respond(200, "", &card(64).to_string());
    let found = till.look_up().await;
    assert_eq!((found.status, found.at("/data")), (200, &card(64)));
    for levels in [65, 100] {
        till.network.respond(200, "", &card(levels).to_string());
        assert_eq!(till.look_up().await.status, 502, "{levels}");
    }
    let deep = format!("{{\"qrCode\": \"QR-1\", \"odd\": {}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    till.network.respond(200, "", &deep);
    assert_eq!(till.look_up().await.status, 502);
    // The status of an error counts whatever is said about it.
    till.network.respond(422, "", &nested(65).to_string());
    let refused = till.look_up().await;
    assert_eq!((refused.status, refused.at("/error/details")), (422, &json!(nested(65).to_string())));
}

/// The key of the local till.
const API_KEY: &str = "local-card-network-key";

#[tokio::test]
async fn the_key_with_which_we_call_is_in_no_answer() {
    let till = Till::start().await;
    let hidden = "*".repeat(API_KEY.len());
    for status in [400, 422, 500] {
        till.network.respond(status, "", &json!({"authorization": format!("Bearer {API_KEY}")}).to_string());
        let refused = till.look_up().await;
        assert_eq!((refused.status, refused.at("/error/details/authorization")), (status, &json!(format!("Bearer {hidden}"))));
        let redeemed = till.redeem().await;
        assert!(!redeemed.body.to_string().contains(API_KEY), "{redeemed:?}");
    }
    till.network.respond(403, "", &format!("<pre>{API_KEY} {API_KEY}</pre>"));
    assert_eq!(till.look_up().await.at("/error/details"), &json!(format!("<pre>{hidden} {hidden}</pre>")));
    let answer = json!({"qrCode": "QR-1", "transactionId": "t-1", "debug": [API_KEY]});
    till.network.respond(200, "", &answer.to_string());
    for found in [till.look_up().await, till.redeem().await] {
        assert_eq!((found.status, found.at("/data/debug/0"), found.at("/data/qrCode")), (200, &json!(hidden), &json!("QR-1")));
    }
}
