//! The local system in this process.

use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::Pin;
use std::process::Command;
use std::task::Poll;

use local::{Local, Options, StartingState};
use reqwest::{Client, Method};
use serde::Serialize;
use serde_json::{Value, json};
use shared::base::clock::Clock;
use shared::db::{Store, Stored, Write};
use shared::merchants::model::merchant::Merchant;
use shared::values::MerchantId;

use crate::{ApiResponse, Caller, ManualClock, client, client_at, external_aws, send, shop};

/// A local system on free ports, with all data in memory unless the options say otherwise. Its AWS services are those at
/// `AWS_ENDPOINT_FOR_TESTS`, or embedded.
pub struct System {
    pub local: Local,
    client: Client,
}

/// What a program has written.
#[derive(Debug)]
pub struct ProgramOutput {
    pub is_success: bool,
    pub stdout: String,
    pub stderr: String,
}

impl ProgramOutput {
    /// Returns the standard output, or the standard error if the program has failed.
    pub fn result(self) -> Result<String, String> {
        if self.is_success { Ok(self.stdout) } else { Err(self.stderr) }
    }
}

impl System {
    /// Starts a system with the base fixtures.
    pub async fn start() -> Self {
        Self::with_clock(Clock::system()).await
    }

    /// Starts a system with the base fixtures, and signs in one of their users.
    pub async fn signed_in(user_id: &str) -> (Self, Caller) {
        let system = Self::start().await;
        let caller = system.sign_in(user_id).await;
        (system, caller)
    }

    /// Starts a system with the base fixtures, and signs in several of their users.
    pub async fn with_callers<const N: usize>(user_ids: [&str; N]) -> (Self, [Caller; N]) {
        let system = Self::start().await;
        let mut callers = Vec::new();
        for id in user_ids {
            callers.push(system.sign_in(id).await);
        }
        (system, callers.try_into().unwrap())
    }

    pub async fn with_clock(clock: Clock) -> Self {
        Self::with_options(Options { clock, ..Options::default() }).await
    }

    /// Starts a system with the base fixtures at an RFC 3339 timestamp, after which the test moves its clock.
    pub async fn at(time: &str) -> (Self, ManualClock) {
        let clock = ManualClock::at(time);
        (Self::with_clock(clock.clock()).await, clock)
    }

    pub async fn with_dashboard_origin(origin: &str) -> Self {
        let dashboard_origins = vec![origin.to_owned()];
        Self::with_options(Options { dashboard_origins, ..Options::default() }).await
    }

    /// Starts a system without any data.
    pub async fn empty(clock: Clock) -> Self {
        Self::without_fixtures(Options { clock, ..Options::default() }).await
    }

    /// Starts a system with these fixtures only.
    pub async fn with_fixtures(fixtures: &Value) -> Self {
        let system = Self::empty(Clock::system()).await;
        system.load_fixtures(fixtures).await;
        system
    }

    pub async fn with_options(options: Options) -> Self {
        let system = Self::without_fixtures(options).await;
        system.load_fixtures(&shop::base()).await;
        system
    }

    /// Starts a system with the data that an earlier one has left in its folder, if there is any.
    pub async fn without_fixtures(options: Options) -> Self {
        Self::with_data_of(Options { fixtures: StartingState::Nothing, ..options }).await
    }

    /// Starts a system with the data of the demo.
    pub async fn demo() -> Self {
        Self::with_data_of(Options::default()).await
    }

    /// Starts a system with the fixtures of the options.
    pub async fn with_data_of(options: Options) -> Self {
        Self::of(Local::start(Options { external_aws: external_aws(), ..options }).await.unwrap())
    }

    /// A system that was started elsewhere.
    pub fn of(local: Local) -> Self {
        Self { local, client: client() }
    }

    /// Adds fixtures to the stored data.
    pub async fn load_fixtures(&self, fixtures: &Value) {
        self.control("fixtures", fixtures).await;
    }

    /// A caller without a session whose requests come from this address of the machine.
    pub fn anonymous_at(&self, address: IpAddr) -> Caller {
        Caller::anonymous(client_at(address), &*self.local.listening.api)
    }

