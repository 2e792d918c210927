// Every change that can be made in the dashboard, for tests of what is said of it.

import assert from "node:assert/strict";

import { codeFor, loaded, show } from "./dashboard.mjs";
import { api, drain, mail, signIn, urls } from "./support.mjs";

const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

const sessionOf = async (userId) => ({ authorization: `Bearer ${(await api("POST", "/__local/sessions", { userId })).token}` });
const as = async (userId, method, path, body, headers = {}) => (await api(method, path, body, { ...(await sessionOf(userId)), ...headers }));

/** A business with an administrator, and what it is owed. */
export async function business(name, more = {}) {
    const settlement = (id) => ({
        id: `s-${name}-${id}`, merchantId: `m-${name}`, sourceType: "REDEMPTION", sourceId: `r-${name}-${id}`, redemptionId: `r-${name}-${id}`, grossAmountMinor: 5100,
        feeAmountMinor: 100, netAmountMinor: 5000, currency: "EUR", feeSnapshot: { percentBps: 0, fixedMinor: 100 }, status: "PENDING", eligibleAt: "now-2d", createdAt: "now-9d",
    });
    const user = (id, role) => ({ id: `u-${id}`, email: `${id}@doubt.example`, firstName: "Ada", lastName: id, emailVerified: true, merchantId: `m-${name}`, merchantTeamRole: role });
    await api("POST", "/__local/fixtures", {
        merchants: [{ id: `m-${name}`, slug: `${name}-shop`, name: `${name} shop`, tradeName: `${name} shop`, legalName: `${name} Oy`, status: "ACTIVE", country: "FI", currency: "EUR",
            timeZone: "Europe/Helsinki", settlementMode: "SETTLEMENT_ON_REDEMPTION", ...more }],
        users: [user(name, "ADMIN"), user(`${name}-other`, "FULL")],
        settlements: [settlement(1), settlement(2)],
    });
}

/** A business with a payout that waits for its second person. Returns the payout's id. */
async function payout(name) {
    await business(name);
    const { runId } = (await as("u-root", "POST", "/api/admin/payouts", { merchantId: `m-${name}` }, { "idempotency-key": crypto.randomUUID() })).data;
    await drain();
    return (await as("u-root", "GET", `/api/admin/payouts?runId=${runId}`)).data.payouts[0].id;
}

async function till(name) {
    return (await as("u-anna", "POST", "/api/auth/tills", { name, retailStoreId: "101" })).data.id;
}

async function invitation(name) {
    const { data } = await as("u-doubt", "POST", "/api/auth/invites", { email: `${name}@doubt.example`, firstName: "Bo", lastName: name, merchantTeamRole: "VIEWER" });
    return data.challengeId;
}

async function endpoint(name, user = "u-anna") {
    return (await as(user, "POST", "/api/bff/webhooks", { url: `https://${name}.example.com/`, events: ["gift_card.issued"] })).data.id;
}

const endpointOf = async (id) => (await as("u-anna", "GET", "/api/bff/webhooks")).data.find((one) => one.id === id);
const teamOf = async () => (await as("u-doubt", "GET", "/api/bff/merchant/users")).data;
const merchantOf = async (id) => (await as("u-root", "GET", `/api/admin/merchants/${id}`)).data;
const settlementOf = async (name) => (await as("u-root", "GET", `/api/admin/settlements?merchantId=m-${name}`)).data.settlements.find(({ id }) => id === `s-${name}-1`);
const payoutOf = async (id) => (await as("u-root", "GET", `/api/admin/payouts/${id}`)).data.payout;

const click = (page, name) => page.getByRole("button", { name, exact: true }).first().click();
export const dialogButton = (page, name) => page.locator("dialog[open]").last().getByRole("button", { name, exact: true });
const fill = async (page, values) => {
    for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
};

/** Confirms whatever asks for a passkey, and keeps one that is synced. */
async function addAuthenticator(page) {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
        options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, defaultBackupEligibility: true, defaultBackupState: true },
    });
    return { confirms: (enabled) => devtools.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled }) };
}

async function addPasskey(page) {
    const authenticator = await addAuthenticator(page);
    await click(page, "Add a passkey");
    await dialogButton(page, "Add the passkey").click();
    await page.getByText("The passkey was added.").waitFor();
    await loaded(page);
    return authenticator;
}

