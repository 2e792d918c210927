//! AWS services other than the embedded ones, for several test binaries.

use std::sync::atomic::{AtomicUsize, Ordering};

use local::{External, Requested};

/// The AWS services at `AWS_ENDPOINT_FOR_TESTS`, where `.ci/aws/run` runs moto, or `None` for the embedded ones. Each system has
/// resources of its own.
pub fn external_aws() -> Option<External> {
    static SYSTEMS: AtomicUsize = AtomicUsize::new(0);
    let endpoint = Some(std::env::var("AWS_ENDPOINT_FOR_TESTS").ok()?);
    let prefix = format!("t{}-{}", std::process::id(), SYSTEMS.fetch_add(1, Ordering::Relaxed));
    let mail_from = Some(format!("{prefix}@example.com"));
    let requested = Requested { aws_endpoint: endpoint, table_prefix: Some(prefix), mail_from, ..Requested::default() };
    requested.check(false, |_| None).unwrap()
}
