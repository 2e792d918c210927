// The first day: founding, applying, the verification, and what a new business has to do.

import assert from "node:assert/strict";
import test from "node:test";

import { loaded, open, show } from "./dashboard.mjs";
import { api, checkAccess, checkWidth, drain, faults, openPage, screenshot, signIn, urls } from "./support.mjs";

const asUser = async (userId) => ({ authorization: `Bearer ${(await api("POST", "/__local/sessions", { userId })).token}` });

test("the address of a shop follows from its name, in letters that an address has", async () => {
    const page = await open("u-noah", "/", "Set up your business", { size: "phone", locale: "sv-SE" });
    await page.getByLabel("Name of the business").fill("Ørsted & Łódź Straße");
    const slug = page.getByLabel("Address of the shop");
    assert.equal(await slug.inputValue(), "orsted-lodz-strasse");
    await page.getByText(/Customers find your shop at/).getByText("/orsted-lodz-strasse").waitFor();
    assert.equal(await page.getByLabel("Country").inputValue(), "SE");
    assert.equal(await page.getByLabel("Currency").inputValue(), "SEK");
    await page.getByLabel("Country").selectOption({ label: "Japan" });
    assert.equal(await page.getByLabel("Currency").inputValue(), "JPY", "the currency follows until it is chosen");
    assert.equal(await page.getByLabel("Time zone").inputValue(), "Europe/Stockholm");
    await checkAccess(page);
    await checkWidth(page);

    await page.getByLabel("Name of the business").fill("Ø");
    await page.getByLabel("Country").selectOption("");
    await page.getByRole("button", { name: "Set up the business" }).click();
    await page.getByText("3 fields need attention").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), "name");
    await page.getByRole("link", { name: "Country" }).click();
    assert.equal(await page.evaluate(() => document.activeElement?.id), "country");
    await checkAccess(page);
    await screenshot(page, "dashboard-founding-errors");
});

test("an invitation of another address names it without giving it away", async () => {
    const page = await open("u-noah", "/invite#ch-1", "Set up your business", { expected: [/403 POST .*\/acceptance$/] });
    await page.getByText("This invitation is for another address.").waitFor();
    await page.getByText("i•••@m•••.example").waitFor();
    await checkAccess(page);
    await screenshot(page, "dashboard-other-address");
});

test("an application leads to the verification at once, an approval is noticed, and the setup says what is next", async () => {
    const page = await open("u-freya", "/", "Application");
    await page.getByRole("button", { name: "Send the application" }).click();
    await page.getByText(/fields need attention/).waitFor();
    await checkAccess(page);
    await page.getByLabel("Registration number").fill("NO 987 654 321");
    await page.getByLabel("VAT number").fill("NO987654321MVA");
    await page.getByLabel("Street and number").fill("Bryggen 1");
    await page.getByLabel("Postal code").fill("5003");
    await page.getByLabel("City").fill("Bergen");
    await page.getByLabel("Country").selectOption("NO");
    await page.getByLabel("Name", { exact: true }).fill("Freya Haugen");
    await page.getByRole("button", { name: "Send the application" }).click();
    await page.getByText("Enter the role of each director, such as managing director.").last().waitFor();
    await page.getByLabel("Role", { exact: true }).fill("Managing director");
    await page.getByLabel("I accept the terms of the platform.").check();
    await page.getByLabel("I accept the privacy notice.").check();
    await page.getByRole("button", { name: "Send the application" }).click();
    await page.getByText("The platform has received your application.").waitFor();
    await drain();
    const verification = page.getByRole("link", { name: "Start the verification" });
    await verification.waitFor();
    await checkAccess(page);
    await screenshot(page, "dashboard-verification");

    const verifier = await openPage();
    await verifier.goto(await verification.getAttribute("href"));
    await Promise.all([verifier.waitForNavigation(), verifier.getByRole("button", { name: /approve/i }).click()]);
    await drain();
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.getByText("The directors have proved their identity.").waitFor();
    const root = await asUser("u-root");
    await api("PATCH", "/api/admin/merchants/m-fjord", { status: "ACTIVE", settlementMode: "SETTLEMENT_ON_REDEMPTION", reason: "Documents seen" }, root);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.getByText("Your business is approved. You can sell gift cards now.").waitFor();

    await page.getByRole("heading", { level: 2, name: "Set up your business" }).waitFor();
    await loaded(page);
    await checkAccess(page);
    assert.equal(await page.locator(".stat").count(), 0, "no panels of zero");
    assert.deepEqual(await page.locator(".steps b").allTextContents(), ["Application, done", "First offer, to do", "Store, to do", "Till, to do", "Shop, to do", "Team, to do"]);
    await screenshot(page, "dashboard-setup");
    await page.getByRole("link", { name: "Get the lines" }).click();
    await page.waitForFunction(() => document.activeElement?.textContent === "Gift cards in your shop");
});

