// The console of the local system, on the API's own port.

import assert from "node:assert/strict";
import test from "node:test";
import { api, checkAccess, checkWidth, faults, mail, openPage, screenshot, some, urls } from "./support.mjs";

const PAGES = ["Start", "Requests", "Mail", "Upstream calls", "Webhooks", "Faults", "Database"];

async function openConsole(title = "Start", options) {
    const page = await openPage(options);
    await page.goto(urls.api);
    await page.getByRole("link", { name: title, exact: true }).click();
    await page.locator(`nav [aria-current="page"]`).getByText(title).waitFor();
    return page;
}

test("the start page links to what runs", async () => {
    const page = await openConsole();
    for (const [name, url] of [["Dashboard", urls.dashboard], ["Till", urls.till], ["Shop with widget", urls.shop], ["Storefront", `${urls.storefront}/aurora-coffee`]]) {
        assert.equal(await page.getByRole("link", { name, exact: true }).getAttribute("href"), url);
    }
    for (const name of ["api", "dynamodb", "s3", "ses", "secretsmanager", "cardNetwork", "verifier"]) {
        await page.getByRole("definition").getByText(urls[name], { exact: true }).waitFor();
    }
    await page.getByText("Environment of the functions").first().click();
    await page.getByText("TABLE_NAME=portal").waitFor();
});

test("one click signs in as a user", async () => {
    const page = await openConsole();
    await page.getByRole("button", { name: "Sign in as Vera Lund" }).click();
    await page.getByRole("status").getByText("Signed in as Vera Lund").waitFor();
    const session = () => page.evaluate(async () => (await fetch("/api/auth/session")).json());
    assert.equal((await session()).data.user.id, "u-vera");
    await checkAccess(page);

    await page.getByRole("button", { name: "Sign in as Haru Mori" }).click();
    await page.getByRole("status").getByText("Signed in as Haru Mori").waitFor();
    assert.equal((await session()).data.merchant.name, "Hinode Books");

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("status").getByText("One click opens a session").waitFor();
    const cookies = await page.context().cookies(urls.api.replace("http:", "https:"));
    assert.deepEqual(cookies.filter(({ name }) => name.endsWith("session")), []);
});

test("requests appear with their status and function", async () => {
    const page = await openConsole("Requests");
    await fetch(`${urls.api}/api/merchants/aurora-coffee`);
    await fetch(`${urls.api}/api/merchants/not-there`);
    const row = page.getByRole("row").filter({ hasText: "/api/merchants/not-there" });
    await row.getByText("404").waitFor();
    await row.getByText("storefront").waitFor();
    await page.getByRole("row").filter({ hasText: "/api/merchants/aurora-coffee" }).getByText("200").waitFor();
    await page.getByRole("button", { name: "Failed" }).click();
    await row.waitFor();
    assert.equal(await page.getByRole("row").filter({ hasText: "/api/merchants/aurora-coffee" }).count(), 0);
    await checkAccess(page);
});

test("a mail is shown as it looks, and as text", async () => {
    const page = await openConsole("Mail");
    await api("POST", "/api/auth/code", { email: "anna@aurora.example" });
    await page.getByRole("button", { name: /Your sign-in code/ }).first().click();
    const code = /[A-Z0-9]{4}-[A-Z0-9]{4}/.exec((await mail()).at(-1).text)[0];
    const article = page.getByRole("article", { name: "Your sign-in code" });
    await article.getByTitle("Your sign-in code").contentFrame().getByText(code, { exact: true }).waitFor();
    await checkAccess(page);
    await screenshot(page, "console-mail");
    await article.getByRole("button", { name: "Text" }).click();
    await article.locator("pre").getByText("Hello Anna").waitFor();
    await checkAccess(page);
});

test("an account at the card network is opened for a new merchant", async () => {
    const page = await openConsole("Upstream calls");
    await page.getByRole("button", { name: "Open an account" }).click();
    const number = await page.getByRole("status").locator("b").innerText();
    assert.match(number, /^\d{9,10}$/);
    const headers = { authorization: "Bearer local-card-network-key" };
    assert.equal((await (await fetch(`${urls.cardNetwork}/v1/merchants/${number}`, { headers })).json()).merchantId, number);
    await checkAccess(page);
    await screenshot(page, "console-upstream");
});

test("an upstream call shows its headers and body", async () => {
    const page = await openConsole("Upstream calls");
    await fetch(`${urls.api}/api/merchants/linden-cycles/catalog`);
    await page.getByText("/v1/merchants/1003/offers").first().click();
    await page.getByText("x-request-id:").first().waitFor();
    await checkAccess(page);
});

test("a fault is switched on and off", async () => {
    const page = await openConsole("Faults");
    const lookUp = async () => {
        const { token } = await api("POST", "/__local/sessions", { userId: "u-anna" });
        return (await fetch(`${urls.api}/api/bff/cards/DEMO-AURORA-500`, { headers: { authorization: `Bearer ${token}` } })).status;
    };
    assert.equal(await lookUp(), 200);
    const fault = page.getByRole("switch", { name: "Answers 503" });
    await fault.click();
    await page.getByRole("switch", { name: "Answers 503", checked: true }).waitFor();
    assert.equal(await lookUp(), 503);
    await checkAccess(page);
    await page.reload();
    await page.getByRole("switch", { name: "Answers 503", checked: true }).waitFor();
    await page.getByRole("button", { name: "Switch all off" }).click();
    await page.getByRole("switch", { name: "Answers 503", checked: false }).waitFor();
    assert.equal(await lookUp(), 200);
});

