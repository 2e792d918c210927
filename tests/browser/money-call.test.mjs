// Money calls of the API client: one intent, one idempotency key, whatever happens on the way, and nobody who asks ever sends.
// No browser, no network.

import assert from "node:assert/strict";
import test from "node:test";
import { createPortalClient } from "../../clients/typescript/index.js";
import { createMemoryJournal } from "../../clients/typescript/journal.js";
import { createMoneyCalls } from "../../clients/typescript/money-call.js";

const REDEEM = { qrCode: "QR-1", redeemAmount: 100, purchaseAmount: 129.5 };
const REDEEMED = { ok: true, data: { valueRemains: 150.5 }, redemptionId: "r-1" };
const ISSUED = { ok: true, data: { qrCode: "QR-2", orderId: "o-1", paymentReference: "p-1" } };
const DAY = 24 * 3600 * 1000;

const REDEEMS = "POST /api/bff/pos/redeem";
const CLOSES = "POST /api/bff/pos/operations/cancellation";
const LOOKS_UP = "GET /api/bff/pos/operations/op-1";

/** An answer. `moved` is what its header says; without it, the header is missing. */
const answer = (status, body, moved, headers = {}) => () =>
    new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers: { ...headers, ...(moved && { "money-moved": moved }) } });
const dropped = () => {
    throw new TypeError("fetch failed");
};
const done = (headers) => answer(200, REDEEMED, "yes", headers);
const blocked = { error: "Redeem failed", details: { code: "CARD_BLOCKED" } };
const unknownOutcome = (headers = { "retry-after": "5" }) =>
    answer(504, { error: "Not known.", code: "UNKNOWN_OUTCOME", details: { outcome: "unknown", reference: "op-1" } }, "unknown", headers);
const operation = (status, result, moved) => answer(200, { ok: true, data: { reference: "op-1", kind: "REDEEM", status, result } }, moved);
const cancelled = answer(200, { ok: true, data: { status: "CANCELLED", kind: "REDEEM" } }, "no");
const inProgress = (retryAfter) => answer(409, { error: "In progress.", code: "IN_PROGRESS" }, "unknown", { "retry-after": retryAfter });

/** A till whose API gives these answers in turn, and whose clock moves only while it waits. */
function till(answers, { journal = createMemoryJournal(), isOnline = true, at = 0, merchant = "m-1", onWait = () => {} } = {}) {
    const requests = [];
    const waits = [];
    const clock = { time: at };
    const client = createPortalClient({
        baseUrl: "https://api.example",
        token: "t",
        fetch: async (request) => {
            const { method, headers } = request;
            const body = method === "POST" ? await request.json() : null;
            requests.push({ call: `${method} ${new URL(request.url).pathname}`, key: headers.get("idempotency-key"), body, headers });
            const next = answers.shift();
            // Without an answer the test cannot go on, and fails.
            return next ? next(request) : new Promise(() => {});
        },
    });
    const calls = createMoneyCalls({
        client,
        journal,
        merchant,
        till: "t-1",
        now: () => clock.time,
        isOnline: () => isOnline,
        sleep: async (milliseconds) => {
            waits.push(milliseconds / 1000);
            clock.time += milliseconds;
            await onWait(waits.length);
        },
    });
    const called = () => requests.map(({ call }) => call);
    return { calls, journal, requests, waits, clock, called };
}

/** A call whose answer was lost, and the journal that remembers it. */
async function lost(options) {
    const before = till([dropped], options);
    const attempt = before.calls.redeem(REDEEM);
    assert.equal((await attempt.outcome).kind, "unknown");
    return { ...before, attempt, key: attempt.key };
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
    const { calls, journal, requests } = till([done()]);
    const attempt = calls.redeem(REDEEM, { ref: "QR1" });
    const outcome = await attempt.outcome;
    assert.deepEqual(outcome, { kind: "done", call: "redeem", key: attempt.key, result: REDEEMED, replayed: false });
    assert.equal(requests[0].key, attempt.key);
    assert.equal(requests[0].headers.get("x-expected-merchant"), "m-1");
    const [entry] = await journal.all();
    assert.equal(entry.body, null);
    assert.deepEqual([entry.merchant, entry.till], ["m-1", "t-1"]);
    assert.deepEqual(entry.note, { ref: "QR1" });
    assert.deepEqual(entry.outcome, outcome);
});

