// The dashboard under conditions that people choose: forced colours, a slow network. And what it weighs. dashboard.test.mjs has all pages
// with large text and from right to left.

import assert from "node:assert/strict";
import test from "node:test";

import { loaded, open, show } from "./dashboard.mjs";
import { checkAccess, openPage, screenshot, signIn, urls } from "./support.mjs";

/** Bytes, uncompressed. */
const FIRST_LOAD_BUDGET = 120_000;
const CHART_BUDGET = 175_000;
/** What the overview loads after its first paint: what stands below the figures, and what a new business has to do. */
const LATER = ["/overview/overview-later.js", "/payouts/payout-outlook.js", "/pages.css", "/kit/controls.css", "/reports/rankings.js", "/orders/order-table.js", "/orders/order-number.js", "/shell/table.js", "/kit/badge.js", "/overview/setup.js", "/overview/outstanding-figure.js"];

test("the first load of the overview stays within its budget", async () => {
    const page = await openPage();
    const files = new Map();
    page.on("response", (response) => {
        const { origin, pathname } = new URL(response.url());
        // Without the prefix of the release.
        if (origin === urls.dashboard) files.set(pathname.replace(/^\/v\/[0-9a-f]+/, ""), response.body());
    });
    await signIn(page, "u-anna");
    await show(page, "/", "Overview");
    await page.locator("day-chart canvas").waitFor();
    await page.waitForFunction(() => document.querySelector("day-chart canvas")?.width > 300);

    const sizes = [];
    for (const [path, body] of files) sizes.push({ path, bytes: (await body).length });
    const isChart = ({ path }) => path.startsWith("/reports/chart/") || path === "/kit/vendor/chart.js";
    const isLater = (file) => isChart(file) || LATER.includes(file.path);
    const sum = (list) => list.reduce((total, { bytes }) => total + bytes, 0);
    const listing = sizes.toSorted((a, b) => b.bytes - a.bytes).map(({ path, bytes }) => `${bytes} ${path}`).join("\n");
    assert.equal(sizes.filter(isChart).length, 6, `the chart is loaded after the first paint\n${listing}`);
    const first = sum(sizes.filter((file) => !isLater(file)));
    console.log(`first load: ${first} bytes, chart: ${sum(sizes.filter(isChart))} bytes`);
    assert.ok(first <= FIRST_LOAD_BUDGET, `${first} bytes are loaded before the chart, more than ${FIRST_LOAD_BUDGET}\n${listing}`);
    assert.ok(sum(sizes.filter(isChart)) <= CHART_BUDGET, listing);

    // A module that is not preloaded costs a round trip for each level of imports above it.
    const preloaded = await page.locator("link[rel=modulepreload]").evaluateAll((links) => links.map((link) => new URL(link.href).pathname.replace(/^\/v\/[0-9a-f]+/, "")));
    const modules = sizes.filter((file) => !isLater(file)).map(({ path }) => path).filter((path) => path.endsWith(".js") && path !== "/kit/theme.js");
    assert.deepEqual(preloaded.toSorted(), modules.toSorted(), "index.html preloads the modules of the overview");
});

for (const theme of ["light", "dark"]) {
    test(`old figures stay readable while new ones are loaded (${theme})`, async () => {
        const page = await open("u-anna", "/overview", "Overview", { theme });
        let release;
        const released = new Promise((done) => (release = done));
        await page.route(/\/api\/bff\/analytics\/.*days=7$/, async (route) => {
            await released;
            await route.continue();
        });
        await page.getByRole("button", { name: "7 days" }).click();
        await page.waitForFunction(() => {
            const stale = document.querySelector(".stale .figure");
            return stale && getComputedStyle(stale).color !== getComputedStyle(document.body).color;
        });
        await checkAccess(page);
        await screenshot(page, `dashboard-stale-${theme}`);
        release();
        await loaded(page);
        await page.waitForFunction(() => !document.querySelector(".stale"));
    });
}

for (const theme of ["light", "dark"]) {
    test(`focus, choices and badges are told apart in forced colours (${theme})`, async () => {
        const page = await open("u-anna", "/orders", "Orders", { theme });
        await page.emulateMedia({ forcedColors: "active" });
        await checkAccess(page);
        await screenshot(page, `dashboard-forced-orders-${theme}`);

        const look = (locator) => locator.evaluate((element) => {
            const { outlineStyle, outlineWidth, backgroundColor, color } = getComputedStyle(element);
            return { outline: outlineStyle === "none" ? 0 : Number.parseFloat(outlineWidth), backgroundColor, color };
        });
        await page.keyboard.press("Tab");
        const menu = page.getByRole("navigation", { name: "Pages" });
        for (const name of ["Orders", "Offers"]) {
            const link = menu.getByRole("link", { name, exact: true });
            await link.focus();
            assert.ok((await look(link)).outline >= 2, `the focus is seen on ${name}`);
            await link.blur();
            assert.equal((await look(link)).outline, 0, `no focus on ${name}`);
        }
        const selected = await page.evaluate(() => {
            document.body.insertAdjacentElement("beforeend", document.createElement("i")).style.color = "SelectedItem";
            return getComputedStyle(document.body.lastElementChild).color;
        });
        const current = await look(menu.getByRole("link", { name: "Orders", exact: true }));
        const other = await look(menu.getByRole("link", { name: "Offers", exact: true }));
        assert.equal(current.backgroundColor, selected, "the current page is marked");
        assert.notEqual(other.backgroundColor, selected);
        const row = page.getByRole("row").nth(1);
        await row.getByRole("link").focus();
        assert.ok((await look(row)).outline >= 2, "the focus is seen on a row");

        const badges = await page.locator(".badge").evaluateAll((all) => all.map((badge) => ({ word: badge.textContent.trim(), glyph: badge.querySelector("svg").innerHTML, border: getComputedStyle(badge).outlineStyle })));
        assert.ok(badges.length > 0 && badges.every(({ word, glyph, border }) => word && glyph && border !== "none"));

        await show(page, "/overview", "Overview");
        const [chosen, choice] = [page.getByRole("button", { name: "30 days" }), page.getByRole("button", { name: "7 days" })];
        assert.equal((await look(chosen)).backgroundColor, selected, "the period is marked");
        assert.notEqual((await look(choice)).backgroundColor, selected);
        await page.locator("day-chart canvas").waitFor();
        await checkAccess(page);
        await screenshot(page, `dashboard-forced-overview-${theme}`);
    });
}
