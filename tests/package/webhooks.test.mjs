// Which messages are genuine: the package against the library of Standard Webhooks, which has code of its own for all of it.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import test, { mock } from "node:test";
import { verifyWebhook, WebhookError } from "../../clients/typescript/webhooks.js";

// .ci/package installs it.
const require = createRequire(join(import.meta.dirname, "../../target/package-tools/package.json"));
const { Webhook } = require("standardwebhooks");

const NOW = 1_767_700_800; // seconds
const ID = "msg_01JQ3V5N8Z6T7W9X2Y4A0B1C3D";
const secretOf = (text) => `whsec_${Buffer.from(text).toString("base64")}`;
const SECRET = secretOf("a key of 32 bytes, as is usual..");
const OTHER = secretOf("another key of 32 bytes, likewise");
const MESSAGE = {
    type: "gift_card.redeemed",
    timestamp: "2026-01-06T12:00:00Z",
    merchantId: "m-1",
    test: false,
    data: { redemptionId: "r-1", amountMinor: 12_550, currency: "SEK", store: { id: "s-1", name: "Åhléns 🎁" } },
};
const BODY = JSON.stringify(MESSAGE);

mock.timers.enable({ apis: ["Date"], now: NOW * 1000 });

const sign = (id, time, body, secret = SECRET) => new Webhook(secret).sign(id, new Date(time * 1000), body);

/** Headers of a message that the library has signed. */
function headersOf(body = BODY, { id = ID, time = NOW, secret = SECRET } = {}) {
    return { "webhook-id": id, "webhook-timestamp": `${time}`, "webhook-signature": sign(id, time, body, secret) };
}

/** The same without the library, which signs text alone. */
function headersByHand(body, id = ID, time = NOW) {
    const hmac = createHmac("sha256", Buffer.from(SECRET.slice("whsec_".length), "base64"));
    const signature = hmac.update(`${id}.${time}.`).update(body).digest("base64");
    return { "webhook-id": id, "webhook-timestamp": `${time}`, "webhook-signature": `v1,${signature}` };
}

/** The id of a genuine message, or the code of the error. */
async function verdict(headers, body = BODY, secret = SECRET, options = {}) {
    try {
        return (await verifyWebhook(headers, body, secret, options)).id;
    } catch (error) {
        if (!(error instanceof WebhookError)) throw error;
        assert.equal(error.name, "WebhookError");
        const secrets = [secret].flat().map((text) => String(text).replace("whsec_", "")).filter((text) => text.length > 4);
        for (const text of [...secrets, "m-1", "hlén"]) assert.ok(!error.message.includes(text), error.message);
        assert.equal(error.cause, undefined);
        return error.code;
    }
}

/** Whether the library takes it for genuine. */
function isGenuine(headers, body, secret) {
    try {
        new Webhook(secret).verify(typeof body === "string" ? body : Buffer.from(body), headers, { jsonParse: false });
        return true;
    } catch {
        return false;
    }
}

test("the example of Standard Webhooks is signed, and no message of this API", async () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const options = { now: () => 1_614_265_330_000 };
    const headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    assert.equal(await verdict(headers, '{"test": 2432232314}', secret, options), "BODY");
    assert.equal(await verdict(headers, '{"test": 2432232315}', secret, options), "SIGNATURE");
});

test("what the library signs is returned as it was written", async () => {
    assert.deepEqual(await verifyWebhook(headersOf(), BODY, SECRET), { ...MESSAGE, id: ID });
    for (const length of [24, 31, 32, 33, 64, 65, 100]) {
        const secret = secretOf("k".repeat(length));
        assert.equal(await verdict(headersOf(BODY, { secret }), BODY, secret), ID, `${length}`);
    }
});

test("random messages have the verdict of the library, whole or with one bit changed", async () => {
    let seed = 1;
    const random = (limit) => (seed = (seed * 48_271) % 2_147_483_647) % limit;
    for (let round = 0; round < 300; round++) {
        const text = String.fromCodePoint(...Array.from({ length: random(40) }, () => random(0xd7ff)));
        const body = Buffer.from(JSON.stringify({ ...MESSAGE, data: { text } }));
        const id = `msg_${random(1e9)}`;
        const time = NOW - 400 + random(800);
        const headers = headersByHand(body, id, time);
        if (round % 2) body[random(body.length)] ^= 1 << random(8);
        assert.equal((await verdict(headers, body)) === id, isGenuine(headers, body, SECRET), `round ${round}`);
    }
});

