// The till, from pairing to the books: whatever fails on the way, the card network takes an amount once, and the till never
// shows more certainty than it has.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import test from "node:test";
import { api, checkAccess, checkWidth, expectProblem, faults, LOOKS, openPage, screenshot, drain, urls } from "./support.mjs";
import { FILES, LANGUAGES } from "./catalogues.mjs";
import { asAdmin, balance, button, enter, heading, newCard, newTill, openTill, redeems, scan } from "./till-support.mjs";

const BUDGET = 100_000; // bytes that the first paint may need, uncompressed

/** After a call of 125 kronor that was sent twice: the card of 500 kronor has paid once. */
async function checkTakenOnce(keys, code) {
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
    assert.equal(await balance(code), 375);
    assert.equal(await redeems(code), 1);
}

// The card network carries the call out, but its answer is lost, and it cannot be asked either.
const ANSWER_LOST = [
    { target: "card-network", match: "POST /v1/cards/redeem", kind: "after" },
    { target: "card-network", match: "GET /v1/operations/*", kind: "status", value: 503, times: "always" },
];
const UNKNOWN = /504 POST .*\/pos\/redeem/;

test("a till is paired by its code, stays paired, and is unpaired", async () => {
    const { pairingCode } = await newTill("Counter");
    const page = await openPage({ size: "phone", expected: [/400 POST .*\/tills\/pairing/] });
    await page.goto(urls.till);
    const field = page.getByLabel("Pairing code");

    await field.fill("ABC");
    await button(page, "Pair till").click();
    await page.getByText("Enter all 10 characters of the code.").waitFor();

    await field.fill("AAAAA-AAAAA");
    await page.getByText("That code is wrong or has expired.").waitFor();
    await checkAccess(page);

    // Two groups of five; case and dash do not matter.
    await field.fill(`${pairingCode.replaceAll("-", "").slice(0, 5).toLowerCase()} ${pairingCode.replaceAll("-", "").slice(5)}`);
    await heading(page, "Redeem a gift card").waitFor();

    await page.reload();
    await heading(page, "Redeem a gift card").waitFor();

    await button(page, "Main street, Counter").click();
    await button(page, "Unpair Counter").click();
    await heading(page, "Pair this till").waitFor();
    await page.reload();
    await heading(page, "Pair this till").waitFor();
});

test("a card pays what it has, and the rest is left to pay", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone" });

    await scan(page, code);
    await page.getByText("Purchase total", { exact: true }).waitFor();
    for (const digit of ["6", "4", "9", "5", "0"]) await page.getByRole("button", { name: digit, exact: true }).click();
    await page.getByText("149.50").waitFor();
    await button(page, "Redeem kr 500.00").click();

    await heading(page, "kr 500.00 redeemed").waitFor();
    assert.match(await page.getByText("Still to pay").locator("..").innerText(), /149\.50/);
    assert.equal(await balance(code), 0);
    assert.equal(await redeems(code), 1);

    // Enter is the primary action: the next customer, once the result can be left.
    await page.getByRole("button", { name: "Next customer", disabled: false }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByLabel("Card code").waitFor();
    await page.getByRole("link", { name: "Today" }).click();
    await page.getByText("Redeem ••••").waitFor();
});

for (const [code, text] of [
    ["DEMO-AURORA-EXPIRED", "This card has expired."],
    ["DEMO-AURORA-BLOCKED", "This card is blocked."],
    ["DEMO-AURORA-EMPTY", "This card is empty."],
]) {
    test(`nothing can be taken off ${code}`, async () => {
        const page = await openTill({ size: "phone" });
        await scan(page, code);
        await page.getByText(text).waitFor();
        assert.equal(await button(page, /^Redeem/).count(), 0);
        await button(page, "Next customer").click();
        await page.getByLabel("Card code").waitFor();
    });
}

test("cards of nobody and of other merchants are not found, and the code can be corrected", async () => {
    const page = await openTill({ expected: [/404 GET .*\/pos\/card/] });
    for (const code of ["NO-SUCH-CARD", "DEMO-HINODE-5000"]) {
        await page.getByLabel("Card code").fill(code);
        await page.keyboard.press("Enter");
        await page.getByText("No such card. Scan it again.").waitFor();
        assert.equal(await page.getByLabel("Card code").inputValue(), code);
    }
});

