// The widget in shops that are not ours: pages on another site, which paste what the dashboard offers. Nothing of the shop around
// it changes by it, nothing of it changes by the shop, and nothing moves.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import test, { after, before } from "node:test";
import { checkAccess, checkWidth, openPage, screenshot, urls } from "./support.mjs";

const PAGES = new URL("widget-pages/", import.meta.url);
const CLIENTS = new URL("../../clients/", import.meta.url);
const GIFT_CARDS = "**/api/bff/widget/giftcards*";
const SCRIPT = "**/gift-card-widget.js";
const release = JSON.parse(await readFile(new URL("widget/release.json", CLIENTS), "utf8"));

let server, shop;

before(async () => {
    server = createServer(async (request, response) => {
        const { pathname, searchParams } = new URL(request.url, "http://localhost");
        const name = pathname.slice(1);
        const text = await readFile(new URL(name, PAGES), "utf8").catch(() => null);
        const types = { html: "text/html; charset=utf-8", css: "text/css" };
        response.writeHead(text === null ? 404 : 200, { "content-type": types[name.split(".").pop()] ?? "text/plain" });
        response.end(text?.replaceAll("{{api}}", urls.api).replaceAll("{{version}}", release.version).replaceAll("{{integrity}}", release.integrity)
            .replace('lang="en"', `lang="${searchParams.get("lang") ?? "en"}"`)
            .replace('merchant="m-aurora"', `merchant="m-aurora" ${searchParams.get("attributes") ?? ""}`));
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    shop = `http://127.0.0.1:${server.address().port}/`;
});
after(() => server?.close());

/** Opens a page whose script and cards come late, so that it is painted before and in between, and waits for the cards. */
async function openShop(name, { change, cards, ...options } = {}) {
    const page = await openPage(options);
    await page.addInitScript(() => {
        window.shifts = 0;
        window.events = [];
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
        }).observe({ type: "layout-shift", buffered: true });
        for (const type of ["ready", "error", "choose", "gift-card-select"]) {
            addEventListener(type, (event) => {
                if (event instanceof CustomEvent) window.events.push({ type, detail: event.detail });
            }, true);
        }
    });
    const late = (wait, edit) => async (route) => {
        const url = route.request().url();
        // These views are not counted: there may be 60 an hour.
        const response = await route.fetch(edit ? { url: `${url}&count=no` } : {});
        const json = edit && (await response.json());
        await page.waitForTimeout(wait);
        await route.fulfill(json ? { response, json: edit(json) } : { response });
    };
    await page.route(SCRIPT, late(150));
    await page.route(GIFT_CARDS, late(150, (json) => {
        cards?.(json.data.items);
        return json;
    }));
    await page.goto(`${shop}${name}.html`);
    if (change) await page.evaluate(change);
    await page.waitForFunction(() => window.events.some(({ type }) => type === "ready"));
    return page;
}

/** The address of the plain page with other attributes of the widget and another language. */
const plainWith = (attributes, lang = "en") => `${shop}plain.html?${new URLSearchParams({ attributes, lang })}`;

const widgetOf = (page) => page.locator("gift-card-widget").first();
const eventsOf = (page, type) => page.evaluate((type) => window.events.filter((event) => event.type === type).map(({ detail }) => detail), type);

async function checkShifts(page) {
    const shifts = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(window.shifts)))));
    assert.ok(shifts <= 0.01, `layout shift ${shifts}`);
}

/** The share of pixels that differ visibly between two pictures of the same size. `ignored` is left out.
 * @param {Buffer[]} pictures @param {{x: number, y: number, width: number, height: number}} [ignored] */