let founded = 3000;

/** A new business with an account at the card network, where it has nothing yet, and its administrator. Returns the id of that user. */
async function found(name, more = {}) {
    const account = String(founded++);
    await api("POST", "/__local/fixtures", {
        merchants: [{ id: `m-${name}`, slug: name, name: `${name} shop`, status: "ACTIVE", country: "FI", currency: "EUR", timeZone: "Europe/Helsinki", networkMerchantId: account, ...more }],
        users: [{ id: `u-${name}`, email: `${name}@shop.example`, firstName: "Aino", lastName: name, emailVerified: true, merchantId: `m-${name}`, merchantTeamRole: "ADMIN" }],
        cardNetwork: { merchants: [{ merchantId: account, name, country: "FI", currency: "EUR", status: "ACTIVE" }] },
    });
    return `u-${name}`;
}

test("a new offer is a draft with its button beside it, and the setup knows", async () => {
    const user = await found("drafting");
    const page = await open(user, "/offers/new", "New offer");
    await page.getByLabel("Name").fill("First card");
    await page.getByLabel("From").fill("10");
    await page.getByLabel("To", { exact: true }).fill("50");
    await page.getByRole("button", { name: "Create offer" }).click();
    await page.getByText("The offer was created. It is a draft: put it on sale when it is ready.").waitFor();
    await page.getByRole("heading", { level: 2, name: "Drafts" }).waitFor();
    assert.equal(await page.getByText("Awaiting approval").count(), 0, "nobody approves it");
    await loaded(page);
    await checkAccess(page);
    await screenshot(page, "dashboard-draft");

    await show(page, "/overview", "Overview");
    await page.getByText("First card is a draft. Nobody can buy it yet.").waitFor();
    await page.getByRole("link", { name: "Put it on sale" }).click();
    await page.getByRole("button", { name: "Put on sale: First card" }).click();
    await page.getByText("First card is on sale now.").waitFor();
    await page.getByRole("heading", { level: 2, name: "On sale" }).waitFor();
    assert.equal(await page.getByRole("button", { name: /Put on sale/ }).count(), 0);
    const { data } = await api("GET", "/api/bff/offers", undefined, await asUser(user));
    assert.deepEqual(data.items.map(({ name, status }) => [name, status]), [["First card", "AVAILABLE"]]);
});

test("a till needs a store: the page says so and leads there", async () => {
    const page = await open(await found("storeless"), "/stores", "Stores and tills", { size: "phone" });
    await page.getByText("It stands in a store: add one first.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Pair a till" }).count(), 0);
    await checkAccess(page);
    await screenshot(page, "dashboard-no-store");
    await page.getByRole("button", { name: "Add a store" }).click();
    for (const [name, text] of [["Name", "Market hall"], ["Address", "Kauppatori 1"], ["City", "Turku"]]) await page.getByLabel(name, { exact: true }).fill(text);
    await page.getByRole("button", { name: "Add the store" }).click();
    await page.getByRole("button", { name: "Pair a till" }).click();
    await page.getByLabel("Store", { exact: true }).selectOption("Market hall");
});

test("a suspended shop is told what is stopped and whom to ask, and is not asked to pair tills", async () => {
    const user = await found("halted", { status: "SUSPENDED" });
    const page = await open(user, "/stores", "Stores and tills");
    await page.getByText("Your shop is closed, tills cannot sell or redeem, and payouts are on hold. Contact the platform's support.").waitFor();
    await page.getByText("Tills can be paired again once your business is active.").waitFor();
    assert.equal(await page.getByRole("button", { name: /Pair/ }).count(), 0);
    await checkAccess(page);
    await show(page, "/overview", "Overview");
    assert.equal(await page.getByText("Set up your business").count(), 0);
});

test("the terms are links", async () => {
    const page = await openPage();
    await page.route("**/config.js", async (route) => {
        const response = await route.fetch();
        const body = (await response.text()).replace("{", '{ "terms": "https://platform.example/terms", "privacy": "https://platform.example/privacy",');
        await route.fulfill({ response, body });
    });
    await signIn(page, await found("reading", { status: "DRAFT" }));
    await show(page, "/application", "Application");
    for (const [name, path] of [["the terms of the platform", "terms"], ["the privacy notice", "privacy"]])
        assert.equal(await page.getByRole("link", { name, exact: true }).getAttribute("href"), `https://platform.example/${path}`);
    await page.getByLabel("I accept the terms of the platform.").check();
    await checkAccess(page);
});

