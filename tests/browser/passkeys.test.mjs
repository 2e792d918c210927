// Passkeys in the dashboard, with the virtual authenticators of Chromium. Nobody touches one before the press that is tested.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import test from "node:test";
import { promisify } from "node:util";

import { codeFor, loaded, open, show, smallTargets } from "./dashboard.mjs";
import { keyboardOf } from "./keyboard.mjs";
import { startLocal } from "./local.mjs";
import { api, checkAccess, checkWidth, drain, expectProblem, mail, openPage, screenshot, signIn, urls } from "./support.mjs";

const ROOT = resolve(import.meta.dirname, "../..");
/** A page that is left may still be loading. */
const SIGNED_OUT = /401 GET .*\/api\//;
const MINUTE_MS = 60_000;
const MONTH_MS = 31 * 24 * 60 * MINUTE_MS;

const button = (page, name) => page.getByRole("button", { name, exact: true });
const dialogButton = (page, name) => page.getByRole("dialog").last().getByRole("button", { name, exact: true });
const offerOf = (page) => page.getByRole("region", { name: "Passkey" });
const passkeysOf = (page) => page.locator("section", { has: page.getByRole("heading", { name: "Passkeys" }) });
const sessionsOf = (page) => page.locator("section", { has: page.getByRole("heading", { name: "Signed in on" }) });

/** A person of their own, who has a business. Returns their address. */
async function person(name) {
    await api("POST", "/__local/fixtures", {
        merchants: [{ id: `m-${name}`, slug: `${name}-shop`, name: `${name} shop`, tradeName: `${name} shop`, status: "ACTIVE", country: "FI", currency: "EUR", timeZone: "Europe/Helsinki", settlementMode: "SETTLEMENT_ON_REDEMPTION" }],
        users: [{ id: `u-${name}`, email: `${name}@pass.example`, firstName: "Ada", lastName: name, emailVerified: true, merchantId: `m-${name}`, merchantTeamRole: "ADMIN" }],
    });
    return `${name}@pass.example`;
}

/** Gives the browser of the page an authenticator. */
async function authenticator(page, options = {}) {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("WebAuthn.enable");
    const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
        options: {
            protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: false, ...options,
        },
    });
    const send = (method, more) => devtools.send(`WebAuthn.${method}`, { authenticatorId, ...more });
    const touch = (enabled) => send("setAutomaticPresenceSimulation", { enabled });
    return {
        touch,
        verify: (isUserVerified) => send("setUserVerified", { isUserVerified }),
        remove: () => send("removeVirtualAuthenticator"),
        /** What is pressed is confirmed with a finger. */
        async confirming(press) {
            await touch(true);
            await press();
            await touch(false);
        },
    };
}

async function signInByCode(page, address) {
    await page.goto(urls.dashboard);
    await page.getByLabel("E-mail address").fill(address);
    await button(page, "Send code").click();
    const code = page.getByLabel("Code", { exact: true });
    await code.fill(await codeFor(address, code));
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
}

async function signOut(page) {
    await button(page, "Sign out").click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
}

/** Signs in by the button. */
async function signInByPasskey(page, key, heading = "Overview") {
    await key.confirming(async () => {
        await button(page, "Sign in with a passkey").click();
        await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    });
}

/** Adds a passkey in the account, where the page is or goes. */
async function addPasskey(page, key, name) {
    await passkeysOf(page).getByRole("button", { name: "Add a passkey" }).click();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await key.confirming(async () => {
        await dialogButton(page, "Add the passkey").click();
        await passkeysOf(page).getByText(name).waitFor();
    });
}

/** A person with a passkey, signed in with a code, at their account. */
async function withPasskey(name, options = {}) {
    await person(name);
    const page = await open(`u-${name}`, "/account", "Your account", options);
    expectProblem(page, SIGNED_OUT);
    const key = await authenticator(page);
    await addPasskey(page, key, "Key one");
    return { page, key, address: `${name}@pass.example` };
}

/** The page asks by its button alone: what it asks for by itself, this authenticator would confirm again and again. */
async function withButtonOnly(page) {
    const noOffer = () => { PublicKeyCredential.isConditionalMediationAvailable = async () => false; };
    await page.addInitScript(noOffer);
    await page.evaluate(noOffer);
}

