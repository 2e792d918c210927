//! An append-only journal: each change is written as one line of JSON before the reply is sent, and replayed at
//! startup. A killed process loses at most a change that it has not yet acknowledged.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A journal file, or `None` if the state is kept in memory only.
#[derive(Debug, Default)]
pub struct Journal(Option<File>);

impl Journal {
    /// Opens `path`, creating it if missing, and passes each complete entry to `replay`, oldest first. Truncates an
    /// incomplete last line, which a killed process can leave behind.
    pub fn open<E: DeserializeOwned>(path: &Path, mut replay: impl FnMut(E)) -> io::Result<Self> {
        let mut file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
        let mut reader = BufReader::new(&file);
        let mut complete_bytes = 0;
        let mut line = String::new();
        while reader.read_line(&mut line)? > 0 {
            if !line.ends_with('\n') {
                break;
            }
            replay(serde_json::from_str(&line)?);
            complete_bytes += line.len() as u64;
            line.clear();
        }
        file.set_len(complete_bytes)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self(Some(file)))
    }

    /// Returns a journal that discards every entry.
    pub fn in_memory() -> Self {
        Self(None)
    }

    /// Appends one change. Once this returns, the change survives a kill of the process, but not a crash of the
    /// operating system: the file is not synced.
    pub fn append<E: Serialize>(&mut self, change: &E) -> io::Result<()> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        let mut line = serde_json::to_vec(change)?;
        // A `RawValue` can contain line breaks, but only between tokens: inside strings they are escaped.
        line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        line.push(b'\n');
        file.write_all(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replays_changes_in_order_and_drops_an_incomplete_last_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let mut journal = Journal::open(&path, |_: u32| ()).unwrap();
        journal.append(&1).unwrap();
        journal.append(&2).unwrap();
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"3").unwrap();

        let mut replayed = Vec::new();
        let mut journal = Journal::open(&path, |n: u32| replayed.push(n)).unwrap();
        journal.append(&4).unwrap();
        assert_eq!(replayed, [1, 2]);

        let mut replayed = Vec::new();
        Journal::open(&path, |n: u32| replayed.push(n)).unwrap();
        assert_eq!(replayed, [1, 2, 4]);
    }
}
