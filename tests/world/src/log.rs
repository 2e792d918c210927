//! What is logged in this process.

use std::io::Write;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tracing_subscriber::util::SubscriberInitExt;

/// A captured log. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Captures what this thread logs, as long as the returned guard exists.
    pub fn of_thread() -> (Self, impl Sized) {
        let log = Self::default();
        let writer = log.clone();
        (log, tracing_subscriber::fmt().with_writer(move || writer.clone()).finish().set_default())
    }

    /// Captures what the process logs from now on, as JSON. Once in a process.
    pub fn of_process() -> Self {
        let log = Self::default();
        let writer = log.clone();
        tracing_subscriber::fmt().json().flatten_event(true).with_writer(move || writer.clone()).init();
        log
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// The lines with a message, of a log as JSON.
    pub fn lines(&self, message: &str) -> Vec<Value> {
        let text = self.text();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["message"] == message).collect()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
