//! `POST /api/onboarding/submit`: keep what a company says about itself as a draft, or hand it in.
//!
//! What is handed in is to be verified. The promise of that is written together with it, so that a verifier that is
//! down holds nobody up.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::domain::ids::UserId;
use shared::domain::merchant::{Acceptance, Director, Document, LegalAddress, Merchant, MerchantStatus};
use shared::domain::money::Currency;
use shared::http::access::{HasMerchant, OrBadRequest};
use shared::http::body::{Object, RawBody};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::reply::NoData;
use shared::store::jobs::{Job, Task};
use shared::store::{CommitError, MAX_CONFLICT_ATTEMPTS, StoreError, Stored, Write};
use utoipa::ToSchema;

/// Characters of any text but a URL.
const MAX_TEXT_LENGTH: usize = 200;
const MAX_URL_LENGTH: usize = 1024;
/// What a merchant can have of each, so that its row stays within what the table takes.
const MAX_DIRECTORS: usize = 50;
const MAX_DOCUMENTS: usize = 40;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Application)]
struct Body {
    /// Whether this is only to be kept. Then nothing has to be there.
    is_draft: Option<bool>,
    #[schema(value_type = Option<String>, max_length = 200)]
    registration_number: Option<Text>,
    #[schema(value_type = Option<String>, max_length = 200)]
    vat_number: Option<Text>,
    #[schema(value_type = Option<String>, max_length = 200)]
    trading_name: Option<Text>,
    /// `EUR` where neither this nor an earlier one says another.
    currency: Option<Currency>,
    /// In digits.
    #[schema(value_type = Option<String>, pattern = "^[0-9]+$")]
    number_of_locations: Option<Count>,
    #[schema(value_type = Option<Address>)]
    legal_address: Option<Object<Address>>,
    #[schema(value_type = Option<Vec<Person>>, max_items = 50)]
    directors: Option<List<Person, MAX_DIRECTORS>>,
    #[schema(value_type = Option<Vec<Paper>>, max_items = 40)]
    documents: Option<List<Paper, MAX_DOCUMENTS>>,
    terms_accepted: Option<bool>,
    privacy_accepted: Option<bool>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ApplicationAddress)]
struct Address {
    #[schema(value_type = Option<String>, max_length = 200)]
    line1: Option<Text>,
    #[schema(value_type = Option<String>, max_length = 200)]
    city: Option<Text>,
    #[schema(value_type = Option<String>, max_length = 200)]
    state: Option<Text>,
    #[schema(value_type = Option<String>, max_length = 200)]
    postal_code: Option<Text>,
    #[schema(value_type = Option<String>, max_length = 200)]
    country: Option<Text>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ApplicationDirector)]
struct Person {
    #[schema(value_type = String, max_length = 200)]
    name: Text,
    #[schema(value_type = String, max_length = 200)]
    role: Text,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ApplicationDocument)]
struct Paper {
    #[schema(value_type = String, max_length = 200)]
    r#type: Text,
    /// As its upload gave it.
    #[schema(value_type = String, max_length = 1024)]
    url: Text<MAX_URL_LENGTH>,
    #[schema(value_type = Option<String>, max_length = 200)]
    name: Option<Text>,
}

/// A text of no more characters than that.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Text<const MOST: usize = MAX_TEXT_LENGTH>(String);

impl<const MOST: usize> TryFrom<String> for Text<MOST> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.chars().count() > MOST {
            return Err(format!("must have at most {MOST} characters"));
        }
        Ok(Self(text))
    }
}

/// A whole number that is written as a text of digits.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct Count(u32);

impl TryFrom<String> for Count {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let digits = Some(&text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let number = digits.and_then(|digits| digits.parse().ok());
        number.map(Self).ok_or("must be a whole number in digits")
    }
}

/// A list of no more objects than that.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<Object<T>>", bound(deserialize = "T: Deserialize<'de>"))]
struct List<T, const MOST: usize>(Vec<Object<T>>);

impl<T, const MOST: usize> TryFrom<Vec<Object<T>>> for List<T, MOST> {
    type Error = String;

