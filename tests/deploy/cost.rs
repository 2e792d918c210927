//! The numbers of docs/cost.md that follow from the templates. Prices, and what a request uses, are the guide's own.

use std::collections::BTreeSet;

use serde_json::Value;
use shared::http::{Requirement, Route, Routes};
use world::workspace_root;

use crate::front::{self, Rule};
use crate::template::{Template, document};

const DAY: f64 = 24.0 * 60.0 * 60.0;
/// What each of several metrics of an alarm, a metric, a secret and a rule of the web ACL cost in a month.
const METRIC_OF_ALARM: f64 = 0.10;
const SECRET: f64 = 0.40;
const WEB_ACL: f64 = 5.0;
const RULE: f64 = 1.0;
/// Metrics that alarms read free of charge.
const FREE_METRICS: usize = 10;

fn guide() -> String {
    std::fs::read_to_string(workspace_root().join("docs/cost.md")).unwrap()
}

/// Fails with the text that the guide needs.
fn assert_states(text: &str) {
    assert!(guide().contains(text), "docs/cost.md does not state: {text}");
}

/// The number after a text of the guide.
fn number_after(text: &str) -> f64 {
    let guide = guide();
    let (_, rest) = guide.split_once(text).unwrap_or_else(|| panic!("docs/cost.md: {text}"));
    rest.split([' ', ':', '|']).find(|word| !word.is_empty()).unwrap().trim_end_matches(',').replace(',', "").parse().unwrap()
}

/// A whole number as the guide writes it: `8,600`.
fn whole(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).collect();
    groups.reverse();
    groups.iter().map(|group| std::str::from_utf8(group).unwrap()).collect::<Vec<_>>().join(",")
}

/// Rounded to tens.
fn tens(number: f64) -> String {
    whole((number / 10.0).round() * 10.0)
}

fn count(number: usize) -> f64 {
    u32::try_from(number).unwrap().into()
}

/// The requests per second that API Gateway admits to routes, of all callers together.
struct Rates {
    public: u32,
    images: u32,
    mailed_codes: u32,
    others: u32,
}

fn rate(template: &Template, route: &Route) -> u32 {
    u32::try_from(front::rate(template, route)).unwrap()
}

fn rates() -> Rates {
    let template = Template::read();
    let mut rates = Rates { public: 0, images: 0, mailed_codes: 0, others: 0 };
    for route in local::route_tables().iter().flat_map(Routes::routes) {
        let rate = rate(&template, route);
        if route.requirement == Requirement::Public {
            let rate = rate + route.on_portal_api.map_or(0, |throttling| throttling.rate);
            rates.public += rate;
            if route.path == "/api/public/gift-card-image" {
                rates.images += rate;
            }
        } else {
            rates.others += rate;
        }
        if route.path == "/api/auth/code" {
            rates.mailed_codes = rate;
        }
    }
    rates
}

/// The price of a million requests of the row of the table of attacks, and what the guide says that a day costs.
fn attack(row: &str, rate: u32) -> f64 {
    let start = format!("| {row} | {} | ", whole(rate.into()));
    assert_states(&start);
    let price = number_after(&start);
    let day = f64::from(rate) * price * DAY / 1e6;
    let guide = guide();
    let line = guide.lines().find(|line| line.starts_with(&start)).unwrap();
    let expected = format!("| {} |", tens(day));
    assert!(line.ends_with(&expected), "{line} does not end with {expected}");
    day
}

#[test]
fn an_attack_costs_what_the_limits_of_the_routes_admit() {
    let rates = rates();
    let days = [
        attack("all public routes at their limits together", rates.public),
        attack(&format!("codes by mail to made-up addresses, {} a second of these", rates.mailed_codes), rates.mailed_codes),
        attack("all other routes at their limits, with a made-up session: the function answers 401", rates.others),
    ];
    attack("images of 3.8 MB, the largest that a merchant can upload, among those of the first row", rates.images);
    attack("requests beyond the limits, for each 10,000 a second", 10_000);
    assert_states(&format!("The first three together are {} dollars a day", tens(days.iter().sum())));
    let together = rates.public + rates.others;
    assert_states(&format!("Together their limits are {} requests a second", whole(together.into())));
}

