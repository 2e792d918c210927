//! `GET /api/admin/merchants/{id}`: a merchant as platform administrators see it.

use axum::extract::State;
use futures_util::future::try_join;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::app::App;
use shared::audit;
use shared::domain::audit::{AuditAction, AuditEntry, AuditedChange};
use shared::domain::fees::FeeTerms;
use shared::domain::ids::{MerchantId, NetworkMerchantId, OfferId, UserId};
use shared::domain::merchant::{
    Brand, Director, Document, LegalAddress, Merchant, MerchantStatus, SettlementMode,
};
use shared::domain::money::{Currency, Minor};
use shared::domain::open_enum::OpenEnum;
use shared::domain::team::{Membership, Role, User, fold_email};
use shared::http::access::PlatformAdministrator;
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::http::reply::Data;
use shared::http::utc_time::UtcTime;
use shared::store::{Stored, Write};
use utoipa::ToSchema;

use super::{find, merchant_id};
use crate::audit_entry::new_audit_entry;

/// The latest entries of the audit trail that are shown.
const AUDIT_ENTRIES: u16 = 50;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AdministeredMerchant)]
pub(crate) struct MerchantView {
    id: MerchantId,
    slug: String,
    name: String,
    #[schema(value_type = MerchantStatus)]
    status: OpenEnum<MerchantStatus>,
    network_merchant_id: Option<NetworkMerchantId>,
    /// Null for a merchant that an earlier release created.
    created_at: Option<UtcTime>,
    profile: Profile,
    verification: VerificationView,
    /// What the merchant is paid for. Null means both sales and redemptions.
    #[schema(value_type = Option<SettlementMode>)]
    settlement_mode: Option<OpenEnum<SettlementMode>>,
    fees: Fees,
    payout_delay_days: u32,
    default_offer_id: Option<OfferId>,
    /// The largest sale at a till, in minor units of the sale's currency.
    max_sale_minor: Option<Minor>,
    /// The members, sorted by e-mail address.
    team: Vec<MemberView>,
    /// The latest 50 entries of the audit trail, latest first.
    audit: Vec<AuditView>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AdministeredProfile)]
struct Profile {
    legal_name: String,
    trade_name: String,
    trading_name: String,
    registration_number: String,
    vat_number: String,
    country: String,
    currency: Option<Currency>,
    time_zone: String,
    number_of_locations: u32,
    external_merchant_id: String,
    legal_address: LegalAddress,
    directors: Vec<Director>,
    documents: Vec<Document>,
    brand: Brand,
}

/// What the identity verifier has decided.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AdministeredVerification)]
struct VerificationView {
    /// In the verifier's own words.
    status: Option<String>,
    company_id: Option<String>,
    session_id: Option<String>,
    decided_at: Option<UtcTime>,
    /// Fields that tell who the merchant is and have changed since the verifier saw them, oldest change first.
    changed_fields: Vec<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Fees {
    /// Hundredths of a percent of the gross amount.
    #[schema(maximum = 10_000)]
    pub(super) percent_bps: u32,
    /// Minor units per settlement.
    pub(super) fixed_minor: u32,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AdministeredMember)]
struct MemberView {
    id: UserId,
    email: String,
    first_name: String,
    last_name: String,
    email_verified: bool,
    /// Null counts as `ADMIN`.
    #[schema(value_type = Option<Role>)]
    role: Option<OpenEnum<Role>>,
    /// The names of explicit permissions. They replace those of the role.
    permissions: Option<Vec<String>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditEntry)]
struct AuditView {
    id: String,
    at: UtcTime,
    /// The platform administrator.
    by: UserId,
    #[schema(value_type = AuditAction)]
    action: OpenEnum<AuditAction>,
    /// What it was done to, if it is not the merchant itself.
    subject: Option<String>,
    changes: Vec<AuditedChange>,
    reason: Option<String>,
}

impl MerchantView {
    /// Reads the team and the audit trail.
    pub(super) async fn read(app: &App, merchant: &Merchant) -> Result<Self, Fault> {
        let audit = app.store.latest_audit_entries(&merchant.id, AUDIT_ENTRIES);
        let (team, audit) = try_join(app.store.team(&merchant.id), audit).await?;
        let ids: Vec<UserId> = team.members.iter().map(|member| member.user_id.clone()).collect();
        let users = app.store.users(&ids).await?;
        Ok(Self {
            id: merchant.id.clone(),
            slug: merchant.slug.clone(),
            name: merchant.name.clone(),
            status: merchant.status.clone(),
            network_merchant_id: merchant.network_merchant_id.clone(),
            created_at: merchant.created_at.map(UtcTime),
            profile: Profile::from(merchant),
            verification: VerificationView::from(merchant),
            settlement_mode: merchant.settlement_mode.clone(),
            fees: merchant.fees.into(),
            payout_delay_days: merchant.payout_delay_days,
            default_offer_id: merchant.default_offer_id.clone(),
            max_sale_minor: merchant.max_sale_minor,
            team: team_view(&team.members, users),
            audit: audit.into_iter().map(|entry| entry.value.into()).collect(),
        })
    }
}

