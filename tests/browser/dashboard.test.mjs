// The dashboard, as each of its users sees it.

import assert from "node:assert/strict";
import test from "node:test";

import { checkText, codeFor, completedOrder, loaded, menuOf, NOBODY, open, pagesOf, show, smallTargets } from "./dashboard.mjs";
import { api, checkAccess, checkWidth, expectProblem, faults, openPage, screenshot, drain, signIn, some, urls } from "./support.mjs";

/** How else each page of the walk is read. */
const FURTHER = {
    async desktop(page, picture) {
        await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
        await checkWidth(page);
        await checkText(page);
        await screenshot(page, `${picture}-twice`);
    },
    async phone(page, picture) {
        assert.deepEqual(await smallTargets(page), [], "targets of a phone are 44 pixels high");
        await page.evaluate(() => (document.documentElement.dir = "rtl"));
        await checkWidth(page);
        await checkText(page);
        await screenshot(page, `${picture}-rtl`);
        await page.evaluate(() => document.documentElement.removeAttribute("dir"));
        await page.setViewportSize(NARROWEST);
        await checkWidth(page);
        await page.setViewportSize(PHONE);
    },
};
const PHONE = { width: 390, height: 844 };
const NARROWEST = { width: 320, height: 640 };

for (const [size, theme, also] of [["desktop", "light", "with text of twice the size"], ["phone", "dark", "from right to left and on the narrowest screen"]]) {
    test(`every page of an administrator is accessible and fits, also ${also} (${size}, ${theme})`, async () => {
        const page = await open("u-anna", "/", "Overview", { size, theme });
        for (const [path, heading] of await pagesOf()) {
            await show(page, path, heading);
            await checkAccess(page);
            await checkWidth(page);
            const picture = `dashboard${path.replaceAll(/\W+/g, "-")}-${size}-${theme}`;
            await screenshot(page, picture);
            await FURTHER[size](page, picture);
        }
    });
}

test("the menu of a phone that is read from right to left fits", async () => {
    const page = await open("u-anna", "/", "Overview", { size: "phone" });
    await page.evaluate(() => (document.documentElement.dir = "rtl"));
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Offers", exact: true }).waitFor();
    await checkWidth(page);
});

test("signs in with the mailed code, which submits itself, and out again", async () => {
    const page = await openPage({ expected: [NOBODY, /400 POST .*\/api\/auth\/session$/] });
    await page.goto(`${urls.dashboard}/orders?q=holm`);
    await page.getByLabel("E-mail address").fill("anna");
    await page.keyboard.press("Enter");
    await page.getByText("Enter an address such as").waitFor();
    await checkAccess(page);
    await page.getByLabel("E-mail address").fill("anna@aurora.example");
    await page.keyboard.press("Enter");
    await page.getByText("We sent a code to anna@aurora.example. It works for 10 minutes.").waitFor();
    await checkAccess(page);
    await page.getByLabel("Code").pressSequentially("22222222");
    await page.getByText("That code is wrong or has expired.").waitFor();
    await page.getByLabel("Code").fill("");
    const code = await codeFor("anna@aurora.example", page.getByLabel("Code"));
    await page.getByLabel("Code").pressSequentially(code.toLowerCase().replace("-", ""));
    await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
    assert.equal(await page.getByRole("searchbox").inputValue(), "holm", "the page that was asked for");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("E-mail address").waitFor();
});

