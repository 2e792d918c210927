// What the dashboard says of a change whose answer is lost: every change of every page, with every way to lose it. Nothing that was done
// is called undone, nothing that was not is called done, and from each state a further press leads on.
//
// Environment: CASES=all makes all changes and loses them in all ways, as at night; the default is all changes of money and one of each
// kind of form, in two ways. ONLY, a part of the names of changes.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import test from "node:test";

import { codeFor, loaded, show } from "./dashboard.mjs";
import { api, drain, mail, openPage, signIn, urls } from "./support.mjs";

const CLIENT = resolve(import.meta.dirname, "../../clients/dashboard");
const PATIENCE_MS = 61_000;
const STEP_MS = 10_000;
const NOT_KNOWN = /It is not known whether this was done\./;
const UNDONE = /Nothing was changed|was not|were not|as before|No test was sent|No passkey was added|There is no new code|did not join|Not saved|It is not held back/;
/** Sign-in, and what leads to it. */
const CHANGES_NOTHING = /^\/api\/auth\/(session$|code$|passkeys\/(options|challenge)$)/;
/** In this order, in one form: a refusal, which is certain; what is lost before it arrives; what is lost after it; a refusal of the repeat. */
const FAULTS = process.env.CASES === "all"
    ? ["429", "lost before", "500", "503", "no answer in time", "done and lost", "429 again"]
    : ["lost before", "done and lost"];
/** After these, it has happened. */
const AFTER = new Set(["done and lost", "429 again"]);

const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

const sessionOf = async (userId) => ({ authorization: `Bearer ${(await api("POST", "/__local/sessions", { userId })).token}` });
const as = async (userId, method, path, body, headers = {}) => (await api(method, path, body, { ...(await sessionOf(userId)), ...headers }));

