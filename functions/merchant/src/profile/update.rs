//! `PUT /api/bff/merchant`: updates the merchant's profile.

use axum::extract::State;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;
use shared::app::App;
use shared::db::{Job, MirroredField, StoreError, Task, Update, Write};
use shared::endpoint_error;
use shared::http::{
    Authorized, Data, Description, General, HttpUrl, Invalid, JsonBody, Link, Object, Principal, non_null, permission,
};
use shared::merchants::model::audit::AuditEntry;
use shared::merchants::model::merchant::Merchant;
use shared::merchants::view::identity::{identity_audit, log_identity_changes};
use shared::projections::calendars;
use shared::values::names::{self, MIN_SHOP};
use shared::values::{Color, is_time_zone};
use utoipa::ToSchema;

/// Declares structs of optional text fields that reject null. Missing fields are not serialized.
macro_rules! optional_texts {
    (max_length = $max_length:tt; $($visible:vis struct $name:ident { $($(#[$attribute:meta])* $field:ident: $value:ty),* $(,)? })*) => {
        /// In characters.
        const MAX_TEXT_LENGTH: usize = $max_length;
        $(
        #[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
        #[serde(rename_all = "camelCase")]
        $visible struct $name {$(
            $(#[$attribute])*
            #[serde(default, deserialize_with = "non_null_text", skip_serializing_if = "Option::is_none")]
            // Below the field's own attributes: of two values of `max_length`, the first one counts.
            #[schema(required = false, nullable = false, max_length = $max_length)]
            $field: Option<$value>,
        )*}
    )*};
}

/// The request body. The response repeats its known fields.
#[derive(Debug, Default, Deserialize, Serialize, ToSchema)]
#[schema(as = ProfileChange)]
pub(crate) struct Change {
    /// The company. Missing fields stay as they are.
    #[serde(default, deserialize_with = "non_null", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = CompanyChange, required = false, nullable = false)]
    company: Option<Object<CompanyChange>>,
    /// The brand. Missing fields stay as they are.
    #[serde(default, deserialize_with = "non_null", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = BrandChange, required = false, nullable = false)]
    brand: Option<Object<BrandChange>>,
}

optional_texts! {
    max_length = 1000;

    pub(crate) struct CompanyChange {
        /// Accepted but not saved.
        status: String,
        /// The registered name of the company, of 2 to 80 characters. An empty string removes it. It becomes the name that the
        /// portal and the shop show.
        #[schema(max_length = 80)]
        legal_name: String,
        /// Saved as the `registrationNumber`.
        org_number: String,
        /// Saved as the `vatNumber`.
        tax_number: String,
        /// Accepted but not saved.
        country: String,
        /// Accepted but not saved.
        currency: String,
        /// The name under which it trades, of 2 to 80 characters. An empty string removes it. Without a legal name, it becomes
        /// the name that the portal and the shop show.
        #[schema(max_length = 80)]
        trade_name: String,
        /// Accepted but not saved.
        external_merchant_id: String,
        /// An IANA name or `UTC±HH:MM`. The days of reports and exports begin and end in it.
        time_zone: String,
    }

    pub(crate) struct BrandChange {
        /// An `http` or `https` URL. An empty string removes the logo.
        #[schema(value_type = String, pattern = "^([Hh][Tt][Tt][Pp][Ss]?://|$)")]
        logo_url: LogoUrl,
        /// The main color of the shop, as `#rrggbb`. An empty string removes it.
        #[schema(value_type = String, pattern = "^(#[0-9A-Fa-f]{6})?$", max_length = 7)]
        primary_color: ShopColor,
        /// Accepted but not saved.
        category: String,
        /// Accepted but not saved.
        descriptor: String,
        /// A host, or an `http` or `https` URL.
        #[schema(value_type = String)]
        website: Link,
        /// Not saved, but checked: a handle, or an `http` or `https` URL.
        #[schema(value_type = String)]
        facebook: Link,
        /// Not saved, but checked: a handle, or an `http` or `https` URL.
        #[schema(value_type = String)]
        twitter: Link,
        /// Not saved, but checked: a handle, or an `http` or `https` URL.
        #[schema(value_type = String)]
        instagram: Link,
    }
}

fn non_null_text<'de, D: Deserializer<'de>, T: Deserialize<'de> + AsRef<str>>(deserializer: D) -> Result<Option<T>, D::Error> {
    let text = non_null::<D, T>(deserializer)?;
    if text.as_ref().is_some_and(|text| text.as_ref().chars().count() > MAX_TEXT_LENGTH) {
        return Err(D::Error::custom(format!("must have at most {MAX_TEXT_LENGTH} characters")));
    }
    Ok(text)
}

/// The URL of a logo, or empty for none.
#[derive(Debug, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub(crate) struct LogoUrl(String);

impl AsRef<str> for LogoUrl {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for LogoUrl {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        if text.is_empty() { Ok(Self(text)) } else { HttpUrl::try_from(text).map(|url| Self(url.into())) }
    }
}

/// `#rrggbb`, or empty for none.
#[derive(Debug, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub(crate) struct ShopColor(String);

impl AsRef<str> for ShopColor {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ShopColor {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let is_valid = text.is_empty() || Color::parse(&text).is_some();
        if is_valid { Ok(Self(text)) } else { Err("must be a color such as #1f4e5f") }
    }
}

endpoint_error! {
    pub(crate) enum UpdateProfileError {
        /// A field is invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "brand.logoUrl: must be an http or https URL.",
    }
}

/// Saves the change and returns the known fields of the body.
///
/// Saves the names, the registration and VAT numbers, the time zone, the website, the logo and the color. The other fields
/// are accepted and ignored. A change that changes none of the saved fields enqueues no job.
pub(crate) async fn update_profile(
    caller: Authorized<permission::Information>,
    State(app): State<App>,
    JsonBody(change): JsonBody<Change>,
) -> Result<Data<Change>, UpdateProfileError> {
    let change = change.checked(&caller.merchant)?;
    let save_failed = |error: StoreError| General::failed("Could not save the changes. Please try again.", error.to_string());
    // Applied to the current merchant, so that concurrent updates are not lost.
    let updated = app.store.update(caller.merchant, |merchant| update(&app, &caller.by, merchant, &change));
    log_identity_changes(updated.await.map_err(save_failed)?.as_ref());
    Ok(Data(change))
}

/// Returns the updated merchant with its jobs (an email, and the same update at the card network), and the audit entry of the
/// identity fields that changed after the submission of the application. The update is `None` if nothing changed.
fn update(
    app: &App,
    by: &Principal,
    merchant: &Merchant,
    body: &Change,
) -> Result<(Option<Update<Merchant>>, Option<AuditEntry>), StoreError> {
    let mut changed = body.apply(merchant);
    if changed == *merchant {
        return Ok((None, None));
    }
    let now = app.clock.now();
    let changed_identity = changed.record_identity_changes(merchant, &by.id(), now);
    let mut tasks = vec![Task::AccountChangeMail { user_id: by.responsible().clone() }];
    let fields = changed_mirrored_fields(merchant, &changed);
    if merchant.network_merchant_id.is_some() && !fields.is_empty() {
        tasks.push(Task::MirrorMerchant { fields });
    }
    if changed.time_zone != merchant.time_zone {
        changed.calendars.change_to(&changed.time_zone);
    }
    let job = |task| Job::new(merchant.id.clone(), task, now, &app.random);
    let of_calendars = calendars::jobs_of_change(merchant, &changed, now, &app.random);
    let audited = identity_audit(app, &merchant.id, &by.id(), changed_identity, now);
    let audited = audited.map(|entry| AuditEntry { actor: by.other_than_user(), ..entry });
    let jobs = tasks.into_iter().map(job).chain(of_calendars).map(|job| Write::create(&job));
    let mut with = jobs.chain(audited.as_ref().map(Write::create)).collect::<Result<Vec<_>, _>>()?;
    with.extend(app.store.record_changes(&by.actor(), merchant, &changed, now)?);
    Ok((Some(Update { row: changed, with }), audited))
}

impl Change {
    /// With names and the time zone in their stored form. What the merchant has already is not checked.
    fn checked(mut self, merchant: &Merchant) -> Result<Self, Invalid> {
        let Some(Object(company)) = &mut self.company else { return Ok(self) };
        for (field, name, stored) in [
            ("legalName", &mut company.legal_name, &merchant.legal_name),
            ("tradeName", &mut company.trade_name, &merchant.trade_name),
        ] {
            if let Some(name) = name {
                let replacement = names::replacement(stored, name, MIN_SHOP);
                *name = replacement.map_err(|error| Invalid::new(format!("company.{field}: {error}.")))?;
            }
        }
        if let Some(zone) = company.time_zone.as_mut().filter(|zone| **zone != merchant.time_zone) {
            *zone = zone.trim().to_owned();
            if !zone.is_empty() && !is_time_zone(zone) {
                return Err(Invalid::new("company.timeZone: must be an IANA time zone, or UTC±HH:MM."));
            }
        }
        Ok(self)
    }

    fn apply(&self, merchant: &Merchant) -> Merchant {
        let mut changed = merchant.clone();
        if let Some(Object(company)) = &self.company {
            company.apply(&mut changed);
        }
        if let Some(Object(brand)) = &self.brand {
            brand.apply(&mut changed);
        }
        changed
    }
}

impl CompanyChange {
    fn apply(&self, merchant: &mut Merchant) {
        let names = |merchant: &Merchant| (merchant.legal_name.clone(), merchant.trade_name.clone());
        let before = names(merchant);
        set(&mut merchant.legal_name, self.legal_name.as_ref());
        set(&mut merchant.trade_name, self.trade_name.as_ref());
        if names(merchant) != before {
            let names = [&merchant.legal_name, &merchant.trade_name];
            let name = names.into_iter().find(|name| !name.trim().is_empty()).cloned();
            set(&mut merchant.name, name.as_ref());
        }
        set(&mut merchant.registration_number, self.org_number.as_ref());
        set(&mut merchant.vat_number, self.tax_number.as_ref());
        set(&mut merchant.time_zone, self.time_zone.as_ref());
    }
}

impl BrandChange {
    fn apply(&self, merchant: &mut Merchant) {
        if let Some(LogoUrl(url)) = &self.logo_url {
            let removes_logo = url.is_empty() && !merchant.brand.logo_url.is_empty();
            merchant.logo_removed = removes_logo || (url.is_empty() && merchant.logo_removed);
            merchant.brand.logo_url.clone_from(url);
        }
        set(&mut merchant.brand.website, self.website.as_ref());
        if let Some(ShopColor(color)) = &self.primary_color {
            merchant.storefront.primary_color = Some(color.clone()).filter(|color| !color.is_empty());
        }
    }
}

fn set<T: AsRef<str>>(field: &mut String, value: Option<&T>) {
    if let Some(value) = value {
        value.as_ref().clone_into(field);
    }
}

/// Returns the fields that changed and are mirrored at the card network.
fn changed_mirrored_fields(before: &Merchant, after: &Merchant) -> Vec<MirroredField> {
    MirroredField::ALL.into_iter().filter(|field| field.of(before) != field.of(after)).collect()
}

pub(crate) fn describe() -> Description {
    let change = json!({
        "company": {"legalName": "Aurora Coffee AB", "timeZone": "Europe/Stockholm"},
        "brand": {"logoUrl": "https://aurora.example/logo.png"},
    });
    Description::new(
        "updateProfile",
        "Update the profile",
        "Saves the names, the registration and VAT numbers, the time zone, the website, the logo and the color. The other fields \
         are accepted and ignored. A change of a saved field is confirmed by e-mail. Returns the known fields of the body.",
    )
    .body::<Change>(change.clone())
    .success("The known fields of the body.", change)
}
