// The storefront: a merchant's gift cards in the merchant's colours, written by the server and whole without JavaScript.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { api, checkAccess, checkWidth, openPage, screenshot, some, testReadings, urls } from "./support.mjs";
import { observeVitals, vitalsOf } from "./vitals.mjs";

const BUDGET_BYTES = 80_000;
// Node.js would take a .js file for CommonJS.
const brandSource = await readFile(new URL("../../clients/kit/brand.js", import.meta.url), "utf8");
const { asText, mix, shade, textOn } = await import(`data:text/javascript,${encodeURIComponent(brandSource)}`);

/** Opens a merchant's storefront and waits for its offers. */
async function openStorefront(options, slug = "aurora-coffee", name = "Aurora Coffee") {
    const page = await openPage(options);
    await page.goto(`${urls.storefront}/${slug}`);
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    return page;
}

/** Founds a shop with these offers, whose names are their keys. Returns its slug. */
async function foundShop(merchant = {}, offers = { "Gift card": { denominations: [100, 200, 500] } }) {
    const number = 7000 + shops++;
    const slug = `shop-${number}`;
    const { storefront, ...fields } = merchant;
    const merchants = [{
        id: `m-${slug}`, slug, status: "ACTIVE", name: "A new shop", currency: "SEK", networkMerchantId: `${number}`,
        storefront: { homeUrl: "https://shop.example/", ...storefront }, ...fields,
    }];
    const ofNetwork = Object.entries(offers).map(([name, offer], i) =>
        ({ merchantId: `${number}`, giftCardOfferId: number * 10 + i, giftCardOfferStatus: "AVAILABLE", name, ...offer }));
    await api("POST", "/__local/fixtures", { merchants, cardNetwork: { merchants: [{ merchantId: `${number}`, name: "A new shop" }], offers: ofNetwork } });
    return slug;
}
let shops = 0;

/** The links of an offer that can be seen. */
const buyLinks = (page, name) => page.getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) }).getByRole("link");

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
    assert.ok(await amounts.getByRole("radio", { name: "SEK 500", exact: true }).isChecked());
    const card = page.getByRole("listitem").filter({ hasText: "Aurora gift card" });
    await card.locator(".art").getByText("SEK 500").waitFor();
    await amounts.getByRole("radio", { name: "SEK 2,000" }).check();
    await card.locator(".art").getByText("SEK 2,000").waitFor();
    await page.getByText("SEK 649.50").first().waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Tab");
    assert.match(await page.evaluate(() => document.activeElement.href), /amount=300000&currency=SEK$/, "the link follows its amount");
});

test("buy carries the offer and the amount to the shop, also without JavaScript", async () => {
    for (const javaScriptEnabled of [true, false]) {
        const profile = await openPage();
        const context = await profile.context().browser().newContext({ javaScriptEnabled });
        const page = await context.newPage();
        await page.goto(`${urls.storefront}/aurora-coffee`);
        const card = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Aurora gift card" }) });
        const links = async () => Promise.all((await card.getByRole("link").all()).map((link) => link.getAttribute("href")));
        assert.deepEqual(await links(), ["https://aurora.example/?offer=501&amount=50000&currency=SEK"]);
        await card.getByRole("radio").nth(2).check({ force: true });
        assert.deepEqual(await links(), ["https://aurora.example/?offer=501&amount=200000&currency=SEK"]);
        assert.equal(await page.getByRole("link", { name: "Visit aurora.example" }).getAttribute("href"), "https://aurora.example");
        assert.equal(await page.getByRole("link", { name: "Terms" }).getAttribute("href"), "https://aurora.example/terms");
        await context.close();
    }
});

test("the page unfolds when it is shared", async () => {
    const page = await openStorefront();
    const meta = (name) => page.locator(`meta[property="${name}"]`).getAttribute("content");
    assert.equal(await page.title(), "Gift cards of Aurora Coffee");
    assert.equal(await page.locator('link[rel="canonical"]').getAttribute("href"), await meta("og:url"));
    assert.deepEqual([await meta("og:title"), await meta("og:site_name")], ["Gift cards of Aurora Coffee", "Aurora Coffee"]);
    const data = JSON.parse(await page.locator('script[type="application/ld+json"]').textContent());
    const [product] = data["@graph"];
    assert.deepEqual([product["@type"], product.name, product.offers[1].price, product.offers[1].priceCurrency], ["Product", "Aurora gift card", "500.00", "SEK"]);
});

test("amounts of a currency without decimals", async () => {
    const page = await openStorefront({}, "hinode-books", "Hinode Books");
    await page.getByRole("radio", { name: "¥3,000", checked: true }).waitFor();
    await page.getByRole("radio", { name: "¥10,000" }).waitFor();
    await checkAccess(page);
});

