//! Which parameters and fields of requests name a thing, and of which kind.

use std::collections::BTreeMap;

use serde_json::json;

use crate::request::{Content, Request};
use crate::routes::{Place, Route};
use crate::shop::Kind;

#[derive(Debug, Clone)]
pub(crate) struct Position {
    pub(crate) place: Place,
    /// A pointer in the body.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) is_number: bool,
}

/// The parameters and fields that name a thing of a kind. One with a path and a colon before it counts for routes with it in their path.
const NAMES: [(Kind, &str); 29] = [
    (Kind::Merchant, "/admin/merchants:id merchantId X-Expected-Merchant"),
    (Kind::Settlement, "/admin/settlements:id"),
    (Kind::Payout, "/payouts:id payoutId"),
    (Kind::PayoutRun, "runId"),
    (Kind::Offer, "/offers:id defaultOfferId giftCardOfferId"),
    (Kind::Export, "/exports:id"),
    (Kind::Till, "/tills:id"),
    (Kind::ApiKey, "/auth/keys:id"),
    (Kind::WebhookEndpoint, "/webhooks:id"),
    (Kind::WebhookDelivery, "deliveryId"),
    (Kind::Session, "/auth/sessions:id"),
    (Kind::Passkey, "/auth/passkeys:id"),
    (Kind::PasskeyChallenge, "/auth/passkeys:challengeId"),
    (Kind::Invitation, "/auth/invites:challengeId"),
    (Kind::SignIn, "/auth/session:challengeId"),
    (Kind::Order, "orderId"),
    (Kind::Card, "giftCardId"),
    (Kind::CardCode, "qr qrcode qrCode /balance:code /shop/{slug}/card:code"),
    (Kind::Redemption, "redemptionId refundOf"),
    (Kind::Member, "userId targetUserId"),
    (Kind::Email, "email"),
    (Kind::Slug, "slug"),
    (Kind::NetworkAccount, "networkMerchantId"),
    (Kind::Store, "retailStoreId /retail-store:externalId"),
    (Kind::Operation, "/pos/operations/{reference}:reference"),
    (Kind::IdempotencyKey, "Idempotency-Key idempotencyKey"),
    (Kind::Document, "/onboarding:url"),
    (Kind::Cursor, "cursor after"),
    (Kind::Media, "/admin/media:key /gift-card-image:key"),
];

/// Those that name nothing which belongs to a merchant: where a card is sent to, the reference of a transfer at the bank, what a till
/// writes on a sale, the merchant's number in its own systems, and what the verifier sends, whose signature is asked for first.
const VALUES: &str = "/pos/issue:email /admin/payouts:reference paymentReference externalReference deviceId terminalId \
    /bff/merchant:externalMerchantId /webhooks:url logoUrl /kyb-decision:id /kyb-decision:companyId Pairing-Attempt \
    Idempotency-Made-At If-None-Match x-hmac-signature days months from to page pageSize skip take limit q status paymentStatus held \
    onlyChanges keepKeys currency eligibleBefore count lang Accept-Language";

/// How names of fields end that name things. All names of other parts of a request have to be known.
const ENDINGS: [&str; 12] = ["id", "ids", "key", "keys", "url", "reference", "qr", "qrcode", "cursor", "after", "slug", "email"];

/// The parts of requests to the route that name something, and the names of those of which this is not known.
pub(crate) fn positions(route: &Route) -> (Vec<Position>, Vec<String>) {
    let parameters = route.parameters.iter().map(|parameter| (parameter.place, &parameter.name, &parameter.name, false));
    let fields = route.fields().iter().map(|field| (Place::Body, &field.pointer, &field.name, field.is_number));
    let (mut positions, mut unknown) = (Vec::new(), Vec::new());
    for (place, pointer, name, is_number) in parameters.chain(fields) {
        let is_known = |entries: &str| {
            entries.split(' ').any(|entry| match entry.split_once(':') {
                Some((path, known)) => known == name && route.path.contains(path),
                None => entry == name,
            })
        };
        if is_known(VALUES) {
            continue;
        }
        match NAMES.iter().find(|(_, entries)| is_known(entries)) {
            Some((kind, _)) => positions.push(Position { place, name: pointer.clone(), kind: *kind, is_number }),
            None if looks_like_a_name(place, name) => unknown.push(pointer.clone()),
            None => {}
        }
    }
    (positions, unknown)
}

/// A request with these things wherever an id is required, or is in the example.
pub(crate) fn request(route: &Route, positions: &[Position], things: &BTreeMap<Kind, Vec<String>>) -> Request {
    let mut request = Request::to(route);
    if let (Content::Json(body), "/api/admin/merchants/{id}") = (&mut request.content, route.path) {
        // The example is of a merchant that is not active yet.
        *body = json!({"payoutDelayDays": 7, "reason": "agreed"});
    }
    for Position { place, name, kind, is_number } in positions {
        let is_required = route.parameters.iter().any(|parameter| parameter.name == *name && parameter.is_required);
        if is_required || (*place == Place::Body && request.has(name)) {
            request.set(*place, name, &things[kind][0], *is_number);
        }
    }
    request
}

fn looks_like_a_name(place: Place, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    place != Place::Body || ENDINGS.iter().any(|ending| name.ends_with(ending)) || name.contains("merchantid")
}
