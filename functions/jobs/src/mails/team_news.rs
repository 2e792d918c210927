//! Tells the administrators of a merchant who joined or left the team, who became an administrator, which till was paired, what has
//! become of a key, and where webhooks are sent.

use jiff::Timestamp;
use shared::app::App;
use shared::db::{Job, KeyNews, News, Task};
use shared::keys::model::key::ApiKey;
use shared::merchants::model::merchant::Merchant;
use shared::values::{MerchantId, UserId};
use shared::webhooks::model::DisabledBecause;

use super::letter::{Letter, Line};
use super::member;
use super::words::{Words, in_subject, isolated};
use crate::outcome::Failure;

/// A transaction creates the mails of all administrators at once.
const MAX_RECIPIENTS: usize = 90;

/// The jobs that mail the administrators, but not whom the news are about.
pub(crate) async fn mails(app: &App, merchant: &MerchantId, news: &News, at: Timestamp) -> Result<Vec<Job>, Failure> {
    if app.store.merchant(merchant).await?.is_none() {
        return Ok(Vec::new());
    }
    let team = app.store.team(merchant).await?;
    let recipients = team.administrators().map(|member| &member.user_id);
    let recipients = recipients.filter(|user| subject(news) != Some(user)).take(MAX_RECIPIENTS);
    let mail = |recipient: &UserId| {
        let task = Task::TeamNewsMail { recipient: recipient.clone(), news: news.clone(), at };
        Job::new(merchant.clone(), task, app.clock.now(), &app.random)
    };
    Ok(recipients.map(mail).collect())
}

/// Whom the news are about.
fn subject(news: &News) -> Option<&UserId> {
    match news {
        News::MemberJoined { user_id }
        | News::MemberLeft { user_id }
        | News::MemberRemoved { user_id }
        | News::BecameAdministrator { user_id } => Some(user_id),
        News::TillPaired { .. }
        | News::Key { .. }
        | News::WebhookSet { .. }
        | News::WebhookDeleted { .. }
        | News::WebhookDisabled { .. } => None,
    }
}

pub(crate) async fn send(
    app: &App,
    merchant: &MerchantId,
    recipient: &UserId,
    news: &News,
    at: Timestamp,
) -> Result<(), Failure> {
    let Some((merchant, recipient)) = member(app, merchant, recipient).await? else { return Ok(()) };
    let words = Words::of(&recipient);
    let Some(told) = (Mail { app, merchant: &merchant, words, at }).of(news).await? else { return Ok(()) };
    let letter = Letter {
        words,
        subject: words.with(told.subject, &[("shop", &in_subject(&merchant.name))]),
        greeting: words.greeting(&recipient.first_name),
        before: told.what_happened.into_iter().map(Into::into).collect(),
        stands_out: Some(told.page.link(app, words)),
        after: vec![words.text(told.what_to_do)],
    };
    letter.send(app, &recipient.email).await
}

/// What a mail says. The subject and what to do are ids of messages.
struct Told {
    subject: &'static str,
    what_happened: Vec<String>,
    page: Page,
    what_to_do: &'static str,
}

impl Told {
    fn new(page: Page, subject: &'static str, what_happened: String, what_to_do: &'static str) -> Self {
        Self { subject, what_happened: vec![what_happened], page, what_to_do }
    }
}

/// The page of the dashboard where something can be done about it.
#[derive(Clone, Copy)]
enum Page {
    Team,
    Tills,
    Keys,
    Webhooks,
}

impl Page {
    fn link(self, app: &App, words: Words) -> Line {
        let (text, path) = match self {
            Self::Team => ("team-open", "/team"),
            Self::Tills => ("till-open", "/stores"),
            Self::Keys => ("key-open", "/developers"),
            Self::Webhooks => ("webhook-open", "/developers"),
        };
        Line::Link { text: words.text(text), url: format!("{}{path}", app.settings.dashboard_base_url) }
    }
}

struct Mail<'a> {
    app: &'a App,
    merchant: &'a Merchant,
    words: Words,
    at: Timestamp,
}