test("a passkey is offered after a sign-in by code, and signs in from then on", async () => {
    const address = await person("offered");
    const page = await openPage({ expected: [SIGNED_OUT] });
    const key = await authenticator(page);
    await signInByCode(page, address);
    await offerOf(page).getByText("Sign in without a code next time").waitFor();
    await loaded(page);
    await checkAccess(page);
    await screenshot(page, "passkey-offer");
    await offerOf(page).getByRole("button", { name: "Add a passkey" }).click();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Chrome on Linux");
    await checkAccess(page);
    await screenshot(page, "passkey-add");
    await key.confirming(async () => {
        await dialogButton(page, "Add the passkey").click();
        await page.getByText("The passkey was added.").waitFor();
    });
    await offerOf(page).waitFor({ state: "detached" });

    await signOut(page);
    await checkAccess(page);
    await signInByPasskey(page, key);
    assert.equal(await offerOf(page).count(), 0);
    await show(page, "/account", "Your account");
    const row = passkeysOf(page).getByRole("listitem");
    assert.match(await row.innerText(), /^Chrome on Linux\s+Only on one device\s+Added .*\. Last used /);
    assert.match(await sessionsOf(page).getByRole("listitem").first().innerText(), /Signed in with a passkey .*This device/s);
    await checkAccess(page);
    await screenshot(page, "account-passkeys");
    await drain();
    assert.ok((await mail()).some((one) => one.to.includes(address) && /passkey/i.test(one.subject)), "told by mail");
});

test("the field for the address offers passkeys, as long as the page waits", async () => {
    const { page, key } = await withPasskey("field");
    await page.clock.install();
    await page.addInitScript(() => {
        const get = navigator.credentials.get.bind(navigator.credentials);
        navigator.credentials.get = (options) => {
            window.asked = options.mediation;
            return get(options);
        };
    });
    const challenges = [];
    page.on("request", (request) => request.method() === "POST" && request.url().endsWith("/passkeys/challenge") && challenges.push(request));
    await signOut(page);
    assert.equal(await page.getByLabel("E-mail address").getAttribute("autocomplete"), "username webauthn");
    await page.waitForFunction(() => window.asked === "conditional");
    await key.touch(true); // the next request is answered
    await page.clock.fastForward(4 * MINUTE_MS + 1000);
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    assert.equal(challenges.length, 2, "the challenge is renewed before its five minutes are over");
});

test("who does not want a passkey is asked again in a month", async () => {
    const address = await person("later");
    const page = await openPage({ expected: [SIGNED_OUT] });
    await signInByCode(page, address);
    await offerOf(page).getByRole("button", { name: "Not now" }).click();
    await offerOf(page).waitFor({ state: "detached" });
    await signOut(page);
    await signInByCode(page, address);
    await loaded(page);
    assert.equal(await offerOf(page).count(), 0);
    await signOut(page);
    await page.clock.install({ time: Date.now() + MONTH_MS });
    await signInByCode(page, address);
    await offerOf(page).waitFor();
});

test("an attempt that is cancelled says so quietly, and the next one works", async () => {
    const { page, key } = await withPasskey("cancelled");
    await signOut(page);
    await key.verify(false);
    await key.confirming(async () => {
        await button(page, "Sign in with a passkey").click();
        await page.getByText("No passkey was used.").waitFor();
    });
    assert.equal(await page.getByRole("alert").count(), 0);
    await checkAccess(page);
    await key.verify(true);
    await signInByPasskey(page, key);
});

const REFUSALS = [
    [400, "PASSKEY_INVALID", {}, "This passkey was not accepted. If it was removed from your account, sign in with a code."],
    [429, "TOO_MANY_REQUESTS", { "retry-after": "600" }, "Too many attempts. Try again in 10 min."],
    [503, "UNAVAILABLE", {}, "The service did not answer as it should. Try again in a moment."],
    [0, "", {}, "No connection. Check the network."],
];

test("a refusal says what to do", async () => {
    const { page, key } = await withPasskey("refused", { expected: [/(400|429|503|ERR_FAILED) POST .*\/api\/auth\/session$/] });
    await withButtonOnly(page);
    await signOut(page);
    for (const [status, code, more, text] of REFUSALS) {
        await page.route("**/api/auth/session", (route) => {
            if (route.request().method() !== "POST") return route.fallback();
            const headers = { "access-control-allow-origin": urls.dashboard, "access-control-allow-credentials": "true", "access-control-expose-headers": "retry-after", ...more };
            return status ? route.fulfill({ status, headers, json: { ok: false, error: { code, message: "Too many passkeys were refused." } } }) : route.abort("failed");
        });
        await key.confirming(async () => {
            await button(page, "Sign in with a passkey").click();
            await page.getByRole("alert").getByText(text).waitFor();
        });
        await checkAccess(page);
        await page.unrouteAll();
        await page.reload();
        await page.getByRole("heading", { name: "Sign in" }).waitFor();
    }
    await signInByPasskey(page, key);
});