test("a refusal says why, and that nothing was taken", async () => {
    const page = await openTill({ size: "phone", expected: [/422 POST .*\/pos\/redeem/] });
    const code = await newCard(100);
    await enter(page, code, "9000");
    // Another till was faster.
    await asAdmin("POST", "/api/bff/pos/redeem", { qrCode: code, redeemAmount: 50, purchaseAmount: 50 });
    await button(page, /^Redeem/).click();
    await heading(page, "Refused").waitFor();
    await page.getByText("Nothing was taken off the card.").waitFor();
    await checkAccess(page);
    assert.equal(await balance(code), 50);
});

test("the camera reads a code", async () => {
    const code = await newCard(300);
    const page = await openTill({ size: "phone" });
    await page.evaluate(async (text) => {
        const { encodeQR } = await import("/kit/vendor/qr.js");
        const modules = encodeQR(text, "raw", { border: 6 });
        const canvas = Object.assign(document.createElement("canvas"), { width: 480, height: 480 });
        const context = canvas.getContext("2d");
        const size = 480 / modules.length;
        const draw = () => modules.forEach((row, y) => row.forEach((isDark, x) => {
            context.fillStyle = isDark ? "#000" : "#fff";
            context.fillRect(x * size, y * size, size + 1, size + 1);
        }));
        setInterval(draw, 50);
        navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(20);
    }, code);
    await button(page, "Scan with the camera").click();
    await page.getByText("kr 300.00").waitFor();
    await page.getByText("Purchase total", { exact: true }).waitFor();
});

test("without a camera the code is typed", async () => {
    const page = await openTill({ size: "phone" });
    await page.evaluate(() => {
        navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("no", "NotAllowedError"));
    });
    await button(page, "Scan with the camera").click();
    await page.getByText("The camera cannot be used.").waitFor();
    await checkAccess(page);
    await button(page, "Type the code instead").click();
    await page.getByLabel("Card code").waitFor();
});

