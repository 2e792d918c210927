// Every request of the dashboard that changes something, by the script that sends it: the changes that are tried with it
// (dashboard-changes.mjs, dashboard-creations.mjs), or why none is.

export const WRITES = {
    "account/account.js": { "PATCH /api/auth/session/user": ["save the account"] },
    "account/mail-sign-in.js": { "PATCH /api/auth/session/user": ["turn mailed codes off"] },
    "account/passkey-dialogs.js": {
        "POST /api/auth/passkeys/options": "It prepares a passkey, and changes nothing.",
        "POST /api/auth/passkeys": ["add a passkey"],
        "DELETE /api/auth/passkeys/{id}": ["remove a passkey"],
    },
    "account/passkey-sign-in.js": {
        "POST /api/auth/passkeys/challenge": "It prepares a sign-in, and changes nothing.",
        "POST /api/auth/session": "Who is not signed in sees that, and a further sign-in takes nothing back.",
    },
    "account/sessions.js": {
        "DELETE /api/auth/sessions/{id}": ["end a session"],
        "DELETE /api/auth/sessions": ["sign out everywhere"],
    },
    "account/sign-in.js": {
        "POST /api/auth/code": "Another code is asked for beside the field. The latest one works.",
        "POST /api/auth/session": "Who is not signed in sees that, and asks for another code.",
    },
    "account/sign-out.js": { "DELETE /api/auth/session": ["sign out"] },
    "business/application-draft.js": { "POST /api/onboarding/submit": ["save the draft of an application"] },
    "business/application.js": {
        "POST /api/onboarding/submit": ["send an application"],
        "POST /api/onboarding/upload": ["store a document"],
        "DELETE /api/auth/merchant": ["delete a draft"],
    },
    "business/business.js": { "PUT /api/bff/merchant": ["save business details", "save a colour"] },
    "business/invitations.js": { "POST /api/auth/invites/{challengeId}/acceptance": ["join a business"] },
    "business/start.js": { "POST /api/auth/merchant": ["set up a business"] },
    "developers/key-dialogs.js": {
        "POST /api/auth/keys": ["make a key"],
        "POST /api/auth/keys/{id}/rotation": ["rotate a key"],
        "DELETE /api/auth/keys/{id}": ["revoke a key"],
    },
    "developers/webhook-calls.js": { "PATCH /api/bff/webhooks/{id}": ["disable an endpoint", "enable an endpoint", "change an endpoint"] },
    "developers/webhook-dialogs.js": {
        "DELETE /api/bff/webhooks/{id}": ["delete an endpoint"],
        "POST /api/bff/webhooks/{id}/rotation": ["replace a secret"],
        "POST /api/bff/webhooks/{id}/test": ["send a test"],
    },
    "developers/webhook-form.js": {
        "POST /api/bff/webhooks": ["create an endpoint"],
        "POST /api/bff/webhooks/{id}/rotation": "It follows an answer that was lost, and dashboard-creating.test.mjs loses it too.",
    },
    "developers/webhook.js": { "POST /api/bff/webhooks/{id}/deliveries/{deliveryId}/retry": ["send a message again"] },
    "forms/image-field.js": { "POST /api/bff/offers/media": ["store a logo", "store the image of an offer"] },
    "offers/offer.js": {
        "PATCH /api/bff/offers/{id}/status": ["hide an offer", "put an offer on sale", "archive an offer"],
        "POST /api/bff/offers": ["create an offer"],
        "PUT /api/bff/offers/{id}": ["save an offer"],
    },
    "offers/offers.js": { "PATCH /api/bff/offers/{id}/status": ["put a draft on sale"] },
    "platform/merchant.js": {
        "PATCH /api/admin/merchants/{id}": ["suspend a merchant", "change the terms of a merchant", "set a network account", "review an identity"],
    },
    "platform/merchant-images.js": { "DELETE /api/admin/media": ["take an image down"] },
    "platform/payout-decisions.js": { "PATCH /api/admin/payouts/{id}": ["mark a payout as paid", "cancel a payout", "take out: the payout"] },
    "platform/payout-run.js": { "POST /api/admin/payouts": ["start a payout run"] },
    "platform/payout-take-out.js": { "POST /api/admin/payouts": ["take out: another run"] },
    "platform/settlement-holds.js": {
        "PATCH /api/admin/settlements/{merchantId}/{id}": ["hold a settlement back", "release a settlement", "take out: the settlement"],
    },
    "reports/exports.js": { "POST /api/bff/exports": ["export orders", "export redemptions", "export settlements"] },
    "stores/store-dialog.js": {
        "PUT /api/bff/retail-store": ["save a store"],
        "POST /api/bff/retail-store": ["add a store"],
    },
    "stores/stores.js": { "DELETE /api/auth/tills/{id}": ["revoke a till"] },
    "stores/till-dialogs.js": {
        "POST /api/auth/tills": ["pair a till"],
        "POST /api/auth/tills/{id}/pairing": ["show a pairing code"],
    },
    "team/team.js": {
        "DELETE /api/auth/members/{userId}": ["remove a member"],
        "DELETE /api/auth/invites/{challengeId}": ["withdraw an invitation"],
        "POST /api/auth/invites/{challengeId}/resend": ["send an invitation again"],
    },
    "team/team-dialogs.js": {
        "POST /api/auth/invites": ["invite somebody"],
        "POST /api/auth/invites/{challengeId}/verification": ["confirm an invitation"],
        "PATCH /api/bff/merchant/users": ["change a role"],
    },
};

const REQUESTS = Object.values(WRITES).flatMap(Object.entries);

/** The request of a change, such as "DELETE /api/auth/tills/{id}". */
export const writeOf = (what) => REQUESTS.find(([, tried]) => Array.isArray(tried) && tried.includes(what))?.[0];

/** The names of all changes. */
export const TRIED = REQUESTS.flatMap(([, tried]) => (Array.isArray(tried) ? tried : []));