    fn try_from(list: Vec<Object<T>>) -> Result<Self, String> {
        if list.len() > MOST {
            return Err(format!("must have at most {MOST} entries"));
        }
        Ok(Self(list))
    }
}
pub(crate) fn describe() -> Description {
    Description::new(
        "Keep or send an application",
        "Keeps what a company says about itself: as a draft, whatever is given, and nothing else changes. Without \
         `isDraft` it is sent, and has to be complete: both numbers, the address, at least one director, terms and \
         privacy accepted. Then a verification session is opened, and its link sent by mail.",
    )
    .body::<Body>(json!({
        "registrationNumber": "556677-8899",
        "vatNumber": "SE556677889901",
        "numberOfLocations": "4",
        "legalAddress": {"line1": "Storgatan 1", "city": "Stockholm", "postalCode": "111 22", "country": "SE"},
        "directors": [{"name": "Anna Berg", "role": "CEO"}],
        "termsAccepted": true,
        "privacyAccepted": true,
    }))
    .ok("The application is kept, or sent.")
    .refuses(400, "A field does not read as what it should be, or one that has to be there is missing.")
    .refuses(403, "The application has been sent.")
}

/// `{ok: true}` once it is kept, or handed in and on its way to be verified.
///
/// 403 where the merchant's status is neither `DRAFT` nor `WAITING_FOR_INFO`. 400 names a field that does not read as
/// what it should be; and, unless this is a draft, every field that has to be there and is not, or is blank.
pub(crate) async fn submit(
    caller: HasMerchant<OrBadRequest>,
    State(app): State<App>,
    body: Result<RawBody, Fault>,
) -> Result<NoData, Fault> {
    demand_editable(&caller.merchant)?;
    let body: Body = body?.parse()?;
    if !body.is_draft() {
        body.demand_complete()?;
    }
    save(&app, &caller.user.id, caller.merchant, &body).await?;
    Ok(NoData)
}

fn demand_editable(merchant: &Merchant) -> Result<(), Fault> {
    if merchant.status.takes_submissions() {
        return Ok(());
    }
    Err(Fault::forbidden("The application has been sent. It cannot be changed now."))
}

/// Applies the body to the merchant as it is by then, which may be handed in already.
async fn save(app: &App, user: &UserId, mut merchant: Stored<Merchant>, body: &Body) -> Result<(), Fault> {
    for attempt in 0..MAX_CONFLICT_ATTEMPTS {
        demand_editable(&merchant)?;
        match app.store.commit(writes(app, user, &merchant, body)?).await {
            Ok(()) => return Ok(()),
            Err(CommitError::Store(error)) => return Err(error.into()),
            Err(CommitError::Conflict(_)) => app.store.pause(attempt).await,
        }
        let Some(current) = app.store.merchant(&merchant.id).await? else { break };
        merchant = current;
    }
    Err(StoreError::Contended("the merchant").into())
}

/// A draft, or what is handed in and the promise to have it verified.
fn writes(
    app: &App,
    user: &UserId,
    merchant: &Stored<Merchant>,
    body: &Body,
) -> Result<Vec<Write>, StoreError> {
    let kept = body.apply(merchant);
    if body.is_draft() {
        return Ok(vec![Write::replace(merchant, &kept)?]);
    }
    let now = app.clock.now();
    let handed_in = Merchant {
        status: MerchantStatus::Submitted,
        currency: kept.currency.or(Some(Currency::EUR)),
        terms_accepted: Some(Acceptance { user_id: user.clone(), accepted_at: now }),
        ..kept
    };
    let task = Task::VerifyMerchant { user_id: user.clone() };
    let promise = Job::new(merchant.id.clone(), task, now, &app.random);
    Ok(vec![Write::replace(merchant, &handed_in)?, Write::create(&promise)?])
}

impl Body {
    fn is_draft(&self) -> bool {
        self.is_draft == Some(true)
    }

    fn address(&self) -> Option<&Address> {
        self.legal_address.as_ref().map(|Object(address)| address)
    }

    fn directors(&self) -> &[Object<Person>] {
        self.directors.as_ref().map_or(&[], |List(directors)| directors)
    }

    /// Whether all is there that a company can be verified by, and all is accepted.
    fn demand_complete(&self) -> Result<(), Fault> {
        let wrong = [(self.missing(), "missing"), (self.not_accepted(), "must be accepted")];
        let named = wrong.into_iter().filter(|(fields, _)| !fields.is_empty());
        let sentences: Vec<String> =
            named.map(|(fields, what)| format!("{}: {what}.", fields.join(", "))).collect();
        if sentences.is_empty() { Ok(()) } else { Err(Fault::invalid(sentences.join(" "))) }
    }

    fn not_accepted(&self) -> Vec<String> {
        let asked = [("termsAccepted", self.terms_accepted), ("privacyAccepted", self.privacy_accepted)];
        let refused = asked.into_iter().filter(|(_, accepted)| *accepted != Some(true));
        refused.map(|(name, _)| name.to_owned()).collect()
    }