test("fixed and variable gift cards are sold with a code that can be scanned", async () => {
    const page = await openTill({ size: "phone" });
    await page.getByRole("link", { name: "Sell" }).click();
    await button(page, /A month of coffee/).click();
    await button(page, "Paid, issue kr 649.50").click();
    await heading(page, "kr 649.50 gift card sold").waitFor();
    await page.getByRole("img", { name: "QR code of the gift card" }).waitFor();
    const scanned = await page.evaluate(async () => {
        const { decodeQR } = await import("/kit/vendor/qr.js");
        const drawing = document.querySelector("svg.qr").cloneNode(true);
        drawing.setAttribute("width", "400");
        drawing.setAttribute("height", "400");
        const image = new Image();
        image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(drawing))}`;
        await image.decode();
        const context = Object.assign(document.createElement("canvas"), { width: 400, height: 400 }).getContext("2d");
        context.drawImage(image, 0, 0);
        return decodeQR(context.getImageData(0, 0, 400, 400));
    });
    assert.equal(await balance(scanned), 649.5);
    await page.locator(".code-below").getByText(scanned).waitFor();

    await button(page, "Next customer").click();
    await button(page, /Aurora gift card/).click();
    // The popular amount is chosen. The first digit replaces it.
    await button(page, "Paid, issue kr 500.00").waitFor();
    await page.getByRole("button", { name: "4", exact: true }).click();
    await button(page, "Paid, issue kr 0.04").click();
    await page.getByRole("alert").getByText("Enter kr 50 to kr 5,000.").waitFor();
    for (let i = 0; i < 2; i++) await page.getByRole("button", { name: "00", exact: true }).click();
    await button(page, "Paid, issue kr 400.00").click();
    await heading(page, "kr 400.00 gift card sold").waitFor();
});

test("an unknown outcome says so, asks until it is known, and is taken once", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone", expected: [UNKNOWN] });
    await enter(page, code, "12500");
    await faults(ANSWER_LOST);
    await button(page, "Redeem kr 125.00").click();

    await heading(page, "Not known yet").waitFor();
    await page.getByText("may or may not have been taken off card").waitFor();
    await page.getByText("Do not redeem it again.").waitFor();
    await page.getByText("Sent", { exact: true }).waitFor();
    await checkAccess(page);
    await button(page, "Ask now").click();
    await page.getByText("Asked once, no answer yet").waitFor();

    await faults([]);
    await button(page, "Ask now").click();
    await heading(page, "kr 125.00 redeemed").waitFor();
    await page.getByText("The answer was late, but it went through.").waitFor();
    assert.equal(await balance(code), 375);
    assert.equal(await redeems(code), 1);
});

test("a call that the card network never saw took nothing", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone", expected: [UNKNOWN] });
    await enter(page, code, "12500");
    await faults([
        { target: "card-network", match: "POST /v1/cards/redeem", kind: "drop", times: "always" },
        { target: "card-network", match: "GET /v1/operations/*", kind: "status", value: 503, times: "always" },
    ]);
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "Not known yet").waitFor();
    await faults([]);
    await button(page, "Ask now").click();
    await heading(page, "Refused").waitFor();
    await page.getByText("Nothing was taken off the card.").waitFor();
    assert.equal(await balance(code), 500);
});

test("the next customer is served meanwhile, and the late answer is a notice", async () => {
    const [code, other] = [await newCard(500), await newCard(100)];
    const page = await openTill({ size: "phone", expected: [UNKNOWN] });
    await enter(page, code, "12500");
    await faults(ANSWER_LOST);
    await button(page, "Redeem kr 125.00").click();
    await button(page, "Serve the next customer").click();
    await page.getByRole("link", { name: /Today.*1.*not known yet/s }).waitFor();

    // The same card again: not before the first amount is known.
    await scan(page, code);
    await page.getByText("The outcome of an earlier redemption is not known yet.").waitFor();
    assert.equal(await button(page, /^Redeem/).count(), 0);

    await scan(page, other);
    await page.getByText("kr 100.00").waitFor();
    await faults([]);
    await page.getByText("The answer was late, but it went through:").waitFor({ timeout: 30_000 });
    // The screen is still the other customer's.
    await page.getByText("Purchase total", { exact: true }).waitFor();
    await checkAccess(page);
    await button(page, "Dismiss").click();
    await page.getByText("The answer was late").waitFor({ state: "detached" });
    assert.equal(await balance(code), 375);
    assert.equal(await redeems(code), 1);
});

/**
 * Lets the first call be carried out, but its answer is lost: the page never hears of it, or what `lose` tells it. Later calls
 * get through. Returns the idempotency keys of all calls, and when the first one is carried out.
 */
async function loseFirstAnswer(page, call, lose = () => {}) {
    const keys = [];
    let carriedOut;
    const isCarriedOut = new Promise((done) => (carriedOut = done));
    await page.route(`**/api/bff/pos/${call}`, async (route) => {
        keys.push(route.request().headers()["idempotency-key"]);
        if (keys.length > 1) return route.continue();
        await route.fetch();
        carriedOut();
        return lose(route);
    });
    return { keys, isCarriedOut };
}

test("a connection that dies after the call is repeated with the same key", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone", expected: [/net::ERR_CONNECTION_RESET POST .*\/pos\/redeem/] });
    await enter(page, code, "12500");
    const { keys } = await loseFirstAnswer(page, "redeem", (route) => route.abort("connectionreset"));
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "Not known yet").waitFor();
    await heading(page, "kr 125.00 redeemed").waitFor();
    await checkTakenOnce(keys, code);
});

test("a reload in the middle sends nothing again: it closes the call, and finds that it went through", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone" });
    await enter(page, code, "12500");
    const { keys, isCarriedOut } = await loseFirstAnswer(page, "redeem");
    await button(page, "Redeem kr 125.00").click();
    await page.getByText("Taking kr 125.00 off the card").waitFor();
    await checkAccess(page);
    await isCarriedOut;
    await page.reload();

    await heading(page, "kr 125.00 redeemed").waitFor();
    assert.equal(keys.length, 1);
    assert.equal(await balance(code), 375);
    assert.equal(await redeems(code), 1);
});

/** Serves the till's files from an origin of its own, until it is stopped. */
async function serveTill(t) {
    const server = createServer(async (request, response) => {
        const original = await fetch(urls.till + request.url);
        const headers = ["content-type", "content-security-policy"].map((name) => [name, original.headers.get(name)]);
        const body = Buffer.from(await original.arrayBuffer());
        response.writeHead(original.status, Object.fromEntries(headers.filter(([, value]) => value))).end(body);
    });
    const stop = () => {
        server.close();
        server.closeAllConnections();
    };
    t.after(stop);
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    return { url: `http://localhost:${server.address().port}`, stop };
}

test("a reload without a connection, in the middle of a sale, leads back to the sale", async (t) => {
    const server = await serveTill(t);
    const page = await openTill({ url: server.url, size: "phone", expected: ["net::ERR_"] });
    await page.evaluate(() => navigator.serviceWorker.ready);
    const issues = async () => (await api("GET", "/__local/upstream-calls")).filter(({ path }) => path.endsWith("/cards/issue")).length;
    const orders = async () => {
        await drain();
        return (await asAdmin("GET", "/api/bff/merchant-orders?page=1")).data.total;
    };
    const before = { issues: await issues(), orders: await orders() };

    const { keys, isCarriedOut } = await loseFirstAnswer(page, "issue");
    await page.getByRole("link", { name: "Sell" }).click();
    await button(page, /Aurora gift card/).click();
    await button(page, "Paid, issue kr 500.00").click();
    await isCarriedOut;
    server.stop();
    await page.context().setOffline(true);
    await page.reload();

    await heading(page, "Not known yet").waitFor();
    await page.getByText("A gift card of kr 500.00 may or may not have been issued. The till has no connection.").waitFor();
    await page.getByText("Do not sell it again.").waitFor();
    await page.getByText("Offline").waitFor();
    await page.getByText(/^Asked .*, no answer yet$/).waitFor();
    await checkAccess(page);
    await screenshot(page, "till-reloaded-offline");

    await page.context().setOffline(false);
    await heading(page, "kr 500.00 gift card sold").waitFor();
    await page.getByRole("img", { name: "QR code of the gift card" }).waitFor();
    assert.equal(new Set(keys).size, 1, keys.join());
    assert.equal(await balance(await page.locator(".code-below .mono").innerText()), 500);
    assert.deepEqual({ issues: await issues(), orders: await orders() }, { issues: before.issues + 1, orders: before.orders + 1 });
});

test("the service worker keeps exactly the files that the till's pages load", async () => {
    const page = await openTill({ size: "phone" });
    await page.evaluate(() => navigator.serviceWorker.ready);
    const kept = await page.evaluate(async () => {
        const requests = await (await caches.open("till-1")).keys();
        return requests.map(({ url }) => url);
    });
    const files = new Set([...await filesFrom(`${urls.till}/`), ...FILES.map((name) => `${urls.till}/languages/${name}`),
        ...LANGUAGES.map((language) => `${urls.till}/manifests/${language}.webmanifest`)]);
    assert.deepEqual(kept.sort(), [...files].sort());
});

/** The file and all that it links to or imports, at once or later; with `isFirst`, only what it cannot do without. */
async function filesFrom(url, { isFirst = false, found = new Set() } = {}) {
    if (found.has(url)) return found;
    found.add(url);
    if (!/\/$|\.js$/.test(url)) return found;
    const text = (await (await fetch(url)).text()).replaceAll(/\/\*[^]*?\*\/|^ *\/\/.*$/gm, "");
    const links = text.matchAll(isFirst ? /(?:\bfrom |\bimport |\bsrc=|\bhref=)"([^"]+)"/g : /(?:\bfrom |\bimport |\bimport\(|\bsrc=|\bhref=|\bstylesheet\()"([^"]+)"/g);
    for (const [, link] of links) await filesFrom(new URL(link, url).href, { isFirst, found });
    return found;
}

const unavailable = (status, retryAfter, error, moneyMoved = "unknown") => ({
    status, json: { ok: false, error },
    headers: {
        "retry-after": String(retryAfter), "money-moved": moneyMoved, "access-control-allow-origin": "*",
        "access-control-expose-headers": "retry-after, money-moved",
    },
});

/** Waits until the number in the element, of seconds, has become less. */
async function checkCountsDown(page, selector) {
    const secondsOf = (css) => Number(/\d+/.exec(document.querySelector(css)?.textContent)?.[0]);
    await page.locator(selector).waitFor();
    const first = await page.evaluate(secondsOf, selector);
    assert.ok(first > 20 && first <= 30, `${first} s`);
    await page.waitForFunction(([css, before]) => Number(/\d+/.exec(document.querySelector(css)?.textContent)?.[0]) < before, [selector, first]);
}

test("a card network that is busy says when to try again", async () => {
    const page = await openTill({ size: "phone", expected: [/429 GET .*\/pos\/card/] });
    await page.route("**/api/bff/pos/card/*", (route) => route.fulfill(unavailable(429, 30, { message: "Slow down.", details: { code: "RATE_LIMITED" } })));
    await scan(page, "DEMO-AURORA-500");
    await page.getByText("The card network is busy.").waitFor();
    await checkCountsDown(page, "till-countdown [aria-hidden]");
    // What is spoken does not change with the seconds.
    assert.equal(await page.locator("till-countdown .sr").textContent(), "Try again in 30 s.");
    await checkAccess(page);
    await page.unroute("**/api/bff/pos/card/*");
    await button(page, "Find card").click();
    await page.getByText("Purchase total", { exact: true }).waitFor();
});

test("a call that is refused for now says when to try again", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone", expected: [/429 POST .*\/pos\/redeem/] });
    await enter(page, code, "12500");
    await page.route("**/api/bff/pos/redeem", (route) => route.fulfill(unavailable(429, 30, { message: "Slow down.", details: { code: "RATE_LIMITED" } }, "no")));
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "Refused").waitFor();
    await page.getByText("Nothing was taken off the card. The card network is busy.").waitFor();
    await checkCountsDown(page, "till-countdown [aria-hidden]");
    await checkAccess(page);
    await page.unroute("**/api/bff/pos/redeem");
    await button(page, "Back to the amount").click();
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "kr 125.00 redeemed").waitFor();
    assert.equal(await balance(code), 375);
});

