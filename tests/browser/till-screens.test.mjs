// The till's screens around a sale: look-ups that take too long, cards that reach the customer, store credit, and a card's history.

import assert from "node:assert/strict";
import test from "node:test";
import { checkAccess, checkWidth, LOOKS, screenshot } from "./support.mjs";
import { asAdmin, balance, button, enter, heading, newCard, openTill, scan } from "./till-support.mjs";

const STORE_CREDIT = {
    id: "504", name: "Store credit", status: "AVAILABLE", type: "REFUND_DIGITAL", currency: "SEK", denominations: [], priceLocked: false,
    availableForPurchaseTime: null, expireForPurchaseTime: null, defaultPrice: null, description: null, min: 1, max: 2000,
    numberOfDaysCardIsValidFromPurchaseTime: null,
};

/** The last sale that reached the API. */
async function watchSales(page) {
    const sales = [];
    page.on("request", (request) => {
        if (request.method() === "POST" && request.url().endsWith("/pos/issue")) sales.push(request.postDataJSON());
    });
    return sales;
}

test("a look-up can be cancelled, and ends after 8 seconds", async () => {
    const page = await openTill({ size: "phone", expected: ["net::ERR_"] });
    let requests = 0;
    await page.route("**/api/bff/pos/card/*", () => void (requests += 1)); // no answer
    await page.clock.install();
    await scan(page, "DEMO-AURORA-500");
    await button(page, "Looking the card up").waitFor();
    await checkAccess(page);
    await screenshot(page, "till-looking");
    await button(page, "Cancel").click();
    await button(page, "Find card").waitFor();
    assert.equal(await page.getByLabel("Card code").inputValue(), "DEMO-AURORA-500");
    assert.equal(await page.getByText("Offline").count(), 0);

    await button(page, "Find card").click();
    await button(page, "Looking the card up").waitFor();
    // The page's time goes on meanwhile, by seconds on a busy machine.
    await page.clock.runFor(4000);
    await button(page, "Looking the card up").waitFor();
    await page.clock.runFor(4100);
    await page.getByText("The card network is slow, and has not answered. Nothing was changed. Try again.").waitFor();
    assert.equal(requests, 2);
    assert.equal(await page.getByText("Offline").count(), 0);
    await checkAccess(page);
});

test("a card shows its offer, its last four and its balance", async () => {
    const page = await openTill({ size: "phone" });
    await scan(page, await newCard(500));
    await page.locator(".card-face").getByText("Aurora gift card").waitFor();
    assert.match(await page.locator(".card-face").innerText(), /Aurora Coffee\s+Aurora gift card\s+•••• \w{4}.*Balance\s+kr.500\.00/s);
});

test("a refusal for too little money shows the balance as it is now", async () => {
    const page = await openTill({ size: "phone", expected: [/422 POST .*\/pos\/redeem/] });
    const code = await newCard(100);
    await enter(page, code, "9000");
    await asAdmin("POST", "/api/bff/pos/redeem", { qrCode: code, redeemAmount: 50, purchaseAmount: 50 });
    await button(page, /^Redeem/).click();
    await heading(page, "Refused").waitFor();
    const row = page.locator(".facts .now");
    await row.getByText("kr 50.00").waitFor();
    await checkAccess(page);
    await screenshot(page, "till-too-little");
    await button(page, "Back to the amount").click();
    await button(page, "Redeem kr 50.00").click();
    await heading(page, "kr 50.00 redeemed").waitFor();
    await page.getByText("Still to pay").waitFor();
    assert.equal(await balance(code), 0);
});

for (const [way, label, address, masked, body] of [
    ["E-mail", "E-mail address", "bo.berg@example.com", "b•••@example.com", { deliveryType: "EMAIL", email: "bo.berg@example.com" }],
    ["SMS", "Mobile number", "0046 70-123 45 67", "•••567", { deliveryType: "SMS", phoneNumber: "+46701234567" }],
]) {
    test(`a sold card is sent by ${way}`, async () => {
        const page = await openTill({ size: "phone" });
        const sales = await watchSales(page);
        await page.getByRole("link", { name: "Sell" }).click();
        await button(page, /A month of coffee/).click();
        await button(page, /Delivery/).click();
        await button(page, way).click();
        await button(page, "Send it there").click();
        await page.getByRole("alert").waitFor();
        await checkAccess(page);
        await page.getByLabel(label).fill(address);
        // Enter takes the address. It does not issue the card.
        await page.keyboard.press("Enter");
        await button(page, /Delivery/).waitFor();
        await button(page, "Paid, issue kr 649.50").click();
        await page.getByText(`The card network sends it to ${masked}, once.`).waitFor();
        assert.deepEqual(sales.map(({ deliveryDetails }) => deliveryDetails), [body]);
        await page.getByRole("img", { name: "QR code of the gift card" }).waitFor();

        // The next customer's card is shown here again.
        await button(page, "Next customer").click();
        await button(page, /A month of coffee/).click();
        await button(page, /On this screen/).waitFor();
    });
}

