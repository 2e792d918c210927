// Webhooks: the dashboard's pages about endpoints and deliveries, against a receiver of the local system, and the console's page
// of that receiver.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { loaded, open, show, smallTargets } from "./dashboard.mjs";
import { api, checkAccess, checkWidth, openPage, READINGS, screenshot, some, urls } from "./support.mjs";

const ALL_EVENTS = ["gift_card.issued", "gift_card.redeemed", "operation.unknown", "operation.resolved", "settlement.created",
    "settlement.held", "payout.paid", "merchant.status_changed"];

/** A session of the user for the API. */
const sessionOf = async (userId) => ({ authorization: `Bearer ${(await api("POST", "/__local/sessions", { userId })).token}` });

/** A receiver of the local system. */
function receiver(name) {
    const path = `/__local/webhooks/receiver/${name}`;
    return {
        url: urls.api + path,
        set: (settings) => api("PUT", path, settings),
        messages: async () => (await api("GET", path)).messages,
        reset: () => api("DELETE", path),
    };
}

/** Makes an endpoint by the API. */
async function endpoint(url, { user = "u-anna", events = ["gift_card.issued"], description } = {}) {
    return (await api("POST", "/api/bff/webhooks", { url, events, description }, await sessionOf(user))).data;
}

async function deleteEndpoints(user) {
    const session = await sessionOf(user);
    for (const { id } of (await api("GET", "/api/bff/webhooks", undefined, session)).data) {
        await api("DELETE", `/api/bff/webhooks/${id}`, undefined, session);
    }
}

afterEach(async () => {
    for (const user of ["u-anna", "u-haru"]) await deleteEndpoints(user);
    for (const name of ["loyalty", "books", "console"]) await receiver(name).reset();
});

const host = () => new URL(urls.api).host;
const openEndpoint = (id, options, user = "u-anna") => open(user, `/webhooks/${id}`, host(), options);
const dialogOf = (page, name) => page.getByRole("dialog", { name });

/** Sends a test in a page of an endpoint, and waits for its outcome. */
async function sendTest(page, outcome) {
    await page.getByRole("button", { name: "Send a test" }).click();
    const dialog = dialogOf(page, `Send a test to ${host()}`);
    await dialog.getByRole("button", { name: "Send the test" }).click();
    await dialog.getByText(outcome).waitFor();
    return dialog;
}

/** Takes the secret from its dialog. */
async function takeSecret(page) {
    const dialog = dialogOf(page, `The secret of ${host()}`);
    await dialog.getByText("it is not shown again").waitFor();
    const secret = await dialog.getByLabel("Secret").inputValue();
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    return { dialog, secret };
}

test("an endpoint is created, its secret is shown once, and a test is verified", async () => {
    const loyalty = receiver("loyalty");
    const page = await open("u-anna", "/developers", "Developers", { permissions: ["clipboard-read", "clipboard-write"], expected: [/400 POST/] });
    await page.getByText("No endpoints yet").waitFor();
    await checkAccess(page);
    await screenshot(page, "webhooks-empty");
    await page.getByRole("button", { name: "New endpoint" }).click();
    const dialog = dialogOf(page, "New endpoint");
    await checkAccess(page);
    await dialog.getByLabel("Address (URL)").fill("http://hooks.example.com/cards");
    await dialog.getByRole("button", { name: "Create the endpoint" }).click();
    await dialog.getByText("Choose at least one event.").waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === "FIELDSET");
    await checkAccess(page);
    await dialog.getByRole("checkbox", { name: "A gift card was sold at a till" }).check();
    await dialog.getByRole("checkbox", { name: "A payout was paid" }).check();
    await dialog.getByRole("button", { name: "Create the endpoint" }).click();
    await dialog.getByText("Must begin with https://.").waitFor();
    await page.waitForFunction(() => document.activeElement?.id === "url");
    await screenshot(page, "webhooks-new");
    await dialog.getByLabel("Address (URL)").fill(loyalty.url);
    await dialog.getByLabel("Description").fill("Loyalty programme");
    await dialog.getByRole("button", { name: "Create the endpoint" }).click();

    const { dialog: shown, secret } = await takeSecret(page);
    await shown.getByRole("button", { name: "Copy" }).click();
    await shown.getByText("Copied.").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), secret);
    await checkAccess(page);
    await screenshot(page, "webhooks-secret");
    await loyalty.set({ secret });
    await shown.getByRole("button", { name: "I have stored it" }).click();
    await page.getByText("The endpoint was created.").waitFor();
    await page.getByRole("heading", { level: 1, name: host() }).waitFor();
    assert.ok(!(await page.content()).includes(secret));
    await page.locator(".trail").getByRole("link", { name: "Developers" }).click();
    const row = page.getByRole("listitem").filter({ hasText: host() });
    await row.getByText("Enabled").waitFor();
    await row.getByText("Loyalty programme").waitFor();
    await row.getByText("Sold cards, payouts").waitFor();
    await row.getByText("Nothing was sent yet").waitFor();

    await row.getByRole("link", { name: host() }).click();
    await page.getByRole("heading", { level: 1, name: host() }).waitFor();
    assert.equal(await page.title(), `${host()} · Aurora Coffee`);
    const sent = await sendTest(page, /Accepted: it answered 204 after/);
    await checkAccess(page);
    await screenshot(page, "webhooks-test-accepted");
    const [message, ...others] = await loyalty.messages();
    assert.deepEqual(others, []);
    assert.equal(message.verified, true);
    const body = JSON.parse(message.body);
    assert.deepEqual([body.type, body.test], ["gift_card.issued", true]);
    await sent.getByRole("button", { name: "Close" }).click();
    const delivery = page.getByRole("listitem").filter({ hasText: message.headers["webhook-id"] });
    await delivery.getByText("Accepted", { exact: true }).waitFor();
    await page.locator(".trail").getByRole("link", { name: "Developers" }).click();
    await row.getByText(/Last accepted/).waitFor();
});

