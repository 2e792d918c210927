//! `GET /api/admin/merchants/{id}`: a merchant as platform administrators see it.

use std::time::Duration;

use axum::extract::State;
use futures_util::future::try_join;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::app::App;
use shared::base::audit;
use shared::db::{Stored, Write};
use shared::endpoint_error;
use shared::http::bounded::UpTo;
use shared::http::{Data, Description, General, OwnMerchant, PathIds, PlatformAdministrator, UtcTime, examples};
use shared::merchants::model::activity::{Actor, ActorKind};
use shared::merchants::model::audit::{AuditAction, AuditEntry, AuditedChange};
use shared::merchants::model::merchant::{
    Brand, Director, Document, IdentityChange, LegalAddress, Merchant, MerchantStatus, SettlementMode,
};
use shared::merchants::view::document_key::DocumentKey;
use shared::settlements::model::fees::FeeTerms;
use shared::team::model::team::{Membership, Role, User, fold_email};
use shared::values::{Currency, MerchantId, Minor, NetworkMerchantId, OfferId, OpenEnum, UserId};
use utoipa::ToSchema;

use crate::merchants::of_path::{MerchantOfPathError, find, merchant_id};
use crate::people::{self, Person, people};

const DOCUMENT_EXPIRES_IN: Duration = Duration::from_mins(10);
/// The latest entries of the audit trail that are shown.
const AUDIT_ENTRIES: u16 = 50;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AdministeredMerchant)]
pub(crate) struct MerchantView {
    /// The id of the merchant. It never changes, unlike the slug.
    id: MerchantId,
    /// The last segment of the URL of its shop, unique on the platform.
    slug: String,
    /// The name that the portal and the shop show.
    name: String,
    /// The state of its application or account. Cards are sold and redeemed only while it is `ACTIVE`.
    #[schema(value_type = MerchantStatus)]
    status: OpenEnum<MerchantStatus>,
    /// Its account at the card network, in decimal digits. Null without one: it has no offers or stores and cannot
    /// sell.
    network_merchant_id: Option<NetworkMerchantId>,
    /// When it was created.
    created_at: UtcTime,
    /// The details that the merchant has provided.
    profile: Profile,
    /// The identity verification of the company.
    verification: VerificationView,
    /// What the merchant is paid for. Null means both sales and redemptions.
    #[schema(value_type = Option<SettlementMode>)]
    settlement_mode: Option<OpenEnum<SettlementMode>>,
    /// The fees deducted from the settlement of a redemption, fixed when the redemption begins.
    fees: Fees,
    /// Days from a redemption until its settlement can be paid out.
    payout_delay_days: u32,
    /// The offer that a till sells if the sale names none. If it is null or cannot be sold, a till sells the one with
    /// the lowest id that can be sold.
    default_offer_id: Option<OfferId>,
    /// The largest sale at a till, in minor units of the sale's currency. Null for no limit.
    max_sale_minor: Option<Minor>,
    /// The number of changes of its identity. `identityReviewed` names the version that was reviewed.
    identity_version: u64,
    /// Changes of the merchant's identity after its first submission that have neither been sent to the verifier nor been
    /// reviewed by an administrator, oldest first. The merchant is not paid while there are any.
    identity_changes: Vec<IdentityChangeView>,
    /// The members, sorted by e-mail address.
    team: Vec<MemberView>,
    /// The latest 50 entries of the audit trail, newest first.
    audit: Vec<AuditView>,
    /// The people named in `identityChanges` and `audit`.
    people: Vec<Person>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AdministeredProfile)]
struct Profile {
    /// The registered name of the company; empty if it is unknown.
    legal_name: String,
    /// The name under which it trades, from its profile; empty if it is unknown.
    trade_name: String,
    /// The name under which it trades, from its application; empty if it is unknown.
    trading_name: String,
    /// The company's registration number in its country; empty if it is unknown.
    registration_number: String,
    /// The company's VAT number; empty if it is unknown.
    vat_number: String,
    /// The country of the company, as an ISO 3166-1 alpha-2 code; empty if it is unknown.
    country: String,
    /// ISO 4217 code of the merchant's own currency, the default of its sales and reports. Null if none is set.
    currency: Option<Currency>,
    /// An IANA name or `UTC±HH:MM`. The days of reports and exports begin and end in it.
    time_zone: String,
    /// The number of its locations, as stated in the application; 0 if it has not stated one.
    number_of_locations: u32,
    /// The id of the merchant in an external system; empty if there is none.
    external_merchant_id: String,
    /// The registered address of the company.
    legal_address: LegalAddress,
    /// The people who represent the company, as stated in the application.
    directors: Vec<Director>,
    /// The documents of the application.
    documents: Vec<DocumentView>,
    /// How the merchant appears to buyers.
    brand: Brand,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AdministeredDocument)]