test("each role sees what it may do, and nothing else", async () => {
    const all = ["Overview", "Orders", "Gift cards", "Offers", "Payouts", "Reports", "Stores and tills", "Team", "Developers", "Business details"];
    const anna = await open("u-anna", "/", "Overview");
    assert.deepEqual(await menuOf(anna), all);

    const felix = await open("u-felix", "/team", "Team");
    assert.deepEqual(await menuOf(felix), all);
    assert.equal(await felix.getByRole("button", { name: "Invite somebody" }).count(), 0);
    assert.equal(await felix.getByRole("combobox").count(), 0);

    const vera = await open("u-vera", "/", "Overview", { theme: "dark" });
    await vera.getByText("Vera Lund, Read only").waitFor();
    await checkAccess(vera);
    await vera.getByRole("link", { name: "Offers", exact: true }).click();
    await vera.getByRole("heading", { level: 1, name: "Offers" }).waitFor();
    assert.equal(await vera.getByRole("link", { name: "New offer" }).count(), 0);
    await vera.getByRole("link", { name: "Business details" }).click();
    await vera.getByText("Your role is read-only.").waitFor();
    assert.equal(await vera.getByRole("button", { name: "Save" }).count(), 0);
    await vera.getByRole("link", { name: "Stores and tills" }).click();
    await vera.getByText("Main street").waitFor();
    assert.equal(await vera.getByRole("button", { name: /Pair|Add|Edit/ }).count(), 0);
});

test("the overview has figures, a chart that keys can read, and its table", async () => {
    const page = await open("u-anna", "/overview?days=90", "Overview");
    await page.getByText("Compared with the 90 days before").waitFor();
    const chart = page.getByRole("img", { name: /Redeemed day by day/ });
    await chart.focus();
    await page.keyboard.press("Home");
    await page.getByText(/Redeemed .*0.00$/).first().waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Show as table" }).click();
    assert.equal(await page.getByRole("table", { name: "Redeemed day by day" }).getByRole("row").count(), 91);
    await page.getByRole("button", { name: "7 days" }).click();
    await page.getByText("Compared with the 7 days before").waitFor();
    assert.match(page.url(), /days=7/);
});

test("amounts of a currency without decimals have none", async () => {
    const page = await open("u-haru", "/", "Overview");
    await page.getByRole("link", { name: "Payouts", exact: true }).click();
    await page.getByRole("link", { name: "Settlements", exact: true }).click();
    await page.getByRole("table", { name: "Settlements" }).waitFor();
    const amounts = (await page.locator("main bdi").allInnerTexts()).filter((text) => text.includes("¥"));
    assert.ok(amounts.length > 10, `${amounts.length} amounts`);
    for (const amount of amounts) assert.match(amount, /^-?¥[\d,]+$/);
});

test("search, filters and page of orders are in the address", async () => {
    const page = await open("u-anna", "/orders", "Orders");
    const first = page.getByText(/^1–20 of [\d,]+$/);
    await first.waitFor();
    await page.getByRole("link", { name: "Older" }).click();
    await page.getByText(/^21–40 of /).waitFor();
    await page.goBack();
    await first.waitFor();
    await page.getByLabel("Status").selectOption({ label: "Completed" });
    await page.waitForURL(/status=COMPLETED/);
    await page.keyboard.press("Tab");
    await page.locator("h1").click();
    await page.keyboard.press("/");
    await page.keyboard.type("nobody-of-this-name");
    await page.getByText("No order matches").waitFor();
    await checkAccess(page);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await first.waitFor();
    assert.equal(new URL(page.url()).search, "");
    const { id, totalAmountMinor } = await completedOrder();
    await page.getByRole("searchbox").fill(id);
    await page.getByText("1–1 of 1", { exact: true }).waitFor();
    await page.getByRole("row", { name: new RegExp(id) }).click();
    await page.getByRole("heading", { level: 1, name: new RegExp(`${(totalAmountMinor % 100_000) / 100}\\.00`) }).waitFor();
    await page.getByText(/[\d,.]+ left/).waitFor();
});

test("what cannot be loaded says so, keeps the rest, and can be tried again", async () => {
    const page = await open("u-anna", "/orders", "Orders", { expected: [/5\d\d GET .*(balance|history)/] });
    await faults([{ target: "card-network", match: "*", kind: "status", value: 500, times: "always" }]);
    await page.goto(`${urls.dashboard}/orders/${(await completedOrder()).id}`);
    await page.getByText("Balance not known").waitFor();
    await checkAccess(page);
    await faults([]);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText(/[\d,.]+ left/).waitFor();
});

