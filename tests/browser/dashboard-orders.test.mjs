// Orders by their dates, their export, one as a timeline; a card with its history.

import assert from "node:assert/strict";
import test from "node:test";

import { completedOrder, loaded, open, show } from "./dashboard.mjs";
import { api, checkAccess, checkWidth, drain, expectProblem, faults, screenshot, urls } from "./support.mjs";

/** Sends a request as the user. */
async function as(userId, path) {
    const { token } = await api("POST", "/__local/sessions", { userId });
    return (await api("GET", path, undefined, { authorization: `Bearer ${token}` })).data;
}

/** The calendar date some days ago, in Stockholm. */
const day = (ago) => new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Stockholm" }).format(Date.now() - ago * 86_400_000);

/** The texts as they are read, with plain spaces. */
const texts = async (locator) => (await locator.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));

/** A card of Aurora Coffee for SEK 500.00, of which 120.00 and 80.00 were redeemed, and 30.00 of these given back. */
async function usedCard() {
    const { token } = await api("POST", "/__local/sessions", { userId: "u-anna" });
    const pos = (path, body) => api("POST", `/api/bff/pos/${path}`, body, { authorization: `Bearer ${token}`, "idempotency-key": crypto.randomUUID() });
    const { data: sale } = await pos("issue", { value: "500", deliveryDetails: { deliveryType: "EMAIL", email: "rita@mail.example" }, paymentReference: "receipt-1" });
    const redeem = (redeemAmount, retailStoreId, retailStoreName) => pos("redeem", { qrCode: sale.qrCode, redeemAmount, purchaseAmount: redeemAmount, retailStoreId, retailStoreName });
    await redeem(120, "harbour", "Harbour");
    const { redemptionId } = await redeem(80, "airport", "Airport");
    await pos("issue", { value: "30", deliveryDetails: { deliveryType: "QR" }, refundOf: redemptionId, refundReason: "The mug was broken" });
    await drain();
    return sale;
}

test("orders of a few days are listed, and the file has exactly them", async () => {
    const page = await open("u-anna", "/orders", "Orders");
    await page.getByLabel("From", { exact: true }).fill(day(20));
    await page.waitForURL(new RegExp(`from=${day(20)}`));
    await page.getByLabel("To", { exact: true }).fill(day(3));
    await page.waitForURL(new RegExp(`to=${day(3)}`));
    await page.getByLabel("Status").selectOption({ label: "Completed" });
    await page.waitForURL(/status=COMPLETED/);
    await loaded(page);
    const listed = await as("u-anna", `/api/bff/merchant-orders?from=${day(20)}&to=${day(3)}&status=COMPLETED`);
    assert.ok(listed.total > 20, String(listed.total));
    await page.getByText(`1–20 of ${listed.total}`, { exact: true }).waitFor();
    await checkAccess(page);
    await screenshot(page, "orders-dates");

    await page.getByRole("button", { name: "Export" }).click();
    const dialog = page.getByRole("dialog", { name: "Export orders" });
    await dialog.getByText("Only orders as in the list: Completed").waitFor();
    assert.deepEqual([await dialog.getByLabel("From").inputValue(), await dialog.getByLabel("To").inputValue()], [day(20), day(3)]);
    await checkAccess(page);
    const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/api/bff/exports"));
    await dialog.getByRole("button", { name: "Export orders" }).click();
    assert.deepEqual((await sent).postDataJSON(), { kind: "orders", from: day(20), to: day(3), format: "xlsx", status: "COMPLETED" });
    await drain();
    await page.getByText(/The file is ready: [\d,]+ rows/).waitFor();
    assert.match(await page.getByRole("link", { name: "Download" }).getAttribute("href"), /\.xlsx\?/);
    await page.getByRole("button", { name: "Close" }).click();

    // A workbook of more rows than it can have.
    await page.route("**/api/bff/exports/*", async (route) => {
        const response = await route.fetch();
        const { data } = await response.json();
        await route.fulfill({ response, json: { ok: true, data: { ...data, status: "FAILED", rows: null, code: "TOO_MANY_ROWS" } } });
    });
    await page.getByRole("button", { name: "Export" }).click();
    await dialog.getByRole("button", { name: "Export orders" }).click();
    await page.getByRole("alert").getByText("Export fewer days, or choose CSV.").waitFor();
    await checkAccess(page);
    await page.unroute("**/api/bff/exports/*");
    await drain();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Export" }).click();
    await dialog.getByLabel("File").selectOption({ label: "CSV, for programs" });
    await screenshot(page, "export");
    await dialog.getByRole("button", { name: "Export orders" }).click();
    await drain();
    assert.match(await page.getByRole("link", { name: "Download" }).getAttribute("href"), /\.csv\?/);
});

