//! `POST /api/onboarding/submit`: saves a draft of an application, or submits it.
//!
//! Submitting enqueues a verification job in the same transaction, so that it succeeds even if the verifier is down.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use axum::extract::State;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use shared::app::App;
use shared::db::{StoreError, Task, Update, Write};
use shared::endpoint_error;
use shared::http::bounded::List;
use shared::http::{AuthorizedPerson, Description, General, Invalid, NoData, Object, RawBody, permission};
use shared::merchants::model::activity::Actor;
use shared::merchants::model::merchant::{Acceptance, Director, Document, LegalAddress, Merchant, MerchantStatus};
use shared::merchants::view::identity::{identity_audit, log_identity_changes};
use shared::values::names::{self, MIN_PERSON, MIN_SHOP};
use shared::values::{Currency, UserId, public_url};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// In characters.
const MAX_TEXT_LENGTH: usize = 200;
/// In characters.
const MAX_URL_LENGTH: usize = 1024;
/// Both limits keep a merchant below DynamoDB's 400 KB item limit.
const MAX_DIRECTORS: usize = 50;
const MAX_DOCUMENTS: usize = 40;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Application)]
struct Body {
    /// Saves a draft, in which every field is optional.
    is_draft: Option<bool>,
    /// The company's registration number in its country. Required on submission.
    registration_number: Option<Text>,
    /// The company's VAT number. Required on submission.
    vat_number: Option<Text>,
    /// The name under which it trades, of 2 to 80 characters.
    #[schema(value_type = Option<NameText>)]
    trading_name: Option<Text>,
    /// The merchant's own currency, a case-insensitive ISO 4217 code. Defaults to the saved one or, on submission, to `EUR`.
    #[schema(value_type = Option<String>, pattern = r"^\s*([A-Za-z]{3})?\s*$")]
    currency: Option<Parsed<Currency>>,
    /// The number of its locations: a whole number in digits.
    #[schema(value_type = Option<String>, pattern = r"^([0-9]+|\s*)$")]
    number_of_locations: Option<Parsed<Count>>,
    /// The registered address of the company. Required on submission.
    #[schema(value_type = Option<ApplicationAddress>)]
    legal_address: Option<Object<ApplicationAddress>>,
    /// The people who represent the company, at least one on submission. They replace the saved ones.
    directors: Option<Directors>,
    /// Documents about the company. They replace the saved ones.
    documents: Option<Documents>,
    /// Whether the terms are accepted: must be `true` on submission.
    terms_accepted: Option<bool>,
    /// Whether the privacy policy is accepted: must be `true` on submission.
    privacy_accepted: Option<bool>,
}

type Directors = List<ApplicationDirector, MAX_DIRECTORS>;
type Documents = List<ApplicationDocument, MAX_DOCUMENTS>;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ApplicationAddress {
    /// Street and number. Required on submission.
    line1: Option<Text>,
    /// The town. Required on submission.
    city: Option<Text>,
    /// The state, province or region, in countries that have them in addresses.
    state: Option<Text>,
    /// The postal code. Required on submission.
    postal_code: Option<Text>,
    /// ISO 3166-1 alpha-2 code, which is not checked. Required on submission.
    country: Option<Text>,
}

/// Both fields are required on submission.
#[derive(Debug, Deserialize, ToSchema)]
struct ApplicationDirector {
    /// Full name of the director, of at most 80 characters.
    #[schema(value_type = Option<NameText>)]
    name: Option<Text>,
    /// Position in the company, such as `CEO`.
    role: Option<Text>,
}

/// `type` and `url` are required on submission.
#[derive(Debug, Deserialize, ToSchema)]
struct ApplicationDocument {
    /// The kind of document, such as `REGISTRATION`.
    r#type: Option<Text>,
    /// The `url` of the upload response, or another `http` or `https` URL.
    #[schema(value_type = Option<UrlText>)]
    url: Option<DocumentUrl>,
    /// The name to show to people.
    name: Option<Text>,
}

