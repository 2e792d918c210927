// What the dashboard says of whose data it shows, of money, and of what failed.

import assert from "node:assert/strict";
import test from "node:test";

import { open, show } from "./dashboard.mjs";
import { as } from "./dashboard-changes.mjs";
import { api, checkAccess, checkWidth, screenshot, signIn, urls } from "./support.mjs";
import { newCard } from "./till-support.mjs";

/** Answers reads of a path in place of the API: with a status, or with the API's own answer as it is changed. */
async function answering(page, path, status, change = (answer) => answer) {
    page.expected.push(new RegExp(`${status} GET .*${path}`));
    await page.route((url) => url.pathname.endsWith(path), async (route) => {
        const headers = { "access-control-allow-origin": urls.dashboard, "access-control-allow-credentials": "true" };
        if (status !== 200) return route.fulfill({ status, headers, json: { message: "It failed" } });
        const response = await route.fetch();
        return route.fulfill({ response, json: change(await response.json()) });
    });
}

test("a page shows nothing of a merchant that somebody else has signed in for since", async () => {
    const page = await open("u-anna", "/overview", "Overview");
    const seen = [];
    for (const [path, name] of [["/orders", "Orders"], ["/payouts", "Payouts"], ["/team", "Team"]]) {
        // A request under way would be answered for the other merchant, and say so before the click.
        await page.waitForLoadState("networkidle");
        await signIn(page, "u-haru");
        await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();
        await page.getByRole("heading", { level: 1, name: /You are signed in for Hinode.* now/ }).waitFor();
        seen.push(await page.locator("body").innerText());
        await signIn(page, "u-anna");
        await show(page, path, name);
    }
    for (const text of seen) assert.doesNotMatch(text, /¥|Haru Sato/);
});

test("a window that gets the focus looks whose session it is", async () => {
    const page = await open("u-anna", "/orders", "Orders");
    await signIn(page, "u-haru");
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await page.getByRole("heading", { level: 1, name: /You are signed in for Hinode.* now/ }).waitFor();
    await checkAccess(page);
});

/** A business that sells and redeems at its own till, with what that makes. */
async function ownSeller() {
    const merchantId = "m-own";
    const [createdAt, currency] = ["now-3d", "EUR"];
    const order = (id, more = {}) => ({
        id, merchantId, createdAt, status: "COMPLETED", paymentStatus: "PAYMENT_CAPTURE_SUCCEEDED", fulfilmentStatus: "FULFILMENT_FULFILLED", currency, totalAmountMinor: 5000, soldAtTill: true,
        items: [{ offerName: "Card", quantity: 1, amountMinor: 5000, currency }], giftCards: [{ id: `g-${id}`, status: "ISSUED", valueMinor: 5000, currency }], ...more,
    });
    await api("POST", "/__local/fixtures", {
        merchants: [{ id: merchantId, slug: "own-shop", name: "own shop", tradeName: "own shop", status: "ACTIVE", country: "FI", currency, timeZone: "Europe/Helsinki" }],
        users: [{ id: "u-own", email: "own@own.example", firstName: "Aino", lastName: "Own", emailVerified: true, merchantId, merchantTeamRole: "ADMIN" }],
        orders: [order("o-own-1"), order("o-own-2", { currency: "USD", totalAmountMinor: 59_010, createdAt: "now-2d" })],
        settlements: [1, 2].map((number) => ({
            id: `s-own-${number}`, merchantId, sourceType: "ORDER", sourceId: `o-own-${number}`, orderId: `o-own-${number}`, grossAmountMinor: 5000, feeAmountMinor: 100, netAmountMinor: 4900, currency,
            feeSnapshot: { percentBps: 200, fixedMinor: 0 }, status: "PENDING", eligibleAt: "now+5d", createdAt, held: number === 1,
        })),
    });
}

/** In the answers of the API, a held settlement is that of a card that was sold at the own till. */
const asOwnSale = (settlement) => settlement && Object.assign(settlement, settlement.heldBecause && { heldBecause: "OWN_SALE" });

