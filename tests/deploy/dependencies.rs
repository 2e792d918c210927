//! The crates that are linked into the functions. They affect the cold start.

use std::collections::BTreeSet;

use test_support::{cargo, workspace_root};

/// Returns the name and version of every package that the functions depend on.
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
