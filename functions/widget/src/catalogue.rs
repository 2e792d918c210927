//! The catalogue that the widget shows: a fixed one for demonstrations, with sets of their own for the merchants of
//! the demo.

use serde::Serialize;
use shared::domain::ids::MerchantId;
use utoipa::ToSchema;

use crate::picture;

/// A gift card in the widget.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WidgetGiftCard)]
pub(crate) struct Item {
    id: &'static str,
    name: &'static str,
    description: &'static str,
    /// ISO 4217.
    currency: &'static str,
    /// Whole currency units.
    denominations: &'static [u32],
    image_url: String,
}

/// The merchant's own set where there is one, else the usual one.
pub(crate) fn items(merchant: Option<&MerchantId>) -> Vec<Item> {
    let sold = match merchant.map(MerchantId::as_str) {
        Some("m-aurora") => &AURORA[..],
        Some("m-hinode") => &HINODE[..],
        Some("m-linden") => &LINDEN[..],
        _ => &USUAL[..],
    };
    sold.iter().map(Card::item).collect()
}

struct Card {
    id: &'static str,
    name: &'static str,
    description: &'static str,
    currency: &'static str,
    denominations: &'static [u32],
    colour: &'static str,
}

impl Card {
    fn item(&self) -> Item {
        let Self { id, name, description, currency, denominations, colour } = *self;
        Item { id, name, description, currency, denominations, image_url: picture::of_card(colour) }
    }
}

const USUAL: [Card; 3] = [
    Card {
        id: "demo-classic",
        name: "Classic gift card",
        description: "Always the right size",
        currency: "EUR",
        denominations: &[25, 50, 100],
        colour: "#1f3a5f",
    },
    Card {
        id: "demo-birthday",
        name: "Birthday gift card",
        description: "With confetti",
        currency: "EUR",
        denominations: &[20, 40, 60, 80],
        colour: "#e4572e",
    },
    Card {
        id: "demo-thank-you",
        name: "Thank-you gift card",
        description: "For the small favours",
        currency: "EUR",
        denominations: &[10, 15, 25],
        colour: "#3b7d4f",
    },
];

const AURORA: [Card; 2] = [
    Card {
        id: "demo-aurora-coffee",
        name: "Coffee for a friend",
        description: "A few cups, or a few more",
        currency: "SEK",
        denominations: &[100, 200, 500],
        colour: "#1f4e5f",
    },
    Card {
        id: "demo-aurora-breakfast",
        name: "Breakfast for two",
        description: "Any morning, in every shop",
        currency: "SEK",
        denominations: &[250],
        colour: "#f4b942",
    },
];

const HINODE: [Card; 1] = [Card {
    id: "demo-hinode-books",
    name: "Book card",
    description: "For the next chapter",
    currency: "JPY",
    denominations: &[1000, 3000, 5000, 10_000],
    colour: "#b3202a",
}];

const LINDEN: [Card; 2] = [
    Card {
        id: "demo-linden-voucher",
        name: "Cycling voucher",
        description: "For anything with two wheels",
        currency: "EUR",
        denominations: &[25, 50, 100, 150],
        colour: "#2f6b3a",
    },
    Card {
        id: "demo-linden-check-up",
        name: "Spring check-up",
        description: "Brakes, chain and a polish",
        currency: "EUR",
        denominations: &[80],
        colour: "#8a9a5b",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use shared::domain::money::Currency;

    #[test]
    fn only_the_merchants_of_the_demo_have_sets_of_their_own() {
        let first = |merchant: Option<&str>| items(merchant.map(MerchantId::new).as_ref())[0].id;
        for (merchant, expected) in [
            (None, "demo-classic"),
            (Some("m-unheard-of"), "demo-classic"),
            (Some("m-aurora"), "demo-aurora-coffee"),
            (Some("m-hinode"), "demo-hinode-books"),
            (Some("m-linden"), "demo-linden-voucher"),
        ] {
            assert_eq!(first(merchant), expected, "{merchant:?}");
        }
    }

    #[test]
    fn every_card_can_be_sold() {
        for card in USUAL.iter().chain(&AURORA).chain(&HINODE).chain(&LINDEN) {
            assert!(card.currency.parse::<Currency>().is_ok(), "{}", card.id);
            assert!(!card.denominations.is_empty() && card.denominations.is_sorted(), "{}", card.id);
        }
    }
}
