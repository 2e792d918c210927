//! 1,000 concurrent requests with the same idempotency key.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::harness::{Harness, Outcome, PosRequest, Response, Till};
use crate::reconciliation::Records;

const REQUESTS: usize = 1_000;
/// With more concurrent requests, calls to the embedded database time out.
const MAX_CONCURRENCY: usize = 50;

#[tokio::test(flavor = "multi_thread")]
async fn moves_money_once_for_a_thousand_requests_with_the_same_key() {
    let harness = Harness::new().await;
    let merchant = harness.merchant().await;
    let token = harness.sign_in(&merchant).await;
    for request in [PosRequest::sale("sale", 2_500), PosRequest::redemption("redemption", &merchant.cards[0], 1_234)] {
        let request = request.with_idempotency_key();
        let mut running: JoinSet<Response> = JoinSet::new();
        let permits = Arc::new(Semaphore::new(MAX_CONCURRENCY));
        let tills: Vec<Till> =
            (0..MAX_CONCURRENCY).map(|till| harness.till_with_token(&format!("till-{till}"), token.clone())).collect();
        for till in tills.iter().cycle().take(REQUESTS) {
            let response = till.send(&request);
            let permits = permits.clone();
            running.spawn(async move {
                let _permit = permits.acquire_owned().await.unwrap();
                response.await
            });
        }
        let responses = running.join_all().await;
        let (succeeded, others): (Vec<&Response>, Vec<&Response>) =
            responses.iter().partition(|response| response.outcome() == Outcome::Succeeded);
        let last = harness.till_with_token("till", token.clone()).send(&request).await;
        assert!(last.is_replay(), "{last:?}");
        assert!(succeeded.iter().all(|response| response.body == last.body), "{succeeded:?}");
        let first_responses = succeeded.iter().filter(|response| response.header("idempotent-replayed").is_none());
        assert_eq!(first_responses.count(), 1);
        for response in &others {
            let conflict = (response.status, response.header("retry-after"), response.outcome());
            assert_eq!(conflict, (409, Some("2"), Outcome::Open), "{response:?}");
        }
        let records = Records::read(&harness, &merchant).await;
        assert_eq!(records.successes(&request.label), 1);
        records.reconcile(&merchant).unwrap();
        records.reconcile_balances(&harness, &merchant).await.unwrap();
        println!("{}: {} requests succeeded, {} were told to retry", request.path, succeeded.len(), others.len());
    }
}
