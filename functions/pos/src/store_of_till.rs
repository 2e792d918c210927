//! The retail store of a sale or a redemption. A paired till belongs to a store; a request by it cannot name another one.

use http::StatusCode;
use shared::domain::till::Till;
use shared::http::fault::Fault;

/// The store's id: that of the till, or the requested one. 403 if a till requests another one than its own.
pub(crate) fn store_id(till: Option<&Till>, requested: Option<String>) -> Result<Option<String>, Fault> {
    match till {
        None => Ok(requested),
        Some(till) => own("retailStoreId", Some(&till.retail_store_id), requested.as_ref()),
    }
}

/// As [`store_id`], for the store's name. Blank counts as missing.
pub(crate) fn store_name(till: Option<&Till>, requested: Option<String>) -> Result<Option<String>, Fault> {
    let requested = requested.filter(|name| !name.trim().is_empty());
    match till {
        None => Ok(requested),
        Some(till) => own("retailStoreName", till.retail_store_name.as_ref(), requested.as_ref()),
    }
}

fn own(field: &str, own: Option<&String>, requested: Option<&String>) -> Result<Option<String>, Fault> {
    if requested.is_some() && requested != own {
        // Who sells or redeems where is a question of access: the error has the format of the other ones.
        return Err(Fault::access(StatusCode::FORBIDDEN, format!("{field}: is not that of this till.")));
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
            let store = own("f", known, requested).map_err(|fault| fault.status().as_u16());
            assert_eq!(store, expected.map(|id| id.map(str::to_owned)), "{known:?} {requested:?}");
        }
    }
}
