//! What the fixtures document has no fields for: tills, who made the invitations, payouts, and the audit trail of the platform's
//! administration.
//!
//! Platform administrators send requests to the administration, and jobs run, on clocks that show the past. So the rows are
//! those that the functions write.

use std::collections::BTreeMap;

use axum::body::{Body, to_bytes};
use http::{Method, Request};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use lambda_http::RequestExt;
use serde_json::{Value, json};
use shared::app::App;
use shared::base::clock::Clock;
use shared::base::invocation::Invocation;
use shared::base::random::Random;
use shared::base::settings::{SettingError, Settings};
use shared::db::{CommitError, Job, StoreError, Task, Write};
use shared::payouts::{PayoutFilter, PayoutRun, PayoutStatus};
use shared::settlements::rows::PendingList;
use shared::team::model::team::{Invite, SignInMethod};
use shared::team::model::till::{Till, TillToken};
use shared::team::rows::sessions::Token;
use shared::values::{ChallengeId, JobId, MerchantId, SettlementId, TillId, UserId, later};
use thiserror::Error;
use tower::ServiceExt;

use super::{ADMIN, PLATFORM_ADMIN, SECOND_PLATFORM_ADMIN, SESSION_SECRET, SHOPS, merchant};

/// Hours before now at which the first payout was started, and at which it was confirmed.
const FIRST_PAYOUT: i64 = 14 * 24;
const CONFIRMATION: i64 = 13 * 24;
/// Hours before now at which the second payout was started, which waits for its confirmation.
const SECOND_PAYOUT: i64 = 20;
/// Settlements wait so many days for these payouts.
pub(super) const UNPAID_DAYS: i64 = 28;
/// Idempotency keys, from which the ids of runs and payouts follow.
const FIRST_RUN: &str = "demo-first";
const SECOND_RUN: &str = "demo-second";

#[derive(Debug, Error)]
pub enum DemoError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    Settings(#[from] SettingError),
    #[error("{request} of the demo was answered with {status}: {body}")]
    Refused { request: String, status: u16, body: Value },
}

/// Adds the accounts of the demo, unless they were added before.
pub(crate) async fn add(environment: &BTreeMap<&'static str, String>, now: Timestamp) -> Result<(), DemoError> {
    let demo = Demo { environment, now };
    let app = demo.app(0)?;
    if app.store.payout_run(&PayoutRun::id_of(SECOND_RUN)).await?.is_some() {
        return Ok(());
    }
    demo.fetch_logos(&app).await?;
    demo.add_tills(&app).await?;
    demo.sign_invitations(&app).await?;
    demo.administer().await?;
    demo.pay_out().await
}

struct Demo<'a> {
    environment: &'a BTreeMap<&'static str, String>,
    now: Timestamp,
}

