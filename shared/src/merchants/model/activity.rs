//! The activity of a merchant: who changed its team, its tills, its company or its status. The merchant can read it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::merchant::Merchant;
use crate::team::model::team::{Powers, User};
use crate::team::model::till::Till;
use crate::values::{ApiKeyId, MerchantId, OpenEnum};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ActivityAction {
    MemberInvited,
    InviteWithdrawn,
    MemberJoined,
    MemberLeft,
    MemberRemoved,
    RoleChanged,
    TillCreated,
    TillPaired,
    TillRevoked,
    CompanyChanged,
    ExportRequested,
    WebhookSecretCreated,
    KeyCreated,
    KeyRotated,
    KeyRevoked,
    /// A key ends because its maker has left, can no longer grant its permissions, or its merchant is closed.
    KeyEnding,
    /// A member has changed their own name.
    NameChanged,
    StatusChanged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum ActorKind {
    Member,
    Till,
    /// A key of the merchant's own program.
    Key,
    /// An administrator of the platform. The merchant does not see who.
    Platform,
    /// Nobody: the identity verifier has decided, for example.
    System,
}

/// Who did something, with the name and the address that they had then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub kind: OpenEnum<ActorKind>,
    pub id: Option<String>,
    pub name: Option<String>,
    /// The e-mail address of a member. A name can be anybody's.
    #[serde(default)]
    pub address: Option<String>,
}

impl Actor {
    pub fn member(user: &User) -> Self {
        let (id, name) = (user.id.to_string(), user.display_name());
        Self { kind: ActorKind::Member.into(), id: Some(id), name: Some(name), address: Some(user.email.clone()) }
    }

    pub fn till(till: &Till) -> Self {
        let (id, name) = (till.id.to_string(), till.name.clone());
        Self { kind: ActorKind::Till.into(), id: Some(id), name: Some(name), address: None }
    }

    pub fn key(id: &ApiKeyId, name: &str) -> Self {
        Self { kind: ActorKind::Key.into(), id: Some(id.to_string()), name: Some(name.to_owned()), address: None }
    }

    pub fn platform() -> Self {
        Self { kind: ActorKind::Platform.into(), id: None, name: None, address: None }
    }

    pub fn system() -> Self {
        Self { kind: ActorKind::System.into(), ..Self::platform() }
    }
}

/// The target of an action, with its name at the time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Target {
    /// The id of the user, invitation, till, key, export or webhook endpoint.
    pub id: String,
    /// Its name at the time: of a person, a till or a key; the kind of an export; the host of an endpoint.
    pub name: String,
}

/// A value before or after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Value {
    Text(String),
    List(Vec<String>),
}

/// Names of fields of the API, with their values. `None` is an unset value.
pub type Fields = BTreeMap<String, Option<Value>>;

/// An entry of a merchant's activity. It is written once, in the transaction of what it reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// Unique within the merchant.
    pub id: String,
    pub merchant_id: MerchantId,
    pub at: Timestamp,
    pub actor: Actor,
    pub action: OpenEnum<ActivityAction>,
    pub target: Option<Target>,
    pub from: Option<Fields>,
    pub to: Option<Fields>,
}

/// What was done, before it is known when, by whom and for which merchant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    action: ActivityAction,
    target: Option<Target>,
    from: Option<Fields>,
    to: Option<Fields>,
}

impl Deed {
    pub fn new(action: ActivityAction) -> Self {
        Self { action, target: None, from: None, to: None }
    }

    #[must_use]
    pub fn to_target(self, id: &impl ToString, name: impl Into<String>) -> Self {
        Self { target: Some(Target { id: id.to_string(), name: name.into() }), ..self }
    }

    /// With the powers that somebody has got.
    #[must_use]
    pub fn giving(self, powers: &Powers) -> Self {
        Self { to: Some(fields_of(powers)), ..self }
    }

