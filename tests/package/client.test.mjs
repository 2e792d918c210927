// What createPortalClient sends.

import assert from "node:assert/strict";
import test from "node:test";
import { createPortalClient } from "../../clients/typescript/index.js";

/** A client with these options, and the requests that it sends. */
function client(options) {
    const requests = [];
    const fetch = async (request) => (requests.push(request), new Response(JSON.stringify({ ok: true, data: {} })));
    return { client: createPortalClient({ baseUrl: "https://api.example", token: "t", fetch, ...options }), requests };
}

const expected = (requests) => requests.map(({ headers }) => headers.get("x-expected-merchant"));

test("writes name the merchant that the program acts for, reads do not", async () => {
    for (const [expectedMerchant, name] of [["m-1", "m-1"], [() => "m-2", "m-2"], [() => null, null], [undefined, null]]) {
        const { client: portal, requests } = client({ expectedMerchant });
        await portal.GET("/api/auth/session");
        await portal.POST("/api/bff/pos/redeem", { body: {} });
        await portal.PATCH("/api/auth/session/user", { body: {} });
        await portal.DELETE("/api/auth/session");
        assert.deepEqual(expected(requests), [null, name, name, name]);
    }
});

test("the function is asked at each write", async () => {
    let merchant = "m-1";
    const { client: portal, requests } = client({ expectedMerchant: () => merchant });
    await portal.DELETE("/api/auth/session");
    merchant = "m-2";
    await portal.DELETE("/api/auth/session");
    assert.deepEqual(expected(requests), ["m-1", "m-2"]);
});

test("a write that names a merchant itself keeps it", async () => {
    const { client: portal, requests } = client({ expectedMerchant: "m-1" });
    await portal.DELETE("/api/auth/session", { headers: { "X-Expected-Merchant": "m-2" } });
    assert.deepEqual(expected(requests), ["m-2"]);
});

test("the client's signal ends requests that have none of their own", async () => {
    const ended = new AbortController();
    const own = new AbortController();
    const { client: portal, requests } = client({ signal: ended.signal });
    await portal.GET("/api/auth/session");
    await portal.GET("/api/auth/session", { signal: own.signal });
    ended.abort();
    assert.deepEqual(requests.map(({ signal }) => signal.aborted), [true, false]);
    own.abort();
    assert.deepEqual(requests.map(({ signal }) => signal.aborted), [true, true]);
});
