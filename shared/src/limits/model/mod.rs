//! The limits on what one caller may do, so that nobody uses up what all share. docs/limits.md shows them as a table, which a test
//! compares with [`all`].
//!
//! What a single request may contain is no limit of this kind: those bounds are part of the types of fields. [`counter`] says how
//! limits are counted, and `db/counters.rs` stores the counters.

pub mod counter;

use jiff::SignedDuration;

const TEN_MINUTES: SignedDuration = SignedDuration::from_mins(10);
const HOUR: SignedDuration = SignedDuration::from_hours(1);
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// How often something may be done within any span of time of one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Its name in the keys of rows.
    pub action: &'static str,
    pub what: &'static str,
    /// Whose calls count together.
    pub of: &'static str,
    pub max: u32,
    /// At most a day.
    pub window: SignedDuration,
}

impl RateLimit {
    /// The share of all keys of a merchant together: that of one member.
    #[must_use]
    pub const fn share_of_keys(self) -> Self {
        Self { of: OF_KEYS, ..self.share() }
    }

    /// A member's share of what its merchant has: half of it, so that nobody uses up what all need.
    #[must_use]
    pub const fn share(self) -> Self {
        Self { of: OF_MEMBER, max: self.max / 2, ..self }
    }
}

/// That a limit is reached, and the time after which there is room again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsedUp {
    pub limit: RateLimit,
    pub wait: SignedDuration,
}

impl UsedUp {
    /// What was used up, if members share it. `None` for other limits, whose endpoints have a sentence of their own.
    pub fn sentence(&self) -> Option<String> {
        let RateLimit { what, of, max, window, .. } = self.limit;
        let span = if window == DAY { "a day" } else { "an hour" };
        match of {
            OF_MEMBER => Some(format!("You have reached your limit of {max} {what} {span}.")),
            OF_KEYS => Some(format!("The keys of your merchant have reached their limit of {max} {what} {span}.")),
            OF_MERCHANT => Some(format!("Your team has reached its limit of {max} {what} {span}.")),
            _ => None,
        }
    }
}

/// How many of something there may be at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountLimit {
    pub what: &'static str,
    pub of: &'static str,
    pub max: usize,
    /// The status and code of the refusal.
    pub refusal: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Rate(RateLimit),
    /// Of a merchant. Each member has a [share](RateLimit::share) of it.
    Shared(RateLimit),
    Count(CountLimit),
}

const OF_MEMBER: &str = "a member";
const OF_KEYS: &str = "all keys of a merchant together";
const OF_MERCHANT: &str = "a merchant";
const OF_ADDRESS: &str = "a mail address";
const OF_CLIENT: &str = "a client address";

/// What costs much.
pub const SEARCHES: RateLimit = of_merchant("search", "searches", 4_800, HOUR);
/// [`report_cost`] says how often one counts.
pub const REPORTS: RateLimit = of_merchant("report", "reports", 4_800, HOUR);
pub const OFFER_CHANGES: RateLimit = of_merchant("offer", "changes to offers", 1_800, HOUR);
pub const STORE_CHANGES: RateLimit = of_merchant("store", "changes to stores", 1_800, HOUR);
pub const PAIRING_CODES: RateLimit = of_merchant("pairing-code", "pairing codes", 360, HOUR);
pub const EXPORTS: RateLimit = of_merchant("export", "exports", 20, DAY);
/// API Gateway cannot count uploads: it does not know whose they are.
pub const IMAGES: RateLimit = of_merchant("image", "image uploads", 200, DAY);
pub const DOCUMENTS: RateLimit = of_merchant("document", "document uploads", 200, DAY);
/// Of endpoints that are created, or changed to another URL. Each new endpoint is told to all administrators by mail.
pub const WEBHOOK_URLS: RateLimit = of_merchant("webhook-url", "new webhook URLs", 60, HOUR);
pub const WEBHOOK_TESTS: RateLimit = of_merchant("webhook-test", "webhook test messages", 20, HOUR);
pub const WEBHOOK_RETRIES: RateLimit = of_merchant("webhook-retry", "resent webhook messages", 100, HOUR);
pub const KEY_SECRETS: RateLimit = of_merchant("key", "new key secrets", 40, DAY);
pub const INVITES: RateLimit = of_merchant("invite", "invitations", 20, DAY);

