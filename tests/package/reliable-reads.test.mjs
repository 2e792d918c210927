// Reads are repeated, writes never. No network, and no waiting: the waits are counted instead.

import assert from "node:assert/strict";
import test from "node:test";
import { reliableReads } from "../../clients/typescript/reliable-reads.js";

const URL = "https://api.example/api/auth/session";
const answer = (status, headers = {}) => () => new Response(`${status}`, { status, headers });
const noConnection = () => {
    throw new TypeError("fetch failed");
};
const brokenBody = () =>
    new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) }), { status: 200 });
/** Never answers. */
const silence = ({ signal }) =>
    new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason));
    });

/** Sends a request to an API that gives these answers in turn. */
async function send(answers, { method = "GET", signal, random = 0, onWait, ...options } = {}) {
    const waits = [];
    let count = 0;
    const fetch = reliableReads({
        fetch: async (request) => {
            const next = answers[count++];
            assert.ok(next, "a request too many");
            return next(request);
        },
        sleep: async (milliseconds) => {
            waits.push(milliseconds);
            onWait?.();
        },
        random: () => random,
        ...options,
    });
    const request = new Request(URL, { method, signal, ...(method !== "GET" && { body: "{}" }) });
    const result = await fetch(request).then((response) => response.text(), (error) => error.name);
    return { result, count, waits };
}

test("what is repeated, and after what wait", async () => {
    const again = answer(503);
    for (const [name, answers, expected, options] of [
        ["a success", [answer(200)], { result: "200", waits: [] }],
        ...[400, 401, 403, 404, 409, 422, 500, 501].map((status) =>
            [`status ${status}`, [answer(status)], { result: `${status}`, waits: [] }]),
        ...[429, 502, 503, 504].map((status) =>
            [`status ${status}`, [answer(status), answer(200)], { result: "200", waits: [400] }]),
        ["no connection", [noConnection, answer(200)], { result: "200", waits: [400] }],
        ["a body that breaks off", [brokenBody, answer(200)], { result: "200", waits: [400] }],
        ["longer each time", [again, again, again, answer(200)], { result: "200", waits: [400, 800, 1600] }, { attempts: 4 }],
        ["three attempts", [again, again, answer(502)], { result: "502", waits: [400, 800] }],
        ["three attempts without a connection", [noConnection, noConnection, noConnection], { result: "TypeError", waits: [400, 800] }],
        ["one attempt", [again], { result: "503", waits: [] }, { attempts: 1 }],
        ["Retry-After", [answer(429, { "retry-after": "3" }), answer(200)], { result: "200", waits: [3000] }],
        ["Retry-After is the least", [answer(429, { "retry-after": "3" }), answer(200)], { result: "200", waits: [4500] }, { random: 1 }],
        ["Retry-After: 0", [answer(503, { "retry-after": "0" }), answer(200)], { result: "200", waits: [400] }],
        ["a wait that is too long", [answer(429, { "retry-after": "600" })], { result: "429", waits: [] }],
        ["at most so long", [again, answer(200)], { result: "200", waits: [500] }, { random: 1, maxWait: 500 }],
    ]) {
        assert.deepEqual(await send(answers, options), { ...expected, count: answers.length }, name);
    }
});

test("a write is sent once, whatever becomes of it", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        assert.deepEqual(await send([answer(503)], { method }), { result: "503", count: 1, waits: [] });
        assert.deepEqual(await send([noConnection], { method }), { result: "TypeError", count: 1, waits: [] });
    }
});

test("an attempt without an answer ends, and is repeated", async () => {
    assert.deepEqual(await send([silence, answer(200)], { timeout: 1 }), { result: "200", count: 2, waits: [400] });
    assert.deepEqual(await send([silence, silence], { timeout: 1, attempts: 2 }), { result: "TimeoutError", count: 2, waits: [400] });
});

test("whoever asked can end it: before, while it is answered, and in a wait", async () => {
    assert.deepEqual(await send([], { signal: AbortSignal.abort() }), { result: "AbortError", count: 0, waits: [] });

    const meanwhile = new AbortController();
    const abort = (request) => (meanwhile.abort(), silence(request));
    assert.deepEqual(await send([abort], { signal: meanwhile.signal }), { result: "AbortError", count: 1, waits: [] });

    const inAWait = new AbortController();
    const options = { signal: inAWait.signal, onWait: () => inAWait.abort() };
    assert.deepEqual(await send([answer(503)], options), { result: "AbortError", count: 1, waits: [400] });
});

test("an answer keeps its status, headers and body", async () => {
    const fetch = reliableReads({ fetch: async () => new Response(null, { status: 204, headers: { "x-request-id": "r-1" } }) });
    const response = await fetch(new Request(URL));
    assert.deepEqual([response.status, response.headers.get("x-request-id"), await response.text()], [204, "r-1", ""]);
});
