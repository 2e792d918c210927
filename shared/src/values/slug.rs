//! Slugs: the last segment of the URL of a merchant's shop.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// 3 to 40 lower-case ASCII letters, digits and single dashes inside. A stored slug of an older merchant can differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slug(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SlugError {
    #[error("must have 3 to 40 characters of a-z, 0-9 and single dashes between them")]
    Malformed,
    /// No merchant can have it. Callers treat it like one that is taken.
    #[error("is reserved")]
    Reserved,
}

pub const MIN_LENGTH: usize = 3;
pub const MAX_LENGTH: usize = 40;

/// Names of pages and hosts of the portal, and names that visitors would take for the platform itself.
const RESERVED: [&str; 57] = [
    "about",
    "account",
    "accounts",
    "admin",
    "administrator",
    "analytics",
    "api",
    "app",
    "assets",
    "auth",
    "billing",
    "blog",
    "catalog",
    "cdn",
    "checkout",
    "contact",
    "dashboard",
    "demo",
    "dev",
    "docs",
    "favicon",
    "gift-card",
    "gift-cards",
    "giftcard",
    "giftcards",
    "health",
    "help",
    "home",
    "images",
    "invite",
    "legal",
    "login",
    "logout",
    "mail",
    "media",
    "merchant",
    "merchants",
    "null",
    "onboarding",
    "order",
    "orders",
    "payment",
    "payments",
    "portal",
    "privacy",
    "public",
    "register",
    "robots",
    "root",
    "security",
    "settings",
    "shop",
    "signup",
    "static",
    "status",
    "support",
    "www",
];

/// Words that no slug begins with before a dash either, such as `portal-login`.
const RESERVED_PREFIXES: [&str; 16] = [
    "account", "accounts", "admin", "auth", "billing", "login", "payment", "payments", "payout", "payouts", "portal", "security",
    "sign", "signin", "support", "verify",
];

impl Slug {
    pub fn parse(text: &str) -> Result<Self, SlugError> {
        let has_length = (MIN_LENGTH..=MAX_LENGTH).contains(&text.len());
        let is_word =
            |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        if !has_length || !text.split('-').all(is_word) {
            return Err(SlugError::Malformed);
        }
        let first_word = text.split('-').next().unwrap_or_default();
        if RESERVED.contains(&text) || RESERVED_PREFIXES.contains(&first_word) {
            return Err(SlugError::Reserved);
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Slug {
    type Err = SlugError;

    fn from_str(text: &str) -> Result<Self, SlugError> {
        Self::parse(text)
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_lower_case_words_with_single_dashes() {
        for text in ["abc", "a-1", "aurora-coffee", "0-0-0", "123", "admins", &"x".repeat(40)] {
            assert_eq!(Slug::parse(text).map(|slug| slug.to_string()), Ok(text.to_owned()));
        }
        for text in [
            "",
            "ab",
            &"x".repeat(41),
            "-abc",
            "abc-",
            "a--b",
            "---",
            "Abc",
            "a b",
            "a_b",
            "a.b",
            "a/b",
            "å-shop",
            " abc",
            "abc\n",
        ] {
            assert_eq!(Slug::parse(text), Err(SlugError::Malformed), "{text}");
        }
    }

    #[test]
    fn reserved_slugs_are_well_formed_and_sorted() {
        assert!(RESERVED.is_sorted());
        for text in RESERVED {
            assert_eq!(Slug::parse(text), Err(SlugError::Reserved), "{text}");
        }
        for word in RESERVED_PREFIXES {
            for text in [word.to_owned(), format!("{word}-cafe")] {
                assert_eq!(Slug::parse(&text), Err(SlugError::Reserved), "{text}");
            }
        }
        for text in ["portals", "portal1-a", "the-portal", "shop-aurora", "help-yourself"] {
            assert!(Slug::parse(text).is_ok(), "{text}");
        }
    }
}
