// The clients as a deployment publishes and serves them: what differs from the local system's own origins.

import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, test as testOnce } from "node:test";
import { loaded, NOBODY, show } from "./dashboard.mjs";
import { publish } from "./published.mjs";
import { api, checkAccess, drain, expectProblem, mail, openPage, signIn, urls } from "./support.mjs";
import { balance, button, enter, heading, newCard, openTill } from "./till-support.mjs";

/** @type {Awaited<ReturnType<typeof publish>>} */
let published;
/** The origins of the local system's own clients. */
let local;

/** Publishes them once, before the first test: then the local system runs. */
const ready = () => (publishing ??= (async () => {
    local = { ...urls };
    published = await publish(urls.api);
    Object.assign(urls, published.urls);
})());
let publishing;
after(() => published?.close());

const test = (name, run) => testOnce(name, async (context) => {
    await ready();
    await run(context);
});

const SECURITY = ["content-security-policy", "x-content-type-options", "referrer-policy", "cross-origin-opener-policy",
    "cross-origin-resource-policy", "access-control-allow-origin"];

/** Status and headers of a file, and its text. */
async function get(url, headers = {}) {
    const response = await fetch(url, { headers, redirect: "manual" });
    const of = (name) => response.headers.get(name);
    return { status: response.status, type: of("content-type")?.split(";")[0], caching: of("cache-control"),
        security: Object.fromEntries(SECURITY.map((name) => [name, of(name)])), header: of, text: await response.text() };
}

/** The first file of the dashboard's release, such as /v/1a2b3c4d/app.js. */
const scriptOf = ({ text }) => /src="(\/v\/[0-9a-f]{8}\/app\.js)"/.exec(text)[1];

test("every file has the type and the headers that it has locally", async () => {
    const widget = JSON.parse((await get(`${local.api}/widget/1/release.json`)).text);
    const files = [
        ...["/", "/orders/o-1", "/invite", "/config.js"].map((path) => [urls.dashboard + path, local.dashboard + path]),
        ...["/", "/worker.js", "/manifests/sv.webmanifest", "/apple-touch-icon.png", "/icon.svg", "/till.css", "/kit/vendor/lit.js", "/config.js"]
            .map((path) => [urls.till + path, local.till + path]),
        ...["1", widget.version].flatMap((version) => ["gift-card-widget.js", "sv.ftl"].map((name) => `/widget/${version}/${name}`))
            .map((path) => [urls.widget + path, local.api + path]),
        [`${urls.storefront}/aurora-coffee`, `${local.storefront}/aurora-coffee`],
    ];
    for (const [one, other] of files) {
        const [deployed, ours] = await Promise.all([one, other].map((url) => get(url, { origin: "http://localhost:1" })));
        const shown = ({ status, type, caching, security }) => ({ status, type, caching, security });
        assert.deepEqual(shown(deployed), shown(ours), one);
        assert.equal(deployed.header("strict-transport-security"), "max-age=31536000", one);
    }
    const kept = await get(urls.dashboard + scriptOf(await get(urls.dashboard)));
    assert.deepEqual([kept.type, kept.caching], ["text/javascript", "public, max-age=31536000, immutable"]);
});

test("a missing file is a page that says so, and no page of the client", async () => {
    for (const url of [`${urls.dashboard}/none.js`, `${urls.dashboard}/v/00000000/app.js`, `${urls.till}/none.css`, `${urls.widget}/widget/9/x.js`]) {
        const { status, type, text } = await get(url);
        assert.deepEqual([status, type], [404, "text/html"], url);
        assert.match(text, /There is nothing at this address/);
    }
    const page = await openPage({ expected: [/404 GET .*none\.html/] });
    await page.goto(`${urls.dashboard}/none.html`);
    await page.getByRole("heading", { name: "Not found" }).waitFor();
    await checkAccess(page);
});

test("the pages know the addresses of the deployment", async () => {
    for (const client of ["dashboard", "till"]) {
        const { text } = await get(`${urls[client]}/config.js`);
        const config = JSON.parse(text.replace("export const config = ", "").replace(/;\n$/, ""));
        const { dashboard, till, widget, storefront } = urls;
        assert.deepEqual(config, { api: local.api, dashboard, till, widget, storefront, terms: "", privacy: "" });
    }
});