test("a card that was sold at the own till is nowhere called owed", async () => {
    await ownSeller();
    const page = await open("u-own", "/account", "Your account");
    await answering(page, "/api/bff/settlements", 200, (answer) => (answer.rows.forEach(asOwnSale), answer));
    await answering(page, "/api/bff/settlements/by-source", 200, (answer) => (asOwnSale(answer.settlement), answer));
    await show(page, "/orders/o-own-1", "€50.00");
    await page.getByText("You sold this card yourself, so you already have the money.").waitFor();
    assert.equal(await page.getByText("is waiting for a payout").count(), 0);
    await show(page, "/orders/o-own-2", /590/);
    await page.getByText("€49.00 is waiting for a payout").waitFor();
    await show(page, "/payouts?tab=settlements", "Payouts");
    const row = page.getByRole("row", { name: /Not paid out/ });
    await row.getByText("You sold this card yourself, so you already have the money.").waitFor();
    assert.equal(await row.getByText("€49.00").count(), 0);
    await page.locator(".stat", { hasText: "Owed to you" }).getByText("€49.00").waitFor();
    await page.getByRole("link", { name: "each settlement says why" }).waitFor();
    await checkAccess(page);
    await screenshot(page, "payouts-own-sale");
});

test("the first sale counts, what is owed is one sum, and a chart without data is a line", async () => {
    await ownSeller();
    const page = await open("u-own", "/overview", "Overview");
    const figure = (name) => page.locator(".stats .stat", { hasText: name }).locator(".figure").innerText();
    assert.equal((await figure("Sold")).replace(/\s/, " "), "EUR 50");
    assert.equal((await figure("Redeemed")).replace(/\s/, " "), "EUR 0");
    assert.equal(await page.getByText("Order rate").count(), 0);
    await page.getByText("Nothing in this period.").waitFor();
    assert.equal(await page.locator("day-chart canvas").count(), 0);
    assert.equal(await page.locator(".panel", { hasText: "Owed to you" }).locator(".figure").innerText(), "€49.00");
    const amounts = await page.getByRole("table", { name: "Orders" }).locator("tbody td:last-child").allInnerTexts();
    assert.deepEqual(amounts.map((text) => text.replaceAll(/\s/g, " ")), ["USD 590.10", "EUR 50.00"], "two currencies: codes");
    await checkAccess(page);
    await screenshot(page, "overview-first-sale");
    await show(page, "/reports?tab=sales", "Reports");
    await page.locator(".stat", { hasText: "On average" }).getByText("of 1 in EUR").waitFor();
});

/** Answers reads of a path in place of the API; those of a next page once `answer` is called, which resolves when the page has that answer. */
async function withLateNextPage(page, path, nextPage, answerOf) {
    let release;
    const held = new Promise((done) => (release = done));
    await page.route(path, async (route) => {
        const { searchParams, pathname } = new URL(route.request().url());
        if (searchParams.has(nextPage)) await held;
        const headers = { "access-control-allow-origin": urls.dashboard, "access-control-allow-credentials": "true" };
        await route.fulfill({ headers, json: { ok: true, data: answerOf({ pathname, searchParams, isNext: searchParams.has(nextPage) }) } });
    });
    return async () => {
        const answered = page.waitForEvent("requestfinished", (request) => request.url().includes(`${nextPage}=`));
        release();
        await answered;
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    };
}

