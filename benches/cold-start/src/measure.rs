//! One start of a program, from its first instruction to the last of its requests.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;
use tokio::process::{Child, Command};

use crate::Failure;
use crate::runtime_api::{RuntimeApi, Step};
use crate::services::Environment;

/// A program that speaks to the Runtime API, and what it is asked.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) command: Vec<PathBuf>,
    pub(crate) environment: Environment,
    pub(crate) event: Value,
}

/// What one start took.
#[derive(Debug)]
pub(crate) struct Start {
    /// From the start of the process to its first question for an event.
    pub(crate) init: Duration,
    pub(crate) first: Duration,
    /// Each request after the first.
    pub(crate) warm: Vec<Duration>,
    /// The most memory that was resident, in bytes. Known on Linux.
    pub(crate) peak: Option<u64>,
}

impl Subject {
    /// Starts the program, and asks it so often after the first request.
    pub(crate) async fn start(&self, requests: usize) -> Result<Start, Failure> {
        let api = RuntimeApi::start().await?;
        let begun = Instant::now();
        let process = self.spawn(&api)?;
        let mut running = Running { subject: self, api, process };
        let init = running.until_it_asks().await?.duration_since(begun);
        let first = running.ask().await?;
        let mut warm = Vec::with_capacity(requests);
        for _ in 0..requests {
            warm.push(running.ask().await?);
        }
        let peak = running.peak();
        running.process.kill().await?;
        Ok(Start { init, first, warm, peak })
    }

    fn spawn(&self, api: &RuntimeApi) -> Result<Child, Failure> {
        let (program, arguments) = self.command.split_first().ok_or("there is nothing to start")?;
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.envs(&self.environment).envs([
            ("AWS_LAMBDA_RUNTIME_API", api.address.to_string().as_str()),
            ("AWS_LAMBDA_FUNCTION_NAME", &self.name),
            ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
            ("METRICS_NAMESPACE", "Portal/cold-start"),
        ]);
        Ok(command.stdout(Stdio::null()).kill_on_drop(true).spawn()?)
    }

    fn failure(&self, what: &str) -> Failure {
        format!("{} {what}", self.name).into()
    }
}

struct Running<'a> {
    subject: &'a Subject,
    api: RuntimeApi,
    process: Child,
}

impl Running<'_> {
    async fn until_it_asks(&mut self) -> Result<Instant, Failure> {
        match self.step().await? {
            Step::AskedForAnEvent(at) => Ok(at),
            step => Err(self.subject.failure(&format!("did not ask for an event: {step:?}"))),
        }
    }

    /// Has it work on the event, and waits until it asks for another.
    async fn ask(&mut self) -> Result<Duration, Failure> {
        let begun = Instant::now();
        self.api.hand_over(&self.subject.event);
        let (answered, answer) = match self.step().await? {
            Step::Answered(at, answer) => (at, answer),
            step => return Err(self.subject.failure(&format!("did not answer: {step:?}"))),
        };
        if !is_good(&answer) {
            return Err(self.subject.failure(&format!("answered {answer:?}")));
        }
        self.until_it_asks().await?;
        Ok(answered.duration_since(begun))
    }

    async fn step(&mut self) -> Result<Step, Failure> {
        const TIMEOUT: Duration = Duration::from_secs(30);
        tokio::select! {
            Some(step) = self.api.step() => match step {
                Step::Failed(error) => Err(self.subject.failure(&format!("failed: {error:?}"))),
                step => Ok(step),
            },
            status = self.process.wait() => Err(self.subject.failure(&format!("ended with {}", status?))),
            () = tokio::time::sleep(TIMEOUT) => Err(self.subject.failure("says nothing")),
        }
    }

    fn peak(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()?)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(kilobytes * 1024)
    }
}

/// Whether it is the answer of a worker, or one to a request with a status of success.
fn is_good(answer: &Bytes) -> bool {
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    answer.get("statusCode").is_none_or(|status| matches!(status.as_u64(), Some(200 | 201)))
}