test("a call that is still at work counts down until it is sent again; asking now closes it instead", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone", expected: [/409 POST .*\/pos\/redeem/] });
    await enter(page, code, "12500");
    const keys = [];
    await page.route("**/api/bff/pos/redeem", (route) => {
        keys.push(route.request().headers()["idempotency-key"]);
        if (keys.length > 1) return route.continue();
        return route.fulfill(unavailable(409, 30, { message: "In progress.", code: "IN_PROGRESS" }));
    });
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "Not known yet").waitFor();
    await page.getByText(/^asks in \d+ s$/).waitFor();
    await checkCountsDown(page, ".steps .now .when");
    assert.equal(keys.length, 1);
    await button(page, "Ask now").click();
    await heading(page, "Not carried out").waitFor();
    await page.getByText("Nothing was taken off the card.").waitFor();
    await checkAccess(page);
    assert.equal(keys.length, 1);
    assert.equal(await balance(code), 500);
});

test("an offer without bounds takes any amount", async () => {
    const page = await openTill({ size: "phone" });
    await page.route("**/api/merchants/aurora-coffee/catalog", async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        Object.assign(body.data[0], { name: "Any card", priceOptions: [], minValue: null, maxValue: null });
        await route.fulfill({ response, json: { ...body, meta: { popularAmount: null } } });
    });
    await page.getByRole("link", { name: "Sell" }).click();
    await button(page, /Any card.*Any amount/s).click();
    assert.equal(await button(page, "Enter the amount").getAttribute("aria-disabled"), "true");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("Enter an amount.").waitFor();
    await checkAccess(page);
    await screenshot(page, "till-sale-without-bounds");
    for (const digit of ["7", "5", "00"]) await page.getByRole("button", { name: digit, exact: true }).click();
    await button(page, "Paid, issue kr 75.00").waitFor();
    assert.doesNotMatch(await page.locator("body").innerText(), /null|NaN|undefined/);
});

