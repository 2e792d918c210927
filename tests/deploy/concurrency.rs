//! The functions share the account's concurrency. Strangers and a backlog of jobs must leave enough to the tills.

use std::collections::BTreeMap;

use crate::template::Template;

#[test]
fn tills_have_reserved_concurrency_and_public_functions_and_jobs_a_limit() {
    let functions = Template::read().functions().into_iter();
    let reserved: BTreeMap<String, Option<String>> = functions
        .map(|function| {
            let reserved = &function.properties["ReservedConcurrentExecutions"]["!If"];
            (function.name, reserved[1].as_str().map(str::to_owned))
        })
        .collect();
    for (function, expected) in [
        ("pos", Some("${PosConcurrency}")),
        ("widget", Some("${PublicConcurrency}")),
        ("storefront", Some("${PublicConcurrency}")),
        ("onboarding", Some("${PublicConcurrency}")),
        ("jobs", Some("${JobsConcurrency}")),
        ("merchant", None),
        // Starts once a minute and takes a minute at most.
        ("sweep", None),
    ] {
        assert_eq!(reserved[function].as_deref(), expected, "{function}");
    }
}
