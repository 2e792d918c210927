// Shared by the browser tests. Importing this module starts the local system and a browser for the test file; both stop
// after its last test.
//
//     import test from "node:test";
//     import { urls, openPage, signIn, checkAccess } from "./support.mjs";
//
//     test("an administrator sees the latest orders", async () => {
//         const page = await openPage({ size: "phone", theme: "dark" });
//         await signIn(page, "u-anna");
//         await page.goto(urls.dashboard);
//         await page.getByRole("heading", { name: "Overview" }).waitFor();
//         await checkAccess(page);
//     });
//
// A test fails if one of its pages logs an error, throws, sends a request that fails (4xx and 5xx included) or sends one
// to another machine. A test that provokes a failure names it: openPage({ expected: [/401 GET .*\/api\/auth\/session/] }),
// or expectProblem(page, /504 POST/) later on. After each test its pages are closed and all faults are cleared.
//
// Environment:
// - CASES          `all` tries every one of similar cases, as at night: each look of a page, each fault. Default: one of each kind.
// - DEMO           the data of a local system that has loaded the demo. Without it, each file loads it anew.
// - TIMES          a file that receives how many seconds the file of tests took.
// - LOCAL_BINARY   the local system. Default: target/debug/local, which `cargo build` writes.
// - BROWSER_TOOLS  a directory with node_modules. Default: target/browser-tools, which .ci/browser fills.
// - CHROMIUM       the browser. Default: chromium-headless-shell or chromium in /usr/bin.
// - SCREENSHOTS    a directory for pictures. Without it, none are taken.

import assert from "node:assert/strict";
import { appendFile, cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { executablePath } from "./chromium.mjs";
import { startLocal } from "./local.mjs";

const root = resolve(import.meta.dirname, "../..");
const require = createRequire(join(resolve(process.env.BROWSER_TOOLS ?? join(root, "target/browser-tools")), "package.json"));
const { chromium } = require("playwright-core");

/** Long, for busy machines: a step that passes waits for nothing. */
const STEP_TIMEOUT_MS = 30_000;

const SIZES = {
    phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
    narrow: { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
    desktop: { viewport: { width: 1440, height: 900 } },
};

/** Ways to read a page that change its layout, for openPage({ reading }).
 * @type {Record<string, {context?: object, prepare?: () => void}>} */
export const READINGS = {
    "text at 200 %": { prepare: () => addEventListener("DOMContentLoaded", () => { document.documentElement.style.fontSize = "200%"; }) },
    "forced colours": { context: { forcedColors: "active" } },
    "right to left": { prepare: () => addEventListener("DOMContentLoaded", () => { document.documentElement.dir = "rtl"; }) },
};

/** All of these cases with CASES=all, otherwise so many.
 * @template T
 * @param {T[]} cases the most telling ones first
 * @param {number} count
 * @returns {T[]} */
export const some = (cases, count) => (process.env.CASES === "all" ? cases : cases.slice(0, count));

/** Size, theme and reading of a page, for openPage. */
export const LOOKS = some([
    ["phone", "light"], ["desktop", "dark"], ["phone", "dark"], ["desktop", "light"], ["narrow", "dark"],
    ...Object.keys(READINGS).map((reading) => ["phone", "light", reading]),
], 2);

/** Base URLs of the ready file, set before the first test: `api`, `dashboard`, `till`, `shop`, `storefront`, …
 * @type {Record<string, string>} */
export const urls = {};

let local, browser, directory;
/** The pages of the running test. */
let pages = [];

before(async () => {
    directory = await mkdtemp(join(tmpdir(), "browser-test-"));
    const { DEMO } = process.env;
    const data = join(directory, "data");
    if (DEMO) await cp(DEMO, data, { recursive: true });
    local = await startLocal(directory, ...(DEMO ? ["--data", data, "--fixtures", "none"] : []));
    Object.assign(urls, local.urls);
    browser = await chromium.launch({
        executablePath,
        // The flags switch off what the browser does on the network by itself, and other machines: to intercept their requests would
        // cost each request a detour, and the pages their cache. Containers have no sandbox.
        args: ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE ::1",
            "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync"],
    });
});

after(async () => {
    await browser?.close();
    await local?.stop();
    if (directory) await rm(directory, { recursive: true });
    if (process.env.TIMES) await appendFile(process.env.TIMES, `${Math.round(process.uptime())} ${basename(process.argv[1])}\n`);
});

afterEach(async () => {
    const problems = pages.flatMap((page) => unexpectedProblems(page));
    const contexts = new Set(pages.map((page) => page.context()));
    pages = [];
    for (const context of contexts) await context.close();
    if (urls.api) await faults([]);
    assert.deepEqual(problems, [], "problems that the test does not expect");
});

/** Opens an empty page in a browser profile of its own. `profile` is another page whose profile it shares instead.
 * @param {{size?: keyof typeof SIZES, theme?: "light" | "dark", locale?: string, expected?: (RegExp | string)[],
 *     profile?: import("playwright-core").Page, permissions?: string[], reading?: string}} [options]
 * @returns {Promise<import("playwright-core").Page>} */
export async function openPage({ size = "desktop", theme = "light", locale = "en-GB", expected = [], profile, permissions, reading } = {}) {
    const { context: readingOptions, prepare } = READINGS[reading] ?? {};
    const context = profile?.context() ?? await browser.newContext({
        ...SIZES[size], ...readingOptions, locale, permissions, timezoneId: "Europe/Stockholm", colorScheme: theme, reducedMotion: "reduce",
    });
    context.setDefaultTimeout(STEP_TIMEOUT_MS);
    const page = await context.newPage();
    if (prepare) await page.addInitScript(prepare);
    page.problems = [];
    page.expected = [...expected];
    pages.push(page);
    const report = (problem) => page.problems.push(problem);
    page.on("pageerror", (error) => report(`error ${error.stack ?? error}`));
    page.on("console", (message) => {
        // The browser also logs each failed request. The events below have more details.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
            report(`console ${message.text()}`);
        }
    });
    page.on("response", (response) => {
        const request = response.request();
        if (response.status() >= 400) report(`${response.status()} ${request.method()} ${request.url()}`);
    });
    page.on("requestfailed", (request) => {
        const failure = request.failure()?.errorText;
        const isForeign = !isLocal(new URL(request.url()));
        // Requests are aborted when a page is left or a newer request replaces them. What the page's policy blocks was never sent.
        if (failure === (isForeign ? "csp" : "net::ERR_ABORTED")) return;
        report(`${isForeign ? "foreign" : failure} ${request.method()} ${request.url()}`);
    });
    return page;
}

