//! The limits on what one caller may do, so that nobody uses up what all share. docs/limits.md shows them as a table, which a test
//! compares with [`all`].
//!
//! What a single request may contain is no limit of this kind: those bounds are part of the types of fields.

use jiff::{SignedDuration, Timestamp};

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
    pub max_calls: usize,
    /// At most a day.
    pub window: SignedDuration,
}

/// What the members of a merchant may use up within an hour of the clock, each and together. A member has less than the merchant,
/// so that the others are left something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Its name in the keys of rows.
    pub action: &'static str,
    pub what: &'static str,
    pub of_member: u32,
    pub of_merchant: u32,
}

/// Who has used up an allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsedUpBy {
    Member,
    Merchant,
}

/// That an allowance is used up, and the time until there is a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsedUp {
    pub allowance: Allowance,
    pub by: UsedUpBy,
    pub wait: SignedDuration,
}

impl UsedUp {
    pub fn sentence(&self) -> String {
        let Allowance { what, of_member, of_merchant, .. } = self.allowance;
        match self.by {
            UsedUpBy::Member => format!("You have used up the {of_member} {what} that a member has in an hour."),
            UsedUpBy::Merchant => format!("Your team has used up the {of_merchant} {what} that a merchant has in an hour."),
        }
    }
}

/// When the hour of the clock began, in UTC.
pub fn hour_of(now: Timestamp) -> Timestamp {
    let seconds = now.as_second().div_euclid(HOUR.as_secs()) * HOUR.as_secs();
    Timestamp::from_second(seconds).unwrap_or(now)
}

/// The time until the next hour of the clock.
pub fn until_next_hour(now: Timestamp) -> SignedDuration {
    HOUR - now.duration_since(hour_of(now))
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
    Allowance(Allowance),
    Count(CountLimit),
}

/// What costs much.
pub const SEARCHES: Allowance = Allowance { action: "search", what: "searches", of_member: 1_200, of_merchant: 4_800 };
/// [`report_cost`] says how often one counts.
pub const REPORTS: Allowance = Allowance { action: "report", what: "reports", of_member: 1_200, of_merchant: 4_800 };
pub const OFFER_CHANGES: Allowance = Allowance { action: "offer", what: "changes of offers", of_member: 600, of_merchant: 1_800 };
pub const STORE_CHANGES: Allowance = Allowance { action: "store", what: "changes of stores", of_member: 600, of_merchant: 1_800 };
pub const PAIRING_CODES: Allowance =
    Allowance { action: "pairing-code", what: "pairing codes", of_member: 120, of_merchant: 360 };

/// How often a report on this many days counts towards [`REPORTS`]: it reads each day and each day before.
pub fn report_cost(days: u8) -> u32 {
    match days {
        0..=14 => 1,
        15..=30 => 2,
        _ => 4,
    }
}

const OF_MEMBER: &str = "a member";
const OF_MERCHANT: &str = "a merchant";
const OF_CLIENT: &str = "a client address";

pub const EXPORTS: RateLimit = RateLimit { action: "export", what: "exports", of: OF_MERCHANT, max_calls: 20, window: DAY };
/// API Gateway cannot count uploads: it does not know whose they are.
pub const IMAGES: RateLimit =
    RateLimit { action: "image", what: "uploads of images", of: OF_MERCHANT, max_calls: 200, window: DAY };
pub const DOCUMENTS_OF_MEMBER: RateLimit =
    RateLimit { action: "document", what: "uploads of documents", of: OF_MEMBER, max_calls: 150, window: DAY };
pub const DOCUMENTS_OF_MERCHANT: RateLimit = RateLimit { of: OF_MERCHANT, max_calls: 200, ..DOCUMENTS_OF_MEMBER };
/// Of endpoints that are created, or changed to another URL. Each new endpoint is told to all administrators by mail.
pub const WEBHOOK_URLS: RateLimit =
    RateLimit { action: "webhook-url", what: "new URLs of webhooks", of: OF_MERCHANT, max_calls: 60, window: HOUR };
pub const WEBHOOK_TESTS: RateLimit =
    RateLimit { action: "webhook-test", what: "test messages of webhooks", of: OF_MERCHANT, max_calls: 20, window: HOUR };
pub const WEBHOOK_RETRIES: RateLimit =
    RateLimit { action: "webhook-retry", what: "messages of webhooks sent again", of: OF_MERCHANT, max_calls: 100, window: HOUR };
