//! What is linked into a function, as far as it decides how fast one starts.

use std::collections::BTreeSet;

use test_support::{cargo, workspace_root};

/// Names and versions of all that the functions are made of.
fn linked() -> BTreeSet<(String, String)> {
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
fn there_is_one_tls_stack_and_one_http_stack() {
    let linked = linked();
    let versions = |name: &str| linked.iter().filter(|(linked, _)| linked == name).count();
    for only in ["rustls", "ring", "tokio-rustls", "hyper", "http", "tokio"] {
        assert_eq!(versions(only), 1, "{only}");
    }
    // The first has a slow first handshake, the others would be a second stack.
    for none in ["aws-lc-rs", "aws-lc-sys", "native-tls", "openssl", "openssl-sys", "boring", "s2n-tls"] {
        assert_eq!(versions(none), 0, "{none}");
    }
}

#[test]
fn nothing_of_the_local_system_is_in_a_function() {
    let linked = linked();
    for none in ["local", "upstreams", "dynoxide-rs", "clap", "rusqlite"] {
        assert!(!linked.iter().any(|(name, _)| name == none), "{none}");
    }
}
