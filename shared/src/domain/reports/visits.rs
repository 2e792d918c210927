//! Visits of a merchant's shop.

use std::ops::AddAssign;

use super::ranking::Ranking;

/// The sessions of some time, and where they took place and began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visits {
    pub sessions: u64,
    /// Where the shop was embedded.
    pub embeds: Ranking<u64>,
    /// Where the visitor came in.
    pub entries: Ranking<u64>,
}

impl Visits {
    pub fn add(&mut self, embed: Option<&str>, entry: Option<&str>) {
        self.sessions += 1;
        *self.embeds.of(named(embed).unwrap_or("Direct")) += 1;
        *self.entries.of(named(entry).unwrap_or("Unknown")) += 1;
    }
}

/// A name, unless it is blank.
pub(super) fn named(name: Option<&str>) -> Option<&str> {
    name.map(str::trim).filter(|name| !name.is_empty())
}

impl AddAssign<&Self> for Visits {
    fn add_assign(&mut self, other: &Self) {
        self.sessions += other.sessions;
        self.embeds += &other.embeds;
        self.entries += &other.entries;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_that_says_nothing_was_direct_and_began_somewhere_unknown() {
        let mut visits = Visits::default();
        for (embed, entry) in [
            (None, None),
            (Some(" "), Some("")),
            (Some("Widget"), Some("/gift-cards")),
            (Some("Direct"), None),
        ] {
            visits.add(embed, entry);
        }
        let listed = |split: &Ranking<u64>| -> Vec<_> {
            split.top(8, |count| *count).map(|(name, count)| (name.to_owned(), *count)).collect()
        };
        assert_eq!(visits.sessions, 4);
        assert_eq!(listed(&visits.embeds), [("Direct".to_owned(), 3), ("Widget".to_owned(), 1)]);
        assert_eq!(listed(&visits.entries), [("Unknown".to_owned(), 3), ("/gift-cards".to_owned(), 1)]);
    }
}
