// Reports: which there are for whom, of which period their figures are, and that none of them misleads.

import assert from "node:assert/strict";
import test from "node:test";

import { loaded, open, show } from "./dashboard.mjs";
import { api, checkAccess, checkWidth, screenshot, urls } from "./support.mjs";

const tabsOf = (page) => page.getByRole("navigation", { name: "Reports" }).getByRole("link").allInnerTexts();

for (const [user, mode, tabs] of [
    ["u-anna", "redemptions", ["Redemptions", "Visits", "Fraud checks", "Outstanding"]],
    ["u-lena", "sales", ["Sales", "Visits", "Fraud checks", "Outstanding"]],
    ["u-haru", "both", ["Redemptions", "Sales", "Visits", "Fraud checks", "Outstanding"]],
]) {
    test(`a business that is paid for ${mode} has those reports, and no other`, async () => {
        const page = await open(user, "/reports", "Reports");
        const requests = [];
        page.on("request", (request) => requests.push(new URL(request.url()).pathname));
        assert.deepEqual(await tabsOf(page), tabs);
        await show(page, "/reports?tab=fraud&days=7", "Reports");
        assert.deepEqual(await tabsOf(page), tabs);
        assert.ok(!requests.includes("/api/bff/settlements"), "nothing is guessed from settlements");
    });
}

test("figures keep the period that they are of until others are there", async () => {
    const page = await open("u-anna", "/reports", "Reports");
    await page.getByText(/compared with the 30 days before/).waitFor();
    const figure = () => page.locator(".stat", { hasText: "Redeemed" }).locator(".figure").innerText();
    const before = await figure();
    let release;
    const released = new Promise((done) => (release = done));
    await page.route(/\/api\/bff\/analytics\/redemptions\?days=7$/, async (route) => {
        await released;
        await route.continue();
    });
    await page.getByRole("button", { name: "7 days" }).click();
    await page.locator(".stale").waitFor();
    await page.getByText(/compared with the 30 days before/).waitFor();
    assert.equal(await figure(), before);
    release();
    await page.getByText(/compared with the 7 days before/).waitFor();
    await loaded(page);
    assert.notEqual(await figure(), before);
});

test("today is marked wherever it is compared", async () => {
    const page = await open("u-haru", "/reports?days=7", "Reports", { size: "phone", theme: "dark" });
    for (const tab of ["redemptions", "sales", "visits", "fraud"]) {
        await show(page, `/reports?tab=${tab}&days=7`, "Reports");
        await page.getByText("Today is not over yet: changes are provisional.").waitFor();
        const [changes, marked] = await Promise.all([page.locator(".change").count(), page.locator(".so-far .change").count()]);
        assert.ok(changes > 0, tab);
        assert.equal(marked, changes, `${tab}: every comparison is marked`);
        await checkAccess(page);
        await checkWidth(page);
        await screenshot(page, `reports-${tab}`);
    }
    await show(page, "/reports?tab=sales&days=7", "Reports");
    await page.locator("day-chart").getByRole("button", { name: "Show as table" }).click();
    assert.match(await page.getByRole("table", { name: "Sold day by day" }).getByRole("row").nth(1).innerText(), /not over yet/);
});

test("no rate divides orders at tills by visits", async () => {
    const page = await open("u-anna", "/reports?tab=visits", "Reports");
    await page.getByText("Orders, including tills").waitFor();
    assert.equal(await page.getByText(/rate/i).count(), 0);
    assert.deepEqual(await page.locator(".stat dt").allInnerTexts(), ["Visits to your shop", "Orders, including tills"]);
});

test("small amounts are not rounded away", async () => {
    const redemption = (id, amountMinor, storeName) => ({ id: `r-small-${id}`, merchantId: "m-small", occurredAt: "now-2d", status: "SUCCEEDED", source: "POS", storeName, amountMinor, currency: "EUR" });
    await api("POST", "/__local/fixtures", {
        merchants: [{ id: "m-small", slug: "small-shop", name: "small shop", tradeName: "small shop", status: "ACTIVE", country: "FI", currency: "EUR", timeZone: "Europe/Helsinki", settlementMode: "SETTLEMENT_ON_REDEMPTION" }],
        users: [{ id: "u-small", email: "small@shop.example", firstName: "Aino", lastName: "Small", emailVerified: true, merchantId: "m-small", merchantTeamRole: "ADMIN" }],
        redemptions: [redemption(1, 40, "Kiosk"), redemption(2, 1250, "Hall")],
    });
    const page = await open("u-small", "/reports?days=7", "Reports");
    await page.locator(".stat", { hasText: "Redeemed" }).getByText("€12.90").waitFor();
    await page.locator(".ranking", { hasText: "By store" }).getByText("€0.40").waitFor();
    await page.locator(".ranking", { hasText: "By store" }).getByText("€12.50").waitFor();
    await screenshot(page, "reports-small");
});

