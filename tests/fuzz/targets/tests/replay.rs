//! Runs every target on its corpus: the inputs that a fuzzer found worth keeping, and those that were findings once.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fuzz_targets::{TARGETS, Target};

/// Of the inputs of a target. More slow down every run of the tests.
const MAX_FILES: usize = 120;
const MAX_BYTES: usize = 110_000;

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora")
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn replay(target: Target, folder: &Path) {
    let files = names(folder);
    assert!((1..=MAX_FILES).contains(&files.len()), "{}: {} files", folder.display(), files.len());
    let mut bytes = 0;
    for file in files {
        let path = folder.join(&file);
        let input = fs::read(&path).unwrap();
        bytes += input.len();
        assert!(std::panic::catch_unwind(|| target(&input)).is_ok(), "{} fails", path.display());
    }
    assert!(bytes <= MAX_BYTES, "{}: {bytes} bytes", folder.display());
}

#[test]
fn all_inputs_of_the_corpora_hold() {
    for (name, target) in TARGETS {
        replay(target, &corpora().join(name));
    }
}

#[test]
fn every_target_is_fuzzed_and_has_a_corpus() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names(&corpora()), targets);
    let fuzzed = names(&corpora().join("../cargo-fuzz/targets"));
    let fuzzed: BTreeSet<String> = fuzzed.iter().filter_map(|file| file.strip_suffix(".rs")).map(str::to_owned).collect();
    assert_eq!(fuzzed, targets);
}