    /// The fields that have to be there and are not, or are blank.
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
        let is_blank = |text: Option<&Text>| text.is_none_or(|Text(text)| text.trim().is_empty());
        let mut missing: Vec<String> =
            fields.into_iter().filter(|(_, text)| is_blank(*text)).map(|(name, _)| name.to_owned()).collect();
        if self.directors().is_empty() {
            missing.push("directors".to_owned());
        }
        for (position, Object(Person { name, role })) in self.directors().iter().enumerate() {
            let fields = [("name", name), ("role", role)].into_iter();
            let blank = fields.filter(|(_, text)| is_blank(Some(text)));
            missing.extend(blank.map(|(field, _)| format!("directors[{position}].{field}")));
        }
        missing
    }

    /// The merchant with what was given. What was not stays as it was.
    fn apply(&self, merchant: &Merchant) -> Merchant {
        let mut kept = merchant.clone();
        set(&mut kept.registration_number, self.registration_number.as_ref());
        set(&mut kept.vat_number, self.vat_number.as_ref());
        set(&mut kept.trading_name, self.trading_name.as_ref());
        kept.currency = self.currency.or(kept.currency);
        if let Some(Count(number)) = self.number_of_locations {
            kept.number_of_locations = number;
        }
        if let Some(address) = self.address() {
            address.apply(&mut kept.legal_address);
        }
        if let Some(List(directors)) = &self.directors {
            kept.directors = directors.iter().map(|Object(person)| person.director()).collect();
        }
        if let Some(List(documents)) = &self.documents {
            kept.documents = documents.iter().map(|Object(paper)| paper.document()).collect();
        }
        kept
    }
}

impl Address {
    fn apply(&self, address: &mut LegalAddress) {
        set(&mut address.line1, self.line1.as_ref());
        set(&mut address.city, self.city.as_ref());
        set(&mut address.state, self.state.as_ref());
        set(&mut address.postal_code, self.postal_code.as_ref());
        set(&mut address.country, self.country.as_ref());
    }
}

fn set(field: &mut String, given: Option<&Text>) {
    if let Some(Text(text)) = given {
        field.clone_from(text);
    }
}

impl Person {
    fn director(&self) -> Director {
        Director { name: self.name.0.clone(), role: self.role.0.clone() }
    }
}

