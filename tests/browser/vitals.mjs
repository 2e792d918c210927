// How fast a page is there, whether it jumps, and how fast it answers: largest contentful paint, cumulative layout shift, and the slowest
// of some presses until the next paint. Imported by tests, which look at the shift alone; run by hand, it measures the dashboard of a
// running local system:
//
//     cargo run --release -- generate --data /tmp/big --orders 100000
//     cargo run --release -- --data /tmp/big --fixtures none --port 0 --aws-port 0 --ready-file /tmp/ready
//     node tests/browser/vitals.mjs /tmp/ready u-big [/overview ...]

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { executablePath } from "./chromium.mjs";

const RUNS = 5;
const PAGES = ["/overview", "/orders", "/reports", "/reports?tab=sales", "/reports?tab=visits", "/reports?tab=fraud"];

/** Observes all later documents of the page. */
export const observeVitals = (page) => page.addInitScript(() => {
    const vitals = { paintMs: 0, shift: 0, shifted: [], pressMs: 0 };
    Object.assign(window, { vitals });
    new PerformanceObserver((list) => {
        for (const { startTime } of list.getEntries()) vitals.paintMs = startTime;
    }).observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => {
        for (const { value, hadRecentInput, sources } of list.getEntries()) {
            if (hadRecentInput) continue;
            vitals.shift += value;
            vitals.shifted.push(...sources.map(({ node, previousRect, currentRect }) =>
                `${value.toFixed(4)} from ${Math.round(previousRect.y)} to ${Math.round(currentRect.y)} px: ${(node?.outerHTML ?? String(node?.textContent)).replaceAll(/<!--.*?-->|\s+/g, " ").slice(0, 80)}`));
        }
    }).observe({ type: "layout-shift", buffered: true });
    new PerformanceObserver((list) => {
        for (const { duration, interactionId } of list.getEntries()) if (interactionId) vitals.pressMs = Math.max(vitals.pressMs, duration);
    }).observe({ type: "event", durationThreshold: 16, buffered: true });
});

/** `{paintMs, shift, shifted}`, once everything has been painted. */
export const vitalsOf = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(window.vitals)))));

async function measure(readyFile, userId = "u-big", ...paths) {
    const urls = JSON.parse(await readFile(readyFile, "utf8"));
    const tools = resolve(process.env.BROWSER_TOOLS ?? join(import.meta.dirname, "../../target/browser-tools"));
    const { chromium } = createRequire(join(tools, "package.json"))("playwright-core");
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
    const session = await fetch(`${urls.api}/__local/sessions`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ userId }) });
    const { token } = await session.json();
    for (const slowdown of [1, 6]) {
        for (const path of paths.length ? paths : PAGES) {
            const runs = [];
            for (let run = 0; run < RUNS; run++) runs.push(await visit(browser, urls, token, path, slowdown));
            const paints = runs.map(({ paintMs }) => Math.round(paintMs)).toSorted((a, b) => a - b);
            const worst = runs.toSorted((a, b) => b.shift - a.shift)[0];
            const press = Math.max(...runs.map(({ pressMs }) => pressMs));
            console.log(`${path}, ${slowdown}× slower: paint ${paints[RUNS >> 1]} ms (${paints.join(", ")}), shift at most ${worst.shift.toFixed(4)}, press at most ${press} ms`);
            if (worst.shift > 0.01) console.log(worst.shifted.map((line) => `    ${line}`).join("\n"));
        }
    }
    await browser.close();
}

async function visit(browser, urls, token, path, slowdown) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB" });
    await context.addCookies([{ name: "__Host-portal_session", value: token, url: urls.api.replace("http:", "https:"), secure: true, httpOnly: true, sameSite: "Lax" }]);
    const page = await context.newPage();
    await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: slowdown });
    await observeVitals(page);
    await page.goto(urls.dashboard + path, { waitUntil: "networkidle" });
    await page.waitForFunction(() => document.querySelector("h1") && !document.querySelector("[aria-busy='true'], .skeleton"));
    const vitals = await vitalsOf(page);
    await press(page);
    const { pressMs } = await vitalsOf(page);
    await context.close();
    return { ...vitals, pressMs };
}

/** Each choice of the page's first group of choices, as its period, and each link of the menu. */
async function press(page) {
    for (const selector of ["main .segmented:first-of-type button", "nav a"]) {
        const count = Math.min(await page.locator(selector).count(), 4);
        for (let index = 0; index < count; index++) {
            await page.locator(selector).nth(index).click();
            await page.waitForLoadState("networkidle");
        }
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await measure(...process.argv.slice(2));
