//! Tells the administrators of a merchant who joined or left the team, who became an administrator, which till was paired, what has
//! become of a key, and where webhooks are sent.

use jiff::Timestamp;
use shared::app::App;
use shared::db::jobs::{Job, KeyNews, News, Task};
use shared::keys::model::key::ApiKey;
use shared::merchants::model::merchant::Merchant;
use shared::team::model::team::User;
use shared::values::ids::{MerchantId, UserId};
use shared::values::open_enum::OpenEnum;
use shared::webhooks::model::DisabledBecause;

use crate::mails::letter::{Letter, Line, date_and_time, greeting, in_subject, isolated};
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

/// Sends nothing to an administrator who has left meanwhile.
pub(crate) async fn send(
    app: &App,
    merchant: &MerchantId,
    recipient: &UserId,
    news: &News,
    at: Timestamp,
) -> Result<(), Failure> {
    let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(()) };
    let Some(recipient) = app.store.user(recipient).await? else { return Ok(()) };
    if recipient.merchant_id.as_ref() != Some(&merchant.id) {
        return Ok(());
    }
    let Some(words) = words(app, &merchant, news, at).await? else { return Ok(()) };
    let letter = Letter {
        subject: words.subject,
        greeting: greeting(&recipient.first_name),
        before: vec![words.what_happened],
        stands_out: Some(Line::Link { text: words.link, url: format!("{}{}", app.settings.dashboard_base_url, words.page) }),
        after: vec![words.what_to_do.to_owned()],
    };
    letter.send(app, &recipient.email).await
}

struct Words {
    subject: String,
    what_happened: String,
    link: &'static str,
    /// The page of the dashboard.
    page: &'static str,
    what_to_do: &'static str,
}

const REMOVE: &str = "If none of you invited this person, remove them in the dashboard.";
const REVOKE: &str = "If you do not recognize this key, revoke it in the dashboard: it stops working immediately.";
const ROTATE: &str = "If it is still needed, somebody who has these permissions can rotate it in the dashboard before then, and \
                      give the new secret to the program. Otherwise, no action is needed.";
const CHECK: &str = "If this is not as it should be, check the team and its activity in the dashboard.";

/// `None` if what it is about is gone.
async fn words(app: &App, merchant: &Merchant, news: &News, at: Timestamp) -> Result<Option<Words>, Failure> {
    let (name, at) = (isolated(&merchant.name), date_and_time(at));
    let in_subject = in_subject(&merchant.name);
    let of_person = |user: User, subject: &str, verb: &str, what_to_do: &'static str| Words {
        subject: format!("{subject} {in_subject}"),
        what_happened: format!("{} ({}) {verb} {name} on {at}.", isolated(&user.display_name()), isolated(&user.email)),
        link: "See the team",
        page: "/team",
        what_to_do,
    };
    if let News::TillPaired { till_id } = news {
        let till = app.store.till(&merchant.id, till_id).await?;
        return Ok(till.filter(|till| till.token.is_some()).map(|till| Words {
            subject: format!("A till was paired with {in_subject}"),
            what_happened: format!(
                "The till {} of store {} was paired on {at}. It can sell and redeem gift cards of {name}.",
                isolated(&till.name),
                isolated(&till.retail_store_id),
            ),
            link: "See all tills",
            page: "/stores",
            what_to_do: "If you do not recognize this till, revoke it in the dashboard: it stops working immediately.",
        }));
    }
    if let News::Key { key_id, what } = news {
        let key = app.store.api_key(&merchant.id, key_id).await?;
        return Ok(key.and_then(|key| words_of_key(&key, what, app.clock.now(), &name, &at, &in_subject)));
    }
    if let News::WebhookSet { endpoint_id } = news {
        let endpoint = app.store.webhook_endpoint(&merchant.id, endpoint_id).await?;
        let Some(endpoint) = endpoint.filter(|endpoint| !endpoint.is_deleted()) else { return Ok(None) };
        let who = name_of(app, &endpoint.set_by).await?;
        let events: Vec<String> = endpoint.events.iter().map(ToString::to_string).collect();
        return Ok(Some(Words {
            subject: format!("A webhook endpoint was set for {in_subject}"),
            what_happened: format!(
                "On {}, {who} set up {} to receive these messages of {name}, and no others: {}.",
                date_and_time(endpoint.set_at),
                isolated(endpoint.host()),
                events.join(", "),
            ),
            link: "See all endpoints",
            page: "/developers",
            what_to_do: "If you do not recognize this address, or if a message is missing, ask your developer to change or \
                         delete the endpoint.",
        }));
    }
    if let News::WebhookDeleted { user_id, host } = news {
        let who = name_of(app, user_id).await?;
        return Ok(Some(Words {
            subject: format!("A webhook endpoint was deleted for {in_subject}"),
            what_happened: format!("On {at}, {who} deleted the endpoint {}. Nothing more is sent to it.", isolated(host)),
            link: "See all endpoints",
            page: "/developers",
            what_to_do: CHECK,
        }));
    }
    if let News::WebhookDisabled { host, because } = news {
        let why = match because {
            OpenEnum::Known(DisabledBecause::Gone) => "it has responded that it wants no more messages",
            _ => "it has accepted no message for five days",
        };
        return Ok(Some(Words {
            subject: format!("Messages of {in_subject} are no longer delivered"),
            what_happened: format!("Since {at}, nothing has been sent from {name} to {}: {why}.", isolated(host)),
            link: "See all endpoints",
            page: "/developers",
            what_to_do: "New messages are kept for three days. Ask your developer to enable the endpoint once it works again.",
        }));
    }
    let Some(user) = subject(news) else { return Ok(None) };
    let Some(user) = app.store.user(user).await?.map(|user| user.value) else { return Ok(None) };
    Ok(Some(match news {
        News::MemberJoined { .. } => of_person(user, "Somebody joined the team of", "joined the team of", REMOVE),
        News::MemberLeft { .. } => of_person(user, "Somebody left the team of", "left the team of", CHECK),
        News::MemberRemoved { .. } => {
            of_person(user, "Somebody was removed from the team of", "was removed from the team of", CHECK)
        }
        News::BecameAdministrator { .. }
        | News::TillPaired { .. }
        | News::Key { .. }
        | News::WebhookSet { .. }
        | News::WebhookDeleted { .. }
        | News::WebhookDisabled { .. } => of_person(user, "There is a new administrator of", "became an administrator of", CHECK),
    }))
}

