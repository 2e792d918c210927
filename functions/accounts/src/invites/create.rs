//! `POST /api/auth/invites`: begins an invitation. Whoever invites confirms it with a mailed code.

use axum::extract::State;
use http::HeaderMap;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::app::App;
use shared::db::counters::{Caller, Reservation};
use shared::db::{Stored, Task, Write};
use shared::endpoint_error;
use shared::http::{
    AuthorizedPerson, CREATION_KEY_TEXT, Created, CreationKey, CreationKeyError, CreationRequest, Description, Invalid,
    KEY_HEADER, Made, Once, UtcTime, non_null_enum, permission,
};
use shared::limits;
use shared::limits::model::{INVITE_CODES, INVITE_MAILS, INVITE_MAILS_OF_NEW, INVITES, UsedUp};
use shared::merchants::model::activity::{ActivityAction, Actor, Deed};
use shared::merchants::model::merchant::{Merchant, MerchantStatus};
use shared::team::model::challenge::ChallengePurpose;
use shared::team::model::team::{Invite, InviteStatus, Permission, Role, User, fold_email};
use shared::team::rows::team::Team;
use shared::team::view::powers;
use shared::values::{ChallengeId, MerchantId, later};
use utoipa::ToSchema;

use crate::email::EmailAddress;
use crate::person::{PersonName, phone_number, phone_prefix};
use crate::session::request_code::new_challenge;

/// How long an invitation can be accepted.
pub(crate) const LIFETIME: SignedDuration = SignedDuration::from_hours(7 * 24);

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewInvite {
    /// The address to invite. Only a user who signs in with it can accept.
    email: EmailAddress,
    /// First name, without `://` and invisible characters. Kept only if the invited user has none.
    first_name: PersonName,
    /// Last name, without `://` and invisible characters. Kept only if the invited user has none.
    last_name: PersonName,
    /// Country calling code: a plus sign and one to four digits.
    #[schema(required = false)]
    phone_prefix: Option<String>,
    /// Phone number without the country calling code: at most 20 digits, spaces and dashes.
    #[schema(required = false)]
    phone: Option<String>,
    /// The role to give. Either this or `permissions` is required.
    #[serde(default, deserialize_with = "non_null_enum")]
    #[schema(required = false, nullable = false, value_type = Role)]
    merchant_team_role: Option<Role>,
    /// The names of permissions to give instead of a role; at least one.
    #[schema(required = false, value_type = Option<Vec<String>>, nullable = false, min_items = 1)]
    permissions: Option<Vec<Permission>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Invitation)]
pub(crate) struct InviteView {
    /// The id of the invitation.
    challenge_id: ChallengeId,
    /// `Pending your verification`, then `Invited, pending acceptance`; `Verification expired` or `Invitation expired` once the
    /// time is up, or its creator has left the team or changed role.
    status: &'static str,
    /// When the code that confirms the invitation expires: 10 minutes after it was made.
    verification_expires_at: UtcTime,
    /// When the invitation expires: 7 days after it was made, confirmed or last sent.
    expires_at: UtcTime,
}

impl InviteView {
    pub(crate) fn new(invite: &Invite, status: InviteStatus) -> Self {
        Self {
            challenge_id: invite.challenge_id.clone(),
            status: status.label(),
            verification_expires_at: invite.verification_expires_at.into(),
            expires_at: invite.expires_at.into(),
        }
    }

    pub(crate) fn example(status: &str) -> Value {
        json!({
            "challengeId": "5f0c6f7c4b1d4c0f9a3d2e1b0a998877", "status": status,
            "verificationExpiresAt": "2026-01-05T10:10:00.000Z", "expiresAt": "2026-01-12T10:00:00.000Z",
        })
    }
}

impl NewInvite {
    fn invite(self, merchant: &MerchantId, id: ChallengeId, now: Timestamp) -> Result<Invite, Invalid> {
        let powers = powers(self.merchant_team_role, self.permissions.as_deref())?;
        let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        Ok(Invite {
            challenge_id: id,
            merchant_id: merchant.clone(),
            email: self.email.into_string(),
            first_name: self.first_name.into_string(),
            last_name: self.last_name.into_string(),
            phone_prefix: given(self.phone_prefix).as_deref().map(phone_prefix).transpose()?,
            phone: given(self.phone).as_deref().map(phone_number).transpose()?,
            role: powers.role,
            permissions: powers.permissions,
            made_by: None,
            created_at: Some(now),
            verified_at: None,
            verification_expires_at: later(now, shared::team::model::challenge::LIFETIME),
            expires_at: later(now, LIFETIME),
        })
    }
}