    /// Replaces the faults of all simulators.
    pub async fn set_faults(&self, faults: Value) {
        self.control("faults", &faults).await;
    }

    /// Makes every matching request to a simulator fail. Replaces all other faults.
    pub async fn set_fault(&self, target: &str, r#match: &str, kind: &str, value: impl Serialize) {
        self.set_faults(json!([{"target": target, "match": r#match, "kind": kind, "times": "always", "value": value}])).await;
    }

    /// Makes every matching request to the card network fail. Replaces all other faults.
    pub async fn set_network_fault(&self, r#match: &str, kind: &str, value: Value) {
        self.set_fault("card-network", r#match, kind, value).await;
    }

    /// From now on, the card network carries calls that move money out (`after`) or does not (`drop`), and tells nobody which.
    pub async fn lose_outcomes(&self, kind: &str) {
        self.set_faults(json!([
            {"target": "card-network", "match": "POST /v1/cards/*", "kind": kind, "times": "always"},
            {"target": "card-network", "match": "GET /v1/operations/*", "kind": "status", "value": 503, "times": "always"},
        ]))
        .await;
    }

    /// Runs all pending jobs and open operations that are due within two days. Returns how many of both stay `pending`, and how many jobs
    /// are `dead`.
    pub async fn drain(&self) -> Value {
        self.anonymous().post_empty("/__local/drain").await.body
    }

    /// Runs all pending jobs and open operations, of which none must be left.
    #[track_caller]
    pub fn finish_work(&self) -> impl Future<Output = ()> {
        let caller = std::panic::Location::caller();
        async move { assert_eq!(self.drain().await, json!({"pending": 0, "dead": 0}), "at {caller}") }
    }

    /// Sends a control call.
    pub async fn control(&self, call: &str, body: &Value) -> ApiResponse {
        self.anonymous().post(&format!("/__local/{call}"), body).await.ok()
    }

    /// What functions have used of AWS since the last reset, by function and operation.
    pub async fn usage(&self) -> Value {
        self.anonymous().get("/__local/usage").await.body
    }

    pub async fn reset_usage(&self) {
        self.anonymous().delete("/__local/usage").await;
    }

    /// Returns the e-mails that were sent, oldest first.
    pub async fn emails(&self) -> Vec<Value> {
        self.anonymous().get("/__local/mail").await.list("").to_vec()
    }

    /// The subjects of the mails to an address, oldest first, once all jobs are done.
    pub async fn subjects_to(&self, address: &str) -> Vec<String> {
        self.finish_work().await;
        let mails = self.emails().await;
        let to_address = mails.iter().filter(|mail| mail["to"][0] == address);
        to_address.map(|mail| mail["subject"].as_str().unwrap().to_owned()).collect()
    }

    /// To whom mails were sent whose subject contains this, in alphabetical order, once all jobs are done.
    pub async fn told(&self, subject: &str) -> Vec<String> {
        self.finish_work().await;
        let mails = self.emails().await;
        let about = mails.iter().filter(|mail| mail["subject"].as_str().unwrap().contains(subject));
        let mut addresses: Vec<String> = about.map(|mail| mail["to"][0].as_str().unwrap().to_owned()).collect();
        addresses.sort_unstable();
        addresses
    }

    /// The code of the last mail to an address.
    pub async fn code_mailed_to(&self, address: &str) -> String {
        self.drain().await;
        let mails = self.emails().await;
        let is_code = |line: &&str| line.len() == 9 && line.as_bytes()[4] == b'-' && !line.contains(' ');
        let code = |mail: &Value| mail["text"].as_str().unwrap().lines().find(is_code).map(str::to_owned);
        let code = mails.iter().rev().filter(|mail| mail["to"][0] == address).find_map(code);
        code.unwrap_or_else(|| panic!("no code was mailed to {address}"))
    }

    /// Returns the requests that an upstream received, oldest first.
    pub async fn calls_to(&self, target: &str) -> Vec<Value> {
        let calls = self.anonymous().get("/__local/upstream-calls").await;
        calls.list("").iter().filter(|call| call["target"] == target).cloned().collect()
    }

    /// Returns the requests that the card network received, oldest first.
    pub async fn network_calls(&self) -> Vec<Value> {
        self.calls_to("card-network").await
    }

    pub fn anonymous(&self) -> Caller {
        Caller::anonymous(self.client.clone(), &self.local.listening.api)
    }

    /// Returns a caller with an arbitrary session token.
    pub fn with_token(&self, token: &str) -> Caller {
        self.anonymous().with_token(token)
    }

    /// Signs in a user of the fixtures.
    pub async fn sign_in(&self, user_id: &str) -> Caller {
        let token = self.local.sign_in(user_id).await.unwrap();
        self.anonymous().with_token(token.unwrap_or_else(|| panic!("no user {user_id}")))
    }

    pub fn store(&self) -> &Store {
        &self.local.app().store
    }

    /// Returns the stored merchant.
    pub async fn merchant(&self, id: &str) -> Stored<Merchant> {
        self.store().merchant(&MerchantId::new(id)).await.unwrap().unwrap()
    }

    /// Changes the stored merchant directly, without the API.
    pub async fn change_merchant(&self, id: &str, change: impl FnOnce(&mut Merchant)) {
        let merchant = self.merchant(id).await;
        let mut changed = merchant.value.clone();
        change(&mut changed);
        self.store().commit(vec![Write::replace(&merchant, &changed).unwrap()]).await.unwrap();
    }

    /// Runs a program with the environment of a function.
    pub async fn run_program(&self, program: &str, arguments: &[&str]) -> ProgramOutput {
        let variables: Vec<&str> = self.local.environment.keys().copied().collect();
        self.run_program_with(program, arguments, &variables).await
    }

    /// Runs a program with these variables of the environment of a function.
    pub async fn run_program_with(&self, program: &str, arguments: &[&str], variables: &[&str]) -> ProgramOutput {
        let mut command = Command::new(program);
        command.args(arguments).envs(variables.iter().map(|name| (name, &self.local.environment[name])));
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        ProgramOutput { is_success: output.status.success(), stdout, stderr }
    }

    /// Calls DynamoDB directly, bypassing the types of the store.
    pub async fn dynamodb(&self, operation: &str, mut body: Value) -> Value {
        body["TableName"] = json!(self.local.app().settings.table);
        let request = self
            .client
            .request(Method::POST, &self.local.listening.dynamodb)
            .header("content-type", "application/x-amz-json-1.0")
            // Required by the server, which does not verify the signature.
            .header("authorization", "AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none")
            .header("x-amz-date", "20260101T000000Z")
            .header("x-amz-target", format!("DynamoDB_20120810.{operation}"))
            .body(body.to_string());
        let response = send(request).await.unwrap();
        assert_eq!(response.status, 200, "{operation} {body}: {response:?}");
        response.body
    }

    /// The row with the key of this one, or null.
    pub async fn row(&self, row: &Value) -> Value {
        let key = json!({"pk": row["pk"], "sk": row["sk"]});
        self.dynamodb("GetItem", json!({"Key": key, "ConsistentRead": true})).await["Item"].clone()
    }

    /// All rows of the table.
    pub async fn rows(&self) -> Vec<Value> {
        let (mut rows, mut scan) = (Vec::new(), json!({"ConsistentRead": true}));
        loop {
            let page = self.dynamodb("Scan", scan.clone()).await;
            rows.extend(page["Items"].as_array().unwrap().iter().cloned());
            let Some(last) = page.get("LastEvaluatedKey") else { return rows };
            scan["ExclusiveStartKey"] = last.clone();
        }
    }
}

/// Polls a future a number of times at most, and returns what it results in if it has finished.
pub async fn poll_up_to<F: Future + Unpin>(future: &mut F, polls: i64) -> Option<F::Output> {
    let mut left = polls;
    poll_fn(|context| match Pin::new(&mut *future).poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}
