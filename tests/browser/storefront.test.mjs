// The storefront: a merchant's gift cards in the merchant's colours.

import assert from "node:assert/strict";
import test from "node:test";
import { checkAccess, checkWidth, openPage, screenshot, testReadings, urls } from "./support.mjs";

const MERCHANT = "**/api/merchants/aurora-coffee";
const BUDGET_BYTES = 80_000;

/** Opens a merchant's storefront and waits for its offers. */
async function openStorefront(options, slug = "aurora-coffee", name = "Aurora Coffee") {
    const page = await openPage(options);
    await page.goto(`${urls.storefront}/${slug}`);
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    return page;
}

/** Changes the merchant's profile on its way to the page. */
const changeMerchant = (page, changes) => page.route(MERCHANT, async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    await route.fulfill({ response, json: { ...body, data: { ...body.data, ...changes } } });
});

for (const theme of ["light", "dark"]) {
    for (const size of ["phone", "desktop"]) {
        test(`a merchant's offers on a ${size}, ${theme}`, async () => {
            const page = await openStorefront({ size, theme });
            await page.getByText("Coffee, roasted slowly").waitFor();
            const offers = await page.getByRole("listitem").getByRole("heading").allTextContents();
            assert.deepEqual(offers, ["Aurora gift card", "A month of coffee", "Beans at home", "Breakfast for two"]);
            await checkAccess(page);
            await checkWidth(page);
            await screenshot(page, `storefront-${size}-${theme}`);
        });
    }
}

test("the popular amount is chosen, and another one can be", async () => {
    const page = await openStorefront();
    const amounts = page.getByRole("group", { name: "Amount of Aurora gift card" });
    assert.ok(await amounts.getByRole("radio", { name: "kr 500", exact: true }).isChecked());
    await amounts.getByRole("radio", { name: "kr 2,000" }).check();
    await page.getByRole("listitem").filter({ hasText: "Aurora gift card" }).locator(".art").getByText("kr 2,000").waitFor();
    await page.getByText("kr 649.50").first().waitFor();
});

test("the buttons lead to the merchant's own shop", async () => {
    const page = await openStorefront();
    assert.equal(await page.getByRole("link", { name: "Visit aurora.example" }).getAttribute("href"), "https://aurora.example");
    assert.equal(await page.getByRole("link", { name: "Buy in the shop (Aurora gift card)" }).getAttribute("href"), "https://aurora.example");
    assert.equal(await page.getByRole("link", { name: "Terms" }).getAttribute("href"), "https://aurora.example/terms");
});

test("amounts of a currency without decimals", async () => {
    const page = await openStorefront({}, "hinode-books", "Hinode Books");
    await page.getByRole("radio", { name: "¥3,000", checked: true }).waitFor();
    await page.getByRole("radio", { name: "¥10,000" }).waitFor();
    await checkAccess(page);
});

test("offers of a variable amount say what is possible", async () => {
    const page = await openPage({ size: "phone" });
    await page.route(`${MERCHANT}/catalog`, async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        const offer = (name, priceOptions, minValue, maxValue) =>
            ({ ...body.data[0], id: name, name, priceOptions, minValue, maxValue, description: null, imageUrl: null });
        const data = [
            offer("No bounds", [], null, null), offer("No bounds, a popular amount", [50000], null, null),
            offer("A lowest amount", [5000], 5000, null), offer("A highest amount", [10000, 20000], null, 20000),
            offer("Bounds alone", [], 5000, 20050), offer("One amount", [5000], 5000, 5000),
        ];
        await route.fulfill({ response, json: { ...body, data, meta: { popularAmount: null } } });
    });
    await page.goto(`${urls.storefront}/aurora-coffee`);
    const priceOf = (name) => page.getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) }).locator(".price");
    await priceOf("No bounds").getByText("Any amount").waitFor();
    await priceOf("No bounds, a popular amount").getByText("Any amount").waitFor();
    await priceOf("A lowest amount").getByText("kr 50 or more").waitFor();
    await priceOf("Bounds alone").getByText("kr 50 to kr 200.50").waitFor();
    assert.match(await priceOf("One amount").innerText(), /^kr\s50$/);
    await page.getByRole("group", { name: "Amount of A highest amount" }).getByRole("radio", { name: "kr 200" }).check();
    assert.doesNotMatch(await page.locator("body").innerText(), /null|NaN|undefined/);
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "storefront-variable");
});

testReadings("storefront", openStorefront);

test("without a home page, cards are sold in the shop", async () => {
    const page = await openPage();
    await changeMerchant(page, { homeUrl: null });
    await page.goto(`${urls.storefront}/aurora-coffee`);
    assert.equal(await waitForCount(page.getByText("Sold in the shop", { exact: true }), 4), 4);
    assert.equal(await page.getByRole("link", { name: /Visit|Buy/ }).count(), 0);
    await checkAccess(page);
});

async function waitForCount(locator, count) {
    await locator.nth(count - 1).waitFor();
    return locator.count();
}

for (const theme of ["light", "dark"]) {
    test(`any colour is readable, ${theme}`, async () => {
        for (const [primaryColor, secondaryColor] of [["#ffe84d", "#ff5aa5"], ["#ffffff", null], ["#000000", "#000000"], ["#777777", "red"], ["url(x)", null]]) {
            const page = await openPage({ theme });
            await changeMerchant(page, { primaryColor, secondaryColor });
            await page.goto(`${urls.storefront}/aurora-coffee`);
            await page.getByRole("heading", { name: "Aurora Coffee", level: 1 }).waitFor();
            await checkAccess(page);
            await screenshot(page, `storefront-colour-${primaryColor.replace(/\W/g, "")}-${theme}`);
        }
    });
}

for (const path of ["/nobody", "/", "/fjord-yoga", "/aurora-coffee/cards", "/%E0%A4%A"]) {
    test(`there is no shop at ${path}`, async () => {
        const page = await openPage({ size: "phone", theme: "dark", expected: [/404 GET .*\/api\/merchants\//] });
        await page.goto(urls.storefront + path);
        await page.getByRole("heading", { name: "There is no shop at this address." }).waitFor();
        await checkAccess(page);
        if (path === "/nobody") await screenshot(page, "storefront-unknown");
    });
}

test("a failed request shows an error, and a retry recovers", async () => {
    const page = await openPage({ expected: [/503 GET/] });
    await page.route(MERCHANT, (route) => route.fulfill({
        status: 503, body: "{}", headers: { "access-control-allow-origin": urls.storefront, "access-control-allow-credentials": "true" },
    }));
    await page.goto(`${urls.storefront}/aurora-coffee`);
    await page.getByRole("alert").getByText("Nothing was changed").waitFor();
    await checkAccess(page);
    await page.unroute(MERCHANT);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Aurora Coffee", level: 1 }).waitFor();
});

test("no sideways scroll at 320 px", async () => {
    await checkWidth(await openStorefront({ size: "narrow" }));
});

test("the page has at most 80 KB", async () => {
    const page = await openPage();
    const sizes = [];
    page.on("response", (response) => {
        if (response.url().startsWith(urls.storefront)) sizes.push(response.body().then((body) => body.length));
    });
    await page.goto(`${urls.storefront}/aurora-coffee`);
    await page.getByRole("heading", { name: "Aurora Coffee", level: 1 }).waitFor();
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    assert.ok(total <= BUDGET_BYTES, `${total} bytes`);
});
