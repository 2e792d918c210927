// A press that creates something and gets no answer: a further one creates nothing twice.

import assert from "node:assert/strict";
import test from "node:test";

import { business, CHANGES } from "./dashboard-changes.mjs";
import { CREATIONS } from "./dashboard-creations.mjs";
import { open, show } from "./dashboard.mjs";
import { api, checkAccess, drain, faults, openPage, signIn, urls } from "./support.mjs";

const NOT_KNOWN = "It is not known whether this was done.";

const sessionOf = async (userId) => ({ authorization: `Bearer ${(await api("POST", "/__local/sessions", { userId })).token}` });

/** Loses the answer to the first of these requests, and refuses the second. Returns the keys of all of them. */
async function losing(page, path) {
    const keys = [];
    page.expected.push(new RegExp(`(FAILED|429) POST .*${path}$`));
    await page.route(`**${path}`, async (route) => {
        if (route.request().method() !== "POST") return route.fallback();
        keys.push(route.request().headers()["idempotency-key"]);
        if (keys.length > 2) return route.fallback();
        const headers = { "access-control-allow-origin": urls.dashboard, "access-control-allow-credentials": "true" };
        if (keys.length === 2) return route.fulfill({ status: 429, headers, json: { message: "Too Many Requests" } });
        await route.fetch();
        await route.abort("failed");
    });
    return keys;
}

/** Presses the button until it gets an answer that says what was created. */
async function pressAgain(page, keys, dialog, name) {
    const button = dialog.getByRole("button", { name });
    await button.click();
    await dialog.getByText("No connection. Check the network.").waitFor();
    await dialog.getByText(NOT_KNOWN).waitFor();
    await checkAccess(page);
    await button.click();
    await dialog.getByText(/Too many attempts/).waitFor();
    await dialog.getByText(NOT_KNOWN).waitFor();
    await button.click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(keys.length, 3);
    assert.ok(keys[0] && new Set(keys).size === 1, `${keys}`);
}

test("a till whose answer was lost is added once, and gets a code", async () => {
    const page = await open("u-haru", "/stores", "Stores and tills");
    const keys = await losing(page, "/api/auth/tills");
    const addTill = async (name) => {
        await page.getByRole("button", { name: "Pair a till" }).first().click();
        await page.getByLabel("Name of the till").fill(name);
        return page.getByRole("dialog", { name: "Pair a till" });
    };
    await pressAgain(page, keys, await addTill("Counter 1"), "Show the code");
    assert.match(await page.locator(".pairing .mono").innerText(), /^[2-9A-Z]{5}\s[2-9A-Z]{5}$/);
    await page.getByRole("button", { name: "Close" }).click();
    const another = await addTill("Counter 2");
    await another.getByRole("button", { name: "Show the code" }).click();
    await page.locator(".pairing .mono").waitFor();
    assert.notEqual(keys[3], keys[2], "another press has another key");
    const { data } = await api("GET", "/api/auth/tills", undefined, await sessionOf("u-haru"));
    assert.deepEqual(data.map(({ name }) => name).sort(), ["Counter 1", "Counter 2"]);
});

test("an endpoint whose answer was lost is created once, and has a secret that is shown", async () => {
    const page = await open("u-haru", "/developers", "Developers");
    const keys = await losing(page, "/api/bff/webhooks");
    await page.getByRole("button", { name: "New endpoint" }).click();
    const dialog = page.getByRole("dialog", { name: "New endpoint" });
    await dialog.getByLabel("Address (URL)").fill("https://hooks.example.com/cards");
    await dialog.getByRole("checkbox").first().check();
    await pressAgain(page, keys, dialog, "Create the endpoint");
    assert.match(await page.getByRole("textbox", { name: "Secret" }).inputValue(), /^whsec_/);
    const { data } = await api("GET", "/api/bff/webhooks", undefined, await sessionOf("u-haru"));
    assert.equal(data.length, 1);
});

