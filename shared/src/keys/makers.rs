//! What a change of a membership, or the end of a merchant, means for keys. Every change of what a member may do goes through
//! [`Store::change_member`].

use jiff::Timestamp;

use crate::base::clock::iso_8601;
use crate::db::{KeyNews, News, Store, StoreError, Stored, Task, Write};
use crate::keys::model::key::{ApiKey, EndedBecause};
use crate::merchants::model::activity::{ActivityAction, Actor, Deed};
use crate::team::model::team::{Membership, Powers};
use crate::team::rows::team::Team;

/// Who takes powers from a member.
#[derive(Debug, Clone, Copy)]
pub enum TakenBy<'a> {
    /// The member has left. Their keys end 7 days later.
    Oneself,
    /// Somebody with these powers. What the member has made ends at once, unless they want to keep it and could give it.
    Other { keeps_keys: bool, powers: &'a Powers },
    /// The platform: at once.
    Platform,
}

impl TakenBy<'_> {
    fn gives_notice(self, key: &ApiKey) -> bool {
        match self {
            Self::Oneself => true,
            Self::Other { keeps_keys, powers } => keeps_keys && powers.may_give(&key.powers()),
            Self::Platform => false,
        }
    }
}

impl Store {
    /// The writes that replace a membership, or delete it, count the change of the team, and end the keys that its member could not
    /// give any more.
    pub fn change_member(
        &self,
        team: &Team,
        member: &Stored<Membership>,
        next: Option<&Membership>,
        by: TakenBy<'_>,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<Vec<Write>, StoreError> {
        let write = match next {
            Some(next) => Write::replace(member, next)?,
            None => Write::delete(member)?,
        };
        let mut writes = vec![team.counted()?, write];
        let (before, after) = (member.powers(), next.map(Membership::powers));
        let is_lost = |given: &Powers| after.as_ref().is_none_or(|after| before.may_give(given) && !after.may_give(given));
        let made = team.keys.iter().filter(|key| key.created_by.id == member.user_id && !key.is_over(now));
        for key in made.filter(|key| is_lost(&key.powers())) {
            let ending = if by.gives_notice(key) { key.under_notice(now) } else { key.over(EndedBecause::MakerLeft, now) };
            writes.extend(self.end_key(key, &ending, actor, now)?);
        }
        Ok(writes)
    }

    /// The writes that end all keys of a merchant that is closed, and count the change of its team.
    pub fn close_keys(&self, team: &Team, actor: &Actor, now: Timestamp) -> Result<Vec<Write>, StoreError> {
        let mut writes = vec![team.counted()?];
        for key in team.keys.iter().filter(|key| !key.is_over(now)) {
            writes.extend(self.end_key(key, &key.over(EndedBecause::MerchantInactive, now), actor, now)?);
        }
        Ok(writes)
    }

    /// Administrators are told of an end that is to come.
    fn end_key(&self, key: &Stored<ApiKey>, ending: &ApiKey, actor: &Actor, now: Timestamp) -> Result<Vec<Write>, StoreError> {
        let end = ending.end();
        let deed = Deed::new(ActivityAction::KeyEnding)
            .to_target(&key.id, &key.name)
            .with("endsAt", iso_8601(end.at))
            .with("endedBecause", end.because.to_string());
        let mut writes = vec![Write::replace(key, ending)?, self.record(actor.clone(), &key.merchant_id, deed, now)?];
        if end.at > now {
            let news = News::Key { key_id: key.id.clone(), what: KeyNews::Ending { at: end.at } };
            writes.push(self.enqueue(key.merchant_id.clone(), Task::TeamNews { news }, now)?);
        }
        Ok(writes)
    }
}