test("a wide screen has shares beside what they are shares of", async () => {
    const page = await open("u-anna", "/reports", "Reports");
    const edges = async () => {
        const [panel, share] = await Promise.all(["day-chart", ".ranking"].map((part) => page.locator(part).first().boundingBox()));
        return { end: panel.x + panel.width, bottom: panel.y + panel.height, share };
    };
    const narrow = await edges();
    assert.ok(narrow.share.y >= narrow.bottom, "below it");
    await page.setViewportSize({ width: 1920, height: 1080 });
    for (const [path, heading] of [["/reports", "Reports"], ["/overview", "Overview"]]) {
        await show(page, path, heading);
        const { end, share } = await edges();
        assert.ok(share.x >= end, `${path}: beside it`);
        await checkAccess(page);
        await checkWidth(page);
        await screenshot(page, `wide${path.replace("/", "-")}`);
    }
});

test("reports and searches that are used up say so, and when there are more", async () => {
    const page = await open("u-anna", "/reports", "Reports", { expected: [/429 GET/] });
    const usedUp = (what) => (route) => route.fulfill({
        status: 429,
        json: { error: `You have reached your limit of 2400 ${what} an hour. Please try again in 40 minutes.`, code: "TOO_MANY_REQUESTS" },
        headers: {
            "retry-after": "2400", "access-control-allow-origin": urls.dashboard, "access-control-allow-credentials": "true",
            "access-control-expose-headers": "Retry-After",
        },
    });
    await page.route(/\/api\/bff\/analytics\/redemptions\?days=7$/, usedUp("reports"));
    await page.getByRole("button", { name: "7 days" }).click();
    await page.getByRole("alert").getByText("You have reached your limit of 2400 reports an hour. Please try again in 40 minutes.").waitFor();
    await page.getByRole("button", { name: "Try again" }).getByText("in 40 min").waitFor();

    await page.route(/\/api\/bff\/merchant-orders\?.*q=anna/, usedUp("searches"));
    await show(page, "/orders", "Orders");
    await page.getByRole("searchbox", { name: "Search orders" }).fill("anna");
    await page.getByRole("alert").getByText("You have reached your limit of 2400 searches an hour.").waitFor();
    await page.unroute(/\/api\/bff\/merchant-orders\?.*q=anna/);
    await page.getByRole("searchbox", { name: "Search orders" }).fill("");
    await page.getByRole("alert").waitFor({ state: "detached" });
});

test("what is outstanding is said by month, and leaves as a table", async () => {
    const page = await open("u-anna", "/reports?tab=outstanding", "Reports");
    const shown = page.getByRole("region", { name: "Outstanding in SEK" });
    const { token } = await api("POST", "/__local/sessions", { userId: "u-anna" });
    const { currencies } = await api("GET", "/api/bff/settlements/outstanding?months=24", undefined, { authorization: `Bearer ${token}` });
    const [{ outstandingMinor, months }] = currencies;
    await page.getByRole("button", { name: "24 months" }).click();
    await shown.getByRole("row").nth(24).waitFor();
    const units = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2 }).format(outstandingMinor / 100);
    assert.ok((await shown.getByRole("row").nth(1).innerText()).includes(units), units);
    assert.equal(await shown.getByRole("row").count(), 25);
    await shown.getByRole("img", { name: /^Outstanding at the end of each month/ }).waitFor();
    const link = shown.getByRole("link", { name: "Download table (CSV)" });
    const file = decodeURIComponent((await link.getAttribute("href")).split(",").slice(1).join(","));
    assert.equal(file.split("\r\n")[1].split(",").at(-1), (months.at(-1).outstandingMinor / 100).toFixed(2));
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "reports-outstanding");
    const phone = await open("u-anna", "/reports?tab=outstanding", "Reports", { size: "phone", theme: "dark" });
    await phone.getByRole("region", { name: "Outstanding in SEK" }).waitFor();
    await checkAccess(phone);
    await checkWidth(phone);
    await screenshot(phone, "reports-outstanding-phone");
});