struct DocumentView {
    #[serde(flatten)]
    document: Document,
    /// Opens the file with a plain GET for 10 minutes. Null if it is not a file that the merchant has uploaded.
    link: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = IdentityChange)]
struct IdentityChangeView {
    /// `legalName`, `registrationNumber`, `vatNumber`, `country`, `legalAddress`, `directors` or `documents`.
    field: String,
    /// The value that was last verified or reviewed, as text of at most 1,000 characters. Null if there was none.
    from: Option<String>,
    /// The present value, as text of at most 1,000 characters. Null if there is none.
    to: Option<String>,
    /// When it was last changed.
    at: UtcTime,
    /// The id of the user who changed it last.
    by: UserId,
}

impl From<&IdentityChange> for IdentityChangeView {
    fn from(change: &IdentityChange) -> Self {
        Self {
            field: change.field.to_string(),
            from: change.from.clone(),
            to: change.to.clone(),
            at: change.changed_at.into(),
            by: change.user_id.clone(),
        }
    }
}

/// What the identity verifier has decided.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AdministeredVerification)]
struct VerificationView {
    /// The verifier's own name for the state, such as `approved`. Null before the first verification session.
    status: Option<String>,
    /// The id of the company at the verifier. Null before the first verification session.
    company_id: Option<String>,
    /// The id of the current verification session at the verifier. Null before the first one.
    session_id: Option<String>,
    /// When the verifier made the last decision that was applied. Null before the first one.
    decided_at: Option<UtcTime>,
    /// Identity fields that have changed since the verifier saw them, oldest change first.
    changed_fields: Vec<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Fees {
    /// Hundredths of a percent of the gross amount.
    pub(super) percent_bps: BasisPoints,
    /// Minor units per settlement.
    pub(super) fixed_minor: u32,
}

/// At most all of the gross amount.
type BasisPoints = UpTo<10_000>;

impl Fees {
    pub(super) fn terms(self) -> FeeTerms {
        FeeTerms { percent_bps: self.percent_bps.get(), fixed_minor: self.fixed_minor }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AdministeredMember)]
struct MemberView {
    /// The id of the user.
    id: UserId,
    /// The address that the user signs in with.
    email: String,
    /// First name; empty if the user has given none.
    first_name: String,
    /// Last name; empty if the user has given none.
    last_name: String,
    /// Whether the user has signed in with a code that was e-mailed to the address.
    email_verified: bool,
    /// The role in the team. Null counts as `ADMIN`.
    #[schema(value_type = Option<Role>)]
    role: Option<OpenEnum<Role>>,
    /// The names of explicit permissions, which replace those of the role. Null without any.
    permissions: Option<Vec<String>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditEntry)]