test("removing a passkey ends all sessions, and it signs nobody in any more", async () => {
    const { page, key } = await withPasskey("removed", { expected: [/400 POST .*\/api\/auth\/session$/] });
    await withButtonOnly(page);
    const elsewhere = await open("u-removed", "/overview", "Overview");
    await passkeysOf(page).getByRole("button", { name: "Remove Key one" }).click();
    await page.getByRole("dialog").getByText("All your devices are signed out immediately, including this one.").waitFor();
    await checkAccess(page);
    await dialogButton(page, "Remove Key one").click();
    await page.getByText("The passkey was removed, and you are signed out on all your devices.").waitFor();
    await checkAccess(page);
    await screenshot(page, "passkey-removed");
    await key.confirming(async () => {
        await button(page, "Sign in with a passkey").click();
        await page.getByRole("alert").getByText(/^This passkey was not accepted/).waitFor();
    });
    expectProblem(elsewhere, /401 GET/);
    await elsewhere.getByRole("link", { name: "Orders", exact: true }).click();
    await elsewhere.getByRole("dialog", { name: "Sign in again" }).waitFor();
    await page.reload();
    assert.equal(await page.getByText("The passkey was removed").count(), 0, "it is said once");
});

test("mailed codes can be turned off with a second passkey, in a session by passkey", async () => {
    const { page, key, address } = await withPasskey("codes", { expected: [/403 PATCH .*\/session\/user$/, /409 PATCH .*\/session\/user$/] });
    await button(page, "Turn off").click();
    await dialogButton(page, "Turn off").click();
    const asked = page.getByRole("dialog", { name: "Sign in with a passkey" });
    await asked.waitFor();
    await checkAccess(page);
    await key.confirming(async () => {
        await asked.getByRole("button", { name: "Sign in with a passkey" }).click();
        await page.getByText(/^Add a second passkey first, or one that is synced/).waitFor();
    });
    await screenshot(page, "codes-second-passkey");
    await dialogButton(page, "Cancel").click();

    await key.touch(false);
    const other = await authenticator(page, { transport: "usb" });
    await addPasskey(page, other, "Key two");
    await button(page, "Turn off").click();
    await dialogButton(page, "Turn off").click();
    await page.getByText("Sign-in by mailed code is off.").waitFor();
    await button(page, "Turn on").waitFor();
    await page.getByText("Only your passkeys sign you in. If you lose all of them,").waitFor();
    await checkAccess(page);

    await signOut(page);
    await page.getByLabel("E-mail address").fill(address);
    await button(page, "Send code").click();
    await page.getByLabel("Code", { exact: true }).waitFor();
    await drain();
    const { text } = (await mail()).findLast((one) => one.to.includes(address));
    assert.doesNotMatch(text, /^\s*[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}\s*$/m, "no code");
    await button(page, "Use another address").click();
    await signInByPasskey(page, key);
    await show(page, "/account", "Your account");
    await button(page, "Turn on").click();
    await dialogButton(page, "Turn on").click();
    await page.getByText("Sign-in by mailed code is on.").waitFor();
});

test("a device that has a passkey already says so", async () => {
    const { page, key } = await withPasskey("twice");
    await passkeysOf(page).getByRole("button", { name: "Add a passkey" }).click();
    await key.confirming(async () => {
        await dialogButton(page, "Add the passkey").click();
        await page.getByRole("alert").getByText("This device already has a passkey of your account.").waitFor();
    });
    await page.getByText("No passkey was added.").waitFor();
    await checkAccess(page);
});

/** Refuses the first request to add a passkey, as in an old session. */
async function withOldSession(page) {
    expectProblem(page, /403 POST .*\/passkeys\/options$/);
    let refused = false;
    await page.route("**/api/auth/passkeys/options", async (route) => {
        if (refused || route.request().method() !== "POST") return route.fallback();
        refused = true;
        const headers = { "access-control-allow-origin": urls.dashboard, "access-control-allow-credentials": "true" };
        await route.fulfill({ status: 403, headers, json: { ok: false, error: { code: "SIGN_IN_AGAIN", message: "Sign in again to do this." } } });
    });
}

