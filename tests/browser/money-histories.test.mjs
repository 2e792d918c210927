// Random histories of money calls against a model of the API behind a network that loses, repeats and delays whatever it likes, with
// tabs that reload, turn away and ask at any moment. Whatever the package ever said is so in the end, and money moved once at most.
//
// Environment: HISTORIES is how many (default 1500), SEED the first seed. A failure names its seed.

import assert from "node:assert/strict";
import test from "node:test";
import { createPortalClient } from "../../clients/typescript/index.js";
import { createMemoryJournal } from "../../clients/typescript/journal.js";
import { createMoneyCalls } from "../../clients/typescript/money-call.js";

const COUNT = Number(process.env.HISTORIES ?? 1500);
const FIRST_SEED = Number(process.env.SEED ?? 1);
const DAY = 24 * 3600 * 1000;

/** The same numbers for the same seed. */
function random(seed) {
    let state = seed * 0x9e3779b9;
    const next = () => {
        state = (state + 0x6d2b79f5) | 0;
        let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
    return { chance: (probability) => next() < probability, pick: (list) => list[Math.floor(next() * list.length)] };
}

const reply = (status, body, moved) => ({ status, body: JSON.stringify(body), moved });
const REDEEMED = { ok: true, data: { valueRemains: 1 }, redemptionId: "r-1" };
const REFUSED = { error: "Redeem failed", details: { code: "CARD_BLOCKED" } };

/** What the API promises: one operation for a key at a time, replays, and keys that can be closed. */
class Api {
    keys = new Map();
    operations = new Map();
    moved = 0;
    constructor({ chance, pick }) {
        Object.assign(this, { chance, pick });
    }

    key(key) {
        if (!this.keys.has(key)) this.keys.set(key, { operation: null, isClosed: false });
        return this.keys.get(key);
    }

    redeem(key) {
        if (this.chance(0.05)) return reply(500, { error: "Something went wrong.", code: "INTERNAL_ERROR" }, "unknown");
        const row = this.key(key);
        if (row.operation) return this.answerOf(row, (operation) => operation);
        if (row.isClosed) return reply(409, { error: "Cancelled.", code: "CANCELLED" }, "no");
        if (this.chance(0.1)) return reply(400, { error: "No.", code: "SALE_LIMIT" }, "not-yet");
        const operation = { reference: `op-${this.operations.size}`, row, status: "OPEN", fate: this.pick(["moves", "moves", "refused", "freed"]) };
        this.operations.set(operation.reference, operation);
        row.operation = operation;
        // Money moves when the network has the call, whatever the API knows of it.
        if (operation.fate === "moves") this.moved++;
        if (this.chance(0.7)) this.close(operation);
        return this.answerOf(row, () => operation);
    }

    close(operation) {
        if (operation.status !== "OPEN") return;
        operation.status = operation.fate === "moves" ? "SUCCEEDED" : "FAILED";
        if (operation.fate === "freed" && !operation.row.isClosed) {
            operation.row.operation = null;
            operation.isFreed = true;
        }
    }

    movedBy(operation) {
        if (operation.status === "OPEN") return "unknown";
        if (operation.status === "SUCCEEDED") return "yes";
        return operation.isFreed && !operation.row.isClosed ? "not-yet" : "no";
    }

    answerOf(row, of) {
        const operation = of(row.operation);
        const moved = this.movedBy(operation);
        if (moved === "yes") return reply(200, REDEEMED, moved);
        if (moved !== "unknown") return reply(moved === "no" ? 422 : 503, REFUSED, moved);
        if (this.chance(0.5)) return reply(409, { error: "In progress.", code: "IN_PROGRESS" }, moved);
        return reply(504, { error: "Not known.", code: "UNKNOWN_OUTCOME", details: { outcome: "unknown", reference: operation.reference } }, moved);
    }

    lookUp(reference) {
        const operation = this.operations.get(reference);
        if (!operation || this.chance(0.05)) return reply(404, { ok: false, error: { message: "None.", code: "NOT_FOUND" } }, "unknown");
        if (this.chance(0.4)) this.close(operation);
        const { status } = operation;
        const result = status === "OPEN" ? null : status === "SUCCEEDED" ? REDEEMED : REFUSED;
        return reply(200, { ok: true, data: { reference, kind: "REDEEM", status, result } }, this.movedBy(operation));
    }

    cancel(key) {
        if (this.chance(0.05)) return reply(429, { ok: false, error: { message: "Too many.", code: "RATE_LIMITED" } }, "unknown");
        const row = this.key(key);
        row.isClosed = true;
        if (!row.operation) return reply(200, { ok: true, data: { status: "CANCELLED", kind: "REDEEM" } }, "no");
        return this.lookUp(row.operation.reference);
    }

    answer({ path, key, body }) {
        if (path.endsWith("/redeem")) return this.redeem(key);
        if (path.endsWith("/cancellation")) return this.cancel(body.idempotencyKey);
        return this.lookUp(path.split("/").at(-1));
    }
}

async function history(seed) {
    const { chance, pick } = random(seed);
    const api = new Api({ chance, pick });
    const world = { time: 1_700_000_000_000, isHealed: false, isBroken: false };
    /** Requests that the network has kept. */
    const kept = [];
    const sends = [];
    /** How many may have been sent: since somebody has turned away, no more. */
    let allowed = Infinity;

    const fetch = async (request) => {
        const path = new URL(request.url).pathname;
        const call = { path, key: request.headers.get("idempotency-key"), body: request.method === "POST" ? await request.json() : null };
        if (path.endsWith("/redeem")) sends.push(call.key);
        const fault = world.isHealed ? "none" : pick(["none", "none", "none", "lost", "kept", "twice", "answer lost", "502", "no header", "half", "proxy"]);
        if (fault === "kept" || fault === "twice") kept.push(call);
        if (["lost", "kept"].includes(fault)) throw new TypeError("fetch failed");
        if (fault === "proxy") return new Response(pick(['{"error": "Bad Gateway"}', JSON.stringify(REFUSED), JSON.stringify(REDEEMED)]), { status: pick([200, 403, 422, 502]) });
        const { status, body, moved } = api.answer(call);
        while (kept.length > 0 && chance(0.3)) api.answer(kept.shift());
        if (fault === "answer lost") throw new TypeError("fetch failed");
        if (fault === "502") return new Response('{"error": "Bad Gateway"}', { status: 502 });
        if (fault === "half") return new Response(body.slice(0, 9), { status, headers: { "money-moved": moved } });
        return new Response(body, { status, headers: fault === "no header" ? {} : { "money-moved": moved } });
    };

    const memory = createMemoryJournal();
    const failing = (name) => (...rest) => world.isBroken && chance(0.5) ? Promise.reject(new Error("full")) : memory[name](...rest);
    const journal = { ...memory, change: failing("change"), get: failing("get"), all: failing("all") };

    /** A tab, until it is closed. */
    function open() {
        const tab = { isClosed: false, questions: [] };
        const client = createPortalClient({ baseUrl: "https://api.example", token: "t", fetch: (request) => tab.isClosed ? new Promise(() => {}) : fetch(request) });
        tab.calls = createMoneyCalls({
            client, journal, merchant: "m-1", timeout: 100, isOnline: () => true, now: () => world.time,
            sleep: async (milliseconds) => {
                await new Promise(setImmediate);
                world.time += milliseconds;
                return tab.isClosed ? new Promise(() => {}) : undefined;
            },
        });
        return tab;
    }

    const claims = [];
    const hear = (outcome) => outcome && outcome.kind !== "unknown" && claims.push(outcome.kind === "done" ? "moved" : "nothing");
    let tab = open();
    const attempt = tab.calls.redeem({ qrCode: "QR-1", redeemAmount: 1, purchaseAmount: 1 });
    const { key } = attempt;
    void attempt.outcome.then(hear);
    const questions = [];
    const ask = (question) => {
        questions.push(question);
        void question.outcome.then(hear);
    };
    const acts = {
        wait: () => {},
        ask: () => ask(attempt.resolveUnknown()),
        askNow: () => questions.forEach((question) => question.askNow()),
        skipWait: () => questions.forEach((question) => question.skipWait()),
        turnAway: () => {
            attempt.turnAway();
            // What has begun to leave still does.
            setImmediate(() => (allowed = Math.min(allowed, sends.length)));
        },
        reload: () => {
            tab.isClosed = true;
            allowed = Math.min(allowed, sends.length);
            tab = open();
            ask(tab.calls.resolveUnknown(key));
        },
        tab: () => ask(open().calls.resolveUnknown(key)),
        sleep: () => (world.time += pick([130_000, DAY, 40 * DAY, -DAY])),
        break: () => (world.isBroken = !world.isBroken),
    };
    if (chance(0.8)) await attempt.outcome.then(() => ask(attempt.resolveUnknown()));
    for (let step = 0; step < 8; step++) {
        acts[pick(Object.keys(acts))]();
        for (let tick = 0; tick < 3; tick++) await new Promise(setImmediate);
    }

    // All is well again: the till is opened once more.
    world.isHealed = true;
    world.isBroken = false;
    tab = open();
    if (await journal.get(key)) {
        const last = await tab.calls.resolveUnknown(key).outcome;
        hear(last);
        assert.notEqual(last.kind, "unknown", `seed ${seed}: left open`);
        assert.ok(sends.length <= allowed, `seed ${seed}: sent after the cashier had turned away`);
        kept.splice(0).forEach((call) => api.answer(call));
        api.operations.forEach((operation) => api.close(operation));
        const truth = api.moved > 0 ? "moved" : "nothing";
        assert.ok(api.moved <= 1, `seed ${seed}: moved ${api.moved} times`);
        assert.deepEqual(claims.filter((claim) => claim !== truth), [], `seed ${seed}: it ${truth}, and ${claims.join(", ")} was said`);
        assert.equal((await memory.get(key)).outcome.kind === "done" ? "moved" : "nothing", truth, `seed ${seed}: the journal`);
        return { truth, sends: sends.length };
    }
    assert.equal(sends.length, 0, `seed ${seed}: sent without an entry`);
    return { truth: "nothing", sends: 0 };
}

test(`${COUNT} random histories: no lies, nothing moves twice, nothing is left open`, async () => {
    const seen = { moved: 0, nothing: 0, repeated: 0 };
    for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT; seed++) {
        const { truth, sends } = await history(seed);
        seen[truth]++;
        if (sends > 1) seen.repeated++;
    }
    // Else the histories would show nothing.
    assert.ok(seen.moved > COUNT / 5 && seen.nothing > COUNT / 5 && seen.repeated > COUNT / 50, JSON.stringify(seen));
});
