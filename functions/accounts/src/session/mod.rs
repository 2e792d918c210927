//! `GET /api/auth/session`: who is signed in, where, and what they may do.

pub(crate) mod browser;
pub(crate) mod device;
pub(crate) mod end;
pub(crate) mod list;
pub(crate) mod opening;
pub(crate) mod request_code;
pub(crate) mod sign_in;
pub(crate) mod sign_out;
pub(crate) mod update_user;

use axum::extract::State;
use futures_util::future::try_join_all;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::db::StoreError;
use shared::endpoint_error;
use shared::http::{Data, Description, General, UtcTime, examples};
use shared::keys::model::key::ApiKey;
use shared::merchants::model::merchant::{Merchant, MerchantStatus, SettlementMode};
use shared::team::model::team::{Invite, InviteStatus, Permission, Role, SignInMethod, User};
use shared::team::model::till::{Till, TillToken};
use shared::team::rows::sessions::{Person, Session, SessionDetails, SignedIn, SignedInTill, SignedInUser, Token, Workspace};
use shared::values::{ApiKeyId, ChallengeId, Currency, MerchantId, OpenEnum, TillId, UserId};
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
pub(crate) struct SessionView {
    /// Who is signed in. Null for a till or a key.
    user: Option<UserView>,
    /// The merchant of the user, the till or the key. Null if the user has none.
    merchant: Option<MerchantView>,
    /// The role in the team. Null for a till, a key or a user without a merchant; for a member, null counts as `ADMIN`.
    #[schema(value_type = Option<Role>)]
    role: Option<OpenEnum<Role>>,
    /// The names of the permissions. A `VIEWER` holds them for reading only.
    permissions: Vec<&'static str>,
    /// How the user signed in. Null for a till or a key.
    #[schema(value_type = Option<SignInMethod>)]
    signed_in_with: Option<OpenEnum<SignInMethod>>,
    /// When the user signed in, the till was paired, or the key was created.
    signed_in_at: UtcTime,
    /// When the session ends: 12 hours after the sign-in. For a till, 90 days after this call, but at most a year after it was
    /// paired. For a key, when the key ends.
    expires_at: UtcTime,
    /// Invitations that the user can accept.
    invites: Vec<InviteView>,
    /// The paired till. Null for others.
    till: Option<TillView>,
    /// The key. Null for others.
    key: Option<SessionKeyView>,
}

/// A key of the merchant's own program.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SessionKey)]
struct SessionKeyView {
    /// The id of the key.
    id: ApiKeyId,
    /// The name that the team has given the key.
    name: String,
    /// The names of its permissions.
    permissions: Vec<String>,
    /// Whether it is limited to reading (GET requests and exports), whatever its permissions allow.
    read_only: bool,
    /// When it expires, or ends before that.
    expires_at: UtcTime,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SessionUser)]
struct UserView {
    /// The id of the user.
    id: UserId,
    /// The address that the user signs in with.
    email: String,
    /// First name; empty if the user has given none.
    first_name: String,
    /// Last name; empty if the user has given none.
    last_name: String,
    /// Country calling code, such as `+46`. Null if it is unknown.
    phone_prefix: Option<String>,
    /// Phone number without the country calling code. Null if it is unknown.
    phone: Option<String>,
    /// Whether the user has signed in with a code that was e-mailed to the address.
    email_verified: bool,
    /// Whether mailed codes sign the user in.
    mail_sign_in: bool,
    /// Whether the user is a platform administrator, who passes every permission check. By default, that counts only in a session that
    /// was begun with a passkey.
    is_admin: bool,
}

/// A paired till.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SessionTill)]
pub(crate) struct TillView {
    /// The id of the till.
    id: TillId,
    /// The name that the team has given the till.
    name: String,
    /// The store of all sales and redemptions of the till.
    retail_store_id: String,
    /// The name of the store, as given when the till was created. Null if none was given.
    retail_store_name: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SessionMerchant)]
struct MerchantView {
    /// The id of the merchant. It never changes, unlike the slug.
    id: MerchantId,
    /// The last segment of the URL of its shop, unique on the platform.
    slug: String,
    /// The name that the portal and the shop show.
    name: String,
    /// The state of its application or account. Cards are sold and redeemed only while it is `ACTIVE`.
    #[schema(value_type = MerchantStatus)]
    status: OpenEnum<MerchantStatus>,
    /// ISO 4217 code of the merchant's own currency, the default of its sales and reports. Null if none is set.
    currency: Option<Currency>,
    /// An IANA name, or `UTC±HH:MM`.
    time_zone: String,
    /// What the merchant is paid for. Null means both sales and redemptions.
    #[schema(value_type = Option<SettlementMode>)]
    settlement_mode: Option<OpenEnum<SettlementMode>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SessionInvite)]
