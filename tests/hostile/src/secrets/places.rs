//! Where each kind of secret may be seen.

use super::canaries::Canaries;

/// A text that was answered, stored, mailed, sent or logged.
pub(crate) struct Place {
    /// Such as `answer GET /api/bff/merchant`, `row ORDER#`, `mail`, `object portal-files`, `webhook` or `log`.
    name: String,
    text: String,
}

impl Place {
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// Where a kind may be seen. It is a find anywhere else.
pub(crate) struct Allowed {
    pub(crate) kind: &'static str,
    /// Beginnings of the names of places.
    places: &'static [&'static str],
}

const fn allowed(kind: &'static str, places: &'static [&'static str]) -> Allowed {
    Allowed { kind, places }
}

/// The places of a card's code: those that sell, redeem and look up the card, and the rows of its sale.
const CARD: &[&str] = &[
    "answer POST /api/bff/pos/issue",
    "answer POST /api/bff/pos/redeem",
    "answer POST /api/bff/pos/operations/cancellation",
    "answer GET /api/bff/pos/operations/{reference}",
    "answer GET /api/bff/pos/card/{qrcode}",
    "answer GET /api/bff/cards/{qr}",
    "answer GET /api/bff/merchant-orders/{orderId}",
    "answer GET /api/bff/merchant-orders/{orderId}/gift-cards/{giftCardId}/balance",
    "row ORDER#",
    "row OPERATION#",
    "row REDEMPTION#",
];

pub(crate) const ALLOWED: &[Allowed] = &[
    // Secrets of the platform.
    allowed("key of the card network", &[]),
    allowed("key of the verifier", &[]),
    allowed("signing key of the verifier", &[]),
    allowed("key of codes", &[]),
    allowed("credential of AWS", &[]),
    allowed("answer of AWS", &[]),
    // Secrets of users.
    allowed("session token", &["answer POST /api/auth/session"]),
    allowed("mailed code", &["mail"]),
    allowed("pairing code", &["answer POST /api/auth/tills", "answer POST /api/auth/tills/{id}/pairing"]),
    allowed("token of a till", &["answer POST /api/auth/tills/pairing"]),
    allowed("secret of a webhook", &["answer POST /api/bff/webhooks", "answer POST /api/bff/webhooks/{id}/rotation"]),
    allowed("idempotency key", &[]),
    allowed(
        "signature of a link",
        &["answer POST /api/onboarding/upload", "answer GET /api/onboarding/document", "answer GET /api/bff/exports/{id}"],
    ),
    // It identifies a visit, and gives access to nothing.
    allowed("cookie of a visit", &["answer GET /api/bff/widget/giftcards", "row VISIT#", "row VISITS#"]),
    // What callers send that is not valid.
    allowed("rejected credential", &[]),
    // Cards.
    allowed("code of a card", CARD),
    // Personal data.
    allowed("address of a client", &[]),
    allowed(
        "address of a user",
        &[
            "answer POST /api/auth/session",
            "answer GET /api/auth/session",
            "answer PATCH /api/auth/session/user",
            "answer GET /api/bff/merchant/users",
            "answer POST /api/auth/invites",
            "answer GET /api/bff/merchant/activity",
            "answer GET /api/admin/merchants/{id}",
            "mail",
            "row USER#",
            "row EMAIL#",
            "row CHALLENGE#",
            "row MERCHANT#/INVITE#",
            "row ACTIVITY#",
            "row JOB#",
        ],
    ),
    allowed(
        "phone of a user",
        &[
            "answer POST /api/auth/session",
            "answer GET /api/auth/session",
            "answer PATCH /api/auth/session/user",
            "answer GET /api/bff/merchant/users",
            "row USER#",
            "row MERCHANT#/INVITE#",
        ],
    ),
    allowed(
        "address of a buyer",
        &[
            "answer GET /api/bff/merchant-orders",
            "answer GET /api/bff/merchant-orders/{orderId}",
            "row ORDER#",
            "row ORDERS#",
            "row ORDERS_BY_STATUS#",
            "row FLAGGED_ORDERS#",
            "row CHANGED_ORDERS#",
            "row SEGMENTS#",
            "object portal-search",
            "object portal-files/",
            "answer POST /api/bff/pos/issue",
        ],
    ),
    allowed("phone of a recipient", &["row ORDER#", "answer GET /api/bff/merchant-orders/{orderId}"]),
    allowed(
        "name of a director",
        &["answer GET /api/bff/merchant", "answer GET /api/admin/merchants/{id}", "row MERCHANT#/MERCHANT"],
    ),
    allowed(
        "name of a file",
        &["answer POST /api/onboarding/upload", "answer GET /api/onboarding/document", "object portal-files/", "row AUDIT#"],
    ),
];

/// Whether a place has this name: a route, or the kind of a row with what follows.
fn covers(pattern: &str, name: &str) -> bool {
    if pattern.starts_with("answer") { pattern == name } else { name.starts_with(pattern) }
}

/// Every canary that is where it may not be, once for each kind and place.
pub(crate) fn finds(canaries: &Canaries, places: &[Place]) -> Vec<String> {
    let mut finds = Vec::new();
    for (allowed, spelling) in canaries.spellings() {
        for place in places {
            if allowed.places.iter().any(|pattern| covers(pattern, &place.name)) {
                continue;
            }
            let Some(position) = place.text.find(&spelling) else { continue };
            let find = format!("{} in {}", allowed.kind, place.name);
            if finds.iter().any(|found: &String| found.starts_with(&find)) {
                continue;
            }
            let around = place.text.get(position.saturating_sub(80)..(position + spelling.len() + 40).min(place.text.len()));
            finds.push(format!("{find}: …{}…", around.unwrap_or(&spelling)));
        }
    }
    finds
}
