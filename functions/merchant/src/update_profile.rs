//! `PUT /api/bff/merchant`: change the merchant's profile.

use std::cell::Cell;

use axum::extract::State;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;
use shared::app::App;
use shared::domain::ids::UserId;
use shared::domain::merchant::Merchant;
use shared::http::access::{Authorized, permission};
use shared::http::body::{JsonBody, Object, given};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::reply::Data;
use shared::store::jobs::{Job, MirroredField, Task};
use shared::store::{CommitError, MAX_CONFLICT_ATTEMPTS, StoreError, Stored, Write};
use url::Url;
use utoipa::ToSchema;

/// Characters of any text.
const MAX_TEXT_LENGTH: usize = 1000;

/// Structs of texts that can be left out, but not be null. What was left out is not written either.
macro_rules! texts {
    ($($visible:vis struct $name:ident { $($(#[$said:meta])* $field:ident: $value:ty),* $(,)? })*) => {$(
        #[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
        #[serde(rename_all = "camelCase")]
        $visible struct $name {$(
            #[serde(default, deserialize_with = "given_text", skip_serializing_if = "Option::is_none")]
            #[schema(required = false, nullable = false, max_length = 1000)]
            $(#[$said])*
            $field: Option<$value>,
        )*}
    )*};
}

/// What is sent, and echoed as far as it is known here.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[schema(as = ProfileChange)]
pub(crate) struct Change {
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = CompanyChange, required = false, nullable = false)]
    company: Option<Object<CompanyChange>>,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = BrandChange, required = false, nullable = false)]
    brand: Option<Object<BrandChange>>,
}

texts! {
    pub(crate) struct CompanyChange {
        status: String,
        legal_name: String,
        org_number: String,
        tax_number: String,
        country: String,
        currency: String,
        trade_name: String,
        external_merchant_id: String,
        time_zone: String,
    }

    pub(crate) struct BrandChange {
        #[schema(value_type = String, format = "uri", pattern = "^[Hh][Tt][Tt][Pp][Ss]?://")]
        logo_url: WebAddress,
        category: String,
        descriptor: String,
        website: String,
        facebook: String,
        twitter: String,
        instagram: String,
    }
}

fn given_text<'de, D: Deserializer<'de>, T: Deserialize<'de> + AsRef<str>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let text = given::<D, T>(deserializer)?;
    if text.as_ref().is_some_and(|text| text.as_ref().chars().count() > MAX_TEXT_LENGTH) {
        return Err(D::Error::custom(format!("must have at most {MAX_TEXT_LENGTH} characters")));
    }
    Ok(text)
}

/// An absolute `http` or `https` URL, as it was written: without the slips that browsers forgive, such as blanks
/// around it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub(crate) struct WebAddress(String);

impl AsRef<str> for WebAddress {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for WebAddress {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let has_slips = Cell::new(false);
        let note_slip = |_| has_slips.set(true);
        let url = Url::options().syntax_violation_callback(Some(&note_slip)).parse(&text);
        let is_web = url.is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if is_web && !has_slips.get() { Ok(Self(text)) } else { Err("must be an http or https URL") }
    }
}

/// Saves what is kept of the change, and echoes the body.
///
/// Kept are the names, the numbers, the time zone, the website and the logo. The other fields are accepted and
/// change nothing: they are decided elsewhere, or by nobody yet. 400 names a field that does not read as what it
/// should be.
pub(crate) async fn update_profile(
    caller: Authorized<permission::Information>,
    State(app): State<App>,
    JsonBody(change): JsonBody<Change>,
) -> Result<Data<Change>, Fault> {
    let unsaved =
        |error: StoreError| Fault::failed("Could not save the changes. Please try again.", error.to_string());
    save(&app, &caller.user.id, caller.merchant, &change).await.map_err(unsaved)?;
    Ok(Data(change))
}

/// Applies the change to the merchant as it is by then: whoever changes it in between loses nothing.
async fn save(
    app: &App,
    user: &UserId,
    mut merchant: Stored<Merchant>,
    change: &Change,
) -> Result<(), StoreError> {
    for attempt in 0..MAX_CONFLICT_ATTEMPTS {
        match app.store.commit(writes(app, user, &merchant, change)?).await {
            Ok(()) => return Ok(()),
            Err(CommitError::Store(error)) => return Err(error),
            Err(CommitError::Conflict(_)) => app.store.pause(attempt).await,
        }
        let Some(current) = app.store.merchant(&merchant.id).await? else { break };
        merchant = current;
    }
    Err(StoreError::Contended("the merchant"))
}

/// The merchant, and what its change promises: a mail, and the same change at the card network.
fn writes(
    app: &App,
    user: &UserId,
    merchant: &Stored<Merchant>,
    change: &Change,
) -> Result<Vec<Write>, StoreError> {
    let changed = change.apply(merchant);
    let mut tasks = vec![Task::AccountChangeMail { user_id: user.clone() }];
    let fields = changed_at_network(merchant, &changed);
    if merchant.network_merchant_id.is_some() && !fields.is_empty() {
        tasks.push(Task::MirrorMerchant { fields });
    }
    let promise = |task| Job::new(merchant.id.clone(), task, app.clock.now(), &app.random);
    let promises = tasks.into_iter().map(|task| Write::create(&promise(task)));
    std::iter::once(Write::replace(merchant, &changed)).chain(promises).collect()
}

impl Change {
    fn apply(&self, merchant: &Merchant) -> Merchant {
        let mut changed = merchant.clone();
        if let Some(Object(company)) = &self.company {
            company.apply(&mut changed);
        }
        if let Some(Object(brand)) = &self.brand {
            set(&mut changed.brand.logo_url, brand.logo_url.as_ref().map(|WebAddress(url)| url));
            set(&mut changed.brand.website, brand.website.as_ref());
        }
        changed
    }
}