test("key and body are in the journal before the call leaves", async () => {
    const journal = createMemoryJournal();
    let journaled;
    const { calls } = till([async () => ((journaled = await journal.all()), answer(200, ISSUED, "yes")())], { journal });
    const attempt = calls.issue({ value: "500" });
    const outcome = await attempt.outcome;
    assert.equal(journaled[0].key, attempt.key);
    assert.deepEqual(journaled[0].body, { value: "500" });
    assert.equal(outcome.result.qrCode, "QR-2");
});

test("without a journal or a connection nothing is sent", async () => {
    const broken = { ...createMemoryJournal(), begin: () => Promise.reject(new Error("full")) };
    const full = till([], { journal: broken });
    assert.deepEqual(await full.calls.redeem(REDEEM).outcome.then(({ kind, reason }) => [kind, reason]), ["notSent", "journal"]);
    const offline = till([], { isOnline: false });
    assert.deepEqual(await offline.calls.redeem(REDEEM).outcome.then(({ kind, reason }) => [kind, reason]), ["notSent", "offline"]);
    assert.equal((await offline.journal.all())[0].outcome.kind, "notSent");
});

// The header alone decides, whatever status and body say.
for (const [name, response, kind] of [
    ["done: yes", done(), "done"],
    ["done: yes, whatever the status", answer(502, "<html>Bad Gateway</html>", "yes"), "done"],
    ["done: yes of a key that has expired", answer(409, { error: "Expired.", code: "KEY_EXPIRED" }, "yes"), "done"],
    ["refused: no", answer(422, blocked, "no"), "refused"],
    ["refused: no, whatever the status", answer(200, REDEEMED, "no"), "refused"],
    ["closed: no, somebody has closed the key", answer(409, { error: "Cancelled.", code: "CANCELLED" }, "no"), "closed"],
    ["closed: no of a key that has expired", answer(409, { error: "Expired.", code: "KEY_EXPIRED" }, "no"), "closed"],
    ["unknown: the API says so", unknownOutcome(), "unknown"],
    ["unknown: the connection died", dropped, "unknown"],
    ["unknown: a load balancer answers like the API", answer(502, { error: "Bad Gateway" }), "unknown"],
    ["unknown: a proxy answers with the network's refusal", answer(422, blocked), "unknown"],
    ["unknown: 200 without the header", answer(200, REDEEMED), "unknown"],
    ["unknown: a header that nobody knows", answer(422, blocked, "perhaps"), "unknown"],
    ["unknown: two headers that disagree", answer(422, blocked, "no, yes"), "unknown"],
    ["unknown: 401", answer(401, { ok: false, error: { message: "No session.", code: "UNAUTHORIZED" } }, "unknown"), "unknown"],
    ["unknown: 403 of a firewall", answer(403, "<html>Forbidden</html>"), "unknown"],
    ["unknown: 409 OTHER_MERCHANT", answer(409, { error: "Other.", code: "OTHER_MERCHANT" }, "unknown"), "unknown"],
    ["unknown: 429 of the gateway", answer(429, { message: "Too Many Requests" }), "unknown"],
    ["unknown: 500", answer(500, { error: "Something went wrong.", code: "INTERNAL_ERROR" }, "unknown"), "unknown"],
    ["unknown: the answer was cut in half", answer(200, '{"ok": true, "da', "yes"), "unknown"],
    ["unknown: another body under this key", answer(422, { error: "Reused.", code: "IDEMPOTENCY_KEY_REUSED" }, "unknown"), "unknown"],
]) {
    test(name, async () => {
        const { calls, journal, requests } = till([response]);
        const outcome = await calls.redeem(REDEEM).outcome;
        assert.equal(outcome.kind, kind);
        const [entry] = await journal.all();
        assert.equal(entry.outcome?.kind ?? "unknown", kind);
        assert.deepEqual(entry.body, kind === "unknown" ? REDEEM : null);
        assert.equal(requests.length, 1);
    });
}

