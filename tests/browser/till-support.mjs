// What the till's tests share: a paired till, cards, and hands to scan and enter them.

import { api, openPage, urls } from "./support.mjs";

/** Sends a request as an administrator of Aurora Coffee. */
export async function asAdmin(method, path, body) {
    token ??= (await api("POST", "/__local/sessions", { userId: "u-anna" })).token;
    return api(method, path, body, { authorization: `Bearer ${token}` });
}
let token;

/** Makes a till and returns its id and pairing code. */
export async function newTill(name = "till 2") {
    const till = { name, retailStoreId: "101", retailStoreName: "Main street" };
    return (await asAdmin("POST", "/api/auth/tills", till)).data;
}

/** Opens the till's page, paired. All of them are one till: a client may pair only 20 times an hour. */
export async function openTill({ url = urls.till, ...options } = {}) {
    const page = await openPage(options);
    if (pairing) {
        // A page without scripts, to have the origin's storage.
        await page.goto(`${new URL(url).origin}/config.js`);
        await page.evaluate((value) => localStorage.setItem("pairing", value), pairing);
        await page.goto(url);
    } else {
        await page.goto(url);
        await page.getByLabel("Pairing code").fill((await newTill()).pairingCode);
    }
    await page.getByRole("heading", { name: "Redeem a gift card" }).waitFor();
    await page.waitForFunction(() => JSON.parse(localStorage.getItem("pairing"))?.merchant.primaryColor);
    // What the first screen does not need is loaded: the till hears what is typed.
    await page.locator("dialog > *").first().waitFor({ state: "attached" });
    pairing = await page.evaluate(() => localStorage.getItem("pairing"));
    return page;
}
let pairing;

/** Issues a card of this value, in kronor, and returns its code. */
export async function newCard(value) {
    const sale = { value, deliveryDetails: { deliveryType: "QR" } };
    return (await asAdmin("POST", "/api/bff/pos/issue", sale)).data.qrCode;
}

/** What is left on the card, as the card network has it. */
export const balance = async (code) => Number((await asAdmin("GET", `/api/bff/pos/card/${code}`)).data.valueRemains);

/** How many redeems of the card reached the card network. */
export const redeems = async (code) => (await api("GET", "/__local/upstream-calls"))
    .filter(({ method, path, body }) => method === "POST" && path.endsWith("/cards/redeem") && body.qrCode === code).length;

/** A hand scanner: the code at one moment, then Enter. Sent from within the page, and with the time of its first key, so that a busy
 * machine does not make it as slow as a person. */
export const scan = (page, code) => page.evaluate((text) => {
    const { timeStamp } = new Event("scan");
    for (const key of [...text, "Enter"]) {
        const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, composed: true });
        Object.defineProperty(event, "timeStamp", { value: timeStamp });
        document.activeElement.dispatchEvent(event);
    }
}, code);

/** The browser's own tools for the page. */
export const devtools = (page) => page.context().newCDPSession(page);

const KEY_CODES = { Enter: 13, Tab: 9, Backspace: 8, " ": 32, End: 35, ArrowDown: 40, F8: 119, F12: 123 };

/** Puts the clock of the page and of its events forward, and stops its timers until `typed` is called: a busy machine may deliver a key
 * later than the page waits for one. Runs in the page. Returns how old the page is by the real clock. */
function putForward(milliseconds) {
    if (globalThis.aheadBy === undefined) {
        const { get } = Object.getOwnPropertyDescriptor(Event.prototype, "timeStamp");
        Object.defineProperty(Event.prototype, "timeStamp", { get() { return get.call(this) + globalThis.aheadBy; } });
        const now = performance.now.bind(performance);
        performance.now = () => now() + globalThis.aheadBy;
        globalThis.aheadBy = 0;
        const wait = setTimeout;
        globalThis.setTimeout = (act, delay, ...rest) => wait(async () => (await globalThis.keysOnTheirWay, act(...rest)), delay);
    }
    globalThis.aheadBy += milliseconds;
    globalThis.keysOnTheirWay = new Promise((done) => (globalThis.typed = done));
    return performance.now() - globalThis.aheadBy;
}

/** A keyboard that sends [key, milliseconds since the key before, its place] as the browser receives them from a device. Nobody waits
 * for the last of them: the page's clock is put forward. */
export async function openKeyboard(page) {
    const session = await devtools(page);
    return async (keys) => {
        const duration = keys.reduce((sum, [, gap]) => sum + gap, 0);
        const age = await page.evaluate(putForward, duration);
        // No event is older than its page.
        if (age < duration) await new Promise((done) => setTimeout(done, duration - age));
        let at = Date.now() - duration;
        const strokes = keys.map(([key, gap, code]) => {
            at += gap;
            return { key, code, windowsVirtualKeyCode: KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0), timestamp: at / 1000 };
        });
        // All at once: one by one, a busy machine would deliver them late.
        await Promise.all(strokes.flatMap((stroke) => {
            const text = stroke.key.length === 1 ? stroke.key : stroke.key === "Enter" ? "\r" : undefined;
            const down = session.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", text, ...stroke });
            return [down, session.send("Input.dispatchKeyEvent", { type: "keyUp", ...stroke })];
        }));
        await page.evaluate(() => globalThis.typed());
    };
}

/** Clicks twice in the middle of the element, so many milliseconds apart, and does not wait for the page in between. */
export async function clickTwice(session, target, gap) {
    const { x, y, width, height } = await target.boundingBox();
    const click = (clickCount) => ["mousePressed", "mouseReleased"].map((type) =>
        session.send("Input.dispatchMouseEvent", { type, x: x + width / 2, y: y + height / 2, button: "left", clickCount }));
    await twice(click, gap);
}

/** Taps twice. */
export async function tapTwice(session, target, gap) {
    const { x, y, width, height } = await target.boundingBox();
    const at = { x: x + width / 2, y: y + height / 2 };
    await twice(() => [["touchStart", [at]], ["touchEnd", []]].map(([type, touchPoints]) =>
        session.send("Input.dispatchTouchEvent", { type, touchPoints })), gap);
}

async function twice(press, gap) {
    const first = press(1);
    if (gap > 0) await new Promise((done) => setTimeout(done, gap));
    await Promise.all([...first, ...press(2)]);
}

/** Finds the card and enters the purchase total on the keypad. */
export async function enter(page, code, digits) {
    await page.getByLabel("Card code").fill(code);
    await page.getByRole("button", { name: "Find card" }).click();
    await page.getByText("Purchase total", { exact: true }).waitFor();
    for (const digit of digits) await page.getByRole("button", { name: digit, exact: true }).click();
}

export const button = (page, name) => page.getByRole("button", { name });
export const heading = (page, name) => page.getByRole("heading", { name });