const without = (name) => Object.fromEntries(Object.entries(headersOf()).filter(([other]) => other !== name));
const withHeader = (name, value) => ({ ...headersOf(), [name]: value });
const signature = sign(ID, NOW, BODY);
const otherSignature = sign(ID, NOW, BODY, OTHER);
const signedWith = (value) => withHeader("webhook-signature", value);

// Name, headers, verdict, and optionally the body, the secret, and `differs` where the library, on purpose, is not asked.
const CASES = [
    ["genuine", headersOf(), ID],
    ["no webhook-id", without("webhook-id"), "MISSING_HEADER"],
    ["no webhook-timestamp", without("webhook-timestamp"), "MISSING_HEADER"],
    ["no webhook-signature", without("webhook-signature"), "MISSING_HEADER"],
    ["an empty webhook-id", withHeader("webhook-id", ""), "MISSING_HEADER"],
    ["an empty webhook-signature", signedWith(""), "MISSING_HEADER"],
    ["another id", withHeader("webhook-id", `${ID.slice(0, -1)}E`), "SIGNATURE"],
    ["another time", withHeader("webhook-timestamp", `${NOW + 1}`), "SIGNATURE"],
    ["a byte of the body is another", headersOf(), "SIGNATURE", { body: BODY.replace("12550", "92550") }],
    ["a byte more", headersOf(), "SIGNATURE", { body: `${BODY} ` }],
    ["id and body moved", { ...headersOf("b.c"), "webhook-id": `${ID}.${NOW}` }, "SIGNATURE", { body: "c" }],
    ["300 seconds old", headersOf(BODY, { time: NOW - 300 }), ID],
    ["301 seconds old", headersOf(BODY, { time: NOW - 301 }), "TIMESTAMP"],
    ["300 seconds ahead", headersOf(BODY, { time: NOW + 300 }), ID],
    ["301 seconds ahead", headersOf(BODY, { time: NOW + 301 }), "TIMESTAMP"],
    ...["soon", "NaN", "-1", "Infinity"].map((time) => [`time ${time}`, withHeader("webhook-timestamp", time), "TIMESTAMP"]),
    // The library reads the number at the start.
    ...["1e9", "0x1", `${NOW}.5`, ` ${NOW}`].map((time) => [`time ${time}`, withHeader("webhook-timestamp", time), "TIMESTAMP", { differs: true }]),
    ["of another secret", headersOf(BODY, { secret: OTHER }), "SIGNATURE"],
    ["another secret's first", signedWith(`${otherSignature} ${signature}`), ID],
    ["another secret's second", signedWith(`${signature} ${otherSignature}`), ID],
    ["two of another secret", signedWith(`${otherSignature} ${otherSignature}`), "SIGNATURE"],
    ["many", signedWith(`${`${otherSignature} `.repeat(50)}${signature}`), ID],
    ["unknown versions before and after", signedWith(`v1a,AAAA v2,${signature.slice(3)} ${signature} v3`), ID],
    ["as v1a alone", signedWith(signature.replace("v1,", "v1a,")), "SIGNATURE"],
    ["as V1", signedWith(signature.replace("v1,", "V1,")), "SIGNATURE"],
    ["without a version", signedWith(signature.slice(3)), "SIGNATURE"],
    ["nothing after the version", signedWith("v1,"), "SIGNATURE"],
    ["nothing but spaces", signedWith("   "), "SIGNATURE"],
    ["half of it", signedWith(signature.slice(0, 25)), "SIGNATURE"],
    ["no length of base64", signedWith(signature.slice(0, 24)), "SIGNATURE"],
    ["no base64", signedWith("v1,%%%%"), "SIGNATURE"],
    ["a byte more in the signature", signedWith(`v1,${Buffer.concat([Buffer.from(signature.slice(3), "base64"), Buffer.of(0)]).toString("base64")}`), "SIGNATURE"],
    ["no base64 before a good one", signedWith(`v1,%%%% ${signature}`), ID],
    ["bytes", headersOf(), ID, { body: new TextEncoder().encode(BODY) }],
    ["a Buffer", headersOf(), ID, { body: Buffer.from(BODY) }],
    ["bytes within others", headersOf(), ID, { body: Buffer.from(`..${BODY}..`).subarray(2, -2) }],
    ["an ArrayBuffer", headersOf(), ID, { body: new TextEncoder().encode(BODY).buffer, differs: true }],
    ["a body that was parsed", headersOf(), "SIGNATURE", { body: MESSAGE, differs: true }],
    ["a body that was parsed and written again", headersOf(`${BODY}\n`), "SIGNATURE"],
    ["two secrets, of the first", headersOf(), ID, { secret: [SECRET, OTHER] }],
    ["two secrets, of the second", headersOf(), ID, { secret: [OTHER, SECRET] }],
    ["two other secrets", headersOf(), "SIGNATURE", { secret: [OTHER, OTHER] }],
    ["no secret in a list", headersOf(), "SECRET", { secret: [] }],
    ["one of two secrets is none", headersOf(), "SECRET", { secret: [SECRET, "whsec_"] }],
    ...[[undefined], null, "", "whsec_", SECRET.slice(6), SECRET.toUpperCase(), `${SECRET}%`, secretOf("k".repeat(23)), 7, {}].map(
        (secret) => [`the secret ${JSON.stringify(secret)}`, headersOf(), "SECRET", { secret, differs: true }],
    ),
];

