//! What guessing comes to: somebody tries as many codes as they like, on a clock that is moved by hand. Their requests go to the
//! handlers of the accounts function without the gateway, so that a million fit into minutes.
//!
//! `GUESSES` is the number of guesses at mailed codes; a tenth of it are guesses at pairing codes. The right code is among the
//! guesses at each code, at a random place: it is accepted if the place is within the limits, and at no other.
//!
//! The times of responses can be guessed from, too: `--ignored` measures whether they tell who has an account.
#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

use std::time::Instant;

use axum::Router;
use axum::body::Body;
use http::Request;
use http_body_util::BodyExt;
use lambda_http::request::LambdaRequest;
use serde_json::{Value, json};
use shared::app::App;
use shared::base::clock::Clock;
use shared::base::random::Random;
use shared::base::settings::Settings;
use shared::limits::model::CODE_ATTEMPTS;
use shared::values::ChallengeId;
use tokio::task::JoinSet;
use tower::ServiceExt;
use world::{ManualClock, SeededRandom, System};

const ANNA: &str = "admin@aurora.example";
const CODE: &str = "/api/auth/code";
const SESSION: &str = "/api/auth/session";
const TILLS: &str = "/api/auth/tills";
const PAIRING: &str = "/api/auth/tills/pairing";

const HOUR: i64 = 60 * 60;
/// Seconds that a mailed code is good for.
const LIFETIME: i64 = 10 * 60;
/// SECURITY.md: the codes that an address gets in an hour, whoever asks.
const CODES_PER_HOUR: usize = 20;
/// SECURITY.md: the guesses at one user's codes in an hour. Five codes are those of a browser of the user.
const GUESSES_PER_HOUR: u64 = 125;
const CODES: f64 = (1_u64 << 40) as f64;

const GUESSES_PER_CODE: usize = 250;
/// Some guess at the last codes of an hour three times, and go on after the codes have expired.
const LATE_CODES: usize = 2;
const GUESSES_IN_TIME: usize = 3;

/// SECURITY.md: the pairing codes that a client can try in an hour.
const PAIRINGS_PER_HOUR: usize = 20;
const PAIRING_CLIENTS: usize = 10;
const PAIRINGS_PER_CLIENT: usize = 100;

fn guesses() -> usize {
    std::env::var("GUESSES").map_or(5_000, |number| number.parse().expect("GUESSES is a number"))
}

/// The accounts function, without the gateway.
#[derive(Clone)]
struct Function {
    router: Router,
    app: App,
}

impl Function {
    fn of(system: &System, clock: Clock) -> Self {
        let settings = Settings::read(|name| match name {
            "AWS_LAMBDA_FUNCTION_NAME" => Some("accounts".to_owned()),
            name => system.local.environment.get(name).cloned(),
        });
        let app = App::new(settings.unwrap(), clock, Random::system());
        Self { router: accounts::routes().into_router(app.clone()), app }
    }

