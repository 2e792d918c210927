//! By what the history of a gift card is found, so that no key contains a card's code.

use serde::{Deserialize, Serialize};

use crate::team::model::code::{CodeKey, Purpose};
use crate::values::{MerchantId, Money, QrCode};

/// A keyed hash of a card's code and its merchant, by which the card's history is found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CardTag(String);

/// 128 bits: no two codes have the same tag.
const TAG_LENGTH: usize = 32;

impl CardTag {
    pub fn new(key: &CodeKey, merchant: &MerchantId, code: &QrCode) -> Self {
        let mut tag = key.tag(Purpose::CardHistory, &[merchant.as_str(), code.as_str()]);
        tag.truncate(TAG_LENGTH);
        Self(tag)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A card of an order that is in the history of cards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaggedCard {
    pub tag: CardTag,
    pub value: Money,
}
