//! Visits to a merchant's shop.

use std::ops::AddAssign;

use super::ranking::Ranking;

/// Visits of a day or a period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visits {
    pub count: u64,
    /// Visits by where the shop was embedded.
    pub by_embed: Ranking<u64>,
    /// Visits by entry page.
    pub by_entry: Ranking<u64>,
}

impl Visits {
    pub fn add(&mut self, embed: Option<&str>, entry: Option<&str>) {
        self.count += 1;
        *self.by_embed.entry(non_blank(embed).unwrap_or("Direct")) += 1;
        *self.by_entry.entry(non_blank(entry).unwrap_or("Unknown")) += 1;
    }
}

/// Trims; `None` if blank.
pub(super) fn non_blank(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

impl AddAssign<&Self> for Visits {
    fn add_assign(&mut self, other: &Self) {
        self.count += other.count;
        self.by_embed += &other.by_embed;
        self.by_entry += &other.by_entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_default_to_a_direct_embed_and_an_unknown_entry() {
        let mut visits = Visits::default();
        for (embed, entry) in [
            (None, None),
            (Some(" "), Some("")),
            (Some("Widget"), Some("/gift-cards")),
            (Some("Direct"), None),
        ] {
            visits.add(embed, entry);
        }
        let listed = |ranking: &Ranking<u64>| -> Vec<_> {
            ranking.top(8, |count| *count).map(|(name, count)| (name.to_owned(), *count)).collect()
        };
        assert_eq!(visits.count, 4);
        assert_eq!(listed(&visits.by_embed), [("Direct".to_owned(), 3), ("Widget".to_owned(), 1)]);
        assert_eq!(listed(&visits.by_entry), [("Unknown".to_owned(), 3), ("/gift-cards".to_owned(), 1)]);
    }
}