for (const [name, headers, expected, { body = BODY, secret = SECRET, differs = false } = {}] of CASES) {
    test(`verdict: ${name}`, async () => {
        assert.equal(await verdict(headers, body, secret), expected);
        if (differs || expected === "SECRET") return;
        assert.equal([secret].flat().some((one) => isGenuine(headers, body, one)), expected === ID);
    });
}

test("headers may have any form and any letter case", async () => {
    const headers = headersOf();
    const pairs = Object.entries(headers);
    const upper = pairs.map(([name, value]) => [name.toUpperCase(), value]);
    for (const [name, given] of [
        ["Headers", new Headers(headers)],
        ["those of a Request", new Request("https://receiver.example", { headers }).headers],
        ["an object", headers],
        ["upper case", Object.fromEntries(upper)],
        ["mixed case", Object.fromEntries(pairs.map(([key, value]) => [key.replace("webhook-", "Webhook-"), value]))],
        ["lists, as Node may have them", Object.fromEntries(pairs.map(([key, value]) => [key, [value]]))],
        ["pairs", pairs],
        ["pairs in upper case", upper],
        ["a Map", new Map(pairs)],
        ["a generator", (function* () { yield* pairs; })()],
        ["among others", { accept: "*/*", "set-cookie": ["a", "b"], "x-none": undefined, ...headers }],
        ["without a prototype", Object.assign(Object.create(null), headers)],
    ]) {
        assert.equal(await verdict(given), ID, name);
    }
    assert.equal(await verdict({}), "MISSING_HEADER");
    assert.equal(await verdict([]), "MISSING_HEADER");
    assert.equal(await verdict({ ...headers, "webhook-id": undefined }), "MISSING_HEADER");
    assert.equal(await verdict(Object.create(headers)), "MISSING_HEADER", "inherited");
});

test("a header that was sent twice is the same in every form", async () => {
    for (const [name, second, expected] of [
        ["webhook-id", ID, "SIGNATURE"],
        ["webhook-timestamp", `${NOW}`, "TIMESTAMP"],
        ["webhook-signature", signature, ID],
        ["webhook-signature", otherSignature, ID],
        ["webhook-signature", "v2,AAAA", ID],
    ]) {
        for (const values of [[headersOf()[name], second], [second, headersOf()[name]]]) {
            const pairs = [...Object.entries(without(name)), ...values.map((value) => [name, value])];
            const what = `${name}: ${values}`;
            assert.equal(await verdict(pairs), expected, what);
            assert.equal(await verdict(new Headers(pairs)), expected, what);
            assert.equal(await verdict({ ...without(name), [name]: values }), expected, what);
            assert.equal(await verdict({ ...without(name), [name]: values[0], [name.toUpperCase()]: values[1] }), expected, what);
        }
    }
});

test("the tolerance and the clock are the caller's", async () => {
    const at = (seconds) => ({ now: () => (NOW + seconds) * 1000 });
    for (const [options, expected] of [
        [{ ...at(10), toleranceSeconds: 10 }, ID],
        [{ ...at(11), toleranceSeconds: 10 }, "TIMESTAMP"],
        [{ ...at(-11), toleranceSeconds: 10 }, "TIMESTAMP"],
        [at(300.5), "TIMESTAMP"],
        [{ ...at(1e6), toleranceSeconds: Infinity }, ID],
        [{ toleranceSeconds: 0 }, ID],
        // Refused rather than unlimited.
        [{ toleranceSeconds: NaN }, "TIMESTAMP"],
        [{ now: () => NaN }, "TIMESTAMP"],
        [{ toleranceSeconds: undefined, now: undefined, isHandled: undefined }, ID],
    ]) {
        assert.equal(await verdict(headersOf(), BODY, SECRET, options), expected, JSON.stringify(options));
    }
});

