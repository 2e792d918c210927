//! The heartbeat of the table's stream. Each sweep writes it, and each reader of the stream reports how old it is when it arrives:
//! without it, a reader that was disabled looks like one that has nothing to do.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::error::{StoreError, call};
use super::keys::{self, Key};
use super::row::{Entity, Item, from_item, item_key, to_item};
use super::table::Store;

#[derive(Debug, Serialize, Deserialize)]
pub struct Heartbeat {
    at: Timestamp,
}

impl Entity for Heartbeat {
    fn key(&self) -> Key {
        keys::heartbeat()
    }
}

impl Heartbeat {
    /// The age in seconds of the heartbeat that the stream reports with this image. `None` if it is another row, or unreadable:
    /// a heartbeat that nobody reports sets off the alarm.
    pub fn age(image: Item, now: Timestamp) -> Option<u64> {
        item_key(&image).filter(|key| *key == keys::heartbeat())?;
        let heartbeat = from_item::<Self>(image).ok()?;
        // The clock of the sweep can be ahead.
        Some(now.duration_since(heartbeat.at).as_secs().try_into().unwrap_or_default())
    }
}

impl Store {
    /// Replaces the heartbeat, whatever it was.
    pub async fn write_heartbeat(&self, at: Timestamp) -> Result<(), StoreError> {
        let item = to_item(&Heartbeat { at }, 1)?;
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        put.send().await.map_err(call("PutItem"))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::model::restore::Restores;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_heartbeat_has_an_age_and_other_rows_have_none() {
        let heartbeat = to_item(&Heartbeat { at: at(100) }, 1).unwrap();
        for (now, age) in [(100, 0), (161, 61), (99, 0)] {
            assert_eq!(Heartbeat::age(heartbeat.clone(), at(now)), Some(age), "{now}");
        }
        let without_time: Item = heartbeat.into_iter().filter(|(name, _)| name != "at").collect();
        for other in [without_time, to_item(&Restores::default(), 1).unwrap(), Item::new()] {
            assert_eq!(Heartbeat::age(other, at(100)), None);
        }
    }
}
