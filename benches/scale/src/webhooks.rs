//! Whether a merchant notices that another one's system is slow and has thousands of messages: what its sales take, and how long
//! after a sale its own system hears of it.

use std::collections::HashMap;
use std::fmt;
use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use shared::app::App;
use shared::db::{StoreError, Write, pack_transactions};
use shared::values::{MerchantId, OrderId, later};
use shared::webhooks::model::{Event, MessageBody};
use tokio::net::TcpListener;

use crate::error::BenchError;
use crate::figures::milliseconds;
use crate::machine;
use crate::system::System;

const WEBHOOKS: &str = "/api/bff/webhooks";
const ISSUE: &str = "/api/bff/pos/issue";
const ORDER: &str = "/data/orderId";
const SALES: u32 = 40;
const PAUSE: Duration = Duration::from_millis(250);
/// Longer than the two seconds after which an endpoint is a slow one.
const SLOW: Duration = Duration::from_millis(2_500);
/// Longer than any message of the quick merchant should take.
const PATIENCE: Duration = Duration::from_mins(1);
/// The worker puts five messages into a queue in a transaction: a delivery and its entry for each.
const ROWS_AT_ONCE: usize = 10;
const BODY_BYTES: usize = 500;
const OTHER: &str = "m-other";
const OTHER_ORDER: &str = "o-other";

/// Medians and maxima.
struct Phase {
    name: &'static str,
    sale: Times,
    delivery: Times,
}

struct Times(Vec<Duration>);

/// What the phases have taken.
pub(crate) struct Comparison {
    messages: u32,
    phases: Vec<Phase>,
    /// Messages that the slow system has got.
    slow: usize,
}

/// When each order's message arrived.
type Arrivals = Arc<Mutex<HashMap<String, Instant>>>;

/// Sells alone, then while somebody writes rows, then while a slow system of another merchant has `messages` messages whose bodies are to
/// be made, then while it is sent them.
pub(crate) async fn compare(system: &System, messages: u32) -> Result<Comparison, BenchError> {
    let other = json!({
        "merchants": [{"id": OTHER, "slug": OTHER, "status": "ACTIVE", "name": "Other", "currency": "SEK"}],
        "users": [{"id": "u-other", "email": "admin@other.example", "emailVerified": true, "merchantId": OTHER,
            "merchantTeamRole": "ADMIN"}],
        "orders": [{"id": OTHER_ORDER, "merchantId": OTHER, "status": "COMPLETED", "currency": "SEK", "totalAmountMinor": 10_000,
            "createdAt": system.app().clock.now()}],
    });
    system.post("/__local/fixtures", &other).await?;
    let (quick, arrivals) = receiver(Duration::ZERO).await?;
    let (slow, at_slow) = receiver(SLOW).await?;
    let endpoint = |url: &str| json!({"url": url, "events": ["gift_card.issued"]});
    system.post(WEBHOOKS, &endpoint(&quick)).await?;
    system.signed_in("u-other").await?.post(WEBHOOKS, &endpoint(&slow)).await?;
    system.drain().await?;

    // The workers of the local system wait for each other, those of AWS do not: only the latter work meanwhile.
    let app = system.app();
    let mut phases = Vec::new();
    let measuring = async {
        phases.push(measure(system, &arrivals, "alone").await?);
        phases.push(tokio::select! {
            phase = measure(system, &arrivals, "rows are written") => phase?,
            failed = write_rows(app) => return Err(failed),
        });
        tell(app, messages).await?;
        phases.push(measure(system, &arrivals, "bodies are made").await?);
        while !app.store.due_webhook_messages(1, 1).await?.is_empty() {
            tokio::time::sleep(PAUSE).await;
        }
        phases.push(measure(system, &arrivals, "messages wait").await?);
        Ok::<_, BenchError>(())
    };
    let working = async {
        loop {
            let until = later(app.clock.now(), SignedDuration::from_secs(60));
            deliveries::work(app, deliveries::Shift { work: deliveries::Work::Continuously, until }).await;
        }
    };
    system
        .pause(Box::pin(async {
            tokio::select! {
                result = measuring => result,
                () = working => pending().await,
            }
        }))
        .await?;
    let slow = locked(&at_slow).len();
    Ok(Comparison { messages, phases, slow })
}