const fn of_merchant(action: &'static str, what: &'static str, max: u32, window: SignedDuration) -> RateLimit {
    RateLimit { action, what, of: OF_MERCHANT, max, window }
}

/// How often a report on this many days counts towards [`REPORTS`]: it reads each day and each day before.
pub fn report_cost(days: u8) -> u32 {
    match days {
        0..=14 => 1,
        15..=30 => 2,
        _ => 4,
    }
}

/// Closed keys without an operation. Each is a row that is kept for two years.
pub const UNUSED_KEYS: RateLimit = RateLimit {
    action: "cancellation",
    what: "cancellations of sales and redemptions that had not started",
    of: "a till, member or key",
    max: 200,
    window: HOUR,
};

/// Mails go to people who have not asked for them. Those that are never sent are given back.
pub const INVITE_MAILS: RateLimit =
    RateLimit { action: "invite-mail", what: "invitation e-mails", of: "an invited address and merchant", max: 3, window: DAY };
/// Anybody can found a merchant. Those that were never active have one limit between them, so that strangers neither flood an address
/// nor stop the invitations of a merchant that is.
pub const INVITE_MAILS_OF_NEW: RateLimit =
    RateLimit { of: "an invited address, of all merchants that were never active", ..INVITE_MAILS };
pub const INVITE_CODES: RateLimit =
    RateLimit { action: "invite-code", what: "codes that confirm an invitation", of: OF_ADDRESS, max: 20, window: HOUR };
pub const FOUNDED_MERCHANTS: RateLimit =
    RateLimit { action: "found-merchant", what: "founded merchants", of: OF_CLIENT, max: 3, window: DAY };

const SIGN_IN_CODES: RateLimit = RateLimit { action: "sign-in-code", what: "sign-in codes", of: "", max: 0, window: HOUR };
/// A browser that has signed in at the address before has codes of its own, so that nobody can lock out its user by asking for codes.
pub const SIGN_IN_CODES_OF_BROWSER: RateLimit = RateLimit { of: "a browser that has signed in before", max: 5, ..SIGN_IN_CODES };
pub const SIGN_IN_CODES_OF_ADDRESS_AND_CLIENT: RateLimit =
    RateLimit { of: "a mail address and a client address together", max: 5, ..SIGN_IN_CODES };
pub const SIGN_IN_CODES_OF_ADDRESS: RateLimit = RateLimit { of: OF_ADDRESS, max: 20, ..SIGN_IN_CODES };
pub const SIGN_IN_CODES_OF_CLIENT: RateLimit = RateLimit { of: OF_CLIENT, max: 60, ..SIGN_IN_CODES };
pub const CODE_ATTEMPTS: CountLimit = CountLimit { what: "attempts", of: "a mailed code", max: 5, refusal: "400 `CODE_INVALID`" };
pub const PASSKEY_ATTEMPTS: RateLimit =
    RateLimit { action: "passkey", what: "failed sign-ins with a passkey", of: OF_CLIENT, max: 600, window: HOUR };
pub const PASSKEYS: CountLimit = CountLimit { what: "passkeys", of: "a user", max: 10, refusal: "409 `PASSKEY_LIMIT`" };
pub const PAIRING_ATTEMPTS: RateLimit =
    RateLimit { action: "pair-till", what: "attempts to pair a till", of: OF_CLIENT, max: 20, window: HOUR };
/// `ONBOARDING_CHECKS_PER_EMAIL` and `ONBOARDING_CHECKS_PER_ADDRESS` set other ones.
pub const ONBOARDING_CHECKS_OF_ADDRESS: RateLimit =
    RateLimit { action: "onboarding-check", what: "onboarding checks, by default", of: OF_ADDRESS, max: 5, window: TEN_MINUTES };
pub const ONBOARDING_CHECKS_OF_CLIENT: RateLimit = RateLimit { of: OF_CLIENT, max: 20, ..ONBOARDING_CHECKS_OF_ADDRESS };
pub const VISITS: RateLimit =
    RateLimit { action: "widget-visit", what: "new visits of the widget", of: OF_CLIENT, max: 60, window: HOUR };

