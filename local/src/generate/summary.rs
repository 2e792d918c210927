//! What the command prints at the end.

use std::fmt;
use std::path::PathBuf;

use super::import::Written;
use super::merchant::{ADMIN, ID};
use crate::history::Sale;

/// Counts of what was written, and what to do next.
#[derive(Debug)]
pub struct Summary {
    pub(super) data: PathBuf,
    pub(super) written: Written,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (data, written) = (self.data.display(), &self.written);
        writeln!(f, "The merchant {ID} and its administrator {ADMIN} were written to {data}, with:")?;
        for (kind, count) in [
            ("orders", written.orders),
            ("gift cards", written.gift_cards),
            ("redemptions", written.redemptions),
            ("settlements", written.settlements),
            ("visits", written.visits),
            ("rows in all", written.rows),
        ] {
            writeln!(f, "  {kind:<12} {count:>10}")?;
        }
        if let Some(code) = written.latest.iter().rev().find_map(Sale::card_code) {
            writeln!(f, "A card that the card network knows: {}", code.as_str())?;
        }
        writeln!(f, "\nStart the local system:\n\n  cargo run --release -- --data {data} --fixtures none\n")?;
        writeln!(f, "Sign in:\n")?;
        write!(f, "  curl http://localhost:8080/__local/sessions -d '{{\"userId\": \"{ADMIN}\"}}'")
    }
}
