//! A proxy in front of the card network that drops each connection once it is idle, as happens while a function is frozen:
//! the client hears of it only when it uses the connection again, if at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use crate::harness::{Harness, Outcome, PosRequest, is_lookup};
use crate::reconciliation::Records;

/// What happens to a request on a connection that was idle.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Death {
    /// The connection is reset.
    Reset,
    /// The request is never answered.
    Silence,
}

/// Starts a proxy that forwards one request on each connection to `http://{target}`. Returns its URL.
pub(crate) async fn start_proxy(target: String, death: Death) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let Ok(server) = TcpStream::connect(&target).await else { continue };
            tokio::spawn(forward(client, server, death));
        }
    });
    url
}

async fn forward(client: TcpStream, server: TcpStream, death: Death) {
    client.set_zero_linger().unwrap();
    let is_idle = Arc::new(AtomicBool::new(false));
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let responses = tokio::spawn(forward_responses(from_server, to_client, is_idle.clone()));
    forward_requests(from_client, to_server, &is_idle, death).await;
    // Drops both halves of the connection to the client, which resets it.
    responses.abort();
}

async fn forward_responses(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, is_idle: Arc<AtomicBool>) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        is_idle.store(true, Ordering::SeqCst);
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}

async fn forward_requests(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, is_idle: &AtomicBool, death: Death) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        if is_idle.load(Ordering::SeqCst) {
            match death {
                Death::Reset => return,
                Death::Silence => continue,
            }
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}

/// Sells and redeems on one instance. Returns the number of calls whose outcome had to be looked up.
async fn sell_and_redeem(death: Death) -> usize {
    let harness = Harness::behind(death).await;
    let merchant = harness.merchant().await;
    let till = harness.till("till", &merchant).await;
    let (sender, lookups) = std::sync::mpsc::channel();
    harness.faults.decide(move |call| {
        if is_lookup(call) {
            sender.send(()).unwrap();
        }
        None
    });
    // The sale reads the offers first, so that a connection is idle from then on.
    for request in [
        PosRequest::sale("sale", 2_500),
        PosRequest::redemption("redemption", &merchant.cards[0], 1_234),
        PosRequest::redemption("another redemption", &merchant.cards[0], 1_234),
    ] {
        let response = till.send(&request).await;
        assert_eq!(response.outcome(), Outcome::Succeeded, "{death:?}: {response:?}");
    }
    let records = Records::read(&harness, &merchant).await;
    assert_eq!(records.movements.len(), 3);
    records.reconcile(&merchant).unwrap();
    lookups.try_iter().count()
}

#[tokio::test]
async fn money_moves_at_the_first_attempt_though_idle_connections_are_reset() {
    assert_eq!(sell_and_redeem(Death::Reset).await, 0);
}

#[tokio::test]
async fn money_moves_at_the_first_attempt_though_idle_connections_are_silent() {
    assert_eq!(sell_and_redeem(Death::Silence).await, 0);
}
