//! The portal as a process: this program, which runs a local system and nothing else.

use std::path::{Path, PathBuf};

use clap::Args;
use local::{Local, Options, StartingState};
use world::LocalProcess;

use super::fixtures;

/// The arguments of the process.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[arg(long)]
    port: u16,
    #[arg(long)]
    aws_port: u16,
    #[arg(long)]
    ready_file: PathBuf,
    #[arg(long)]
    fixtures: PathBuf,
    #[arg(long)]
    data: PathBuf,
    #[arg(long)]
    card_network: String,
}

/// Serves until the process is killed.
pub(crate) async fn serve(arguments: Serve) -> ! {
    let options = Options {
        port: arguments.port,
        aws_port: arguments.aws_port,
        data: Some(arguments.data),
        fixtures: StartingState::File(arguments.fixtures),
        card_network: Some(arguments.card_network),
        ..Options::default()
    };
    let local = Local::start(options).await.unwrap();
    // Renamed into place, so that whoever waits for it never reads a part of it.
    let unfinished = arguments.ready_file.with_extension("unfinished");
    std::fs::write(&unfinished, serde_json::to_vec(&local.listening).unwrap()).unwrap();
    std::fs::rename(unfinished, arguments.ready_file).unwrap();
    std::future::pending().await
}

/// The process, and where its data is.
pub(super) struct Portal {
    folder: PathBuf,
    network: String,
    process: Option<LocalProcess>,
}

impl Portal {
    pub(super) async fn start(folder: &Path, network: &str) -> Self {
        std::fs::write(folder.join("fixtures.json"), fixtures::document().to_string()).unwrap();
        let mut portal = Self { folder: folder.to_owned(), network: network.to_owned(), process: None };
        portal.restart().await;
        portal
    }

    /// Kills the process with SIGKILL, and starts another on the same data.
    pub(super) async fn restart(&mut self) {
        if let Some(process) = self.process.take() {
            process.kill().await;
        }
        let path = |name: &str| self.folder.join(name).to_str().unwrap().to_owned();
        let [fixtures, data] = [path("fixtures.json"), path("data")];
        let arguments = ["--fixtures", &fixtures, "--data", &data, "--card-network", &self.network];
        let program = std::env::current_exe().unwrap();
        let started = LocalProcess::start_subcommand(&program, "serve", &self.folder, arguments).await;
        self.process = Some(started.unwrap());
    }

    pub(super) fn url(&self, service: &str) -> String {
        self.process().url(service)
    }

    pub(super) fn process_id(&self) -> u32 {
        self.process().id()
    }

    fn process(&self) -> &LocalProcess {
        self.process.as_ref().unwrap()
    }
}