test("amounts are written in the language of the browser", async () => {
    const page = await openStorefront({ locale: "sv-SE" });
    await page.getByRole("radio", { name: /^2\s000\skr$/ }).waitFor();
});

/** A shop of the United States, of Canada, of Sweden; who looks at it; what a price of 500 is. */
const READERS = [
    ["USD", "en-US", "$500"], ["USD", "en-CA", "US$500"], ["USD", "fr-CA", "500 $ US"], ["USD", "es-MX", "USD 500"],
    ["CAD", "en-CA", "$500"], ["CAD", "en-US", "CA$500"],
    ["SEK", "sv-SE", "500 kr"], ["SEK", "en-SE", "500 kr"], ["SEK", "nb-NO", "500 SEK"], ["SEK", "en-GB", "SEK 500"],
];
test("nobody takes the symbol of another country's currency for that of their own", async () => {
    const slugs = new Map();
    for (const [currency, locale, expected] of READERS) {
        if (!slugs.has(currency)) slugs.set(currency, await foundShop({ currency }, { "A card": { defaultPrice: 500, currency } }));
        const page = await openStorefront({ locale }, slugs.get(currency), "A new shop");
        const [price, link] = [await page.locator(".price data").textContent(), await page.locator(".buy").getAttribute("aria-label")];
        assert.equal(price.replace(/\s/g, " "), expected, `${currency}, ${locale}`);
        assert.ok(link.includes(price), `${currency}, ${locale}: ${link}`);
    }
});

test("two currencies are told apart", async () => {
    const slug = await foundShop({}, { "In the shop's": { defaultPrice: 500 }, "In another": { defaultPrice: 500, currency: "NOK" } });
    const page = await openStorefront({}, slug, "A new shop");
    const prices = await page.locator(".price data").allTextContents();
    assert.deepEqual(prices.map((text) => text.replace("\u00a0", " ")).sort(), ["NOK 500", "SEK 500"]);
});

test("offers of a variable amount say what is possible", async () => {
    const slug = await foundShop({}, {
        "No bounds": {}, "A lowest amount": { minPrice: 50 }, "A highest amount": { denominations: [100, 200], maxPrice: 200 },
        "One amount": { defaultPrice: 50 }, "A broken amount": { defaultPrice: "200.50" },
    });
    const page = await openStorefront({ size: "phone" }, slug, "A new shop");
    const priceOf = (name) => page.getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) }).locator(".price");
    await priceOf("No bounds").getByText("Any amount").waitFor();
    assert.match(await priceOf("One amount").innerText(), /^SEK\s50$/);
    assert.match(await priceOf("A broken amount").innerText(), /^SEK\s200\.50$/);
    assert.match(await buyLinks(page, "No bounds").getAttribute("href"), /\?offer=\d+&currency=SEK$/, "the shop asks for the amount");
    await page.getByRole("group", { name: "Amount of A highest amount" }).getByRole("radio", { name: "SEK 200" }).check();
    assert.doesNotMatch(await page.locator("body").innerText(), /null|NaN|undefined/);
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "storefront-variable");
});

test("amounts that cannot be bought are not offered, and another amount is held to the bounds", async () => {
    const slug = await foundShop({}, { "Between bounds": { denominations: [10, 100, 200, 5000], minPrice: 50, maxPrice: 1000 } });
    const page = await openStorefront({ size: "phone" }, slug, "A new shop");
    const amounts = page.getByRole("group", { name: "Amount of Between bounds" });
    assert.deepEqual((await amounts.locator("label").allTextContents()).map((text) => text.replace("\u00a0", " ")), ["SEK 100", "SEK 200", "Other"]);
    await amounts.getByRole("radio", { name: "Other amount" }).check({ force: true });
    const field = amounts.getByRole("textbox", { name: "Amount in SEK" });
    const buy = buyLinks(page, "Between bounds");
    for (const text of ["", "49.99", "1000.01", "100.001", "abc", "-100"]) {
        await field.fill(text);
        await buy.click();
        await amounts.getByText("Enter SEK 50 to SEK 1,000.").waitFor();
        assert.deepEqual([await field.getAttribute("aria-invalid"), await field.evaluate((input) => input.matches(":focus"))], ["true", true], text);
        assert.match(page.url(), new RegExp(`/${slug}$`), text);
    }
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "storefront-other-amount");
    for (const [text, minor] of [["50", 5000], ["1,000", 100000], ["99,5", 9950], ["649.50", 64950]]) {
        await field.fill(text);
        assert.match(await buy.getAttribute("href"), new RegExp(`\\?offer=\\d+&currency=SEK&amount=${minor}$`), text);
    }
    await page.locator(".drawn", { hasText: "SEK 649.50" }).waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), null);
});

