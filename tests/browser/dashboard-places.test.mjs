// Where somebody is in the dashboard: focus, titles, Back, the phone's menu; and what is missing, failed or empty.

import assert from "node:assert/strict";
import test from "node:test";

import { completedOrder, open, show } from "./dashboard.mjs";
import { checkAccess, checkWidth, faults, screenshot, urls } from "./support.mjs";

const focused = (page) => page.evaluate(() => document.activeElement?.textContent?.trim());

test("an opened offer has the focus on its heading and its name in the title", async () => {
    const page = await open("u-anna", "/offers", "Offers");
    await page.getByRole("link", { name: /Aurora gift card/ }).first().click();
    await page.getByRole("heading", { level: 1, name: "Aurora gift card" }).waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    assert.equal(await focused(page), "Aurora gift card");
    assert.equal(await page.title(), "Aurora gift card · Aurora Coffee");
    const { id } = await completedOrder();
    await page.goto(`${urls.dashboard}/orders/${id}`);
    await page.waitForFunction(() => /· Aurora Coffee$/.test(document.title) && !document.title.startsWith("Order ·"));
});

test("Back returns to the place in the list", async () => {
    const page = await open("u-anna", "/orders?page=2", "Orders", { size: "phone" });
    const row = page.locator("tr.link a").nth(12);
    await row.scrollIntoViewIfNeeded();
    const href = await row.getAttribute("href");
    await row.focus();
    const before = await page.evaluate(() => scrollY);
    assert.ok(before > 0);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**${href}`);
    await page.getByRole("heading", { level: 1, name: /kr/ }).waitFor();
    await page.waitForFunction(() => scrollY === 0);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
    await page.waitForFunction((link) => document.activeElement?.getAttribute("href") === link, href);
    assert.ok(Math.abs((await page.evaluate(() => scrollY)) - before) < 5);
    assert.ok(page.url().endsWith("/orders?page=2"));
});

for (const theme of ["light", "dark"]) {
    test(`the menu of a phone is modal (${theme})`, async () => {
        const page = await open("u-anna", "/orders", "Orders", { size: "phone", theme });
        await page.getByRole("button", { name: "Menu" }).click();
        await page.waitForFunction(() => document.activeElement?.matches("#side a"));
        assert.ok(await page.evaluate(() => document.querySelector("main").inert));
        await checkAccess(page);
        await checkWidth(page);
        for (let i = 0; i < 20; i++) {
            await page.keyboard.press("Tab");
            assert.ok(await page.evaluate(() => !document.querySelector("main").contains(document.activeElement)));
        }
        await page.keyboard.press("Escape");
        assert.ok(await page.evaluate(() => document.activeElement?.matches(".top button")));
        assert.ok(!(await page.evaluate(() => document.querySelector("main").inert)));
        await page.getByRole("button", { name: "Menu" }).click();
        await page.getByRole("link", { name: "Offers", exact: true }).click();
        await page.getByRole("heading", { level: 1, name: "Offers" }).waitFor();
        assert.ok(!(await page.evaluate(() => document.querySelector("main").inert)));
    });
}

test("a card network that is down is not a list without stores", async () => {
    const page = await open("u-anna", "/team", "Team", { expected: [/50\d GET/] });
    await faults([{ target: "card-network", match: "*", kind: "status", value: 500, times: "always" }]);
    await page.getByRole("link", { name: "Stores and tills" }).click();
    await page.getByText("Stores could not be loaded. Nothing was changed.").waitFor();
    assert.equal(await page.getByText("No stores yet").count(), 0);
    await checkAccess(page);
    await faults([]);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Main street", { exact: true }).waitFor();
});

test("a malformed address and an unknown one lead on", async () => {
    const page = await open("u-anna", "/orders/%E0%A4%A", "Page not found");
    await checkAccess(page);
    await page.getByRole("link", { name: "Go to the start page" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await show(page, "/no/such/page", "Page not found");
    page.expected.push(/404 GET .*\/offers\/none$/);
    await page.goto(`${urls.dashboard}/offers/none`);
    await page.getByText("It no longer exists.").waitFor();
    await page.getByRole("link", { name: "Offers", exact: true }).first().waitFor();
});

test("strangers' words scroll no page sideways", async () => {
    const page = await open("u-anna", "/team", "Team", { size: "narrow" });
    const long = "Donaudampfschifffahrtsgesellschaftskapitaensmuetzenfabrik".repeat(2);
    await page.route("**/api/bff/analytics/overview?**", async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        body.data.embedSplit = [{ name: `https://${long}.example/${long}`, count: 3 }];
        body.data.entrySplit = [{ name: long, count: 3 }];
        await route.fulfill({ response, json: body });
    });
    await page.route("**/api/bff/merchant-orders?**", async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        for (const order of body.data.orders) Object.assign(order, { buyerName: long, buyerEmail: `${long}@${long}.example` });
        await route.fulfill({ response, json: body });
    });
    await page.route("**/api/bff/merchant/users", async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        for (const item of body.data) Object.assign(item, { firstName: long, email: `${long}@${long}.example` });
        await route.fulfill({ response, json: body });
    });
    for (const [path, heading] of [["/overview", "Overview"], ["/reports?tab=visits", "Reports"], ["/orders", "Orders"], ["/team", "Team"]]) {
        await show(page, path, heading);
        await checkWidth(page);
    }
    await page.getByRole("button", { name: /^Remove/ }).first().click();
    await page.getByRole("dialog").waitFor();
    await checkWidth(page);
    await screenshot(page, "dashboard-long-words");
});