/** A field for files as a button: a press chooses a picture. */
const fileField = (page, label) => {
    const field = page.getByLabel(label, { exact: true });
    const choose = async () => {
        assert.equal(await field.evaluate((one) => one.value), "", "the same file can be chosen again");
        await field.setInputFiles({ name: "picture.png", mimeType: "image/png", buffer: PIXEL });
    };
    return { isVisible: () => field.isVisible(), click: choose };
};

/** An application that lacks nothing but what is typed. */
const APPLICATION = {
    registrationNumber: "1234567-8", vatNumber: "FI12345678", legalAddress: { line1: "Katu 1", city: "Turku", postalCode: "20100", country: "FI" },
    directors: [{ name: "Ada Doubt", role: "Managing director" }],
};

/** A business whose application is a draft. */
async function applicant(name) {
    await business(name, { status: "DRAFT", name: `${name} shop` });
    await as(`u-${name}`, "POST", "/api/onboarding/submit", { ...APPLICATION, isDraft: true });
    return { user: `u-${name}`, path: "/", heading: "Application" };
}

const applicationOf = async (name) => (await as(`u-${name}`, "GET", "/api/bff/merchant")).data;
const keyOf = async (name) => (await as("u-anna", "GET", "/api/auth/keys")).data.find((one) => one.name === name);
const makeKey = async (name) => (await as("u-anna", "POST", "/api/auth/keys", { name, permissions: ["portal.reports"], readOnly: true, expiresInDays: 30 })).data;

/** What: whose it is, the page, the request, how the form is opened, up to the button, and whether it happened, as the API has it. Without
 * `happened`, the API shows nothing of it. `shows`: what the page has once it is done. `creates`: one press has one Idempotency-Key. */
