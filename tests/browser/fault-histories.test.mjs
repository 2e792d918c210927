// Histories of a till under faults, through its real page: each kind of fault, with each call that moves money, and each thing that
// a cashier does next. After each history, what the page has said is compared with the books of the card network and of the API:
// it never said what is not so, nothing moved twice, nothing began after it had been closed, and nothing was left open.
//
//     HISTORIES=all node --test --test-name-pattern "redeem: the answer is lost" tests/browser/fault-histories.test.mjs
//
// Environment:
// - HISTORIES  how many histories, spread over the table, or `all`. Default: 12.
// - SEED       chooses others of the table.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { api, faults, openPage, drain, urls } from "./support.mjs";

// ---------- The table ----------

/** Calls of the page that lose their answer: how often, and what the page gets instead. */
const carriedOut = (reply) => async (route) => reply(route, await route.fetch());
const drop = (route) => route.abort("connectionreset");
/** What stands before the API answers by itself. No header says whether money moved. */
const proxy = (status, body, headers = {}) => (route) => route.fulfill({
    status, body, headers: { "content-type": "application/json", "access-control-allow-origin": "*", ...headers },
});
const withoutHeader = (route, response) => {
    const { "money-moved": _, ...headers } = response.headers();
    return route.fulfill({ response, headers });
};
const half = async (route, response) => route.fulfill({ response, body: (await response.text()).slice(0, 20) });
const badGateway = proxy(502, '{"error": "Bad Gateway"}');
const network = (match, kind, more) => ({ target: "card-network", match, kind, ...more });
const SUBMIT = "POST /v1/cards/*";
const LOOK_UP = "GET /v1/operations/*";
const LOOK_UP_FAILS = network(LOOK_UP, "status", { value: 503, times: "always" });

/**
 * `page`: what becomes of requests of the page, in their order: `send` are those that move money, `ask` all others about them.
 * `upstream`: faults of the card network and of AWS. They last until the cashier has done what comes next.
 */
const FAULTS = {
    "nothing fails": {},
    "the request never leaves": { send: [drop] },
    "neither the request nor the first questions leave": { send: [drop, drop], ask: [drop, drop] },
    "the answer is lost": { send: [carriedOut(drop)] },
    "all answers are lost": { send: Array(9).fill(carriedOut(drop)), ask: Array(3).fill(carriedOut(drop)) },
    "a load balancer answers for the API, which carries it out": { send: [carriedOut(badGateway)] },
    "a load balancer answers, and nothing arrives": { send: [badGateway, badGateway], ask: [badGateway] },
    "a proxy drops the header": { send: [carriedOut(withoutHeader)], ask: [carriedOut(withoutHeader)] },
    "a proxy refuses like the API": { send: [proxy(422, '{"error": "Redeem failed", "details": {"code": "CARD_BLOCKED"}}')] },
    "a proxy asks for a sign-in": { send: [proxy(403, "<html>Sign in</html>")], ask: [proxy(403, "<html>Sign in</html>")] },
    "a gateway throttles": { send: [proxy(429, '{"message": "Too Many Requests"}', { "retry-after": "1" })] },
    "half of the answer arrives": { send: [carriedOut(half)] },
    "the request is late": { send: ["late"] },
    "the request arrives twice": { send: ["twice"] },
    "the network drops the call": { upstream: [network(SUBMIT, "drop")] },
    "the network carries it out and says nothing": { upstream: [network(SUBMIT, "after"), LOOK_UP_FAILS] },
    "the network is down": { upstream: [network(SUBMIT, "status", { value: 503, times: "always" }), LOOK_UP_FAILS] },
    "the network answers nonsense": { upstream: [network(SUBMIT, "body", { value: "<html>" }), LOOK_UP_FAILS] },
    "the network is busy": { upstream: [network(SUBMIT, "status", { value: 429 })] },
    "the database commits and says nothing": { upstream: [{ target: "dynamodb", match: "TransactWriteItems", kind: "after", times: 2 }] },
    "the database throttles": { upstream: [{ target: "dynamodb", match: "TransactWriteItems", kind: "throttle", times: "always" }] },
};

