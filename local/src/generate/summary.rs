//! What the command prints at the end.

use std::fmt;
use std::path::PathBuf;

use shared::domain::ids::QrCode;

use super::history::Sale;
use super::import::Written;
use super::merchant::{ADMIN, ID};

/// Counts of what was written, and what to do next.
#[derive(Debug)]
pub struct Summary {
    data: PathBuf,
    counts: [(&'static str, u64); 6],
    /// The code of a card that exists at the card network.
    card: Option<QrCode>,
}

impl Summary {
    pub(super) fn new(data: PathBuf, written: &Written) -> Self {
        let counts = [
            ("orders", written.orders),
            ("gift cards", written.gift_cards),
            ("redemptions", written.redemptions),
            ("settlements", written.settlements),
            ("visits", written.visits),
            ("rows in all", written.rows),
        ];
        Self { data, counts, card: written.latest_issued().filter_map(Sale::card_code).last().cloned() }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let data = self.data.display();
        writeln!(f, "The merchant {ID} and its administrator {ADMIN} were written to {data}, with:")?;
        for (kind, count) in &self.counts {
            writeln!(f, "  {kind:<12} {count:>10}")?;
        }
        if let Some(card) = &self.card {
            writeln!(f, "A card that the card network knows: {}", card.as_str())?;
        }
        writeln!(f, "\nStart the local system:\n\n  cargo run --release -- --data {data} --fixtures none\n")?;
        writeln!(f, "Sign in:\n")?;
        write!(f, "  curl http://127.0.0.1:8080/__local/sessions -d '{{\"userId\": \"{ADMIN}\"}}'")
    }
}