/// Look-ups and redemptions of codes that the card network does not know. Each is [reserved](super::counter) before the network is
/// asked.
const GUESSED_CODES: RateLimit =
    RateLimit { action: "card-code", what: "unknown codes of cards", of: "", max: 0, window: TEN_MINUTES };
pub const GUESSED_CODES_OF_OPERATOR: RateLimit = RateLimit { of: "a till, member or key", max: 60, ..GUESSED_CODES };
/// From then on the next limit counts, so that one till cannot stop the others.
pub const GUESSED_CODES_OF_MERCHANT: RateLimit = RateLimit { of: OF_MERCHANT, max: 600, ..GUESSED_CODES };
pub const GUESSED_CODES_OF_BYSTANDER: RateLimit =
    RateLimit { of: "a till, member or key of a merchant that has reached this limit", max: 6, ..GUESSED_CODES };

/// Balances that holders of cards ask for, without a session: counted apart, so that no stranger slows down a till.
pub const BALANCES: RateLimit =
    RateLimit { action: "balance", what: "balances of cards", of: OF_CLIENT, max: 200, window: TEN_MINUTES };
const CODES_OF_HOLDERS: RateLimit =
    RateLimit { action: "holder-code", what: "balance requests with an unknown code", of: "", max: 0, window: TEN_MINUTES };
pub const CODES_OF_CLIENT: RateLimit = RateLimit { of: OF_CLIENT, max: 20, ..CODES_OF_HOLDERS };
/// From then on the next limit counts.
pub const CODES_OF_CLIENTS: RateLimit = RateLimit { of: "a merchant, of all client addresses", max: 300, ..CODES_OF_HOLDERS };
pub const CODES_OF_BYSTANDING_CLIENT: RateLimit =
    RateLimit { of: "a client address, at a merchant that has reached this limit", max: 2, ..CODES_OF_HOLDERS };
/// From then on nobody is told a balance of this merchant, and an alarm goes off.
pub const CODES_THAT_STOP_BALANCES: RateLimit = RateLimit { max: 1_000, ..CODES_OF_CLIENTS };

/// The limits on codes that the card network does not know.
#[derive(Debug, Clone, Copy)]
pub struct GuessLimits {
    /// Of one who asks.
    pub own: RateLimit,
    /// Of all who ask at one merchant. From then on, [`Self::bystander`] counts in place of [`Self::own`].
    pub merchant: RateLimit,
    pub bystander: RateLimit,
    /// As [`Self::merchant`]. From then on nobody is answered.
    pub stop: Option<RateLimit>,
}

pub const GUESSES_AT_TILLS: GuessLimits = GuessLimits {
    own: GUESSED_CODES_OF_OPERATOR,
    merchant: GUESSED_CODES_OF_MERCHANT,
    bystander: GUESSED_CODES_OF_BYSTANDER,
    stop: None,
};
pub const GUESSES_OF_HOLDERS: GuessLimits = GuessLimits {
    own: CODES_OF_CLIENT,
    merchant: CODES_OF_CLIENTS,
    bystander: CODES_OF_BYSTANDING_CLIENT,
    stop: Some(CODES_THAT_STOP_BALANCES),
};

pub const OFFERS: CountLimit = CountLimit { what: "offers", of: OF_MERCHANT, max: 500, refusal: "409 `OFFER_LIMIT`" };
pub const STORES: CountLimit = CountLimit { what: "stores", of: OF_MERCHANT, max: 1_000, refusal: "409 `STORE_LIMIT`" };
pub const TILLS: CountLimit =
    CountLimit { what: "tills that are not revoked", of: OF_MERCHANT, max: 1_000, refusal: "409 `TILL_LIMIT`" };
pub const WAITING_CODES: CountLimit =
    CountLimit { what: "unused pairing codes", of: OF_MERCHANT, max: 20, refusal: "409 `TILL_LIMIT`" };
pub const WEBHOOK_ENDPOINTS: CountLimit =
    CountLimit { what: "webhook endpoints", of: OF_MERCHANT, max: 5, refusal: "409 `WEBHOOK_LIMIT`" };
pub const KEYS: CountLimit = CountLimit { what: "active keys", of: OF_MERCHANT, max: 20, refusal: "409 `KEY_LIMIT`" };
/// The key of the row of the running export enforces it.
const RUNNING_EXPORTS: CountLimit =
    CountLimit { what: "running exports", of: OF_MERCHANT, max: 1, refusal: "409 `EXPORT_RUNNING`" };