test("nothing leaves a till that is offline, and nothing that was entered is lost", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone" });
    await enter(page, code, "12500");
    await page.context().setOffline(true);
    await page.getByText("Offline").waitFor();
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "Not sent").waitFor();
    assert.equal(await redeems(code), 0);
    await page.context().setOffline(false);
    await button(page, "Back to the amount").click();
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "kr 125.00 redeemed").waitFor();
    assert.equal(await balance(code), 375);
});

test("without storage for the journal nothing is sent", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone" });
    await page.addInitScript(() => {
        IDBFactory.prototype.open = () => {
            throw new DOMException("blocked", "SecurityError");
        };
    });
    await page.reload();
    await enter(page, code, "12500");
    await button(page, "Redeem kr 125.00").click();
    await page.getByText("This device could not save the call, so it was not sent.").waitFor();
    assert.equal(await redeems(code), 0);
});

test("a till that was signed out is paired again, with the card and the total still there", async () => {
    const code = await newCard(500);
    const { id, pairingCode } = await newTill();
    const page = await openPage({ size: "phone", expected: [/401 /] });
    await page.goto(urls.till);
    await page.getByLabel("Pairing code").fill(pairingCode);
    await heading(page, "Redeem a gift card").waitFor();
    // However long it takes.
    await page.addInitScript(() => (AbortSignal.timeout = () => new AbortController().signal));
    const session = new Promise((resolve) => page.route("**/api/auth/session", resolve, { times: 1 }));
    await page.reload();
    await enter(page, code, "12500");
    const fresh = () => asAdmin("POST", `/api/auth/tills/${id}/pairing`, {});
    await api("POST", "/api/auth/tills/pairing", { code: (await fresh()).data.pairingCode }); // on another device
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "Pair till 2 again").waitFor();
    await checkAccess(page);

    await page.getByLabel("Pairing code").fill((await fresh()).data.pairingCode);
    await button(page, "Back to the amount").click();
    // What was asked with the earlier token is refused only now, and does not sign out the till again.
    const refusal = page.waitForResponse("**/api/auth/session");
    await (await session).continue();
    assert.equal((await refusal).status(), 401);
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "kr 125.00 redeemed").waitFor();
    assert.equal(await redeems(code), 1);
});

