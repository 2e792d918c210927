//! The functions share the account's concurrency. Strangers and a backlog of jobs must leave enough to the tills.

use std::collections::BTreeMap;

use world::workspace_root;

use crate::template::Template;

/// Lambda does not reserve the last 100 of an account.
const UNRESERVED: u32 = 100;

/// The parameter that reserves the concurrency of each function.
fn parameters() -> BTreeMap<String, Option<String>> {
    let functions = Template::read().functions().into_iter();
    functions
        .map(|function| {
            let reserved = &function.properties["ReservedConcurrentExecutions"]["!If"];
            let parameter = reserved[1].as_str().map(|parameter| parameter.trim_matches(['$', '{', '}']));
            (function.name, parameter.map(str::to_owned))
        })
        .collect()
}

#[test]
fn tills_have_reserved_concurrency_and_public_functions_and_jobs_a_limit() {
    let parameters = parameters();
    for (function, expected) in [
        ("pos", Some("PosConcurrency")),
        ("widget", Some("PublicConcurrency")),
        ("storefront", Some("PublicConcurrency")),
        ("onboarding", Some("PublicConcurrency")),
        ("accounts", Some("PublicConcurrency")),
        ("administration", Some("AdministrationConcurrency")),
        ("exports", Some("ExportsConcurrency")),
        ("jobs", Some("JobsConcurrency")),
        ("merchant", None),
        // Starts once a minute and takes a minute at most.
        ("sweep", None),
    ] {
        assert_eq!(parameters[function].as_deref(), expected, "{function}");
    }
}

#[test]
fn the_guide_and_the_settings_of_production_count_what_is_reserved() {
    let read = |file: &str| std::fs::read_to_string(workspace_root().join(file)).unwrap();
    let (guide, settings) = (read("docs/deploy.md"), read("samconfig.toml"));
    let mut functions: BTreeMap<String, u32> = BTreeMap::new();
    for parameter in parameters().into_values().flatten() {
        *functions.entry(parameter).or_default() += 1;
    }
    let term = |(parameter, count): (&String, &u32)| match count {
        1 => parameter.clone(),
        _ => format!("{count} × {parameter}"),
    };
    let formula = functions.iter().map(term).collect::<Vec<_>>().join(" + ");
    assert!(guide.contains(&format!("`{formula}`")), "{formula}");
    let value = |parameter: &str| -> u32 {
        let (_, rest) = settings.split_once(&format!("\"{parameter}=")).unwrap();
        rest.split_once('"').unwrap().0.parse().unwrap()
    };
    let reserved: u32 = functions.iter().map(|(parameter, count)| count * value(parameter)).sum();
    let needed = reserved + UNRESERVED;
    assert!(settings.contains(&format!("at least {needed} concurrent executions")), "{needed}");
}