test("the passkey of somebody else does not go on with what was begun", async () => {
    const { page, key } = await withPasskey("theirs");
    await person("mine");
    await signIn(page, "u-mine");
    await show(page, "/account", "Your account");
    await withOldSession(page);
    await passkeysOf(page).getByRole("button", { name: "Add a passkey" }).click();
    await dialogButton(page, "Add the passkey").click();
    const again = page.getByRole("dialog", { name: "Sign in again" });
    await key.confirming(async () => {
        await again.getByRole("button", { name: "Sign in with a passkey" }).click();
        await again.getByText("This passkey belongs to theirs@pass.example. Sign in as mine@pass.example.").waitFor();
    });
    await checkAccess(page);
    const { data } = await api("GET", "/api/auth/passkeys", undefined, { authorization: `Bearer ${(await api("POST", "/__local/sessions", { userId: "u-theirs" })).token}` });
    assert.equal(data.length, 1);
});

test("an old session signs in again before it adds a passkey, and goes on", async () => {
    await person("old");
    const page = await open("u-old", "/account", "Your account");
    const key = await authenticator(page);
    await withOldSession(page);
    await passkeysOf(page).getByRole("button", { name: "Add a passkey" }).click();
    await page.getByLabel("Name", { exact: true }).fill("My phone");
    await dialogButton(page, "Add the passkey").click();
    const again = page.getByRole("dialog", { name: "Sign in again" });
    await again.getByRole("button", { name: "Send code" }).click();
    const code = again.getByLabel("Code");
    await key.confirming(async () => {
        await code.fill(await codeFor("old@pass.example", code));
        await page.getByText("The passkey was added.").waitFor();
    });
    await passkeysOf(page).getByText("My phone").waitFor();
});

test("a session elsewhere is ended from the account", async () => {
    await person("ended");
    const elsewhere = await open("u-ended", "/overview", "Overview", { expected: [/401 GET/] });
    const page = await open("u-ended", "/account", "Your account");
    const rows = sessionsOf(page).getByRole("listitem");
    await page.route("**/api/auth/sessions", async (route) => {
        if (route.request().method() !== "GET") return route.fallback();
        const response = await route.fetch();
        const { data } = await response.json();
        const listed = data.map((one) => ({ ...one, userAgent: one.current ? one.userAgent : "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0" }));
        await route.fulfill({ response, json: { ok: true, data: listed } });
    });
    await show(page, "/account", "Your account");
    assert.equal(await rows.count(), 2);
    await rows.getByRole("button", { name: /^End the session of Firefox on Linux, / }).click();
    await checkAccess(page);
    await dialogButton(page, "End the session").click();
    await rows.nth(1).waitFor({ state: "detached" });
    assert.equal(await rows.count(), 1);
    await elsewhere.getByRole("link", { name: "Orders", exact: true }).click();
    await elsewhere.getByRole("dialog", { name: "Sign in again" }).waitFor();
});

test("a page at an IP address offers no passkeys, and says why", async () => {
    await person("address");
    const dashboard = urls.dashboard.replace("localhost", "127.0.0.1");
    const page = await openPage({ expected: [SIGNED_OUT] });
    page.on("request", (request) => assert.ok(!request.url().endsWith("/challenge"), "no challenge is asked for"));
    await page.goto(dashboard);
    await page.getByLabel("E-mail address").fill("address@pass.example");
    assert.equal(await button(page, "Sign in with a passkey").count(), 0);
    await button(page, "Send code").click();
    const code = page.getByLabel("Code", { exact: true });
    await code.fill(await codeFor("address@pass.example", code));
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    assert.equal(await offerOf(page).count(), 0);
    await page.goto(`${dashboard}/account`);
    await page.getByText("Passkeys belong to a name, and this page was opened at an IP address.").waitFor();
    await loaded(page);
    assert.equal(await button(page, "Add a passkey").count(), 0);
    await checkAccess(page);
});

test("on a narrow screen, all of it can be read and touched", async () => {
    const { page, key } = await withPasskey("narrow", { size: "narrow", theme: "dark" });
    await loaded(page);
    await checkWidth(page);
    assert.deepEqual(await smallTargets(page), []);
    await checkAccess(page);
    await screenshot(page, "account-passkeys-narrow");
    await page.getByRole("button", { name: "Menu" }).click();
    await signOut(page);
    await checkWidth(page);
    assert.deepEqual(await smallTargets(page), []);
    await screenshot(page, "sign-in-narrow");
    await signInByPasskey(page, key);
});