test("the first paint needs no more than its budget, in any language", async () => {
    const names = [...await filesFrom(`${urls.till}/`, { isFirst: true })].filter((url) => /(\/|\.js|\.css)$/.test(url));
    const sizeOf = async (url) => (await (await fetch(url)).arrayBuffer()).byteLength;
    const sizes = await Promise.all(names.map(async (name) => [name, await sizeOf(name)]));
    const words = await Promise.all(LANGUAGES.map((language) => sizeOf(`${urls.till}/languages/${language}.ftl`)));
    const bytes = sizes.reduce((sum, [, size]) => sum + size, Math.max(...words));
    assert.ok(bytes <= BUDGET, `${bytes} bytes:\n${sizes.join("\n")}`);
});

test("what is pressed before the till has started is done once it has", async () => {
    const code = await newCard(500);
    const pairing = await (await openTill()).evaluate(() => localStorage.getItem("pairing"));
    const page = await openPage({ size: "phone" });
    await page.addInitScript((value) => localStorage.setItem("pairing", value), pairing);
    let arrive;
    const arrival = new Promise((done) => (arrive = done));
    await page.route("**/till.js", async (route) => {
        await arrival;
        await route.continue();
    });
    await page.goto(urls.till);
    await page.getByLabel("Card code").fill(code);
    await button(page, "Find card").click();
    await button(page, "Looking the card up").waitFor();
    arrive();
    await page.getByText("Purchase total", { exact: true }).waitFor();
    for (const digit of "12500") await page.getByRole("button", { name: digit, exact: true }).click();
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "kr 125.00 redeemed").waitFor();
    assert.equal(await balance(code), 375);
});

/** Leads a till that is not paired through its screens, and looks at each. */
async function visitScreens(page, look) {
    const code = await newCard(500);
    await page.goto(urls.till);
    await heading(page, "Pair this till").waitFor();
    await look("pairing");
    await page.getByLabel("Pairing code").fill((await newTill()).pairingCode);
    await page.getByLabel("Card code").waitFor();
    await look("start");
    await enter(page, code, "64950");
    await look("amount");
    expectProblem(page, UNKNOWN);
    await faults(ANSWER_LOST);
    await button(page, "Redeem kr 500.00").click();
    await heading(page, "Not known yet").waitFor();
    await look("unknown");
    await button(page, "Serve the next customer").click();
    await page.getByRole("link", { name: /Today/ }).click();
    await heading(page, "Today").waitFor();
    await look("today");
    await faults([]);
    await button(page, /Not known yet/).click();
    await button(page, "Ask now").click();
    await heading(page, "kr 500.00 redeemed").waitFor();
    assert.equal(await button(page, "Dismiss").count(), 0, "a notice of what the screen shows");
    await look("done");
    await button(page, "Back to Today").click();
    await page.getByRole("link", { name: "Sell" }).click();
    await button(page, /Aurora gift card/).waitFor();
    await look("offers");
    await button(page, /Aurora gift card/).click();
    await look("sale");
    await button(page, /^Paid/).click();
    await page.getByRole("img", { name: "QR code of the gift card" }).waitFor();
    await look("sold");
    await button(page, "Main street, till 2").click();
    await page.getByRole("dialog").waitFor();
    await look("about");
}

for (const [size, theme, reading] of LOOKS) {
    const name = [size, theme, reading].filter(Boolean).join(", ");
    test(`every screen is accessible: ${name}`, async () => {
        const page = await openPage({ size, theme, reading });
        await visitScreens(page, async (screen) => {
            await checkAccess(page);
            await checkWidth(page);
            await screenshot(page, `till-${screen}-${name.replaceAll(/\W+/g, "-")}`);
        });
    });
}
