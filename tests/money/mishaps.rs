//! Everything that the network can do to the call that moves money, before and after it has carried the call out, with
//! and without being there to be asked: what the till is told, and what is true in the end.

use http::StatusCode;
use serde_json::{Value, json};
use upstreams::faults::{Call, FaultKind};

use crate::books::Books;
use crate::world::{Answer, LEASE, Order, Shop, Verdict, World};

/// A mishap, and the status that a till is answered where nothing moved.
#[derive(Debug, Clone)]
struct Mishap {
    kind: FaultKind,
    status: u16,
    /// Whether it says that nothing moved.
    is_refusal: bool,
}

fn mishaps() -> Vec<Mishap> {
    let unclear = |kind, status| Mishap { kind, status, is_refusal: false };
    let status = |code: u16| FaultKind::Status(StatusCode::from_u16(code).unwrap());
    let refused = |code: u16, answered| Mishap { kind: status(code), status: answered, is_refusal: true };
    let body = |text: &str| FaultKind::Body(text.to_owned());
    let text =
        |code: u16, text: &str| FaultKind::Response(StatusCode::from_u16(code).unwrap(), text.to_owned());
    vec![
        unclear(FaultKind::Drop, 502),
        unclear(FaultKind::Timeout, 504),
        unclear(status(408), 408),
        unclear(status(500), 500),
        unclear(status(502), 502),
        unclear(status(503), 503),
        unclear(status(504), 504),
        unclear(text(503, "<html>busy</html>"), 503),
        unclear(text(302, ""), 502),
        unclear(body(""), 502),
        unclear(body("<html>busy</html>"), 502),
        unclear(body("{\"transactionId\": \"t-1\", \"qrCode\": \"q"), 502),
        unclear(body("{\"code\": \"CARD_BLOCKED\", \"message\": \"no\"}"), 502),
        unclear(body("{\"transactionId\": \"\", \"qrCode\": \"\"}"), 502),
        unclear(body("[]"), 502),
        unclear(body("null"), 502),
        refused(400, 400),
        // Our key is wrong, which is no business of the till's.
        refused(401, 502),
        refused(403, 403),
        refused(404, 404),
        refused(409, 409),
        refused(422, 422),
        refused(429, 429),
        Mishap { kind: text(422, "no JSON"), status: 422, is_refusal: true },
        Mishap { kind: FaultKind::Throttle, status: 429, is_refusal: true },
    ]
}

/// What happens to the calls of one order.
#[derive(Debug, Clone)]
struct Weather {
    mishap: Mishap,
    /// Whether the mishap befalls the call itself or, the money having moved, its reply.
    moved: bool,
    can_be_asked: bool,
}

impl Weather {
    /// A network cannot say that it refused what it carried out, and what it refused is not asked for.
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for mishap in mishaps() {
            let unclear: &[(bool, bool)] = &[(false, true), (false, false), (true, true), (true, false)];
            let combinations = if mishap.is_refusal { &unclear[..1] } else { unclear };
            all.extend(combinations.iter().map(|(moved, can_be_asked)| Self {
                mishap: mishap.clone(),
                moved: *moved,
                can_be_asked: *can_be_asked,
            }));
        }
        all
    }

    fn over(&self, world: &World) {
        let (weather, clock) = (self.clone(), world.clock.clone());
        let mut has_begun = false;
        world.faults.decide(move |call: Call<'_>| {
            let waits = weather.mishap.kind == FaultKind::Timeout;
            if waits && call.operation == "TransactWriteItems" && !has_begun {
                // Little enough time is left then for a test to wait for its end.
                has_begun = true;
                clock.advance_milliseconds(11_470);
            }
            if call.operation.starts_with("POST /v1/cards/") {
                let kind = weather.mishap.kind.clone();
                return Some(if weather.moved { FaultKind::OnReply(Box::new(kind)) } else { kind });
            }
            let asks = call.operation.starts_with("GET /v1/operations/");
            (asks && !weather.can_be_asked).then_some(FaultKind::Status(StatusCode::SERVICE_UNAVAILABLE))
        });
    }

    /// What the till is told.
    fn answer(&self) -> (u16, Verdict) {
        match (self.mishap.is_refusal || self.can_be_asked, self.moved) {
            (false, _) => (504, Verdict::Open),
            (true, true) => (200, Verdict::Moved),
            (true, false) => (self.mishap.status, Verdict::Refused),
        }
    }

    /// What it is told once everything is known.
    fn final_status(&self) -> u16 {
        if self.moved { 200 } else { self.mishap.status }
    }
}

async fn check(world: &World, weather: &Weather, order_for: fn(&Shop) -> Order) -> Result<(), String> {
    let shop = world.shop().await;
    let order = order_for(&shop);
    let till = world.till("till", &shop).await;
    weather.over(world);
    let answer = till.place(&order).await;
    world.heal();
    if (answer.status, answer.verdict()) != weather.answer() {
        return Err(format!("{answer:?}"));
    }
    check_shape(&answer, &order)?;

    world.clock.advance_milliseconds(LEASE);
    world.settle().await;
    let again = till.place(&order).await;
    if (again.status, again.header("idempotent-replayed")) != (weather.final_status(), Some("true")) {
        return Err(format!("{answer:?}, and in the end {again:?}"));
    }
    if answer.verdict() != Verdict::Open && answer.body != again.body {
        return Err(format!("{answer:?} and then {again:?}"));
    }
    let books = Books::of(world, &shop).await;
    if books.moved.len() != usize::from(weather.moved) {
        return Err(format!("{books:?}"));
    }
    books.check(&shop)?;
    books.check_balances(world, &shop).await
}

/// `{ok: false, error: {message, details}}` of a sale, `{error, details}` of a payment.
fn check_shape(answer: &Answer, order: &Order) -> Result<(), String> {
    let names = |value: &Value| value.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>());
    let error = if order.path == crate::world::ISSUE { &answer.body["error"] } else { &answer.body };
    let expected =
        if order.path == crate::world::ISSUE { ["details", "message"] } else { ["details", "error"] };
    let fits = match answer.verdict() {
        Verdict::Moved => answer.body["ok"] == json!(true) && answer.body["data"].is_object(),
        Verdict::Open => {
            answer.detail("reference").is_string() && names(error) == Some(expected.map(str::to_owned).into())
        }
        _ => names(error) == Some(expected.map(str::to_owned).into()),
    };
    let may_wait = answer.status != 429 || answer.header("retry-after").is_none_or(|seconds| seconds == "30");
    if fits && may_wait { Ok(()) } else { Err(format!("the shape of {answer:?}")) }
}

#[tokio::test]
async fn whatever_the_network_does_the_till_is_told_the_truth() {
    let world = World::new().await;
    let mut count = 0;
    for weather in Weather::all() {
        for order_for in [
            |_: &Shop| Order::sale("sale", 2_500).keyed(),
            |shop: &Shop| Order::payment("payment", &shop.cards[0], 1_234).keyed(),
        ] {
            let told = check(&world, &weather, order_for).await;
            told.unwrap_or_else(|error| panic!("{weather:?}: {error}"));
            count += 1;
        }
    }
    println!("{count} mishaps");
}