/// `None` for a warning of an end that has changed or has come.
fn words_of_key(key: &ApiKey, what: &KeyNews, now: Timestamp, name: &str, at: &str, in_subject: &str) -> Option<Words> {
    let (called, maker) = (isolated(&key.name), isolated(&key.created_by.name));
    let permissions: Vec<String> = key.permissions.iter().map(ToString::to_string).collect();
    let may = format!(
        "With it, a program can {} what these permissions cover: {}. It expires on {}.",
        if key.read_only { "read" } else { "read and change" },
        permissions.join(", "),
        date_and_time(key.expires_at),
    );
    let end = key.end().at;
    let (subject, what_happened, what_to_do) = match what {
        KeyNews::Made => ("A key was created for", format!("{maker} created the key {called} of {name} on {at}. {may}"), REVOKE),
        KeyNews::Rotated => {
            ("A key was rotated at", format!("{maker} replaced the secret of the key {called} of {name} on {at}. {may}"), REVOKE)
        }
        KeyNews::Ending { at: ends_at } => {
            let is_true = end == *ends_at && end > now;
            let text = format!(
                "The key {called} of {name} ends on {}: {maker}, who created it, has left the team or can no longer grant its \
                 permissions.",
                date_and_time(end),
            );
            is_true.then_some(("A key ends soon at", text, ROTATE))?
        }
        KeyNews::Expiring { at: expires_at } => {
            let is_true = end == *expires_at && end > now;
            let text = format!("The key {called} of {name} expires on {}.", date_and_time(end));
            is_true.then_some(("A key expires soon at", text, ROTATE))?
        }
        KeyNews::Revoked => {
            let text = format!(
                "The platform revoked the key {called} of {name} on {at}: others may know it. Programs that still use it are \
                 rejected.",
            );
            ("A key was revoked at", text, "Create another key in the dashboard, and find out where the old one was published.")
        }
    };
    let subject = format!("{subject} {in_subject}");
    Some(Words { subject, what_happened, link: "See all keys", page: "/developers", what_to_do })
}

async fn name_of(app: &App, user: &UserId) -> Result<String, Failure> {
    let user = app.store.user(user).await?;
    Ok(user.map_or_else(|| "A member of the team".to_owned(), |user| isolated(&user.display_name())))
}
