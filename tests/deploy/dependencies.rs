//! The crates that are linked into the functions, which affect the cold start, and what deny.toml says of all crates.

use std::collections::BTreeSet;

use spdx::{Expression, Licensee, ParseMode};
use world::{cargo, workspace_root};

fn linked_packages() -> BTreeSet<(String, String)> {
    let functions = std::fs::read_dir(workspace_root().join("functions")).unwrap();
    let functions = functions.map(|folder| folder.unwrap().file_name().into_string().unwrap());
    let packages = functions.flat_map(|function| ["--package".to_owned(), function]);
    let tree = cargo()
        .args(["tree", "--locked", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"])
        .args(packages)
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let lines = String::from_utf8(tree.stdout).unwrap();
    let words = lines.lines().map(str::split_whitespace);
    words.filter_map(|mut words| Some((words.next()?.to_owned(), words.next()?.to_owned()))).collect()
}

#[test]
fn functions_link_one_tls_stack_and_one_http_stack() {
    let packages = linked_packages();
    let versions = |name: &str| packages.iter().filter(|(package, _)| package == name).count();
    for name in ["rustls", "ring", "tokio-rustls", "hyper", "http", "tokio"] {
        assert_eq!(versions(name), 1, "{name}");
    }
    // AWS-LC has a slow first handshake. The others would be a second TLS stack.
    for name in ["aws-lc-rs", "aws-lc-sys", "native-tls", "openssl", "openssl-sys", "boring", "s2n-tls"] {
        assert_eq!(versions(name), 0, "{name}");
    }
}

#[test]
fn functions_do_not_link_the_local_system() {
    let packages = linked_packages();
    for name in ["local", "upstreams", "dynoxide-rs", "clap", "rusqlite", "rust-embed", "scalar_api_reference"] {
        assert!(!packages.iter().any(|(package, _)| package == name), "{name}");
    }
}

fn deny_toml() -> String {
    std::fs::read_to_string(workspace_root().join("deny.toml")).unwrap()
}

fn listed<'a>(deny_toml: &'a str, list: &str) -> impl Iterator<Item = &'a str> {
    let texts = deny_toml.split_once(&format!("\n{list} = [")).unwrap().1.split_once(']').unwrap().0;
    texts.split('"').skip(1).step_by(2)
}

/// Returns the lines of `cargo tree` for the whole workspace on a platform.
fn tree(platform: &str, options: &[&str]) -> BTreeSet<String> {
    let whole = ["tree", "--locked", "--workspace", "--all-features", "--prefix", "none", "--target", platform];
    let tree = cargo().args(whole).args(options).output().unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    String::from_utf8(tree.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Returns the crates of which `cargo tree` shows several versions on a platform, as `name@version`.
fn duplicates(platform: &str) -> BTreeSet<String> {
    let words = |line: &String| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.trim_start_matches('v').to_owned()))
    };
    let lines = tree(platform, &["--duplicates", "--depth", "0", "--format", "{p}"]);
    let crates: BTreeSet<(String, String)> = lines.iter().filter_map(words).collect();
    // It also shows one version that is built with different features.
    let is_duplicate = |name: &str| crates.iter().filter(|(other, _)| other == name).count() > 1;
    crates.iter().filter(|(name, _)| is_duplicate(name)).map(|(name, version)| format!("{name}@{version}")).collect()
}

/// cargo-deny checks this as well, and much more, but takes minutes to build.
#[test]
fn several_versions_of_a_crate_are_named_with_the_reason() {
    let deny_toml = deny_toml();
    let named = |line: &str| {
        let (name, rest) = line.trim().strip_prefix("{ crate = \"")?.split_once("\", reason = \"")?;
        (!rest.starts_with('"') && name.contains('@')).then(|| name.to_owned())
    };
    let named: BTreeSet<String> = deny_toml.lines().filter_map(named).collect();
    let found: BTreeSet<String> = listed(&deny_toml, "targets").flat_map(duplicates).collect();
    assert_eq!(named.difference(&found).collect::<Vec<_>>(), Vec::<&String>::new(), "named, and no longer there");
    // One version of each crate needs no reason.
    let unnamed = found.difference(&named).map(|found| found.split('@').next().unwrap());
    let several: Vec<&str> = unnamed.clone().filter(|name| unnamed.clone().filter(|other| other == name).count() > 1).collect();
    assert_eq!(several, Vec::<&str>::new(), "several versions: avoid all but one, or name them in deny.toml with the reason");
}

/// As cargo-deny does.
#[test]
fn every_license_is_allowed() {
    let deny_toml = deny_toml();
    let allowed: Vec<Licensee> = listed(&deny_toml, "allow").map(|license| Licensee::parse(license).unwrap()).collect();
    let is_allowed = |license: &str| {
        let expression = Expression::parse_mode(license, ParseMode::LAX);
        expression.is_ok_and(|expression| expression.evaluate(|needed| allowed.iter().any(|license| license.satisfies(needed))))
    };
    // What is shown again has a mark behind it.
    let shown = |line: String| {
        let (name, license) = line.trim_end_matches(" (*)").split_once(" | ")?;
        Some((name.to_owned(), license.to_owned()))
    };
    let lines = listed(&deny_toml, "targets").flat_map(|platform| tree(platform, &["--format", "{p} | {l}"]));
    let crates: BTreeSet<(String, String)> = lines.filter_map(shown).collect();
    let refused: Vec<&(String, String)> = crates.iter().filter(|(_, license)| !is_allowed(license)).collect();
    assert!(crates.len() > 100 && refused.is_empty(), "{refused:?}");
}
