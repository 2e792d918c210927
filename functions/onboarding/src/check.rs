//! `POST /api/public/merchant/onboarding-check`: returns the onboarding status of an account, without a
//! session.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::aws::mail::is_address;
use shared::db::counters::Caller;
use shared::endpoint_error;
use shared::http::{ClientAddress, Data, Description, Invalid, JsonBody, Public};
use shared::limits;
use shared::limits::model::{ONBOARDING_CHECKS_OF_ADDRESS, ONBOARDING_CHECKS_OF_CLIENT, RateLimit, UsedUp};
use shared::merchants::model::merchant::MerchantStatus;
use shared::team::rows::team::Account;
use shared::values::OpenEnum;
use utoipa::ToSchema;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct OnboardingCheck {
    /// The address to look up.
    #[schema(required = true, nullable = false, format = "email")]
    email: Option<String>,
}

#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum OnboardingStatus {
    Known(KnownAccount),
    Unknown(UnknownAccount),
}

#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OnboardingKnown)]
pub(crate) struct KnownAccount {
    /// `true`: the address has an account.
    recognized: bool,
    /// Whether the merchant of the account is `ACTIVE`.
    activated: bool,
    /// The status of the merchant. Null if the account has no merchant.
    #[schema(value_type = Option<MerchantStatus>)]
    merchant_status: Option<OpenEnum<MerchantStatus>>,
    /// The status in sentences, to show to the user.
    summary: Summary,
}

#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)] // keeps its schema from matching a known account
#[schema(as = OnboardingUnknown)]
pub(crate) struct UnknownAccount {
    /// `false`: the address has no account.
    recognized: bool,
    /// What that means, in sentences, to show to the user.
    summary: Summary,
}

/// Sentences to show to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OnboardingSummary)]
pub(crate) struct Summary {
    /// What the status means.
    text: &'static str,
    /// What the user can do next.
    next_step: &'static str,
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getOnboardingStatus",
        "Get the onboarding status",
        "Returns the onboarding status of the account with this email address. Allows 5 requests per email address and \
         20 per client in any 10 minutes.",
    )
    .body::<OnboardingCheck>(json!({"email": "anna@example.com"}))
    .success(
        "The onboarding status.",
        json!({
            "recognized": true,
            "activated": false,
            "merchantStatus": "SUBMITTED",
            "summary": summary(MerchantStatus::Submitted),
        }),
    )
}