/** What the cashier does, or what happens to the till, once the call has left. */
const TURNS = {
    "the cashier waits": async () => {},
    "the page is reloaded": ({ till }) => till.reload(),
    "the page is reloaded before any answer": ({ till }) => till.reload(),
    "the next customer is served": async ({ till }) => void (await till.leave()),
    "the cashier asks now": async ({ till }) => {
        const ask = till.page.getByRole("button", { name: "Ask now" });
        if (await ask.count()) await ask.click({ timeout: 5000 }).catch(() => {});
    },
    "a second tab is opened": async ({ till }) => void (await till.another()),
    "the tab is closed and another opened": async ({ till }) => {
        const { page } = till;
        await till.another();
        await page.close();
    },
    "the till is offline for a while": async ({ till }) => {
        await till.page.context().setOffline(true);
        await till.page.waitForTimeout(400);
        await till.page.context().setOffline(false);
    },
    "the till is opened offline": async ({ till }) => {
        await till.page.context().setOffline(true);
        await till.page.waitForTimeout(100);
        await till.leave();
        await till.page.context().setOffline(false);
        await till.reload();
    },
    "it is the next day": ({ till }) => till.reopen(26 * 3600 * 1000),
    "it is after a holiday": ({ till }) => till.reopen(40 * 24 * 3600 * 1000),
    "the device sleeps until the next day": ({ till }) => till.page.evaluate(() => (globalThis.clockShift += 26 * 3600 * 1000)),
    "another merchant is paired": async ({ till }) => {
        const before = till.asked.length;
        await till.pair(OTHER);
        await till.page.waitForTimeout(300);
        const wrong = till.asked.slice(before).filter(({ token }) => token === OTHER.token);
        assert.deepEqual(wrong, [], "asked with the token of another merchant");
        await till.pair(till.pairing);
    },
    "nothing can be stored any more": async ({ till }) => {
        await till.page.evaluate(() => (globalThis.isStorageBroken = true));
        await till.page.waitForTimeout(200);
        await till.leave();
    },
};

/** What comes next happens while the call is still on its way. */
const EARLY = ["the page is reloaded before any answer", "the tab is closed and another opened", "nothing can be stored any more"];

const CALLS = {
    async redeem(till) {
        await till.find(till.card);
        await till.type("12500");
        await till.page.getByRole("button", { name: /^Redeem kr 125\.00/ }).click();
    },
    async sell(till) {
        await till.page.getByRole("link", { name: "Sell" }).click();
        await till.page.getByRole("button", { name: /Aurora gift card/ }).click();
        await till.type(String(till.amount));
        await till.page.getByRole("button", { name: /^Paid, issue/ }).click();
    },
    async "give back"(till) {
        await CALLS.redeem(till);
        await till.page.getByRole("heading", { name: /redeemed$/ }).waitFor();
        await till.leave();
        await till.page.getByRole("link", { name: "Today" }).click();
        await till.page.getByRole("button", { name: /^Redeem ••••/ }).click();
        await till.page.getByRole("button", { name: "Give back" }).click();
        await till.type(String(till.amount));
        await till.page.getByRole("button", { name: "Continue" }).click();
        await till.page.getByRole("button", { name: "Goods returned" }).click();
        await till.begin();
        await till.page.getByRole("button", { name: /^Give back/ }).click();
    },
};

const table = Object.keys(CALLS).flatMap((call) => Object.keys(FAULTS).flatMap((fault) => Object.keys(TURNS).map((turn) => ({ call, fault, turn }))));
const names = table.map(({ call, fault, turn }) => `${call}: ${fault}; ${turn}`);

/** Which of them run: evenly spread, so that each row and each column has its share. */
function chosen() {
    const { HISTORIES = "12", SEED = "1" } = process.env;
    const count = HISTORIES === "all" ? table.length : Math.min(Number(HISTORIES), table.length);
    return Array.from({ length: count }, (_, index) => (Math.floor((index * table.length) / count) + Number(SEED) - 1) % table.length);
}

// ---------- One history ----------

const SCALE = 10; // the till waits a tenth of its time
const END_TIMEOUT = 40_000; // milliseconds until everything has to be known
const TILLS = 6; // each may close 200 unused keys an hour

let OTHER;
const tills = [];
let admin;
let canGiveBack = false;
const done = { histories: 0, moved: 0, nothing: 0 };