struct InviteView {
    /// The id of the invitation, to accept it with.
    challenge_id: ChallengeId,
    /// The name of the merchant that invites.
    merchant_name: String,
    /// The role that is offered. Null if explicit permissions are.
    #[schema(value_type = Option<Role>)]
    role: Option<OpenEnum<Role>>,
    /// The names of the explicit permissions that are offered. Null if a role is.
    permissions: Option<Vec<String>>,
    /// When the invitation expires.
    expires_at: UtcTime,
}

impl SessionView {
    pub(crate) async fn new(
        app: &App,
        session: &SessionDetails,
        user: &Person,
        workspace: Option<&Workspace>,
    ) -> Result<Self, StoreError> {
        let membership = workspace.map(|workspace| &workspace.membership);
        let permissions = match membership {
            _ if user.is_admin => Permission::ALL.to_vec(),
            Some(membership) => membership.powers().held().collect(),
            None => Vec::new(),
        };
        Ok(Self {
            user: Some(UserView::from(&**user)),
            merchant: workspace.map(|workspace| MerchantView::from(&workspace.merchant.value)),
            role: membership.and_then(|membership| membership.role.clone()),
            permissions: permissions.into_iter().map(Permission::name).collect(),
            signed_in_with: Some(session.signed_in_with.clone()),
            signed_in_at: session.created_at.into(),
            expires_at: session.expires_at.into(),
            invites: open_invites(app, user, app.clock.now()).await?,
            till: None,
            key: None,
        })
    }

    fn of_till(till: &Till, token: &TillToken, merchant: &Merchant) -> Self {
        Self {
            user: None,
            merchant: Some(MerchantView::from(merchant)),
            role: None,
            permissions: vec![Permission::Pos.name()],
            signed_in_with: None,
            signed_in_at: token.paired_at.into(),
            expires_at: token.expires_at().into(),
            invites: Vec::new(),
            till: Some(TillView::from(till)),
            key: None,
        }
    }

    fn of_key(key: &ApiKey, merchant: &Merchant) -> Self {
        let expires_at = key.end().at.into();
        Self {
            user: None,
            merchant: Some(MerchantView::from(merchant)),
            role: None,
            permissions: key.powers().held().map(Permission::name).collect(),
            signed_in_with: None,
            signed_in_at: key.created_at.into(),
            expires_at,
            invites: Vec::new(),
            till: None,
            key: Some(SessionKeyView {
                id: key.id.clone(),
                name: key.name.clone(),
                permissions: key.permissions.iter().map(ToString::to_string).collect(),
                read_only: key.read_only,
                expires_at,
            }),
        }
    }
}

impl From<&Till> for TillView {
    fn from(till: &Till) -> Self {
        Self {
            id: till.id.clone(),
            name: till.name.clone(),
            retail_store_id: till.retail_store_id.clone(),
            retail_store_name: till.retail_store_name.clone(),
        }
    }
}

impl From<&User> for UserView {
    fn from(user: &User) -> Self {
        Self {
            id: user.id.clone(),
            email: user.email.clone(),
            first_name: user.first_name.clone(),
            last_name: user.last_name.clone(),
            phone_prefix: user.phone_prefix.clone(),
            phone: user.phone.clone(),
            email_verified: user.email_verified,
            mail_sign_in: !user.signs_in_by_passkey_alone,
            is_admin: user.is_appointed_admin,
        }
    }
}

impl From<&Merchant> for MerchantView {
    fn from(merchant: &Merchant) -> Self {
        Self {
            id: merchant.id.clone(),
            slug: merchant.slug.clone(),
            name: merchant.name.clone(),
            status: merchant.status.clone(),
            currency: merchant.currency,
            time_zone: merchant.time_zone.clone(),
            settlement_mode: merchant.settlement_mode.clone(),
        }
    }
}

/// The invitations to the user's address that can be accepted.
async fn open_invites(app: &App, user: &User, now: Timestamp) -> Result<Vec<InviteView>, StoreError> {
    let invites = app.store.invites_by_email(&user.email).await?;
    let views: Vec<_> = invites.into_iter().map(|invite| invite_view(app, invite.value, now)).collect();
    Ok(try_join_all(views).await?.into_iter().flatten().collect())
}