const isLocal = (url) =>
    ["data:", "blob:", "about:"].includes(url.protocol) || ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);

const unexpectedProblems = (page) =>
    page.problems.filter((problem) => !page.expected.some((expected) => problem.match(expected)));

/** Lets the test go on although the page has problems that match: "STATUS METHOD URL", "net::ERR_… METHOD URL",
 * "console TEXT", "error TEXT". */
export function expectProblem(page, pattern) {
    page.expected.push(pattern);
}

/** Sends a request to the API's port and returns the JSON of the response. */
export async function api(method, path, body, headers = {}) {
    const response = await fetch(urls.api + path, {
        method,
        headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.ok, `${response.status} ${method} ${path}: ${text}`);
    return text ? JSON.parse(text) : null;
}

/** Signs the user in: the page's profile has the session's cookie for the API. Returns the session's token. */
export async function signIn(page, userId) {
    const { token } = await api("POST", "/__local/sessions", { userId });
    await page.context().addCookies([{
        name: "__Host-portal_session",
        value: token,
        // Browsers refuse __Host- cookies of http URLs, except those that loopback addresses set themselves.
        url: urls.api.replace("http:", "https:"),
        secure: true, httpOnly: true, sameSite: "Lax",
    }]);
    return token;
}

/** Sets the faults of the upstreams: `[{target, match, kind, times, value}]`. `[]` clears them. */
export const faults = (list) => api("POST", "/__local/faults", list);

/** Runs all background work that is due: stream consumers, jobs and open outcomes. */
export const drain = () => api("POST", "/__local/drain");

/** Mails sent so far, oldest first: `[{to, subject, text, html, sentAt}]`. */
export const mail = () => api("GET", "/__local/mail");

/** Requires that axe has no findings on the page as it is now. */
export async function checkAccess(page) {
    axeSource ??= await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
    // Nobody reads the other results.
    const violations = await page.evaluate(async () => (await window.axe.run({ resultTypes: ["violations"] })).violations);
    const findings = violations.flatMap(({ id, help, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${help} ${target.join(" ")}\n${failureSummary}`));
    assert.deepEqual(findings, [], `axe findings on ${page.url()}`);
}
let axeSource;

/** Requires that the page does not scroll sideways. */
export async function checkWidth(page) {
    const { content, window } = await page.evaluate(() =>
        ({ content: document.documentElement.scrollWidth, window: document.documentElement.clientWidth }));
    assert.ok(content <= window, `${page.url()} is ${content} px wide in a window of ${window} px`);
}

/** A test for each of READINGS: the page that `open` opens on a phone is accessible and does not scroll sideways.
 * @param {string} name of the pictures
 * @param {(options: object) => Promise<import("playwright-core").Page>} open */
export function testReadings(name, open) {
    for (const reading of Object.keys(READINGS)) {
        test(`readable with ${reading}`, async () => {
            const page = await open({ size: "phone", reading });
            await checkAccess(page);
            await checkWidth(page);
            await screenshot(page, `${name}-${reading}`);
        });
    }
}

/** Saves a picture of the whole page, or of the window, as NAME.png in $SCREENSHOTS, if set. */
export async function screenshot(page, name, { fullPage = true } = {}) {
    const target = process.env.SCREENSHOTS;
    if (!target) return;
    await mkdir(target, { recursive: true });
    await page.screenshot({ path: join(target, `${name}.png`), fullPage });
}
