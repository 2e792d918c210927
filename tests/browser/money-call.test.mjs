// Money calls of the API client: one intent, one idempotency key, whatever happens on the way. No browser, no network.

import assert from "node:assert/strict";
import test from "node:test";
import { createPortalClient } from "../../clients/typescript/index.js";
import { createMemoryJournal } from "../../clients/typescript/journal.js";
import { createMoneyCalls } from "../../clients/typescript/money-call.js";

const REDEEM = { qrCode: "QR-1", redeemAmount: 100, purchaseAmount: 129.5 };
const REDEEMED = { ok: true, data: { valueRemains: 150.5 }, redemptionId: "r-1" };
const ISSUED = { ok: true, data: { qrCode: "QR-2", orderId: "o-1", paymentReference: "p-1" } };

const answer = (status, body, headers = {}) => () =>
    new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
const dropped = () => {
    throw new TypeError("fetch failed");
};
const unknownOutcome = (reference = "op-1") =>
    answer(504, { error: "Not known.", code: "UNKNOWN_OUTCOME", details: { outcome: "unknown", reference } }, { "retry-after": "5" });
const operation = (status, result) => answer(200, { ok: true, data: { reference: "op-1", kind: "REDEEM", status, result } });

/** A till whose API gives these answers in turn, and whose clock moves only while it waits. */
function till(answers, { journal = createMemoryJournal(), isOnline = true, at = 0 } = {}) {
    const requests = [];
    const waits = [];
    let time = at;
    const client = createPortalClient({
        baseUrl: "https://api.example",
        token: "t",
        fetch: async (request) => {
            const { method, headers } = request;
            const body = method === "POST" ? await request.json() : null;
            requests.push({ call: `${method} ${new URL(request.url).pathname}`, key: headers.get("idempotency-key"), body, headers });
            const next = answers.shift();
            assert.ok(next, "a request that the test has no answer for");
            return next(request);
        },
    });
    const calls = createMoneyCalls({
        client,
        journal,
        now: () => time,
        isOnline: () => isOnline,
        sleep: async (milliseconds) => {
            waits.push(milliseconds / 1000);
            time += milliseconds;
        },
    });
    return { calls, journal, requests, waits };
}

test("a till sends its token and no cookie, a dashboard the cookie and no token", async () => {
    const seen = [];
    const fetch = async (request) => (seen.push(request), answer(200, { ok: true, data: [] })());
    await createPortalClient({ baseUrl: "https://api.example", token: "secret", fetch }).GET("/api/auth/session");
    await createPortalClient({ baseUrl: "https://api.example", fetch }).GET("/api/auth/session");
    assert.deepEqual(seen.map(({ headers }) => headers.get("authorization")), ["Bearer secret", null]);
    assert.deepEqual(seen.map(({ credentials }) => credentials), ["omit", "include"]);
});

test("a redeem that succeeds is done, and the journal keeps no card code", async () => {
    const { calls, journal, requests } = till([answer(200, REDEEMED)]);
    const outcome = await calls.redeem(REDEEM, { ref: "QR1" });
    assert.equal(outcome.kind, "done");
    assert.equal(outcome.replayed, false);
    assert.deepEqual(outcome.result, REDEEMED);
    assert.equal(requests[0].key, outcome.key);
    const [entry] = await journal.all();
    assert.equal(entry.body, null);
    assert.deepEqual(entry.note, { ref: "QR1" });
    assert.equal(entry.outcome.kind, "done");
});

test("key and body are in the journal before the call leaves", async () => {
    const journal = createMemoryJournal();
    let journaled;
    const { calls } = till([async () => ((journaled = await journal.all()), answer(200, ISSUED)())], { journal });
    const outcome = await calls.issue({ value: "500" });
    assert.equal(journaled[0].key, outcome.key);
    assert.deepEqual(journaled[0].body, { value: "500" });
    assert.equal(outcome.result.qrCode, "QR-2");
});

test("without a journal or a connection nothing is sent", async () => {
    const broken = { ...createMemoryJournal(), put: () => Promise.reject(new Error("full")) };
    const full = till([], { journal: broken });
    assert.deepEqual(await full.calls.redeem(REDEEM).then(({ kind, reason }) => [kind, reason]), ["notSent", "journal"]);
    const offline = till([], { isOnline: false });
    assert.deepEqual(await offline.calls.redeem(REDEEM).then(({ kind, reason }) => [kind, reason]), ["notSent", "offline"]);
});

