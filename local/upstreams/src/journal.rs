//! State that is kept in an append-only journal: each change is written as one line of JSON before the reply is sent, and
//! applied again at startup. A killed process loses at most a change that it has not yet acknowledged.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::ops::Deref;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// State that follows from its changes.
pub(crate) trait Replay: Default {
    type Change: Serialize + DeserializeOwned;

    fn apply(&mut self, change: Self::Change);
}

/// The state and the file of its changes. Without a file, it is kept in memory only.
#[derive(Debug, Default)]
pub(crate) struct Journaled<S> {
    state: S,
    file: Option<File>,
}

impl<S: Replay> Journaled<S> {
    /// Opens the file, creating it if missing, and applies its changes. Truncates an incomplete last line, which a killed
    /// process can leave behind.
    pub(crate) fn open(path: Option<&Path>) -> io::Result<Self> {
        let mut state = S::default();
        let Some(path) = path else { return Ok(Self { state, file: None }) };
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        let mut file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)?;
        let mut reader = BufReader::new(&file);
        let mut complete_bytes = 0;
        let mut line = String::new();
        while reader.read_line(&mut line)? > 0 {
            if !line.ends_with('\n') {
                break;
            }
            state.apply(serde_json::from_str(&line)?);
            complete_bytes += line.len() as u64;
            line.clear();
        }
        file.set_len(complete_bytes)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self { state, file: Some(file) })
    }

    /// Appends a change and applies it. Once this returns, the change survives a kill of the process, but not a crash of the
    /// operating system: the file is not synced.
    pub(crate) fn commit(&mut self, change: S::Change) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            let mut line = serde_json::to_vec(&change)?;
            // A `RawValue` can contain line breaks, but only between tokens: inside strings they are escaped.
            line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
            line.push(b'\n');
            file.write_all(&line)?;
        }
        self.state.apply(change);
        Ok(())
    }
}

impl<S> Deref for Journaled<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Replay for Vec<u32> {
        type Change = u32;

        fn apply(&mut self, change: u32) {
            self.push(change);
        }
    }

    #[test]
    fn applies_changes_again_in_order_and_drops_an_incomplete_last_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let open = || Journaled::<Vec<u32>>::open(Some(&path)).unwrap();
        let mut numbers = open();
        numbers.commit(1).unwrap();
        numbers.commit(2).unwrap();
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"3").unwrap();

        let mut numbers = open();
        assert_eq!(*numbers, [1, 2]);
        numbers.commit(4).unwrap();
        assert_eq!(*open(), [1, 2, 4]);
    }
}
