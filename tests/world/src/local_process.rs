use std::error::Error;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::process::{Child, Command};

/// The local system as a child process on free ports. The process is killed when this is dropped.
#[derive(Debug)]
pub struct LocalProcess {
    child: Child,
    /// The content of the ready file: the URL of each service.
    urls: Value,
}

impl LocalProcess {
    /// Starts the program and waits for its ready file, which is written to `folder`.
    pub async fn start(
        program: &Path,
        folder: &Path,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        const POLL_INTERVAL: Duration = Duration::from_millis(20);
        let ready_file = folder.join("ready.json");
        // A file of an earlier process must not be taken for the new one's.
        let _ = std::fs::remove_file(&ready_file);
        let mut command = Command::new(program);
        command.args(["--port", "0", "--aws-port", "0", "--ready-file"]).arg(&ready_file).args(arguments);
        let mut child = command
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("cannot start {command:?}: {error}"))?;
        // The file appears complete: the local system renames it into place.
        while !ready_file.exists() {
            if let Some(status) = child.try_wait()? {
                return Err(format!("the local system exited with {status}").into());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        let urls = serde_json::from_slice(&std::fs::read(ready_file)?)?;
        Ok(Self { child, urls })
    }

    /// Returns the URL of a service by its name in the ready file, such as `api` or `dynamodb`.
    pub fn url(&self, service: &str) -> String {
        self.urls[service].as_str().unwrap().to_owned()
    }

    /// Sends SIGKILL, which leaves the process no time to clean up.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }
}
