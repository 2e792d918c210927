// The widget in a shop on another site: CORS and partitioned cookies are in force.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { api, checkAccess, checkWidth, expectProblem, openPage, screenshot, drain, signIn, testReadings, urls } from "./support.mjs";
import { observeVitals, vitalsOf } from "./vitals.mjs";

const GIFT_CARDS = "**/api/bff/widget/giftcards*";

/** Opens the shop and waits for the widget's cards. */
async function openShop(options) {
    const page = await openPage(options);
    await page.goto(urls.shop);
    await page.getByRole("heading", { name: "Coffee for a friend" }).waitFor();
    return page;
}

/** Serves the shop with another Content Security Policy, from a site of its own. Returns its address. */
async function serveShop(t, changePolicy) {
    const server = createServer(async (request, response) => {
        const original = await fetch(urls.shop + request.url);
        const headers = { "content-type": original.headers.get("content-type") };
        const policy = original.headers.get("content-security-policy");
        if (policy) headers["content-security-policy"] = changePolicy(policy);
        response.writeHead(original.status, headers).end(await original.text());
    });
    t.after(() => server.close());
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${server.address().port}/`;
}

/** The visits that the merchant's overview counts. */
async function countVisits() {
    await drain();
    const { token } = await api("POST", "/__local/sessions", { userId: "u-anna" });
    const overview = await api("GET", "/api/bff/analytics/overview?days=7", undefined, { authorization: `Bearer ${token}` });
    return overview.data.kpis.uniqueSessions.value;
}

test("a customer chooses a gift card, and the shop puts it into its basket", async () => {
    const page = await openShop();
    await page.getByRole("radio", { name: "500" }).check();
    await page.getByRole("button", { name: "Choose SEK 500" }).click();
    const basket = page.getByRole("region", { name: "Basket" });
    await basket.getByRole("status").getByText("Coffee for a friend, SEK 500, is in your basket.").waitFor();
    await page.getByRole("radio", { name: "250" }).check();
    await page.getByRole("button", { name: "Choose SEK 250" }).click();
    await basket.getByText("Breakfast for two", { exact: true }).waitFor();
    assert.equal(await page.getByRole("radio", { checked: true }).count(), 1, "there is one choice");
    await checkAccess(page);
});

test("the keyboard is enough", async () => {
    const page = await openShop();
    await page.getByRole("radio", { name: "200" }).focus();
    await page.keyboard.press("ArrowRight");
    assert.ok(await page.getByRole("radio", { name: "500" }).isChecked());
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Coffee for a friend, SEK 500, is in your basket.").waitFor();
});

test("a shop that does not handle the event gets a confirmation by the widget", async () => {
    const page = await openShop();
    await page.evaluate(() => document.addEventListener("gift-card-select", (event) => event.stopImmediatePropagation(), true));
    await page.getByRole("button", { name: "Choose SEK 200" }).click();
    await page.getByText("Chosen: Coffee for a friend, SEK 200").waitFor();
    assert.equal(await page.getByRole("region", { name: "Basket" }).getByText("Your basket is empty.").count(), 1);
});

test("loads from another site share a visit by the partitioned cookie", async () => {
    const before = await countVisits();
    const page = await openShop();
    await page.reload();
    await page.getByRole("heading", { name: "Coffee for a friend" }).waitFor();
    const again = await openShop({ profile: page });
    const cookies = (await again.context().cookies(urls.api.replace("http:", "https:"))).filter(({ name }) => name === "gc_as");
    assert.equal(cookies.length, 1, "one cookie");
    assert.equal(cookies[0].partitionKey, "http://127.0.0.1", "partitioned by the shop's site");
    assert.equal(await countVisits(), before + 1);

    await openShop();
    assert.equal(await countVisits(), before + 2, "another browser is another visit");
});

test("the shop's page cannot read what belongs to the dashboard", async () => {
    const page = await openShop();
    await signIn(page, "u-anna");
    expectProblem(page, /401 GET .*\/api\/auth\/session/);
    const status = await page.evaluate(async (url) => (await fetch(url, { credentials: "include" })).status, `${urls.api}/api/auth/session`);
    assert.equal(status, 401, "the session's cookie is not sent from another site");
});

test("initials stand in for images that the shop's policy blocks", async (t) => {
    const page = await openPage({ expected: [/console .*data:image.*Content Security Policy/] });
    await page.goto(await serveShop(t, (policy) => policy.replace(/img-src [^;]*/, "img-src 'self'")));
    await page.getByText("CF", { exact: true }).waitFor();
    assert.equal(await page.locator("gift-card-widget img:visible").count(), 0);
    await checkAccess(page);
    await screenshot(page, "widget-initials");
});

test("a failed request shows an error, and a retry recovers", async () => {
    const page = await openPage({ size: "phone", expected: [/503 GET .*giftcards/] });
    // Without the CORS headers of the API, the browser would hide even the status.
    await page.route(GIFT_CARDS, (route) => route.fulfill({
        status: 503, body: "{}", headers: { "access-control-allow-origin": urls.shop, "access-control-allow-credentials": "true" },
    }));
    await page.goto(urls.shop);
    await page.getByRole("alert").getByText("Gift cards could not be loaded. Nothing was changed.").waitFor();
    await checkAccess(page);
    await page.unroute(GIFT_CARDS);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Coffee for a friend" }).waitFor();
});

test("cards do not wait for the colours, and nothing moves when they come", async () => {
    const page = await openPage();
    const colour = () => page.locator("gift-card-widget .art").first().evaluate((art) => getComputedStyle(art).getPropertyValue("--brand"));
    let answer;
    const held = new Promise((release) => (answer = release));
    await page.route("**/api/bff/widget/config", async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        await held;
        body.data.theme = { ...body.data.theme, primaryColor: "#c2185b" };
        await route.fulfill({ response, json: body });
    });
    // The shop does not choose colours itself.
    await page.route("**/shop.css", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: (await response.text()).replaceAll(/--gift-card-(color|accent):[^;]*;/g, "") });
    });
    await observeVitals(page);
    await page.goto(urls.shop);
    await page.getByRole("radio", { name: "500" }).check();
    assert.equal(await colour(), "#1f3a5f", "the widget's own, until the merchant's is known");
    const before = await page.locator("gift-card-widget").boundingBox();
    answer();
    await page.waitForFunction(() => {
        const art = document.querySelector("gift-card-widget").shadowRoot.querySelector(".art");
        return getComputedStyle(art).getPropertyValue("--brand") === "#c2185b";
    });
    assert.deepEqual(await page.locator("gift-card-widget").boundingBox(), before);
    assert.ok(await page.getByRole("radio", { name: "500" }).isChecked(), "the choice stays");
    const { shift, shifted } = await vitalsOf(page);
    assert.ok(shift <= 0.01, shifted.join("\n"));
});

test("a merchant without gift cards has words for it", async () => {
    const page = await openPage();
    await page.route(GIFT_CARDS, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ok: true, data: { merchantId: "m-aurora", items: [], count: 0 } } });
    });
    await page.goto(urls.shop);
    await page.getByText("No gift cards yet. They will appear here.").waitFor();
    await checkAccess(page);
});

test("a gift card without amounts takes any", async () => {
    const page = await openPage({ size: "phone" });
    await page.route(GIFT_CARDS, async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        body.data.items[0].denominations = [];
        await route.fulfill({ response, json: body });
    });
    await page.goto(urls.shop);
    const field = page.getByLabel("Amount in SEK");
    await page.getByRole("button", { name: "Enter an amount" }).click();
    assert.ok(await field.evaluate((input) => input.matches(":focus")));
    for (const text of ["0", "12,50", "-3", "abc"]) {
        await field.fill(text);
        await page.getByRole("button", { name: "Enter an amount" }).waitFor();
    }
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "shop-any-amount");
    await field.fill("330");
    await page.getByRole("button", { name: "Choose SEK 330" }).click();
    await page.getByText("Coffee for a friend, SEK 330, is in your basket.").waitFor();

    await page.getByRole("radio", { name: "250" }).check();
    assert.equal(await field.inputValue(), "");
    await field.fill("90");
    await page.getByRole("button", { name: "Choose SEK 90" }).waitFor();
    assert.equal(await page.getByRole("radio", { checked: true }).count(), 0, "there is one choice");
    assert.doesNotMatch(await page.locator("body").innerText(), /null|NaN|undefined/);
});

testReadings("shop", openShop);

for (const theme of ["light", "dark"]) {
    for (const size of ["phone", "desktop"]) {
        test(`accessible on a ${size}, ${theme}`, async () => {
            const page = await openShop({ size, theme });
            await checkAccess(page);
            await checkWidth(page);
            await screenshot(page, `shop-${size}-${theme}`);
        });
    }
}

test("no sideways scroll at 320 px", async () => {
    await checkWidth(await openShop({ size: "narrow" }));
});