/// Sells, and waits for the message of each sale.
async fn measure(system: &System, arrivals: &Arrivals, name: &'static str) -> Result<Phase, BenchError> {
    eprintln!("{name}: {SALES} sales");
    let mut sold = Vec::new();
    let mut sale = Vec::new();
    for _ in 0..SALES {
        let begun = Instant::now();
        let response = system.post(ISSUE, &json!({"value": 50, "deliveryDetails": {"deliveryType": "QR"}})).await?;
        sale.push(begun.elapsed());
        let order = response.pointer(ORDER).and_then(Value::as_str);
        let order = order.ok_or_else(|| BenchError::Missing { path: ISSUE.to_owned(), pointer: ORDER })?;
        sold.push((order.to_owned(), Instant::now()));
        tokio::time::sleep(PAUSE).await;
    }
    let mut delivery = Vec::new();
    for (order, at) in sold {
        while !locked(arrivals).contains_key(&order) && at.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        delivery.push(locked(arrivals).get(&order).map_or(PATIENCE, |arrived| arrived.saturating_duration_since(at)));
    }
    Ok(Phase { name, sale: Times(sale), delivery: Times(delivery) })
}

/// Records events of the other merchant, as its sales do.
async fn tell(app: &App, messages: u32) -> Result<(), BenchError> {
    let Some(merchant) = app.store.merchant(&MerchantId::new(OTHER)).await? else { return Ok(()) };
    let now: Timestamp = app.clock.now();
    let event = || Event::GiftCardIssued { order_id: OrderId::new(OTHER_ORDER), offer_id: None, store_id: None };
    let writes = (0..messages).filter_map(|_| app.store.webhook_message(&merchant, event(), now).transpose());
    let writes: Vec<Vec<Write>> = writes.map(|write| Ok(vec![write?])).collect::<Result<_, StoreError>>()?;
    for transaction in pack_transactions(writes) {
        app.store.commit_if_possible(transaction).await?;
    }
    Ok(())
}

/// Writes as many rows at once as the worker that makes bodies does, of messages that nobody is sent: how much slower a sale is made by a
/// DynamoDB that is busy, whoever it works for. Returns only what has failed.
async fn write_rows(app: &App) -> BenchError {
    let merchant = MerchantId::new(OTHER);
    loop {
        let body = "-".repeat(BODY_BYTES);
        let now = app.clock.now();
        let row = || MessageBody::new(app.store.new_webhook_message_id(now), merchant.clone(), body.clone(), now);
        let writes: Result<Vec<Write>, StoreError> = (0..ROWS_AT_ONCE).map(|_| Write::create(&row())).collect();
        let written = match writes {
            Ok(writes) => app.store.commit_if_possible(writes).await,
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            return error.into();
        }
    }
}

/// A system that answers after some time. Returns its URL.
async fn receiver(delay: Duration) -> Result<(String, Arrivals), BenchError> {
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(BenchError::Receiver)?;
    let url = format!("http://{}/", listener.local_addr().map_err(BenchError::Receiver)?);
    let arrivals = Arrivals::default();
    let arrived = arrivals.clone();
    let router = Router::new().fallback(move |body: Bytes| {
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let order = message.pointer("/data/orderId").and_then(Value::as_str).unwrap_or_default();
        // The other merchant's messages are all about one order.
        let id = if order == OTHER_ORDER { locked(&arrived).len().to_string() } else { order.to_owned() };
        locked(&arrived).entry(id).or_insert_with(Instant::now);
        async move {
            tokio::time::sleep(delay).await;
            StatusCode::NO_CONTENT
        }
    });
    tokio::spawn(async { axum::serve(listener, router).await });
    Ok((url, arrivals))
}

fn locked(arrivals: &Arrivals) -> std::sync::MutexGuard<'_, HashMap<String, Instant>> {
    arrivals.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Times {
    fn median(&self) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    }

    fn longest(&self) -> Duration {
        self.0.iter().max().copied().unwrap_or_default()
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{SALES} sales in each phase; {} messages of the other merchant. {}", self.messages, machine::description())?;
        writeln!(f, "\n| phase | sale, median ms | ratio | longest | message arrives after, median ms | ratio | longest |")?;
        writeln!(f, "|---|---|---|---|---|---|---|")?;
        let Some(alone) = self.phases.first() else { return Ok(()) };
        for Phase { name, sale, delivery } in &self.phases {
            write!(f, "| {name} ")?;
            for (times, alone) in [(sale, &alone.sale), (delivery, &alone.delivery)] {
                let ratio = times.median().as_secs_f64() / alone.median().as_secs_f64();
                write!(f, "| {} | {ratio:.2} | {} ", milliseconds(times.median()), milliseconds(times.longest()))?;
            }
            writeln!(f, "|")?;
        }
        write!(f, "\nThe slow system has got {} messages by then.", self.slow)
    }
}