pub(crate) struct AuditView {
    /// The id of the entry, unique within the trail.
    id: String,
    /// When it was done.
    at: UtcTime,
    /// The id of the platform administrator, member or key that did it.
    by: UserId,
    /// The key that did it. Null for people.
    actor: Option<AuditActor>,
    /// What was done.
    #[schema(value_type = AuditAction)]
    action: OpenEnum<AuditAction>,
    /// The id of the target, such as a payout or a settlement. Null for the merchant itself.
    subject: Option<String>,
    /// The changed fields. Empty if something was only read.
    changes: Vec<AuditedChange>,
    /// The reason given by the administrator. Null if none was given.
    reason: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct AuditActor {
    /// Always `KEY`.
    #[schema(value_type = ActorKind)]
    kind: OpenEnum<ActorKind>,
    /// Its id.
    id: Option<String>,
    /// Its name at the time.
    name: Option<String>,
}

impl From<Actor> for AuditActor {
    fn from(Actor { kind, id, name, .. }: Actor) -> Self {
        Self { kind, id, name }
    }
}

impl MerchantView {
    /// Reads the team and the audit trail.
    pub(super) async fn read(app: &App, merchant: &Merchant) -> Result<Self, General> {
        let audit = app.store.latest_audit_entries(&merchant.id, AUDIT_ENTRIES);
        let (team, audit) = try_join(app.store.team(&merchant.id), audit).await?;
        let ids: Vec<UserId> = team.members.iter().map(|member| member.user_id.clone()).collect();
        let users = app.store.users(&ids).await?;
        let changed_by = merchant.unreviewed_identity_changes().map(|change| &change.user_id);
        let people = people(app, changed_by.chain(audit.iter().map(|entry| &entry.by))).await?;
        Ok(Self {
            id: merchant.id.clone(),
            slug: merchant.slug.clone(),
            name: merchant.name.clone(),
            status: merchant.status.clone(),
            network_merchant_id: merchant.network_merchant_id.clone(),
            created_at: merchant.created_at.into(),
            profile: Profile::read(app, merchant).await?,
            verification: VerificationView::from(merchant),
            settlement_mode: merchant.settlement_mode.clone(),
            fees: merchant.fees.into(),
            payout_delay_days: merchant.payout_delay_days,
            default_offer_id: merchant.default_offer_id.clone(),
            max_sale_minor: merchant.max_sale_minor,
            identity_version: merchant.identity_version,
            identity_changes: merchant.unreviewed_identity_changes().map(IdentityChangeView::from).collect(),
            team: team_view(&team.members, users),
            audit: audit.into_iter().map(|entry| entry.value.into()).collect(),
            people,
        })
    }
}

/// A link to a document that the merchant has uploaded itself.
async fn link(app: &App, merchant: &Merchant, document: &Document) -> Result<Option<String>, General> {
    let key = DocumentKey::of_url(&document.url, &app.settings);
    let Some(key) = key.filter(|key| key.merchant == merchant.id) else { return Ok(None) };
    let url = app.documents().presigned_download(&key.to_string(), &key.filename, app.clock.now(), DOCUMENT_EXPIRES_IN).await;
    url.map(Some).map_err(|error| General::internal(error.to_string()))
}

impl Profile {
    async fn read(app: &App, merchant: &Merchant) -> Result<Self, General> {
        let mut documents = Vec::new();
        for document in &merchant.documents {
            let link = link(app, merchant, document).await?;
            documents.push(DocumentView { document: document.published(), link });
        }
        Ok(Self {
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
            documents,
            brand: merchant.brand.published(),
        })
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
        Self { percent_bps: percent_bps.into(), fixed_minor }
    }
}

impl From<AuditEntry> for AuditView {
    fn from(entry: AuditEntry) -> Self {
        Self {
            id: entry.id,
            at: entry.at.into(),
            by: entry.by,
            actor: entry.actor.map(AuditActor::from),
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

endpoint_error! {
    pub(crate) enum MerchantError {
        OwnMerchant(#[from] OwnMerchant),
        OfPath(#[from] MerchantOfPathError),
    }
}

/// Who read it is in the audit trail before it is shown.
pub(crate) async fn merchant(
    administrator: PlatformAdministrator,
    State(app): State<App>,
    path: PathIds,
) -> Result<Data<MerchantView>, MerchantError> {
    let id = merchant_id(&path)?;
    administrator.require_other(&app, &id).await?;
    let merchant = find(&app, &id).await?;
    let (by, now) = (&administrator.user.id, app.clock.now());
    let entry = app.store.new_audit_entry(by, Some(&id), AuditAction::MerchantRead, now);
    app.store.commit(vec![Write::create(&entry)?]).await?;
    audit::administration(&entry);
    Ok(Data(MerchantView::read(&app, &merchant).await?))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getMerchant",
        "Get a merchant",
        "Returns a merchant's profile, settlement terms, limits, team and latest audit entries. The audit trail records who \
         read it.",
    )
    .success("The merchant.", example())
}

pub(super) fn example() -> Value {
    json!({
        "id": examples::MERCHANT, "slug": "aurora-coffee", "name": "Aurora Coffee", "status": "ACTIVE",
        "networkMerchantId": "1001", "createdAt": "2025-11-03T09:00:00.000Z",
        "profile": {
            "legalName": "Aurora Coffee AB", "tradeName": "Aurora Coffee", "tradingName": "Aurora",
            "registrationNumber": "556677-8899", "vatNumber": "SE556677889901", "country": "SE", "currency": "SEK",
            "timeZone": "Europe/Stockholm", "numberOfLocations": 4, "externalMerchantId": "crm-2041",
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
            "status": "approved", "companyId": examples::VERIFIED_COMPANY,
            "sessionId": examples::VERIFICATION_SESSION, "decidedAt": "2025-11-04T12:00:00.000Z", "changedFields": [],
        },
        "settlementMode": "SETTLEMENT_ON_REDEMPTION", "fees": {"percentBps": 250, "fixedMinor": 100},
        "payoutDelayDays": 7, "defaultOfferId": "501", "maxSaleMinor": 1_000_000, "identityVersion": 1,
        "identityChanges": [{
            "field": "legalName", "from": "Aurora Coffee HB", "to": "Aurora Coffee AB", "at": "2026-01-12T09:00:00.000Z",
            "by": examples::OWNER,
        }],
        "team": [{
            "id": examples::OWNER, "email": "anna@example.com", "firstName": "Anna", "lastName": "Berg", "emailVerified": true,
            "role": "ADMIN", "permissions": null,
        }],
        "audit": [audit_example()],
        "people": [people::example()],
    })
}

pub(super) fn audit_example() -> Value {
    json!({
        "id": "019a5375-7d00-7173-bd3a-c94a0f21ddb6", "at": "2025-11-05T10:00:00.000Z", "by": examples::ADMINISTRATOR,
        "action": "MERCHANT_CHANGED", "actor": null, "subject": null,
        "changes": [{"field": "status", "from": "DECISION_PENDING", "to": "ACTIVE"}],
        "reason": "All documents are in order",
    })
}
