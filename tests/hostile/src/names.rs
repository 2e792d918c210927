//! Which parameters and fields of requests name a thing, and of which kind.

use std::collections::BTreeMap;

use serde_json::json;

use crate::request::{Content, Request};
use crate::routes::{Body, Place, Route};
use crate::shop::Kind;

/// A part of a request that names something.
#[derive(Debug, Clone)]
pub(crate) struct Position {
    pub(crate) place: Place,
    /// A pointer in the body.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) is_number: bool,
}

/// What a parameter or a field has.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    Names(Kind),
    /// A value that names nothing which belongs to a merchant.
    Value,
    /// A name that looks as if it named something. It has to be added to [`NAMES`].
    Unknown,
}

/// The first line counts whose first text is in the path of the route, and whose second is the name.
const NAMES: &[(&str, &str, Meaning)] = {
    use Kind::{
        Card, CardCode, Cursor, Document, Email, Export, IdempotencyKey, Invitation, Media, Member, Merchant, NetworkAccount,
        Offer, Operation, Order, Payout, PayoutRun, Redemption, Session, Settlement, SignIn, Slug, Store, Till, WebhookDelivery,
        WebhookEndpoint,
    };
    use Meaning::{Names, Value};
    &[
        ("/admin/merchants", "id", Names(Merchant)),
        ("/admin/settlements", "id", Names(Settlement)),
        ("/payouts", "id", Names(Payout)),
        ("/offers", "id", Names(Offer)),
        ("/exports", "id", Names(Export)),
        ("/tills", "id", Names(Till)),
        ("/webhooks", "id", Names(WebhookEndpoint)),
        ("/auth/sessions", "id", Names(Session)),
        ("/auth/invites", "challengeId", Names(Invitation)),
        ("/auth/session", "challengeId", Names(SignIn)),
        ("", "deliveryId", Names(WebhookDelivery)),
        ("", "runId", Names(PayoutRun)),
        ("", "payoutId", Names(Payout)),
        ("", "merchantId", Names(Merchant)),
        ("", "X-Expected-Merchant", Names(Merchant)),
        ("", "orderId", Names(Order)),
        ("", "giftCardId", Names(Card)),
        ("", "qr", Names(CardCode)),
        ("", "qrcode", Names(CardCode)),
        ("", "qrCode", Names(CardCode)),
        ("", "redemptionId", Names(Redemption)),
        ("", "refundOf", Names(Redemption)),
        ("", "userId", Names(Member)),
        ("", "targetUserId", Names(Member)),
        // Where a card is sent to.
        ("/pos/issue", "email", Value),
        ("", "email", Names(Email)),
        ("", "slug", Names(Slug)),
        ("", "networkMerchantId", Names(NetworkAccount)),
        ("", "defaultOfferId", Names(Offer)),
        ("", "giftCardOfferId", Names(Offer)),
        ("", "retailStoreId", Names(Store)),
        ("/retail-store", "externalId", Names(Store)),
        ("/pos/operations/{reference}", "reference", Names(Operation)),
        ("", "Idempotency-Key", Names(IdempotencyKey)),
        ("", "idempotencyKey", Names(IdempotencyKey)),
        ("/admin/media", "key", Names(Media)),
        ("/gift-card-image", "key", Names(Media)),
        ("/onboarding", "url", Names(Document)),
        ("", "cursor", Names(Cursor)),
        ("", "after", Names(Cursor)),
        // The reference of a transfer at the bank, and what a till writes on a sale.
        ("/admin/payouts", "reference", Value),
        ("", "paymentReference", Value),
        ("", "externalReference", Value),
        ("", "deviceId", Value),
        ("", "terminalId", Value),
        // The merchant's number in its own systems.
        ("/bff/merchant", "externalMerchantId", Value),
        ("/webhooks", "url", Value),
        ("", "logoUrl", Value),
        // Of the verifier, whose signature is asked for first.
        ("/kyb-decision", "id", Value),
        ("/kyb-decision", "companyId", Value),
        ("", "Pairing-Attempt", Value),
        ("", "Idempotency-Made-At", Value),
        ("", "If-None-Match", Value),
        ("", "x-hmac-signature", Value),
        ("", "days", Value),
        ("", "from", Value),
        ("", "to", Value),
        ("", "page", Value),
        ("", "pageSize", Value),
        ("", "skip", Value),
        ("", "take", Value),
        ("", "limit", Value),
        ("", "q", Value),
        ("", "status", Value),
        ("", "paymentStatus", Value),
        ("", "held", Value),
        ("", "onlyChanges", Value),
        ("", "currency", Value),
        ("", "eligibleBefore", Value),
        ("", "count", Value),
    ]
};

/// How names of fields end that name things. All names of other parts of a request have to be known.
const ENDINGS: [&str; 12] = ["id", "ids", "key", "keys", "url", "reference", "qr", "qrcode", "cursor", "after", "slug", "email"];

/// The parts of requests to the route that name something, and the names of those of which this is not known.
pub(crate) fn positions(route: &Route) -> (Vec<Position>, Vec<String>) {
    let parameters = route.parameters.iter().map(|parameter| (parameter.place, &parameter.name, &parameter.name, false));
    let fields = match &route.body {
        Some(Body::Json { fields, .. }) => fields.as_slice(),
        _ => &[],
    };
    let fields = fields.iter().map(|field| (Place::Body, &field.pointer, &field.name, field.is_number));
    let (mut positions, mut unknown) = (Vec::new(), Vec::new());
    for (place, pointer, name, is_number) in parameters.chain(fields) {
        match meaning(route, place, name) {
            Meaning::Names(kind) => positions.push(Position { place, name: pointer.clone(), kind, is_number }),
            Meaning::Value => {}
            Meaning::Unknown => unknown.push(pointer.clone()),
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

fn meaning(route: &Route, place: Place, name: &str) -> Meaning {
    let known = NAMES.iter().find(|(path, known, _)| route.path.contains(path) && *known == name);
    let looks_like_a_name = || {
        let name = name.to_ascii_lowercase();
        place != Place::Body || ENDINGS.iter().any(|ending| name.ends_with(ending)) || name.contains("merchantid")
    };
    match known {
        Some((_, _, meaning)) => *meaning,
        None if looks_like_a_name() => Meaning::Unknown,
        None => Meaning::Value,
    }
}
