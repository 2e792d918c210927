//! What an attack has tried, and what broke.

use std::sync::Mutex;
use std::time::Duration;

/// How many breaches of an attack are printed, and how much of each. The others are counted.
const MAX_PRINTED: usize = 20;
const MAX_CHARACTERS: usize = 3_000;

/// The result of one attack: a row of the table.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// What was tried or measured, such as `11,580 cells`, in the words of the table.
    figures: Mutex<Vec<String>>,
    /// What must not happen, such as `leaks`.
    breach_name: &'static str,
    breaches: Mutex<Vec<String>>,
}

impl Report {
    pub(crate) fn new(breach_name: &'static str) -> Self {
        Self { breach_name, ..Self::default() }
    }

    /// Adds a count to the row, such as `count(11_580, "cells")`.
    pub(crate) fn count(&self, count: usize, what: &str) {
        self.figure(format!("{} {what}", with_separators(count)));
    }

    /// Adds a figure to the row.
    pub(crate) fn figure(&self, figure: String) {
        self.figures.lock().unwrap().push(figure);
    }

    /// Records something that must not happen, with what a reader needs to repeat it.
    pub(crate) fn breach(&self, what: impl Into<String>) {
        self.breaches.lock().unwrap().push(what.into());
    }

    pub(crate) fn holds(&self) -> bool {
        self.breaches.lock().unwrap().is_empty()
    }

    pub(crate) fn print_breaches(&self, attack: &str) {
        let breaches = self.breaches.lock().unwrap();
        for breach in breaches.iter().take(MAX_PRINTED) {
            println!("{attack}: {}", breach.chars().take(MAX_CHARACTERS).collect::<String>());
        }
        if let Some(left @ 1..) = breaches.len().checked_sub(MAX_PRINTED) {
            println!("{attack}: and {left} more");
        }
    }
}

/// The table in Markdown, as SECURITY.md has it.
pub(crate) fn table(reports: &[(String, Duration, Report)]) -> String {
    let row = |(name, time, report): &(String, Duration, Report)| {
        let (tried, seconds) = (report.figures.lock().unwrap().join("; "), time.as_secs());
        let broke = with_separators(report.breaches.lock().unwrap().len());
        format!("| {name} | {tried} | {broke} {} | {seconds} s |\n", report.breach_name)
    };
    let rows: Vec<String> = reports.iter().map(row).collect();
    format!("| attack | tried | broke | time |\n|---|---|---|---|\n{}", rows.concat())
}

/// `11580` as `11,580`.
fn with_separators(count: usize) -> String {
    let digits = count.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_separators() {
        for (count, expected) in [(0, "0"), (999, "999"), (1_000, "1,000"), (11_580, "11,580"), (10_000_000, "10,000,000")] {
            assert_eq!(with_separators(count), expected);
        }
    }
}