test("the result of a call whose details the API has dropped is null", async () => {
    const { key, journal } = await lost();
    const { calls } = till([operation("SUCCEEDED", null, "yes")], { journal });
    const outcome = await calls.resolveUnknown(key).outcome;
    assert.deepEqual([outcome.kind, outcome.result], ["done", null]);
});

test("not-yet is no refusal: a copy may still move the money, so the call is closed before anything is said", async () => {
    const refusal = answer(503, { error: "Redeem failed", details: { code: "DOWN" } }, "not-yet", { "retry-after": "3" });
    const { calls, called, requests } = till([refusal, cancelled]);
    const attempt = calls.redeem(REDEEM);
    const outcome = await attempt.outcome;
    assert.deepEqual(called(), [REDEEMS, CLOSES]);
    assert.deepEqual(requests[1].body, { kind: "REDEEM", idempotencyKey: attempt.key });
    assert.deepEqual([outcome.kind, outcome.status, outcome.retryAfter], ["refused", 503, 3]);
    assert.deepEqual(outcome.error.details, { code: "DOWN" });
});

test("not-yet, and a copy has moved the money before the closing", async () => {
    const refusal = answer(400, { error: "maxSaleMinor", code: "SALE_LIMIT" }, "not-yet");
    const { calls } = till([refusal, operation("SUCCEEDED", REDEEMED, "yes")]);
    assert.equal((await calls.redeem(REDEEM).outcome).kind, "done");
});

test("not-yet, and the closing got no answer: unknown until one comes, and nothing is sent meanwhile", async () => {
    const refusal = answer(400, { error: "No.", code: "SALE_LIMIT" }, "not-yet");
    const { calls, called } = till([refusal, dropped, dropped, cancelled]);
    const attempt = calls.redeem(REDEEM);
    assert.equal((await attempt.outcome).kind, "unknown");
    const outcome = await attempt.resolveUnknown().outcome;
    assert.deepEqual([outcome.kind, outcome.error.code], ["refused", "SALE_LIMIT"]);
    assert.deepEqual(called(), [REDEEMS, CLOSES, CLOSES, CLOSES]);
});

test("the open screen looks an operation up after Retry-After, then ever more slowly, up to every 30 seconds", async () => {
    const { calls, called, waits } = till([
        unknownOutcome(), ...Array(5).fill(operation("OPEN", null, "unknown")), operation("SUCCEEDED", REDEEMED, "yes"),
    ]);
    const attempt = calls.redeem(REDEEM);
    await attempt.outcome;
    const outcome = await attempt.resolveUnknown().outcome;
    assert.deepEqual(outcome.result, REDEEMED);
    assert.deepEqual(waits, [5, 7.5, 11.25, 16.875, 25.3125, 30]);
    assert.deepEqual(called(), [REDEEMS, ...Array(6).fill(LOOKS_UP)]);
});

test("a look-up that says FAILED is a refusal after no alone", async () => {
    const refusal = { error: "Redeem failed", details: { code: "INSUFFICIENT_FUNDS" } };
    for (const [answers, called] of [
        [[operation("FAILED", refusal, "no")], [REDEEMS, LOOKS_UP]],
        [[operation("FAILED", refusal, "not-yet"), operation("FAILED", refusal, "no")], [REDEEMS, LOOKS_UP, CLOSES]],
        [[operation("FAILED", refusal), operation("FAILED", refusal, "no")], [REDEEMS, LOOKS_UP, LOOKS_UP]],
    ]) {
        const { calls, called: seen } = till([unknownOutcome(), ...answers]);
        const attempt = calls.redeem(REDEEM);
        await attempt.outcome;
        const outcome = await attempt.resolveUnknown().outcome;
        assert.deepEqual([outcome.kind, outcome.error.details], ["refused", { code: "INSUFFICIENT_FUNDS" }]);
        assert.deepEqual(seen(), called);
    }
});