test("a failure is shown with its attempts, and is sent again", async () => {
    const loyalty = receiver("loyalty");
    await loyalty.set({ status: 500 });
    const page = await openEndpoint((await endpoint(loyalty.url)).id);
    await page.getByText("No deliveries").waitFor();
    const dialog = await sendTest(page, /Not accepted: it answered 500 after/);
    await dialog.getByText("It is sent again on").waitFor();
    await checkAccess(page);
    await screenshot(page, "webhooks-test-failed");
    await dialog.getByRole("button", { name: "Close" }).click();
    const row = page.locator(".deliveries li").first();
    await row.getByText("Not accepted yet").waitFor();
    await row.getByText(/it answered 500 after .*\. Next attempt:/).waitFor();
    await row.getByText(/^\d attempts?$/).click();
    await row.locator("details").getByText(/Not accepted: it answered 500/).first().waitFor();
    await checkAccess(page);
    await screenshot(page, "webhooks-failed");

    await page.getByLabel("Status").selectOption("Given up");
    await page.getByText("No delivery matches").waitFor();
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await page.getByLabel("Status").selectOption("On the way");
    await row.getByText("Not accepted yet").waitFor();
    assert.ok(page.url().endsWith("?status=PENDING"));
    await page.getByLabel("Status").selectOption("Any status");

    await loyalty.set({ status: 204 });
    await row.getByRole("button", { name: /^Send again/ }).click();
    await page.getByText(/^Sent again. Accepted: it answered 204/).waitFor();
    await row.getByText("Accepted", { exact: true }).waitFor();
    const ids = (await loyalty.messages()).map(({ headers }) => headers["webhook-id"]);
    assert.ok(ids.length >= 2 && new Set(ids).size === 1, "the same message");
});

test("a secret is replaced: both work for a day, or the old one stops at once", async () => {
    const loyalty = receiver("loyalty");
    const { id, secret } = await endpoint(loyalty.url);
    await loyalty.set({ secret });
    const page = await openEndpoint(id);
    const replace = async (choice) => {
        await page.getByRole("button", { name: "Replace the secret" }).click();
        const dialog = dialogOf(page, `Replace the secret of ${host()}`);
        await dialog.getByRole("radio", { name: choice }).check();
        await checkAccess(page);
        await screenshot(page, "webhooks-replace");
        await dialog.getByRole("button", { name: "Replace the secret" }).click();
        const shown = await takeSecret(page);
        await shown.dialog.getByRole("button", { name: "I have stored it" }).click();
        await loaded(page);
        return shown.secret;
    };
    const isVerified = async () => {
        const dialog = await sendTest(page, /Accepted/);
        await dialog.getByRole("button", { name: "Close" }).click();
        return (await loyalty.messages()).at(-1).verified;
    };
    const second = await replace(/Works for another 24 hours/);
    assert.notEqual(second, secret);
    assert.equal(await isVerified(), true, "by the old secret");
    await loyalty.set({ secret: second });
    assert.equal(await isVerified(), true, "by the new secret");
    const third = await replace(/Stops immediately/);
    assert.equal(await isVerified(), false, "the second one has stopped");
    await loyalty.set({ secret: third });
    assert.equal(await isVerified(), true);
});

