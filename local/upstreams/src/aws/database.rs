//! The database file of the embedded DynamoDB engine.
//!
//! The engine appends every change of a table to the table's stream. For each record it looks up the highest sequence
//! number, and each read of the stream looks up a range of them. It has no index for either, so without the indexes made
//! here every write takes longer than the one before. The engine cannot create indexes in a database in memory; a database
//! that is not kept is therefore a temporary file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use dynoxide::Database;
use rusqlite::Connection;
use tempfile::TempDir;

use super::StartError;

/// DynamoDB keeps stream records for a day.
const STREAM_RETENTION: Duration = Duration::from_hours(24);
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

const CREATE_INDEXES: &str = "
    CREATE INDEX IF NOT EXISTS stream_records_by_table
        ON _stream_records (table_name, CAST(sequence_number AS INTEGER));
    CREATE INDEX IF NOT EXISTS stream_records_by_shard
        ON _stream_records (table_name, shard_id, CAST(sequence_number AS INTEGER));
    CREATE INDEX IF NOT EXISTS stream_records_by_time ON _stream_records (created_at);";

/// The engine's database, in a file. Clones share it.
#[derive(Clone)]
pub(super) struct DatabaseFile {
    pub(super) engine: Database,
    path: PathBuf,
}

impl DatabaseFile {
    /// Opens or creates a file.
    pub(super) fn open(path: PathBuf) -> Result<Self, StartError> {
        let file = Self::open_with_indexes(path)?;
        // Sets SQLite to `synchronous = NORMAL`, which avoids a disk sync for each write; the engine offers no other way.
        // A killed process still loses no acknowledged write, because the operating system already has the data.
        file.engine.disable_bulk_loading()?;
        Ok(file)
    }

    /// Creates a file that is not kept. It is deleted with the directory.
    pub(super) fn temporary() -> Result<(Self, TempDir), StartError> {
        let error = |source| StartError::State { path: std::env::temp_dir(), source };
        let directory = TempDir::new().map_err(error)?;
        let file = Self::open_with_indexes(directory.path().join("dynamodb.sqlite"))?;
        file.engine.enable_bulk_loading()?;
        Ok((file, directory))
    }

    fn open_with_indexes(path: PathBuf) -> Result<Self, StartError> {
        let engine = Database::new(&path.to_string_lossy())?;
        connect(&path)?.execute_batch(CREATE_INDEXES)?;
        Ok(Self { engine, path })
    }

    /// Returns the first partition keys of a table that begin with this text, in their order. DynamoDB has no such call: it
    /// would have to scan the table. Blocks.
    pub(super) fn partition_keys(&self, table: &str, prefix: &str, limit: usize) -> Result<Vec<String>, StartError> {
        let connection = connect(&self.path)?;
        let mut statement = connection.prepare(&partition_keys_query(table))?;
        let keys = statement.query_map((prefix, limit), |row| row.get(0))?;
        Ok(keys.collect::<Result<_, _>>()?)
    }

    /// Deletes expired items, and stream records that DynamoDB would no longer keep. Blocks.
    pub(super) fn remove_expired(&self) -> Result<(), StartError> {
        let items = self.engine.sweep_ttl()?;
        let records = connect(&self.path)?
            .execute("DELETE FROM _stream_records WHERE created_at < unixepoch() - ?1", [STREAM_RETENTION.as_secs()])?;
        tracing::trace!(items, records, "removed expired items and stream records");
        Ok(())
    }
}

/// The engine writes the type of a key before its value.
fn partition_keys_query(table: &str) -> String {
    format!(
        "SELECT DISTINCT substr(pk, 3) FROM \"{table}\" WHERE pk >= 'S:' || ?1 AND pk < 'S:' || ?1 || char(0x10FFFF)
         ORDER BY pk LIMIT ?2"
    )
}

fn connect(path: &Path) -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_up_stream_records_by_index() {
        let (file, _directory) = DatabaseFile::temporary().unwrap();
        let connection = connect(&file.path).unwrap();
        for query in [
            "SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = 'a'",
            "SELECT event_name FROM _stream_records WHERE table_name = 'a' AND shard_id = 'b'
             AND CAST(sequence_number AS INTEGER) > 1 ORDER BY CAST(sequence_number AS INTEGER) ASC LIMIT 1",
            "DELETE FROM _stream_records WHERE created_at < 1",
        ] {
            let explain = format!("EXPLAIN QUERY PLAN {query}");
            let plan: String = connection.query_row(&explain, [], |row| row.get("detail")).unwrap();
            assert!(plan.starts_with("SEARCH") && plan.contains("INDEX"), "{query}: {plan}");
        }
    }

    #[test]
    fn removes_stream_records_after_a_day() {
        let (file, _directory) = DatabaseFile::temporary().unwrap();
        let connection = connect(&file.path).unwrap();
        for (id, hours) in [(1, 23), (2, 25)] {
            let insert = "INSERT INTO _stream_records
                (id, table_name, event_name, keys_json, sequence_number, shard_id, created_at)
                VALUES (?1, 'a', 'INSERT', '{}', ?1, 'b', unixepoch() - 3600 * ?2)";
            connection.execute(insert, [id, hours]).unwrap();
        }
        file.remove_expired().unwrap();
        let left: i64 = connection.query_row("SELECT SUM(id) FROM _stream_records", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 1);
    }
}
