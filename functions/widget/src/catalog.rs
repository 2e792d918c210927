//! The fixed demo catalog of the widget. Each demo merchant has its own gift cards.

use serde::Serialize;
use shared::values::MerchantId;
use utoipa::ToSchema;

use crate::card_image;

/// A gift card in the widget.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WidgetGiftCard)]
pub(crate) struct Item {
    /// Identifies the gift card within the demo catalog. It is not the id of an offer.
    id: &'static str,
    /// The name that buyers see.
    name: &'static str,
    /// The text that buyers see.
    description: &'static str,
    /// ISO 4217 code of the prices.
    currency: &'static str,
    /// The prices to choose from, in currency units.
    denominations: &'static [u32],
    /// The address of the image of the card: a `data:` URL.
    image_url: String,
}

/// Returns the gift cards of a demo merchant, or the default ones.
pub(crate) fn items(merchant: Option<&MerchantId>) -> Vec<Item> {
    let cards = match merchant.map(MerchantId::as_str) {
        Some("m-aurora") => &AURORA[..],
        Some("m-hinode") => &HINODE[..],
        Some("m-linden") => &LINDEN[..],
        _ => &DEFAULT[..],
    };
    cards.iter().map(Card::item).collect()
}

struct Card {
    id: &'static str,
    name: &'static str,
    description: &'static str,
    currency: &'static str,
    denominations: &'static [u32],
    color: &'static str,
}

impl Card {
    fn item(&self) -> Item {
        let Self { id, name, description, currency, denominations, color } = *self;
        Item { id, name, description, currency, denominations, image_url: card_image::data_url(color) }
    }
}

const DEFAULT: [Card; 3] = [
    Card {
        id: "demo-classic",
        name: "Classic gift card",
        description: "Always the right size",
        currency: "EUR",
        denominations: &[25, 50, 100],
        color: "#1f3a5f",
    },
    Card {
        id: "demo-birthday",
        name: "Birthday gift card",
        description: "With confetti",
        currency: "EUR",
        denominations: &[20, 40, 60, 80],
        color: "#e4572e",
    },
    Card {
        id: "demo-thank-you",
        name: "Thank-you gift card",
        description: "For the small favours",
        currency: "EUR",
        denominations: &[10, 15, 25],
        color: "#3b7d4f",
    },
];

const AURORA: [Card; 2] = [
    Card {
        id: "demo-aurora-coffee",
        name: "Coffee for a friend",
        description: "A few cups, or a few more",
        currency: "SEK",
        denominations: &[100, 200, 500],
        color: "#1f4e5f",
    },
    Card {
        id: "demo-aurora-breakfast",
        name: "Breakfast for two",
        description: "Any morning, in every shop",
        currency: "SEK",
        denominations: &[250],
        color: "#f4b942",
    },
];

const HINODE: [Card; 1] = [Card {
    id: "demo-hinode-books",
    name: "Book card",
    description: "For the next chapter",
    currency: "JPY",
    denominations: &[1000, 3000, 5000, 10_000],
    color: "#b3202a",
}];

const LINDEN: [Card; 2] = [
    Card {
        id: "demo-linden-voucher",
        name: "Cycling voucher",
        description: "For anything with two wheels",
        currency: "EUR",
        denominations: &[25, 50, 100, 150],
        color: "#2f6b3a",
    },
    Card {
        id: "demo-linden-check-up",
        name: "Spring check-up",
        description: "Brakes, chain and a polish",
        currency: "EUR",
        denominations: &[80],
        color: "#8a9a5b",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use shared::values::Currency;

    #[test]
    fn every_card_has_a_valid_currency_and_sorted_denominations() {
        for card in DEFAULT.iter().chain(&AURORA).chain(&HINODE).chain(&LINDEN) {
            assert!(card.currency.parse::<Currency>().is_ok(), "{}", card.id);
            assert!(!card.denominations.is_empty() && card.denominations.is_sorted(), "{}", card.id);
        }
    }
}
