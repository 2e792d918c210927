//! The request body of the retail store endpoints. The card network validates the values.

use serde::Deserialize;
use serde_json::value::RawValue;
use shared::app::App;
use shared::base::json::is_deeper_than;
use shared::card_network::{StoreFields, StoreStatus};
use shared::endpoint_error;
use shared::http::bounded::MaxChars;
use shared::http::{Authorized, Invalid, Scalar, non_null, permission, require_readable};
use shared::limits;
use shared::limits::model::{STORE_CHANGES, UsedUp};
use utoipa::ToSchema;

type ExternalId = MaxChars<100>;

/// Of lists and objects in a field. Deeper ones could not be read again, and the list of stores with them.
const MAX_LEVELS: usize = 8;

endpoint_error! {
    pub(crate) enum TooManyChanges {
        /// The caller, or all members of the merchant together, have reached the hourly limit of changes to stores.
        UsedUp(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "You have reached your limit of 900 changes to stores an hour. Please try again in 12 minutes.",
    }
}

/// Counts a change of a store, or a new one.
pub(crate) async fn count_change(app: &App, caller: &Authorized<permission::Organization>) -> Result<(), TooManyChanges> {
    limits::count(app, &caller.member().within(STORE_CHANGES)).await
}

/// Values are sent to the card network unchanged, including null; but for `country`, `externalId` and `status`, null means that
/// the field is missing.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RetailStoreFields)]
pub(crate) struct StoreBody {
    /// The name that customers know.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(value_type = Option<String>, required = false)]
    name: Option<Box<RawValue>>,
    /// Street and number.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(value_type = Option<String>, required = false)]
    address1: Option<Box<RawValue>>,
    /// The second line of the address.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(value_type = Option<String>, required = false)]
    address2: Option<Box<RawValue>>,
    /// The town.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(value_type = Option<String>, required = false)]
    city: Option<Box<RawValue>>,
    /// The postal code.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(value_type = Option<Scalar>, required = false)]
    postcode: Option<Box<RawValue>>,
    /// ISO 3166-1 alpha-2 code.
    #[schema(value_type = Option<String>, required = false)]
    country: Option<Box<RawValue>>,
    /// The id of the store, which the merchant chooses.
    external_id: Option<Scalar>,
    /// `Active`. Any other value means inactive.
    #[schema(value_type = Option<String>, required = false)]
    status: Option<Box<RawValue>>,
}

impl StoreBody {
    /// Returns the `externalId`, or `None` if it is missing or blank. 400 if it is too long.
    pub(crate) fn external_id(&self) -> Result<Option<String>, Invalid> {
        let id = self.external_id.clone().and_then(Scalar::into_non_blank);
        id.iter().try_for_each(|id| ExternalId::check("externalId", id))?;
        Ok(id)
    }

    /// Returns `NotActive` for any value but `Active`, and `None` if the status is missing.
    pub(crate) fn status(&self) -> Option<StoreStatus> {
        let is_active = |status: &RawValue| serde_json::from_str::<String>(status.get()).is_ok_and(|status| status == "Active");
        let status = self.status.as_deref().map(is_active);
        status.map(|active| if active { StoreStatus::Active } else { StoreStatus::NotActive })
    }

    /// Converts the body to the card network's fields, without a status. 400 if a field is nested too deeply,
    /// or has what strict parsers do not read.
    pub(crate) fn into_store(self, external_id: String) -> Result<StoreFields, Invalid> {
        let Self { name, address1, address2, city, postcode, country, external_id: _, status: _ } = self;
        let fields = [
            ("name", &name),
            ("address1", &address1),
            ("address2", &address2),
            ("city", &city),
            ("postcode", &postcode),
            ("country", &country),
        ];
        for (field, value) in fields {
            let Some(value) = value else { continue };
            if is_deeper_than(MAX_LEVELS, value.get().as_bytes()) {
                return Err(Invalid::new(format!("{field}: is nested more than {MAX_LEVELS} levels deep.")));
            }
            require_readable(field, value)?;
        }
        Ok(StoreFields { name, address1, address2, city, postcode, country, external_id, status: None })
    }
}

#[cfg(test)]
mod tests {
    use shared::http::RawBody;

    use super::*;

    fn read(body: &str) -> Result<StoreBody, Invalid> {
        RawBody(body.to_owned().into()).parse()
    }

    #[test]
    fn sends_values_to_the_network_unchanged() {
        let body = r#"{"name": {"en": "Main"}, "address1": null, "city": 1.50, "country": "SE", "extra": 1}"#;
        let store = read(body).unwrap().into_store("main".to_owned()).unwrap();
        assert_eq!(
            serde_json::to_string(&store).unwrap(),
            r#"{"name":{"en": "Main"},"address1":null,"city":1.50,"country":"SE","externalId":"main"}"#
        );
    }

    #[test]
    fn refuses_what_others_cannot_read() {
        for (body, field) in [(r#"{"postcode": 1e999}"#, "postcode"), (r#"{"city": ["\ud800"]}"#, "city")] {
            let invalid = read(body).unwrap().into_store("main".to_owned()).unwrap_err();
            assert_eq!(invalid.message(), format!("{field}: must not contain numbers beyond 1e308 or unpaired surrogates."));
        }
    }
}
