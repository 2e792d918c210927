use std::collections::BTreeSet;
use std::fmt::Debug;

/// Fails unless a file lists what the code has. The message names the file and the differences only.
pub fn assert_lists<T: Ord + Debug>(file: &str, listed: &BTreeSet<T>, in_code: &BTreeSet<T>) {
    let missing: Vec<&T> = in_code.difference(listed).collect();
    let unknown: Vec<&T> = listed.difference(in_code).collect();
    assert!(missing.is_empty(), "missing in {file}: {missing:#?}");
    assert!(unknown.is_empty(), "not in the code, but in {file}: {unknown:#?}");
}