test("a next page that comes late is not added to another list", async () => {
    const cards = [await newCard(500), await newCard(300)];
    const card = await open("u-anna", "/gift-cards", "Gift cards");
    const event = (storeName) => ({ at: "2026-01-15T10:00:00Z", kind: "REDEEMED", amountMinor: 100, currency: "SEK", storeName, by: null, orderId: null, redemptionId: null, refundedMinor: null });
    const answerHistory = await withLateNextPage(card, /\/history\?/, "after", ({ pathname, isNext }) => {
        const isFirst = pathname.includes(cards[0]);
        return { cardRef: "1234", events: [event(isFirst ? "Harbour" : "Airport")], nextCursor: isFirst && !isNext ? "more" : null, balance: null, addsUp: null };
    });
    const lookUp = async (code) => {
        await card.getByLabel("Code of the card").fill(code);
        await card.keyboard.press("Enter");
    };
    await lookUp(cards[0]);
    await card.getByRole("button", { name: "Show earlier ones" }).click();
    await lookUp(cards[1]);
    await card.getByText("At Airport").waitFor();
    await answerHistory();
    assert.equal(await card.getByText("At Harbour").count(), 0);

    await ownSeller();
    const desk = await open("u-root", "/merchants", "Merchants");
    const settlement = (id, held) => ({
        id, merchantId: "m-own", payoutBatchId: null, sourceType: "ORDER", sourceId: "o", grossAmountMinor: 100, feeAmountMinor: 0, netAmountMinor: 100, currency: "EUR", status: "PENDING",
        eligibleAt: "2026-01-15T10:00:00Z", held, heldBecause: held ? "ADMINISTRATOR" : null, heldReason: null,
    });
    const answerSettlements = await withLateNextPage(desk, /\/api\/admin\/settlements\?/, "cursor", ({ searchParams, isNext }) =>
        searchParams.has("held") ? { settlements: [settlement("s-held", true)], next: null } : { settlements: [settlement(isNext ? "s-2" : "s-1", false)], next: isNext ? null : "more" });
    await show(desk, "/merchants/m-own", "own shop");
    await desk.getByRole("button", { name: "Show more" }).click();
    await desk.getByRole("button", { name: "Held back", exact: true }).click();
    await desk.getByText("s-held").waitFor();
    await answerSettlements();
    assert.deepEqual(await desk.getByText(/^s-/).allInnerTexts(), ["s-held"]);

    const { id } = (await as("u-own", "POST", "/api/bff/webhooks", { url: "https://late.example.com/", events: ["payout.paid"] })).data;
    const endpoint = await open("u-own", "/team", "Team");
    const delivery = (messageId, status) => ({ id: messageId, event: "payout.paid", messageId, status, createdAt: "2026-01-15T10:00:00Z", attempts: [], nextAttemptAt: null, test: false });
    const answerDeliveries = await withLateNextPage(endpoint, /\/deliveries\?/, "cursor", ({ searchParams, isNext }) =>
        searchParams.has("status") ? { deliveries: [delivery("m-pending", "PENDING")], next: null } : { deliveries: [delivery(isNext ? "m-2" : "m-1", "DELIVERED")], next: isNext ? null : "more" });
    await show(endpoint, `/webhooks/${id}`, "late.example.com");
    await endpoint.getByRole("button", { name: "Show more" }).click();
    await endpoint.getByLabel("Status").selectOption("On the way");
    await endpoint.getByText("m-pending").waitFor();
    await answerDeliveries();
    assert.deepEqual(await endpoint.getByText(/^m-/).allInnerTexts(), ["m-pending"]);
});

test("a next page that failed is said, until it has come", async () => {
    await ownSeller();
    const page = await open("u-root", "/merchants", "Merchants", { expected: [/500 GET .*\/api\/admin\/settlements/] });
    const settlement = (id) => ({
        id, merchantId: "m-own", payoutBatchId: null, sourceType: "ORDER", sourceId: "o", grossAmountMinor: 100, feeAmountMinor: 0, netAmountMinor: 100, currency: "EUR", status: "PENDING",
        eligibleAt: "2026-01-15T10:00:00Z", held: false, heldBecause: null, heldReason: null,
    });
    let fails = true;
    await page.route(/\/api\/admin\/settlements\?/, async (route) => {
        const isNext = new URL(route.request().url()).searchParams.has("cursor");
        const headers = { "access-control-allow-origin": urls.dashboard, "access-control-allow-credentials": "true" };
        if (isNext && fails) return route.fulfill({ status: 500, headers, json: { ok: false, error: { message: "It failed" } } });
        return route.fulfill({ headers, json: { ok: true, data: { settlements: [settlement(isNext ? "s-2" : "s-1")], next: isNext ? null : "more" } } });
    });
    await show(page, "/merchants/m-own", "own shop");
    const more = page.getByRole("button", { name: "Show more" });
    await more.click();
    const failed = page.getByText("could not be loaded. Nothing was changed.");
    await failed.waitFor();
    assert.deepEqual(await page.getByText(/^s-/).allInnerTexts(), ["s-1"]);
    fails = false;
    await more.click();
    await page.getByText("s-2").waitFor();
    assert.equal(await failed.count(), 0);
});

test("a settlement on a phone is a link of its whole row", async () => {
    const page = await open("u-anna", "/payouts?tab=settlements", "Payouts", { size: "phone" });
    const row = page.getByRole("table", { name: "Settlements" }).getByRole("row").nth(1);
    const name = await row.getByRole("link").innerText();
    assert.match(name, /^(Redemption|Sale), \d/);
    assert.ok((await row.boundingBox()).height >= 44);
    await row.click({ position: { x: 300, y: 40 } });
    await page.getByText("What happened").waitFor();
});

