//! The machine that the benchmark runs on.

use std::fs;
use std::thread::available_parallelism;

use crate::figures::{from_count, grouped};

pub(crate) fn description() -> String {
    let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown processor".to_owned());
    let cores = available_parallelism().map_or(1, usize::from);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let memory = memory_gigabytes().map_or_else(|| "unknown memory".to_owned(), |gigabytes| format!("{gigabytes} GB"));
    let system = std::env::consts::OS;
    format!("{processor}, {cores} cores, {memory}, {system} {}", kernel.trim())
}

fn memory_gigabytes() -> Option<String> {
    let total = field("/proc/meminfo", "MemTotal")?;
    let kilobytes: u32 = total.strip_suffix(" kB")?.parse().ok()?;
    Some(grouped(from_count(kilobytes) / 1e6))
}

/// Returns the value of the first line `name: value` of a file.
fn field(path: &str, name: &str) -> Option<String> {
    let file = fs::read_to_string(path).ok()?;
    let fields = file.lines().filter_map(|line| line.split_once(':'));
    let mut values = fields.filter(|(field, _)| field.trim() == name).map(|(_, value)| value.trim().to_owned());
    values.next()
}