/// A string of at most `MAX` characters.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Text<const MAX: usize = MAX_TEXT_LENGTH>(String);

impl<const MAX: usize> TryFrom<String> for Text<MAX> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.chars().count() > MAX {
            return Err(format!("must have at most {MAX} characters"));
        }
        Ok(Self(text))
    }
}

impl<const MAX: usize> PartialSchema for Text<MAX> {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::String).max_length(Some(MAX)).build().into()
    }
}

impl<const MAX: usize> ToSchema for Text<MAX> {
    fn name() -> Cow<'static, str> {
        format!("TextUpTo{MAX}").into()
    }
}

/// An `http` or `https` URL, or blank.
#[derive(Debug, Deserialize)]
#[serde(try_from = "UrlText")]
struct DocumentUrl(String);

type UrlText = Text<MAX_URL_LENGTH>;
type NameText = Text<{ names::MAX_CHARS }>;

impl TryFrom<UrlText> for DocumentUrl {
    type Error = &'static str;

    fn try_from(Text(url): UrlText) -> Result<Self, &'static str> {
        let is_allowed = is_blank(&url) || public_url(&url).is_some();
        if is_allowed { Ok(Self(url)) } else { Err("must be an http or https URL") }
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// A value that is sent as a string. `None` if it is blank.
#[derive(Debug)]
struct Parsed<T>(Option<T>);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Parsed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if is_blank(&text) {
            return Ok(Self(None));
        }
        text.parse().map(|value| Self(Some(value))).map_err(D::Error::custom)
    }
}

/// The number of its locations: a whole number in digits.
#[derive(Debug)]
struct Count(u32);

impl FromStr for Count {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let number = digits.and_then(|digits| digits.parse().ok());
        number.map(Self).ok_or("must be a whole number in digits")
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "submitApplication",
        "Save a draft or submit an application",
        "With `isDraft`, saves the fields of the body and keeps the others. Blank fields count as missing, and entries of \
         lists may be incomplete. Without `isDraft`, submits the application, which must contain the registration and VAT \
         numbers, the address and at least one director, and accept the terms and the privacy policy. A \
         verification session is then created and its URL sent by email.",
    )
    .body::<Body>(json!({
        "registrationNumber": "556677-8899",
        "vatNumber": "SE556677889901",
        "numberOfLocations": "4",
        "legalAddress": {"line1": "Storgatan 12", "city": "Stockholm", "postalCode": "114 55", "country": "SE"},
        "directors": [{"name": "Anna Berg", "role": "Managing director"}],
        "termsAccepted": true,
        "privacyAccepted": true,
    }))
    .ok("The application is saved or submitted.")
}

endpoint_error! {
    pub(crate) enum SubmitApplicationError {
        /// A field is invalid, or required fields are missing.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST
            "vatNumber, legalAddress.city: missing. termsAccepted: must be accepted.",
        /// The application has already been submitted.
        Submitted => 403 FORBIDDEN "The application has been submitted and cannot be changed now.",
    }
}

/// Saves the draft, or submits the application and enqueues its verification.
pub(crate) async fn submit_application(
    caller: AuthorizedPerson<permission::Onboarding>,
    State(app): State<App>,
    body: Result<RawBody, General>,
) -> Result<NoData, SubmitApplicationError> {
    require_editable(&caller.merchant)?;
    let body: Body = body?.parse()?;
    if !body.is_draft() {
        body.require_complete()?;
    }
    let updated = app.store.update(caller.merchant, |merchant| {
        // A concurrent request may have submitted the application.
        require_editable(merchant)?;
        body.require_current_currency(merchant)?;
        let (mut updated, user, now) = (body.apply(merchant)?, &caller.user.id, app.clock.now());
        let changes = updated.record_identity_changes(merchant, user, now);
        let audited = identity_audit(&app, &merchant.id, user, changes, now);
        let mut update = if body.is_draft() { Update::from(updated) } else { submit(&app, user, updated)? };
        update.with.extend(audited.as_ref().map(Write::create).transpose()?);
        let actor = Actor::member(&caller.user);
        update.with.extend(app.store.record_changes(&actor, merchant, &update.row, now)?);
        Ok::<_, SubmitApplicationError>((Some(update), audited))
    });
    log_identity_changes(updated.await?.as_ref());
    Ok(NoData)
}

