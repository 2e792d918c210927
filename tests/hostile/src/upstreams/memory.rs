//! How much memory this process takes. Linux only.

use std::fs;

/// The memory that is used from now on.
pub(crate) struct PeakMemory {
    /// In bytes.
    before: u64,
}

impl PeakMemory {
    pub(crate) fn begin() -> Self {
        // Sets the peak to what is used now.
        let _ = fs::write("/proc/self/clear_refs", "5");
        Self { before: read("VmRSS:") }
    }

    /// The most memory since the beginning, in bytes, beyond what was used then.
    pub(crate) fn used(&self) -> u64 {
        read("VmHWM:").saturating_sub(self.before)
    }
}

fn read(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}