for (const [name, response] of [
    ["the card network refuses", answer(422, { error: "Redeem failed", details: { code: "CARD_BLOCKED" } })],
    ["the card network is down, and the call was closed as failed", answer(503, { error: "Redeem failed", details: null })],
    ["the API refuses", answer(400, { error: "redeemAmount: must be greater than 0.", code: "INVALID_REQUEST" })],
    ["too little time was left", answer(504, { error: "Nothing was done.", code: "TOO_LITTLE_TIME" })],
    ["the gateway throttles", answer(429, { message: "Too Many Requests" })],
]) {
    test(`refused: ${name}`, async () => {
        const { calls, journal } = till([response]);
        const outcome = await calls.redeem(REDEEM);
        assert.equal(outcome.kind, "refused");
        assert.equal((await journal.all())[0].outcome.kind, "refused");
    });
}

for (const [name, response, reference] of [
    ["the API says so", unknownOutcome(), "op-1"],
    ["the connection died", dropped, null],
    ["the API broke", answer(500, { error: "Something went wrong.", code: "INTERNAL_ERROR" }), null],
    ["the gateway gave up", answer(503, "<html>Service Unavailable</html>"), null],
    ["the answer was cut in half", answer(200, '{"ok": true, "da'), null],
    ["the answer is not the API's", answer(200, "{}"), null],
]) {
    test(`unknown: ${name}`, async () => {
        const { calls, journal } = till([response]);
        const outcome = await calls.redeem(REDEEM);
        assert.equal(outcome.kind, "unknown");
        assert.equal(outcome.reference, reference);
        const [entry] = await journal.all();
        assert.equal(entry.outcome, null);
        assert.deepEqual(entry.body, REDEEM);
    });
}

test("an unknown outcome is looked up after Retry-After, then ever more slowly, up to every 30 seconds", async () => {
    const { calls, requests, waits } = till([
        unknownOutcome(), ...Array(6).fill(operation("OPEN", null)), dropped, operation("SUCCEEDED", REDEEMED),
    ]);
    const { key } = await calls.redeem(REDEEM);
    const outcome = await calls.resolveUnknown(key).outcome;
    assert.equal(outcome.kind, "done");
    assert.deepEqual(outcome.result, REDEEMED);
    assert.deepEqual(waits, [5, 7.5, 11.25, 16.875, 25.3125, 30, 30, 30]);
    assert.deepEqual(new Set(requests.slice(1).map(({ call }) => call)), new Set(["GET /api/bff/pos/operations/op-1"]));
});

test("a look-up that says FAILED is a refusal: nothing moved", async () => {
    const refusal = { error: "Redeem failed", details: { code: "INSUFFICIENT_FUNDS" } };
    const { calls } = till([unknownOutcome(), operation("FAILED", refusal)]);
    const { key } = await calls.redeem(REDEEM);
    const outcome = await calls.resolveUnknown(key).outcome;
    assert.equal(outcome.kind, "refused");
    assert.deepEqual(outcome.error.details, { code: "INSUFFICIENT_FUNDS" });
});

test("without a reference the same body goes out with the same key, until there is an answer", async () => {
    const { calls, requests } = till([
        dropped,
        answer(409, { error: "In progress.", code: "IN_PROGRESS" }, { "retry-after": "12" }),
        answer(401, { ok: false, error: { message: "No session.", code: "UNAUTHORIZED" } }),
        answer(429, { message: "Too Many Requests" }, { "retry-after": "40" }),
        answer(504, { error: "Nothing was done.", code: "TOO_LITTLE_TIME" }),
        answer(200, REDEEMED, { "idempotent-replayed": "true" }),
    ]);
    const { key, kind } = await calls.redeem(REDEEM);
    assert.equal(kind, "unknown");
    const outcome = await calls.resolveUnknown(key).outcome;
    assert.equal(outcome.kind, "done");
    assert.equal(outcome.replayed, true);
    assert.deepEqual(new Set(requests.map((request) => request.key)), new Set([key]));
    for (const { body } of requests) assert.deepEqual(body, REDEEM);
});

test("409 and 429 say how long to wait", async () => {
    const { calls, waits } = till([
        dropped,
        answer(409, { error: "In progress.", code: "IN_PROGRESS" }, { "retry-after": "12" }),
        answer(429, { message: "Too Many Requests" }, { "retry-after": "40" }),
        answer(200, REDEEMED),
    ]);
    const { key } = await calls.redeem(REDEEM);
    await calls.resolveUnknown(key).outcome;
    assert.deepEqual(waits, [2, 12, 40]);
});