impl Demo<'_> {
    fn hours_ago(&self, hours: i64) -> Timestamp {
        later(self.now, SignedDuration::from_hours(-hours))
    }

    /// An instance whose clock shows a time in the past. Payouts are made at once.
    fn app(&self, hours_ago: i64) -> Result<App, DemoError> {
        let at = self.hours_ago(hours_ago);
        let settings = Settings::read(|name| match name {
            "AWS_LAMBDA_FUNCTION_NAME" => Some("local".to_owned()),
            "PAYOUT_SETTLEMENTS_PER_SECOND" => Some("0".to_owned()),
            name => self.environment.get(name).cloned(),
        })?;
        Ok(App::new(settings, Clock::new(move || at), Random::system()))
    }

    /// Asks the card network for logos, as the first sign-in of a merchant would.
    async fn fetch_logos(&self, app: &App) -> Result<(), DemoError> {
        for (merchant, _) in SHOPS {
            let id = JobId::new(format!("logo-{merchant}"));
            let job = Job::with_id(id, MerchantId::new(merchant), Task::FetchLogo, self.now);
            app.store.commit_if_possible(vec![Write::create(&job)?]).await?;
        }
        self.run_jobs(0).await
    }

    /// Two paired tills. Their tokens are the same in every run.
    async fn add_tills(&self, app: &App) -> Result<(), DemoError> {
        for (id, name, store, store_name, paired, seen) in [
            ("till-main-street", "Counter", "main", "Main street", 40 * 24, 3),
            ("till-old-town", "Old town", "old-town", "Old town", 12 * 24, 9),
        ] {
            let till = Till {
                id: TillId::new(id),
                merchant_id: MerchantId::new(merchant::AURORA),
                name: name.to_owned(),
                retail_store_id: store.to_owned(),
                retail_store_name: Some(store_name.to_owned()),
                created_at: self.hours_ago(paired),
                created_by: UserId::new(ADMIN),
                pairing: None,
                token: None,
                revoked_at: None,
            };
            let token = TillToken {
                hash: Token::issue_to_till(SESSION_SECRET, &till).hash(),
                paired_at: self.hours_ago(paired),
                last_seen_at: self.hours_ago(seen),
                attempt: None,
            };
            let paired = Till { token: Some(token), ..till };
            app.store.commit_if_possible(vec![Write::create(&paired)?]).await?;
        }
        Ok(())
    }

    /// The administrator of Aurora made its invitations. Without a maker, they could not be confirmed or accepted.
    async fn sign_invitations(&self, app: &App) -> Result<(), DemoError> {
        let merchant = MerchantId::new(merchant::AURORA);
        for id in ["ch-1", "ch-2"] {
            let Some(invite) = app.store.invite(&merchant, &ChallengeId::new(id)).await? else { continue };
            let created_at = invite.verified_at.unwrap_or(self.now);
            let Some(member) = app.store.membership(&merchant, &UserId::new(ADMIN)).await? else { continue };
            let made = Invite { made_by: Some(member.maker()), created_at: Some(created_at), ..invite.value.clone() };
            app.store.commit(vec![Write::replace(&invite, &made)?]).await?;
        }
        Ok(())
    }

    /// What administrators did besides payouts: the audit trail has it.
    async fn administer(&self) -> Result<(), DemoError> {
        let root = PLATFORM_ADMIN;
        let aurora = format!("/api/admin/merchants/{}", merchant::AURORA);
        self.request(24 * 24, root, Method::GET, &aurora, None, &Value::Null).await?;
        let limit = json!({"maxSaleMinor": 500_000, "reason": "No larger sale without a call, as agreed"});
        let linden = format!("/api/admin/merchants/{}", merchant::LINDEN);
        self.request(23 * 24, root, Method::PATCH, &linden, None, &limit).await?;
        let Some(settlement) = self.first_pending_settlement().await? else { return Ok(()) };
        let settlement = format!("/api/admin/settlements/{}/{settlement}", merchant::AURORA);
        for (hours_ago, by, held, reason) in [
            (16 * 24, root, true, "The cardholder disputes the redemption"),
            (15 * 24, SECOND_PLATFORM_ADMIN, false, "The dispute was withdrawn"),
        ] {
            let body = json!({"held": held, "reason": reason});
            self.request(hours_ago, by, Method::PATCH, &settlement, None, &body).await?;
        }
        Ok(())
    }

    async fn first_pending_settlement(&self) -> Result<Option<SettlementId>, DemoError> {
        let (app, aurora) = (self.app(0)?, MerchantId::new(merchant::AURORA));
        let kinds = app.store.kinds_of_pending(&aurora, PendingList::Payable).await?;
        let Some(kind) = kinds.first() else { return Ok(None) };
        let first = app.store.next_payable(&aurora, *kind, Timestamp::UNIX_EPOCH).await?;
        Ok(first.map(|first| first.settlement_id))
    }

    /// A payout that was paid, and one that waits for another administrator than the one who started it.
    async fn pay_out(&self) -> Result<(), DemoError> {
        let payouts = "/api/admin/payouts";
        let aurora = json!({"merchantId": merchant::AURORA});
        self.request(FIRST_PAYOUT, PLATFORM_ADMIN, Method::POST, payouts, Some(FIRST_RUN), &aurora).await?;
        self.run_jobs(FIRST_PAYOUT).await?;
        let in_batch = PayoutFilter { status: Some(PayoutStatus::InBatch), ..PayoutFilter::default() };
        let made = self.app(0)?.store.payouts(&in_batch, None, 1).await?.payouts;
        for payout in made {
            let path = format!("{payouts}/{}", payout.id);
            let day = self.hours_ago(CONFIRMATION).to_zoned(TimeZone::UTC).date();
            let paid = json!({"status": "PAID", "reference": format!("SEPA {day}")});
            self.request(CONFIRMATION, SECOND_PLATFORM_ADMIN, Method::PATCH, &path, None, &paid).await?;
        }
        self.run_jobs(CONFIRMATION).await?;
        let all = json!({});
        self.request(SECOND_PAYOUT, PLATFORM_ADMIN, Method::POST, payouts, Some(SECOND_RUN), &all).await?;
        self.run_jobs(SECOND_PAYOUT).await
    }

    /// Sends a request to the administration, with a session of its own.
    async fn request(
        &self,
        hours_ago: i64,
        by: &str,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: &Value,
    ) -> Result<(), DemoError> {
        let app = self.app(hours_ago)?;
        let Some(user) = app.store.user(&UserId::new(by)).await? else { return Ok(()) };
        let token = app.store.open_session(&user, app.random.bytes(), SignInMethod::Passkey, app.clock.now()).await?;
        let request = Request::builder()
            .method(method.clone())
            .uri(path)
            .header("authorization", format!("Bearer {}", token.expose()))
            .header("content-type", "application/json")
            .header("idempotency-key", key.unwrap_or("none"));
        let refused = |status: u16, body: Value| DemoError::Refused { request: format!("{method} {path}"), status, body };
        let request = request.body(Body::from(body.to_string())).map_err(|error| refused(0, json!(error.to_string())))?;
        let router = administration::routes().into_router(app.clone());
        let Ok(response) = router.oneshot(request.with_raw_http_path(path)).await;
        app.store.end_session(&token).await?;
        if response.status().is_success() {
            return Ok(());
        }
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap_or_default();
        Err(refused(status, serde_json::from_slice(&body).unwrap_or_default()))
    }

    /// Runs the jobs of payouts and logos until none is left. Jobs of other kinds are left to the workers.
    async fn run_jobs(&self, hours_ago: i64) -> Result<(), DemoError> {
        const MAX_JOBS: u16 = 100;
        let app = self.app(hours_ago)?;
        let is_of_demo = |task: &Task| matches!(task, Task::FetchLogo | Task::RunPayouts { .. } | Task::AdvancePayout { .. });
        loop {
            let mut due = app.store.due_jobs(app.clock.now(), MAX_JOBS).await?;
            due.retain(|job| is_of_demo(&job.task));
            if due.is_empty() {
                return Ok(());
            }
            for job in due {
                let invocation = Invocation::new(&app.clock, app.random.uuid(app.clock.now()).to_string());
                jobs::run(&app, &invocation, job).await?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Local, Options};

    async fn payouts(local: &Local) -> Vec<(String, i64, u64, Option<String>)> {
        let page = local.app().store.payouts(&PayoutFilter::default(), None, 10).await.unwrap();
        let shown = page.payouts.into_iter().map(|payout| {
            (payout.status().to_string(), payout.net().get(), payout.count(), payout.decided().by.map(ToString::to_string))
        });
        shown.collect()
    }

    #[tokio::test]
    async fn administrators_have_a_view_worth_seeing_whenever_the_demo_starts() {
        // After a quiet new year, around a change to summer time, and on a leap day.
        for time in ["2026-01-04T00:00:30Z", "2026-03-29T01:30:00Z", "2028-02-29T23:59:59Z"] {
            let now: Timestamp = time.parse().unwrap();
            let local = Local::start(Options { clock: Clock::new(move || now), ..Options::default() });
            let local = local.await.unwrap();
            let made = payouts(&local).await;
            let [second, first] = &made[..] else { panic!("{time}: {made:?}") };
            assert_eq!((second.0.as_str(), &second.3), ("IN_BATCH", &None), "{time}");
            assert_eq!((first.0.as_str(), first.3.as_deref()), ("PAID", Some(SECOND_PLATFORM_ADMIN)), "{time}");
            assert!(made.iter().all(|(_, net, count, _)| *net > 0 && *count > 1), "{time}: {made:?}");

            let (store, aurora) = (&local.app().store, MerchantId::new(merchant::AURORA));
            let trail = store.latest_audit_entries(&aurora, 10).await.unwrap();
            let actions: Vec<String> = trail.iter().map(|entry| entry.action.to_string()).collect();
            let expected = ["PAYOUT_PAID", "PAYOUT_RUN_STARTED", "SETTLEMENT_RELEASED", "SETTLEMENT_HELD", "MERCHANT_READ"];
            assert_eq!(actions, expected, "{time}");
            let tills = store.tills(&aurora).await.unwrap();
            assert!(tills.len() == 2 && tills.iter().all(|till| till.valid_token(now).is_some()), "{time}");

            add(&local.environment, now).await.unwrap();
            assert_eq!(payouts(&local).await, made, "{time}: added again");
        }
    }
}
