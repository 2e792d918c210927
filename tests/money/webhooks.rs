//! Events of webhooks are written with what they tell, or not at all, wherever an invocation is interrupted.

use shared::cards::model::order::OrderStatus;
use shared::cards::model::redemption::RedemptionStatus;
use shared::db::Write;
use shared::values::{UserId, WebhookEndpointId};
use shared::webhooks::model::{Endpoint, EndpointSettings, Event, EventType, Hosts, SealedSecret, WebhookUrl};

use crate::crashes::{Function, NetworkCondition, REDEMPTION, RequestFor, SALE, run};
use crate::harness::{Harness, TestMerchant};
use crate::reconciliation::Records;

/// An endpoint that wants everything.
async fn add_endpoint(harness: &Harness, merchant: &TestMerchant) {
    let settings = EndpointSettings {
        url: WebhookUrl::parse("http://127.0.0.1:9/", &Hosts::Local).unwrap(),
        events: EventType::ALL.map(Into::into).into(),
        description: None,
        secret: SealedSecret("never used".to_owned()),
    };
    let (id, now, store) = (WebhookEndpointId::new("e"), harness.app.clock.now(), &harness.app.store);
    let endpoint = Endpoint::new(id, merchant.id.clone(), settings, UserId::new("u"), now);
    let webhooks = store.webhooks(&merchant.id).await.unwrap().unwrap();
    store.commit(vec![Write::create(&endpoint).unwrap(), webhooks.with(&endpoint).unwrap()]).await.unwrap();
}

/// Compares the ids in the messages with those of the rows, each with its event.
async fn check(harness: &Harness, merchant: &TestMerchant) -> Result<(), String> {
    let records = Records::read(harness, merchant).await;
    let orders = records.orders.iter().filter(|order| order.status == OrderStatus::Completed);
    let orders = orders.map(|order| format!("gift_card.issued {}", order.id));
    let redemptions = records.redemptions.iter().filter(|redemption| redemption.status == RedemptionStatus::Succeeded);
    let redemptions = redemptions.map(|redemption| format!("gift_card.redeemed {}", redemption.id));
    let settlements = records.settlements.iter().map(|settlement| format!("settlement.created {}", settlement.id));
    let mut happened: Vec<String> = orders.chain(redemptions).chain(settlements).collect();
    let messages = harness.app.store.due_webhook_messages(usize::MAX, usize::MAX).await.unwrap();
    let of_merchant = messages.iter().filter(|message| message.merchant_id == merchant.id);
    let told = of_merchant.filter_map(|message| match &message.event {
        Event::GiftCardIssued { order_id, .. } => Some(format!("gift_card.issued {order_id}")),
        Event::GiftCardRedeemed { redemption_id, .. } => Some(format!("gift_card.redeemed {redemption_id}")),
        Event::SettlementCreated { settlement_id } => Some(format!("settlement.created {settlement_id}")),
        _ => None,
    });
    let mut told: Vec<String> = told.collect();
    happened.sort_unstable();
    told.sort_unstable();
    if happened == told { Ok(()) } else { Err(format!("{happened:?} happened, {told:?} is told")) }
}

/// Returns the number of crashes.
async fn test_crashes(request_for: RequestFor, condition: NetworkCondition) -> usize {
    let harness = Harness::new().await;
    for point in 0.. {
        let merchant = harness.merchant().await;
        add_endpoint(&harness, &merchant).await;
        let request = request_for(&merchant);
        let crash = run(&harness, &merchant, &request, Function::Pos, point, condition).await;
        let case = format!("{} in {condition:?}, {crash:?}", request.path);
        check(&harness, &merchant).await.unwrap_or_else(|error| panic!("{case}: {error}"));
        harness.sweep_until_idle().await;
        check(&harness, &merchant).await.unwrap_or_else(|error| panic!("{case}, then recovered: {error}"));
        if crash.is_ok() {
            return point;
        }
    }
    unreachable!()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_written_with_what_it_tells_wherever_an_invocation_is_interrupted() {
    let mut crashes = 0;
    for request_for in [SALE, REDEMPTION] {
        for condition in NetworkCondition::ALL {
            crashes += test_crashes(request_for, condition).await;
        }
    }
    println!("{crashes} crashes");
}