impl From<&Merchant> for Profile {
    fn from(merchant: &Merchant) -> Self {
        Self {
            legal_name: merchant.legal_name.clone(),
            trade_name: merchant.trade_name.clone(),
            trading_name: merchant.trading_name.clone(),
            registration_number: merchant.registration_number.clone(),
            vat_number: merchant.vat_number.clone(),
            country: merchant.country.clone(),
            currency: merchant.currency,
            time_zone: merchant.time_zone.clone(),
            number_of_locations: merchant.number_of_locations,
            external_merchant_id: merchant.external_merchant_id.clone(),
            legal_address: merchant.legal_address.clone(),
            directors: merchant.directors.clone(),
            documents: merchant.documents.iter().map(Document::published).collect(),
            brand: merchant.brand.published(),
        }
    }
}

impl From<&Merchant> for VerificationView {
    fn from(merchant: &Merchant) -> Self {
        let verification = &merchant.verification;
        let changed = merchant.identity_changes.iter().map(|change| change.field.to_string());
        Self {
            status: verification.kyb_status.clone(),
            company_id: verification.company_id.clone(),
            session_id: verification.session_id.clone(),
            decided_at: verification.decided_at.map(UtcTime),
            changed_fields: changed.collect(),
        }
    }
}

impl From<FeeTerms> for Fees {
    fn from(FeeTerms { percent_bps, fixed_minor }: FeeTerms) -> Self {
        Self { percent_bps, fixed_minor }
    }
}

impl From<AuditEntry> for AuditView {
    fn from(entry: AuditEntry) -> Self {
        Self {
            id: entry.id,
            at: entry.at.into(),
            by: entry.by,
            action: entry.action,
            subject: entry.subject,
            changes: entry.changes,
            reason: entry.reason,
        }
    }
}

/// The members whose users exist.
fn team_view(members: &[Stored<Membership>], mut users: Vec<Stored<User>>) -> Vec<MemberView> {
    users.sort_by_cached_key(|user| (fold_email(&user.email), user.id.clone()));
    let member_of = |user: &User| members.iter().find(|member| member.user_id == user.id);
    users.into_iter().filter_map(|user| Some(MemberView::new(member_of(&user)?, user.value))).collect()
}

impl MemberView {
    fn new(member: &Membership, user: User) -> Self {
        let permissions = member.permissions.as_ref();
        Self {
            id: user.id,
            email: user.email,
            first_name: user.first_name,
            last_name: user.last_name,
            email_verified: user.email_verified,
            role: member.role.clone(),
            permissions: permissions.map(|listed| listed.iter().map(ToString::to_string).collect()),
        }
    }
}

/// Responds with 404 if there is no such merchant. Who read it is in the audit trail before it is shown.
pub(crate) async fn merchant(
    administrator: PlatformAdministrator,
    State(app): State<App>,
    path: PathIds,
) -> Result<Data<MerchantView>, Fault> {
    let id = merchant_id(&path)?;
    let merchant = find(&app, &id).await?;
    let (by, now) = (&administrator.user.id, app.clock.now());
    let entry = new_audit_entry(&app, by, Some(&id), AuditAction::MerchantRead, now);
    app.store.commit(vec![Write::create(&entry)?]).await?;
    audit::administration(&entry);
    MerchantView::read(&app, &merchant).await.map(Data)
}

pub(crate) fn describe() -> Description {
    Description::new("getMerchant", 
        "Get a merchant",
        "Returns a merchant's profile, settlement terms, limits, team and latest audit entries. The audit trail records who \
         read it.",
    )
    .success("The merchant.", example())
    .error(404, "There is no such merchant.")
}

pub(super) fn example() -> Value {
    json!({
        "id": "m-aurora", "slug": "aurora-coffee", "name": "Aurora Coffee", "status": "ACTIVE",
        "networkMerchantId": "1001", "createdAt": "2026-01-05T10:00:00.000Z",
        "profile": {
            "legalName": "Aurora Coffee AB", "tradeName": "Aurora Coffee", "tradingName": "Aurora",
            "registrationNumber": "556677-8899", "vatNumber": "SE556677889901", "country": "SE", "currency": "SEK",
            "timeZone": "Europe/Stockholm", "numberOfLocations": 4, "externalMerchantId": "",
            "legalAddress": {
                "line1": "Storgatan 12", "city": "Stockholm", "state": "", "postalCode": "114 55", "country": "SE",
            },
            "directors": [{"name": "Anna Berg", "role": "Managing director"}],
            "documents": [],
            "brand": {
                "logoUrl": "https://aurora.example/logo.png", "category": "Food and drink", "descriptor": "AURORA COFFEE",
                "website": "https://aurora.example", "facebook": "", "twitter": "", "instagram": "",
            },
        },
        "verification": {
            "status": "approved", "companyId": "c-1", "sessionId": "s-1", "decidedAt": "2026-01-06T10:00:00.000Z",
            "changedFields": [],
        },
        "settlementMode": "SETTLEMENT_ON_REDEMPTION", "fees": {"percentBps": 250, "fixedMinor": 100},
        "payoutDelayDays": 7, "defaultOfferId": "501", "maxSaleMinor": 1_000_000,
        "team": [{
            "id": "u-anna", "email": "anna@example.com", "firstName": "Anna", "lastName": "Berg", "emailVerified": true,
            "role": "ADMIN", "permissions": null,
        }],
        "audit": [{
            "id": "0197a1b2-0000-7000-8000-000000000000", "at": "2026-01-07T10:00:00.000Z", "by": "u-root",
            "action": "MERCHANT_CHANGED", "subject": null,
            "changes": [{"field": "status", "from": "DECISION_PENDING", "to": "ACTIVE"}],
            "reason": "All documents are in order",
        }],
    })
}