test("a list that ends earlier, and dates in the wrong order, say so", async () => {
    const page = await open("u-anna", "/orders?page=9999", "Orders");
    await page.getByText("No orders on this page").waitFor();
    await page.getByRole("link", { name: "First page" }).click();
    await page.getByText(/^1–20 of /).waitFor();
    await show(page, `/orders?from=${day(1)}&to=${day(5)}`, "Orders");
    await page.getByText("The first day is after the last one.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByText(/^1–20 of /).waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("From").fill(day(900));
    await dialog.getByRole("button", { name: "Export orders" }).click();
    await dialog.getByText("A file can cover at most 366 days.").waitFor();
    await checkAccess(page);
});

test("an order is a timeline up to what is paid out", async () => {
    const { orderId, qrCode } = await usedCard();
    const page = await open("u-anna", `/orders/${orderId}`, "kr 500.00");
    const steps = page.locator(".timeline > li");
    await steps.filter({ hasText: "You sold this card yourself, so you already have the money." }).first().waitFor();
    await loaded(page);
    assert.deepEqual(await texts(steps.locator("b")), [
        "Placed", "Paid", "Card issued", "kr 120.00 redeemed", "kr 80.00 redeemed", "kr 30.00 of it given back",
        "Not paid out", "Not paid out",
    ]);
    await steps.filter({ hasText: "kr 80.00 redeemed" }).getByText("At Airport, by Anna Berg").waitFor();
    await steps.filter({ hasText: "Card issued" }).getByText("By e-mail to rita@mail.example").waitFor();
    await checkAccess(page);
    await screenshot(page, "order-timeline");

    await page.getByRole("link", { name: `•••• ${qrCode.slice(-4)}` }).click();
    await page.getByRole("heading", { level: 1, name: "Gift cards" }).waitFor();
    await page.getByText("Adds up", { exact: true }).waitFor();
    assert.ok(!page.url().includes(qrCode), "no code in the address");
    await page.reload();
    await page.getByText("Adds up", { exact: true }).waitFor();
});

test("an order in fraud review says who decides, and what to do meanwhile", async () => {
    const list = await open("u-anna", "/orders?status=PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW", "Orders");
    await list.getByText("The platform's fraud check decides these.").waitFor();
    await checkAccess(list);
    const { orders } = await as("u-anna", "/api/bff/merchant-orders?status=PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW&pageSize=1");
    const page = await open("u-anna", `/orders/${orders[0].id}`, /kr/, { size: "phone", theme: "dark" });
    const review = page.locator(".timeline > li[aria-current='step']");
    await review.getByText("In fraud review").waitFor();
    await review.getByText("There is nothing for your team to do.").waitFor();
    await review.getByText("do not issue another one").waitFor();
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "order-review");
});

test("what a timeline cannot load is said, and loaded again", async () => {
    const page = await open("u-anna", "/orders", "Orders", { expected: [/500 GET .*\/history/] });
    await page.route(/\/api\/bff\/cards\/.*\/history/, (route) => route.fulfill({ status: 500, json: { ok: false, error: { message: "Broken", code: "INTERNAL" } }, headers: { "access-control-allow-origin": urls.dashboard, "access-control-allow-credentials": "true" } }));
    await page.goto(`${urls.dashboard}/orders/${(await completedOrder()).id}`);
    await page.getByText("Redemptions and settlements could not be loaded.").waitFor();
    await checkAccess(page);
    await page.unroute(/\/api\/bff\/cards\/.*\/history/);
    await page.getByRole("button", { name: "Load it again" }).click();
    await page.getByText("Redemptions and settlements could not be loaded.").waitFor({ state: "detached" });
});

