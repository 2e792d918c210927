//! `GET /api/auth/session`: who is signed in, where, and what they may do.

use axum::extract::State;
use futures_util::future::try_join_all;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::domain::ids::{ChallengeId, MerchantId, UserId};
use shared::domain::merchant::{Merchant, MerchantStatus};
use shared::domain::open_enum::OpenEnum;
use shared::domain::team::{Invite, Permission, Role, User};
use shared::http::access::Session;
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::reply::Data;
use shared::http::utc_time::UtcTime;
use shared::store::sessions::{self, SessionDetails, SignedIn, Token, Workspace};
use utoipa::ToSchema;

use crate::invite::Maker;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
pub(crate) struct SessionView {
    user: UserView,
    merchant: Option<MerchantView>,
    #[schema(value_type = Option<Role>)]
    role: Option<OpenEnum<Role>>,
    /// The names of the permissions. A `VIEWER` has them for reading only.
    permissions: Vec<&'static str>,
    signed_in_at: UtcTime,
    expires_at: UtcTime,
    /// Invitations that the user can accept.
    invites: Vec<InviteView>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SessionUser)]
struct UserView {
    id: UserId,
    email: String,
    first_name: String,
    last_name: String,
    phone_prefix: Option<String>,
    phone: Option<String>,
    email_verified: bool,
    /// Whether the user is a platform administrator.
    is_admin: bool,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SessionMerchant)]
struct MerchantView {
    id: MerchantId,
    slug: String,
    name: String,
    #[schema(value_type = MerchantStatus)]
    status: OpenEnum<MerchantStatus>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SessionInvite)]
struct InviteView {
    challenge_id: ChallengeId,
    merchant_name: String,
    #[schema(value_type = Option<Role>)]
    role: Option<OpenEnum<Role>>,
    /// Explicit permissions, which replace those of the role.
    permissions: Option<Vec<String>>,
    expires_at: UtcTime,
}

impl SessionView {
    pub(crate) async fn new(
        app: &App,
        session: &SessionDetails,
        user: &User,
        workspace: Option<&Workspace>,
    ) -> Result<Self, Fault> {
        let membership = workspace.map(|workspace| &workspace.membership);
        let permissions = match membership {
            _ if user.is_admin => Permission::ALL.to_vec(),
            Some(membership) => membership.held().collect(),
            None => Vec::new(),
        };
        Ok(Self {
            user: UserView::from(user),
            merchant: workspace.map(|workspace| MerchantView::from(&workspace.merchant.value)),
            role: membership.and_then(|membership| membership.role.clone()),
            permissions: permissions.into_iter().map(Permission::name).collect(),
            signed_in_at: session.signed_in_at().into(),
            expires_at: session.expires_at.into(),
            invites: open_invites(app, user, app.clock.now()).await?,
        })
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
            is_admin: user.is_admin,
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
        }
    }
}

/// The confirmed invitations to the user's address that are not over.
async fn open_invites(app: &App, user: &User, now: Timestamp) -> Result<Vec<InviteView>, Fault> {
    let invites = app.store.invites_by_email(&user.email).await?;
    let open = invites.into_iter().filter(|invite| invite.verified_at.is_some() && invite.is_open(now));
    let views: Vec<_> = open.map(|invite| invite_view(app, invite.value)).collect();
    Ok(try_join_all(views).await?.into_iter().flatten().collect())
}

/// `None` for an invitation whose maker could not make it any more.
async fn invite_view(app: &App, invite: Invite) -> Result<Option<InviteView>, Fault> {
    if let Some(maker) = &invite.made_by
        && Maker::of(app, &invite, maker).await?.is_none()
    {
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

/// The session after a change of its user's merchant.
pub(crate) async fn view_of(
    app: &App,
    session: &sessions::Session,
    user: &UserId,
) -> Result<SessionView, Fault> {
    let user = app.store.user(user).await?.ok_or_else(|| Fault::internal("the user is gone"))?;
    let workspace = app.store.workspace(&user).await?;
    SessionView::new(app, &session.details, &user, workspace.as_ref()).await
}

/// The session of a token that was just issued.
pub(crate) async fn view_of_token(app: &App, token: &Token) -> Result<SessionView, Fault> {
    let signed_in = app.store.signed_in(token, app.clock.now()).await?;
    let SignedIn { session, user, workspace } =
        signed_in.ok_or_else(|| Fault::internal("a new session was not found"))?;
    SessionView::new(app, &session.details, &user, workspace.as_ref()).await
}

pub(crate) async fn get_session(caller: Session, State(app): State<App>) -> Result<Data<SessionView>, Fault> {
    let Session { session, user, workspace } = caller;
    SessionView::new(&app, &session.details, &user, workspace.as_ref()).await.map(Data)
}

pub(crate) fn describe() -> Description {
    Description::new("Get the session", "Returns who is signed in, their merchant, and what they may do.")
        .data::<SessionView>("The session.", example())
}

pub(crate) fn example() -> Value {
    json!({
        "user": {
            "id": "u-anna", "email": "anna@example.com", "firstName": "Anna", "lastName": "Berg", "phonePrefix": "+46",
            "phone": "700000000", "emailVerified": true, "isAdmin": false,
        },
        "merchant": {"id": "m-aurora", "slug": "aurora-coffee", "name": "Aurora Coffee", "status": "ACTIVE"},
        "role": "ADMIN",
        "permissions": Permission::ALL.map(Permission::name),
        "signedInAt": "2026-01-05T10:00:00.000Z",
        "expiresAt": "2026-01-05T22:00:00.000Z",
        "invites": [],
    })
}
