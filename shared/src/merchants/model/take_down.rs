//! Published images that the platform has taken down.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::values::{MerchantId, UserId};

/// An image that is not served any more, whatever is stored under its key. It is never deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakeDown {
    /// Of the object in the bucket of images.
    pub object_key: String,
    /// The merchant that published it. `None` if its file does not say so any more.
    pub merchant_id: Option<MerchantId>,
    pub taken_down_at: Timestamp,
    pub taken_down_by: UserId,
}