/// Closed keys without an operation. Each is a row that is kept for two years.
pub const UNUSED_KEYS: RateLimit = RateLimit {
    action: "cancellation",
    what: "cancellations of sales and redemptions that had not begun",
    of: "a till or member",
    max_calls: 200,
    window: HOUR,
};

/// Mails go to people who have not asked for them, so that the limit protects them, and not other members.
pub const INVITES: RateLimit = RateLimit { action: "invite", what: "invitations", of: OF_MERCHANT, max_calls: 20, window: DAY };
pub const INVITE_MAILS: RateLimit =
    RateLimit { action: "invite-mail", what: "mails with an invitation", of: "an invited address", max_calls: 3, window: DAY };
pub const INVITE_CODES: RateLimit =
    RateLimit { action: "invite-code", what: "codes that confirm an invitation", of: OF_MEMBER, max_calls: 20, window: HOUR };
pub const FOUNDED_MERCHANTS: RateLimit =
    RateLimit { action: "found-merchant", what: "founded merchants", of: OF_CLIENT, max_calls: 3, window: DAY };

const SIGN_IN_CODES: RateLimit = RateLimit { action: "sign-in-code", what: "sign-in codes", of: "", max_calls: 0, window: HOUR };
/// A browser that has signed in at the address before has codes of its own, so that nobody can lock out its user by asking for codes.
pub const SIGN_IN_CODES_OF_BROWSER: RateLimit =
    RateLimit { of: "a browser that has signed in before", max_calls: 5, ..SIGN_IN_CODES };
pub const SIGN_IN_CODES_OF_ADDRESS_AND_CLIENT: RateLimit =
    RateLimit { of: "a mail address and a client address together", max_calls: 5, ..SIGN_IN_CODES };
pub const SIGN_IN_CODES_OF_ADDRESS: RateLimit = RateLimit { of: "a mail address", max_calls: 20, ..SIGN_IN_CODES };
pub const SIGN_IN_CODES_OF_CLIENT: RateLimit = RateLimit { of: OF_CLIENT, max_calls: 60, ..SIGN_IN_CODES };
pub const CODE_ATTEMPTS: CountLimit = CountLimit { what: "attempts", of: "a mailed code", max: 5, refusal: "400 `CODE_INVALID`" };
pub const PAIRING_ATTEMPTS: RateLimit =
    RateLimit { action: "pair-till", what: "attempts to pair a till", of: OF_CLIENT, max_calls: 20, window: HOUR };
/// `ONBOARDING_CHECKS_PER_EMAIL` and `ONBOARDING_CHECKS_PER_ADDRESS` set other ones.
pub const ONBOARDING_CHECKS_OF_ADDRESS: RateLimit = RateLimit {
    action: "onboarding-check",
    what: "onboarding checks, by default",
    of: "a mail address",
    max_calls: 5,
    window: TEN_MINUTES,
};
pub const ONBOARDING_CHECKS_OF_CLIENT: RateLimit = RateLimit { of: OF_CLIENT, max_calls: 20, ..ONBOARDING_CHECKS_OF_ADDRESS };
pub const VISITS: RateLimit =
    RateLimit { action: "widget-visit", what: "new visits of the widget", of: OF_CLIENT, max_calls: 60, window: HOUR };

/// Look-ups and redemptions of codes that the card network does not know. They are counted in rows of their own.
const GUESSED_CODES: RateLimit =
    RateLimit { action: "", what: "unknown codes of cards", of: "", max_calls: 0, window: TEN_MINUTES };
pub const GUESSED_CODES_OF_OPERATOR: RateLimit = RateLimit { of: "a till or member", max_calls: 60, ..GUESSED_CODES };
pub const GUESSED_CODES_OF_MERCHANT: RateLimit = RateLimit { of: OF_MERCHANT, max_calls: 600, ..GUESSED_CODES };
/// While the merchant has reached its limit.
pub const GUESSED_CODES_OF_BYSTANDER: RateLimit =
    RateLimit { of: "a till or member of a merchant that has reached this limit", max_calls: 5, ..GUESSED_CODES };

pub const OFFERS: CountLimit = CountLimit { what: "offers", of: OF_MERCHANT, max: 500, refusal: "409 `OFFER_LIMIT`" };
pub const TILLS: CountLimit =
    CountLimit { what: "tills that are not revoked", of: OF_MERCHANT, max: 1_000, refusal: "409 `TILL_LIMIT`" };
pub const WAITING_CODES: CountLimit =
    CountLimit { what: "pairing codes that wait", of: OF_MERCHANT, max: 20, refusal: "409 `TILL_LIMIT`" };
