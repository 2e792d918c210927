//! The retail store of a sale or a redemption. A paired till belongs to a store; a request by it cannot name another one.

use shared::endpoint_error;
use shared::http::{ByAccessCheck, Detail, Fault};
use shared::team::model::till::Till;

endpoint_error! {
    pub(crate) enum StoreOfTillError {
        /// The store is not that of the till.
        OtherStore(OtherStore) => 403 FORBIDDEN "retailStoreId: is not the store of this till.",
    }
}

/// The name of the field. Who sells or redeems where is a question of access.
#[derive(Debug)]
pub(crate) struct OtherStore(&'static str);

impl Detail for OtherStore {
    const BY_ACCESS_CHECK: bool = true;

    fn add_to(self, fault: Fault) -> Fault {
        let message = format!("{}: is not the store of this till.", self.0);
        ByAccessCheck.add_to(message.add_to(fault))
    }
}

/// The store's id: that of the till, or the requested one.
pub(crate) fn store_id(till: Option<&Till>, requested: Option<String>) -> Result<Option<String>, StoreOfTillError> {
    match till {
        None => Ok(requested),
        Some(till) => own("retailStoreId", Some(&till.retail_store_id), requested.as_ref()),
    }
}

/// As [`store_id`], for the store's name. Blank counts as missing.
pub(crate) fn store_name(till: Option<&Till>, requested: Option<String>) -> Result<Option<String>, StoreOfTillError> {
    let requested = requested.filter(|name| !name.trim().is_empty());
    match till {
        None => Ok(requested),
        Some(till) => own("retailStoreName", till.retail_store_name.as_ref(), requested.as_ref()),
    }
}

fn own(field: &'static str, own: Option<&String>, requested: Option<&String>) -> Result<Option<String>, StoreOfTillError> {
    if requested.is_some() && requested != own {
        return Err(StoreOfTillError::OtherStore(OtherStore(field)));
    }
    Ok(own.cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_till_names_its_own_store_or_none() {
        let (one, other) = ("1".to_owned(), "2".to_owned());
        for (known, requested, expected) in [
            (Some(&one), None, Ok(Some("1"))),
            (Some(&one), Some(&one), Ok(Some("1"))),
            (Some(&one), Some(&other), Err(403)),
            (None, None, Ok(None)),
            (None, Some(&one), Err(403)),
        ] {
            let store = own("f", known, requested).map_err(|error| Fault::from(error).status().as_u16());
            assert_eq!(store, expected.map(|id| id.map(str::to_owned)), "{known:?} {requested:?}");
        }
    }
}