fn require_editable(merchant: &Merchant) -> Result<(), SubmitApplicationError> {
    if merchant.status.known().is_some_and(MerchantStatus::accepts_submissions) {
        return Ok(());
    }
    Err(SubmitApplicationError::Submitted)
}

/// Returns the submitted application and its verification job.
fn submit(app: &App, user: &UserId, application: Merchant) -> Result<Update<Merchant>, StoreError> {
    let now = app.clock.now();
    let task = Task::VerifyMerchant { user_id: user.clone() };
    let job = app.store.enqueue(application.id.clone(), task, now)?;
    let submitted = Merchant {
        status: MerchantStatus::Submitted.into(),
        currency: application.currency.or(Some(Currency::EUR)),
        terms_accepted: Some(Acceptance { user_id: user.clone(), accepted_at: now }),
        ..application
    };
    Ok(Update { row: submitted, with: vec![job] })
}

impl Body {
    fn is_draft(&self) -> bool {
        self.is_draft == Some(true)
    }

    fn address(&self) -> Option<&ApplicationAddress> {
        self.legal_address.as_ref().map(|Object(address)| address)
    }

    fn directors(&self) -> &[Object<ApplicationDirector>] {
        self.directors.as_ref().map_or(&[], |List(directors)| directors)
    }

    fn documents(&self) -> &[Object<ApplicationDocument>] {
        self.documents.as_ref().map_or(&[], |List(documents)| documents)
    }

    /// Checks that all fields for the verification are set, and the terms and the privacy policy are accepted.
    fn require_complete(&self) -> Result<(), Invalid> {
        let problems = [(self.missing(), "missing"), (self.not_accepted(), "must be accepted")];
        let problems = problems.into_iter().filter(|(fields, _)| !fields.is_empty());
        let sentences: Vec<String> = problems.map(|(fields, problem)| format!("{}: {problem}.", fields.join(", "))).collect();
        if sentences.is_empty() { Ok(()) } else { Err(Invalid::new(sentences.join(" "))) }
    }

    fn require_current_currency(&self, merchant: &Merchant) -> Result<(), Invalid> {
        let Some(Parsed(Some(currency))) = self.currency else { return Ok(()) };
        let required = if merchant.currency == Some(currency) { Ok(currency) } else { currency.require_current() };
        required.map(|_| ()).map_err(|error| Invalid::new(format!("currency: {error}.")))
    }

    fn not_accepted(&self) -> Vec<String> {
        let consents = [("termsAccepted", self.terms_accepted), ("privacyAccepted", self.privacy_accepted)];
        let missing = consents.into_iter().filter(|(_, accepted)| *accepted != Some(true));
        missing.map(|(name, _)| name.to_owned()).collect()
    }

