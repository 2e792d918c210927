//! The merchant: the tenant that everything else belongs to.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::settlements::model::fees::{FeeTerms, SettlementTerms};
use crate::values::{
    Calendars, Currency, JobId, MerchantId, Minor, NetworkMerchantId, OfferId, OpenEnum, UserId, fold, public_link, public_url,
};
use crate::webhooks::model::event_type::EventType;

/// The life cycle of a merchant, from the first draft of its onboarding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MerchantStatus {
    Draft,
    Submitted,
    WaitingForInfo,
    KybInProgress,
    DecisionPending,
    Active,
    Inactive,
    Suspended,
    Declined,
}

impl MerchantStatus {
    /// Whether the onboarding application can be edited and submitted.
    pub fn accepts_submissions(self) -> bool {
        matches!(self, Self::Draft | Self::WaitingForInfo)
    }

    /// Whether it can publish images: it is active, or it is being verified.
    pub fn can_publish(self) -> bool {
        match self {
            Self::Submitted | Self::WaitingForInfo | Self::KybInProgress | Self::DecisionPending | Self::Active => true,
            Self::Draft | Self::Inactive | Self::Suspended | Self::Declined => false,
        }
    }

    /// Whether a decision of the identity verifier takes effect.
    pub fn awaits_verification(self) -> bool {
        matches!(self, Self::Submitted | Self::WaitingForInfo | Self::KybInProgress)
    }
}

/// What a merchant is paid for: sales or redemptions. Unset means both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum SettlementMode {
    #[serde(rename = "SETTLEMENT_ON_SALE")]
    OnSale,
    #[serde(rename = "SETTLEMENT_ON_REDEMPTION")]
    OnRedemption,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct LegalAddress {
    /// Street and number. The fields of the address are empty if they are unknown.
    pub line1: String,
    /// The town.
    pub city: String,
    /// The state, province or region, in countries that have them in addresses.
    pub state: String,
    /// The postal code.
    pub postal_code: String,
    /// ISO 3166-1 alpha-2 code. It is stored as entered.
    pub country: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Director {
    /// Full name; empty if a draft of the application lacks it.
    #[serde(default)]
    #[schema(required = true)]
    pub name: String,
    /// Position in the company, such as `CEO`; empty if a draft of the application lacks it.
    #[serde(default)]
    #[schema(required = true)]
    pub role: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Document {
    /// The kind of document, such as `REGISTRATION`; empty if a draft of the application lacks it.
    #[serde(default)]
    #[schema(required = true)]
    pub r#type: String,
    /// The `url` of the upload response, or another `http` or `https` URL; empty if a draft lacks it.
    #[serde(default)]
    #[schema(required = true)]
    pub url: String,
    /// The name to show to people. Missing if none was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub name: Option<String>,
}

impl Document {
    /// The document without a URL that must not be published.
    #[must_use]
    pub fn published(&self) -> Self {
        Self { url: public_link(&self.url).unwrap_or_default(), ..self.clone() }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Brand {
    /// An `http` or `https` URL; empty if there is no logo.
    pub logo_url: String,
    /// The line of business; empty if it is unknown.
    pub category: String,
    /// The text on the card statements of buyers; empty if it is unknown.
    pub descriptor: String,
    /// A host, or an `http` or `https` URL; empty if there is none.
    pub website: String,
    /// A handle, or an `http` or `https` URL; empty if there is none.
    pub facebook: String,
    /// A handle, or an `http` or `https` URL; empty if there is none.
    pub twitter: String,
    /// A handle, or an `http` or `https` URL; empty if there is none.
    pub instagram: String,
}

impl Brand {
    /// The brand without links that must not be published.
    #[must_use]
    pub fn published(&self) -> Self {
        let link = |text: &str| public_link(text).unwrap_or_default();
        Self {
            logo_url: public_url(&self.logo_url).unwrap_or_default(),
            website: link(&self.website),
            facebook: link(&self.facebook),
            twitter: link(&self.twitter),
            instagram: link(&self.instagram),
            ..self.clone()
        }
    }
}

/// Settings of the public storefront.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Storefront {
    pub description: Option<String>,
    pub primary_color: Option<String>,
    pub secondary_color: Option<String>,
    pub home_url: Option<String>,
    pub fraud_site_id: Option<String>,
    pub analytics_id: Option<String>,
    /// Minor units.
    pub popular_gift_card_amount: Option<i64>,
}

/// The state of the identity verification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Verification {
    pub kyb_status: Option<String>,
    pub company_id: Option<String>,
    pub session_id: Option<String>,
    pub session_url: Option<String>,
    /// When the verifier made the last decision that was applied.
    pub decided_at: Option<Timestamp>,
    /// The job that stored the current session, so that a retry of it does nothing.
    pub session_job_id: Option<JobId>,
}

/// Who accepted the terms and the privacy policy for the merchant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    pub user_id: UserId,
    pub accepted_at: Timestamp,
}

/// A field that tells who the merchant is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IdentityField {
    LegalName,
    TradeName,
    TradingName,
    RegistrationNumber,
    VatNumber,
    Country,
    LegalAddress,
    Directors,
    Documents,
}