test("a session that ends is renewed over the page, which keeps what was typed", async () => {
    const page = await open("u-anna", "/offers/new", "New offer", { expected: [/401 /] });
    await page.getByLabel("Name").fill("Kept card");
    await page.getByLabel("From").fill("100");
    await page.getByLabel("To", { exact: true }).fill("1,000.50");
    const { data } = await page.evaluate(async (url) => (await fetch(`${url}/api/auth/session`, { method: "DELETE", credentials: "include" })).json(), urls.api);
    assert.equal(data, undefined);
    await page.getByRole("button", { name: "Create offer" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByRole("button", { name: "Send code" }).click();
    await dialog.getByLabel("Code").waitFor();
    await checkAccess(page);
    await dialog.getByLabel("Code").fill(await codeFor("anna@aurora.example", dialog.getByLabel("Code")));
    await page.getByText("The offer was created.").waitFor();
    await page.getByText("Kept card").first().waitFor();
});

test("what was typed for one business is not saved in another that was signed in to in a second tab", async () => {
    const page = await open("u-anna", "/offers/new", "New offer", { expected: [/409 POST .*\/api\/bff\/offers$/] });
    await page.getByLabel("Name").fill("Card of Aurora");
    await page.getByLabel("From").fill("100");
    await page.getByLabel("To", { exact: true }).fill("1,000");
    const haru = await signIn(page, "u-haru");
    await page.getByRole("button", { name: "Create offer" }).click();
    await page.getByRole("heading", { level: 1, name: /You are signed in for Hinode.* now/ }).waitFor();
    const { data } = await api("GET", "/api/bff/offers", undefined, { authorization: `Bearer ${haru}` });
    assert.ok(!JSON.stringify(data).includes("Card of Aurora"));
});

test("looks up a card, and says where there is none", async () => {
    const page = await open("u-anna", "/gift-cards", "Gift cards", { expected: [/404 GET .*\/cards\//] });
    await page.getByLabel("Code of the card").fill("DEMO-AURORA-500");
    await page.keyboard.press("Enter");
    await page.getByText(/500.00 left/).waitFor();
    await checkAccess(page);
    await page.getByLabel("Code of the card").fill("DEMO-AURORA-EXPIRED");
    await page.keyboard.press("Enter");
    await page.locator(".badge", { hasText: "Expired" }).waitFor();
    await page.getByLabel("Code of the card").fill("NO-SUCH-CARD");
    await page.keyboard.press("Enter");
    await page.getByText("No such card. Check the code.").waitFor();
});

test("creates an offer with an image, changes and hides it", async () => {
    const page = await open("u-lena", "/offers", "Offers");
    await page.getByRole("link", { name: "New offer" }).click();
    await page.getByRole("heading", { level: 1, name: "New offer" }).waitFor();
    await page.getByRole("button", { name: "Create offer" }).click();
    await page.getByText("Enter a name.").waitFor();
    // The first error, in the frame after it was shown.
    await page.locator("#name:focus").waitFor();
    await checkAccess(page);
    await page.getByLabel("Name").fill("Bell and basket");
    await page.getByRole("button", { name: "One price" }).click();
    await page.getByLabel("Price", { exact: true }).fill("24.95");
    const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
    await page.getByLabel("Image").setInputFiles({ name: "card.png", mimeType: "image/png", buffer: pixel });
    await page.locator(".preview img").waitFor();
    await page.waitForFunction(() => document.querySelector(".preview img")?.naturalWidth === 1);
    await page.locator(".preview").getByText("€24.95").waitFor();
    await page.getByRole("button", { name: "Create offer" }).click();
    await page.getByText("The offer was created.").waitFor();
    await page.getByRole("link", { name: /Bell and basket/ }).click();
    await page.getByRole("heading", { level: 1, name: "Bell and basket" }).waitFor();
    await page.getByLabel("Price", { exact: true }).fill("29");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The offer was saved.").waitFor();
    await page.locator(".preview").getByText("€29.00").waitFor();
    await page.getByRole("button", { name: /^(Hide|Put on sale)$/ }).click();
    await page.getByText(/Hidden. Tills stop selling it now.|On sale now./).waitFor();
});

test("offers are cards with their name and price, in the colour of the shop", async () => {
    const page = await open("u-lena", "/offers", "Offers");
    const card = page.getByRole("link", { name: /Spring check-up/ }).locator(".gift-card");
    await card.getByText("€79.90").waitFor();
    assert.match(await card.evaluate((element) => getComputedStyle(element).backgroundImage), /rgb\(47, 107, 58\)/);
});

test("pairs a till with the code and revokes it", async () => {
    const page = await open("u-haru", "/stores", "Stores and tills");
    await page.getByRole("button", { name: "Pair a till" }).first().click();
    await page.getByLabel("Name of the till").fill("Counter 1");
    await page.getByLabel("Store", { exact: true }).selectOption({ index: 0 });
    await page.getByRole("button", { name: "Show the code" }).click();
    const code = await page.locator(".pairing .mono").innerText();
    assert.match(code, /^[2-9A-Z]{5}\s[2-9A-Z]{5}$/);
    await page.getByText(/Works for (10:00|9:\d\d)/).waitFor();
    await checkAccess(page);
    await api("POST", "/api/auth/tills/pairing", { code: code.replace(/\s/, "") });
    await page.getByText("Counter 1 is paired and ready.").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("Paired", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Revoke Counter 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke Counter 1" }).click();
    await page.getByText("Counter 1 is revoked.").waitFor();
    await page.getByText("No tills yet").waitFor();
});

test("invites a member, who accepts and is removed", async () => {
    const page = await open("u-lena", "/team", "Team");
    await page.getByRole("button", { name: "Invite somebody" }).click();
    const { data } = await api("GET", "/api/auth/session", undefined, { authorization: `Bearer ${(await api("POST", "/__local/sessions", { userId: "u-noah" })).token}` });
    await page.getByLabel("E-mail address").fill(data.user.email);
    await page.getByLabel("First name").fill("Noah");
    await page.getByLabel("Last name").fill("Grant");
    await page.getByLabel("Full access").check();
    await checkAccess(page);
    await page.getByRole("button", { name: "Send me the code" }).click();
    await page.getByRole("dialog", { name: "Confirm the invitation of Noah Grant" }).waitFor();
    const me = await api("GET", "/api/auth/session", undefined, { authorization: `Bearer ${(await api("POST", "/__local/sessions", { userId: "u-lena" })).token}` });
    const code = page.getByRole("textbox", { name: "Code" });
    await code.fill(await codeFor(me.data.user.email, code));
    await page.getByText(/is invited. The link works for 7 days./).waitFor();

    const noah = await open("u-noah", "/", "You are invited");
    await checkAccess(noah);
    await noah.getByRole("button", { name: "Join Linden Cycles" }).click();
    await noah.getByRole("heading", { level: 1, name: "Overview" }).waitFor();

    await page.reload();
    await page.getByRole("button", { name: "Change role of Noah Grant" }).click();
    await page.getByRole("dialog").getByLabel("Viewer (read-only)").check();
    await page.getByRole("dialog").getByRole("button", { name: "Change role" }).click();
    await page.getByText("Noah Grant: Viewer (read-only).").waitFor();
    await page.getByRole("button", { name: "Remove Noah Grant" }).click();
    await page.getByRole("dialog", { name: "Remove Noah Grant?" }).getByText("They are signed out immediately.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Remove Noah Grant" }).click();
    await page.getByText("Noah Grant was removed.").waitFor();
});

test("a dialog that is refused keeps what was typed", async () => {
    const page = await open("u-anna", "/team", "Team", { expected: [/409 POST .*\/api\/auth\/invites$/] });
    await page.getByRole("button", { name: "Invite somebody" }).click();
    await page.getByLabel("E-mail address").fill("felix@aurora.example");
    await page.getByLabel("First name").fill("Felix");
    await page.getByLabel("Last name").fill("Ek");
    await page.getByLabel("Full access").check();
    await page.getByRole("button", { name: "Send me the code" }).click();
    await page.getByText("This person is already in your team.").waitFor();
    assert.equal(await page.getByLabel("First name").inputValue(), "Felix");
    assert.ok(await page.getByLabel("Full access").isChecked());
});

test("an invitation that is for somebody else says so", async () => {
    const page = await open("u-iris", "/invite#ch-1", "You are invited");
    await page.getByRole("button", { name: "Join Aurora Coffee" }).waitFor();
    const other = await open("u-noah", "/invite#ch-1", "Set up your business", { expected: [/403 POST .*\/acceptance$/] });
    await other.getByText("This invitation is for another address.").waitFor();
    await checkAccess(other);
});

test("an application keeps its draft, says what is missing, and is sent", async () => {
    const page = await open("u-freya", "/", "Application");
    await page.getByLabel("Registration number").fill("NO 987 654 321");
    await page.getByText(/^Saved at /).waitFor();
    await page.reload();
    await page.waitForFunction(() => document.querySelector("#registrationNumber")?.value === "NO 987 654 321");
    await page.getByRole("button", { name: "Send the application" }).click();
    await page.locator("#vatNumber-error").getByText("Enter the VAT number.").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), "vatNumber");
    await checkAccess(page);
    await page.getByLabel("VAT number").fill("NO987654321MVA");
    await page.getByLabel("Street and number").fill("Bryggen 1");
    await page.getByLabel("Postal code").fill("5003");
    await page.getByLabel("City").fill("Bergen");
    await page.getByLabel("Country").selectOption("NO");
    await page.getByLabel("Name", { exact: true }).fill("Freya Haugen");
    await page.getByLabel("Role", { exact: true }).fill("Managing director");
    await page.getByLabel("File").setInputFiles({ name: "register.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4\n%%EOF\n") });
    await page.getByText("register.pdf").waitFor();
    await page.getByLabel("I accept the terms of the platform.").check();
    await page.getByLabel("I accept the privacy notice.").check();
    await page.getByText("Everything is there. Send it now.").waitFor();
    await page.getByRole("button", { name: "Send the application" }).click();
    await page.getByText("The platform has received your application.").waitFor();
    await checkAccess(page);
});

test("somebody without a business sets one up", async () => {
    const page = await openPage({ size: "phone", expected: [NOBODY, /409 POST .*\/api\/auth\/merchant$/] });
    await page.goto(urls.dashboard);
    await page.getByLabel("E-mail address").fill("new@mail.example");
    await page.keyboard.press("Enter");
    const code = page.getByLabel("Code");
    await code.fill(await codeFor("new@mail.example", code));
    await page.getByRole("heading", { level: 1, name: "Set up your business" }).waitFor();
    await page.getByLabel("Name of the business").fill("Café Solstråle");
    assert.equal(await page.getByLabel("Address of the shop").inputValue(), "cafe-solstrale");
    await page.getByLabel("Address of the shop").fill("aurora-coffee");
    await page.getByRole("button", { name: "Set up the business" }).click();
    await page.getByText("This address is taken. Choose another one.").waitFor();
    await checkAccess(page);
    await page.getByLabel("Address of the shop").fill("cafe-solstrale");
    await page.getByRole("button", { name: "Set up the business" }).click();
    await page.getByRole("heading", { level: 1, name: "Application" }).waitFor();
});

test("business details are changed", async () => {
    const page = await open("u-haru", "/business", "Business details");
    await page.getByLabel("Website").fill("https://hinode.example/shop");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The details were saved.").waitFor();
    await page.reload();
    await page.waitForFunction(() => document.querySelector("#website")?.value === "https://hinode.example/shop");
});

test("orders are exported as a file", async () => {
    const page = await open("u-anna", "/orders", "Orders");
    await page.getByRole("button", { name: "Export" }).click();
    await checkAccess(page);
    await page.getByRole("button", { name: "Export orders" }).click();
    await drain();
    await page.getByText(/The file is ready: [\d,]+ rows/).waitFor();
    assert.ok(await page.getByRole("link", { name: "Download" }).getAttribute("href"));
});

test("a platform administrator suspends a merchant, who is told, and pays", async () => {
    const page = await open("u-root", "/", "Merchants");
    assert.deepEqual(await menuOf(page), ["Merchants", "Payouts due"]);
    await checkAccess(page);
    await page.getByRole("link", { name: "Linden Cycles" }).click();
    await page.getByRole("button", { name: "Suspend" }).click();
    await page.getByLabel("Reason").fill("A question about fraud");
    await page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
    await page.getByText("The merchant was changed.").waitFor();
    await page.getByText("A question about fraud").waitFor();
    await loaded(page);
    await checkAccess(page);

    const lena = await open("u-lena", "/", "Overview");
    await lena.getByText("Your business is suspended.").waitFor();
    await checkAccess(lena);

    const payable = {
        id: "s-payable", merchantId: "m-hinode", sourceType: "REDEMPTION", sourceId: "r-payable", orderId: null, giftCardId: null, redemptionId: "r-payable",
        grossAmountMinor: 5000, feeAmountMinor: 100, netAmountMinor: 4900, currency: "JPY", feeSnapshot: { percentBps: 150, fixedMinor: 25 }, status: "PENDING",
        payoutBatchId: null, eligibleAt: "2026-01-08T00:00:00.000Z", createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z",
    };
    await api("POST", "/__local/fixtures", { settlements: [payable] });
    await page.getByRole("link", { name: "Payouts due" }).click();
    await page.getByRole("link", { name: "Start a run" }).click();
    await page.getByRole("button", { name: "Start the run" }).click();
    await page.getByText("The run has started.").waitFor();
    await drain();
    await page.getByRole("link", { name: "Payouts of this run" }).click();
    const due = page.getByRole("link", { name: "Hinode Books" });
    await due.waitFor();
    assert.equal(await page.getByRole("button", { name: "Mark as paid" }).count(), 0, "whoever started it does not confirm it");
    await due.click();
    await page.getByText("You started it. Ask another administrator to pay and confirm it.").waitFor();
    await checkAccess(page);
    assert.equal(await page.getByRole("button", { name: "Mark as paid" }).count(), 0);

    // Where the deployment lets one person do both. This one does not.
    await page.route(/\/api\/admin\/payouts\/[^/]+$/, async (route) => {
        const response = await route.fetch();
        const answer = await response.json();
        answer.data.needsSecondPerson = false;
        await route.fulfill({ response, json: answer });
    }, { times: 1 });
    await page.reload();
    await page.getByRole("button", { name: "Mark as paid" }).click();
    await page.getByLabel("Reference of the transfer").fill("TRANSFER-1");
    expectProblem(page, /403 PATCH .*\/api\/admin\/payouts\//);
    await page.getByRole("dialog").getByRole("button", { name: "Mark as paid" }).click();
    await page.getByText("You started this payout. Another administrator has to confirm it.").waitFor();
    await checkAccess(page);
});

/** A business with one user, an administrator of it. */
const business = (name, status, more = {}) => ({
    merchants: [{ id: `m-${name}`, slug: `${name}-shop`, name: `${name} shop`, tradeName: `${name} shop`, status, country: "FI", currency: "EUR", timeZone: "Europe/Helsinki", ...more }],
    users: [{ id: `u-${name}`, email: `${name}@shop.example`, firstName: "Aino", lastName: name, emailVerified: true, merchantId: `m-${name}`, merchantTeamRole: "ADMIN" }],
});

/** Opens a merchant as a platform administrator and decides about it. */
async function decide(name, verb) {
    const page = await open("u-root", `/merchants/m-${name}`, `${name} shop`);
    await page.getByRole("button", { name: verb, exact: true }).click();
    await page.getByLabel("Reason").fill("As agreed by telephone");
    if (verb === "Close for good") await page.getByLabel(`Type ${name} shop to continue`).fill(`${name} shop`);
    await page.getByRole("dialog").getByRole("button", { name: verb, exact: true }).click();
    await page.getByText("The merchant was changed.").waitFor();
    await loaded(page);
    await checkAccess(page);
    await screenshot(page, `dashboard-admin-${verb.toLowerCase().replaceAll(" ", "-")}`);
}

test("a platform administrator changes the terms of a merchant in the units that people use", async () => {
    await api("POST", "/__local/fixtures", business("terms", "ACTIVE", { currency: "JPY", fees: { percentBps: 250, fixedMinor: 100 } }));
    const page = await open("u-root", "/merchants/m-terms", "terms shop");
    await page.getByRole("button", { name: "Change the settlement" }).click();
    await page.getByLabel("Fee in percent").fill("1.755");
    await page.getByLabel("Fixed fee in JPY").fill("30");
    await page.getByRole("button", { name: "Change the terms" }).click();
    await page.getByText("Enter 0 to 100, with at most two decimals.").waitFor();
    await page.getByText("Enter the reason.").waitFor();
    await checkAccess(page);
    await page.getByLabel("Fee in percent").fill("1.75");
    await page.getByLabel("Reason").fill("A new contract");
    await page.getByRole("button", { name: "Change the terms" }).click();
    await page.getByText("1.75% + JPY 30").waitFor();
    await page.getByText("Fee: 2.5%, now 1.75%").waitFor();
    await page.getByText("Fixed fee: JPY 100, now JPY 30").waitFor();
});

for (const [name, status, verb, banner] of some([
    ["closing", "ACTIVE", "Close for good", "Your business is closed."],
    ["refused", "DECISION_PENDING", "Decline", "Your application was declined."],
], 1)) {
    test(`a business that the platform ${verb === "Close for good" ? "closes" : "declines"} sees why nothing works, and all of its pages`, async () => {
        await api("POST", "/__local/fixtures", business(name, status));
        await decide(name, verb);
        const page = await open(`u-${name}`, "/", "Overview", { size: "phone" });
        await page.getByText(banner).waitFor();
        await screenshot(page, `dashboard-${name}-overview`);
        assert.equal(await page.getByText("Sales from your shop and tills appear here.").count(), 0, "nothing is promised");
        await page.getByRole("button", { name: "Menu" }).click();
        const paths = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").evaluateAll((links) => links.map((link) => link.pathname));
        assert.ok(paths.length > 5, String(paths));
        for (const path of paths) {
            await page.goto(urls.dashboard + path);
            await page.getByText(banner).waitFor();
            await loaded(page);
            await checkAccess(page);
            await checkWidth(page);
            await screenshot(page, `dashboard-${name}${path.replaceAll("/", "-")}`);
            assert.equal(await page.getByRole("button", { name: /Pair a till|Add a store/ }).count() + await page.getByRole("link", { name: /New offer|Create an offer/ }).count(), 0, `${path} offers nothing to sell`);
        }
        await page.goto(`${urls.dashboard}/application`);
        await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    });
}

test("two platform administrators pay, and the merchant sees it", async () => {
    const settlement = {
        id: "s-payee", merchantId: "m-payee", sourceType: "REDEMPTION", sourceId: "r-payee", orderId: null, giftCardId: null, redemptionId: "r-payee",
        grossAmountMinor: 12_000, feeAmountMinor: 300, netAmountMinor: 11_700, currency: "EUR", feeSnapshot: { percentBps: 250, fixedMinor: 0 }, status: "PENDING",
        payoutBatchId: null, eligibleAt: "now-2d", createdAt: "now-9d", updatedAt: "now-9d",
    };
    await api("POST", "/__local/fixtures", { ...business("payee", "ACTIVE", { settlementMode: "SETTLEMENT_ON_REDEMPTION" }), settlements: [settlement] });
    const payee = await open("u-payee", "/payouts?tab=settlements", "Payouts");
    await payee.getByRole("row", { name: /Pending/ }).getByText("€117.00").waitFor();
    await payee.locator(".stat", { hasText: "Payable now" }).getByText("€117.00").waitFor();

    const root = await open("u-root", "/payouts-due", "Payouts due");
    await root.getByRole("link", { name: "Start a run" }).click();
    await root.getByRole("searchbox", { name: "Merchant" }).fill("payee");
    await root.getByRole("button", { name: /payee shop/ }).click();
    await root.getByText("1 merchant, together EUR 117.00.").waitFor();
    await checkAccess(root);
    await screenshot(root, "dashboard-payout-run");
    await root.getByRole("button", { name: "Start the run" }).click();
    await root.getByText("The run has started.").waitFor();
    await drain();

    const rut = await open("u-rut", "/payouts-due", "Payouts due");
    const due = rut.getByRole("listitem").filter({ hasText: "payee shop" });
    await due.getByText("EUR 117.00").waitFor();
    await screenshot(rut, "dashboard-payouts-due");
    await due.getByRole("button", { name: "File" }).click();
    await rut.getByRole("link", { name: "Download" }).waitFor();
    await rut.getByRole("button", { name: "Close" }).click();
    await due.getByRole("button", { name: "Mark as paid" }).click();
    await rut.getByLabel("Reference of the transfer").fill("TRANSFER-117");
    await checkAccess(rut);
    await screenshot(rut, "dashboard-mark-as-paid");
    await rut.getByRole("dialog").getByRole("button", { name: "Mark as paid" }).click();
    await rut.getByText("The payout is marked as paid.").waitFor();
    await drain();
    await rut.getByRole("button", { name: "Paid", exact: true }).click();
    const paid = rut.getByRole("listitem").filter({ hasText: "TRANSFER-117" });
    await paid.locator(".badge", { hasText: "Paid" }).waitFor();
    const steps = (await paid.locator(".two-steps > .done").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim());
    assert.equal(steps.length, 2, "two steps, both done");
    assert.match(steps[0], /1\. Collected by Robin Root/);
    assert.match(steps[1], /2\. Confirmed by you/);
    assert.equal(await paid.getByRole("button").count(), 0, "nothing is left to decide");
    await checkAccess(rut);

    await payee.reload();
    const row = payee.getByRole("row", { name: /Redemption/ });
    await row.locator(".badge", { hasText: "Paid" }).waitFor();
    await loaded(payee);
    assert.match(await payee.locator(".stat", { hasText: "Payable now" }).innerText(), /€0\.00/);
    await payee.getByRole("link", { name: "Payouts", exact: true }).last().click();
    await payee.getByRole("row", { name: /TRANSFER-117/ }).getByText("€117.00").waitFor();
    await loaded(payee);
    await checkAccess(payee);
    await screenshot(payee, "dashboard-payouts-paid");
});

test("somebody who may only use the till is led there", async () => {
    const page = await open("u-till", "/", "Aurora Coffee", { size: "phone" });
    assert.equal(await page.getByRole("link", { name: "Open the till" }).last().getAttribute("href"), urls.till);
    await checkAccess(page);
});

test("forbidden by link: what is missing, and who can grant it", async () => {
    const page = await open("u-noah", "/merchants", "Merchants", { expected: [/403 GET .*\/api\/admin\//] });
    await page.getByText("You may not see this.").waitFor();
    await checkAccess(page);
});
