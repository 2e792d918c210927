// A press acts once: double clicks on the dashboard's creating and changing buttons.

import assert from "node:assert/strict";
import test from "node:test";
import { open, show } from "./dashboard.mjs";
import { expectProblem } from "./support.mjs";
import { asAdmin, button, clickTwice, devtools } from "./till-support.mjs";

/** Fills fields by their labels. */
async function fieldsOf(page, values) {
    for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
}

/** Each opens its form and returns the button that sends it. */
const ACTIONS = {
    async "an offer"(page, name) {
        await show(page, "/offers/new", "New offer");
        await fieldsOf(page, { Name: name });
        await button(page, "One price").click();
        await fieldsOf(page, { Price: "25" });
        return button(page, "Create offer");
    },
    async "a store"(page, name) {
        await show(page, "/stores", "Stores and tills");
        await button(page, "Add a store").click();
        await fieldsOf(page, { Name: name, Address: "Kauppatori 1", City: "Turku" });
        return button(page, "Add the store");
    },
    async "a till"(page, name) {
        await show(page, "/stores", "Stores and tills");
        await button(page, "Pair a till").first().click();
        await fieldsOf(page, { "Name of the till": name });
        return button(page, "Show the code");
    },
    async "a pairing code"(page, name) {
        await asAdmin("POST", "/api/auth/tills", { name, retailStoreId: "101" });
        await show(page, "/stores", "Stores and tills");
        return button(page, `Pair: ${name}`);
    },
    async "an invitation"(page, name) {
        await show(page, "/team", "Team");
        await button(page, "Invite somebody").click();
        await fieldsOf(page, { "E-mail address": `${name.replaceAll(" ", ".")}@example.com`, "First name": "Bo", "Last name": "Ek" });
        return button(page, "Send me the code");
    },
    async "an endpoint"(page, name) {
        await show(page, "/developers", "Developers");
        await button(page, "New endpoint").first().click();
        await fieldsOf(page, { "Address (URL)": `https://hooks.example.com/${name.replaceAll(" ", "-")}` });
        await page.getByRole("checkbox", { name: "A gift card was sold at a till" }).check();
        return button(page, "Create the endpoint");
    },
    async "a passkey"(page, name) {
        const devtools = (page.authenticators ??= await page.context().newCDPSession(page));
        // One that holds the passkey of the time before may refuse a second one, if it is the first to answer.
        await devtools.send("WebAuthn.disable");
        await devtools.send("WebAuthn.enable");
        const options = { protocol: "ctap2", transport: "usb", hasResidentKey: true, hasUserVerification: true, isUserVerified: true };
        await devtools.send("WebAuthn.addVirtualAuthenticator", { options });
        await show(page, "/account", "Your account");
        await button(page, "Add a passkey").click();
        await fieldsOf(page, { Name: name });
        return button(page, "Add the passkey");
    },
    async "an export"(page) {
        expectProblem(page, /409 POST .*\/exports$/); // the earlier one may still be written
        await show(page, "/orders", "Orders");
        await button(page, "Export").click();
        return button(page, "Export orders");
    },
    async "what an offer's button does"(page) {
        await show(page, "/offers/501", "Aurora gift card");
        return button(page, /^(Hide|Put on sale)$/);
    },
};

for (const [what, prepare] of Object.entries(ACTIONS)) {
    test(`two clicks make ${what} once`, async () => {
        const page = await open("u-anna", "/overview", "Overview");
        const session = await devtools(page);
        const writes = [];
        const isWrite = (request) => ["POST", "PUT", "PATCH"].includes(request.method()) && !request.url().endsWith("/passkeys/options");
        page.on("request", (request) => isWrite(request) && writes.push(new URL(request.url()).pathname));
        // Twice, so that the offer is on sale again afterwards.
        for (const gap of [20, 150]) {
            const target = await prepare(page, `${what} ${gap}`);
            writes.length = 0;
            await target.scrollIntoViewIfNeeded();
            const answer = page.waitForResponse((response) => isWrite(response.request()));
            await clickTwice(session, target, gap);
            await answer;
            await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
            assert.equal(writes.length, 1, `${gap} ms: ${writes}`);
        }
    });
}

test("the second click of a double one answers no question", async () => {
    const { id } = (await asAdmin("POST", "/api/auth/tills", { name: "Not revoked", retailStoreId: "101" })).data;
    const page = await open("u-anna", "/stores", "Stores and tills");
    const writes = [];
    page.on("request", (request) => request.method() === "DELETE" && writes.push(request.url()));
    const revoke = button(page, "Revoke Not revoked").first();
    await revoke.click();
    const { x, y } = await page.getByRole("dialog").getByRole("button", { name: "Revoke Not revoked" }).boundingBox();
    await button(page, "Cancel").click();
    // Where the dialog's button will be.
    await revoke.evaluate((element, at) => Object.assign(element.style, { position: "fixed", left: `${at.x}px`, top: `${at.y}px`, zIndex: 9 }), { x, y });
    await revoke.dblclick();
    await page.getByRole("dialog", { name: "Revoke Not revoked?" }).waitFor();
    await page.waitForLoadState("networkidle");
    assert.deepEqual(writes, []);
    assert.ok((await asAdmin("GET", "/api/auth/tills")).data.some((till) => till.id === id));
});