export const CHANGES = {
    "save the account": async () => ({
        user: "u-doubt", path: "/account", heading: "Your account", write: "PATCH /api/auth/session/user",
        prepare: async (page) => (await fill(page, { "First name": "Augusta" }), page.getByRole("button", { name: "Save" })),
        happened: async () => (await as("u-doubt", "GET", "/api/auth/session")).data.user.firstName === "Augusta",
    }),
    "save business details": async () => ({
        user: "u-doubt", path: "/business", heading: "Business details", write: "PUT /api/bff/merchant",
        prepare: async (page) => (await fill(page, { Website: "https://doubt.example" }), page.getByRole("button", { name: "Save" })),
        happened: async () => (await as("u-doubt", "GET", "/api/bff/merchant")).data.brand.website === "https://doubt.example",
    }),
    "save a store": async () => ({
        user: "u-anna", path: "/stores", heading: "Stores and tills", write: "PUT /api/bff/retail-store",
        prepare: async (page) => (await click(page, "Edit Main street"), await page.getByLabel("Address", { exact: true }).fill("Kungsgatan 77"), dialogButton(page, "Save")),
        happened: async () => (await as("u-anna", "GET", "/api/bff/merchant-stores")).data.retailStores.some(({ address1 }) => address1 === "Kungsgatan 77"),
    }),
    "revoke a till": async () => {
        const id = await till("Doubt 1");
        return {
            user: "u-anna", path: "/stores", heading: "Stores and tills", write: "DELETE /api/auth/tills/{id}",
            prepare: async (page) => (await click(page, "Revoke Doubt 1"), dialogButton(page, "Revoke Doubt 1")),
            happened: async () => (await as("u-anna", "GET", "/api/auth/tills")).data.find((one) => one.id === id).revokedAt !== null,
        };
    },
    "show a pairing code": async () => {
        await till("Doubt 2");
        const again = (page) => page.getByRole("button", { name: "Pair: Doubt 2" });
        return { user: "u-anna", path: "/stores", heading: "Stores and tills", write: "POST /api/auth/tills/{id}/pairing", prepare: again, closes: "Close" };
    },
    "change a role": async () => ({
        user: "u-doubt", path: "/team", heading: "Team", write: "PATCH /api/bff/merchant/users",
        prepare: async (page) => (await click(page, "Change role of Ada doubt-other"), await page.getByLabel("Viewer (read-only)").check(), dialogButton(page, "Change role")),
        happened: async () => (await teamOf()).find(({ id }) => id === "u-doubt-other").merchantTeamRole === "VIEWER",
    }),
    "remove a member": async () => ({
        user: "u-doubt", path: "/team", heading: "Team", write: "DELETE /api/auth/members/{userId}",
        prepare: async (page) => (await click(page, "Remove Ada doubt-other"), dialogButton(page, "Remove Ada doubt-other")),
        happened: async () => !(await teamOf()).some(({ id }) => id === "u-doubt-other"),
    }),
    "withdraw an invitation": async () => {
        const id = await invitation("withdrawn");
        return {
            user: "u-doubt", path: "/team", heading: "Team", write: "DELETE /api/auth/invites/{challengeId}",
            prepare: async (page) => (await click(page, "Withdraw the invitation of Bo withdrawn"), dialogButton(page, "Withdraw the invitation")),
            happened: async () => !(await teamOf()).some((one) => one.id === `invite:${id}`),
        };
    },
    "confirm an invitation": async () => {
        const id = await invitation("confirmed");
        return {
            user: "u-doubt", path: "/team", heading: "Team", write: "POST /api/auth/invites/{challengeId}/verification",
            prepare: async (page) => {
                await click(page, "Enter the code: Bo confirmed");
                const field = page.getByLabel("Code", { exact: true });
                await field.fill(await codeFor("doubt@doubt.example", field));
                return dialogButton(page, "Confirm");
            },
            happened: async () => (await teamOf()).find((one) => one.id === `invite:${id}`)?.status === "Invited, pending acceptance",
            closes: "Later",
        };
    },
    "send an invitation again": async () => {
        const id = await invitation("again");
        await drain();
        const code = /^\s*([2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4})\s*$/m.exec((await mail()).findLast(({ to }) => to.includes("doubt@doubt.example")).text)[1];
        await as("u-doubt", "POST", `/api/auth/invites/${id}/verification`, { code });
        return {
            user: "u-doubt", path: "/team", heading: "Team", write: "POST /api/auth/invites/{challengeId}/resend",
            prepare: (page) => page.getByRole("button", { name: "Send it again: Bo again" }),
        };
    },
    "disable an endpoint": async () => {
        const id = await endpoint("disabled");
        return {
            user: "u-anna", path: `/webhooks/${id}`, heading: "disabled.example.com", write: "PATCH /api/bff/webhooks/{id}",
            prepare: async (page) => (await click(page, "Disable"), dialogButton(page, "Disable disabled.example.com")),
            happened: async () => (await endpointOf(id)).status === "DISABLED",
        };
    },
    "enable an endpoint": async () => {
        const id = await endpoint("enabled");
        await as("u-anna", "PATCH", `/api/bff/webhooks/${id}`, { status: "DISABLED" });
        return {
            user: "u-anna", path: `/webhooks/${id}`, heading: "enabled.example.com", write: "PATCH /api/bff/webhooks/{id}", isGone: true,
            prepare: (page) => page.getByRole("button", { name: "Enable", exact: true }),
            happened: async () => (await endpointOf(id)).status === "ENABLED",
        };
    },
    "change an endpoint": async () => {
        const id = await endpoint("changed");
        return {
            user: "u-anna", path: `/webhooks/${id}`, heading: "changed.example.com", write: "PATCH /api/bff/webhooks/{id}",
            prepare: async (page) => (await click(page, "Change"), await fill(page, { "Address (URL)": "https://moved.example.com/" }), dialogButton(page, "Save")),
            happened: async () => (await endpointOf(id)).url === "https://moved.example.com/",
            closes: "I have stored it", // the secret of another address was in the answer that was lost
        };
    },
    "replace a secret": async () => {
        const id = await endpoint("secret");
        return {
            user: "u-anna", path: `/webhooks/${id}`, heading: "secret.example.com", write: "POST /api/bff/webhooks/{id}/rotation",
            prepare: async (page) => (await click(page, "Replace the secret"), dialogButton(page, "Replace the secret")),
            happened: async () => (await endpointOf(id)).rotatedAt !== null,
            closes: "I have stored it",
        };
    },
    "delete an endpoint": async () => {
        const id = await endpoint("deleted");
        return {
            user: "u-anna", path: `/webhooks/${id}`, heading: "deleted.example.com", write: "DELETE /api/bff/webhooks/{id}",
            prepare: async (page) => (await click(page, "Delete"), dialogButton(page, "Delete deleted.example.com")),
            happened: async () => !(await endpointOf(id)),
        };
    },
    "send a test": async () => {
        const id = await endpoint("tested");
        return {
            user: "u-anna", path: `/webhooks/${id}`, heading: "tested.example.com", write: "POST /api/bff/webhooks/{id}/test",
            prepare: async (page) => (await click(page, "Send a test"), page.locator("dialog[open] footer button").last()),
            happened: async () => (await as("u-anna", "GET", `/api/bff/webhooks/${id}/deliveries`)).data.deliveries.length > 0,
            closes: "Close",
        };
    },
    "hide an offer": async () => ({
        user: "u-anna", path: "/offers/501", heading: "Aurora gift card", write: "PATCH /api/bff/offers/{id}/status",
        prepare: (page) => page.getByRole("button", { name: "Hide", exact: true }),
        happened: async () => (await as("u-anna", "GET", "/api/bff/offers/501")).data.status === "HIDDEN",
        isGone: true,
    }),
    "put an offer on sale": async () => {
        const offer = await as("u-anna", "POST", "/api/bff/offers", { name: "Doubtful card", giftCardOfferStatus: "HIDDEN", minPrice: 10, maxPrice: 50 });
        const { id } = offer.data;
        return {
            user: "u-anna", path: `/offers/${id}`, heading: "Doubtful card", write: "PATCH /api/bff/offers/{id}/status", isGone: true,
            prepare: (page) => page.getByRole("button", { name: "Put on sale", exact: true }),
            happened: async () => (await as("u-anna", "GET", `/api/bff/offers/${id}`)).data.status === "AVAILABLE",
        };
    },
    "save a colour": async () => ({
        user: "u-doubt", path: "/business", heading: "Business details", write: "PUT /api/bff/merchant",
        prepare: async (page) => {
            await page.getByLabel("Colour of the shop and its cards").fill("#7a1f5f");
            return page.locator("form").filter({ has: page.getByLabel("Colour of the shop and its cards") }).getByRole("button", { name: "Save" });
        },
        happened: async () => (await as("u-doubt", "GET", "/api/bff/merchant")).data.brand.primaryColor === "#7a1f5f",
    }),
    "take an image down": async () => {
        await business("pictured");
        const form = new FormData();
        form.set("file", new Blob([PIXEL], { type: "image/png" }), "logo.png");
        const upload = await fetch(`${urls.api}/api/bff/offers/media`, { method: "POST", headers: await sessionOf("u-pictured"), body: form });
        const { urlImage, key } = (await upload.json()).data;
        await as("u-pictured", "PUT", "/api/bff/merchant", { brand: { logoUrl: urlImage } });
        return {
            user: "u-root", path: "/merchants/m-pictured", heading: "pictured shop", write: "DELETE /api/admin/media",
            prepare: async (page) => {
                page.expected.push(/404 GET .*gift-card-image/);
                await click(page, "Take down: Logo");
                await fill(page, { Reason: "A test" });
                return dialogButton(page, "Take down");
            },
            happened: async () => (await fetch(`${urls.api}/api/public/gift-card-image?key=${encodeURIComponent(key)}`)).status === 404,
        };
    },
    "store a logo": async () => (await business("logo"), {
        user: "u-logo", path: "/business", heading: "Business details", write: "POST /api/bff/offers/media",
        prepare: (page) => fileField(page, "Logo"),
        shows: (page) => page.getByRole("img", { name: "Logo of the shop" }),
    }),
    "store the image of an offer": async () => ({
        user: "u-anna", path: "/offers/501", heading: "Aurora gift card", write: "POST /api/bff/offers/media",
        prepare: (page) => fileField(page, "Image"),
        shows: (page) => page.getByRole("button", { name: "Remove the image" }),
    }),
    "save the draft of an application": async () => ({
        ...(await applicant("draft")), write: "POST /api/onboarding/submit",
        prepare: async (page) => {
            await fill(page, { "VAT number": "FI87654321" });
            await page.clock.fastForward(1000);
            const again = page.getByRole("button", { name: "Save it again" });
            await again.waitFor();
            return again;
        },
        happened: async () => (await applicationOf("draft")).kyb.vatNumber === "FI87654321",
        shows: (page) => page.getByText(/^Saved at /),
    }),
    "send an application": async () => ({
        ...(await applicant("sent")), write: "POST /api/onboarding/submit",
        prepare: async (page) => {
            for (const what of ["the terms of the platform", "the privacy notice"]) await page.getByLabel(`I accept ${what}.`).check();
            return page.getByRole("button", { name: "Send the application" });
        },
        happened: async () => (await applicationOf("sent")).company.status !== "DRAFT",
        shows: (page) => page.getByText("The platform has received your application."),
    }),
    "store a document": async () => ({
        ...(await applicant("document")), write: "POST /api/onboarding/upload",
        prepare: (page) => fileField(page, "File"),
        shows: (page) => page.getByRole("button", { name: "Open picture.png" }),
    }),
    "make a key": async () => ({
        user: "u-anna", path: "/developers", heading: "Developers", write: "POST /api/auth/keys", closes: "Close", creates: true,
        prepare: async (page) => {
            await click(page, "New key");
            await fill(page, { Name: "Doubtful key" });
            await page.locator("dialog[open] fieldset").getByRole("checkbox").first().check();
            return dialogButton(page, "Create the key");
        },
        happened: async () => (await keyOf("Doubtful key")) !== undefined,
        shows: (page) => page.getByRole("button", { name: "Rotate Doubtful key" }),
    }),
    "rotate a key": async () => (await makeKey("Turning"), {
        user: "u-anna", path: "/developers", heading: "Developers", write: "POST /api/auth/keys/{id}/rotation", closes: "Close", creates: true,
        prepare: async (page) => (await click(page, "Rotate Turning"), dialogButton(page, "Create a new secret")),
        happened: async () => (await keyOf("Turning")).previousUntil !== null,
        shows: (page) => page.getByText(/The secret of before works until/),
    }),
    "revoke a key": async () => {
        const { id } = await makeKey("Doubt");
        return {
            user: "u-anna", path: "/developers", heading: "Developers", write: "DELETE /api/auth/keys/{id}",
            prepare: async (page) => (await click(page, "Revoke Doubt"), dialogButton(page, "Revoke Doubt")),
            happened: async () => !(await as("u-anna", "GET", "/api/auth/keys")).data.some((one) => one.id === id && one.endedAt === null),
        };
    },
    "suspend a merchant": async () => (await business("suspended"), {
        user: "u-root", path: "/merchants/m-suspended", heading: "suspended shop", write: "PATCH /api/admin/merchants/{id}",
        prepare: async (page) => (await click(page, "Suspend"), await fill(page, { Reason: "A test" }), dialogButton(page, "Suspend")),
        happened: async () => (await merchantOf("m-suspended")).status === "SUSPENDED",
    }),
    "hold a settlement back": async () => (await business("held"), {
        user: "u-root", path: "/merchants/m-held", heading: "held shop", write: "PATCH /api/admin/settlements/{merchantId}/{id}",
        prepare: async (page) => {
            await page.getByRole("listitem").filter({ hasText: "s-held-1" }).getByRole("button", { name: "Hold back" }).click();
            await fill(page, { Reason: "A test" });
            return dialogButton(page, "Hold back");
        },
        happened: async () => (await settlementOf("held")).held,
    }),
    "mark a payout as paid": async () => {
        const id = await payout("paid");
        return {
            user: "u-rut", path: `/payouts-due/${id}`, heading: /paid shop|EUR/, write: "PATCH /api/admin/payouts/{id}",
            prepare: async (page) => (await click(page, "Mark as paid"), await fill(page, { "Reference of the transfer": "REF-1" }), dialogButton(page, "Mark as paid")),
            happened: async () => /PAID|PAYING/.test((await payoutOf(id)).status),
        };
    },
    "cancel a payout": async () => {
        const id = await payout("cancelled");
        return {
            user: "u-rut", path: `/payouts-due/${id}`, heading: /cancelled shop|EUR/, write: "PATCH /api/admin/payouts/{id}",
            prepare: async (page) => (await click(page, "Cancel the payout"), await fill(page, { Reason: "A test" }), dialogButton(page, "Cancel the payout")),
            happened: async () => /CANCELL/.test((await payoutOf(id)).status),
        };
    },
    "start a payout run": async () => (await business("run"), {
        user: "u-root", path: "/payouts-due/run", heading: "New payout run", write: "POST /api/admin/payouts",
        prepare: async (page) => {
            await page.getByRole("searchbox", { name: "Merchant" }).fill("run shop");
            await page.getByRole("button", { name: "run shop" }).click();
            await loaded(page);
            return page.getByRole("button", { name: "Start the run" });
        },
    }),
    "set up a business": async () => ({
        user: "u-noah", path: "/", heading: "Set up your business", write: "POST /api/auth/merchant",
        prepare: async (page) => {
            await fill(page, { "Name of the business": "Doubt and sons" });
            await page.getByLabel("Country").selectOption("FI");
            return page.getByRole("button", { name: "Set up the business" });
        },
        happened: async () => (await as("u-noah", "GET", "/api/auth/session")).data.merchant !== null,
    }),
    "delete a draft": async () => (await as("u-noah", "POST", "/api/auth/merchant", { name: "Doubt and sons", slug: "doubt-and-sons", country: "FI", timeZone: "Europe/Helsinki", currency: "EUR" }).catch(() => {}), {
        user: "u-noah", path: "/", heading: "Application", write: "DELETE /api/auth/merchant",
        prepare: async (page) => (await click(page, "Delete it"), dialogButton(page, "Delete Doubt and sons")),
        happened: async () => (await as("u-noah", "GET", "/api/auth/session")).data.merchant === null,
    }),
    "join a business": async () => ({
        user: "u-iris", path: "/", heading: "You are invited", write: "POST /api/auth/invites/{challengeId}/acceptance",
        prepare: (page) => page.getByRole("button", { name: /^Join / }).first(),
        happened: async () => (await as("u-iris", "GET", "/api/auth/session")).data.merchant !== null,
    }),
    "add a passkey": async () => (await business("adding"), {
        user: "u-adding", path: "/account", heading: "Your account", write: "POST /api/auth/passkeys",
        prepare: async (page) => (await addAuthenticator(page), await click(page, "Add a passkey"), dialogButton(page, "Add the passkey")),
        happened: async () => (await as("u-adding", "GET", "/api/auth/passkeys")).data.length > 0,
    }),
    "remove a passkey": async () => (await business("removing"), {
        user: "u-removing", path: "/account", heading: "Your account", write: "DELETE /api/auth/passkeys/{id}",
        prepare: async (page) => (await addPasskey(page), await click(page, "Remove Chrome on Linux"), dialogButton(page, "Remove Chrome on Linux")),
        happened: async () => (await as("u-removing", "GET", "/api/auth/passkeys")).data.length === 0,
    }),
    "turn mailed codes off": async () => (await business("codes"), {
        user: "u-codes", path: "/account", heading: "Your account", write: "PATCH /api/auth/session/user",
        prepare: async (page) => {
            const authenticator = await addPasskey(page);
            // What is offered in the field waits, and the button is pressed.
            await authenticator.confirms(false);
            await click(page, "Sign out");
            await page.getByRole("heading", { name: "Sign in" }).waitFor();
            await authenticator.confirms(true);
            await click(page, "Sign in with a passkey");
            await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
            await show(page, "/account", "Your account");
            await click(page, "Turn off");
            return dialogButton(page, "Turn off");
        },
        happened: async () => !(await as("u-codes", "GET", "/api/auth/session")).data.user.mailSignIn,
    }),
    "end a session": async () => {
        await business("ending");
        const headers = await sessionOf("u-ending");
        const { id } = (await api("GET", "/api/auth/sessions", undefined, headers)).data.find((one) => one.current);
        return {
            user: "u-ending", path: "/account", heading: "Your account", write: "DELETE /api/auth/sessions/{id}",
            prepare: async (page) => (await page.getByRole("button", { name: /^End the session of/ }).click(), dialogButton(page, "End the session")),
            happened: async () => !(await as("u-ending", "GET", "/api/auth/sessions")).data.some((one) => one.id === id),
        };
    },
    "sign out everywhere": async () => (await business("leaving"), {
        user: "u-leaving", path: "/account", heading: "Your account", write: "DELETE /api/auth/sessions",
        prepare: async (page) => (await click(page, "Sign out everywhere"), dialogButton(page, "Sign out everywhere")),
    }),
};