impl Mail<'_> {
    /// `None` if what the news are about is gone.
    async fn of(&self, news: &News) -> Result<Option<Told>, Failure> {
        let store = &self.app.store;
        match news {
            News::MemberJoined { user_id } => self.of_person(user_id, "joined-subject", "joined", "joined-unexpected").await,
            News::MemberLeft { user_id } => self.of_person(user_id, "left-subject", "left", "team-unexpected").await,
            News::MemberRemoved { user_id } => self.of_person(user_id, "removed-subject", "removed", "team-unexpected").await,
            News::BecameAdministrator { user_id } => {
                self.of_person(user_id, "administrator-subject", "administrator", "team-unexpected").await
            }
            News::TillPaired { till_id } => {
                let till = store.till(&self.merchant.id, till_id).await?.filter(|till| till.token.is_some());
                Ok(till.map(|till| {
                    let names = [("till", &*isolated(&till.name)), ("store", &isolated(&till.retail_store_id))];
                    Told::new(Page::Tills, "till-subject", self.text(self.at, "till-text", &names), "till-unexpected")
                }))
            }
            News::Key { key_id, what } => {
                let key = store.api_key(&self.merchant.id, key_id).await?;
                Ok(key.and_then(|key| self.of_key(&key, what)))
            }
            News::WebhookSet { endpoint_id } => {
                let endpoint = store.webhook_endpoint(&self.merchant.id, endpoint_id).await?;
                let Some(endpoint) = endpoint.filter(|endpoint| !endpoint.is_deleted()) else { return Ok(None) };
                let person = self.words.person(store.user(&endpoint.set_by).await?.as_deref());
                let events: Vec<String> = endpoint.events.iter().map(ToString::to_string).collect();
                let (host, events) = (isolated(endpoint.host()), events.join(", "));
                let names = [("person", &*person), ("host", &host), ("events", &events)];
                let text = self.text(endpoint.set_at, "webhook-set", &names);
                Ok(Some(Told::new(Page::Webhooks, "webhook-set-subject", text, "webhook-set-unexpected")))
            }
            News::WebhookDeleted { user_id, host } => {
                let person = self.words.person(store.user(user_id).await?.as_deref());
                let text = self.text(self.at, "webhook-deleted", &[("person", &person), ("host", &isolated(host))]);
                Ok(Some(Told::new(Page::Webhooks, "webhook-deleted-subject", text, "team-unexpected")))
            }
            News::WebhookDisabled { host, because } => {
                let why = if *because == DisabledBecause::Gone { "webhook-gone" } else { "webhook-failing" };
                let text = self.text(self.at, why, &[("host", &isolated(host))]);
                Ok(Some(Told::new(Page::Webhooks, "webhook-disabled-subject", text, "webhook-enable")))
            }
        }
    }

    async fn of_person(
        &self,
        user: &UserId,
        subject: &'static str,
        what_happened: &str,
        what_to_do: &'static str,
    ) -> Result<Option<Told>, Failure> {
        let Some(user) = self.app.store.user(user).await? else { return Ok(None) };
        let names = [("person", &*isolated(&user.display_name())), ("email", &isolated(&user.email))];
        Ok(Some(Told::new(Page::Team, subject, self.text(self.at, what_happened, &names), what_to_do)))
    }

    /// `None` for a warning of an end that has changed or has come.
    fn of_key(&self, key: &ApiKey, what: &KeyNews) -> Option<Told> {
        let end = key.end().at;
        let names = [("key", &*isolated(&key.name)), ("person", &isolated(&key.created_by.name))];
        let (subject, what_happened, what_to_do) = match what {
            KeyNews::Made => ("key-created-subject", self.text(self.at, "key-created", &names), "key-unexpected"),
            KeyNews::Rotated => ("key-rotated-subject", self.text(self.at, "key-rotated", &names), "key-unexpected"),
            KeyNews::Ending { at } | KeyNews::Expiring { at } if end != *at || end <= self.app.clock.now() => return None,
            KeyNews::Ending { .. } => ("key-ending-subject", self.text(end, "key-ending", &names), "key-rotate"),
            KeyNews::Expiring { .. } => ("key-expiring-subject", self.text(end, "key-expiring", &names), "key-rotate"),
            KeyNews::Revoked => ("key-revoked-subject", self.text(self.at, "key-revoked", &names), "key-replace"),
        };
        let mut told = Told::new(Page::Keys, subject, what_happened, what_to_do);
        if matches!(what, KeyNews::Made | KeyNews::Rotated) {
            let permissions: Vec<String> = key.permissions.iter().map(ToString::to_string).collect();
            let may = if key.read_only { "key-reads" } else { "key-writes" };
            told.what_happened.push(self.words.at(key.expires_at, may, &[("permissions", &permissions.join(", "))]));
        }
        Some(told)
    }

    /// A message that also has the name of the merchant, and the day and the time of something.
    fn text(&self, at: Timestamp, id: &str, names: &[(&str, &str)]) -> String {
        self.words.at(at, id, &[names, &[("shop", &isolated(&self.merchant.name))]].concat())
    }
}