async function difference(pictures, ignored) {
    const page = await openPage();
    return page.evaluate(async ({ pictures, ignored }) => {
        const [one, other] = await Promise.all(pictures.map(async (picture) => {
            const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob());
            const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
            context.drawImage(bitmap, 0, 0);
            return context.getImageData(0, 0, bitmap.width, bitmap.height);
        }));
        if (one.width !== other.width || one.height !== other.height) return `${one.width} × ${one.height}, not ${other.width} × ${other.height}`;
        let differing = 0;
        for (let i = 0; i < one.data.length; i += 4) {
            const [x, y] = [(i / 4) % one.width, Math.floor(i / 4 / one.width)];
            const isIgnored = ignored && x >= ignored.x - 1 && x <= ignored.x + ignored.width && y >= ignored.y - 1 && y <= ignored.y + ignored.height;
            if (!isIgnored && [0, 1, 2].some((channel) => Math.abs(one.data[i + channel] - other.data[i + channel]) > 12)) differing += 1;
        }
        return differing / (one.data.length / 4);
    }, { pictures: pictures.map((picture) => picture.toString("base64")), ignored });
}

/** Of the widget at its place in the plain page. */
let plain;
const plainPicture = async () => (plain ??= await widgetOf(await openShop("plain")).screenshot());

const SHOPS = ["plain", "flex", "flex-beside", "flex-column", "grid", "small-root", "inherited", "own-names", "refused-language", "strict-policy",
    "two-scripts", "right-to-left", "reduced-motion"];
/** Narrower, or mirrored. */
const OTHER_PICTURE = ["flex-beside", "right-to-left"];

for (const name of SHOPS) {
    test(`at home in the shop ${name}`, async () => {
        const page = await openShop(name);
        assert.deepEqual(await eventsOf(page, "ready"), [{ merchant: "m-aurora", count: 2 }]);
        await checkShifts(page);
        if (name !== "refused-language") await checkAccess(page); // axe refuses it too
        await checkWidth(page);
        await screenshot(page, `widget-in-${name}`);
        const { width, height } = await widgetOf(page).boundingBox();
        assert.equal(height, 480);
        assert.equal(width, name === "flex-beside" ? 584 : 760);
        if (!OTHER_PICTURE.includes(name)) {
            const share = await difference([await plainPicture(), await widgetOf(page).screenshot()]);
            assert.ok(share <= 0.001, `${share} of the widget's pixels differ from those in the plain shop`);
        }
        const around = await page.screenshot();
        const without = await openPage({ expected: [/net::ERR_FAILED GET .*gift-card-widget/, /console .*gift-card-widget/] });
        await without.route(SCRIPT, (route) => route.abort());
        await without.goto(`${shop}${name}.html`);
        const share = await difference([await without.screenshot(), around], await widgetOf(page).boundingBox());
        assert.ok(share === 0, `${share} of the shop's pixels differ from those without the widget`);
    });

    test(`nothing moves on a phone in the shop ${name}`, async () => {
        for (const size of ["phone", "narrow"]) {
            const page = await openShop(name, { size });
            await checkShifts(page);
            await checkWidth(page);
            if (size === "phone") await screenshot(page, `widget-phone-in-${name}`);
        }
    });
}

test("nothing moves by cards of any number, an error, or nothing to sell", async () => {
    for (const number of [0, 1, 3, 6]) {
        const page = await openShop("plain", { cards: (items) => items.splice(0, items.length, ...Array.from({ length: number }, (_, i) => ({ ...items[i % 2], id: `${i}` }))) });
        await checkShifts(page);
        assert.equal((await widgetOf(page).boundingBox()).height, 480, `${number} cards`);
        await screenshot(page, `widget-${number}-cards`);
    }
    const page = await openPage({ expected: [/503 GET .*giftcards/] });
    const answer = { status: 503, body: "{}", headers: { "access-control-allow-origin": shop.slice(0, -1), "access-control-allow-credentials": "true" } };
    await page.route(GIFT_CARDS, (route) => route.fulfill(answer));
    await page.addInitScript(() => addEventListener("error", (event) => { window.failure ??= [event.detail, event.bubbles]; }, true));
    await page.goto(`${shop}plain.html`);
    await page.getByRole("alert").waitFor();
    assert.equal((await widgetOf(page).boundingBox()).height, 480);
    const [detail, bubbles] = await page.evaluate(() => window.failure);
    assert.deepEqual([detail.merchant, /^Error: 503/.test(detail.message), bubbles], ["m-aurora", true, false]);
    await screenshot(page, "widget-failed");
});