test("a logo is uploaded and a colour is chosen, with what is written on it, and each panel is saved where it was changed", async () => {
    const user = await found("branded");
    const page = await open(user, "/business", "Business details");
    assert.equal(await page.getByRole("button", { name: "Save" }).count(), 0, "nothing has changed");
    const brand = page.locator("section.panel").filter({ has: page.getByRole("heading", { name: "Brand" }) });
    const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
    await page.getByLabel("Logo").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: pixel });
    await page.getByRole("img", { name: "Logo of the shop" }).waitFor();
    const colour = page.getByLabel("Colour of the shop and its cards");
    await colour.fill("#ffe84d");
    await page.getByText(/Text on it is black, with a contrast of 16\.\d to 1\./).waitFor();
    await colour.fill("#8a1c3b");
    await page.getByText(/Text on it is white, with a contrast of \d+\.\d to 1\./).waitFor();
    await checkAccess(page);
    await screenshot(page, "dashboard-brand");
    await brand.getByRole("button", { name: "Save" }).click();
    await page.getByText("The details were saved.").waitFor();
    assert.match(await page.getByLabel("Paste this into the page of your shop").inputValue(), /--gift-card-color: #8a1c3b }/);
    const { data } = await api("GET", "/api/merchants/branded");
    assert.equal(data.primaryColor, "#8a1c3b");
    assert.match(data.logoUrl, /\/api\/public\/gift-card-image\?key=/);
    await page.getByRole("button", { name: "Use the platform's colour" }).click();
    await page.getByRole("button", { name: "Remove the logo" }).click();
    await brand.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Remove the logo" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
    const { data: after } = await api("GET", "/api/merchants/branded");
    assert.deepEqual([after.primaryColor, after.logoUrl], [null, null]);
});

test("an offer has its picture, and the merchant's colour only where there is none", async () => {
    const user = await found("pictured", { storefront: { primaryColor: "#8a1c3b" } });
    const key = await asUser(user);
    const pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const page = await openPage({ expected: [/(404|ERR_BLOCKED_BY_ORB) GET .*missing\.png/] });
    await page.route("**/there.png", async (route) => route.fulfill({ contentType: "image/png", body: Buffer.from(pixel.split(",")[1], "base64") }));
    for (const [name, image] of [["With picture", "there"], ["Without its picture", "missing"], ["Drawn", null]])
        await api("POST", "/api/bff/offers", { name, giftCardOfferStatus: "AVAILABLE", minPrice: 10, maxPrice: 50, ...(image && { giftCardDesign: [{ urlImage: `${urls.api}/${image}.png` }] }) }, key);
    await signIn(page, user);
    await show(page, "/offers", "Offers");
    const card = (name) => page.getByRole("link", { name: new RegExp(`^(pictured shop)?\\s*${name}`) }).locator(".gift-card");
    const colored = (name) => card(name).evaluate((element) => getComputedStyle(element).backgroundImage.includes("rgb(138, 28, 59)"));
    await page.waitForFunction(() => [...document.querySelectorAll(".gift-card img")].some((image) => image.hidden));
    assert.deepEqual([await colored("With picture"), await colored("Without its picture"), await colored("Drawn")], [false, true, true]);
    await page.getByRole("link", { name: /With picture/ }).getByText("€10.00 to €50.00").waitFor();
    await checkAccess(page);
    await screenshot(page, "dashboard-pictures");
});

test("below what has happened, the setup comes last, folded once four of six are done, and rankings are as high as what they hold", async () => {
    const page = await openPage({ size: "desktop" });
    await signIn(page, "u-anna");
    await page.route("**/api/auth/tills", async (route) => route.fulfill({ json: { ok: true, data: [] } }));
    await show(page, "/overview?days=90", "Overview");
    const setup = page.locator(".setup");
    await setup.getByText("5 of 6 done").waitFor();
    assert.equal(await setup.locator(".steps").isVisible(), false, "folded");
    const order = await page.locator(".with-shares").evaluate((place) => [...place.children].map((child) => child.className.split(" ")[0] + (child.matches(".setup") ? " setup" : "")));
    assert.equal(order.at(-1), "panel setup");
    await checkAccess(page);
    await screenshot(page, "dashboard-setup-folded");
    await setup.getByText("Set up your business").click();
    await setup.getByRole("link", { name: "Pair a till" }).waitFor();
    await checkAccess(page);
    for (const width of [1440, 1000]) {
        await page.setViewportSize({ width, height: 900 });
        const empty = await page.locator(".ranking").evaluateAll((panels) => panels.map((panel) => panel.getBoundingClientRect().bottom - panel.lastElementChild.getBoundingClientRect().bottom));
        assert.ok(empty.length > 1 && empty.every((space) => space < 24), `${width}: ${empty}`);
    }
    await screenshot(page, "dashboard-rankings");
});