test("a keyboard is enough", async () => {
    await person("keys");
    const page = await open("u-keys", "/account", "Your account", { expected: [SIGNED_OUT] });
    const key = await authenticator(page);
    const keys = await keyboardOf(page);
    await keys.activate("button", "Add a passkey");
    await keys.fill("Name", "By keys");
    await key.confirming(async () => {
        await page.keyboard.press("Enter");
        await page.getByText("The passkey was added.").waitFor();
    });
    assert.equal((await keys.kept("adding")).name, "Add a passkey");
    await keys.to("button", "Sign out", { key: "Shift+Tab" });
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal((await keys.kept("signing out")).name, "E-mail address");
    await key.confirming(async () => {
        await keys.activate("button", "Sign in with a passkey");
        await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    });
    await keys.arrive("Overview");
});

/** Runs with a system in which a code makes nobody a platform administrator, and with a merchant to administer. */
async function withStrictSystem(act) {
    const directory = await mkdtemp(join(tmpdir(), "passkeys-"));
    const before = { ...urls };
    const strict = await startLocal(directory, "--administrators-by-code", "false", "--fixtures", "none");
    Object.assign(urls, strict.urls);
    try {
        await person("administered");
        await api("POST", "/__local/fixtures", { users: [{ id: "u-chief", email: "chief@pass.example", firstName: "Bo", lastName: "Chief", emailVerified: true, isAdmin: true }] });
        await act();
    } finally {
        Object.assign(urls, before);
        await strict.stop();
        await rm(directory, { recursive: true });
    }
}

/** What the operator's command prints. */
async function operator(...words) {
    const variables = await (await fetch(`${urls.api}/__local/environment`)).text();
    const env = Object.fromEntries(variables.trim().split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
    const binary = join(dirname(resolve(process.env.LOCAL_BINARY ?? join(ROOT, "target/debug/local"))), "admin");
    return (await promisify(execFile)(binary, words, { env: { ...process.env, ...env } })).stdout;
}

test("a platform administrator needs a passkey, and a code of an operator to add it", () => withStrictSystem(async () => {
    const said = await operator("platform-admin", "reset", "chief@pass.example");
    const code = /^\s*([0-9a-zA-Z-]{20,})\s*$/m.exec(said)?.[1];
    assert.ok(code, said);
    const page = await openPage({ expected: [SIGNED_OUT, /403 GET .*\/api\/admin\//, /403 POST .*\/api\/auth\/passkeys$/] });
    const key = await authenticator(page);
    await signIn(page, "u-chief");
    await page.goto(`${urls.dashboard}/merchants`);
    await page.getByText("Sign in with a passkey to see this.").first().waitFor();
    await checkAccess(page);
    await screenshot(page, "platform-without-passkey");
    await page.getByRole("link", { name: "your account" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Your account" }).waitFor();

    await passkeysOf(page).getByRole("button", { name: "Add a passkey" }).click();
    const field = page.getByLabel("Enrolment code");
    await dialogButton(page, "Add the passkey").click();
    await page.getByText("Enrolment code is missing.").waitFor();
    await field.fill("a-code-that-nobody-made");
    await key.confirming(async () => {
        await dialogButton(page, "Add the passkey").click();
        await page.getByText("This enrolment code is not valid. Ask an operator of the platform for a new one.").waitFor();
    });
    await checkAccess(page);
    await field.fill(code);
    await dialogButton(page, "Add the passkey").click();
    await page.getByText("The passkey was added.").waitFor();

    await page.goto(`${urls.dashboard}/merchants`);
    await button(page, "Sign in with a passkey").first().click();
    const dialog = page.getByRole("dialog", { name: "Sign in with a passkey" });
    // Nobody has signed in, so nothing is asked: the next press counts at once.
    await page.route("**/api/auth/session", () => {});
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await button(page, "Sign in with a passkey").first().click();
    await dialog.waitFor();
    await page.unroute("**/api/auth/session");
    await key.confirming(async () => {
        await dialog.getByRole("button", { name: "Sign in with a passkey" }).click();
        await page.getByText("administered shop").first().waitFor();
    });
}));