test("a repeat that the card network refuses ends it", async () => {
    const { calls } = till([dropped, answer(422, { error: "Redeem failed", details: { code: "CARD_BLOCKED" } })]);
    const { key } = await calls.redeem(REDEEM);
    assert.equal((await calls.resolveUnknown(key).outcome).kind, "refused");
});

test("a reload goes on with the key of the journal", async () => {
    const before = till([dropped]);
    const { key } = await before.calls.redeem(REDEEM);
    const after = till([unknownOutcome(), operation("SUCCEEDED", REDEEMED)], { journal: before.journal });
    const outcome = await after.calls.resolveUnknown(key).outcome;
    assert.equal(outcome.kind, "done");
    assert.deepEqual(after.requests.map(({ call, key }) => [call, key]), [
        ["POST /api/bff/pos/redeem", key], ["GET /api/bff/pos/operations/op-1", null],
    ]);
    assert.deepEqual(after.requests[0].body, REDEEM);
});

test("an operation that does not exist is asked for by its key", async () => {
    const notFound = answer(404, { ok: false, error: { message: "There is no such operation.", code: "NOT_FOUND" } });
    const { calls, requests } = till([unknownOutcome(), notFound, answer(200, REDEEMED)]);
    const { key } = await calls.redeem(REDEEM);
    assert.equal((await calls.resolveUnknown(key).outcome).kind, "done");
    assert.equal(requests[2].key, key);
});

test("a key that the API may have forgotten is never sent again", async () => {
    const before = till([dropped]);
    const { key } = await before.calls.redeem(REDEEM);
    const nextDay = till([], { journal: before.journal, at: 24 * 3600 * 1000 });
    const outcome = await nextDay.calls.resolveUnknown(key).outcome;
    assert.deepEqual([outcome.kind, outcome.retryAfter], ["unknown", null]);
    assert.equal(nextDay.requests.length, 0);
});

test("asking now ends the wait, and stop ends the asking", async () => {
    const journal = createMemoryJournal();
    const client = createPortalClient({
        baseUrl: "https://api.example",
        token: "t",
        fetch: async (request) => (request.method === "POST" ? unknownOutcome()() : operation("SUCCEEDED", REDEEMED)()),
    });
    const calls = createMoneyCalls({ client, journal, isOnline: () => true });
    const { key } = await calls.redeem(REDEEM);

    const stopped = await new Promise((done) => {
        const question = calls.resolveUnknown(key, { onWait: () => queueMicrotask(() => (question.stop(), done(question.outcome))) });
    });
    assert.equal(stopped, null);

    const question = calls.resolveUnknown(key, { onWait: () => queueMicrotask(() => question.askNow()) });
    assert.equal((await question.outcome).kind, "done");
});

test("a call says when it was made by the clock of the API, in each repeat", async () => {
    const journal = createMemoryJournal();
    const date = { date: "Mon, 05 Jan 2026 10:00:00 GMT" };
    const { calls, requests } = till([answer(200, REDEEMED, date), dropped, answer(200, REDEEMED)], { journal, at: 1_000 });
    await calls.redeem(REDEEM);
    assert.equal(requests[0].headers.get("idempotency-made-at"), "1970-01-01T00:00:01.000Z", "no answer yet: its own clock");
    const unknown = await calls.redeem(REDEEM);
    const done = await calls.resolveUnknown(unknown.key).outcome;
    assert.equal(done.kind, "done");
    for (const request of requests.slice(1)) {
        assert.equal(request.headers.get("idempotency-made-at"), "2026-01-05T10:00:00.000Z");
    }
});

test("after a restore, somebody has to look what became of a call", async () => {
    const restored = answer(409, { error: "Data was restored.", code: "RESTORED" });
    const { calls, journal, requests } = till([dropped, restored]);
    const { key } = await calls.redeem(REDEEM);
    const outcome = await calls.resolveUnknown(key).outcome;
    assert.deepEqual([outcome.kind, outcome.retryAfter], ["unknown", null]);
    assert.equal((await journal.get(key)).body !== null, true);
    assert.deepEqual(await calls.resolveUnknown(key).outcome, outcome);
    assert.equal(requests.length, 2, "it is not asked again");
});