pub const WEBHOOK_ENDPOINTS: CountLimit =
    CountLimit { what: "endpoints of webhooks", of: OF_MERCHANT, max: 5, refusal: "409 `WEBHOOK_LIMIT`" };
/// The key of the row of the running export enforces it.
const RUNNING_EXPORTS: CountLimit =
    CountLimit { what: "exports that run", of: OF_MERCHANT, max: 1, refusal: "409 `EXPORT_RUNNING`" };

/// In the order of docs/limits.md.
pub fn all() -> Vec<Limit> {
    use Limit::{Allowance, Count, Rate};
    vec![
        Allowance(SEARCHES),
        Allowance(REPORTS),
        Allowance(OFFER_CHANGES),
        Count(OFFERS),
        Allowance(STORE_CHANGES),
        Allowance(PAIRING_CODES),
        Count(WAITING_CODES),
        Count(TILLS),
        Count(RUNNING_EXPORTS),
        Rate(EXPORTS),
        Rate(IMAGES),
        Rate(DOCUMENTS_OF_MEMBER),
        Rate(DOCUMENTS_OF_MERCHANT),
        Count(WEBHOOK_ENDPOINTS),
        Rate(WEBHOOK_URLS),
        Rate(WEBHOOK_TESTS),
        Rate(WEBHOOK_RETRIES),
        Rate(UNUSED_KEYS),
        Rate(GUESSED_CODES_OF_OPERATOR),
        Rate(GUESSED_CODES_OF_MERCHANT),
        Rate(GUESSED_CODES_OF_BYSTANDER),
        Rate(INVITES),
        Rate(INVITE_MAILS),
        Rate(INVITE_CODES),
        Rate(FOUNDED_MERCHANTS),
        Rate(SIGN_IN_CODES_OF_BROWSER),
        Rate(SIGN_IN_CODES_OF_ADDRESS_AND_CLIENT),
        Rate(SIGN_IN_CODES_OF_ADDRESS),
        Rate(SIGN_IN_CODES_OF_CLIENT),
        Count(CODE_ATTEMPTS),
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
        let row = |what: &str, of: &str, max: usize, within: &str, refusal: &str| {
            [what.to_owned(), of.to_owned(), max.to_string(), within.to_owned(), refusal.to_owned()]
        };
        let too_many = "429 `TOO_MANY_REQUESTS`";
        match limit {
            Limit::Rate(limit) => {
                // The widget is shown, and the visit is not recorded.
                let refusal = if limit == VISITS { "none" } else { too_many };
                vec![row(limit.what, limit.of, limit.max_calls, span(limit.window), refusal)]
            }
            Limit::Allowance(limit) => [(OF_MEMBER, limit.of_member), (OF_MERCHANT, limit.of_merchant)]
                .map(|(of, max)| row(limit.what, of, max.try_into().unwrap(), "an hour of the clock", too_many))
                .into(),
            Limit::Count(limit) => vec![row(limit.what, limit.of, limit.max, "at once", limit.refusal)],
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
        let docs = include_str!("../../../docs/limits.md");
        let table = docs.lines().skip_while(|line| !line.starts_with("|---")).skip(1).take_while(|line| line.starts_with('|'));
        let documented: Vec<&str> = table.collect();
        let rows = all().into_iter().flat_map(rows).map(|cells| format!("| {} |", cells.join(" | ")));
        let expected: Vec<String> = rows.collect();
        assert_eq!(documented, expected, "the table in docs/limits.md should be:\n{}", expected.join("\n"));
    }

    #[test]
    fn no_member_can_use_up_an_allowance_of_its_merchant() {
        for limit in all() {
            if let Limit::Allowance(allowance) = limit {
                assert!(allowance.of_member < allowance.of_merchant, "{}", allowance.what);
            }
        }
        const { assert!(DOCUMENTS_OF_MEMBER.max_calls < DOCUMENTS_OF_MERCHANT.max_calls) };
    }

    #[test]
    fn an_hour_of_the_clock_ends_with_its_last_second() {
        for (now, began, seconds) in
            [("03:00:00Z", "03:00:00Z", 3600), ("03:59:59Z", "03:00:00Z", 1), ("04:00:00Z", "04:00:00Z", 3600)]
        {
            let at = |time: &str| format!("2026-11-25T{time}").parse().unwrap();
            assert_eq!(hour_of(at(now)), at(began), "{now}");
            assert_eq!(until_next_hour(at(now)).as_secs(), seconds, "{now}");
        }
    }

    #[test]
    fn a_long_report_counts_more() {
        assert_eq!([7, 14, 30, 90].map(report_cost), [1, 1, 2, 4]);
    }
}