test("files come before the pages that ask for them, and CloudFront forgets what it had last", async () => {
    const calls = await published.calls();
    const order = calls.map(({ put, invalidated }) => put ?? invalidated);
    const at = (name) => order.findIndex((call) => name instanceof RegExp ? name.test(call) : name === call);
    const last = (pattern) => order.findLastIndex((call) => pattern.test(call));
    for (const [earlier, later] of [
        [last(/^dashboard\/v\//), at("dashboard/config.js")],
        [at("dashboard/config.js"), at("dashboard/index.html")],
        [last(/^till\/(?!.*\.html)/), at("till/index.html")],
        [at("widget/widget/1/sv.ftl"), at("widget/widget/1/gift-card-widget.js")],
        [last(/\//), at("Dashboard")],
    ]) {
        assert.ok(earlier >= 0 && earlier < later, `${earlier} ${later} of ${order}`);
    }
    assert.deepEqual(calls.filter(({ invalidated }) => invalidated),
        ["Dashboard", "Till", "Widget"].map((invalidated) => ({ invalidated, paths: "/*" })));
});

test("the files of earlier releases stay for a month after the next one", async () => {
    const releases = join(published.bucket, "dashboard/v");
    const [current] = await readdir(releases);
    const file = await readFile(join(releases, current, "app.js.object"), "utf8");
    const daysAgo = (days) => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
    for (const [release, days] of [["0000000a", 300], ["0000000b", 40], ["0000000c", 20]]) {
        await mkdir(join(releases, release));
        await writeFile(join(releases, release, "app.js.object"), JSON.stringify({ ...JSON.parse(file), modified: daysAgo(days) }));
    }
    await published.publishAgain();
    // The second was replaced 20 days ago, although it was published 40 days ago.
    assert.deepEqual((await readdir(releases)).sort(), ["0000000b", "0000000c", current].sort());
});

test("the dashboard signs in, loads pages by and by, and has them all on the second visit", async () => {
    const page = await openPage();
    await signIn(page, "u-anna");
    await show(page, "/overview", "Overview");
    await page.getByRole("link", { name: "Orders" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
    await loaded(page);
    await page.unrouteAll(); // a page whose requests are watched has no cache
    await show(page, "/orders", "Orders");
    await show(page, "/orders", "Orders");
    const files = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name, transferSize }) => [new URL(name).pathname, transferSize]));
    const kept = files.filter(([path]) => path.startsWith("/v/"));
    assert.ok(kept.length > 20, `${kept.length}`);
    assert.deepEqual(kept.filter(([, size]) => size > 0), []);
});

test("nobody is signed in at first", async () => {
    const page = await openPage({ expected: [NOBODY] });
    await page.goto(urls.dashboard);
    await page.getByLabel("E-mail address").waitFor();
    await checkAccess(page);
});

test("the mailed link of an invitation opens the dashboard", async () => {
    const { token } = await api("POST", "/__local/sessions", { userId: "u-lena" });
    const headers = { authorization: `Bearer ${token}` };
    const me = (await api("GET", "/api/auth/session", undefined, headers)).data.user.email;
    const newest = async (address) => {
        await drain();
        return (await mail()).findLast(({ to }) => to.includes(address)).text;
    };
    const noah = (await api("GET", "/api/auth/session", undefined, { authorization: `Bearer ${(await api("POST", "/__local/sessions", { userId: "u-noah" })).token}` })).data.user.email;
    const invited = { email: noah, firstName: "Noah", lastName: "Grant", merchantTeamRole: "VIEWER" };
    const { data } = await api("POST", "/api/auth/invites", invited, headers);
    const code = /^\s*([2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4})\s*$/m.exec(await newest(me))[1];
    await api("POST", `/api/auth/invites/${data.challengeId}/verification`, { code }, headers);
    const link = new URL(/^http\S+\/invite#\S+$/m.exec(await newest(noah))[0]);
    // Here mails link to the dashboard of the local system.
    assert.equal(link.origin, local.dashboard);
    for (const dashboard of [local.dashboard, urls.dashboard]) {
        const page = await openPage();
        await signIn(page, "u-noah");
        await page.goto(`${dashboard}${link.pathname}${link.hash}`);
        await button(page, "Join Linden Cycles").waitFor();
    }
});

test("the till sells and redeems, and opens without a connection", async () => {
    const code = await newCard(300);
    const page = await openTill({ size: "phone" });
    await enter(page, code, "12500");
    await button(page, "Redeem kr 125.00").click();
    await heading(page, "kr 125.00 redeemed").waitFor();
    assert.equal(await balance(code), 175);

    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(async () => (await (await caches.open("till-1")).keys()).length > 50);
    await page.unrouteAll(); // else the page's requests would pass the worker by
    expectProblem(page, /ERR_INTERNET_DISCONNECTED/);
    await page.context().setOffline(true);
    await page.reload();
    await heading(page, "kr 125.00 redeemed").waitFor();
});

test("a shop's page has the merchant's gift cards, and other paths say that there is no shop", async () => {
    const page = await openPage();
    await page.goto(`${urls.storefront}/aurora-coffee`);
    await page.getByRole("heading", { name: "Aurora Coffee", level: 1 }).waitFor();
    await page.getByRole("heading", { name: "Aurora gift card" }).waitFor();
    const moved = await get(`${urls.storefront}/Aurora-Coffee`);
    assert.deepEqual([moved.status, moved.header("location")], [301, "./aurora-coffee"]);
    for (const [path, to] of [["/aurora-coffee/", "/aurora-coffee"], ["//aurora-coffee/card/?lang=sv", "/aurora-coffee/card?lang=sv"]]) {
        const { status, header } = await get(urls.storefront + path);
        assert.deepEqual([status, header("location")], [308, to], path);
    }
    for (const path of ["/", "//", "//other.example/", "/nobody", "/aurora-coffee/cards", "/%E0%A4%A", "/favicon.ico"]) {
        const { status, type } = await get(urls.storefront + path);
        assert.deepEqual([status, type], [404, "text/html"], path);
    }
});

test("the lines of the dashboard put the published widget into a shop", async (t) => {
    const dashboard = await openPage();
    await signIn(dashboard, "u-anna");
    await show(dashboard, "/business", "Business details");
    await dashboard.getByLabel("Language").selectOption("Swedish");
    await dashboard.getByLabel("Version").selectOption("This version, checked by its hash");
    const lines = await dashboard.getByLabel("Paste this into the page of your shop").inputValue();
    assert.ok(lines.includes(` src="${urls.widget}/widget/`), lines);

    const shop = createServer((_, response) => {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
        response.end(`<!doctype html><html lang="en"><title>A shop</title><link rel="icon" href="data:,"><main><h1>A shop</h1>${lines}</main></html>`);
    });
    t.after(() => shop.close());
    await new Promise((done) => shop.listen(0, "127.0.0.1", done));
    const page = await openPage();
    await page.goto(`http://127.0.0.1:${shop.address().port}/`);
    await page.getByRole("button", { name: /^Välj/ }).waitFor();
});