endpoint_error! {
    pub(crate) enum CreateInviteError {
        /// A field is invalid, or not exactly one of `merchantTeamRole` and `permissions` is given.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST
            "merchantTeamRole, permissions: exactly one of them must be given.",
        /// The caller does not have what they would grant.
        NotHeld => 403 FORBIDDEN "You can only grant roles and permissions that you have yourself.",
        /// The address belongs to a member.
        AlreadyMember => 409 ALREADY_MEMBER "The owner of this address is already a member of your team.",
        /// The address has already been invited.
        AlreadyInvited => 409 ALREADY_INVITED "This address has already been invited.",
        Closed(#[from] MerchantClosed),
        CodeLimit(#[from] CodeLimit),
        /// The caller has invited 10 people within a day, or all members of the merchant together 20.
        TooManyInvites(UsedUp) => 429 TOO_MANY_REQUESTS
            "You have reached your limit of 10 invitations a day. Please try again in 12 hours.",
        Key(#[from] CreationKeyError),
    }
}

endpoint_error! {
    pub(crate) enum MerchantClosed {
        /// The merchant is closed.
        Closed => 409 MERCHANT_INACTIVE "A closed merchant cannot invite anybody.",
    }
}

endpoint_error! {
    pub(crate) enum CodeLimit {
        /// Too many codes were mailed to the caller.
        TooManyCodes(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "Too many codes were requested. Please try again later.",
    }
}

endpoint_error! {
    pub(crate) enum MailLimit {
        /// Too many invitations were mailed to the address.
        TooManyMails(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "Too many invitations were mailed to this address. Please try again later.",
    }
}

pub(crate) fn require_not_closed(merchant: &Merchant) -> Result<(), MerchantClosed> {
    if merchant.status == MerchantStatus::Inactive { Err(MerchantClosed::Closed) } else { Ok(()) }
}

/// Counts a code that confirms an invitation.
pub(crate) async fn admit_code(app: &App, maker: &User) -> Result<(), CodeLimit> {
    limits::count(app, &[(INVITE_CODES, Caller::Email(&maker.email))]).await
}

/// Reserves a mail to an invited address, which is given back if it is not sent.
pub(crate) async fn reserve_mail(app: &App, merchant: &Merchant, invited: &str) -> Result<Reservation, MailLimit> {
    let limit = if merchant.has_been_active() {
        (INVITE_MAILS, Caller::EmailOf(invited, &merchant.id))
    } else {
        (INVITE_MAILS_OF_NEW, Caller::Email(invited))
    };
    limits::reserve(app, &[limit]).await
}

pub(crate) async fn create_invite(
    caller: AuthorizedPerson<permission::TeamInvite>,
    State(app): State<App>,
    headers: HeaderMap,
    request: CreationRequest,
) -> Result<Once<Created<InviteView>>, CreateInviteError> {
    request.once(&app, "invite", caller.member(), |body, key| create(&app, &caller, &headers, body, key)).await
}

async fn create(
    app: &App,
    caller: &AuthorizedPerson<permission::TeamInvite>,
    headers: &HeaderMap,
    body: NewInvite,
    key: CreationKey,
) -> Result<Made<Created<InviteView>>, CreateInviteError> {
    let (user, merchant) = (&caller.user, &caller.merchant.id);
    let now = app.clock.now();
    let purpose = ChallengePurpose::ConfirmInvite { merchant_id: merchant.clone() };
    let challenge = new_challenge(app, purpose, user.email.clone(), headers);
    let invite = body.invite(merchant, challenge.id.clone(), now)?;
    let powers = invite.powers();
    require_not_closed(&caller.merchant)?;
    let invited = app.store.user_id_by_email(&invite.email).await?;
    let mut reserved = None;
    let mut attempts = app.store.attempts("the team");
    loop {
        let team = app.store.team(merchant).await?;
        let maker = team.giver(&user.id, &powers).ok_or(CreateInviteError::NotHeld)?;
        if invited.as_ref().is_some_and(|invited| team.member(invited).is_some()) {
            return Err(CreateInviteError::AlreadyMember);
        }
        let earlier = invites_to(&team, &invite.email);
        if earlier.iter().any(|earlier| team.status(earlier, now).is_open()) {
            return Err(CreateInviteError::AlreadyInvited);
        }
        if reserved.is_none() {
            let invites = app.store.reserve(&caller.member().within(INVITES), 1, now).await?;
            let reservation = invites.map_err(CreateInviteError::TooManyInvites)?;
            let code = admit_code(app, user).await;
            limits::give_back_refused(app, Some(reservation.clone()), code).await?;
            reserved = Some(reservation);
        }
        let invite = Invite { made_by: Some(maker.maker()), ..invite.clone() };
        let task = Task::CodeMail { challenge_id: challenge.id.clone() };
        let deed = Deed::new(ActivityAction::MemberInvited).to_target(&invite.challenge_id, &invite.email).giving(&powers);
        let mut writes = vec![
            team.counted()?,
            Write::require_unchanged(maker)?,
            Write::create(&challenge)?,
            Write::create(&invite)?,
            app.store.enqueue(merchant.clone(), task, now)?,
            app.store.record(Actor::member(user), merchant, deed, now)?,
        ];
        writes.extend(earlier.into_iter().map(Write::delete).collect::<Result<Vec<_>, _>>()?);
        let shown = InviteView::new(&invite, InviteStatus::PendingVerification);
        if let Some(made) = attempts.made(key.commit(&app.store, writes, shown).await).await? {
            return Ok(made.map(Created));
        }
    }
}

fn invites_to<'a>(team: &'a Team, email: &str) -> Vec<&'a Stored<Invite>> {
    let email = fold_email(email);
    team.invites.iter().filter(|invite| fold_email(&invite.email) == email).collect()
}

pub(crate) fn describe() -> Description {
    Description::new(
        "createInvite",
        "Invite somebody to the team",
        "Creates an invitation and e-mails a code to the caller, who confirms the invitation with it. You can only grant roles \
         and permissions that you have, and only an administrator can grant `ADMIN` or `merchant.team.invite`. The invitation \
         expires as soon as its creator leaves the team or changes role. A merchant can create 20 invitations a day, and a \
         member 10 of them.",
    )
    .header(KEY_HEADER, CREATION_KEY_TEXT)
    .body::<NewInvite>(json!({
        "email": "bo@example.com", "firstName": "Bo", "lastName": "Ek", "merchantTeamRole": "VIEWER",
    }))
    .success("The invitation, which is not confirmed yet.", InviteView::example("Pending your verification"))
}