/** Two merchants' tills, once for all histories. */
async function setUp() {
    admin = await signIn("u-anna");
    for (let n = 0; n < TILLS; n++) tills.push(await pairedTill(admin, "101"));
    OTHER = await pairedTill(await signIn("u-haru"), "301");
    canGiveBack = (await fetch(`${urls.api}/api/bff/pos/offers`, { headers: admin })).status === 200;
}
let isSetUp;

after(() => console.log(`${done.histories} histories: in ${done.moved} the money moved, in ${done.nothing} it did not`));

async function signIn(userId) {
    return { authorization: `Bearer ${(await api("POST", "/__local/sessions", { userId })).token}` };
}

async function pairedTill(headers, retailStoreId) {
    const { data: { pairingCode: code } } = await api("POST", "/api/auth/tills", { name: "Faults", retailStoreId, retailStoreName: "Store" }, headers);
    const { data: { token, till, merchant } } = await api("POST", "/api/auth/tills/pairing", { code });
    return {
        token, till: { id: till.id, name: till.name, storeName: till.retailStoreName },
        merchant: { ...merchant, currency: merchant.currency, primaryColor: "#096386", secondaryColor: "#096386" },
    };
}

/** Runs in the page before anything else. */
function prepare({ pairing, scale }) {
    if (!localStorage.getItem("set-up")) {
        localStorage.setItem("set-up", "yes");
        localStorage.setItem("pairing", pairing);
    }
    Object.defineProperty(navigator, "serviceWorker", { value: undefined });
    globalThis.clockShift = Number(localStorage.getItem("clock-shift") ?? 0);
    const now = Date.now.bind(Date);
    Date.now = () => now() + globalThis.clockShift;
    const wait = globalThis.setTimeout;
    // A busy machine needs the time limit of look-ups.
    const isScaled = (milliseconds) => milliseconds >= 1000 && milliseconds !== 8000;
    globalThis.setTimeout = (act, milliseconds, ...rest) => wait(act, isScaled(milliseconds) ? milliseconds / scale : milliseconds, ...rest);
    const begin = IDBDatabase.prototype.transaction;
    IDBDatabase.prototype.transaction = function (...of) {
        if (globalThis.isStorageBroken) throw new DOMException("broken", "UnknownError");
        return begin.apply(this, of);
    };
    const look = () => {
        for (const [selector, claim] of [["till-outcome .seal.ok", "moved"], ["till-outcome .seal.bad", "nothing"]]) {
            if (document.querySelector(selector)) globalThis.say(claim, document.querySelector("till-outcome h1")?.textContent ?? "");
        }
        for (const { textContent } of document.querySelectorAll(".notices p, .journal li")) {
            if (/went through|the card was issued|Done/.test(textContent)) globalThis.say("moved", textContent);
            if (/Nothing was|No card was issued|Refused|Not sent|Not carried out/.test(textContent)) globalThis.say("nothing", textContent);
        }
    };
    addEventListener("DOMContentLoaded", () => new MutationObserver(look).observe(document.body, { childList: true, subtree: true, attributes: true }));
}

class TillPage {
    /** Requests of the page about this money, in their order. */
    asked = [];
    /** The request that moves money, to be delivered once more. */
    copy = null;
    said = [];
    isFaulty = false;
    counts = { send: 0, ask: 0 };

    static async open({ call, fault, index }) {
        const till = new TillPage();
        till.call = call;
        till.fault = fault;
        till.pairing = tills[index % TILLS];
        // In öre: nobody else uses this amount.
        till.amount = 10_000 + index;
        const { data } = await api("POST", "/api/bff/pos/issue", { value: 500, deliveryDetails: { deliveryType: "QR" } }, admin);
        till.card = data.qrCode;
        // Faults make requests fail. An error of the page's own is none.
        till.page = await openPage({ size: "phone", expected: [/^\d{3} /, /^net::/] });
        const context = till.page.context();
        await context.exposeFunction("say", (claim, text) => till.say(claim, text));
        await context.addInitScript(prepare, { pairing: JSON.stringify(till.pairing), scale: SCALE });
        await context.route("**/api/bff/pos/**", (route) => till.answer(route));
        await till.goto();
        return till;
    }

    async goto() {
        await this.page.goto(urls.till);
        await this.page.waitForFunction(() => document.querySelector("till-app")?.till?.later);
    }

    async reload() {
        await this.page.reload();
        await this.page.waitForFunction(() => document.querySelector("till-app")?.till?.later);
    }

