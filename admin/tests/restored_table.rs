//! Runs `admin restore prepare` on a table that no function uses, as described in docs/restore.md.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::process::Command;

use jiff::Timestamp;
use local::{Local, Options, StartingState, table};
use shared::aws::Aws;
use shared::clock::Clock;
use shared::domain::ids::{JobId, MerchantId, RedemptionId, UserId};
use shared::domain::team::User;
use shared::metrics::Metrics;
use shared::random::Random;
use shared::store::jobs::{Job, JobState, Task};
use shared::store::sessions::Token;
use shared::store::team::user_record;
use shared::store::{Store, Write};

const RESTORED: &str = "restored";
const PREVIOUS: &str = "previous";

struct System {
    local: Local,
    restored: Store,
    previous: Store,
    now: Timestamp,
}

impl System {
    async fn start() -> Self {
        let options = Options { fixtures: StartingState::Nothing, ..Options::default() };
        let local = Local::start(options).await.unwrap();
        let (restored, previous) = (open(&local, RESTORED).await, open(&local, PREVIOUS).await);
        Self { local, restored, previous, now: Clock::system().now() }
    }

    /// Runs the command, and returns its report.
    async fn prepare(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_admin"));
        command.args(["restore", "prepare"]).args(arguments);
        command.envs(&self.local.environment).env("TABLE_NAME", RESTORED);
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn job(&self, id: &str, task: Task) -> Job {
        Job::with_id(JobId::new(id), MerchantId::new("m"), task, self.now)
    }

    async fn sign_in(&self) -> Token {
        let user = User::new(UserId::new("u"), "anna@aurora.example".to_owned());
        self.restored.import(vec![user_record(&user, None).unwrap()]).await.unwrap();
        let token = self.restored.open_session(&user, Random::system().bytes(), self.now).await.unwrap();
        assert!(self.is_signed_in(&token).await);
        token
    }

    async fn is_signed_in(&self, token: &Token) -> bool {
        self.restored.signed_in(token, self.now).await.unwrap().is_some()
    }

    /// Returns the ids of the jobs in the restored table, and whether each is dead.
    async fn jobs(&self) -> BTreeMap<String, bool> {
        let mut jobs = self.restored.due_jobs(Timestamp::MAX, 100).await.unwrap();
        jobs.extend(self.restored.dead_jobs(100).await.unwrap());
        jobs.iter().map(|job| (job.id.to_string(), job.is_dead())).collect()
    }
}

async fn open(local: &Local, name: &str) -> Store {
    let client = Aws::new(local.app().settings.aws.clone()).dynamodb();
    table::ensure(&client, name).await.unwrap();
    Store::new(client, name, Random::system(), Metrics::new(None, Clock::system()))
}

async fn create(store: &Store, jobs: &[&Job]) {
    for job in jobs {
        store.commit(vec![Write::create(*job).unwrap()]).await.unwrap();
    }
}

fn mail() -> Task {
    Task::AccountChangeMail { user_id: UserId::new("u") }
}

fn settlement() -> Task {
    Task::SettleRedemption { redemption_id: RedemptionId::new("r") }
}

fn expected<const N: usize>(jobs: [(&str, bool); N]) -> BTreeMap<String, bool> {
    jobs.into_iter().map(|(id, is_dead)| (id.to_owned(), is_dead)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_have_run_do_not_run_again() {
    let system = System::start().await;
    let waits = system.job("waits", mail());
    let has_run = system.job("has-run", mail());
    let is_dead = system.job("is-dead", mail());
    let settles = system.job("settles", settlement());
    create(&system.restored, &[&waits, &has_run, &is_dead, &settles]).await;
    let dead = Job { state: JobState::Dead { attempts: 12 }, ..is_dead.clone() };
    create(&system.previous, &[&waits, &dead]).await;
    let token = system.sign_in().await;

    let report = system.prepare(&["--previous-table", PREVIOUS]).await;
    assert_eq!(
        report,
        "1 sessions ended\n1 jobs removed that have run\n1 jobs set aside as dead: they may have run\n\
         2 jobs left to run\n"
    );
    // The settlement can be missing in the restored table, and there is never a second one.
    assert_eq!(system.jobs().await, expected([("is-dead", true), ("settles", false), ("waits", false)]));
    assert!(!system.is_signed_in(&token).await, "a session that was ended is valid again");

    // Nothing is left to prepare.
    let report = system.prepare(&["--previous-table", PREVIOUS]).await;
    assert!(report.starts_with("0 sessions ended\n0 jobs removed"), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_previous_table_jobs_that_must_not_run_twice_are_set_aside() {
    let system = System::start().await;
    let mails = system.job("mail", mail());
    let verifies = system.job("verify", Task::VerifyMerchant { user_id: UserId::new("u") });
    let mirrors = system.job("mirror", Task::MirrorMerchant { fields: Vec::new() });
    let settles = system.job("settle", settlement());
    create(&system.restored, &[&mails, &verifies, &mirrors, &settles]).await;

    system.prepare(&[]).await;
    let jobs = [("mail", true), ("mirror", false), ("settle", false), ("verify", true)];
    assert_eq!(system.jobs().await, expected(jobs));
}
