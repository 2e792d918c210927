//! The retail store of a sale or a redemption. A paired till belongs to a store; a request by it cannot name another one.

use shared::domain::till::Till;
use shared::http::fault::Fault;

/// The store's id: that of the till, or the requested one. 403 if a till requests another one than its own.
pub(crate) fn store_id(till: Option<&Till>, requested: Option<String>) -> Result<Option<String>, Fault> {
    of_till("retailStoreId", till.map(|till| Some(&till.retail_store_id)), requested)
}

/// As [`store_id`], for the store's name. Blank counts as missing.
pub(crate) fn store_name(till: Option<&Till>, requested: Option<String>) -> Result<Option<String>, Fault> {
    let requested = requested.filter(|name| !name.trim().is_empty());
    of_till("retailStoreName", till.map(|till| till.retail_store_name.as_ref()), requested)
}

fn of_till(
    field: &str,
    till: Option<Option<&String>>,
    requested: Option<String>,
) -> Result<Option<String>, Fault> {
    let Some(own) = till else { return Ok(requested) };
    if requested.is_some() && requested.as_ref() != own {
        return Err(Fault::forbidden(format!("{field}: is not that of this till.")));
    }
    Ok(own.cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_till_names_its_own_store_or_none() {
        let own = "1".to_owned();
        for (till, requested, expected) in [
            (None, None, Ok(None)),
            (None, Some("2"), Ok(Some("2"))),
            (Some(Some(&own)), None, Ok(Some("1"))),
            (Some(Some(&own)), Some("1"), Ok(Some("1"))),
            (Some(Some(&own)), Some("2"), Err(403)),
            (Some(None), None, Ok(None)),
            (Some(None), Some("1"), Err(403)),
        ] {
            let store = of_till("f", till, requested.map(str::to_owned));
            let store = store.map_err(|fault| fault.status().as_u16());
            assert_eq!(store, expected.map(|id| id.map(str::to_owned)), "{till:?} {requested:?}");
        }
    }
}