impl Paper {
    fn document(&self) -> Document {
        Document {
            r#type: self.r#type.0.clone(),
            url: self.url.0.clone(),
            name: self.name.as_ref().map(|Text(name)| name.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use shared::domain::ids::MerchantId;

    use super::*;

    fn read(body: &Value) -> Result<Body, Fault> {
        RawBody(body.to_string().into()).parse()
    }

    fn complete() -> Value {
        json!({
            "registrationNumber": "556677-8899", "vatNumber": "SE556677889901",
            "legalAddress": {"line1": "Storgatan 1", "city": "Stockholm", "postalCode": "111 22", "country": "SE"},
            "directors": [{"name": "Anna Berg", "role": "CEO"}],
            "termsAccepted": true, "privacyAccepted": true,
        })
    }

    /// The complete body with another value at a place.
    fn with(pointer: &str, value: Value) -> Value {
        let mut body = complete();
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[field] = value;
        body
    }

    #[test]
    fn what_is_needed_to_verify_a_company_is_named_where_it_is_missing() {
        read(&complete()).unwrap().demand_complete().unwrap();
        for (body, message) in [
            (with("/registrationNumber", json!(null)), "registrationNumber: missing."),
            (with("/vatNumber", json!("  ")), "vatNumber: missing."),
            (with("/legalAddress/line1", json!("")), "legalAddress.line1: missing."),
            (
                with("/legalAddress", json!({"line1": "x", "city": "y"})),
                "legalAddress.postalCode, legalAddress.country: missing.",
            ),
            (with("/directors", json!([])), "directors: missing."),
            (
                with("/directors", json!([{"name": "A", "role": "B"}, {"name": " ", "role": ""}])),
                "directors[1].name, directors[1].role: missing.",
            ),
            (with("/termsAccepted", json!(false)), "termsAccepted: must be accepted."),
            (with("/privacyAccepted", json!(null)), "privacyAccepted: must be accepted."),
            (
                json!({}),
                "registrationNumber, vatNumber, legalAddress.line1, legalAddress.city, legalAddress.postalCode, \
                 legalAddress.country, directors: missing. termsAccepted, privacyAccepted: must be accepted.",
            ),
        ] {
            let refused = read(&body).unwrap().demand_complete().unwrap_err();
            assert_eq!(refused.message(), message, "{body}");
        }
    }

    #[test]
    fn what_does_not_read_is_refused_by_name_in_a_draft_too() {
        let too_long = "å".repeat(MAX_TEXT_LENGTH + 1);
        let person = json!({"name": "A", "role": "B"});
        let paper = json!({"type": "A", "url": "B"});
        for (body, field) in [
            (json!({"isDraft": "true"}), "isDraft"),
            (json!({"registrationNumber": 5_566}), "registrationNumber"),
            (json!({"vatNumber": too_long}), "vatNumber"),
            (json!({"currency": "eur"}), "currency"),
            (json!({"currency": "XAU"}), "currency"),
            (json!({"currency": ""}), "currency"),
            (json!({"numberOfLocations": 4}), "numberOfLocations"),
            (json!({"numberOfLocations": ""}), "numberOfLocations"),
            (json!({"numberOfLocations": "+4"}), "numberOfLocations"),
            (json!({"numberOfLocations": "-4"}), "numberOfLocations"),
            (json!({"numberOfLocations": "4.0"}), "numberOfLocations"),
            (json!({"numberOfLocations": "4294967296"}), "numberOfLocations"),
            (json!({"legalAddress": []}), "legalAddress"),
            (json!({"legalAddress": {"city": 1}}), "legalAddress.city"),
            (json!({"directors": {}}), "directors"),
            (json!({"directors": [{"name": "A"}]}), "directors[0].role"),
            (json!({"directors": [["A", "B"]]}), "directors[0]"),
            (json!({"directors": vec![person; MAX_DIRECTORS + 1]}), "directors"),
            (json!({"documents": [{"type": "A"}]}), "documents[0].url"),
            (json!({"documents": vec![paper; MAX_DOCUMENTS + 1]}), "documents"),
            (json!({"termsAccepted": "yes"}), "termsAccepted"),
        ] {
            let refused = read(&body).unwrap_err();
            assert!(refused.message().starts_with(&format!("{field}: ")), "{body}: {}", refused.message());
        }
    }

    #[test]
    fn what_is_given_is_kept_and_nothing_else_changes() {
        let before = Merchant {
            name: "Aurora".to_owned(),
            vat_number: "SE1".to_owned(),
            legal_address: LegalAddress {
                city: "Malmö".to_owned(),
                state: "Skåne".to_owned(),
                ..LegalAddress::default()
            },
            directors: vec![Director { name: "Before".to_owned(), role: "CEO".to_owned() }],
            ..Merchant::new(MerchantId::new("m"))
        };
        let body = read(&json!({
            "registrationNumber": " 1 ", "tradingName": "Bars", "currency": "SEK", "numberOfLocations": "007",
            "legalAddress": {"city": "Lund", "state": ""},
            "documents": [{"type": "ID", "url": "https://a.example/b"}, {"type": "ID", "url": "c", "name": "d"}],
        }));
        let paper = |url: &str, name: Option<&str>| Document {
            r#type: "ID".to_owned(),
            url: url.to_owned(),
            name: name.map(str::to_owned),
        };
        let expected = Merchant {
            registration_number: " 1 ".to_owned(),
            trading_name: "Bars".to_owned(),
            currency: Some("SEK".parse().unwrap()),
            number_of_locations: 7,
            legal_address: LegalAddress { city: "Lund".to_owned(), ..LegalAddress::default() },
            documents: vec![paper("https://a.example/b", None), paper("c", Some("d"))],
            ..before.clone()
        };
        assert_eq!(body.unwrap().apply(&before), expected);
        assert_eq!(read(&json!({})).unwrap().apply(&before), before);
    }

    #[test]
    fn a_list_that_is_given_takes_the_place_of_the_old_one() {
        let director = Director { name: "Before".to_owned(), role: "CEO".to_owned() };
        let before = Merchant { directors: vec![director], ..Merchant::new(MerchantId::new("m")) };
        assert!(read(&json!({"directors": []})).unwrap().apply(&before).directors.is_empty());
    }

    #[test]
    fn nothing_but_a_draft_is_a_draft() {
        for (body, is_draft) in [
            (json!({}), false),
            (json!({"isDraft": null}), false),
            (json!({"isDraft": false}), false),
            (json!({"isDraft": true}), true),
        ] {
            assert_eq!(read(&body).unwrap().is_draft(), is_draft, "{body}");
        }
    }
}