test("a refusal has the code of the API or of the card network, and a sentence", async () => {
    for (const [body, code, sentence] of [
        [{ error: "Redeem failed", details: { code: "CARD_EXPIRED", message: "expired" } }, "CARD_EXPIRED", "The card has expired."],
        [{ error: "Redeem failed", details: { code: "NEW_RULE" } }, "NEW_RULE", "The card network refused it."],
        [{ error: "Redeem failed", details: { code: 17 } }, null, "The card network refused it."],
        [{ error: "Redeem failed", details: "text" }, null, "The card network refused it."],
        [{ error: "More than the limit.", code: "SALE_LIMIT" }, "SALE_LIMIT", "More than the limit."],
        ["<html>", null, "The card network refused it."],
    ]) {
        const { calls } = till([answer(422, body, "no")]);
        const outcome = await calls.redeem(REDEEM).outcome;
        assert.deepEqual([outcome.kind, outcome.code, outcome.sentence], ["refused", code, sentence]);
    }
});

test("amounts of a redemption are numbers or decimal text", async () => {
    const { calls, requests } = till([answer(200, REDEEMED, "yes")]);
    await calls.redeem({ ...REDEEM, redeemAmount: "125.50", purchaseAmount: "199" }).outcome;
    assert.deepEqual([requests[0].body.redeemAmount, requests[0].body.purchaseAmount], [125.5, 199]);
    for (const text of ["", "12,50", "1e3", "-1", " 1", "1.", "12345678901234.56", "NaN"]) {
        assert.throws(() => calls.redeem({ ...REDEEM, redeemAmount: text }), /redeemAmount: must be/, text);
    }
    assert.equal(requests.length, 1);
});

test("without a reference the open screen repeats the same body with the same key, until there is an answer", async () => {
    const { calls, requests } = till([
        dropped,
        inProgress("12"),
        answer(401, { ok: false, error: { message: "No session.", code: "UNAUTHORIZED" } }, "unknown"),
        answer(429, { message: "Too Many Requests" }, undefined, { "retry-after": "40" }),
        done({ "idempotent-replayed": "true" }),
    ]);
    const attempt = calls.redeem(REDEEM);
    assert.equal((await attempt.outcome).kind, "unknown");
    const outcome = await attempt.resolveUnknown().outcome;
    assert.deepEqual([outcome.kind, outcome.replayed], ["done", true]);
    for (const { call, key, body } of requests) assert.deepEqual([call, key, body], [REDEEMS, attempt.key, REDEEM]);
});

test("409 and 429 say how long to wait", async () => {
    const { calls, waits } = till([
        dropped, inProgress("12"), answer(429, { message: "Too Many Requests" }, undefined, { "retry-after": "40" }), done(),
    ]);
    const attempt = calls.redeem(REDEEM);
    await attempt.outcome;
    await attempt.resolveUnknown().outcome;
    assert.deepEqual(waits, [2, 12, 40]);
});

test("a repeat that is refused ends it", async () => {
    const { calls } = till([dropped, answer(422, blocked, "no")]);
    const attempt = calls.redeem(REDEEM);
    await attempt.outcome;
    assert.equal((await attempt.resolveUnknown().outcome).kind, "refused");
});

test("two minutes after the press nothing is sent any more, even on the open screen", async () => {
    const { calls, called, clock } = till([...Array(20).fill(dropped).map((drop, n) => n < 9 ? drop : cancelled)]);
    const attempt = calls.redeem(REDEEM);
    await attempt.outcome;
    const outcome = await attempt.resolveUnknown().outcome;
    assert.equal(outcome.kind, "closed");
    const sent = called().lastIndexOf(REDEEMS);
    assert.deepEqual(called().slice(sent + 1), Array(called().length - sent - 1).fill(CLOSES));
    assert.ok(called().indexOf(CLOSES) > 4 && clock.time > 120_000);
});

for (const [name, days] of [["the next day", 1], ["after a holiday", 30], ["after a year", 365], ["with a clock that was set back", -1]]) {
    test(`the open screen of a device that slept until ${name} closes`, async () => {
        const { calls, clock, called } = till([dropped, cancelled]);
        const attempt = calls.redeem(REDEEM);
        await attempt.outcome;
        clock.time += days * DAY;
        assert.equal((await attempt.resolveUnknown().outcome).kind, "closed");
        assert.deepEqual(called(), [REDEEMS, CLOSES]);
    });
    test(`a journal that is opened ${name} closes`, async () => {
        const { key, journal } = await lost();
        const { calls, called } = till([cancelled], { journal, at: days * DAY });
        assert.equal((await calls.resolveUnknown(key).outcome).kind, "closed");
        assert.deepEqual(called(), [CLOSES]);
    });
}

