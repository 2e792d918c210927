//! What a restored table has lost: everything between the moment that was restored and the switch to that table.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A span of time whose changes a table has lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostSpan {
    pub from: Timestamp,
    /// `None` until the restore is complete: the functions may still use the table that is left behind.
    pub to: Option<Timestamp>,
}

impl LostSpan {
    fn contains(&self, time: Timestamp) -> bool {
        self.from <= time && self.to.is_none_or(|to| time <= to)
    }
}

/// The spans that a table has lost, one for each restore.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostSpans {
    pub spans: Vec<LostSpan>,
}

impl LostSpans {
    pub fn contain(&self, time: Timestamp) -> bool {
        self.spans.iter().any(|span| span.contains(time))
    }

    /// With a span that begins at this time. A restore that is prepared again has one span, which begins at the earlier time.
    #[must_use]
    pub fn begun(&self, from: Timestamp) -> Self {
        let mut spans = self.spans.clone();
        match spans.iter_mut().find(|span| span.to.is_none()) {
            Some(open) => open.from = open.from.min(from),
            None => spans.push(LostSpan { from, to: None }),
        }
        Self { spans }
    }

    /// With an end of the span that has none. `None` if all have one.
    pub fn ended(&self, to: Timestamp) -> Option<Self> {
        let mut spans = self.spans.clone();
        spans.iter_mut().find(|span| span.to.is_none())?.to = Some(to);
        Some(Self { spans })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn lost(spans: &LostSpans) -> Vec<i64> {
        (0..10).filter(|second| spans.contain(at(*second))).collect()
    }

    #[test]
    fn a_span_lasts_until_its_restore_is_complete() {
        let first = LostSpans::default().begun(at(2)).begun(at(3)).begun(at(1));
        assert_eq!(lost(&first), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let first = first.ended(at(3)).unwrap();
        assert_eq!(lost(&first), [1, 2, 3]);
        assert_eq!(first.ended(at(4)), None);
        let second = first.begun(at(6)).ended(at(7)).unwrap();
        assert_eq!(lost(&second), [1, 2, 3, 6, 7]);
        assert_eq!(lost(&LostSpans::default()), [0; 0]);
    }
}
