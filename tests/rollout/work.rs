//! The builds do the due work in turns.

use std::time::Duration;

use serde_json::{Value, json};
use shared::store::keys::{JOBS, Key};

use crate::{Rollout, Version};

/// The batch sizes of the deployment.
const BATCH_SIZE: usize = 10;
const PROJECTED_BATCH_SIZE: usize = 1000;

impl Rollout {
    /// Recounts the tallies of the stream's records, runs their new jobs, and one sweep.
    pub(crate) async fn work(&mut self) {
        let records = self.system.new_records().await;
        for batch in records.chunks(PROJECTED_BATCH_SIZE) {
            let version = self.worker(self.projected_batches);
            self.projected_batches += 1;
            self.builds[&version].work("projections", &json!({"Records": batch})).await;
        }
        let jobs: Vec<Value> = records.into_iter().filter(is_new_job).collect();
        for batch in jobs.chunks(BATCH_SIZE) {
            let version = self.worker(self.batches);
            self.batches += 1;
            self.builds[&version].work("jobs", &json!({"Records": batch})).await;
            for record in batch {
                self.check_job_after_its_batch(version, &record["dynamodb"]["NewImage"]).await;
            }
        }
        let version = self.worker(self.sweeps);
        self.sweeps += 1;
        self.sweep(version).await;
    }

    /// Returns the build whose turn it is.
    fn worker(&self, turn: usize) -> Version {
        let live = self.live();
        live[turn % live.len()]
    }

    /// The old build skips the jobs that it cannot read and does the others of the batch.
    async fn check_job_after_its_batch(&mut self, version: Version, job: &Value) {
        let stored = self.system.item(&item_key(job)).await;
        if version == Version::Old && is_new_task(job) {
            assert_eq!(stored, *job, "the old build changed a job that it cannot read");
            self.skipped_jobs += 1;
        } else {
            assert_eq!(stored, Value::Null, "{version:?} did not finish the job");
        }
    }

    async fn sweep(&mut self, version: Version) {
        let before: Vec<Value> = self.system.jobs().await.into_iter().filter(is_new_task).collect();
        self.builds[&version].work("sweep", &json!({})).await;
        for job in before {
            let stored = self.system.item(&item_key(&job)).await;
            let expected = if version == Version::Old { job } else { Value::Null };
            assert_eq!(stored, expected, "{version:?}");
        }
    }

    /// Works until the live build has closed all operations whose responses were lost.
    pub(crate) async fn close_open_operations(&mut self) {
        const MAX_SWEEPS: usize = 30;
        for _ in 0..MAX_SWEEPS {
            self.work().await;
            if self.system.open_operations().await == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        panic!("operations are open after {MAX_SWEEPS} sweeps");
    }

    /// After the rollback, only jobs that the old build cannot read are left. The new build does them once it is rolled
    /// out again.
    pub(crate) async fn finish_jobs(&mut self) {
        let waiting = self.system.jobs().await;
        assert!(!waiting.is_empty(), "no new job waited during the rollback");
        assert!(waiting.iter().all(is_new_task), "{waiting:?}");
        assert_ne!(self.skipped_jobs, 0);
        println!("the old build skipped {} new jobs, {} still wait", self.skipped_jobs, waiting.len());
        self.sweep(Version::New).await;
        assert_eq!(self.system.jobs().await, Vec::<Value>::new());
        let last_sale = self.merchant_item("LAST_SALE").await;
        assert!(last_sale["order_id"]["S"].is_string(), "{last_sale}");
        println!("rolled out again: the new build did them");
    }
}

/// Whether a record passes the event filter of the jobs.
fn is_new_job(record: &Value) -> bool {
    let pk = record["dynamodb"]["Keys"]["pk"]["S"].as_str().unwrap();
    record["eventName"] == "INSERT" && pk.starts_with(JOBS)
}

fn item_key(item: &Value) -> Key {
    let [pk, sk] = ["pk", "sk"].map(|name| item[name]["S"].as_str().unwrap().to_owned());
    Key { pk, sk }
}

/// Whether only the new build can read a job.
fn is_new_task(job: &Value) -> bool {
    job["task"]["M"]["RecordSale"].is_object()
}