test("who turns away loses the ability to send for ever: also with a reference the intent is closed", async () => {
    for (const first of [dropped, unknownOutcome({})]) {
        const { calls, called } = till([first, dropped, inProgress("1"), cancelled]);
        const attempt = calls.redeem(REDEEM);
        await attempt.outcome;
        attempt.turnAway();
        assert.equal((await attempt.resolveUnknown().outcome).kind, "closed");
        assert.deepEqual(called(), [REDEEMS, CLOSES, CLOSES, CLOSES]);
    }
});

test("who turns away while the first request is on its way closes it", async () => {
    let drop;
    const { calls, called } = till([() => new Promise((_, reject) => (drop = () => reject(new TypeError("fetch failed")))), cancelled]);
    const attempt = calls.redeem(REDEEM);
    while (!drop) await new Promise(setImmediate);
    attempt.turnAway();
    drop();
    await attempt.outcome;
    assert.equal((await attempt.resolveUnknown().outcome).kind, "closed");
    assert.deepEqual(called(), [REDEEMS, CLOSES]);
});

test("asking now on the open screen looks up, or closes: it never sends", async () => {
    for (const [first, answers, expected] of [
        [dropped, [cancelled], [REDEEMS, CLOSES]],
        [unknownOutcome(), [operation("SUCCEEDED", REDEEMED, "yes")], [REDEEMS, LOOKS_UP]],
    ]) {
        const { calls, called } = till([first, ...answers], { onWait: () => question.askNow() });
        const attempt = calls.redeem(REDEEM);
        await attempt.outcome;
        const question = attempt.resolveUnknown();
        await question.outcome;
        assert.deepEqual(called(), expected);
    }
});

test("what the journal has is closed, whatever the answers: a reload never sends", async () => {
    const { key, journal } = await lost();
    const { calls, requests, called } = till([
        dropped, answer(502, { error: "Bad Gateway" }), unknownOutcome(),
        answer(200, { ok: true, data: { reference: "op-1", kind: "REDEEM", status: "OPEN", result: null } }, "unknown"),
        answer(404, { ok: false, error: { message: "No such operation.", code: "NOT_FOUND" } }, "unknown"),
        answer(503, { error: "Busy." }, "not-yet"), operation("SUCCEEDED", REDEEMED, "yes"),
    ], { journal });
    const outcome = await calls.resolveUnknown(key).outcome;
    assert.deepEqual([outcome.kind, outcome.result], ["done", REDEEMED]);
    assert.deepEqual(called(), Array(7).fill(CLOSES));
    for (const { body, headers } of requests) {
        assert.deepEqual(body, { kind: "REDEEM", idempotencyKey: key });
        assert.equal(headers.get("x-expected-merchant"), "m-1");
        assert.equal(headers.get("idempotency-made-at"), "1970-01-01T00:00:00.000Z");
    }
});

test("a platform administrator's sale for a merchant is closed for that merchant", async () => {
    const { calls, requests } = till([dropped, answer(200, { ok: true, data: { status: "CANCELLED", kind: "ISSUE" } }, "no")], { merchant: null });
    const attempt = calls.issue({ value: "500", merchantId: "m-2" });
    await attempt.outcome;
    attempt.turnAway();
    assert.equal((await attempt.resolveUnknown().outcome).kind, "closed");
    assert.deepEqual(requests[1].body, { kind: "ISSUE", idempotencyKey: attempt.key, merchantId: "m-2" });
    assert.deepEqual(requests.map(({ headers }) => headers.has("x-expected-merchant")), [false, false]);
});

test("an operation that does not exist is asked for by its key", async () => {
    const notFound = answer(404, { ok: false, error: { message: "There is no such operation.", code: "NOT_FOUND" } }, "unknown");
    const { calls, called } = till([unknownOutcome(), notFound, done()]);
    const attempt = calls.redeem(REDEEM);
    await attempt.outcome;
    assert.equal((await attempt.resolveUnknown().outcome).kind, "done");
    assert.deepEqual(called(), [REDEEMS, LOOKS_UP, REDEEMS]);
});

