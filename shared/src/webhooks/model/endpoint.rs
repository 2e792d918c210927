//! An endpoint: an address of a merchant's system, and what it wants to be told.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::delivery::Delivery;
use super::event_type::EventType;
use super::message::MESSAGE_RETENTION;
use super::readable::{Move, Readable};
use super::url::WebhookUrl;
use crate::values::{MerchantId, OpenEnum, UserId, WebhookEndpointId};

/// How long both secrets sign after a rotation.
const ROTATION_OVERLAP: SignedDuration = SignedDuration::from_hours(24);
/// How long messages wait for a disabled endpoint to be enabled again.
pub const WAITING_RETENTION: SignedDuration = SignedDuration::from_hours(3 * 24);
/// An endpoint that has accepted nothing for this long is disabled when a message fails.
const FAILING: SignedDuration = SignedDuration::from_hours(5 * 24);
/// Administrators get one mail for all changes of an endpoint within this time.
const NEWS_INTERVAL: SignedDuration = SignedDuration::from_hours(1);
/// An endpoint that took longer for its last answer is a slow one.
const SLOW: SignedDuration = SignedDuration::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum EndpointStatus {
    Enabled,
    Disabled,
}

/// Why nothing is sent to an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum DisabledBecause {
    /// A member of the team has disabled it.
    Member,
    /// It has answered 410, Gone.
    Gone,
    /// It has accepted nothing for five days.
    Failing,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndpointState {
    Enabled,
    Disabled {
        because: OpenEnum<DisabledBecause>,
        at: Timestamp,
    },
    /// It is shown to nobody any more. A worker gives up what waits for it, then deletes it.
    Deleted,
}

/// A signing secret, encrypted by a key that is not in the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedSecret(pub String);

/// The secrets that sign messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Secrets {
    pub current: SealedSecret,
    /// The one before a rotation, and until when it signs.
    pub previous: Option<(SealedSecret, Timestamp)>,
}

impl Secrets {
    pub fn new(secret: SealedSecret) -> Self {
        Self { current: secret, previous: None }
    }

    /// With a new secret. The present one signs for another day, unless it is replaced immediately.
    #[must_use]
    pub fn rotated(&self, secret: SealedSecret, immediately: bool, now: Timestamp) -> Self {
        let until = now.checked_add(ROTATION_OVERLAP).unwrap_or(Timestamp::MAX);
        let previous = (!immediately).then(|| (self.current.clone(), until));
        Self { current: secret, previous }
    }

    /// Those that sign now, newest first.
    pub fn signing(&self, now: Timestamp) -> impl Iterator<Item = &SealedSecret> {
        let previous = self.previous.as_ref().filter(|(_, until)| now < *until);
        std::iter::once(&self.current).chain(previous.map(|(secret, _)| secret))
    }
}

/// What a member decides about a new endpoint.
#[derive(Debug, Clone)]
pub struct EndpointSettings {
    pub url: WebhookUrl,
    pub events: Vec<OpenEnum<EventType>>,
    pub description: Option<String>,
    pub secret: SealedSecret,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    pub id: WebhookEndpointId,
    pub merchant_id: MerchantId,
    pub url: String,
    pub events: Vec<OpenEnum<EventType>>,
    pub description: Option<String>,
    pub state: EndpointState,
    pub secrets: Secrets,
    pub created_by: UserId,
    pub created_at: Timestamp,
    pub rotated_at: Option<Timestamp>,
    pub last_success_at: Option<Timestamp>,
    pub last_failure_at: Option<Timestamp>,
    /// The first failure since the last success.
    pub failing_since: Option<Timestamp>,
    /// Whether it took at most two seconds for its last answer. A new one has to show it.
    pub is_quick: bool,
    /// When a worker has to look at its deliveries. `None` while none waits.
    pub due_at: Option<Timestamp>,
    /// The moves that decide what is withheld.
    pub moves: Vec<Move>,
    /// Who has last set its URL or its events, and when.
    pub set_by: UserId,
    pub set_at: Timestamp,
    /// When the administrators are told of that, or were last told.
    pub told_at: Timestamp,
}