/** Decodes the only QR code that can be seen. */
async function readCode(page, selector) {
    await page.locator(selector).waitFor();
    return page.evaluate(decodeSeen, selector);
}

async function decodeSeen(css) {
    const { decodeQR } = await import("/kit/vendor/qr.js");
    const [svg] = [...document.querySelectorAll(css)].filter((element) => element.getClientRects().length > 0);
    const { width } = svg.getBoundingClientRect();
    const drawing = svg.cloneNode(true);
    drawing.setAttribute("width", "400");
    drawing.setAttribute("height", "400");
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(drawing))}`;
    await image.decode();
    const context = Object.assign(document.createElement("canvas"), { width: 400, height: 400 }).getContext("2d");
    context.drawImage(image, 0, 0, 400, 400);
    return { code: decodeQR(context.getImageData(0, 0, 400, 400)), width };
}

test("a sold card is shown large, printed, and both again from Today", async () => {
    const page = await openTill({ size: "desktop" });
    await page.evaluate(() => (window.print = () => (window.prints = (window.prints ?? 0) + 1)));
    await page.getByRole("link", { name: "Sell" }).click();
    await button(page, /A month of coffee/).click();
    await button(page, "Paid, issue kr 649.50").click();
    await heading(page, "kr 649.50 gift card sold").waitFor();
    const { code, width } = await readCode(page, ".handover svg.qr");
    assert.equal(await balance(code), 649.5);
    assert.ok(width >= 340, `${width} px on a tablet`);

    await button(page, "Next customer").click();
    await page.getByRole("link", { name: /Today/ }).click();
    await button(page, /A month of coffee/).first().click();
    await button(page, "Full screen").click();
    await page.getByRole("dialog").waitFor();
    await checkAccess(page);
    const poster = await readCode(page, ".poster svg.qr");
    assert.equal(poster.code, code);
    assert.ok(poster.width > 500, `${poster.width} px`);
    await screenshot(page, "till-poster");
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await button(page, "Print").click();
    assert.equal(await page.evaluate(() => window.prints), 1);
});

// Width of the paper in CSS pixels, and the least width of its code in millimetres.
for (const [paper, width, least] of [["58 mm", 219, 35], ["80 mm", 302, 45], ["A4", 794, 60]]) {
    test(`a sold card on ${paper}`, async () => {
        const page = await openTill({ size: "phone" });
        await page.getByRole("link", { name: "Sell" }).click();
        await button(page, /A month of coffee/).click();
        await button(page, "Paid, issue kr 649.50").click();
        await heading(page, "kr 649.50 gift card sold").waitFor();
        const onScreen = await readCode(page, ".handover svg.qr");
        await page.emulateMedia({ media: "print" });
        await page.setViewportSize({ width, height: 1123 });
        const printed = await readCode(page, ".ticket svg.qr");
        assert.equal(printed.code, onScreen.code);
        assert.ok(printed.width * 25.4 / 96 >= least, `${printed.width} px`);
        await checkWidth(page);
        const text = await page.locator("body").innerText();
        for (const part of ["Aurora Coffee", "A month of coffee", "649.50", "Main street, till 2"]) assert.ok(text.includes(part), `${part} in ${text}`);
        assert.doesNotMatch(text, /Next customer|Online|Full screen/);
        assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".ticket")).color), "rgb(0, 0, 0)");
        await screenshot(page, `till-paper-${paper.replace(" ", "")}`);
        await page.emulateMedia({ media: "screen" });
        await button(page, "Next customer").click();
        assert.equal(await page.locator(".ticket").count(), 0);
    });
}

/** Until the API has these routes, and in place of what it knows. */
async function stub(page, { history } = {}) {
    const json = (data) => ({ json: { ok: true, data }, headers: { "access-control-allow-origin": "*" } });
    await page.route("**/api/bff/pos/offers", (route) => route.fulfill(json({ items: [STORE_CREDIT] })));
    await page.route("**/api/bff/cards/*/history*", (route) => route.fulfill(json(history?.(route.request().url()) ?? EMPTY)));
}
const EMPTY = { cardRef: "1234", events: [], nextCursor: null, balance: null, addsUp: null };

test("store credit stands apart, and is given without a payment", async () => {
    const page = await openTill({ size: "phone" });
    const sales = await watchSales(page);
    await stub(page);
    await page.getByRole("link", { name: "Sell" }).click();
    await heading(page, "Give store credit").waitFor();
    assert.equal(await page.locator(".credit .offer").count(), 1);
    await checkAccess(page);
    await button(page, /Store credit/).click();
    assert.equal(await button(page, "Enter the amount").getAttribute("aria-disabled"), "true");
    for (const digit of ["7", "5", "00"]) await page.getByRole("button", { name: digit, exact: true }).click();
    await checkAccess(page);
    await screenshot(page, "till-credit");
    await button(page, "Give kr 75.00").click();
    await heading(page, "kr 75.00 store credit given").waitFor();
    assert.deepEqual(sales.map(({ giftCardOfferId, value, refundOf }) => [giftCardOfferId, value, refundOf]), [["504", "75.00", undefined]]);
    await button(page, "Next customer").click();
    await page.getByRole("link", { name: "Today" }).click();
    await button(page, /Give Store credit/).waitFor();
});

test("no store credit where the business has none, or the API does not know of it", async () => {
    const page = await openTill({ size: "phone", expected: [/404 GET .*\/pos\/offers/] });
    await page.route("**/api/bff/pos/offers", (route) => route.fulfill({ status: 404, json: { ok: false, error: {} } }));
    await page.getByRole("link", { name: "Sell" }).click();
    await button(page, /Aurora gift card/).waitFor();
    assert.equal(await page.getByText("store credit").count(), 0);
});

/** Redeems from a new card, and opens the redemption from Today. */
async function redeemAndOpen(page, digits = "12500") {
    const code = await newCard(500);
    await enter(page, code, digits);
    await button(page, /^Redeem kr/).click();
    await heading(page, /redeemed$/).waitFor();
    await button(page, "Next customer").click();
    await page.getByRole("link", { name: /Today/ }).click();
    await button(page, /^Redeem ••••/).first().click();
    return code;
}

test("a redemption of today is given back, at most what is left of it, with a reason", async () => {
    const page = await openTill({ size: "phone" });
    const sales = await watchSales(page);
    await stub(page);
    await redeemAndOpen(page);
    await button(page, "Give back").click();
    await page.getByText("At most kr 125.00.").waitFor();
    await checkAccess(page);
    await screenshot(page, "till-give-back");
    for (const digit of ["2", "00", "00"]) await page.getByRole("button", { name: digit, exact: true }).click();
    await button(page, "Continue").click();
    await page.getByRole("alert").getByText("Enter at most kr 125.00.").waitFor();
    await page.getByRole("button", { name: "Delete digit" }).click();
    await button(page, "Continue").click();
    await heading(page, "Why is it given back?").waitFor();
    await button(page, "Give back kr 20.00").click();
    await page.getByRole("alert").getByText("Choose a reason.").waitFor();
    await button(page, "Other").click();
    await page.getByLabel("Reason").last().fill("Cup was broken");
    await checkAccess(page);
    await screenshot(page, "till-give-back-reason");
    await button(page, "Give back kr 20.00").click();
    await heading(page, "kr 20.00 store credit given").waitFor();
    const [sale] = sales;
    assert.deepEqual([sale.value, sale.refundReason, sale.currency], ["20.00", "Cup was broken", "SEK"]);
    assert.match(sale.refundOf, /^[\w-]{20,}$/);

    // What is left of it, from the till's own journal.
    await button(page, "Next customer").click();
    await button(page, /^Redeem ••••/).first().click();
    await button(page, "Give back").click();
    await page.getByText("At most kr 105.00.").waitFor();
    await page.getByText("Already given back").waitFor();
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await heading(page, "Today").waitFor();
});

test("what was given back elsewhere is known from the history", async () => {
    const page = await openTill({ size: "phone" });
    let redemptionId;
    await page.route("**/api/bff/pos/redeem", async (route) => {
        const response = await route.fetch();
        ({ redemptionId } = await response.json());
        await route.fulfill({ response });
    });
    const event = { at: "2026-01-15T10:00:00Z", kind: "REDEEMED", amountMinor: 12500, currency: "SEK", storeName: null, by: null, orderId: null };
    await stub(page, { history: () => ({ ...EMPTY, events: [{ ...event, redemptionId, refundedMinor: 12500 }] }) });
    await redeemAndOpen(page);
    await button(page, "Give back").click();
    await page.getByText("All of it has been given back.").waitFor();
    await checkAccess(page);
    await page.getByRole("main").getByRole("button", { name: "Back" }).click();
    await heading(page, "Today").waitFor();
});

const HISTORY = {
    cardRef: "1234", nextCursor: "more", balance: { remainingValueMinor: 37500, currency: "SEK", status: "ACTIVE" }, addsUp: true,
    events: [
        { at: "2026-01-16T09:12:00Z", kind: "GIVEN_BACK", amountMinor: 2500, refundedMinor: null },
        { at: "2026-01-15T10:00:00Z", kind: "REDEEMED", amountMinor: 12500, refundedMinor: 2500, redemptionId: "019b8d99-6900-724e-84ef-8aa392276658" },
    ].map((event) => ({ currency: "SEK", storeName: "Main street", by: "till 2", orderId: null, redemptionId: null, ...event })),
};
const ISSUED = { ...HISTORY.events[0], kind: "ISSUED", amountMinor: 50000, at: "2026-01-02T08:00:00Z" };

/** A card on the screen, with its history over it. */
async function openHistory(page, history = HISTORY) {
    await stub(page, { history: (url) => (url.includes("after=more") ? { ...history, events: [ISSUED], nextCursor: null } : history) });
    await enter(page, await newCard(500), "12500");
    await button(page, "History").click();
}

test("a card's history is read over its screen, page by page, and a redemption in it is given back", async () => {
    const page = await openTill({ size: "phone" });
    await openHistory(page);
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Redeemed").waitFor();
    await checkAccess(page);
    await screenshot(page, "till-history");
    await button(page, "Show earlier").click();
    await dialog.getByText("Issued").waitFor();
    assert.equal(await dialog.getByRole("listitem").count(), 3);
    await button(page, "Close").click();
    await button(page, "Redeem kr 125.00").waitFor();

    await button(page, "History").click();
    await dialog.getByRole("button", { name: "Give back" }).click();
    await page.getByText("At most kr 100.00.").waitFor();
});

test("a history that does not add up says so, and one that cannot be read does too", async () => {
    const page = await openTill({ size: "phone", expected: [/404 GET .*history/, /500 GET .*history/] });
    await openHistory(page, { ...HISTORY, addsUp: false });
    await page.getByText("This does not match the balance of the card.").waitFor();
    await checkAccess(page);
    await button(page, "Close").click();
    for (const [status, text] of [[404, "This card has no history here."], [500, "The history could not be loaded. Nothing was changed."]]) {
        await page.route("**/api/bff/cards/*/history*", (route) =>
            route.fulfill({ status, json: { ok: false, error: {} }, headers: { "access-control-allow-origin": "*" } }));
        await button(page, "History").click();
        await page.getByRole("alert").getByText(text).waitFor();
        await checkAccess(page);
        await button(page, "Close").click();
    }
});

/** Leads a paired till through its newer screens, and looks at each. */
async function visitScreens(page, look) {
    await openHistory(page);
    await page.getByRole("dialog").getByText("Redeemed").waitFor();
    await look("history");
    await page.getByRole("dialog").getByRole("button", { name: "Give back" }).click();
    await page.getByText("At most kr 100.00.").waitFor();
    await look("give-back");
    await button(page, "Continue").click();
    await button(page, "Other").click();
    await look("reason");
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await page.getByRole("link", { name: "Sell" }).click();
    await heading(page, "Give store credit").waitFor();
    await look("offers-with-credit");
    await button(page, /A month of coffee/).click();
    await scan(page, "5901234123457");
    await button(page, "Look it up").waitFor();
    await look("scan-offer");
    await button(page, "Dismiss").click();
    await button(page, /Delivery/).click();
    await button(page, "SMS").click();
    await look("delivery");
    await page.getByLabel("Mobile number").fill("+46 70 123 45 67");
    await button(page, "Send it there").click();
    await button(page, /^Paid/).click();
    await page.getByText("The card network sends it to").waitFor();
    await look("sent");
    await button(page, "Full screen").click();
    await look("poster");
}

for (const [size, theme, reading] of LOOKS) {
    const name = [size, theme, reading].filter(Boolean).join(", ");
    test(`the newer screens are accessible: ${name}`, async () => {
        const page = await openTill({ size, theme, reading });
        await visitScreens(page, async (screen) => {
            await checkAccess(page);
            await checkWidth(page);
            await screenshot(page, `till-${screen}-${name.replaceAll(/\W+/g, "-")}`);
        });
    });
}
