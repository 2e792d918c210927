//! The progress bar: one line that is drawn again and again on a terminal, otherwise a line every 10 %.

use std::io::{self, IsTerminal, Stderr, Write};
use std::time::{Duration, Instant};

const REDRAW_INTERVAL: Duration = Duration::from_millis(100);
/// Characters of the bar.
const WIDTH: u64 = 30;

pub(super) struct ProgressBar<W> {
    output: W,
    is_terminal: bool,
    total: u64,
    started: Instant,
    shown: Option<Shown>,
}

/// When the progress was last shown, after the start, and how many tenths were done.
#[derive(Clone, Copy)]
struct Shown {
    after: Duration,
    tenths: u64,
}

impl ProgressBar<Stderr> {
    /// Starts the clock.
    pub(super) fn on_stderr(total: u64) -> Self {
        let output = io::stderr();
        Self { is_terminal: output.is_terminal(), output, total, started: Instant::now(), shown: None }
    }
}

impl<W: Write> ProgressBar<W> {
    pub(super) fn update(&mut self, done: u64) {
        self.show(done, self.started.elapsed());
    }

    fn show(&mut self, done: u64, elapsed: Duration) {
        let now = Shown { after: elapsed, tenths: done * 10 / self.total.max(1) };
        let is_last = done >= self.total;
        if !is_last && !self.is_due(now) {
            return;
        }
        let line = line(done, self.total, elapsed);
        // The progress is not worth stopping for if nobody can read it.
        let _ = match (self.is_terminal, is_last) {
            (true, false) => write!(self.output, "\r{line}\x1b[K").and_then(|()| self.output.flush()),
            (true, true) => writeln!(self.output, "\r{line}\x1b[K"),
            (false, _) => writeln!(self.output, "{line}"),
        };
        self.shown = Some(now);
    }

    fn is_due(&self, now: Shown) -> bool {
        match self.shown {
            Some(last) if self.is_terminal => now.after >= last.after + REDRAW_INTERVAL,
            Some(last) => now.tenths > last.tenths,
            None => self.is_terminal || now.tenths > 0,
        }
    }
}

fn line(done: u64, total: u64, elapsed: Duration) -> String {
    let milliseconds = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
    let (percent, per_second) = (done * 100 / total.max(1), done * 1000 / milliseconds);
    let remaining_seconds = total.saturating_sub(done).saturating_mul(milliseconds) / done.max(1) / 1000;
    let (minutes, seconds) = (remaining_seconds / 60, remaining_seconds % 60);
    let bar: String = (0..WIDTH).map(|at| if at * 100 < percent * WIDTH { '#' } else { '-' }).collect();
    format!("[{bar}] {percent:3} %, {done} of {total} orders, {per_second} a second, {minutes}:{seconds:02} left")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(is_terminal: bool, updates: &[(u64, u64)]) -> String {
        let (output, started) = (Vec::new(), Instant::now());
        let mut progress = ProgressBar { output, is_terminal, total: 1000, started, shown: None };
        for (done, milliseconds) in updates {
            progress.show(*done, Duration::from_millis(*milliseconds));
        }
        String::from_utf8(progress.output).unwrap()
    }

    #[test]
    fn shows_orders_percent_speed_and_remaining_time() {
        assert_eq!(
            line(250, 1000, Duration::from_secs(25)),
            "[########----------------------]  25 %, 250 of 1000 orders, 10 a second, 1:15 left"
        );
        assert_eq!(
            line(0, 1000, Duration::ZERO),
            "[------------------------------]   0 %, 0 of 1000 orders, 0 a second, 0:01 left"
        );
    }

    #[test]
    fn a_terminal_line_is_drawn_at_most_ten_times_a_second_and_ends_at_last() {
        let text = shown(true, &[(10, 20), (20, 119), (30, 120), (1000, 130)]);
        assert_eq!(text.matches('\r').count(), 3, "{text}");
        assert!(text.contains(" 30 of 1000") && !text.contains(" 20 of 1000"), "{text}");
        assert!(text.ends_with("0:00 left\u{1b}[K\n"), "{text}");
    }

    #[test]
    fn other_outputs_get_a_line_every_ten_percent() {
        let updates: Vec<(u64, u64)> = (1..=20).map(|part| (part * 50, part)).collect();
        let text = shown(false, &updates);
        assert_eq!(text.lines().count(), 10, "{text}");
        assert!(!text.contains('\r'), "{text}");
    }
}
