//! Measures one start of a program and its requests.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;
use tokio::process::{Child, Command};

use crate::Failure;
use crate::runtime_api::{RuntimeApi, Step};
use crate::services::Environment;

/// A function and the event that it is invoked with.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) command: Vec<PathBuf>,
    pub(crate) environment: Environment,
    pub(crate) event: Value,
}

#[derive(Debug)]
pub(crate) struct Measurement {
    /// From the start of the process to its first request for an event.
    pub(crate) init: Duration,
    pub(crate) first_request: Duration,
    /// One value per later request.
    pub(crate) warm_requests: Vec<Duration>,
    /// Peak resident memory in bytes. `None` on systems other than Linux.
    pub(crate) peak_memory: Option<u64>,
}

impl Program {
    /// Starts the program and invokes it once, then `requests` times more.
    pub(crate) async fn measure(&self, requests: usize) -> Result<Measurement, Failure> {
        let api = RuntimeApi::start().await?;
        let started = Instant::now();
        let process = self.spawn(&api)?;
        let mut running = RunningProgram { program: self, api, process };
        let init = running.next_requested().await?.duration_since(started);
        let first_request = running.invoke().await?;
        let mut warm_requests = Vec::with_capacity(requests);
        for _ in 0..requests {
            warm_requests.push(running.invoke().await?);
        }
        let peak_memory = running.peak_memory();
        running.process.kill().await?;
        Ok(Measurement { init, first_request, warm_requests, peak_memory })
    }

    fn spawn(&self, api: &RuntimeApi) -> Result<Child, Failure> {
        let (program, arguments) = self.command.split_first().ok_or("the command is empty")?;
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

struct RunningProgram<'a> {
    program: &'a Program,
    api: RuntimeApi,
    process: Child,
}

impl RunningProgram<'_> {
    /// Waits until the function requests an event and returns the time of the request.
    async fn next_requested(&mut self) -> Result<Instant, Failure> {
        match self.step().await? {
            Step::NextRequested(time) => Ok(time),
            step => Err(self.program.failure(&format!("did not request an event: {step:?}"))),
        }
    }

    /// Invokes the function and waits until it requests the next event. Returns the time to its response.
    async fn invoke(&mut self) -> Result<Duration, Failure> {
        let started = Instant::now();
        self.api.send(&self.program.event);
        let (responded, response) = match self.step().await? {
            Step::Responded(time, response) => (time, response),
            step => return Err(self.program.failure(&format!("did not respond: {step:?}"))),
        };
        if !is_success(&response) {
            return Err(self.program.failure(&format!("responded {response:?}")));
        }
        self.next_requested().await?;
        Ok(responded.duration_since(started))
    }

    async fn step(&mut self) -> Result<Step, Failure> {
        const TIMEOUT: Duration = Duration::from_secs(30);
        tokio::select! {
            Some(step) = self.api.step() => match step {
                Step::Failed(error) => Err(self.program.failure(&format!("failed: {error:?}"))),
                step => Ok(step),
            },
            status = self.process.wait() => Err(self.program.failure(&format!("exited with {}", status?))),
            () = tokio::time::sleep(TIMEOUT) => Err(self.program.failure("timed out")),
        }
    }

    fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()?)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(kilobytes * 1024)
    }
}

/// Whether the request was carried out, which can end with 404: the demo has no exports. The response of a worker has no status.
fn is_success(response: &Bytes) -> bool {
    let response: Value = serde_json::from_slice(response).unwrap_or_default();
    response.get("statusCode").is_none_or(|status| matches!(status.as_u64(), Some(200 | 201 | 404)))
}