    /// Returns the required fields that are missing or blank.
    fn missing(&self) -> Vec<String> {
        let address = self.address();
        let fields = [
            ("registrationNumber", self.registration_number.as_ref()),
            ("vatNumber", self.vat_number.as_ref()),
            ("legalAddress.line1", address.and_then(|address| address.line1.as_ref())),
            ("legalAddress.city", address.and_then(|address| address.city.as_ref())),
            ("legalAddress.postalCode", address.and_then(|address| address.postal_code.as_ref())),
            ("legalAddress.country", address.and_then(|address| address.country.as_ref())),
        ];
        let is_missing = |text: Option<&str>| text.is_none_or(is_blank);
        let mut missing: Vec<String> =
            fields.into_iter().filter(|(_, value)| is_missing(text(*value))).map(|(name, _)| name.to_owned()).collect();
        if self.directors().is_empty() {
            missing.push("directors".to_owned());
        }
        let mut add_missing = |list: &str, index: usize, fields: [(&str, Option<&str>); 2]| {
            let fields = fields.into_iter().filter(|(_, text)| is_missing(*text));
            missing.extend(fields.map(|(field, _)| format!("{list}[{index}].{field}")));
        };
        for (index, Object(ApplicationDirector { name, role })) in self.directors().iter().enumerate() {
            add_missing("directors", index, [("name", text(name.as_ref())), ("role", text(role.as_ref()))]);
        }
        for (index, Object(document)) in self.documents().iter().enumerate() {
            let url = document.url.as_ref().map(|DocumentUrl(url)| url.as_str());
            add_missing("documents", index, [("type", text(document.r#type.as_ref())), ("url", url)]);
        }
        missing
    }

    /// Returns the merchant with the fields of the body. Missing and blank fields are not changed.
    fn apply(&self, merchant: &Merchant) -> Result<Merchant, Invalid> {
        let mut updated = merchant.clone();
        set(&mut updated.registration_number, self.registration_number.as_ref());
        set(&mut updated.vat_number, self.vat_number.as_ref());
        if let Some(Text(name)) = self.trading_name.as_ref().filter(|Text(name)| !is_blank(name)) {
            updated.trading_name = replacement("tradingName", &merchant.trading_name, name, MIN_SHOP)?;
        }
        if let Some(Parsed(Some(currency))) = self.currency {
            updated.currency = Some(currency);
        }
        if let Some(Parsed(Some(Count(number)))) = &self.number_of_locations {
            updated.number_of_locations = *number;
        }
        if let Some(address) = self.address() {
            address.apply(&mut updated.legal_address);
        }
        if let Some(List(directors)) = &self.directors {
            let directors = directors.iter().enumerate();
            let directors = directors.map(|(index, Object(director))| director.to_director(index, &merchant.directors));
            updated.directors = directors.collect::<Result<_, _>>()?;
        }
        if let Some(List(documents)) = &self.documents {
            updated.documents = documents.iter().map(|Object(document)| document.to_document()).collect();
        }
        Ok(updated)
    }
}

impl ApplicationAddress {
    fn apply(&self, address: &mut LegalAddress) {
        set(&mut address.line1, self.line1.as_ref());
        set(&mut address.city, self.city.as_ref());
        set(&mut address.state, self.state.as_ref());
        set(&mut address.postal_code, self.postal_code.as_ref());
        set(&mut address.country, self.country.as_ref());
    }
}

fn set(field: &mut String, value: Option<&Text>) {
    if let Some(Text(text)) = value.filter(|Text(text)| !is_blank(text)) {
        field.clone_from(text);
    }
}

fn replacement(field: &str, stored: &str, name: &str, min: usize) -> Result<String, Invalid> {
    names::replacement(stored, name, min).map_err(|error| Invalid::new(format!("{field}: {error}.")))
}

fn text(value: Option<&Text>) -> Option<&str> {
    value.map(|Text(text)| text.as_str())
}

impl ApplicationDirector {
    /// A name that one of the stored directors has stays as it is.
    fn to_director(&self, index: usize, stored: &[Director]) -> Result<Director, Invalid> {
        let [name, role] = [&self.name, &self.role].map(|value| text(value.as_ref()).unwrap_or_default());
        let stored = stored.iter().find(|director| director.name == name).map_or("", |director| director.name.as_str());
        let name = replacement(&format!("directors[{index}].name"), stored, name, MIN_PERSON)?;
        Ok(Director { name, role: role.to_owned() })
    }
}

impl ApplicationDocument {
    fn to_document(&self) -> Document {
        Document {
            r#type: text(self.r#type.as_ref()).unwrap_or_default().to_owned(),
            url: self.url.as_ref().map(|DocumentUrl(url)| url.clone()).unwrap_or_default(),
            name: text(self.name.as_ref()).map(str::to_owned),
        }
    }
}