impl CompanyChange {
    fn apply(&self, merchant: &mut Merchant) {
        let names = [&self.legal_name, &self.trade_name];
        set(&mut merchant.name, names.into_iter().flatten().find(|name| !name.trim().is_empty()));
        set(&mut merchant.legal_name, self.legal_name.as_ref());
        set(&mut merchant.trade_name, self.trade_name.as_ref());
        set(&mut merchant.registration_number, self.org_number.as_ref());
        set(&mut merchant.vat_number, self.tax_number.as_ref());
        set(&mut merchant.time_zone, self.time_zone.as_ref());
    }
}

fn set(field: &mut String, sent: Option<&String>) {
    if let Some(sent) = sent {
        field.clone_from(sent);
    }
}

/// The fields that the card network keeps as well and that differ.
fn changed_at_network(before: &Merchant, after: &Merchant) -> Vec<MirroredField> {
    MirroredField::ALL.into_iter().filter(|field| field.of(before) != field.of(after)).collect()
}
pub(crate) fn describe() -> Description {
    let change = json!({
        "company": {"legalName": "Aurora Coffee AB", "timeZone": "Europe/Stockholm"},
        "brand": {"logoUrl": "https://aurora.example/logo.png"},
    });
    Description::new(
        "Change the profile",
        "Keeps the names, the numbers, the time zone, the website and the logo; the other fields are accepted and \
         change nothing. Answers with the fields of the body that it knows.",
    )
    .body::<Change>(change.clone())
    .data::<Change>("What was sent.", change)
    .refuses(400, "A field does not read as what it should be.")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use shared::domain::ids::MerchantId;
    use shared::domain::merchant::{Brand, MerchantStatus};
    use shared::http::body::RawBody;

    use super::*;

    fn read(body: &Value) -> Result<Change, Fault> {
        RawBody(body.to_string().into()).parse()
    }

    fn merchant() -> Merchant {
        Merchant { name: "Before".to_owned(), ..Merchant::new(MerchantId::new("m")) }
    }

    #[test]
    fn what_is_sent_is_echoed_and_nothing_else() {
        for (body, echo) in [
            (json!({}), json!({})),
            (json!({"company": {}, "brand": {}}), json!({"company": {}, "brand": {}})),
            (
                json!({"company": {"country": "SE", "more": 1}, "brand": {"logoUrl": "https://a.example/x"}, "more": []}),
                json!({"company": {"country": "SE"}, "brand": {"logoUrl": "https://a.example/x"}}),
            ),
        ] {
            assert_eq!(serde_json::to_value(read(&body).unwrap()).unwrap(), echo);
        }
    }

    #[test]
    fn what_is_no_text_or_no_object_is_refused() {
        let long = "å".repeat(MAX_TEXT_LENGTH);
        assert!(read(&json!({"company": {"legalName": long}})).is_ok());
        for body in [
            json!({"company": {"legalName": long + "x"}}),
            json!([]),
            json!({"company": null}),
            json!({"company": []}),
            json!({"company": {"legalName": null}}),
            json!({"company": {"timeZone": 1}}),
            json!({"brand": {"logoUrl": null}}),
            json!({"brand": {"logoUrl": ""}}),
            json!({"brand": {"logoUrl": "/logo.png"}}),
            json!({"brand": {"logoUrl": "ftp://a.example/logo.png"}}),
            json!({"brand": {"logoUrl": "javascript:alert(1)"}}),
        ] {
            assert!(read(&body).is_err(), "{body}");
        }
    }

    #[test]
    fn the_fields_that_are_kept_are_changed_and_no_others() {
        let sent = json!({
            "company": {
                "status": "ACTIVE", "legalName": "Legal", "tradeName": "Trade", "orgNumber": "1", "taxNumber": "2",
                "country": "SE", "currency": "SEK", "externalMerchantId": "x", "timeZone": "Europe/Stockholm",
            },
            "brand": {
                "logoUrl": "https://a.example/x", "website": "https://a.example", "category": "c",
                "descriptor": "d", "facebook": "f", "twitter": "t", "instagram": "i",
            },
        });
        let expected = Merchant {
            name: "Legal".to_owned(),
            legal_name: "Legal".to_owned(),
            trade_name: "Trade".to_owned(),
            registration_number: "1".to_owned(),
            vat_number: "2".to_owned(),
            time_zone: "Europe/Stockholm".to_owned(),
            brand: Brand {
                logo_url: "https://a.example/x".to_owned(),
                website: "https://a.example".to_owned(),
                ..Brand::default()
            },
            status: MerchantStatus::Draft,
            ..merchant()
        };
        assert_eq!(read(&sent).unwrap().apply(&merchant()), expected);
    }

    #[test]
    fn the_name_follows_the_legal_name_else_the_trade_name() {
        for (company, name) in [
            (json!({"tradeName": "Trade"}), "Trade"),
            (json!({"legalName": "", "tradeName": "Trade"}), "Trade"),
            (json!({"legalName": ""}), "Before"),
            (json!({}), "Before"),
        ] {
            assert_eq!(read(&json!({"company": company})).unwrap().apply(&merchant()).name, name);
        }
    }

    #[test]
    fn the_network_is_told_what_differs() {
        let sent = json!({"company": {"legalName": "Before", "taxNumber": "2"}, "brand": {"website": "w"}});
        let changed = read(&sent).unwrap().apply(&merchant());
        let expected = [MirroredField::VatNumber, MirroredField::Website];
        assert_eq!(changed_at_network(&merchant(), &changed), expected);
    }
}