    /** A second tab, which is looked at from now on. */
    async another() {
        this.page = await openPage({ profile: this.page, expected: [/^\d{3} /, /^net::/] });
        await this.goto();
    }

    async reopen(later) {
        await this.page.evaluate((shift) => localStorage.setItem("clock-shift", shift), later);
        const { page } = this;
        await this.another();
        await page.close();
    }

    async pair(pairing) {
        await this.page.evaluate((value) => localStorage.setItem("pairing", value), JSON.stringify(pairing));
        await this.reload();
    }

    async find(code) {
        await this.page.getByLabel("Card code").fill(code);
        await this.page.getByRole("button", { name: "Find card" }).click();
    }

    async type(digits) {
        for (const digit of digits) await this.page.locator(".keypad button:visible").getByText(digit, { exact: true }).first().click();
    }

    /** Turns away from whatever outcome is on the screen. */
    async leave() {
        const next = this.page.getByRole("button", { name: /^(Serve the n|N)ext customer$/ });
        await next.click({ timeout: 5000 }).catch(() => {});
    }

    /** From now on the calls of this page are those that the history is about. */
    async begin() {
        this.isFaulty = true;
        this.said = [];
        this.asked = [];
        await faults(this.fault.upstream ?? []);
    }

    say(claim, text) {
        const last = this.said.at(-1);
        // The redemption that is given back went well, and is still shown.
        const isOther = this.call === "give back" && /^\s*Redeem/.test(text);
        if (this.isFaulty && !isOther && last?.text !== text) this.said.push({ claim, text });
    }

    async answer(route) {
        const request = route.request();
        const path = new URL(request.url()).pathname;
        const isSend = request.method() === "POST" && /\/pos\/(issue|redeem)$/.test(path);
        const isAsk = /\/pos\/operations\//.test(path);
        if (request.method() === "OPTIONS" || !this.isFaulty || !(isSend || isAsk)) return route.continue().catch(() => {});
        const headers = await request.allHeaders();
        this.asked.push({ path, isSend, key: headers["idempotency-key"], token: headers.authorization?.split(" ")[1], at: Date.now() });
        if (isSend) this.copy ??= { path, headers, body: request.postData() };
        const kind = isSend ? "send" : "ask";
        const rule = this.fault[kind]?.[this.counts[kind]++];
        const act = rule === "late" ? this.late : rule === "twice" ? this.twice : rule;
        // The page may be gone by now.
        await (act ? act.call(this, route) : route.continue()).catch(() => {});
    }

    late(route) {
        this.later = new Promise((resolve) => setTimeout(resolve, 700)).then(() => this.deliver());
        return route.abort("connectionreset");
    }

    twice(route) {
        this.later = this.deliver();
        return route.continue();
    }

    /** A copy of the request that the network had kept. */
    async deliver() {
        const { path, headers, body } = this.copy;
        const kept = Object.entries(headers).filter(([name]) => /^(authorization|content-type|idempotency|x-expected)/.test(name));
        const response = await fetch(urls.api + path, { method: "POST", headers: Object.fromEntries(kept), body });
        return { status: response.status, moved: response.headers.get("money-moved"), text: await response.text() };
    }

    /** Calls that reached the card network for this money: `[{reference, status}]`. */
    async movements(call) {
        const calls = await api("GET", "/__local/upstream-calls");
        const isOurs = ({ method, path, body }) => method === "POST" && (call === "redeem"
            ? path.endsWith("/cards/redeem") && body.qrCode === this.card
            : path.endsWith("/cards/issue") && Math.round(Number(body.value) * 100) === this.amount);
        const references = [...new Set(calls.filter(isOurs).map(({ headers }) => headers["idempotency-key"]))];
        const { authorization } = calls.find(({ target, headers }) => target === "card-network" && headers.authorization).headers;
        return Promise.all(references.map(async (reference) => {
            const operation = await fetch(`${urls.cardNetwork}/v1/operations/${reference}`, { headers: { authorization } });
            const inBooks = await fetch(`${urls.api}/api/bff/pos/operations/${reference}`, { headers: admin });
            return {
                atNetwork: operation.status === 200 ? (await operation.json()).status : "NONE",
                inBooks: inBooks.status === 200 ? (await inBooks.json()).data.status : `${inBooks.status}`,
            };
        }));
    }

