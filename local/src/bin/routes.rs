//! `cargo run --bin routes`: writes the files that follow from the route tables, and the TypeScript types if npm's tools are
//! there. With `--check`, it writes nothing and fails if a file is out of date.

use std::process::{Command, ExitCode};

use local::route_files::{route_files, workspace_root};

const TYPES: &str = "clients/typescript/generate";
/// Where `.ci/contract/run` installs it.
const TYPE_GENERATOR: &str = "target/contract-tools/npm/node_modules/.bin/openapi-typescript";

fn main() -> ExitCode {
    let only_checks = std::env::args().any(|argument| argument == "--check");
    match run(only_checks) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("routes: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether nothing is out of date afterwards.
fn run(only_checks: bool) -> Result<bool, Box<dyn std::error::Error>> {
    let files = route_files(&local::route_tables())?;
    let changed: Vec<_> = files.iter().filter(|file| !file.is_current()).collect();
    for file in &changed {
        if only_checks {
            println!("{} is out of date; run: cargo run --bin routes", file.path.display());
        } else {
            file.write()?;
            println!("wrote {}", file.path.display());
        }
    }
    if only_checks {
        return Ok(changed.is_empty());
    }
    let generator = workspace_root().join(TYPE_GENERATOR);
    if !generator.exists() {
        println!("The TypeScript types are not written: run .ci/contract/run once, which installs their generator.");
        return Ok(true);
    }
    Ok(Command::new(workspace_root().join(TYPES)).arg(generator).status()?.success())
}