test("one unusable card or amount does not take the others away", async () => {
    const page = await openShop("plain", {
        cards: (items) => items.push(
            { ...items[0], id: "currency", name: "No currency", currency: "kr" }, { ...items[0], id: "none", name: "No amounts", denominations: null },
            { ...items[0], id: "text", name: "Text", denominations: "100" }, null, { id: "empty" }, { ...items[0], id: "nameless", name: "" },
            { ...items[0], id: "wrong", name: "Wrong amounts", denominations: [-5, 0, "x", 1e300] },
            { ...items[0], id: "some", name: "Some amounts", currency: "EUR", denominations: [12.5, 0.001, null, 30] },
        ),
    });
    assert.deepEqual(await page.getByRole("heading", { level: 3 }).allTextContents(), ["Coffee for a friend", "Breakfast for two", "Some amounts"]);
    assert.deepEqual(await page.getByRole("group", { name: "Some amounts: amount" }).getByRole("radio").evaluateAll((all) => all.map(({ value }) => value)), ["12.5", "30"]);
    await page.getByRole("radio", { name: "SEK 500" }).waitFor();
    await page.getByRole("radio", { name: "EUR 12.50" }).check();
    await page.getByRole("button", { name: "Choose EUR 12.50" }).click();
    const detail = { merchant: "m-aurora", id: "some", name: "Some amounts", currency: "EUR", amount: 12.5, amountMinor: 1250 };
    assert.deepEqual(await eventsOf(page, "choose"), [detail]);
    assert.deepEqual(await eventsOf(page, "gift-card-select"), [detail]);
});

for (const [currency, page, locale, amount] of [
    ["USD", "en", "en-US", "$50"], ["USD", "en", "en-CA", "US$50"], ["USD", "fr", "fr-CA", "50 $ US"], ["USD", "en-US", "en-CA", "$50"],
    ["CAD", "en", "en-CA", "$50"], ["CAD", "en", "en-US", "CA$50"],
    ["SEK", "sv", "sv-SE", "50 kr"], ["SEK", "nb", "nb-NO", "50 SEK"], ["SEK", "en", "en-GB", "SEK 50"], ["SEK", "en", "en-SE", "50 kr"],
]) {
    test(`50 ${currency} on a page in ${page}, to somebody of ${locale}: ${amount}`, async () => {
        const visit = await openPage({ locale });
        await visit.route(GIFT_CARDS, async (route) => {
            const response = await route.fetch({ url: `${route.request().url()}&count=no` });
            const json = await response.json();
            for (const item of json.data.items) Object.assign(item, { currency, denominations: [50] });
            await route.fulfill({ response, json });
        });
        await visit.goto(plainWith("", page));
        const label = await visit.locator("gift-card-widget .amount").first().innerText();
        assert.equal(label.replace(/\s/g, " "), amount);
    });
}

test("a catalogue without any usable card is an error", async () => {
    const page = await openPage();
    await page.route(GIFT_CARDS, async (route) => {
        const response = await route.fetch();
        const json = await response.json();
        json.data.items = [{ ...json.data.items[0], currency: "kr" }];
        await route.fulfill({ response, json });
    });
    await page.goto(`${shop}plain.html`);
    await page.getByRole("alert").getByText("Gift cards could not be loaded.").waitFor();
});

test("exact amounts in currencies with any number of decimals", async () => {
    const currencies = [["JPY", 3000, 3000], ["KWD", 1.5, 1500], ["HUF", 5000, 500_000], ["EUR", 0.07, 7], ["CLF", 1, 10_000]];
    const page = await openShop("plain", {
        cards: (items) => items.splice(0, items.length, ...currencies.map(([currency, amount]) => ({ ...items[0], id: currency, name: currency, currency, denominations: [amount] }))),
    });
    for (const [currency] of currencies) {
        await page.getByRole("group", { name: `${currency}: amount` }).getByRole("radio").check();
        await page.getByRole("button", { name: /Choose/ }).click();
    }
    assert.deepEqual((await eventsOf(page, "choose")).map(({ currency, amount, amountMinor }) => [currency, amount, amountMinor]), currencies);
});