    /// The status and the body of the response to a client of this number.
    async fn post(&self, client: usize, path: &str, token: Option<&str>, body: &Value) -> (u16, Value) {
        let mut headers = json!({"content-type": "application/json", "host": "portal.example"});
        if let Some(token) = token {
            headers["authorization"] = json!(format!("Bearer {token}"));
        }
        let event = json!({
            "version": "2.0", "routeKey": "$default", "rawPath": path, "rawQueryString": "", "headers": headers,
            "requestContext": {
                "http": {"method": "POST", "path": path, "sourceIp": format!("192.0.2.{client}")}, "timeEpoch": 0,
            },
            "body": body.to_string(), "isBase64Encoded": false,
        });
        let event: LambdaRequest = serde_json::from_value(event).unwrap();
        let request: Request<lambda_http::Body> = event.into();
        let request = request.map(|body| Body::from(body.to_vec()));
        let (head, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        (head.status.as_u16(), serde_json::from_slice(&body).unwrap_or_default())
    }
}

/// A code that somebody guesses at.
#[derive(Debug, Clone)]
struct Target {
    challenge: ChallengeId,
    guesses: Vec<String>,
    /// Where the right code is among the guesses.
    right: usize,
    /// The number of guesses before the code expires.
    in_time: usize,
}

/// What became of the guesses at a code.
struct Guessed {
    target: Target,
    accepted: Option<usize>,
}

fn random_code(random: &mut SeededRandom, characters: usize) -> String {
    (0..characters).map(|_| char::from(*random.pick(b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ"))).collect()
}

/// The codes that somebody gets for the address in this hour, with as many clients as it takes.
async fn targets(function: &Function, random: &mut SeededRandom) -> Vec<Target> {
    let key = function.app.code_key().await.unwrap();
    let mut targets = Vec::new();
    for request in 0..2 * CODES_PER_HOUR {
        let (status, body) = function.post(request / 8, CODE, None, &json!({"email": ANNA})).await;
        if status == 429 {
            continue;
        }
        assert_eq!(status, 202, "{body}");
        let challenge = ChallengeId::new(body["data"]["challengeId"].as_str().unwrap());
        let stored = function.app.store.challenge(&challenge).await.unwrap().unwrap();
        let right = usize::try_from(random.below(GUESSES_PER_CODE.try_into().unwrap())).unwrap();
        let mut guesses: Vec<String> = (0..GUESSES_PER_CODE).map(|_| random_code(random, 8)).collect();
        guesses[right] = stored.code(&key).expose();
        let is_late = targets.len() >= CODES_PER_HOUR - LATE_CODES;
        let in_time = if is_late { GUESSES_IN_TIME } else { GUESSES_PER_CODE };
        targets.push(Target { challenge, guesses, right, in_time });
    }
    targets
}

async fn try_all(function: &Function, targets: &[Target], in_time: bool) -> Vec<Guessed> {
    let mut running = JoinSet::new();
    for target in targets.iter().cloned() {
        let function = function.clone();
        running.spawn(async move {
            let range = if in_time { 0..target.in_time } else { target.in_time..GUESSES_PER_CODE };
            let mut accepted = None;
            for place in range {
                let body = json!({"challengeId": target.challenge, "code": target.guesses[place]});
                let (status, body) = function.post(place % 10, SESSION, None, &body).await;
                match status {
                    200 => accepted = accepted.or(Some(place)),
                    _ => {
                        assert_eq!((status, &body["error"]["code"]), (400, &json!("CODE_INVALID")), "{body}");
                    }
                }
            }
            Guessed { target, accepted }
        });
    }
    running.join_all().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_million_guesses_are_compared_no_more_often_than_the_limits_allow() {
    let manual_clock = ManualClock::new(Clock::system().now());
    let system = System::with_clock(manual_clock.clock()).await;
    let function = Function::of(&system, manual_clock.clock());
    let (mut random, mut hours, mut made, mut compared, mut accepted) = (SeededRandom::new(1), 0, 0, 0, 0);
    while made < guesses() {
        let targets = targets(&function, &mut random).await;
        assert_eq!(targets.len(), CODES_PER_HOUR, "codes in an hour");
        let on_time = try_all(&function, &targets, true).await;
        manual_clock.advance(LIFETIME);
        for Guessed { target, accepted } in try_all(&function, &targets, false).await {
            assert_eq!(accepted, None, "after it had expired: {target:?}");
        }
        let mut compared_in_hour = 0;
        for Guessed { target, accepted: place } in on_time {
            let attempts = target.in_time.min(CODE_ATTEMPTS.max);
            assert_eq!(place, Some(target.right).filter(|right| *right < attempts), "{target:?}");
            // A code that was accepted is gone.
            let stored = function.app.store.challenge(&target.challenge).await.unwrap();
            assert_eq!(stored.is_none(), place.is_some(), "{target:?}");
            compared_in_hour += stored.map_or(target.right as u64 + 1, |challenge| u64::from(challenge.attempts));
            accepted += usize::from(place.is_some());
        }
        assert!(compared_in_hour <= GUESSES_PER_HOUR, "{compared_in_hour} guesses in an hour");
        made += targets.len() * GUESSES_PER_CODE;
        compared += compared_in_hour;
        hours += 1;
        manual_clock.advance(HOUR - LIFETIME);
    }
    let promised = GUESSES_PER_HOUR * hours;
    println!(
        "{made} guesses at {} codes of one user in {hours} hours: {compared} were compared, at most {promised} are promised. \
         Who knows nothing succeeds with a probability of {:.1e}, at most {:.1e}. The right code was among the guesses at every \
         code, and was accepted {accepted} times.",
        made / GUESSES_PER_CODE,
        compared as f64 / CODES,
        promised as f64 / CODES,
    );
    assert!(compared <= promised);
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_at_pairing_codes_are_compared_no_more_often_than_the_limits_allow() {
    let manual_clock = ManualClock::new(Clock::system().now());
    let system = System::with_clock(manual_clock.clock()).await;
    let function = Function::of(&system, manual_clock.clock());
    let (mut random, mut hours, mut made, mut compared, mut paired) = (SeededRandom::new(2), 0_u32, 0, 0, 0);
    while made < guesses() / 10 {
        let admin = system.sign_in("u-admin").await;
        let till = json!({"name": format!("Till {hours}"), "retailStoreId": "1"});
        let (status, till) = function.post(0, TILLS, Some(admin.token()), &till).await;
        assert_eq!(status, 201, "{till}");
        let client = usize::try_from(random.below(PAIRING_CLIENTS.try_into().unwrap())).unwrap();
        let place = usize::try_from(random.below(PAIRINGS_PER_CLIENT.try_into().unwrap())).unwrap();
        let mut running = JoinSet::new();
        for number in 0..PAIRING_CLIENTS {
            let mut codes: Vec<String> = (0..PAIRINGS_PER_CLIENT).map(|_| random_code(&mut random, 10)).collect();
            if number == client {
                codes[place] = till["data"]["pairingCode"].as_str().unwrap().to_owned();
            }
            let function = function.clone();
            running.spawn(async move {
                let (mut compared, mut paired) = (0, 0);
                for code in codes {
                    let (status, body) = function.post(number, PAIRING, None, &json!({"code": code})).await;
                    assert!(matches!(status, 200 | 400 | 429), "{status} {body}");
                    compared += usize::from(status != 429);
                    paired += usize::from(status == 200);
                }
                (compared, paired)
            });
        }
        let mut paired_in_hour = 0;
        for (compared_by_client, paired_by_client) in running.join_all().await {
            assert_eq!(compared_by_client, PAIRINGS_PER_HOUR);
            compared += compared_by_client;
            paired_in_hour += paired_by_client;
        }
        assert_eq!(paired_in_hour, usize::from(place < PAIRINGS_PER_HOUR), "the right code was guess {place}");
        paired += paired_in_hour;
        made += PAIRING_CLIENTS * PAIRINGS_PER_CLIENT;
        hours += 1;
        manual_clock.advance(HOUR);
    }
    println!(
        "{made} guesses at pairing codes by {PAIRING_CLIENTS} clients in {hours} hours: {compared} were compared. The right code \
         was among the guesses of every hour, and was accepted {paired} times."
    );
}

/// The probability that a request of the first kind took longer than one of the second: 0.5 if nothing tells them apart.
fn area_under_curve(first: &[f64], second: &[f64]) -> f64 {
    let wins = |one: &f64| {
        let points = second.iter().map(|other| match one.total_cmp(other) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        });
        points.sum::<f64>()
    };
    first.iter().map(wins).sum::<f64>() / (first.len() as f64 * second.len() as f64)
}

#[test]
fn the_area_under_the_curve_is_one_half_for_what_cannot_be_told_apart() {
    for (first, second, area) in
        [(&[1.0, 2.0][..], &[1.0, 2.0][..], 0.5), (&[3.0, 4.0], &[1.0, 2.0], 1.0), (&[1.0], &[2.0, 3.0, 0.0, 1.0], 0.375)]
    {
        assert!((area_under_curve(first, second) - area).abs() < 1e-9, "{first:?} {second:?}");
    }
}

/// Prints how well the times of responses tell addresses with an account from others. No time is asserted: a busy machine is no
/// failure.
#[tokio::test]
#[ignore = "measures time; run it in release, alone"]
async fn times_of_responses_do_not_tell_who_has_an_account() {
    const TIMINGS: usize = 5_000;
    const WARM_UP: usize = 200;
    let manual_clock = ManualClock::new(Clock::system().now());
    let system = System::with_clock(manual_clock.clock()).await;
    let function = Function::of(&system, manual_clock.clock());
    let mut random = SeededRandom::new(3);
    // As many of each kind, in random order. All addresses look alike.
    let mut is_known: Vec<bool> = (0..TIMINGS + WARM_UP).map(|number| number % 2 == 0).collect();
    for last in (1..is_known.len()).rev() {
        is_known.swap(last, usize::try_from(random.below(i64::try_from(last + 1).unwrap())).unwrap());
    }
    let address = |number: usize| format!("person-{number:05}@people.example");
    let known = is_known.iter().enumerate().filter(|(_, is_known)| **is_known);
    let users = known.map(|(number, _)| json!({"id": format!("u-{number:05}"), "email": address(number)}));
    system.load_fixtures(&json!({"users": users.collect::<Vec<_>>()})).await;
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for (number, is_known) in is_known.into_iter().enumerate() {
        let body = json!({"email": address(number)});
        let started = Instant::now();
        let (status, body) = function.post(1, CODE, None, &body).await;
        let seconds = started.elapsed().as_secs_f64();
        assert_eq!(status, 202, "{body}");
        if number >= WARM_UP {
            if is_known { &mut known } else { &mut unknown }.push(seconds);
        }
        // The mail of one request must not slow down the next one.
        system.drain().await;
        // One client gets sixty codes an hour.
        manual_clock.advance(61);
    }
    let area = area_under_curve(&known, &unknown);
    let (first, second) = (known.len() as f64, unknown.len() as f64);
    let margin = 1.96 * ((first + second + 1.0) / (12.0 * first * second)).sqrt();
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2] * 1e3
    };
    println!(
        "{} timings of {CODE}: area under the curve {area:.4}; by chance it is 0.5 ± {margin:.4} in 95 of 100 runs. Median {:.3} \
         ms of known and {:.3} ms of unknown addresses.",
        known.len() + unknown.len(),
        median(&mut known),
        median(&mut unknown),
    );
}
