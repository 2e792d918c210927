// What a browser asks for again when somebody comes back to the dashboard.

import assert from "node:assert/strict";
import test from "node:test";

import { open, show } from "./dashboard.mjs";
import { urls } from "./support.mjs";

test("on the second visit, only the page and its settings are loaded again", async () => {
    const page = await open("u-anna", "/overview", "Overview");
    await page.unrouteAll(); // a page whose requests are watched has no cache
    const visit = async () => {
        await show(page, "/overview", "Overview");
        await page.waitForFunction(() => performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/chart.js")));
    };
    await visit();
    await visit();
    const files = await page.evaluate(() =>
        performance
            .getEntriesByType("resource")
            .filter(({ name, initiatorType }) => name.startsWith(location.origin) && initiatorType !== "fetch")
            .map(({ name, transferSize }) => ({ path: new URL(name).pathname, isLoaded: transferSize > 0 })),
    );
    const scripts = files.filter(({ path }) => path.startsWith("/v/"));
    assert.ok(scripts.length > 30, JSON.stringify(files));
    assert.equal(new Set(scripts.map(({ path }) => path.split("/")[2])).size, 1, "all are of one release");
    const loaded = files.filter(({ isLoaded }) => isLoaded).map(({ path }) => path);
    assert.deepEqual(loaded.filter((path) => path !== "/config.js"), [], "the others are in the browser's cache");
});

test("addresses of a release are kept for ever, and those of an earlier one still lead to the file", async () => {
    const cacheControl = async (path) => {
        const response = await fetch(urls.dashboard + path);
        assert.equal(response.status, 200, path);
        return [response.headers.get("cache-control"), await response.text()];
    };
    const [ofPage, html] = await cacheControl("/orders");
    const address = /"(\/v\/[0-9a-f]{8}\/app\.js)"/.exec(html)?.[1];
    assert.ok(address, html);
    assert.equal(ofPage, "no-cache");
    const [ofScript, script] = await cacheControl(address);
    assert.equal(ofScript, "public, max-age=31536000, immutable");
    assert.match(script, /from "\/v\/[0-9a-f]{8}\/kit\/vendor\/lit\.js"/);
    assert.equal((await cacheControl("/v/00000000/app.js"))[0], "no-cache");
    assert.equal((await fetch(`${urls.dashboard}/v/00000000/none.js`)).status, 404);
});