test("a card's history says where and by whom, and whether it adds up", async () => {
    const { qrCode } = await usedCard();
    const page = await open("u-anna", "/gift-cards", "Gift cards", { size: "phone" });
    await page.getByLabel("Code of the card").fill(qrCode);
    await page.keyboard.press("Enter");
    await page.getByText("Adds up", { exact: true }).waitFor();
    await page.getByText("kr 300.00 is left at the card network.").waitFor();
    const events = page.locator("ol.rows > li");
    assert.deepEqual(await texts(events.locator("b")), ["Redeemed", "-kr 80.00", "Redeemed", "-kr 120.00", "Sold", "kr 500.00"]);
    await events.filter({ hasText: "-kr 120.00" }).getByText("At Harbour, by Anna Berg").waitFor();
    await events.filter({ hasText: "-kr 80.00" }).getByText("kr 30.00 of it was given back").waitFor();
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "card-history");
    // The network never disagrees by itself: its answer is changed on the way.
    await page.route(/\/history\?/, async (route) => {
        const response = await route.fetch();
        const { data, ok } = await response.json();
        await route.fulfill({ response, json: { ok, data: { ...data, addsUp: false, balance: { ...data.balance, remainingValueMinor: 45_000 } } } });
    }, { times: 1 });
    await page.getByRole("button", { name: "Look up" }).click();
    await page.getByText("Does not add up", { exact: true }).waitFor();
    await page.getByText("kr 450.00 is left at the card network.").waitFor();
    await checkAccess(page);
    await page.getByRole("link", { name: "Sold" }).click();
    await page.getByRole("heading", { level: 1, name: "kr 500.00" }).waitFor();
});

test("a card of nobody has no history, and none is known while the network is down", async () => {
    const page = await open("u-anna", "/gift-cards", "Gift cards");
    await page.getByLabel("Code of the card").fill("DEMO-AURORA-500");
    await page.keyboard.press("Enter");
    await page.getByText("Nothing is known").waitFor();
    await checkAccess(page);
    expectProblem(page, /5\d\d GET .*\/cards\//);
    await faults([{ target: "card-network", match: "*", kind: "status", value: 500, times: "always" }]);
    await page.getByRole("button", { name: "Look up" }).click();
    await page.getByText(/The card could not be looked up\./).waitFor();
    assert.equal(await page.getByText("No such card").count(), 0);
});

test("the filters of orders are one row of chips on a phone, with a sheet behind it", async () => {
    const page = await open("u-anna", "/orders", "Orders", { size: "phone" });
    const filters = page.getByRole("button", { name: "Filters" });
    assert.equal(await page.getByRole("combobox").count(), 0);
    await checkAccess(page);
    await screenshot(page, "orders-phone");
    await filters.click();
    const sheet = page.getByRole("dialog", { name: "Filters" });
    await sheet.getByLabel("Status").selectOption({ label: "Completed" });
    await sheet.getByLabel("From").fill(day(20));
    await checkAccess(page);
    await screenshot(page, "orders-phone-sheet", { fullPage: false });
    await sheet.getByRole("button", { name: "Show orders" }).click();
    await page.waitForURL((url) => url.searchParams.get("status") === "COMPLETED" && url.searchParams.get("from") === day(20));
    await loaded(page);
    await page.getByRole("button", { name: "Filters (2)" }).waitFor();
    const row = await page.locator(".filter-chips").boundingBox();
    assert.ok(row.height < 64, `one row: ${row.height}`);
    await checkAccess(page);
    await checkWidth(page);
    await page.getByRole("button", { name: "Remove the filter Completed" }).click();
    await page.waitForURL((url) => !url.searchParams.has("status") && url.searchParams.has("from"));
    await page.getByRole("button", { name: "Filters (1)" }).waitFor();
});