/** A business with an administrator, and what it is owed. */
async function business(name, more = {}) {
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
const dialogButton = (page, name) => page.locator("dialog[open]").last().getByRole("button", { name, exact: true });
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

/** What: whose it is, the page, the request, how the form is opened, up to the button, and whether it happened, as the API has it. Without
 * `happened`, the API shows nothing of it. */
const CHANGES = {
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
    "revoke a key": async () => {
        const { id } = (await as("u-anna", "POST", "/api/auth/keys", { name: "Doubt", permissions: ["portal.reports"], readOnly: true, expiresInDays: 30 })).data;
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

/** All that are about money; a form on a page, one in a dialog, one whose answer has a secret or a code, a button that is gone afterwards,
 * a change that the API does not show, one that ends the session, one with a passkey, and one that leads to another page. */
const SOME = [
    "save the account", "revoke a till", "show a pairing code", "confirm an invitation", "replace a secret", "send a test", "hide an offer", "suspend a merchant",
    "hold a settlement back", "mark a payout as paid", "cancel a payout", "start a payout run", "join a business", "add a passkey", "end a session",
];

/** What the page says by now: of the change in the form, else what it said in passing. */
async function said(page) {
    await loaded(page);
    const words = await page.evaluate(() => {
        const place = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.querySelector("main");
        return [...(place?.querySelectorAll("[role=alert]") ?? []), ...document.querySelectorAll(".toast")].map((one) => one.textContent.replaceAll(/\s+/g, " ").trim());
    });
    return words.join(" | ");
}

/** Answers the writes as the fault says. */
async function losing(page, write) {
    const [method, path] = write.split(" ");
    const pattern = new RegExp(`${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    page.expected.push(/(ERR_\w+|429|5\d\d|40\d|410) (POST|PUT|PATCH|DELETE) /, /401 GET .*\/auth\/(sessions?|passkeys)$/, /404 GET .*\/deliveries/);
    const state = { fault: "", answered: null, hung: [] };
    await page.route((url) => pattern.test(url.pathname), async (route) => {
        if (route.request().method() !== method || !state.fault) return route.fallback();
        const headers = { "access-control-allow-origin": urls.dashboard, "access-control-allow-credentials": "true" };
        const refuse = (status) => route.fulfill({ status, headers, json: { message: "It failed" } });
        const { fault } = state;
        if (fault === "done and lost") await route.fetch();
        if (fault.startsWith("429")) await refuse(429);
        else if (/^5/.test(fault)) await refuse(Number(fault));
        else if (fault === "no answer in time") state.hung.push(route);
        else await route.abort("failed");
        state.answered?.();
    });
    return state;
}

async function pressWith(page, state, fault, button) {
    state.fault = fault;
    const answered = new Promise((done, fail) => {
        state.answered = done;
        setTimeout(fail, STEP_MS, new Error("nothing was sent")).unref();
    });
    await page.clock.fastForward(1000); // a second click of a double one does nothing
    await button.click();
    await answered;
    if (fault === "no answer in time") await page.clock.fastForward(PATIENCE_MS);
    return said(page);
}

/** Makes the change with every fault. Adds a line for each to `lines`, and what was said wrongly to `wrong`. */
async function tryAll(what, lines, wrong) {
    const change = await CHANGES[what]();
    const { write, closes, happened = async () => null } = change;
    const page = await openPage();
    await signIn(page, change.user);
    await page.clock.install();
    await show(page, change.path, change.heading);
    const state = await losing(page, write);
    [state.fault] = FAULTS; // the last character of a code sends it
    const button = await change.prepare(page);
    let isSeen = false;
    for (const fault of FAULTS) {
        if (!(await button.isVisible()) || (fault === "429 again" && closes === "Close" && !change.happened)) break;
        const words = await pressWith(page, state, fault, button);
        const real = await happened();
        lines.push(`${what.padEnd(24)} ${fault.padEnd(18)} ${(real === null ? "" : real ? "done" : "undone").padEnd(8)} ${words}`);
        const isUnknown = NOT_KNOWN.test(words);
        isSeen = fault === "done and lost" && !isUnknown && !UNDONE.test(words); // reading again has told
        const isRight = fault === "429" ? !isUnknown : isUnknown || isSeen;
        if (!isRight || (real !== null && real !== AFTER.has(fault))) wrong.push(lines.at(-1));
        if (isSeen) break;
        if (closes === "Close" && !change.happened) await dialogButton(page, closes).click(); // each press is asked for anew
    }
    // From here, a further press leads on, or the dialog can be left.
    state.fault = "";
    if (!isSeen && await button.isVisible()) await button.click();
    await page.locator("dialog[open]").last().getByRole("button", { name: closes ?? "Cancel" }).click({ timeout: 3000 }).catch(() => {});
    await page.waitForFunction(() => !document.querySelector("dialog[open]"), undefined, { timeout: 5000 }).catch(() => wrong.push(`${what}: its dialog cannot be left`));
    for (const route of state.hung) await route.abort("failed").catch(() => {});
    if ((await happened()) === false) wrong.push(`${what}: it was never done`);
    await page.close();
}

test("what is said of a change is what the API holds, whatever is lost", async () => {
    await business("doubt");
    const lines = [];
    const wrong = [];
    const { ONLY = "" } = process.env;
    const made = process.env.CASES === "all" || ONLY ? Object.keys(CHANGES) : SOME;
    for (const what of made.filter((one) => one.includes(ONLY))) {
        await tryAll(what, lines, wrong).catch((error) => wrong.push(`${what}: ${error.message}`));
        console.log(lines.splice(0).join("\n"));
    }
    assert.deepEqual(wrong, []);
});

test("every change of the dashboard says what is known about it", async () => {
    const files = (await readdir(CLIENT, { recursive: true })).filter((name) => name.endsWith(".js"));
    const sends = /(\w+)\((?:\s*\(\w*\) =>)\s*api\.(?:POST|PUT|PATCH|DELETE)\(\s*"([^"]+)"/g;
    const unguarded = [];
    for (const name of files) {
        const text = await readFile(join(CLIENT, name), "utf8");
        for (const [, by, path] of text.matchAll(sends)) if (by === "call" && !CHANGES_NOTHING.test(path)) unguarded.push(`${name}: ${path}`);
    }
    assert.deepEqual(unguarded, []);
});