    entries() {
        return this.page.evaluate(() => document.querySelector("till-app").till.entries);
    }
}

async function run({ call, fault, turn }, index) {
    const till = await TillPage.open({ call, fault: FAULTS[fault], index });
    if (call !== "give back") await till.begin();
    await CALLS[call](till);
    await till.page.waitForFunction(() => document.querySelector("till-app").till.moving || document.querySelector("till-outcome"));
    if (!EARLY.includes(turn)) {
        await till.page.waitForFunction(() => !document.querySelector("till-app").till.moving, null, { timeout: 30_000 });
    } else {
        await waitUntil(() => till.asked.length > 0);
    }
    await TURNS[turn]({ till });

    // Everything works again.
    await faults([]);
    till.fault = {};
    await till.later;
    if (turn === "nothing can be stored any more") {
        await till.page.evaluate(() => (globalThis.isStorageBroken = false));
        await till.reload();
    }
    const ended = await waitUntil(() => till.page.evaluate(isOver), END_TIMEOUT).then(() => true, () => false);
    const entries = (await till.entries()).filter(({ call: made }) => made === (call === "redeem" ? "redeem" : "issue"));
    const report = () => JSON.stringify({ said: till.said, asked: till.asked, entries }, null, 1);
    assert.ok(ended, `left open: ${report()}`);
    const [entry] = entries;
    assert.ok(entries.length === 1 || (entries.length === 0 && till.said.length > 0), report());
    assert.equal(entry?.body ?? null, null, "a card's code stays in the journal");

    // A copy that the network had kept arrives when all is over: it changes nothing.
    const before = await till.movements(call);
    const late = till.copy && (await till.deliver());
    await drain();
    const movements = await till.movements(call);
    const moved = movements.filter(({ atNetwork }) => atNetwork === "SUCCEEDED").length;
    const context = () => `${report()}\n${JSON.stringify({ before, movements, late }, null, 1)}`;
    assert.equal(movements.length, before.length, `begun after it was over: ${context()}`);
    assert.ok(moved <= 1, `moved twice: ${context()}`);
    for (const { atNetwork, inBooks } of movements) {
        assert.equal(inBooks === "SUCCEEDED", atNetwork === "SUCCEEDED", `the API's books differ: ${context()}`);
    }
    const truth = moved === 1 ? "moved" : "nothing";
    const last = entry ? (entry.outcome.kind === "done" ? "moved" : "nothing") : till.said.at(-1).claim;
    assert.equal(last, truth, `the journal says otherwise: ${context()}`);
    assert.deepEqual(till.said.filter(({ claim }) => claim !== truth), [], `the page has lied: ${context()}`);
    // Only the open screen of the press sends. All else asks.
    const keys = new Set(till.asked.filter(({ isSend }) => isSend).map(({ key }) => key));
    assert.ok(keys.size <= 1, `more than one key: ${context()}`);
    const firstClosing = till.asked.findIndex(({ path }) => path.endsWith("/cancellation"));
    const lastSend = till.asked.findLastIndex(({ isSend }) => isSend);
    assert.ok(firstClosing === -1 || lastSend < firstClosing, `sent after the closing: ${context()}`);
    done.histories++;
    done[truth]++;
}

/** In the page: whether nothing is at work or open any more. A page that was just opened may not have read its journal yet. */
async function isOver() {
    const { till } = document.querySelector("till-app");
    const { openIndexedDbJournal } = await import("/portal-api/indexed-db-journal.js");
    const stored = await (globalThis.journalOfTest ??= await openIndexedDbJournal("till")).all();
    // Known outcomes of another day are gone.
    const isRead = stored.length === till.entries.length && (stored.length > 0 || globalThis.clockShift > 0);
    return isRead && !till.moving && till.open.length === 0;
}

async function waitUntil(isSo, milliseconds = 10_000) {
    const deadline = Date.now() + milliseconds;
    while (!(await isSo())) {
        assert.ok(Date.now() < deadline, "it did not happen");
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

for (const index of chosen()) {
    test(names[index], async (t) => {
        await (isSetUp ??= setUp());
        if (table[index].call === "give back" && !canGiveBack) return t.skip("the API does not know it yet");
        await run(table[index], index);
    });
}