test("what is signed but no message", async () => {
    const broken = (fields) => JSON.stringify({ ...MESSAGE, ...fields });
    for (const body of [
        "", " ", "{", "null", "[]", "1", '"text"', "{}", `${BODY}${BODY}`, `[${BODY}]`, BODY.replaceAll('"', "'"),
        broken({ type: undefined }), broken({ type: 1 }), broken({ timestamp: 1 }), broken({ merchantId: null }),
        broken({ test: "false" }), broken({ test: undefined }), broken({ data: null }), broken({ data: [] }), broken({ data: "text" }),
    ]) {
        assert.equal(await verdict(headersOf(body), body), "BODY", body);
    }
    const noUtf8 = Buffer.from(BODY.replace("m-1", "m-ÿ"), "latin1");
    assert.equal(await verdict(headersByHand(noUtf8), noUtf8), "BODY");
    assert.equal(await verdict(headersOf(), ""), "SIGNATURE");
    assert.equal(await verdict(headersOf(), new Uint8Array()), "SIGNATURE");
});

test("unknown types and fields pass", async () => {
    const body = JSON.stringify({ ...MESSAGE, type: "till.sung", song: "La", id: "of the body", data: { new: [1] } });
    assert.deepEqual(await verifyWebhook(headersOf(body), body, SECRET), { ...JSON.parse(body), id: ID });
});

test("names in a body change no prototype", async () => {
    const data = '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "a": [{"__proto__": {"polluted": 1}}]}';
    const body = BODY.replace(/"data":.*/, `"__proto__": {"polluted": 1, "type": "payout.paid"}, "data": ${data}}`);
    const message = await verifyWebhook(headersOf(body), body, SECRET);
    const copy = Object.assign({}, message, message.data, message.data.a[0]);
    for (const object of [{}, message, message.data, message.data.a[0], copy]) assert.equal(object.polluted, undefined);
    assert.equal(Object.getPrototypeOf(message), Object.prototype);
    assert.equal(message.type, "gift_card.redeemed");
    assert.ok(!JSON.stringify(message).includes("__proto__"));
    // Without the fields, those of a prototype do not stand in.
    const empty = `{"__proto__": ${BODY}}`;
    assert.equal(await verdict(headersOf(empty), empty), "BODY");
});

test("a message that has been handled is repeated, and only genuine ones are asked about", async () => {
    const asked = [];
    const isHandled = (id) => (asked.push(id), id !== ID);
    const other = "msg_other";
    assert.equal(await verdict(headersOf(), BODY, SECRET, { isHandled }), ID);
    assert.equal(await verdict(headersOf(BODY, { id: other }), BODY, SECRET, { isHandled }), "REPEATED");
    assert.equal(await verdict(headersOf(BODY, { id: other }), BODY, SECRET, { isHandled: async () => true }), "REPEATED");
    assert.deepEqual(asked, [ID, other]);
    assert.equal(await verdict(headersOf(), `${BODY} `, SECRET, { isHandled }), "SIGNATURE");
    assert.equal(await verdict(headersOf(BODY, { time: 1 }), BODY, SECRET, { isHandled }), "TIMESTAMP");
    assert.equal(await verdict(headersOf("{}"), "{}", SECRET, { isHandled }), "BODY");
    assert.deepEqual(asked, [ID, other]);
});

test("a store that fails is no verdict, and a message whose handling failed is new again", async () => {
    const failure = new Error("no connection");
    const isHandled = () => Promise.reject(failure);
    await assert.rejects(verifyWebhook(headersOf(), BODY, SECRET, { isHandled }), failure);

    const done = new Set();
    const receive = async (handle) => {
        const { id } = await verifyWebhook(headersOf(), BODY, SECRET, { isHandled: (id) => done.has(id) });
        await handle();
        done.add(id);
    };
    await assert.rejects(receive(() => Promise.reject(failure)), failure);
    await receive(async () => {});
    await assert.rejects(receive(assert.fail), { code: "REPEATED", status: 200 });
});

test("neither a Buffer nor a module of Node is used", async () => {
    const { Buffer, process } = globalThis;
    const [headers, wrong] = [headersOf(), headersOf(BODY, { secret: OTHER })];
    delete globalThis.Buffer;
    delete globalThis.process;
    const verified = await Promise.allSettled([verifyWebhook(headers, BODY, SECRET), verifyWebhook(wrong, BODY, SECRET)]);
    Object.assign(globalThis, { Buffer, process });
    assert.deepEqual(verified.map(({ value, reason }) => value?.id ?? reason.code), [ID, "SIGNATURE"]);
});