impl Endpoint {
    /// An enabled endpoint that was sent nothing yet.
    pub fn new(id: WebhookEndpointId, merchant_id: MerchantId, settings: EndpointSettings, by: UserId, now: Timestamp) -> Self {
        let EndpointSettings { url, events, description, secret } = settings;
        Self {
            id,
            merchant_id,
            url: url.into_string(),
            events,
            description,
            state: EndpointState::Enabled,
            secrets: Secrets::new(secret),
            created_by: by.clone(),
            created_at: now,
            rotated_at: None,
            last_success_at: None,
            last_failure_at: None,
            failing_since: None,
            is_quick: false,
            due_at: None,
            moves: Vec::new(),
            set_by: by,
            set_at: now,
            told_at: now,
        }
    }

    pub fn status(&self) -> EndpointStatus {
        match self.state {
            EndpointState::Enabled => EndpointStatus::Enabled,
            EndpointState::Disabled { .. } | EndpointState::Deleted => EndpointStatus::Disabled,
        }
    }

    pub fn is_enabled(&self) -> bool {
        self.state == EndpointState::Enabled
    }

    /// `None` if it is enabled.
    pub fn disabled_because(&self) -> Option<&OpenEnum<DisabledBecause>> {
        match &self.state {
            EndpointState::Enabled | EndpointState::Deleted => None,
            EndpointState::Disabled { because, .. } => Some(because),
        }
    }

    pub fn is_deleted(&self) -> bool {
        self.state == EndpointState::Deleted
    }

    /// At another URL, with a secret of its own. What it has answered before says nothing about the new one.
    #[must_use]
    pub fn moved(&self, url: WebhookUrl, secret: SealedSecret, readable: &Readable, now: Timestamp) -> Self {
        let secrets = Secrets::new(secret);
        let url = url.into_string();
        let still_counts = |earlier: &&Move| earlier.readable != *readable && now.duration_since(earlier.at) <= MESSAGE_RETENTION;
        let mut moves: Vec<Move> = self.moves.iter().filter(still_counts).cloned().collect();
        if !readable.is_everything() {
            moves.push(Move { at: now, readable: readable.clone() });
        }
        Self { url, secrets, moves, rotated_at: Some(now), failing_since: None, is_quick: false, ..self.clone() }
    }

    /// Whether the event is older than a move by somebody who could not read it. It is never sent to any later URL.
    pub fn withholds(&self, delivery: &Delivery) -> bool {
        self.moves.iter().any(|one| delivery.happened_at <= one.at && !one.readable.includes(&delivery.event_type))
    }

    /// With who has set its URL or events now, and when the administrators are to be told. `None` if a mail that is still to be sent
    /// tells it.
    #[must_use]
    pub fn set(&self, by: &UserId, now: Timestamp) -> (Self, Option<Timestamp>) {
        let next = self.told_at.checked_add(NEWS_INTERVAL).unwrap_or(Timestamp::MAX).max(now);
        let tell_at = (self.told_at <= now).then_some(next);
        let told_at = tell_at.unwrap_or(self.told_at);
        (Self { set_by: by.clone(), set_at: now, told_at, ..self.clone() }, tell_at)
    }

    /// Nothing more is sent to it.
    #[must_use]
    pub fn deleted(&self, now: Timestamp) -> Self {
        Self { state: EndpointState::Deleted, due_at: Some(now), ..self.clone() }
    }

    /// Whether a message of this type is made for it, to be sent or to wait.
    pub fn takes(&self, event_type: &OpenEnum<EventType>, now: Timestamp) -> bool {
        self.events.contains(event_type) && self.waits_until().is_none_or(|until| now < until)
    }

    /// The host of its URL, with the port if that is not the usual one.
    pub fn host(&self) -> &str {
        let after_scheme = self.url.split_once("//").map_or(self.url.as_str(), |(_, rest)| rest);
        after_scheme.split(['/', '?']).next().unwrap_or_default()
    }

    /// Until when messages wait for it, if it is disabled.
    pub fn waits_until(&self) -> Option<Timestamp> {
        match self.state {
            EndpointState::Enabled | EndpointState::Deleted => None,
            EndpointState::Disabled { at, .. } => Some(at.checked_add(WAITING_RETENTION).unwrap_or(Timestamp::MAX)),
        }
    }

    #[must_use]
    pub fn disabled(&self, because: DisabledBecause, now: Timestamp) -> Self {
        if !self.is_enabled() {
            return self.clone();
        }
        let state = EndpointState::Disabled { because: because.into(), at: now };
        // What waits is dropped then, unless it was enabled again.
        let disabled = Self { state, ..self.clone() };
        Self { due_at: disabled.waits_until(), ..disabled }
    }