test("what waits and what the shop looks like say what could not be loaded", async () => {
    const page = await open("u-anna", "/account", "Your account");
    await answering(page, "/api/bff/merchant/users", 500);
    await show(page, "/overview", "Overview");
    await page.getByText("Invitations to confirm could not be counted.").waitFor();
    await checkAccess(page);
    await page.unrouteAll();
    await page.getByLabel("Waiting for you").getByRole("button", { name: "Try again" }).click();
    await page.getByText("could not be counted").waitFor({ state: "detached" });

    for (const [path, text] of [["/api/bff/widget/config", /The colours of your shop could not be loaded/], ["/api/bff/widget/giftcards", /The gift cards of the preview could not be loaded/]]) {
        await answering(page, path, 503);
        await show(page, "/business", "Business details");
        const notice = page.getByRole("alert").filter({ hasText: text });
        await notice.waitFor();
        await checkAccess(page);
        await page.unrouteAll();
        await notice.getByRole("button", { name: "Try again" }).click();
        await notice.waitFor({ state: "detached" });
    }
});

test("a dialog says at the field what it lacks", async () => {
    const page = await open("u-anna", "/team", "Team");
    await page.getByRole("button", { name: "Invite somebody" }).click();
    const dialog = page.getByRole("dialog", { name: "Invite somebody" });
    await dialog.getByLabel("E-mail address").fill("bo");
    await dialog.getByRole("button", { name: "Send me the code" }).click();
    await dialog.getByText("Enter an address such as name@example.com.").waitFor();
    await dialog.getByText("First name is missing.").waitFor();
    await page.waitForFunction(() => document.activeElement?.id === "email");
    await checkAccess(page);
    await screenshot(page, "dialog-field-errors");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard" }).click();
    await show(page, "/stores", "Stores and tills");
    await page.getByRole("button", { name: "Add a store" }).click();
    await page.getByRole("button", { name: "Add the store" }).click();
    await page.getByText("City is missing.").waitFor();
});

for (const size of ["desktop", "narrow"]) {
    test(`an address of 120 characters breaks no page (${size})`, async () => {
        const [name, line] = ["a".repeat(60), "Pitkankatu".repeat(12)];
        await api("POST", "/__local/fixtures", {
            merchants: [{ id: "m-long", slug: "long-shop", name: "long shop", tradeName: "long shop", status: "ACTIVE", country: "FI", currency: "EUR", timeZone: "Europe/Helsinki",
                networkMerchantId: "1777", legalAddress: { line1: line, city: line, postalCode: "20100", country: "FI" } }],
            users: [{ id: "u-long", email: `${name}@${"b".repeat(51)}.example`, firstName: "Aino", lastName: "Long", emailVerified: true, merchantId: "m-long", merchantTeamRole: "ADMIN" }],
            cardNetwork: {
                merchants: [{ merchantId: "1777", name: "long shop", country: "FI", currency: "EUR", status: "ACTIVE" }],
                stores: [{ merchantId: "1777", externalId: "900", name: "Long", address1: line, city: line, postcode: "20100", country: "FI", status: "ACTIVE" }],
            },
        });
        const page = await open("u-long", "/account", "Your account", { size });
        for (const [path, heading] of [["/account", "Your account"], ["/business", "Business details"], ["/team", "Team"], ["/stores", "Stores and tills"]]) {
            await show(page, path, heading);
            await checkWidth(page);
            await screenshot(page, `long-address-${path.slice(1)}-${size}`);
            const cut = await page.evaluate(() => [...document.querySelectorAll("main p, main dd, main span, main b, main h1")]
                .filter((one) => one.checkVisibility() && !one.closest(".sr, gift-card-widget") && one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
                .map((one) => one.textContent.trim().slice(0, 40)));
            assert.deepEqual(cut, [], path);
        }
    });
}

test("sessions say browser and system, this one first", async () => {
    await ownSeller();
    const page = await open("u-own", "/account", "Your account");
    const session = (id, current, userAgent) => ({ id, current, userAgent, createdAt: `2026-11-2${id}T10:00:00.000Z`, expiresAt: `2026-11-2${id}T22:00:00.000Z` });
    await answering(page, "/api/auth/sessions", 200, (answer) => ({ ...answer, data: [
        session(1, false, null), session(2, false, "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1 Version/19.0 Mobile/15E148 Safari/604.1"),
        session(3, false, null), session(4, true, "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0"), session(5, false, null),
    ] }));
    await show(page, "/account", "Your account");
    const rows = page.locator(".rows li b");
    await rows.first().waitFor();
    assert.deepEqual(await rows.allInnerTexts(), ["Firefox on Linux", "Safari on iOS", "3 programs that do not identify themselves"]);
    await checkAccess(page);
});
