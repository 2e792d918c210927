//! Where each kind of secret may be seen.

/// The places of a card's code: those that sell, redeem and look up the card, and the rows of its sale.
const CARD: &str = "answer POST /api/bff/pos/issue, answer POST /api/bff/pos/redeem, answer POST /api/bff/pos/operations/cancellation, \
    answer GET /api/bff/pos/operations/{reference}, answer GET /api/bff/pos/card/{qrcode}, \
    answer GET /api/bff/cards/{qr}, answer GET /api/bff/merchant-orders/{orderId}, \
    answer GET /api/bff/merchant-orders/{orderId}/gift-cards/{giftCardId}/balance, row ORDER#, row OPERATION#, \
    row REDEMPTION#";

/// Where each kind may be seen: beginnings of the names of places, with a comma between them. It is a find anywhere else.
pub(super) const ALLOWED: &[(&str, &str)] = &[
    // Secrets of the platform.
    ("key of the card network", ""),
    ("key of the verifier", ""),
    ("signing key of the verifier", ""),
    ("key of codes", ""),
    ("credential of AWS", ""),
    ("answer of AWS", ""),
    // Secrets of users.
    ("session token", "answer POST /api/auth/session"),
    ("mailed code", "mail"),
    ("pairing code", "answer POST /api/auth/tills, answer POST /api/auth/tills/{id}/pairing"),
    ("token of a till", "answer POST /api/auth/tills/pairing"),
    ("key of a program", "answer POST /api/auth/keys, answer POST /api/auth/keys/{id}/rotation"),
    ("secret of a webhook", "answer POST /api/bff/webhooks, answer POST /api/bff/webhooks/{id}/rotation"),
    ("idempotency key", ""),
    (
        "signature of a link",
        "answer POST /api/onboarding/upload, answer GET /api/onboarding/document, answer GET /api/bff/exports/{id}",
    ),
    // It identifies a visit, and gives access to nothing.
    ("cookie of a visit", "answer GET /api/bff/widget/giftcards, row VISIT#, row VISITS#"),
    // What callers send that is not valid.
    ("rejected credential", ""),
    // Cards.
    ("code of a card", CARD),
    // Personal data.
    ("address of a client", ""),
    // Operators without a name are called by it.
    (
        "address of a user",
        "answer POST /api/auth/session, answer GET /api/auth/session, answer PATCH /api/auth/session/user, \
         answer GET /api/bff/merchant/users, answer POST /api/auth/invites, \
         answer POST /api/auth/invites/{challengeId}/acceptance, answer GET /api/bff/merchant/activity, \
         answer GET /api/admin/merchants/{id}, mail, row USER#, row EMAIL#, row CHALLENGE#, row MERCHANT#/INVITE#, \
         row ACTIVITY#, row JOB#, row ORDER#, row REDEMPTION#, row CARD_HISTORY#, answer POST /api/auth/keys, \
         answer GET /api/auth/keys, answer POST /api/auth/keys/{id}/rotation, row MERCHANT#/KEY#, row CREATION#",
    ),
    (
        "phone of a user",
        "answer POST /api/auth/session, answer GET /api/auth/session, answer PATCH /api/auth/session/user, \
         answer GET /api/bff/merchant/users, row USER#, row MERCHANT#/INVITE#",
    ),
    (
        "address of a buyer",
        "answer GET /api/bff/merchant-orders, answer GET /api/bff/merchant-orders/{orderId}, row ORDER#, row ORDERS#, \
         row FLAGGED_ORDERS#, row CHANGED_ORDERS#, row SEGMENTS#, object portal-search, object portal-files/, \
         answer POST /api/bff/pos/issue",
    ),
    ("phone of a recipient", "row ORDER#, answer GET /api/bff/merchant-orders/{orderId}"),
    ("name of a director", "answer GET /api/bff/merchant, answer GET /api/admin/merchants/{id}, row MERCHANT#/MERCHANT"),
    (
        "name of a file",
        "answer POST /api/onboarding/upload, answer GET /api/onboarding/document, object portal-files/, row AUDIT#",
    ),
];