/// In the order of docs/limits.md.
pub fn all() -> Vec<Limit> {
    use Limit::{Count, Rate, Shared};
    vec![
        Shared(SEARCHES),
        Shared(REPORTS),
        Shared(OFFER_CHANGES),
        Count(OFFERS),
        Shared(STORE_CHANGES),
        Count(STORES),
        Shared(PAIRING_CODES),
        Count(WAITING_CODES),
        Count(TILLS),
        Count(RUNNING_EXPORTS),
        Shared(EXPORTS),
        Shared(IMAGES),
        Shared(DOCUMENTS),
        Count(WEBHOOK_ENDPOINTS),
        Shared(WEBHOOK_URLS),
        Shared(WEBHOOK_TESTS),
        Shared(WEBHOOK_RETRIES),
        Count(KEYS),
        Shared(KEY_SECRETS),
        Rate(UNUSED_KEYS),
        Rate(GUESSED_CODES_OF_OPERATOR),
        Rate(GUESSED_CODES_OF_MERCHANT),
        Rate(GUESSED_CODES_OF_BYSTANDER),
        Rate(BALANCES),
        Rate(CODES_OF_CLIENT),
        Rate(CODES_OF_CLIENTS),
        Rate(CODES_OF_BYSTANDING_CLIENT),
        Rate(CODES_THAT_STOP_BALANCES),
        Shared(INVITES),
        Rate(INVITE_MAILS),
        Rate(INVITE_MAILS_OF_NEW),
        Rate(INVITE_CODES),
        Rate(FOUNDED_MERCHANTS),
        Rate(SIGN_IN_CODES_OF_BROWSER),
        Rate(SIGN_IN_CODES_OF_ADDRESS_AND_CLIENT),
        Rate(SIGN_IN_CODES_OF_ADDRESS),
        Rate(SIGN_IN_CODES_OF_CLIENT),
        Count(CODE_ATTEMPTS),
        Rate(PASSKEY_ATTEMPTS),
        Count(PASSKEYS),
        Rate(PAIRING_ATTEMPTS),
        Rate(ONBOARDING_CHECKS_OF_ADDRESS),
        Rate(ONBOARDING_CHECKS_OF_CLIENT),
        Rate(VISITS),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells of docs/limits.md: what, of whom, how many, within, and the refusal.
    fn rows(limit: Limit) -> Vec<[String; 5]> {
        let row = |what: &str, of: &str, max: &dyn ToString, within: &str, refusal: &str| {
            [what.to_owned(), of.to_owned(), max.to_string(), within.to_owned(), refusal.to_owned()]
        };
        let rate = |limit: RateLimit| {
            // The widget is shown, and the visit is not recorded.
            let refusal = if limit == VISITS { "none" } else { "429 `TOO_MANY_REQUESTS`" };
            row(limit.what, limit.of, &limit.max, span(limit.window), refusal)
        };
        match limit {
            Limit::Rate(limit) => vec![rate(limit)],
            Limit::Shared(limit) => vec![rate(limit.share()), rate(limit)],
            Limit::Count(limit) => vec![row(limit.what, limit.of, &limit.max, "at once", limit.refusal)],
        }
    }

    fn span(window: SignedDuration) -> &'static str {
        match window {
            TEN_MINUTES => "10 minutes",
            HOUR => "an hour",
            DAY => "24 hours",
            window => panic!("{window:?}"),
        }
    }

    #[test]
    fn the_documentation_has_the_same_limits() {
        let docs = include_str!("../../../../docs/limits.md");
        let table = docs.lines().skip_while(|line| !line.starts_with("|---")).skip(1).take_while(|line| line.starts_with('|'));
        let documented: Vec<&str> = table.collect();
        let rows = all().into_iter().flat_map(rows).map(|cells| format!("| {} |", cells.join(" | ")));
        let expected: Vec<String> = rows.collect();
        assert_eq!(documented, expected, "the table in docs/limits.md should be:\n{}", expected.join("\n"));
    }

    #[test]
    fn a_long_report_counts_more() {
        assert_eq!([7, 14, 30, 90].map(report_cost), [1, 1, 2, 4]);
    }
}