    /// With what changed of somebody's powers.
    #[must_use]
    pub fn changing_powers(self, before: &Powers, after: &Powers) -> Self {
        self.changing(fields_of(before), fields_of(after))
    }

    /// A user has another name than before. `None` if it is the same.
    pub fn of_name(before: &User, after: &User) -> Option<Self> {
        let names = |user: &User| {
            let names = [("firstName", &user.first_name), ("lastName", &user.last_name)];
            Fields::from(names.map(|(field, name)| (field.to_owned(), (!name.is_empty()).then(|| Value::Text(name.clone())))))
        };
        let deed = Self::new(ActivityAction::NameChanged).to_target(&after.id, after.display_name());
        Some(deed.changing(names(before), names(after))).filter(|deed| deed.from.is_some())
    }

    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<String>) -> Self {
        self.to.get_or_insert_default().insert(field.to_owned(), Some(Value::Text(value.into())));
        self
    }

    /// A new status of the merchant, and other changes of its fields, each as a deed of its own; none if nothing has changed.
    pub fn of_merchant(before: &Merchant, after: &Merchant) -> Vec<Self> {
        let status = |merchant: &Merchant| Fields::from([("status".to_owned(), Some(Value::Text(merchant.status.to_string())))]);
        let company = Self::new(ActivityAction::CompanyChanged).changing(company(before), company(after));
        let status = Self::new(ActivityAction::StatusChanged).changing(status(before), status(after));
        [company, status].into_iter().filter(|deed| deed.from.is_some()).collect()
    }

    /// Keeps the fields that differ.
    fn changing(self, mut from: Fields, mut to: Fields) -> Self {
        from.retain(|field, value| {
            let differs = to.get(field) != Some(&*value);
            if !differs {
                to.remove(field);
            }
            differs
        });
        if from.is_empty() {
            return self;
        }
        Self { from: Some(from), to: Some(to), ..self }
    }

    pub fn by(self, actor: Actor, merchant_id: MerchantId, id: String, at: Timestamp) -> Activity {
        let Self { action, target, from, to } = self;
        Activity { id, merchant_id, at, actor, action: action.into(), target, from, to }
    }
}

fn fields_of(powers: &Powers) -> Fields {
    let role = powers.role.as_ref().map(|role| Value::Text(role.to_string()));
    let permissions = powers.permissions.as_ref();
    let permissions = permissions.map(|listed| Value::List(listed.iter().map(ToString::to_string).collect()));
    Fields::from([("merchantTeamRole".to_owned(), role), ("permissions".to_owned(), permissions)])
}

/// Longer values are cut: an entry must fit into a row beside nine others.
const MAX_VALUE_CHARS: usize = 500;
const MAX_LIST_ITEMS: usize = 20;