test("an endpoint is changed, and a new address gets a new secret", async () => {
    const { id, secret } = await endpoint(receiver("loyalty").url);
    const page = await openEndpoint(id);
    const change = async (act) => {
        await page.getByRole("button", { name: "Change" }).click();
        const dialog = dialogOf(page, `Change ${host()}`);
        await act(dialog);
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.waitFor({ state: "detached" });
    };
    await change(async (dialog) => {
        await dialog.getByRole("checkbox", { name: "A gift card was sold" }).uncheck();
        await dialog.getByRole("checkbox", { name: "A gift card was redeemed" }).check();
        await dialog.getByLabel("Description").fill("Bücher & Ähnliches");
    });
    await page.getByText("The endpoint was changed.").waitFor();
    await page.getByText("Bücher & Ähnliches").waitFor();
    await page.locator(".about").getByText("A gift card was redeemed").waitFor();
    assert.equal(await page.locator(".about").getByText("A gift card was sold").count(), 0);

    const books = receiver("books");
    await change((dialog) => dialog.getByLabel("Address (URL)").fill(books.url));
    const shown = await takeSecret(page);
    assert.notEqual(shown.secret, secret);
    await books.set({ secret: shown.secret });
    await shown.dialog.getByRole("button", { name: "I have stored it" }).click();
    await page.getByText(books.url).waitFor();
    await sendTest(page, /Accepted/);
    assert.deepEqual((await books.messages()).map(({ verified }) => verified), [true]);
});

test("an endpoint is disabled, enabled and deleted", async () => {
    const page = await openEndpoint((await endpoint(receiver("loyalty").url)).id);
    await page.getByRole("button", { name: "Disable" }).click();
    const disabling = dialogOf(page, `Disable ${host()}?`);
    await disabling.getByText("Messages are kept for three days").waitFor();
    await checkAccess(page);
    await disabling.getByRole("button", { name: `Disable ${host()}` }).click();
    await page.getByText("Your team disabled it.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Send a test" }).count(), 0);
    await checkAccess(page);
    await screenshot(page, "webhooks-disabled");
    await page.getByRole("button", { name: "Enable" }).click();
    await page.getByText("is enabled. Pending messages are sent now.").waitFor();
    await page.getByRole("button", { name: "Send a test" }).waitFor();

    await page.getByRole("button", { name: "Delete" }).click();
    const deleting = dialogOf(page, `Delete ${host()}?`);
    for (const lost of ["Messages that have not been accepted yet are never sent", "The list of its deliveries", "Its secret"]) {
        await deleting.getByText(lost).waitFor();
    }
    await checkAccess(page);
    await screenshot(page, "webhooks-delete");
    await deleting.getByRole("button", { name: `Delete ${host()}` }).click();
    await page.getByText("No endpoints yet").waitFor();
});

test("a system that wants no more messages is disabled, and the page says why", async () => {
    const loyalty = receiver("loyalty");
    await loyalty.set({ status: 410 });
    const { id } = await endpoint(loyalty.url);
    const page = await openEndpoint(id, { expected: [/409 POST/] });
    const dialog = await sendTest(page, /Not accepted: it answered 410/);
    // The page behind the dialog still shows it as enabled.
    await dialog.getByRole("button", { name: "Send another test" }).click();
    await dialog.getByText("The endpoint is disabled. Enable it first.").waitFor();
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByText("It answered that it wants no more messages.").waitFor();
    await page.getByText("It waits until the endpoint is enabled.").waitFor();
    await show(page, "/developers", "Developers");
    await page.getByText("It answered that it wants no more messages.").waitFor();
    await screenshot(page, "webhooks-gone");
});

