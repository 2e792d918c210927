// The lines that the dashboard offers, and what becomes of them in a shop.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { open } from "./dashboard.mjs";
import { checkAccess, checkWidth, openPage, screenshot } from "./support.mjs";

const snippetOf = (page) => page.getByLabel("Paste this into the page of your shop").inputValue();

/** A page of a shop with these lines, on a site of its own. Returns its address. */
async function paste(t, lines) {
    const server = createServer((_, response) => {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
        response.end(`<!doctype html><html lang="en"><title>A shop</title><link rel="icon" href="data:,"><main><h1>A shop</h1>${lines}</main></html>`);
    });
    t.after(() => server.close());
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${server.address().port}/`;
}

test("the lines to paste work in a shop, as the preview shows", async (t) => {
    const page = await open("u-anna", "/business", "Business details");
    const views = [];
    page.on("request", (request) => { if (request.url().includes("giftcards")) views.push(request.url()); });
    const preview = page.locator("gift-card-widget");
    await preview.getByRole("heading", { name: "Gift cards", level: 2 }).waitFor();
    assert.match(await snippetOf(page), /src="http:\/\/localhost:\d+\/widget\/1\/gift-card-widget\.js"><\/script>\n<gift-card-widget merchant="m-aurora"><\/gift-card-widget>$/);
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "dashboard-widget");

    await page.getByLabel("Language").selectOption("Swedish");
    await preview.getByRole("heading", { name: "Presentkort", level: 2 }).waitFor();
    await page.getByLabel("Colours", { exact: true }).selectOption("Dark");
    await page.getByLabel("Visitors").selectOption("Only after consent");
    await page.getByLabel("Version").selectOption("This version, checked by its hash");
    const lines = await snippetOf(page);
    assert.match(lines, /\/widget\/\d+\.\d+\.\d+\/gift-card-widget\.js" integrity="sha384-[\w+/]{64}" crossorigin>/);
    assert.match(lines, /<gift-card-widget merchant="m-aurora" locale="sv" theme="dark" consent="asked">/);
    assert.ok(views.every((url) => url.endsWith("&count=no")), "the preview is no view");

    const shop = await openPage();
    await shop.goto(await paste(t, lines));
    await shop.getByRole("button", { name: /^Välj/ }).waitFor();
    await checkAccess(shop);
    await screenshot(shop, "shop-with-pasted-lines");
});

test("the lines to paste on a phone, in the dark", async () => {
    const page = await open("u-anna", "/business", "Business details", { size: "phone", theme: "dark" });
    await page.locator("gift-card-widget").getByRole("button", { name: /Choose/ }).waitFor();
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "dashboard-widget-phone-dark");
});