test("an amount at least, without an end, can be entered", async () => {
    const page = await openStorefront({}, await foundShop({}, { "A lowest amount": { minPrice: 50 } }), "A new shop");
    await page.getByRole("radio", { name: "Other amount" }).check({ force: true });
    await page.getByText("Enter SEK 50 or more.").waitFor();
    await page.getByRole("textbox").fill("12345");
    assert.match(await buyLinks(page, "A lowest amount").getAttribute("href"), /&amount=1234500$/);
});

testReadings("storefront", openStorefront);

for (const size of ["phone", "desktop"]) {
    test(`nothing moves on a slow connection, ${size}`, async () => {
        const page = await openPage({ size });
        const session = await page.context().newCDPSession(page);
        await session.send("Network.enable");
        // Slow 3G: the amounts are painted before the script that writes them anew has arrived.
        await session.send("Network.emulateNetworkConditions", { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 });
        await observeVitals(page);
        await page.goto(`${urls.storefront}/aurora-coffee`, { waitUntil: "networkidle" });
        await page.locator(".drawn", { hasText: "SEK 500" }).first().waitFor();
        const { shift, shifted } = await vitalsOf(page);
        assert.ok(shift <= 0.01, `${shift}\n${shifted.join("\n")}`);
    });
}

test("without a home page, cards are sold in the shop", async () => {
    for (const homeUrl of [null, "javascript:alert(1)"]) {
        const page = await openStorefront({}, await foundShop({ storefront: { homeUrl } }), "A new shop");
        await page.getByText("Sold in the shop", { exact: true }).filter({ visible: true }).waitFor();
        assert.deepEqual(await page.getByRole("link").allTextContents(), ["Check the balance of a card"]);
        await checkAccess(page);
        await screenshot(page, "storefront-sold-in-the-shop");
    }
});

