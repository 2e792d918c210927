//! A stack changes to a restored table while tills sell: versions of both tables serve for a while, and the old one is closed.

use admin::restore::{complete, prepare};
use local::table;
use shared::app::App;
use shared::aws::Aws;
use shared::db::model::restore::{RestoreStep, Restores};
use shared::db::{Store, Write};
use upstreams::faults::Call;

use crate::harness::{Harness, PosRequest, Till, closed_table};
use crate::restores::all_rows;

/// The instance that still uses the old table.
const OLD: &str = "old";

/// An instance with a copy of the table, as it is now.
async fn copy(harness: &Harness) -> App {
    const RESTORED: &str = "restored";
    let client = Aws::new(harness.app.settings.aws.clone()).dynamodb();
    table::ensure(&client, RESTORED).await.unwrap();
    let app = harness.instance_with_setting(RESTORED, ("TABLE_NAME", RESTORED));
    let rows = all_rows(&client, &harness.app.settings.table).await;
    app.store.import(rows.into_iter().map(|row| vec![row]).collect()).await.unwrap();
    app
}

/// The old table refuses what its version writes.
fn close(harness: &Harness) {
    let writes = ["BatchWriteItem", "DeleteItem", "PutItem", "TransactWriteItems", "UpdateItem"];
    let is_refused = move |call: &Call<'_>| call.application() == Some(OLD) && writes.contains(&call.operation);
    harness.faults.decide(move |call| is_refused(&call).then(closed_table));
}

/// As the hook of the rollout does.
async fn use_table(store: &Store) {
    let read = store.restores().await.unwrap().unwrap();
    let used = Restores { step: RestoreStep::InUse, ..read.value.clone() };
    store.commit(vec![Write::replace(&read, &used).unwrap()]).await.unwrap();
}

#[tokio::test]
async fn what_a_till_repeats_while_versions_of_both_tables_serve_is_sold_once() {
    let harness = Harness::new().await;
    let merchant = harness.merchant().await;
    let old = harness.till(OLD, &merchant).await;
    let sale = |label: &str| PosRequest::sale(label, 10_000).with_idempotency_key();
    let sold = || harness.network.operations().len();

    assert_eq!(old.send(&sale("before")).await.status, 200);
    let (restored, moment) = (copy(&harness).await, harness.app.clock.now());
    harness.clock.advance_milliseconds(60_000);
    assert_eq!(old.send(&sale("lost")).await.status, 200);
    close(&harness);
    prepare(&restored.store, Some(&harness.app.store), moment, harness.app.clock.now()).await.unwrap();
    use_table(&restored.store).await;
    let token = harness.sign_in_at(&restored.store, &merchant).await;
    let new = Till::of_instance("new", token, restored.clone());

    for _ in 0..2 {
        for (label, by_old, by_new) in [("before", 200, 200), ("lost", 200, 409), ("new", 503, 200)] {
            let answers = (old.send(&sale(label)), new.send(&sale(label)));
            let (of_old, of_new) = tokio::join!(answers.0, answers.1);
            assert_eq!((of_old.status, of_new.status), (by_old, by_new), "{label}: {of_old:?}, {of_new:?}");
            if of_old.status == 503 {
                assert_eq!(of_old.money_moved(), "not-yet", "{of_old:?}");
            }
        }
    }
    assert_eq!(sold(), 3, "one sale under each key");

    complete(&restored.store, harness.app.clock.now()).await.unwrap();
    for (label, status) in [("before", 200), ("lost", 409), ("new", 200)] {
        assert_eq!(new.send(&sale(label)).await.status, status, "{label}");
    }
    assert_eq!((new.send(&sale("later")).await.status, sold()), (200, 4));
}
