// What the till shows of a call that has ended or that nobody knows of, and what nothing but a person takes away.

import assert from "node:assert/strict";
import test from "node:test";
import { api, checkAccess, checkWidth, openPage, screenshot, urls } from "./support.mjs";
import { balance, button, enter, heading, newCard, newTill, openTill, redeems } from "./till-support.mjs";

const lost = (page) => page.route("**/api/bff/pos/{redeem,operations/**}", (route) => route.abort("connectionreset"));
const LOST = [/net::ERR_CONNECTION_RESET/];

/** Pairs a till of another merchant and returns what a page keeps of it. */
async function pairingOf(userId) {
    const { token } = await api("POST", "/__local/sessions", { userId });
    const till = { name: "Elsewhere", retailStoreId: "301", retailStoreName: "Store" };
    const { data: { pairingCode: code } } = await api("POST", "/api/auth/tills", till, { authorization: `Bearer ${token}` });
    const { data } = await api("POST", "/api/auth/tills/pairing", { code });
    return {
        token: data.token, till: { id: data.till.id, name: data.till.name, storeName: "Store" },
        merchant: { ...data.merchant, primaryColor: "#096386", secondaryColor: "#096386" },
    };
}

/** Presses Enter and clicks all that could leave the result, at once, as hands do that are already on their way. */
const hurry = (page, box) => page.evaluate(({ x, y }) => {
    window.hurried = [];
    new MutationObserver(() => {
        if (!document.querySelector("till-outcome") || window.hurried.length > 0) return;
        for (const at of [0, 150, 400, 700]) {
            setTimeout(() => {
                document.elementFromPoint(x, y)?.click();
                document.querySelectorAll("till-outcome button").forEach((found) => found.click());
                for (const key of ["Enter", "Escape"]) {
                    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
                }
                window.hurried.push(document.querySelector("till-outcome h1")?.textContent.replaceAll("\u00a0", " ") ?? "gone");
            }, at);
        }
        window.hurried.push("begun");
    }).observe(document.body, { childList: true, subtree: true });
}, box);

for (const size of ["phone", "desktop"]) {
    test(`a result cannot be tapped away, and nothing that leaves it is where the money button was: ${size}`, async () => {
        const code = await newCard(100);
        const page = await openTill({ size });
        await enter(page, code, "12500");
        const pay = button(page, /^Redeem kr 100\.00/);
        const box = await pay.boundingBox();
        const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        await hurry(page, middle);
        await pay.click();
        await heading(page, "kr 100.00 redeemed").waitFor();
        await page.waitForFunction(() => window.hurried.length === 5);
        assert.deepEqual(await page.evaluate(() => window.hurried.slice(1)), Array(4).fill("kr 100.00 redeemed"));
        await page.getByText("Still to pay").waitFor();

        const next = await button(page, "Next customer").boundingBox();
        assert.ok(next.y + next.height <= box.y || next.y >= box.y + box.height, `${JSON.stringify(next)} is on ${JSON.stringify(box)}`);
        await checkAccess(page);
        await checkWidth(page);
        await screenshot(page, `till-result-${size}`);
        await button(page, "Next customer").click();
        await page.getByLabel("Card code").waitFor();
        assert.equal(await redeems(code), 1);
    });
}

test("what is left to pay and the code of a sold card outlive a reload, until somebody turns away", async () => {
    const code = await newCard(100);
    const page = await openTill({ size: "phone" });
    await enter(page, code, "12500");
    await button(page, /^Redeem kr 100\.00/).click();
    await page.getByText("Still to pay").waitFor();
    await page.reload();
    await page.getByText("Still to pay").waitFor();
    await button(page, "Next customer").click();
    await page.getByLabel("Card code").waitFor();
    await page.reload();
    await page.getByLabel("Card code").waitFor();

    await page.getByRole("link", { name: "Sell" }).click();
    await button(page, /Aurora gift card/).click();
    await button(page, /^Paid/).click();
    await page.getByRole("img", { name: "QR code of the gift card" }).waitFor();
    await page.reload();
    await page.getByRole("img", { name: "QR code of the gift card" }).waitFor();
});

test("two tabs are one till: a card with an open call in one is refused by the other", async () => {
    const code = await newCard(500);
    const first = await openTill({ size: "phone", expected: LOST });
    const second = await openPage({ profile: first, expected: LOST });
    await second.goto(urls.till);
    await enter(second, code, "10000");
    await enter(first, code, "12500");
    await lost(first);
    await button(first, "Redeem kr 125.00").click();
    await heading(first, "Not known yet").waitFor();
    // The second tab hears of it, and its screen stays what it was.
    await second.getByText("The outcome of an earlier redemption is not known yet.").waitFor();
    assert.equal(await button(second, /^Redeem kr/).count(), 0);
    assert.equal(await redeems(code), 0);
});

