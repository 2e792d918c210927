//! Enters to which merchants users have belonged, as far as the rows of older releases say. Nobody administers or pays a
//! merchant that they have ever belonged to.

use std::collections::BTreeSet;
use std::fmt;

use aws_sdk_dynamodb::error::DisplayErrorContext;
use shared::domain::audit::{AuditAction, AuditEntry};
use shared::domain::ids::{MerchantId, UserId};
use shared::domain::merchant::Merchant;
use shared::domain::team::{Invite, Membership, User};
use shared::domain::till::Till;
use shared::store::keys;
use shared::store::team::Belonged;
use shared::store::{Item, Write, from_item, item_key};

use crate::index::IndexError;
use crate::table::Tables;

#[derive(Debug, Default)]
pub(crate) struct Linked {
    entered: usize,
    known: usize,
}

impl fmt::Display for Linked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} links entered, {} known before", self.entered, self.known)
    }
}

/// Reads the whole table once.
pub(crate) async fn link_members(tables: &Tables) -> Result<Linked, IndexError> {
    let store = tables.store();
    let (mut linked, mut seen, mut start) = (Linked::default(), BTreeSet::new(), None);
    loop {
        let page = tables.client.scan().table_name(&tables.name).set_exclusive_start_key(start).send().await;
        let page = page.map_err(|error| IndexError::Scan(DisplayErrorContext(error).to_string()))?;
        start = page.last_evaluated_key;
        for link in page.items.unwrap_or_default().into_iter().flat_map(links) {
            if !seen.insert(link.clone()) {
                continue;
            }
            let (user, merchant) = link;
            let create = Write::create(&Belonged::new(&user, &merchant))?;
            let is_new = store.commit_if_possible(vec![create]).await?;
            *(if is_new { &mut linked.entered } else { &mut linked.known }) += 1;
        }
        if start.is_none() {
            return Ok(linked);
        }
    }
}

/// Who surely belonged to which merchant when a row was written: members, and whoever did what only members can do. A row that
/// cannot be read says nothing.
fn links(row: Item) -> Vec<(UserId, MerchantId)> {
    links_of(row).unwrap_or_default()
}

fn links_of(row: Item) -> Option<Vec<(UserId, MerchantId)>> {
    let key = item_key(&row)?;
    if keys::parse_user(&key.pk).is_some_and(|user| keys::user(&user) == key) {
        let user = from_item::<User>(row).ok()?;
        return user.merchant_id.clone().map(|merchant| vec![(user.value.id, merchant)]);
    }
    if key.pk.starts_with(keys::AUDIT_TRAILS) {
        let entry = from_item::<AuditEntry>(row).ok()?.value;
        let is_of_member = entry.action == AuditAction::IdentityChanged;
        return entry.merchant_id.filter(|_| is_of_member).map(|merchant| vec![(entry.by, merchant)]);
    }
    if !key.pk.starts_with(keys::MERCHANT_ROWS) {
        return None;
    }
    let (users, merchant): (Vec<UserId>, MerchantId) = if keys::parse_merchant(&key).is_some() {
        let merchant = from_item::<Merchant>(row).ok()?.value;
        let accepted = merchant.terms_accepted.map(|acceptance| acceptance.user_id);
        let changed = merchant.identity_changes.into_iter().map(|change| change.user_id);
        (accepted.into_iter().chain(changed).collect(), merchant.id)
    } else if key.sk.starts_with(keys::MEMBERS) {
        let member = from_item::<Membership>(row).ok()?.value;
        (vec![member.user_id], member.merchant_id)
    } else if key.sk.starts_with(keys::INVITES) {
        let invite = from_item::<Invite>(row).ok()?.value;
        (invite.made_by.into_iter().map(|maker| maker.user_id).collect(), invite.merchant_id)
    } else if key.sk.starts_with(keys::TILLS) {
        let till = from_item::<Till>(row).ok()?.value;
        let paired = till.pairing.map(|pairing| pairing.made_by.user_id);
        (std::iter::once(till.created_by).chain(paired).collect(), till.merchant_id)
    } else {
        return None;
    };
    Some(users.into_iter().map(|user| (user, merchant.clone())).collect())
}
