//! What a restored table has lost: everything between the moment that was restored and the switch to that table. And how far the
//! switch is.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

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

/// How far a restore is. The steps follow each other, and each can be repeated until the next one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RestoreStep {
    /// It has begun, and perhaps stopped half way.
    #[default]
    Preparing,
    Prepared,
    /// The hook of a rollout, in the template, has let functions use the table: it writes this, before they do.
    InUse,
}

/// The restores that the rows of a table have been through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restores {
    /// One for each.
    pub spans: Vec<LostSpan>,
    /// The table that the last one made. A table that was restored from it has this row as well, and another name.
    pub table: String,
    pub step: RestoreStep,
}

/// A step that does not follow from the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum WrongStep {
    #[error("functions use this table already: to prepare it again would undo what they have done since")]
    InUse,
    #[error("the table is not prepared to the end: run `admin restore prepare` again")]
    NotPrepared,
    #[error("no function uses the table yet: switch the stack first")]
    NotInUse,
}

impl Restores {
    pub fn contain(&self, time: Timestamp) -> bool {
        self.spans.iter().any(|span| span.contains(time))
    }

    /// The preparation of this table begins, which has lost what was written since. One that is begun again has one span, from
    /// the earlier time.
    pub fn preparing(&self, table: &str, from: Timestamp) -> Result<Self, WrongStep> {
        if self.table == table && self.step == RestoreStep::InUse {
            return Err(WrongStep::InUse);
        }
        let mut spans = self.spans.clone();
        match spans.iter_mut().find(|span| span.to.is_none()) {
            Some(open) => open.from = open.from.min(from),
            None => spans.push(LostSpan { from, to: None }),
        }
        Ok(Self { spans, table: table.to_owned(), step: RestoreStep::Preparing })
    }

    /// The table can be used.
    #[must_use]
    pub fn prepared(&self) -> Self {
        Self { step: RestoreStep::Prepared, ..self.clone() }
    }

    /// The functions use this table, and no other one: the last span ends. `None` if it has ended.
    pub fn completed(&self, table: &str, to: Timestamp) -> Result<Option<Self>, WrongStep> {
        match self.step {
            RestoreStep::InUse if self.table == table => {}
            RestoreStep::Prepared if self.table == table => return Err(WrongStep::NotInUse),
            _ => return Err(WrongStep::NotPrepared),
        }
        let mut spans = self.spans.clone();
        let Some(open) = spans.iter_mut().find(|span| span.to.is_none()) else { return Ok(None) };
        open.to = Some(to);
        Ok(Some(Self { spans, ..self.clone() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn lost(restores: &Restores) -> Vec<i64> {
        (0..10).filter(|second| restores.contain(at(*second))).collect()
    }

    fn in_use(restores: &Restores) -> Restores {
        Restores { step: RestoreStep::InUse, ..restores.prepared() }
    }

    #[test]
    fn a_span_lasts_until_its_restore_is_complete() {
        let begun = |restores: &Restores, table, from| restores.preparing(table, at(from)).unwrap();
        let first = begun(&begun(&begun(&Restores::default(), "a", 2), "a", 3), "a", 1);
        assert_eq!(lost(&first), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let first = in_use(&first).completed("a", at(3)).unwrap().unwrap();
        assert_eq!(lost(&first), [1, 2, 3]);
        assert_eq!(first.completed("a", at(4)), Ok(None));
        let second = in_use(&begun(&first, "b", 6)).completed("b", at(7)).unwrap().unwrap();
        assert_eq!(lost(&second), [1, 2, 3, 6, 7]);
        assert_eq!(lost(&Restores::default()), [0; 0]);
    }

    #[test]
    fn a_step_follows_only_from_the_one_before() {
        use WrongStep::{InUse, NotInUse, NotPrepared};
        let preparing = Restores::default().preparing("a", at(1)).unwrap();
        let used = in_use(&preparing);
        let complete = used.completed("a", at(2)).unwrap().unwrap();
        for (restores, again, completed) in [
            (Restores::default(), Ok(()), Err(NotPrepared)),
            (preparing.clone(), Ok(()), Err(NotPrepared)),
            (preparing.prepared(), Ok(()), Err(NotInUse)),
            (used, Err(InUse), Ok(())),
            (complete.clone(), Err(InUse), Ok(())),
        ] {
            assert_eq!(restores.preparing("a", at(1)).map(drop), again, "{restores:?}");
            assert_eq!(restores.completed("a", at(2)).map(drop), completed, "{restores:?}");
            // A table that was restored from it.
            assert_eq!(restores.completed("b", at(2)), Err(NotPrepared), "{restores:?}");
            assert!(restores.preparing("b", at(1)).is_ok(), "{restores:?}");
        }
    }
}