test("a viewer sees everything and changes nothing", async () => {
    const loyalty = receiver("loyalty");
    const { id } = await endpoint(loyalty.url, { events: ALL_EVENTS });
    const anna = await sessionOf("u-anna");
    await api("POST", `/api/bff/webhooks/${id}/test`, { event: "payout.paid" }, anna);
    const page = await open("u-vera", "/developers", "Developers");
    await page.getByText("Everything", { exact: true }).waitFor();
    assert.equal(await page.locator("main button").count(), 0);
    await checkAccess(page);
    await show(page, `/webhooks/${id}`, host());
    await page.locator(".deliveries").getByText("A payout was paid").waitFor();
    assert.equal(await page.locator("main button").count(), 0);
    await checkAccess(page);
});

test("nobody sends what they do not see", async () => {
    const { id } = await endpoint(receiver("loyalty").url, { events: ["gift_card.issued", "payout.paid"] });
    const permissions = ["portal.organization", "portal.orders"];
    await api("PATCH", "/api/bff/merchant/users", { targetUserId: "u-felix", permissions }, await sessionOf("u-anna"));
    const page = await open("u-felix", "/developers", "Developers");
    await page.getByRole("button", { name: "New endpoint" }).click();
    const dialog = dialogOf(page, "New endpoint");
    const offered = await dialog.getByRole("checkbox").evaluateAll((inputs) => inputs.filter((input) => !input.disabled).map((input) => input.value));
    assert.deepEqual(offered, ["gift_card.issued"]);
    assert.equal(await dialog.getByText("Your role does not show you this.").count(), 7);
    await checkAccess(page);
    await screenshot(page, "webhooks-few-permissions");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await show(page, `/webhooks/${id}`, host());
    await page.getByText("It receives what your role does not show you").waitFor();
    assert.deepEqual(await page.locator(".about button").allInnerTexts(), []);
    await api("PATCH", "/api/bff/merchant/users", { targetUserId: "u-felix", merchantTeamRole: "FULL" }, await sessionOf("u-anna"));
});

test("the limits of the API are said in words", async () => {
    const books = receiver("books");
    const { id } = await endpoint(books.url, { user: "u-haru" });
    for (let i = 0; i < 4; i++) await endpoint(`${books.url}?${i}`, { user: "u-haru" });
    const haru = await sessionOf("u-haru");
    for (let i = 0; i < 10; i++) await api("POST", `/api/bff/webhooks/${id}/test`, { event: "payout.paid" }, haru);
    const page = await open("u-haru", "/developers", "Developers", { expected: [/409 POST/, /429 POST/] });
    await page.getByRole("button", { name: "New endpoint" }).click();
    const dialog = dialogOf(page, "New endpoint");
    await dialog.getByLabel("Address (URL)").fill(`${books.url}?5`);
    await dialog.getByRole("checkbox").first().check();
    await dialog.getByRole("button", { name: "Create the endpoint" }).click();
    await dialog.getByText("No endpoint was created.").waitFor();
    await dialog.getByText("You already have 5 endpoints").waitFor();
    assert.equal(await dialog.getByLabel("Address (URL)").inputValue(), `${books.url}?5`);
    await checkAccess(page);
    await show(page, `/webhooks/${id}`, host());
    await sendTest(page, "You have reached your limit of 10 webhook test messages an hour.");

    // Pages of a few deliveries.
    await page.route(/deliveries\?limit=20/, (route) => route.continue({ url: route.request().url().replace("limit=20", "limit=4") }));
    await show(page, `/webhooks/${id}`, host());
    const rows = page.locator(".deliveries .rows > li");
    assert.equal(await rows.count(), 4);
    for (const count of [8, 10]) {
        await page.getByRole("button", { name: "Show more" }).click();
        await page.waitForFunction((expected) => document.querySelectorAll(".deliveries .rows > li").length === expected, count);
    }
    assert.equal(await page.getByRole("button", { name: "Show more" }).count(), 0);
    assert.equal(new Set(await rows.locator(".mono").allInnerTexts()).size, 10);
});

test("an endpoint that is gone leads to the others", async () => {
    const page = await open("u-anna", "/webhooks/none", "No such endpoint", { expected: [/404 GET .*\/webhooks\/none\/deliveries/] });
    await page.getByRole("link", { name: "All endpoints" }).click();
    await page.getByText("No endpoints yet").waitFor();
});

/** An endpoint of Linden Cycles with a long address, and a delivery that was accepted beside one that was not. Made once: a member
 * sends ten tests an hour. */
const busyEndpoint = () => (busy ??= newBusyEndpoint());
let busy;