test("a store that the card network may have made is not made again", async () => {
    const page = await open("u-haru", "/stores", "Stores and tills", { expected: [/50\d POST/, /409 POST/] });
    await faults([{ target: "card-network", match: "POST *", kind: "after", times: "always" }]);
    await page.getByRole("button", { name: "Add a store" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Add a store" });
    for (const [label, text] of [["Name", "North"], ["Address", "Norrgatan 1"], ["City", "Kiruna"]]) {
        await dialog.getByLabel(label, { exact: true }).fill(text);
    }
    await dialog.getByRole("button", { name: "Add the store" }).click();
    await dialog.getByText(NOT_KNOWN).waitFor();
    await faults([]);
    await dialog.getByRole("button", { name: "Add the store" }).click();
    await dialog.getByText("It may have been created. Check the list before you create it again.").waitFor();
    await dialog.getByText(NOT_KNOWN).waitFor();
    const { data } = await api("GET", "/api/bff/merchant-stores", undefined, await sessionOf("u-haru"));
    assert.equal(data.retailStores.filter(({ name }) => name === "North").length, 1);
});

test("an endpoint whose secret was lost, and could not be replaced, says so", async () => {
    const page = await open("u-haru", "/developers", "Developers", { expected: [/FAILED POST .*\/(webhooks|rotation)$/] });
    let sent = 0;
    await page.route(/\/api\/bff\/webhooks$/, async (route) => {
        if (route.request().method() !== "POST" || sent++ > 0) return route.fallback();
        await route.fetch();
        await route.abort("failed");
    });
    await page.route("**/rotation", (route) => route.abort("failed"));
    await page.getByRole("button", { name: "New endpoint" }).click();
    const dialog = page.getByRole("dialog", { name: "New endpoint" });
    await dialog.getByLabel("Address (URL)").fill("https://lost.example.com/cards");
    await dialog.getByRole("checkbox").first().check();
    await dialog.getByRole("button", { name: "Create the endpoint" }).click();
    await dialog.getByText(NOT_KNOWN).waitFor();
    await dialog.getByRole("button", { name: "Create the endpoint" }).click();
    await page.getByText("Its secret was lost on the way, and nobody has it.").waitFor();
    await checkAccess(page);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("heading", { level: 1, name: "lost.example.com" }).waitFor();
    await page.getByRole("button", { name: "Replace the secret" }).waitFor();
});

test("a payout run whose answer was lost is led to, also after it has collected everything", async () => {
    await business("collected");
    const page = await open("u-root", "/payouts-due/run", "New payout run", { expected: [/FAILED POST .*\/api\/admin\/payouts$/] });
    await page.getByRole("searchbox", { name: "Merchant" }).fill("collected shop");
    await page.getByRole("button", { name: "collected shop" }).click();
    await page.getByText("1 merchant, together EUR 100.00.").waitFor();
    await page.route("**/api/admin/payouts", async (route) => {
        await route.fetch();
        await drain();
        await route.abort("failed");
    }, { times: 1 });
    const button = page.getByRole("button", { name: "Start the run" });
    await button.click();
    await page.getByText("Nothing to pay").waitFor();
    await page.getByText(NOT_KNOWN).waitFor();
    await checkAccess(page);
    await button.click();
    await page.getByRole("heading", { level: 1, name: "Payout run", exact: true }).waitFor();
    await page.getByText("1 payout.").waitFor();
});

test("what was carried out is not called undone because a look at it has no answer", async () => {
    for (const what of ["send a test", "send a message again", "export orders", "take out: the payout"]) {
        const { user, path, heading, prepare, looks, ends } = await { ...CHANGES, ...CREATIONS }[what]();
        const page = await openPage();
        await signIn(page, user);
        await show(page, path, heading);
        const button = await prepare(page);
        page.expected.push(/ERR_FAILED GET /);
        let looked = 0;
        await page.route(looks, (route) => (route.request().method() === "GET" && looked++ === 0 ? route.abort("failed") : route.fallback()));
        await button.click();
        await ends(page);
        assert.ok(looked > 1, `${what}: it has looked ${looked} times`);
        assert.doesNotMatch(await page.locator("body").innerText(), /was not (done|sent|started)|No test was sent/, what);
        await page.close();
    }
});
