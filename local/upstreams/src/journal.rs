//! State that survives a restart: every change is appended as one line of JSON before it is answered, and read
//! back at the start. A killed process loses at most a line that it never answered for.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A file of changes, or nothing at all when state is kept in memory.
#[derive(Debug, Default)]
pub struct Journal(Option<File>);

impl Journal {
    /// Opens `path`, creating it when missing, and gives every whole line to `replay`, oldest first. A last line
    /// that was cut off by a kill is removed.
    pub fn open<E: DeserializeOwned>(path: &Path, mut replay: impl FnMut(E)) -> io::Result<Self> {
        let mut file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
        let mut reader = BufReader::new(&file);
        let mut whole = 0;
        let mut line = String::new();
        while reader.read_line(&mut line)? > 0 {
            if !line.ends_with('\n') {
                break;
            }
            replay(serde_json::from_str(&line)?);
            whole += line.len() as u64;
            line.clear();
        }
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self(Some(file)))
    }

    /// A journal that keeps nothing.
    pub fn in_memory() -> Self {
        Self(None)
    }

    /// Appends one change. It is safe from a kill of the process once this returns.
    pub fn append<E: Serialize>(&mut self, change: &E) -> io::Result<()> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        let mut line = serde_json::to_vec(change)?;
        // JSON that is kept as it was written can hold line breaks, though only between its tokens.
        line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        line.push(b'\n');
        file.write_all(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_come_back_in_order_and_a_cut_line_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let mut journal = Journal::open(&path, |_: u32| ()).unwrap();
        journal.append(&1).unwrap();
        journal.append(&2).unwrap();
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"3").unwrap();

        let mut seen = Vec::new();
        let mut journal = Journal::open(&path, |n: u32| seen.push(n)).unwrap();
        journal.append(&4).unwrap();
        assert_eq!(seen, [1, 2]);

        let mut seen = Vec::new();
        Journal::open(&path, |n: u32| seen.push(n)).unwrap();
        assert_eq!(seen, [1, 2, 4]);
    }
}