#[test]
fn an_attack_needs_as_many_addresses_as_the_web_acl_and_the_limits_say() {
    let (template, rules) = (Template::read(), front::rules());
    let tables = local::route_tables();
    let routes = || tables.iter().flat_map(Routes::routes);
    let public = routes().filter(|route| route.requirement == Requirement::Public);
    let names: BTreeSet<&str> = public.map(|route| front::rule_of(&rules, route.path).name.as_str()).collect();
    // An address can use up the limits of all rules at the same time.
    let addresses = |rule: &Rule| {
        let counted = routes()
            .filter(|route| route.requirement == Requirement::Public && front::rule_of(&rules, route.path).name == rule.name);
        let rate: u32 = counted.map(|route| rate(&template, route)).sum();
        u64::from(rate) * rule.window / rule.limit
    };
    let needed = rules.iter().filter(|rule| names.contains(rule.name.as_str())).map(addresses).max().unwrap();
    assert_states(&format!("the first row needs {needed} addresses"));
    let all = rules.iter().find(|rule| rule.name == "AllRoutes").unwrap();
    assert_states(&format!("all others {} requests a second from each", all.limit / all.window));
    assert_states(&format!("the third {} of them", u64::from(rates().others) * all.window / all.limit));
}

fn metrics(alarm: &Value) -> (usize, bool) {
    match alarm["Metrics"].as_array() {
        Some(metrics) => (metrics.iter().filter(|metric| !metric["MetricStat"].is_null()).count(), true),
        None => (1, false),
    }
}

#[test]
fn the_fixed_part_follows_from_the_templates() {
    let template = Template::read();
    let alarms: Vec<(usize, bool)> = template.resources_of_type("AWS::CloudWatch::Alarm").map(metrics).collect();
    let single = alarms.iter().filter(|(_, computes)| !computes).count();
    let computed: usize = alarms.iter().filter(|(_, computes)| *computes).map(|(metrics, _)| metrics).sum();
    let price = count(single + computed - FREE_METRICS) * METRIC_OF_ALARM;
    assert_states(&format!(
        "| metrics of {} alarms | ({single} single + {computed} in expressions − {FREE_METRICS}) × {METRIC_OF_ALARM:.2} | {price:.2} |",
        alarms.len()
    ));
    let own = template.resources_of_type("AWS::SecretsManager::Secret").count();
    let parameters =
        document("template.yaml")["Parameters"].as_object().unwrap().keys().filter(|name| name.ends_with("SecretArn")).count();
    let secrets = own + parameters;
    assert_states(&format!("| {secrets} × {SECRET:.2} | {:.2} |", count(secrets) * SECRET));
    let rules = front::rules().len();
    assert_states(&format!("| {WEB_ACL:.2} + {rules} × {RULE:.2} | {:.2} |", WEB_ACL + count(rules) * RULE));

    let guide = guide();
    let (_, fixed) = guide.split_once("**Fixed**: ").unwrap();
    let (total, table) = fixed.split_once(" dollars.").unwrap();
    let (table, _) = table.split_once("\n\n").map(|(_, rest)| rest).unwrap().split_once("\n\n").unwrap();
    let rows =
        table.lines().skip(2).map(|row| row.trim_end_matches([' ', '|']).rsplit_once("| ").unwrap().1.parse::<f64>().unwrap());
    assert_eq!(format!("{:.0}", rows.sum::<f64>()), total, "the sum of the fixed part");
}

/// The prices of a unit in the guide's first region.
fn prices(unit: &str) -> Vec<f64> {
    let guide = guide();
    let row = guide.lines().find(|line| line.contains(&format!("| {unit}"))).unwrap_or_else(|| panic!("no price of {unit}"));
    let cell = row.split(" | ").nth(2).unwrap();
    cell.split([',', '+', ' ']).filter_map(|word| word.parse().ok()).collect()
}

/// Prices of a million, and of what the template says about it.
struct Unit {
    read: f64,
    write: f64,
    entry: f64,
    sent_gigabyte: f64,
    log_gigabyte: f64,
    request: f64,
    gigabyte_second: f64,
    memory: f64,
}

impl Unit {
    fn of_guide() -> Self {
        let price = |unit: &str| prices(unit)[0];
        let (front, per_million) = (price("10,000 HTTPS requests"), 100.0);
        let waf = guide()
            .lines()
            .skip_while(|line| !line.starts_with("| WAF"))
            .nth(1)
            .map(|row| row.split(" | ").nth(2).unwrap().parse::<f64>());
        let memory = Template::read().globals("Function")["MemorySize"].as_f64().unwrap();
        Self {
            read: price("million read units"),
            write: price("million write units"),
            entry: price("million requests; those that it rejects") + front * per_million + waf.unwrap().unwrap(),
            sent_gigabyte: price("GB sent"),
            log_gigabyte: price("GB of logs"),
            request: price("million requests |"),
            gigabyte_second: price("GB-second") * 1e6,
            memory: memory / 1024.0,
        }
    }

    /// Invocations, each of so many seconds.
    fn lambda(&self, invocations: f64, seconds: f64) -> f64 {
        invocations * (self.request + seconds * self.memory * self.gigabyte_second)
    }
}