test("the choice is kept when the element is moved, made anew or changed", async () => {
    const page = await openShop("plain");
    const requests = [];
    page.on("request", (request) => requests.push(request.url()));
    const chosen = async () => (await page.getByRole("radio", { checked: true }).getAttribute("value"));
    await page.getByRole("radio", { name: "500" }).check();

    await page.evaluate(() => document.querySelector("main").prepend(document.querySelector("gift-card-widget")));
    await page.getByRole("button", { name: "Choose SEK 500" }).waitFor();
    assert.equal(await chosen(), "500");
    assert.deepEqual(requests, [], "nothing is loaded again");

    await page.evaluate(() => {
        const old = document.querySelector("gift-card-widget");
        old.replaceWith(old.cloneNode());
    });
    await page.getByRole("radio", { checked: true }).waitFor();
    assert.equal(await chosen(), "500");

    await page.evaluate(() => document.querySelector("gift-card-widget").setAttribute("heading", "For a friend"));
    await page.getByRole("heading", { name: "For a friend", level: 2 }).waitFor();
    assert.equal(await chosen(), "500");
});

test("the amounts are those that the shop asks for, where the card has them", async () => {
    const page = await openShop("plain", { change: () => document.querySelector("gift-card-widget").setAttribute("amounts", "200, 500 999") });
    await page.getByRole("radio", { name: "200" }).waitFor();
    const amounts = await page.getByRole("radio").evaluateAll((all) => all.map(({ value }) => value));
    assert.deepEqual(amounts, ["200", "500", "250"], "a card without any of them keeps its own");
});

const LOCALES = [
    ["sv", "Presentkort", "Välj"], ["de-AT", "Geschenkkarten", "wählen"], ["ja", "ギフトカード", "を選ぶ"], ["en-GB", "Gift cards", "Choose"], ["pl", "Presentkort", "Välj"], ["nn-NO", "Gavekort", "Velg"], ["sv_SE", "Presentkort", "Välj"],
];
for (const [locale, heading, choose] of LOCALES) {
    test(`words of ${locale}, amounts in the language of the page`, async () => {
        const page = await openPage();
        await page.goto(plainWith(`locale="${locale}"`, "sv-SE"));
        await page.getByRole("heading", { name: heading, exact: true, level: 2 }).waitFor();
        assert.match(await page.getByRole("button").innerText(), new RegExp(`${choose}.*|.*${choose}`));
        assert.match(await page.getByRole("button").innerText(), /200\skr/);
        await checkAccess(page);
        await screenshot(page, `widget-words-${locale}`);
    });
}

test("an unknown language of the page is that of the browser, and of the words English", async () => {
    const page = await openShop("refused-language");
    await page.getByRole("button", { name: /^Choose/ }).waitFor();
});

test("before consent, views are not counted and no cookie is set", async () => {
    const page = await openPage();
    const requests = [];
    page.on("request", (request) => { if (request.url().includes("giftcards")) requests.push(new URL(request.url()).search); });
    await page.goto(plainWith('consent="asked"'));
    await page.getByRole("button", { name: /Choose/ }).waitFor();
    assert.deepEqual(requests, ["?merchantId=m-aurora&count=no"]);
    const cookies = () => page.context().cookies(urls.api.replace("http:", "https:"));
    assert.deepEqual(await cookies(), []);
    await page.getByRole("radio", { name: "500" }).check();
    const counted = page.waitForResponse((response) => response.url().endsWith("giftcards?merchantId=m-aurora"));
    await page.evaluate(() => document.querySelector("gift-card-widget").setAttribute("consent", "given"));
    await counted;
    await page.getByRole("button", { name: /Choose/ }).waitFor();
    assert.deepEqual(requests.slice(1), ["?merchantId=m-aurora"]);
    assert.deepEqual((await cookies()).map(({ name }) => name), ["gc_as"]);
    assert.ok(await page.getByRole("radio", { name: "500" }).isChecked());
});