/// The latest change of an identity field that the verifier has not seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityChange {
    pub field: OpenEnum<IdentityField>,
    pub user_id: UserId,
    pub changed_at: Timestamp,
    /// The value that was last verified or reviewed, shortened. `None` if there was none.
    pub from: Option<String>,
    /// The present value, shortened. `None` if there is none.
    pub to: Option<String>,
    /// A platform administrator has reviewed it.
    #[serde(default)]
    pub reviewed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merchant {
    pub id: MerchantId,
    pub slug: String,
    pub status: OpenEnum<MerchantStatus>,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub legal_name: String,
    #[serde(default)]
    pub trade_name: String,
    #[serde(default)]
    pub trading_name: String,
    #[serde(default)]
    pub registration_number: String,
    #[serde(default)]
    pub vat_number: String,
    #[serde(default)]
    pub country: String,
    pub currency: Option<Currency>,
    #[serde(default = "utc")]
    pub time_zone: String,
    #[serde(default)]
    pub number_of_locations: u32,
    #[serde(default)]
    pub external_merchant_id: String,
    pub network_merchant_id: Option<NetworkMerchantId>,
    pub default_offer_id: Option<OfferId>,
    /// Required in a row, also if null: a missing mode could settle a sale twice.
    #[serde(deserialize_with = "Option::deserialize")]
    pub settlement_mode: Option<OpenEnum<SettlementMode>>,
    pub fees: FeeTerms,
    pub payout_delay_days: u32,
    /// The largest sale at a till, in minor units of the sale's currency.
    #[serde(default)]
    pub max_sale_minor: Option<Minor>,
    #[serde(default)]
    pub legal_address: LegalAddress,
    #[serde(default)]
    pub directors: Vec<Director>,
    #[serde(default)]
    pub documents: Vec<Document>,
    /// Set by a submission; drafts leave it unchanged.
    pub terms_accepted: Option<Acceptance>,
    #[serde(default)]
    pub verification: Verification,
    #[serde(default)]
    pub brand: Brand,
    #[serde(default)]
    pub storefront: Storefront,
    /// When the logo was last requested from the card network. It is requested at most once a day.
    pub logo_checked_at: Option<Timestamp>,
    /// The merchant removed its logo. None is requested from the card network until it sets another one.
    #[serde(default)]
    pub logo_removed: bool,
    /// Changes of identity fields after a submission that the verifier has not seen, one for each field, oldest first.
    #[serde(default)]
    pub identity_changes: Vec<IdentityChange>,
    /// The calendars of its tallies.
    pub calendars: Calendars,
    /// What its endpoints want to be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub webhook_events: Vec<OpenEnum<EventType>>,
    /// Counts the changes of its identity, so that an administrator reviews exactly what was read.
    #[serde(default)]
    pub identity_version: u64,
    pub created_at: Timestamp,
}

/// A merchant in the list of all merchants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MerchantEntry {
    pub id: MerchantId,
    pub slug: String,
    #[serde(default)]
    pub name: String,
    pub status: OpenEnum<MerchantStatus>,
    pub network_merchant_id: Option<NetworkMerchantId>,
    pub created_at: Timestamp,
}

impl MerchantEntry {
    /// Whether its name, slug, id or account at the card network contains a [folded](fold) text.
    pub fn matches(&self, folded_text: &str) -> bool {
        let account = self.network_merchant_id.as_ref().map(NetworkMerchantId::as_str);
        let fields = [&self.name, &self.slug, self.id.as_str(), account.unwrap_or_default()];
        fields.iter().any(|field| fold(field).contains(folded_text))
    }
}

impl From<&Merchant> for MerchantEntry {
    fn from(merchant: &Merchant) -> Self {
        Self {
            id: merchant.id.clone(),
            slug: merchant.slug.clone(),
            name: merchant.name.clone(),
            status: merchant.status.clone(),
            network_merchant_id: merchant.network_merchant_id.clone(),
            created_at: merchant.created_at,
        }
    }
}

impl Merchant {
    /// A draft with empty fields.
    pub fn new(id: MerchantId, created_at: Timestamp) -> Self {
        Self {
            slug: id.to_string(),
            id,
            status: MerchantStatus::Draft.into(),
            name: String::new(),
            legal_name: String::new(),
            trade_name: String::new(),
            trading_name: String::new(),
            registration_number: String::new(),
            vat_number: String::new(),
            country: String::new(),
            currency: None,
            time_zone: utc(),
            number_of_locations: 0,
            external_merchant_id: String::new(),
            network_merchant_id: None,
            default_offer_id: None,
            settlement_mode: None,
            fees: FeeTerms::default(),
            payout_delay_days: 0,
            max_sale_minor: None,
            legal_address: LegalAddress::default(),
            directors: Vec::new(),
            documents: Vec::new(),
            terms_accepted: None,
            verification: Verification::default(),
            brand: Brand::default(),
            storefront: Storefront::default(),
            logo_checked_at: None,
            logo_removed: false,
            identity_changes: Vec::new(),
            calendars: Calendars::new(&utc()),
            webhook_events: Vec::new(),
            identity_version: 0,
            created_at,
        }
    }

    /// Whether it was ever active. A draft that was closed counts as if it had been: it invites nobody.
    pub fn has_been_active(&self) -> bool {
        use MerchantStatus::{Active, Inactive, Suspended};
        matches!(self.status.known(), Some(Active | Suspended | Inactive))
    }

    /// Whether its tills can sell and redeem cards.
    pub fn can_move_money(&self) -> bool {
        self.status == MerchantStatus::Active
    }

    /// The terms for settling a redemption. `None` for a merchant that is paid on sale: the sale has been settled.
    pub fn redemption_terms(&self) -> Option<SettlementTerms> {
        let is_paid_on_sale = self.is_paid(SettlementMode::OnSale);
        (!is_paid_on_sale).then_some(SettlementTerms { fees: self.fees, payout_delay_days: self.payout_delay_days })
    }

    /// Whether the settlement mode is set to this one.
    pub fn is_paid(&self, mode: SettlementMode) -> bool {
        self.settlement_mode.as_ref().is_some_and(|set| *set == mode)
    }
}

fn utc() -> String {
    "UTC".to_owned()
}
