//! The merchant: the tenant that everything else belongs to.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ids::{JobId, MerchantId, NetworkMerchantId, OfferId, UserId};
use super::money::Currency;
use super::settlement::FeeTerms;

/// Where a merchant stands, from the first draft to closing.
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
    /// Whether the merchant is still writing its onboarding.
    pub fn takes_submissions(self) -> bool {
        matches!(self, Self::Draft | Self::WaitingForInfo)
    }

    /// Whether what the identity verifier decides still counts.
    pub fn awaits_verification(self) -> bool {
        matches!(self, Self::Submitted | Self::WaitingForInfo | Self::KybInProgress)
    }
}

/// When a merchant is paid: for what is sold, or for what is redeemed. Unset counts as both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum SettlementMode {
    #[serde(rename = "SETTLEMENT_ON_SALE")]
    OnSale,
    #[serde(rename = "SETTLEMENT_ON_REDEMPTION")]
    OnRedemption,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LegalAddress {
    pub line1: String,
    pub city: String,
    pub state: String,
    pub postal_code: String,
    pub country: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Director {
    pub name: String,
    pub role: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    pub r#type: String,
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub name: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Brand {
    pub logo_url: String,
    pub category: String,
    pub descriptor: String,
    pub website: String,
    pub facebook: String,
    pub twitter: String,
    pub instagram: String,
}

/// What the public storefront shows beyond the profile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
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

/// What the identity verifier said last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    pub kyb_status: Option<String>,
    pub company_id: Option<String>,
    pub session_id: Option<String>,
    pub session_url: Option<String>,
    /// When the last decision that counted was taken.
    pub decided_at: Option<Timestamp>,
    /// The job that last saw to the session: it does so once, however often it runs.
    pub session_job_id: Option<JobId>,
}

/// Who accepted the terms and the privacy policy for the merchant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    pub user_id: UserId,
    pub accepted_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merchant {
    pub id: MerchantId,
    pub slug: String,
    pub status: MerchantStatus,
    pub name: String,
    pub legal_name: String,
    pub trade_name: String,
    pub trading_name: String,
    pub registration_number: String,
    pub vat_number: String,
    pub country: String,
    pub currency: Option<Currency>,
    pub time_zone: String,
    pub number_of_locations: u32,
    pub external_merchant_id: String,
    pub network_merchant_id: Option<NetworkMerchantId>,
    pub default_offer_id: Option<OfferId>,
    pub settlement_mode: Option<SettlementMode>,
    pub fees: FeeTerms,
    pub payout_delay_days: u32,
    pub legal_address: LegalAddress,
    pub directors: Vec<Director>,
    pub documents: Vec<Document>,
    /// With the last full submission.
    pub terms_accepted: Option<Acceptance>,
    pub verification: Verification,
    pub brand: Brand,
    pub storefront: Storefront,
    /// When the card network was last asked for a logo, so that one that has none is not asked on each read.
    pub logo_sought_at: Option<Timestamp>,
}

impl Merchant {
    /// A fresh record: everything that nobody has said yet is empty.
    pub fn new(id: MerchantId) -> Self {
        Self {
            slug: id.to_string(),
            id,
            status: MerchantStatus::Draft,
            name: String::new(),
            legal_name: String::new(),
            trade_name: String::new(),
            trading_name: String::new(),
            registration_number: String::new(),
            vat_number: String::new(),
            country: String::new(),
            currency: None,
            time_zone: "UTC".to_owned(),
            number_of_locations: 0,
            external_merchant_id: String::new(),
            network_merchant_id: None,
            default_offer_id: None,
            settlement_mode: None,
            fees: FeeTerms::default(),
            payout_delay_days: 0,
            legal_address: LegalAddress::default(),
            directors: Vec::new(),
            documents: Vec::new(),
            terms_accepted: None,
            verification: Verification::default(),
            brand: Brand::default(),
            storefront: Storefront::default(),
            logo_sought_at: None,
        }
    }
}
