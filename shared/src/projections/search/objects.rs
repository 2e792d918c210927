//! The objects of search segments, in a bucket of their own.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

use super::error::SearchError;
use super::records::Records;
use crate::aws::files::Files;
use crate::db::keys::segment_object;
use crate::projections::rows::segments::Segment;
use crate::values::{MerchantId, ObjectId};

/// Keeps the packed objects that were used last, so that the next search of the same merchant need not fetch them again: an
/// object never changes.
#[derive(Debug)]
pub struct SegmentObjects {
    files: Files,
    recent: Mutex<Recent>,
}

/// In bytes. A million orders have 30 to 65 MB.
const MAX_RECENT_SIZE: usize = 256 * 1024 * 1024;
const CONTENT_TYPE: &str = "application/zstd";

impl SegmentObjects {
    pub fn new(files: Files) -> Self {
        Self { files, recent: Mutex::default() }
    }

    pub(super) async fn read(&self, merchant: &MerchantId, segment: &Segment) -> Result<Records, SearchError> {
        if let Some(content) = segment.content.as_ref().and_then(|content| STANDARD.decode(content).ok()) {
            return Ok(Records::unpack(&content, segment.size)?);
        }
        let key = segment_object(merchant, &segment.object);
        let recent = self.recent().get(&key);
        let packed = match recent {
            Some(packed) => packed,
            None => {
                let file = self.files.get(&key).await?.ok_or(SearchError::MissingObject)?;
                self.recent().add(key, file.bytes.clone());
                file.bytes
            }
        };
        Ok(Records::unpack(&packed, segment.size)?)
    }

    pub(super) async fn write(&self, merchant: &MerchantId, object: &ObjectId, packed: Bytes) -> Result<(), SearchError> {
        Ok(self.files.put_as(&segment_object(merchant, object), packed, CONTENT_TYPE).await?)
    }

    /// Does nothing if there is no such object.
    pub(super) async fn delete(&self, merchant: &MerchantId, object: &ObjectId) -> Result<(), SearchError> {
        Ok(self.files.delete(&segment_object(merchant, object)).await?)
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Objects by key, the one that was used last at the end.
#[derive(Debug, Default)]
struct Recent {
    objects: VecDeque<(String, Bytes)>,
    size: usize,
}

impl Recent {
    fn get(&mut self, key: &str) -> Option<Bytes> {
        let place = self.objects.iter().position(|(known, _)| known == key)?;
        let used = self.objects.remove(place)?;
        let bytes = used.1.clone();
        self.objects.push_back(used);
        Some(bytes)
    }

    fn add(&mut self, key: String, bytes: Bytes) {
        self.size += bytes.len();
        self.objects.push_back((key, bytes));
        while self.size > MAX_RECENT_SIZE {
            let Some((_, dropped)) = self.objects.pop_front() else { break };
            self.size -= dropped.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_was_used_last() {
        let mut recent = Recent::default();
        let third = || Bytes::from(vec![0; MAX_RECENT_SIZE / 3]);
        for key in ["a", "b", "c"] {
            recent.add(key.to_owned(), third());
        }
        assert!(recent.get("a").is_some());
        recent.add("d".to_owned(), third());
        let kept: Vec<&str> = recent.objects.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(kept, ["c", "a", "d"]);
        assert!(recent.get("b").is_none());
    }
}