test("a call of another merchant is shown as theirs, is never asked for with this token, and somebody can end it", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone", expected: LOST });
    await enter(page, code, "12500");
    await lost(page);
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "Not known yet").waitFor();

    await page.unroute("**/api/bff/pos/{redeem,operations/**}");
    const asked = [];
    page.on("request", (request) => /\/pos\/(redeem|operations)/.test(request.url()) && asked.push(request.url()));
    const pairing = await pairingOf("u-haru");
    await page.evaluate((value) => localStorage.setItem("pairing", value), JSON.stringify(pairing));
    await page.reload();
    await page.getByRole("link", { name: /Today.*1.*not known yet/s }).click();
    await button(page, /Aurora Coffee/).click();
    await page.getByText("It was started for Aurora Coffee, and cannot be looked up from here.").waitFor();
    assert.equal(await button(page, "Ask now").count(), 0);
    await page.getByText("I have checked it").first().click();
    await button(page, "I have checked it").click();
    await page.getByRole("alert").getByText("Describe in a sentence what you found.").waitFor();
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "till-other-merchant");
    await page.getByLabel("What did you find?").fill("The balance is still 500.");
    await button(page, "I have checked it").click();
    await heading(page, "Checked by hand").waitFor();
    await page.getByText("The balance is still 500.").waitFor();
    await checkAccess(page);
    await screenshot(page, "till-checked-by-hand");
    assert.deepEqual(asked, []);
    assert.equal(await balance(code), 500);
});

test("the next customer is served, and a call that never left is closed in the background", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone", expected: LOST });
    await enter(page, code, "12500");
    await lost(page);
    await button(page, "Redeem kr 125.00").click();
    await button(page, "Serve the next customer").click();
    await page.getByRole("link", { name: /Today.*1.*not known yet/s }).waitFor();
    await page.unroute("**/api/bff/pos/{redeem,operations/**}");
    await page.getByText("Nothing was taken off the card:").waitFor({ timeout: 40_000 });
    assert.equal(await redeems(code), 0);
    assert.equal(await balance(code), 500);
});

test("unpairing without a connection says that the token still works, and ends it once there is one", async () => {
    const { pairingCode } = await newTill("Leaving");
    const page = await openPage({ size: "phone", expected: [/net::ERR_/] });
    await page.goto(urls.till);
    await page.getByLabel("Pairing code").fill(pairingCode);
    await heading(page, "Redeem a gift card").waitFor();
    const { token } = await page.evaluate(() => JSON.parse(localStorage.getItem("pairing")));
    const session = () => fetch(`${urls.api}/api/auth/session`, { headers: { authorization: `Bearer ${token}` } }).then(({ status }) => status);

    await page.route("**/api/auth/session", (route) => route.abort("connectionreset"));
    await button(page, "Main street, Leaving").click();
    await button(page, "Unpair Leaving").click();
    await heading(page, "Pair this till").waitFor();
    await page.getByText("this device's access still works").waitFor();
    await checkAccess(page);
    await screenshot(page, "till-unpaired-offline");
    assert.equal(await session(), 200);

    await page.unroute("**/api/auth/session");
    await page.reload();
    await page.waitForFunction(() => localStorage.getItem("revoked") === null);
    await page.getByText("this device's access still works").waitFor({ state: "detached" });
    assert.equal(await session(), 401);
});

test("a pairing of an earlier version learns whose it is before it sells", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone" });
    await page.evaluate(() => {
        const { merchant: { id, ...merchant }, ...pairing } = JSON.parse(localStorage.getItem("pairing"));
        localStorage.setItem("pairing", JSON.stringify({ ...pairing, merchant }));
    });
    await page.reload();
    await enter(page, code, "12500");
    const sent = page.waitForRequest("**/api/bff/pos/redeem");
    await button(page, "Redeem kr 125.00").click();
    assert.equal((await sent).headers()["x-expected-merchant"], "m-aurora");
    await heading(page, "kr 125.00 redeemed").waitFor();
});

test("a browser that saves nothing says so at once", async () => {
    const page = await openTill({ size: "phone" });
    await page.addInitScript(() => {
        IDBFactory.prototype.open = () => {
            throw new DOMException("blocked", "SecurityError");
        };
    });
    await page.reload();
    await page.getByText("This browser saves nothing for the till").waitFor();
    await checkAccess(page);
});

test("the screen stays lit while a customer is served, and outcomes can be felt", async () => {
    const code = await newCard(500);
    const page = await openTill({ size: "phone" });
    await page.addInitScript(() => {
        window.felt = [];
        navigator.vibrate = (pattern) => window.felt.push(pattern);
        const sentinel = () => ({ released: false, release() { this.released = true; window.lit = false; return Promise.resolve(); } });
        Object.defineProperty(navigator, "wakeLock", { value: { request: async () => ((window.lit = true), sentinel()) } });
    });
    await page.reload();
    await heading(page, "Redeem a gift card").waitFor();
    await button(page, "Main street, till 2").click();
    await page.getByLabel("Sound and vibration when a call is done or refused").check();
    await checkAccess(page);
    await button(page, "Close").click();
    assert.equal(await page.evaluate(() => Boolean(window.lit)), false);
    await enter(page, code, "12500");
    await page.waitForFunction(() => window.lit === true);
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "kr 125.00 redeemed").waitFor();
    await page.waitForFunction(() => window.felt.length === 2);
    await button(page, "Next customer").click();
    await page.waitForFunction(() => window.lit === false);
});

test("the till has icons for home screens", async () => {
    const { icons } = await (await fetch(`${urls.till}/manifests/en.webmanifest`)).json();
    const page = await (await fetch(`${urls.till}/`)).text();
    const touch = /rel="apple-touch-icon" href="([^"]+)"/.exec(page)[1];
    const pictures = [...icons.filter(({ type }) => type === "image/png"), { src: touch, sizes: "180x180" }];
    assert.equal(pictures.length, 3);
    for (const { src, sizes } of pictures) {
        const response = await fetch(urls.till + src);
        assert.equal(response.headers.get("content-type"), "image/png");
        const header = Buffer.from(await response.arrayBuffer());
        assert.equal(`${header.readUInt32BE(16)}x${header.readUInt32BE(20)}`, sizes);
    }
});