for (const theme of ["light", "dark"]) {
    test(`any colour is readable, ${theme}`, async () => {
        for (const [primaryColor, secondaryColor] of [["#ffe84d", "#ff5aa5"], ["#ffffff", null], ["#000000", "#000000"], ["#777777", "red"], ["url(x)", null], ["#12ab9F", null]]) {
            const page = await openStorefront({ theme }, await foundShop({ storefront: { primaryColor, secondaryColor } }), "A new shop");
            await checkAccess(page);
            await screenshot(page, `storefront-colour-${primaryColor.replace(/\W/g, "")}-${theme}`);
            // The kit has the same rules for pages that are made in the browser.
            const brand = /^#[0-9a-f]{6}$/i.test(primaryColor) ? primaryColor.toLowerCase() : "#24424f";
            const accent = /^#/.test(secondaryColor ?? "") ? secondaryColor : mix(brand, textOn(brand), 0.2);
            const expected = {
                brand, "brand-end": shade(brand), "on-brand": textOn(brand), "brand-accent": accent, "brand-text-light": asText(brand, "#f5f7f9"), "brand-text-dark": asText(brand, "#0b0f11"),
            };
            const actual = await page.evaluate((names) => Object.fromEntries(names.map((name) => [name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`)])), Object.keys(expected));
            assert.deepEqual(actual, expected);
        }
    });
}

test("long words wrap", async () => {
    const word = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen".repeat(3);
    const slug = await foundShop({ name: word, storefront: { description: word, homeUrl: `https://${"a".repeat(60)}.${"b".repeat(60)}.example/` } }, { [word]: { denominations: [1234567.89, 2], description: word } });
    for (const size of ["narrow", "phone", "desktop"]) {
        const page = await openStorefront({ size }, slug, word);
        await checkWidth(page);
        await checkAccess(page);
        await screenshot(page, `storefront-long-words-${size}`);
    }
});

test("markup of a merchant is text", async () => {
    const name = `</title><script>document.title="x"</script><img src=x onerror="document.title='x'">&amp;"'`;
    const slug = await foundShop({ name, storefront: { description: name } }, { [name]: { denominations: [1, 2] } });
    const page = await openStorefront({}, slug, name);
    assert.equal(await page.title(), `Gift cards of ${name}`);
    assert.equal(await page.locator('meta[property="og:title"]').getAttribute("content"), `Gift cards of ${name}`);
    await page.getByRole("group", { name: `Amount of ${name}` }).waitFor();
});

for (const path of ["/nobody", "/", "/fjord-yoga", "/aurora-coffee/cards", "/%E0%A4%A"]) {
    test(`there is no shop at ${path}`, async () => {
        const page = await openPage({ size: "phone", theme: "dark", expected: [/404 GET .*:\d+\//] });
        const response = await page.goto(urls.storefront + path);
        assert.equal(response.status(), 404);
        await page.getByRole("heading", { name: "There is no shop at this address." }).waitFor();
        assert.equal(await page.locator('meta[name="robots"]').getAttribute("content"), "noindex");
        await checkAccess(page);
        if (path === "/nobody") await screenshot(page, "storefront-unknown");
    });
}

for (const typed of ["Aurora-COFFEE", "aurora-coffee/", "AURORA-coffee//"]) {
    test(`${typed} leads to the canonical address`, async () => {
        const page = await openStorefront({}, typed);
        assert.equal(page.url(), `${urls.storefront}/aurora-coffee`);
    });
}

/** Founds a shop whose logo and gift card have images that are not there, and opens its storefront with this page. */
async function openWithoutImages(page) {
    const [logoUrl, urlImage] = ["logo", "card"].map((name) => `${urls.storefront}/missing-${name}.png`);
    const slug = await foundShop({ brand: { logoUrl } }, { "Gift card": { denominations: [100, 200], giftCardDesign: [{ urlImage }] } });
    page.expected.push(/404 GET .*missing-(logo|card)\.png/);
    await page.goto(`${urls.storefront}/${slug}`);
    await page.waitForFunction(() => document.images.length === 0);
    await page.getByText("AS", { exact: true }).waitFor();
}

test("a card or initials stand in for images that cannot be loaded", async () => {
    await openWithoutImages(await openPage());
});

test("a card or initials stand in for images that failed before the script ran", async () => {
    const page = await openPage();
    await page.addInitScript(() => {
        globalThis.failures = 0;
        addEventListener("error", ({ target }) => { if (target instanceof HTMLImageElement) globalThis.failures++; }, true);
    });
    // A script before the page's own is held back until both images have failed.
    await page.route(/\/shop-\d+$/, async (route) => {
        const response = await route.fetch();
        const html = await response.text();
        const end = html.lastIndexOf("<script");
        const headers = { ...response.headers() };
        delete headers["content-security-policy"];
        await route.fulfill({ response, headers, body: `${html.slice(0, end)}<script src="/held.js"></script>${html.slice(end)}` });
    });
    await page.route("**/held.js", async (route) => {
        await page.waitForFunction(() => globalThis.failures === 2);
        await route.fulfill({ contentType: "text/javascript", body: "" });
    });
    await openWithoutImages(page);
});

test("no sideways scroll at 320 px", async () => {
    await checkWidth(await openStorefront({ size: "narrow" }));
});

test("the page has at most 80 KB", async () => {
    const page = await openPage();
    const sizes = [];
    page.on("response", (response) => sizes.push(response.body().then((body) => body.length)));
    await page.goto(`${urls.storefront}/aurora-coffee`);
    await page.getByRole("heading", { name: "Aurora Coffee", level: 1 }).waitFor();
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    assert.ok(total <= BUDGET_BYTES, `${total} bytes`);
});

test("whoever holds a card sees what is left on it, by a form that needs no script and no mouse", async () => {
    const card = { qrCode: "HOLDER-1", merchantId: "1001", value: 500, valueRemains: 125.5, currency: "SEK", status: "ACTIVE" };
    await api("POST", "/__local/fixtures", { cardNetwork: { cards: [{ ...card, expiresAt: "2031-05-31T10:00:00Z" }] } });
    for (const [size, theme] of some([["phone", "light"], ["desktop", "dark"], ["narrow", "light"]], 2)) {
        const page = await openPage({ size, theme, expected: [/404 POST/] });
        await page.goto(`${urls.storefront}/aurora-coffee`);
        await page.getByRole("link", { name: "Check the balance of a card" }).click();
        await page.getByRole("heading", { name: "Your gift card", level: 1 }).waitFor();
        assert.equal(await page.locator("script").count(), 0);
        const field = page.getByLabel("Code of the card");
        await field.focus();
        await page.keyboard.type("nobody has this");
        await page.keyboard.press("Enter");
        await page.getByRole("alert").filter({ hasText: "This shop has no gift card with this code." }).waitFor();
        await checkAccess(page);
        await checkWidth(page);
        await screenshot(page, `holder-refused-${size}-${theme}`);
        await field.focus();
        await page.keyboard.type(" holder-1");
        await page.keyboard.press("Enter");
        await page.getByText("SEK 125.50").waitFor();
        await page.getByText("31 May 2031").waitFor();
        await page.getByRole("img", { name: "Code of the card, to be scanned" }).waitFor();
        assert.ok(!page.url().includes("olde"), "the code is in no address");
        await checkAccess(page);
        await checkWidth(page);
        await screenshot(page, `holder-balance-${size}-${theme}`);
    }
});