test("two tabs are one till: a card with an open call takes no other, a card that is free does", async () => {
    const { journal, key } = await lost();
    const other = till([done(), cancelled, done()], { journal });
    const busy = await other.calls.redeem(REDEEM).outcome;
    assert.deepEqual([busy.kind, busy.reason], ["notSent", "busy"]);
    assert.equal((await other.calls.redeem({ ...REDEEM, qrCode: "QR-2" }).outcome).kind, "done");
    await other.calls.resolveUnknown(key).outcome;
    assert.equal((await other.calls.redeem(REDEEM).outcome).kind, "done");
});

test("two presses at once in two tabs: one is sent", async () => {
    const journal = createMemoryJournal();
    const tabs = [till([done()], { journal }), till([done()], { journal })];
    const outcomes = await Promise.all(tabs.map(({ calls }) => calls.redeem(REDEEM).outcome));
    assert.deepEqual(outcomes.map(({ kind, reason }) => reason ?? kind).sort(), ["busy", "done"]);
    assert.equal(tabs[0].requests.length + tabs[1].requests.length, 1);
});

test("two refunds of a redemption cannot be open at once", async () => {
    const journal = createMemoryJournal();
    const { calls } = till([dropped], { journal });
    await calls.issue({ value: "10", refundOf: "r-1" }).outcome;
    assert.equal((await calls.issue({ value: "10", refundOf: "r-1" }).outcome).reason, "busy");
});

test("what another tab is closing is not sent again by the screen that is still open", async () => {
    const { journal, attempt, called: sent } = await lost();
    const other = till([dropped], { journal, onWait: () => question.stop() });
    const question = other.calls.resolveUnknown(attempt.key);
    await question.outcome;
    assert.deepEqual(other.called(), []);
    const closing = till([dropped], { journal, onWait: (n) => n === 2 && closed.stop() });
    const closed = closing.calls.resolveUnknown(attempt.key);
    await closed.outcome;
    assert.deepEqual(closing.called(), [CLOSES]);
    void attempt.resolveUnknown();
    while (sent().length < 2) await new Promise(setImmediate);
    assert.deepEqual(sent(), [REDEEMS, CLOSES]);
});

test("what another tab has found out is taken from the journal", async () => {
    const { journal, attempt, called } = await lost();
    const other = till([operation("SUCCEEDED", REDEEMED, "yes")], { journal });
    await other.calls.resolveUnknown(attempt.key).outcome;
    assert.equal((await attempt.resolveUnknown().outcome).kind, "done");
    assert.deepEqual(called(), [REDEEMS]);
});

test("what was begun for another merchant is never sent nor asked for; somebody checks it", async () => {
    const { journal, key } = await lost();
    const other = till([], { journal, merchant: "m-2" });
    const outcome = await other.calls.resolveUnknown(key).outcome;
    assert.deepEqual([outcome.kind, outcome.retryAfter], ["unknown", null]);
    const [entry] = await other.calls.entries();
    assert.equal(other.calls.isOurs(entry), false);
    assert.equal((await other.calls.resolveByHand(key, "Balance is 150.50.")).kind, "byHand");
});

test("after a restore, and for a key that the API cannot explain, somebody has to look", async () => {
    for (const code of ["RESTORED", "KEY_EXPIRED"]) {
        const { journal, key } = await lost();
        const { calls, requests } = till([answer(409, { error: "No.", code }, "unknown")], { journal });
        const outcome = await calls.resolveUnknown(key).outcome;
        assert.deepEqual([outcome.kind, outcome.retryAfter], ["unknown", null]);
        assert.deepEqual((await journal.get(key)).body, REDEEM);
        assert.deepEqual(await calls.resolveUnknown(key).outcome, outcome);
        assert.equal(requests.length, 1, "it is not asked again");
        await assert.rejects(calls.resolveByHand(key, "  "));
        const ended = await calls.resolveByHand(key, " The receipt says it was taken. ");
        assert.deepEqual([ended.kind, ended.sentence], ["byHand", "The receipt says it was taken."]);
        const entry = await journal.get(key);
        assert.deepEqual([entry.outcome, entry.body], [ended, null]);
        assert.equal(await calls.resolveByHand("nobody", "."), null);
    }
});