for (const theme of ["light", "dark"]) {
    test(`the attribute theme wins over the shop, ${theme}`, async () => {
        const page = await openShop("plain", {
            theme: theme === "dark" ? "light" : "dark",
            change: `document.documentElement.style.colorScheme = "light dark"; document.querySelector("gift-card-widget").setAttribute("theme", "${theme}")`,
        });
        const color = await page.locator("gift-card-widget section").evaluate((section) => getComputedStyle(section).backgroundColor);
        assert.equal(color, theme === "dark" ? "rgb(18, 18, 18)" : "rgb(255, 255, 255)");
        await checkAccess(page);
        await screenshot(page, `widget-theme-${theme}`);
    });
}

test("parts and custom properties let the shop style it", async () => {
    const page = await openShop("plain", {
        change: () => {
            const sheet = new CSSStyleSheet();
            sheet.replaceSync(`gift-card-widget { --gift-card-color: #ffe84d; --gift-card-radius: 0px; --gift-card-font: monospace; }
                gift-card-widget::part(button) { border-radius: 24px; } gift-card-widget::part(heading) { color: rgb(1, 2, 3); }`);
            document.adoptedStyleSheets.push(sheet);
        },
    });
    const styles = await page.evaluate(() => {
        const root = document.querySelector("gift-card-widget").shadowRoot;
        const style = (part) => getComputedStyle(root.querySelector(`[part=${part}]`));
        return [style("widget").borderRadius, style("widget").fontFamily, style("button").borderRadius, style("heading").color, style("art").color];
    });
    assert.deepEqual(styles, ["0px", "monospace", "24px", "rgb(1, 2, 3)", "rgb(0, 0, 0)"]);
    const parts = await page.evaluate(() => [...new Set([...document.querySelector("gift-card-widget").shadowRoot.querySelectorAll("[part]")].map((element) => element.getAttribute("part")).filter(Boolean))]);
    const documented = await readFile(new URL("widget/README.md", CLIENTS), "utf8");
    for (const part of parts) assert.ok(documented.includes(`\`${part}\``), `${part} is not in README.md`);
});

test("a browser without AbortSignal.any and AbortSignal.timeout", async () => {
    const page = await openPage();
    await page.addInitScript(() => {
        delete AbortSignal.any;
        delete AbortSignal.timeout;
    });
    await page.goto(`${shop}plain.html`);
    await page.getByRole("button", { name: /Choose/ }).waitFor();
});

test("the integrity hash is that of the script", async () => {
    const script = await readFile(new URL("widget/gift-card-widget.js", CLIENTS));
    const hash = createHash("sha384").update(script).digest("base64");
    assert.equal(release.integrity, `sha384-${hash}`, "run clients/widget/release");
});

// About 1,100 of it are the indentation of Prettier, which gzip takes away again.
test("the script has at most 16 KB, also with the words of another language below 16.5", async () => {
    const sizes = await Promise.all(["gift-card-widget.js", "sv.ftl", "fr.ftl", "ja.ftl"].map(async (name) => (await readFile(new URL(`widget/${name}`, CLIENTS))).length));
    assert.ok(sizes[0] <= 16_000, `${sizes[0]} bytes`);
    assert.ok(sizes[0] + Math.max(...sizes.slice(1)) <= 16_500, `${sizes}`);
});

test("a card of any amount, in the order of the keyboard", async () => {
    const page = await openShop("plain", { cards: (items) => { items[0].denominations = []; } });
    await page.getByRole("button", { name: "Enter an amount" }).click();
    await page.keyboard.type("330");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.deepEqual((await eventsOf(page, "choose")).map(({ amount, amountMinor }) => [amount, amountMinor]), [[330, 33_000]]);
    await page.getByText("Chosen: Coffee for a friend, SEK 330").waitFor();
});