test("faults that were set elsewhere are shown, and stay when a switch is used", async () => {
    const foreign = { target: "ses", match: "Send*", kind: "delay", times: 3, value: 10 };
    await faults([foreign]);
    const page = await openConsole("Faults");
    await page.getByText("ses Send*").waitFor();
    await page.getByText("delay 10, the next 3 calls").waitFor();
    await checkAccess(page);
    await page.getByRole("switch", { name: "S3 refuses uploads" }).click();
    await page.getByRole("switch", { name: "S3 refuses uploads", checked: true }).waitFor();
    const preset = { target: "s3", match: "PutObject", kind: "status", times: "always", value: 503 };
    assert.deepEqual(await api("GET", "/__local/faults"), [foreign, preset]);

    await page.getByRole("button", { name: "Remove ses Send*" }).click();
    await page.getByText("ses Send*").waitFor({ state: "detached" });
    await faults([]);
    await page.getByRole("switch", { name: "S3 refuses uploads", checked: false }).waitFor();
});

test("the database page counts units by function", async () => {
    const page = await openConsole("Database");
    const reset = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.getByRole("button", { name: "Count from now" }).click();
    await reset;
    const { token } = await api("POST", "/__local/sessions", { userId: "u-anna" });
    await api("GET", "/api/bff/merchant-orders", undefined, { authorization: `Bearer ${token}` });
    await page.getByRole("rowheader", { name: "orders", exact: true }).waitFor();
    await checkAccess(page);
});

test("the API reference is a page of its own", async () => {
    const page = await openConsole();
    await page.getByRole("link", { name: "API reference" }).click();
    await page.waitForURL("**/reference");
    await page.getByText("Look up a gift card").first().waitFor();
});

test("a system that has stopped shows an error, and earlier data stays", async () => {
    const page = await openConsole("Database", { expected: ["net::ERR_"] });
    await page.getByRole("table").waitFor();
    await page.route("**/__local/usage", (route) => route.abort("connectionrefused"));
    await page.getByRole("alert").getByText("The local system does not answer.").waitFor();
    assert.ok(await page.getByRole("table").isVisible());
    await page.unroute("**/__local/usage");
    await page.getByRole("alert").waitFor({ state: "detached" });
});

for (const [size, theme] of some([["phone", "dark"], ["desktop", "light"], ["phone", "light"], ["desktop", "dark"]], 2)) {
    test(`every page is accessible on a ${size}, ${theme}`, async () => {
        const page = await openConsole("Start", { size, theme });
        for (const title of PAGES) {
            await page.getByRole("link", { name: title, exact: true }).click();
            await page.locator("main h1").waitFor();
            await page.locator("main [aria-busy]").waitFor({ state: "detached" });
            await checkAccess(page);
            await checkWidth(page);
            await screenshot(page, `console-${title.toLowerCase().replace(" ", "-")}-${size}-${theme}`);
        }
    });
}

test("no page scrolls sideways at 320 px", async () => {
    const page = await openConsole("Start", { size: "narrow" });
    for (const title of PAGES) {
        await page.getByRole("link", { name: title, exact: true }).click();
        await page.locator("main [aria-busy]").waitFor({ state: "detached" });
        await checkWidth(page);
    }
});

/** Sends a mail as a function does. */
async function sendMail(subject, html) {
    const form = { Action: "SendEmail", Source: "a@b.example", "Destination.ToAddresses.member.1": "c@d.example",
        "Message.Subject.Data": subject, "Message.Body.Text.Data": "Text", "Message.Body.Html.Data": html };
    const response = await fetch(urls.ses, { method: "POST", body: new URLSearchParams(form) });
    assert.equal(response.status, 200, await response.text());
}

// The last test: its mail stays.
test("a mail has no power over the console", async () => {
    await sendMail("<b>Subject</b>", `<!doctype html><html><head><title>Mail</title></head><body>
        <p id="text" onclick="this.textContent = 'handler ran'">Hello &lt;Anna&gt;</p>
        <script>document.getElementById("text").textContent = "script ran"; parent.document.title = "script ran";</script>
        <img src="https://evil.example/x"><form action="https://evil.example"><button>Send</button></form>
        <a href="${urls.dashboard}/invite#1">Accept</a></body></html>`);
    const page = await openConsole("Mail", { expected: [/console Blocked script execution/, /console .*Content Security Policy/, /console Blocked form submission/] });
    await page.getByRole("button", { name: "<b>Subject</b>" }).click();
    const shown = page.getByTitle("<b>Subject</b>").contentFrame();
    await shown.getByText("Hello <Anna>").click();
    await shown.getByRole("button", { name: "Send" }).click();
    await shown.getByText("Hello <Anna>").waitFor();
    assert.equal(await page.title(), "Mail · Console");
    const [opened] = await Promise.all([page.waitForEvent("popup"), shown.getByRole("link", { name: "Accept" }).click()]);
    assert.equal(opened.url(), `${urls.dashboard}/invite#1`);
    assert.equal(await opened.evaluate(() => window.opener), null);
});