    /// What waits is sent at once. Earlier failures count no longer.
    #[must_use]
    pub fn enabled(&self, now: Timestamp) -> Self {
        if self.is_enabled() {
            return self.clone();
        }
        Self { state: EndpointState::Enabled, failing_since: None, due_at: Some(now), ..self.clone() }
    }

    /// With a delivery that waits.
    #[must_use]
    pub fn with_delivery(&self, now: Timestamp) -> Self {
        let due_at = match self.state {
            EndpointState::Enabled => Some(self.due_at.map_or(now, |at| at.min(now))),
            EndpointState::Disabled { .. } | EndpointState::Deleted => self.waits_until(),
        };
        Self { due_at, ..self.clone() }
    }

    /// After answers, or their absence, in the order of time. A failure of what a member has sent again by hand disables no endpoint.
    #[must_use]
    pub fn after_attempt(&self, succeeded: bool, is_by_hand: bool, duration: SignedDuration, now: Timestamp) -> Self {
        let mut next = Self { is_quick: duration <= SLOW, ..self.clone() };
        if succeeded {
            (next.last_success_at, next.failing_since) = (Some(now), None);
        } else {
            next.last_failure_at = Some(now);
            next.failing_since = next.failing_since.or((!is_by_hand).then_some(now));
        }
        next
    }

    /// Whether it is given up when a message has failed for good.
    pub fn is_failing(&self, now: Timestamp) -> bool {
        self.failing_since.is_some_and(|since| now.duration_since(since) >= FAILING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn secret(name: &str) -> SealedSecret {
        SealedSecret(name.to_owned())
    }

    fn endpoint() -> Endpoint {
        Endpoint {
            id: WebhookEndpointId::new("e"),
            merchant_id: MerchantId::new("m"),
            url: "https://hooks.example/".to_owned(),
            events: EventType::ALL.map(OpenEnum::from).into(),
            description: None,
            state: EndpointState::Enabled,
            secrets: Secrets::new(secret("a")),
            created_by: UserId::new("u"),
            created_at: at(0),
            rotated_at: None,
            last_success_at: None,
            last_failure_at: None,
            failing_since: None,
            is_quick: false,
            due_at: None,
            moves: Vec::new(),
            set_by: UserId::new("u"),
            set_at: at(0),
            told_at: at(0),
        }
    }

    #[test]
    fn an_endpoint_is_failing_five_days_after_the_first_failure_since_its_last_success() {
        let day = 24 * 3600;
        let quick = SignedDuration::from_secs(1);
        let failed = endpoint().after_attempt(false, false, quick, at(0)).after_attempt(false, false, quick, at(2 * day));
        assert!(!failed.is_failing(at(5 * day - 1)) && failed.is_failing(at(5 * day)));
        let recovered = failed.after_attempt(true, false, quick, at(3 * day));
        assert!(!recovered.is_failing(at(9 * day)));
        let again = recovered.after_attempt(false, false, quick, at(4 * day));
        assert!(!again.is_failing(at(9 * day - 1)) && again.is_failing(at(9 * day)));
        assert!(!again.disabled(DisabledBecause::Failing, at(9 * day)).enabled(at(10 * day)).is_failing(at(20 * day)));
    }

    #[test]
    fn a_disabled_endpoint_takes_messages_for_three_days() {
        let days = |days: i64| at(days * 24 * 3600);
        let disabled = endpoint().disabled(DisabledBecause::Member, days(1));
        assert_eq!(disabled.due_at, Some(days(4)));
        assert_eq!(disabled.disabled(DisabledBecause::Gone, days(2)), disabled, "the first reason counts");
        let takes = |at| disabled.takes(&EventType::PayoutPaid.into(), at);
        assert!(takes(days(3)) && !takes(days(4)));
        assert_eq!(disabled.with_delivery(days(2)).due_at, Some(days(4)));
        assert_eq!(disabled.enabled(days(2)).due_at, Some(days(2)));
    }

    #[test]
    fn the_earliest_delivery_decides_when_an_endpoint_is_due() {
        let later = Endpoint { due_at: Some(at(10)), ..endpoint() };
        assert_eq!(later.with_delivery(at(5)).due_at, Some(at(5)));
        assert_eq!(later.with_delivery(at(15)).due_at, Some(at(10)));
        assert_eq!(endpoint().with_delivery(at(5)).due_at, Some(at(5)));
    }
}
