// The storefront and the page of card holders in the language of the visitor.

import assert from "node:assert/strict";
import test from "node:test";
import { api, checkAccess, checkWidth, openPage, screenshot, urls } from "./support.mjs";

const CARD = { qrCode: "HOLDER-LANGUAGES", merchantId: "1001", value: 5000, valueRemains: 1250.5, currency: "SEK", status: "ACTIVE", expiresAt: "2031-05-31T10:00:00Z" };

for (const [locale, gift, button, show, left, until] of [
    ["de-DE", "Geschenkkarten", "Kaufen", "Guthaben anzeigen", "1.250,50 SEK", "31. Mai 2031"],
    ["fi-FI", "Lahjakortit", "Osta", "Näytä saldo", "1 250,50 SEK", "31. toukokuuta 2031"],
    ["ja-JP", "ギフトカード", "購入する", "残高を表示", "SEK 1,250.50", "2031年5月31日"],
]) {
    test(`the pages in ${locale}, at 320 px and on a desktop`, async () => {
        await api("POST", "/__local/fixtures", { cardNetwork: { cards: [CARD] } });
        for (const size of ["narrow", "desktop"]) {
            const page = await openPage({ locale, size });
            await page.goto(`${urls.storefront}/aurora-coffee`);
            await page.getByRole("heading", { name: gift, level: 2, exact: true }).waitFor();
            await page.getByText(button, { exact: true }).filter({ visible: true }).first().waitFor();
            await checkAccess(page);
            await checkWidth(page);
            await screenshot(page, `storefront-${locale}-${size}`);
            await page.locator(".languages summary").click();
            await checkAccess(page);
            await checkWidth(page);
            await screenshot(page, `storefront-${locale}-${size}-languages`);
            await page.goto(`${urls.storefront}/aurora-coffee/card`);
            await page.locator("#code").fill(CARD.qrCode);
            await page.getByRole("button", { name: show }).click();
            await page.getByText(left).waitFor();
            await page.getByText(until).waitFor();
            await checkAccess(page);
            await checkWidth(page);
            await screenshot(page, `holder-${locale}-${size}`);
        }
    });
}

test("another language is chosen without a script, and kept on the way to the balance", async () => {
    const profile = await openPage({ locale: "sv-SE" });
    const context = await profile.context().browser().newContext({ javaScriptEnabled: false, locale: "sv-SE" });
    const page = await context.newPage();
    await page.goto(`${urls.storefront}/aurora-coffee`);
    await page.getByText("Svenska", { exact: true }).click();
    await page.getByRole("link", { name: "Deutsch" }).click();
    await page.getByRole("link", { name: "Guthaben einer Karte abfragen" }).click();
    await page.locator("#code").fill("nobody has this");
    await page.getByRole("button", { name: "Guthaben anzeigen" }).click();
    await page.getByRole("alert").filter({ hasText: "Dieser Shop hat keine Geschenkkarte mit diesem Code." }).waitFor();
    await page.getByRole("link", { name: "Geschenkkarten von Aurora Coffee" }).click();
    await page.getByRole("heading", { name: "Geschenkkarten", exact: true }).waitFor();
    assert.equal(page.url(), `${urls.storefront}/aurora-coffee?lang=de`);
    await context.close();
});

test("amounts are written in the language of the page", async () => {
    const page = await openPage({ locale: "en-US" });
    await page.goto(`${urls.storefront}/aurora-coffee?lang=de`);
    await page.getByRole("radio", { name: /^2\.000\sSEK$/ }).waitFor();
});