#[test]
fn what_a_request_costs_follows_from_the_prices_and_the_memory_of_the_template() {
    let unit = Unit::of_guide();
    let [put, get] = prices("million requests: PUT, GET")[..] else { panic!("S3") };
    let megabytes = unit.memory * 1024.0;
    let quick = unit.lambda(1.0, 0.1);
    let sale = [
        ("42 write units".to_owned(), 42.0 * unit.write),
        ("10 read units".to_owned(), 10.0 * unit.read),
        ("1 GET, 1 PUT".to_owned(), put + get),
        (format!("2 requests, {:.2} GB-seconds", 2.0 * 0.3 * unit.memory), unit.lambda(2.0, 0.3)),
        ("1 request each".to_owned(), unit.entry),
        ("2 KB".to_owned(), 2.0 * unit.log_gigabyte),
    ];
    for (amount, dollars) in &sale {
        assert_states(&format!("| {amount} | {dollars:.2} |"));
    }
    assert_states(&format!("0.3 s of {megabytes} MB each"));
    let entry = format!("and WAF ({:.2}), 1 KB of logs ({:.2})", unit.entry, unit.log_gigabyte);
    let public = [2.0 * unit.read + unit.write, quick, unit.entry, unit.log_gigabyte, 10.0 * unit.sent_gigabyte];
    let image = [unit.read, quick, unit.entry, unit.log_gigabyte, 300.0 * unit.sent_gigabyte];
    for (text, of, dollars) in [
        (
            "A public request",
            format!("2 read units and 1 write unit ({:.2}), 0.1 s of {megabytes} MB ({quick:.2})", public[0]),
            public,
        ),
        ("An image", format!("1 read unit ({:.2}), 0.1 s of {megabytes} MB ({quick:.2})", image[0]), image),
    ] {
        let guide = guide().replace('\n', " ");
        let (_, paragraph) = guide.split_once(&format!("**{text}**: ")).unwrap();
        assert!(paragraph.contains(&of) && paragraph.contains(&entry), "{text}: {of}, {entry}");
        let (stated, sum) = (number_after(&format!("**{text}**: ")), dollars.iter().sum::<f64>());
        assert!((stated - sum).abs() < sum / 50.0, "{text}: {stated} instead of {sum:.2}");
    }
    let (stated, sum) = (number_after("**A sale or redemption**: "), sale.iter().map(|(_, dollars)| dollars).sum::<f64>());
    assert_eq!(format!("{stated:.0}"), format!("{sum:.0}"), "a sale");

    // Once a minute.
    let monthly = |million: f64| million * 43_200.0 / 1e6;
    for (amount, dollars) in [
        (
            format!("0.2 s of {megabytes} MB, 9 read units, 1 KB of logs"),
            unit.lambda(1.0, 0.2) + 9.0 * unit.read + unit.log_gigabyte,
        ),
        (
            format!("61 s of {megabytes} MB, 150 read units, 1 KB of logs"),
            unit.lambda(1.0, 61.0) + 150.0 * unit.read + unit.log_gigabyte,
        ),
        (
            format!("1 write unit, 2 requests, {:.2} GB-seconds, 1 KB of logs", 2.0 * 0.08 * unit.memory),
            unit.write + unit.lambda(2.0, 0.08) + unit.log_gigabyte,
        ),
    ] {
        assert_states(&format!("43,200 × ({amount}) | {:.2} |", monthly(dollars)));
    }
}

/// The numbers of the table of sizes follow from the formulas of the guide.
#[test]
fn the_sizes_cost_what_the_formulas_say() {
    let million = |text: &str| number_after(text) / 1e6;
    let [sale, dashboard, public, image] = ["A sale or redemption", "A request of the dashboard", "A public request", "An image"]
        .map(|what| million(&format!("**{what}**: ")));
    // A third of public requests are for images.
    let public = (2.0 * public + image) / 3.0;
    let fixed = number_after("**Fixed**: ");
    let storage = [("S", 0.05), ("M", 2.4), ("L", 96.0)];
    let guide = guide();
    for (size, gigabytes) in storage {
        assert_states(&format!("{size} {gigabytes} GB"));
        let row = guide.lines().find(|line| line.starts_with(&format!("| {size}: "))).unwrap();
        let cells: Vec<f64> = row.split('|').skip(2).filter_map(|cell| cell.trim().replace(',', "").parse().ok()).collect();
        let [sales, requests, views, month, with_backups] = cells[..] else { panic!("{row}") };
        let formula = sales * sale + requests * dashboard + views * public + gigabytes * 0.5 + fixed;
        let backups = formula + gigabytes * 5.6;
        // Two digits are as much as an estimate has.
        let rounded = |number: f64| if number < 100.0 { number.round() } else { (number / 10.0).round() * 10.0 };
        assert_eq!((month, with_backups), (rounded(formula), rounded(backups)), "{row}");
    }
}