/// The fields of a merchant that it sees itself, but for its status, under their names in the API.
fn company(merchant: &Merchant) -> Fields {
    let text = |value: &str| (!value.is_empty()).then(|| Value::Text(cut(value)));
    let number = |value: Option<String>| value.map(Value::Text);
    let address = &merchant.legal_address;
    let address = [&address.line1, &address.city, &address.state, &address.postal_code, &address.country];
    let address: Vec<&str> = address.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let directors = merchant.directors.iter().map(|director| format!("{}, {}", director.name, director.role));
    let documents = merchant.documents.iter().map(|document| match &document.name {
        Some(name) => format!("{}, {name}", document.r#type),
        None => document.r#type.clone(),
    });
    let brand = &merchant.brand;
    [
        ("legalName", text(&merchant.legal_name)),
        ("tradeName", text(&merchant.trade_name)),
        ("tradingName", text(&merchant.trading_name)),
        ("registrationNumber", text(&merchant.registration_number)),
        ("vatNumber", text(&merchant.vat_number)),
        ("country", text(&merchant.country)),
        ("currency", number(merchant.currency.map(|currency| currency.code().to_owned()))),
        ("timeZone", text(&merchant.time_zone)),
        ("numberOfLocations", number(Some(merchant.number_of_locations.to_string()))),
        ("legalAddress", text(&address.join(", "))),
        ("directors", list(directors)),
        ("documents", list(documents)),
        ("logoUrl", text(&brand.logo_url)),
        ("website", text(&brand.website)),
        ("primaryColor", merchant.storefront.primary_color.as_deref().and_then(text)),
        ("slug", text(&merchant.slug)),
        ("settlementMode", merchant.settlement_mode.as_ref().map(|mode| Value::Text(mode.to_string()))),
        ("fees.percentBps", number(Some(merchant.fees.percent_bps.to_string()))),
        ("fees.fixedMinor", number(Some(merchant.fees.fixed_minor.to_string()))),
        ("payoutDelayDays", number(Some(merchant.payout_delay_days.to_string()))),
        ("defaultOfferId", number(merchant.default_offer_id.as_ref().map(ToString::to_string))),
        ("maxSaleMinor", number(merchant.max_sale_minor.map(|amount| amount.get().to_string()))),
    ]
    .map(|(field, value)| (field.to_owned(), value))
    .into()
}

fn list(items: impl Iterator<Item = String>) -> Option<Value> {
    let items: Vec<String> = items.take(MAX_LIST_ITEMS).map(|item| cut(&item)).collect();
    (!items.is_empty()).then_some(Value::List(items))
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_VALUE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merchants::model::merchant::MerchantStatus;
    use crate::team::model::team::{Permission, Role};

    fn text(value: &str) -> Value {
        Value::Text(value.to_owned())
    }

    #[test]
    fn a_change_of_powers_names_what_differs() {
        let deed = |before: &Powers, after: &Powers| {
            let deed = Deed::new(ActivityAction::RoleChanged).changing_powers(before, after);
            (deed.from, deed.to)
        };
        let (full, viewer) = (Powers::of_role(Role::Full), Powers::of_role(Role::Viewer));
        let role = |role: &str| Some(Fields::from([("merchantTeamRole".to_owned(), Some(text(role)))]));
        assert_eq!(deed(&full, &viewer), (role("FULL"), role("VIEWER")));
        assert_eq!(deed(&full, &full), (None, None));

        let till = Powers::of_permissions(&[Permission::Pos]);
        let (from, to) = deed(&full, &till);
        let both = |role: Option<Value>, listed: Option<Value>| {
            Some(Fields::from([("merchantTeamRole".to_owned(), role), ("permissions".to_owned(), listed)]))
        };
        let listed = Value::List(vec!["portal.pos".to_owned()]);
        assert_eq!((from, to), (both(Some(text("FULL")), None), both(None, Some(listed))));
    }

    #[test]
    fn a_changed_merchant_is_a_change_of_the_company_a_new_status_both_or_neither() {
        let before = Merchant::new(MerchantId::new("m"), Timestamp::UNIX_EPOCH);
        let renamed = Merchant { legal_name: "å".repeat(501), ..before.clone() };
        let active = Merchant { status: MerchantStatus::Active.into(), ..before.clone() };
        let actions = |after: &Merchant| -> Vec<ActivityAction> {
            Deed::of_merchant(&before, after).into_iter().map(|deed| deed.action).collect()
        };
        assert_eq!(actions(&before), []);
        assert_eq!(actions(&renamed), [ActivityAction::CompanyChanged]);
        assert_eq!(actions(&active), [ActivityAction::StatusChanged]);
        let both = Merchant { status: active.status, ..renamed.clone() };
        assert_eq!(actions(&both), [ActivityAction::CompanyChanged, ActivityAction::StatusChanged]);

        let change = Deed::of_merchant(&before, &renamed).remove(0);
        let legal_name = |value| Some(Fields::from([("legalName".to_owned(), value)]));
        assert_eq!((change.from, change.to), (legal_name(None), legal_name(Some(text(&"å".repeat(500))))));
    }
}