async function newBusyEndpoint() {
    const loyalty = receiver("loyalty");
    const long = `${loyalty.url}?token=${"abcdefghij".repeat(12)}`;
    const made = await endpoint(long, { user: "u-lena", events: ALL_EVENTS, description: "Loyalty programme of all shops, run by Nordic Points AB" });
    const lena = await sessionOf("u-lena");
    for (const [event, status] of [["gift_card.issued", 204], ["operation.resolved", 500]]) {
        await loyalty.set({ status });
        const { data } = await api("POST", `/api/bff/webhooks/${made.id}/test`, { event }, lena);
        for (;;) {
            const { data: page } = await api("GET", `/api/bff/webhooks/${made.id}/deliveries`, undefined, lena);
            if (page.deliveries.find(({ id }) => id === data.deliveryId)?.attempts.length) break;
            await new Promise((done) => setTimeout(done, 50));
        }
    }
    return made;
}

for (const [size, theme] of some([["narrow", "light"], ["desktop", "dark"], ["phone", "dark"], ["desktop", "light"]], 2)) {
    test(`the pages fit and are accessible: ${size}, ${theme}`, async () => {
        const { id } = await busyEndpoint();
        const page = await openEndpoint(id, { size, theme }, "u-lena");
        await page.getByText(/^\d attempts?$/).first().click();
        await checkAccess(page);
        await checkWidth(page);
        if (size !== "desktop") assert.deepEqual(await smallTargets(page), []);
        await screenshot(page, `webhooks-endpoint-${size}-${theme}`);
        await page.getByRole("button", { name: "Change", exact: true }).click();
        await checkAccess(page);
        await checkWidth(page);
        await screenshot(page, `webhooks-change-${size}-${theme}`);
        await page.keyboard.press("Escape");
        await show(page, "/developers", "Developers");
        await checkAccess(page);
        await checkWidth(page);
        if (size !== "desktop") assert.deepEqual(await smallTargets(page), []);
        await screenshot(page, `webhooks-list-${size}-${theme}`);
    });
}

for (const reading of some(Object.keys(READINGS), 1)) {
    test(`readable with ${reading}`, async () => {
        const { id } = await busyEndpoint();
        const page = await openEndpoint(id, { size: "phone", reading }, "u-lena");
        await checkAccess(page);
        await checkWidth(page);
        await screenshot(page, `webhooks-endpoint-${reading}`);
        await show(page, "/developers", "Developers");
        await checkAccess(page);
        await checkWidth(page);
        await screenshot(page, `webhooks-list-${reading}`);
    });
}

test("the console receives webhooks, and answers as it is told to", async () => {
    const made = await endpoint(receiver("console").url, { user: "u-lena" });
    const lena = await sessionOf("u-lena");
    const send = () => api("POST", `/api/bff/webhooks/${made.id}/test`, { event: "gift_card.issued" }, lena);
    const page = await openPage({ expected: [/400 PUT/] });
    await page.goto(`${urls.api}/#/webhooks`);
    await page.getByText(receiver("console").url).waitFor();
    await page.getByText("No messages yet").waitFor();
    await checkAccess(page);
    await send();
    const message = page.getByRole("list", { name: "Messages" }).getByRole("listitem").first();
    await message.getByText("gift_card.issued, a test").waitFor();
    await message.getByText("Not checked").waitFor();
    await page.getByLabel("Secret").fill("no secret");
    await page.getByRole("button", { name: "Check messages" }).click();
    await page.getByText("This is not a secret").waitFor();
    await page.getByLabel("Secret").fill(made.secret);
    await page.getByRole("button", { name: "Check messages" }).click();
    await message.getByText("Verified", { exact: true }).waitFor();
    await message.locator("summary").click();
    await message.getByText(`"merchantId"`).waitFor();
    await message.getByText("webhook-signature: v1,").waitFor();
    await checkAccess(page);

    const set = page.waitForResponse((response) => response.request().method() === "PUT");
    await page.getByLabel("Answer").selectOption("Wants no more messages (410)");
    await set;
    await send();
    await message.getByText("410").waitFor();
    await checkAccess(page);
    await screenshot(page, "console-webhooks-messages");
    await page.getByRole("button", { name: "Reset the receiver" }).click();
    await page.getByText("No messages yet").waitFor();
    await checkWidth(page);
});
