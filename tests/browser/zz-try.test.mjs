import test from "node:test";
import { openPage, signIn, urls } from "./support.mjs";
test("try", async () => {
    const page = await openPage();
    page.on("console", (m) => console.log("C", m.text()));
    page.on("pageerror", (m) => console.log("E", m.stack));
    await signIn(page, process.env.WHO ?? "u-lena");
    await page.goto(urls.dashboard + (process.env.AT ?? "/offers/new"));
    await page.waitForTimeout(2500);
    console.log((await page.locator("body").innerText()).slice(0, 800));
    await page.evaluate(() => import("/pages/offer.js").catch((e) => console.log("IMP", e.stack)));
    await page.screenshot({ path: process.env.SHOT ?? "/tmp/try.png", fullPage: true });
});