/// `None` for an invitation that cannot be accepted.
async fn invite_view(app: &App, invite: Invite, now: Timestamp) -> Result<Option<InviteView>, StoreError> {
    if app.store.status_of_invite(&invite, now).await? != InviteStatus::PendingAcceptance {
        return Ok(None);
    }
    let merchant = app.store.merchant(&invite.merchant_id).await?;
    Ok(merchant.map(|merchant| InviteView {
        challenge_id: invite.challenge_id,
        merchant_name: merchant.value.name,
        role: invite.role,
        permissions: invite.permissions.map(|listed| listed.iter().map(ToString::to_string).collect()),
        expires_at: invite.expires_at.into(),
    }))
}

/// The session after a change of its user, or of their merchant.
pub(crate) async fn view_of(app: &App, session: &Session, user: &UserId) -> Result<SessionView, General> {
    let user = app.store.user(user).await?.ok_or_else(|| General::internal("the user is gone"))?;
    let user = Person::new(user, &session.details, app.settings.administrators_by);
    let workspace = app.store.workspace(&user).await?;
    Ok(SessionView::new(app, &session.details, &user, workspace.as_ref()).await?)
}

/// The session of a token that was just issued to a user.
pub(crate) async fn view_of_token(app: &App, token: &Token) -> Result<SessionView, General> {
    let Some(SignedIn::User(signed_in)) = app.store.signed_in(token, app.settings.administrators_by, app.clock.now()).await?
    else {
        return Err(General::internal("a new session was not found"));
    };
    let SignedInUser { session, user, workspace } = *signed_in;
    Ok(SessionView::new(app, &session.details, &user, workspace.as_ref()).await?)
}

endpoint_error! {
    pub(crate) enum GetSessionError {
        /// The till was revoked or paired again in the meantime.
        TillEnded => 401 UNAUTHORIZED "Pair the till again to do this.",
    }
}

pub(crate) async fn get_session(caller: SignedIn, State(app): State<App>) -> Result<Data<SessionView>, GetSessionError> {
    Ok(Data(match caller {
        SignedIn::User(caller) => {
            let SignedInUser { session, user, workspace } = *caller;
            SessionView::new(&app, &session.details, &user, workspace.as_ref()).await?
        }
        SignedIn::Till(caller) => till_seen(&app, *caller).await?,
        SignedIn::Key(caller) => SessionView::of_key(&caller.key, &caller.merchant),
    }))
}

/// A till lives on if it is heard of, and nothing but this call counts.
async fn till_seen(app: &App, SignedInTill { till, merchant }: SignedInTill) -> Result<SessionView, GetSessionError> {
    let now = app.clock.now();
    // The device has received its token: pairing cannot be repeated any more.
    let seen = |token| TillToken { last_seen_at: now, attempt: None, ..token };
    let token = till.token.clone().map(seen).ok_or(GetSessionError::TillEnded)?;
    let seen = Till { token: Some(token.clone()), ..till.value.clone() };
    let hash = token.hash.clone();
    app.store
        .update(till, |till| {
            if till.token.as_ref().is_none_or(|known| known.hash != hash) {
                return Err(GetSessionError::TillEnded);
            }
            Ok((Some(Till { token: Some(token.clone()), ..till.clone() }.into()), ()))
        })
        .await?;
    Ok(SessionView::of_till(&seen, &token, &merchant))
}

pub(crate) fn describe() -> Description {
    Description::new("getSession", "Get the session", "Returns who is signed in, their merchant, and what they may do.")
        .success("The session.", example())
}

pub(crate) fn example() -> Value {
    json!({
        "user": {
            "id": examples::OWNER, "email": "anna@example.com", "firstName": "Anna", "lastName": "Berg", "phonePrefix": "+46",
            "phone": "700000000", "emailVerified": true, "mailSignIn": true, "isAdmin": false,
        },
        "merchant": {
            "id": examples::MERCHANT, "slug": "aurora-coffee", "name": "Aurora Coffee", "status": "ACTIVE",
            "currency": "SEK", "timeZone": "Europe/Stockholm", "settlementMode": "SETTLEMENT_ON_REDEMPTION",
        },
        "role": "ADMIN",
        "permissions": Permission::ALL.map(Permission::name),
        "signedInWith": "CODE",
        "signedInAt": "2026-01-05T10:00:00.000Z",
        "expiresAt": "2026-01-05T22:00:00.000Z",
        "invites": [],
        "till": null,
        "key": null,
    })
}