endpoint_error! {
    pub(crate) enum GetOnboardingStatusError {
        /// The email address is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "email: must be a valid e-mail address.",
        /// Too many requests.
        TooManyRequests(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "Too many requests. Please try again later.",
    }
}

/// Known and unknown email addresses take the same lookups.
pub(crate) async fn get_onboarding_status(
    _: Public,
    State(app): State<App>,
    address: ClientAddress,
    JsonBody(body): JsonBody<OnboardingCheck>,
) -> Result<Data<OnboardingStatus>, GetOnboardingStatusError> {
    let email = valid_email(body)?;
    check_rate_limits(&app, address, &email).await?;
    let account = app.store.account_by_email(&email).await?;
    Ok(Data(OnboardingStatus::new(account.as_ref())))
}

fn valid_email(body: OnboardingCheck) -> Result<String, Invalid> {
    let email = body.email.ok_or_else(|| Invalid::new("email: is missing."))?;
    let email = email.trim();
    if !is_address(email) {
        return Err(Invalid::new("email: must be a valid e-mail address."));
    }
    Ok(email.to_owned())
}

async fn check_rate_limits(
    app: &App,
    ClientAddress(address): ClientAddress,
    email: &str,
) -> Result<(), GetOnboardingStatusError> {
    let max_requests = app.settings.onboarding_checks;
    let limits = [
        (RateLimit { max: max_requests.per_address, ..ONBOARDING_CHECKS_OF_CLIENT }, Caller::Address(address)),
        (RateLimit { max: max_requests.per_email, ..ONBOARDING_CHECKS_OF_ADDRESS }, Caller::Email(email)),
    ];
    limits::count(app, &limits).await
}

impl OnboardingStatus {
    fn new(account: Option<&Account>) -> Self {
        let Some(account) = account else {
            return Self::Unknown(UnknownAccount { recognized: false, summary: NOT_RECOGNIZED });
        };
        let merchant_status = account.merchant.as_ref().map(|merchant| merchant.status.clone());
        let summary = merchant_status.as_ref().map_or(NO_MERCHANT, |status| match status {
            OpenEnum::Known(status) => summary(*status),
            OpenEnum::Unknown(_) => UNKNOWN_STATUS,
        });
        Self::Known(KnownAccount {
            recognized: true,
            activated: merchant_status.as_ref().is_some_and(|status| *status == MerchantStatus::Active),
            merchant_status,
            summary,
        })
    }
}

const NOT_RECOGNIZED: Summary = Summary {
    text: "There is no account with this e-mail address yet.",
    next_step: "Check the spelling. If you were invited, open the link in the invitation; otherwise, sign in to start a new \
                application.",
};

/// Also for platform administrators: a public endpoint must not reveal their privileges.
const NO_MERCHANT: Summary = Summary {
    text: "Your account does not belong to a company yet.",
    next_step: "Sign in to accept an invitation, or to start an application for your company.",
};

/// For a status that only a newer release knows.
const UNKNOWN_STATUS: Summary = Summary { text: "We have received your application.", next_step: "Sign in to see its status." };

fn summary(status: MerchantStatus) -> Summary {
    let (text, next_step) = match status {
        MerchantStatus::Draft => {
            ("You have started your application but not sent it yet.", "Sign in, fill in what is missing and send it.")
        }
        MerchantStatus::Submitted => {
            ("We have received your application.", "Follow the link in our e-mail to verify your company.")
        }
        MerchantStatus::WaitingForInfo => {
            ("We need more details from you before we can continue.", "Sign in, complete your application and send it again.")
        }
        MerchantStatus::KybInProgress => (
            "Your company is being verified.",
            "Complete the verification if you have not done so yet. Otherwise, no action is needed.",
        ),
        MerchantStatus::DecisionPending => (
            "Your company has been verified, and we are looking at your application.",
            "No action is needed. We will notify you of our decision.",
        ),
        MerchantStatus::Active => ("Your account is open and ready to use.", "Sign in to the portal."),
        MerchantStatus::Inactive => ("Your account is closed at the moment.", "Contact us to reopen it."),
        MerchantStatus::Suspended => ("Your account is on hold.", "Contact us to learn why and what you can do."),
        MerchantStatus::Declined => ("We could not accept your application.", "Contact us if you think this is a mistake."),
    };
    Summary { text, next_step }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ALL_STATUSES: [MerchantStatus; 9] = [
        MerchantStatus::Draft,
        MerchantStatus::Submitted,
        MerchantStatus::WaitingForInfo,
        MerchantStatus::KybInProgress,
        MerchantStatus::DecisionPending,
        MerchantStatus::Active,
        MerchantStatus::Inactive,
        MerchantStatus::Suspended,
        MerchantStatus::Declined,
    ];

    #[test]
    fn every_status_has_its_own_summary_without_the_code() {
        let summaries = ALL_STATUSES.map(summary);
        for (status, summary) in ALL_STATUSES.into_iter().zip(summaries) {
            let code = json!(status).to_string().trim_matches('"').to_lowercase();
            for sentence in [summary.text, summary.next_step] {
                let words = sentence.to_lowercase();
                assert!(!words.contains(&code) && !sentence.contains('_'), "{status:?}: {sentence}");
                assert!(sentence.ends_with('.'), "{sentence}");
            }
            assert_eq!(summaries.iter().filter(|other| **other == summary).count(), 1, "{status:?}");
        }
    }
}