test("a key that the API has forgotten by now is not closed as if it were new", async () => {
    const { journal, key } = await lost();
    const { calls } = till([], { journal, at: 2 * 365 * DAY });
    assert.equal((await calls.resolveUnknown(key).outcome).retryAfter, null);
});

test("an answer that could not be written is known at once, and written later", async () => {
    const journal = createMemoryJournal();
    let failures = 3;
    const change = (key, edit) => failures-- > 0 ? Promise.reject(new Error("full")) : journal.change(key, edit);
    let isWritten;
    const written = new Promise((resolve) => (isWritten = resolve));
    const { calls } = till([done()], { journal: { ...journal, change: (...edit) => change(...edit).then((entry) => (isWritten(), entry)) } });
    const attempt = calls.redeem(REDEEM);
    assert.equal((await attempt.outcome).kind, "done");
    assert.equal((await calls.entries())[0].outcome.kind, "done");
    assert.equal((await calls.resolveUnknown(attempt.key).outcome).kind, "done");
    await written;
    assert.equal((await journal.get(attempt.key)).outcome.kind, "done");
});

test("a journal that fails after the press: the screen closes what it cannot note", async () => {
    const journal = createMemoryJournal();
    let isBroken = false;
    const fail = (name) => (...rest) => isBroken ? Promise.reject(new Error("gone")) : journal[name](...rest);
    const { calls, called } = till([() => ((isBroken = true), dropped()), cancelled], { journal: { ...journal, change: fail("change"), get: fail("get") } });
    const attempt = calls.redeem(REDEEM);
    await attempt.outcome;
    assert.equal((await attempt.resolveUnknown().outcome).kind, "closed");
    isBroken = false;
    assert.deepEqual(called(), [REDEEMS, CLOSES]);
});

test("a call says when it was made by the clock of the API, in each repeat", async () => {
    const date = { date: "Mon, 05 Jan 2026 10:00:00 GMT" };
    const { calls, requests } = till([done(date), dropped, dropped, cancelled], { at: 1_000 });
    await calls.redeem(REDEEM).outcome;
    assert.equal(requests[0].headers.get("idempotency-made-at"), "1970-01-01T00:00:01.000Z", "no answer yet: its own clock");
    const attempt = calls.redeem(REDEEM);
    await attempt.outcome;
    const question = attempt.resolveUnknown({ onWait: ({ entry }) => entry.steps.length > 3 && attempt.turnAway() });
    assert.equal((await question.outcome).kind, "closed");
    for (const request of requests.slice(1)) {
        assert.equal(request.headers.get("idempotency-made-at"), "2026-01-05T10:00:00.000Z");
    }
});

test("stop ends the asking", async () => {
    const { journal, key } = await lost();
    const { calls } = till([], { journal, onWait: () => question.stop() });
    const question = calls.resolveUnknown(key);
    assert.equal(await question.outcome, null);
});

test("a journal that is deleted while a call is on its way has it again, open or ended", async () => {
    for (const [answers, kind] of [[[done()], "done"], [[unknownOutcome()], "unknown"]]) {
        const journal = createMemoryJournal();
        const { calls } = till([() => journal.all().then(([{ key }]) => journal.remove(key)).then(answers[0])], { journal });
        const outcome = await calls.redeem(REDEEM).outcome;
        assert.equal(outcome.kind, kind);
        const entries = await calls.entries();
        assert.deepEqual(entries.map((entry) => entry.outcome?.kind ?? "unknown"), [kind]);
        assert.deepEqual((await journal.all()).map(({ key }) => key), [outcome.key]);
    }
});

test("a call whose entry was deleted is closed, not sent again", async () => {
    const journal = createMemoryJournal();
    const machine = till([dropped, cancelled], { journal });
    const attempt = machine.calls.redeem(REDEEM);
    const { key } = await attempt.outcome;
    await machine.calls.entries();
    await journal.remove(key);
    assert.equal((await attempt.resolveUnknown().outcome).kind, "closed");
    assert.deepEqual(machine.requests.map(({ call }) => call), [REDEEMS, CLOSES]);
});
