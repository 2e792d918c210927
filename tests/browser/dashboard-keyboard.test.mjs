// From a stranger's first page to a payout that is paid, by the keyboard alone: nothing is clicked, and no script moves the focus.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import { codeFor, loaded, NOBODY } from "./dashboard.mjs";
import { openAccount, returnTo, sellAndRedeem } from "./journey.mjs";
import { keyboardOf } from "./keyboard.mjs";
import { drain, openPage, signIn, urls } from "./support.mjs";

const CARD = "KEYS-CARD-1";

test("a stranger founds a business and is paid out, by the keyboard", async () => {
    await openAccount("1777", "Keys and Co", CARD);
    const owner = await openPage({ expected: [NOBODY] });
    const keys = await keyboardOf(owner);
    await signUp(owner, keys);
    await apply(owner, keys);
    await verify(owner, keys);

    const root = await administrator("u-root");
    await approve(root);
    await returnTo(owner);
    await keys.arrive("Overview");
    await createOffer(owner, keys);
    await addStore(owner, keys);
    await pairTill(owner, keys);

    const reference = "SEPA-KEYS-1";
    await startRun(root);
    await confirm(await administrator("u-rut"), reference);
    await seePayout(owner, keys, reference);
});

async function signUp(page, keys) {
    await page.goto(urls.dashboard);
    const code = page.getByLabel("Code", { exact: true });
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal((await keys.kept("the first page")).name, "E-mail address");
    await keys.type("kim@keys.example");
    await keys.press("Enter");
    const mailed = await codeFor("kim@keys.example", code);
    assert.equal((await keys.focused()).name, "Code");
    await keys.type(mailed.replace("-", ""));

    await keys.arrive("Set up your business");
    await keys.fill("Name of the business", "Keys and Co");
    await keys.choose("Country", "Finland");
    assert.equal((await keys.to("combobox", "Currency")).value, "EUR Euro");
    await keys.activate("button", "Set up the business");
}

async function apply(page, keys) {
    await keys.arrive("Application");
    await loaded(page);
    await keys.activate("button", "Send the application");
    assert.equal((await keys.to("textbox", "Registration number", { key: "Shift+Tab" })).role, "textbox");
    for (const [name, text] of [
        ["Registration number", "1234567-8"], ["VAT number", "FI12345678"], ["Street and number", "Aurakatu 1"], ["Postal code", "20100"], ["City", "Turku"],
        ["Name", "Kim Key"], ["Role", "Managing director"],
    ]) await keys.fill(name, text);
    await keys.choose("Kind of document", "Bank statement");
    const document = join(tmpdir(), "keys.pdf");
    await writeFile(document, "%PDF-1.4 keys");
    await keys.to("button", /^File/);
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press("Space")]);
    await chooser.setFiles(document);
    await page.getByText("keys.pdf").waitFor();
    await keys.kept("the upload");
    await keys.activate("checkbox", "I accept the terms of the platform.");
    await keys.activate("checkbox", "I accept the privacy notice.");
    await keys.activate("button", "Send the application");
    await page.getByText("The platform has received your application.").waitFor();
    await keys.arrive("Application");
}

async function verify(page, keys) {
    await drain();
    await page.getByRole("link", { name: "Start the verification" }).waitFor();
    const [verifier] = await Promise.all([page.waitForEvent("popup"), keys.activate("link", "Start the verification")]);
    await verifier.waitForLoadState();
    await (await keyboardOf(verifier)).to("button", /approve/i);
    await Promise.all([verifier.waitForNavigation(), verifier.keyboard.press("Enter")]);
    await drain();
    await verifier.close();
    await returnTo(page);
    await page.getByText("The directors have proved their identity.").waitFor();
    await keys.kept("coming back");
}

/** An administrator of the platform, at their first page. */
async function administrator(userId) {
    const page = await openPage();
    await signIn(page, userId);
    await page.goto(urls.dashboard);
    await page.getByRole("heading", { name: "Merchants" }).waitFor();
    await loaded(page);
    return { page, keys: await keyboardOf(page) };
}

async function approve({ page, keys }) {
    await page.keyboard.press("/");
    assert.equal((await keys.focused()).name, "Search merchants");
    await keys.type("Keys and");
    await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
    await keys.activate("link", "Keys and Co");
    await keys.arrive("Keys and Co");
    await loaded(page);
    const [document] = await Promise.all([page.waitForEvent("popup"), keys.activate("link", "Open keys.pdf")]);
    await document.close();
    await page.getByText("1 of 1 opened").waitFor();

    await inDialog(page, keys, "Change the selling", "Change the settings", async () => {
        await keys.fill("Network account", "1777");
        await keys.fill("Reason", "Opened by the network today");
    });
    await inDialog(page, keys, "Change the settlement", "Change the terms", async () => {
        await keys.fill("Fee in percent", "2");
        await keys.fill("Paid after days", "0");
        await keys.choose("Settled", "On redemption");
        await keys.fill("Reason", "The contract");
    });
    await page.getByText("All done").waitFor();
    await inDialog(page, keys, "Approve", "Approve", () => keys.fill("Reason", "All documents are in order"));
    await page.locator("h1 + p .badge", { hasText: "Active" }).waitFor();
    await loaded(page);
    await keys.kept("the approval");
}

/** Opens a dialog by a button, fills it in and sends it. */
async function inDialog(page, keys, opener, verb, fillIn) {
    await keys.activate("button", opener);
    await page.getByRole("dialog").waitFor();
    await fillIn();
    await keys.activate("button", verb);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await loaded(page);
    await keys.kept(verb);
}

async function createOffer(page, keys) {
    await loaded(page);
    await keys.activate("link", "Create an offer");
    await keys.arrive("New offer");
    await keys.fill("Name", "Keys gift card");
    await keys.activate("button", "Set amounts");
    await keys.fill("Amounts", "25, 50, 60");
    await keys.press("Enter");
    await keys.activate("button", "Remove €60.00");
    await keys.fill("Works for how many days", "365");
    await keys.activate("button", "Create offer");
    await keys.arrive("Offers");
    await loaded(page);
    await keys.activate("link", /^Keys gift card/);
    await keys.arrive("Keys gift card");
    await keys.activate("button", "Put on sale");
    await page.getByText("On sale now.").waitFor();
    await keys.kept("putting it on sale");
}

async function addStore(page, keys) {
    await keys.open("Stores and tills");
    await loaded(page);
    await inDialog(page, keys, "Add a store", "Add the store", async () => {
        for (const [name, text] of [["Name", "Market hall"], ["Address", "Kauppatori 1"], ["City", "Turku"]]) await keys.fill(name, text);
    });
    await page.getByText("Kauppatori 1").waitFor();
}

async function pairTill(page, keys) {
    await keys.activate("button", "Pair a till");
    await keys.fill("Name of the till", "Counter 1");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Discard what you typed?" }).waitFor();
    await keys.kept("the question");
    await keys.activate("button", "Keep editing");
    await keys.activate("button", "Show the code");
    await sellAndRedeem(page, CARD, async () => {
        await page.getByText("Counter 1 is paired and ready.").waitFor();
        await keys.kept("the pairing");
    });
    await keys.activate("button", "Done");
    await loaded(page);
    await keys.kept("closing the code");
}

async function startRun({ page, keys }) {
    await keys.open("Payouts due");
    await keys.activate("link", "Start a run");
    await keys.arrive("New payout run");
    await keys.fill("Merchant", "Keys", { role: "searchbox" });
    await page.getByRole("button", { name: /Keys and Co/ }).waitFor();
    await keys.activate("button", /^Keys and Co/);
    await page.getByText("1 merchant, together EUR 49.00.").waitFor();
    await keys.activate("button", "Start the run");
    await page.getByText("Being collected").or(page.getByText("Collected", { exact: true })).waitFor();
    await drain();
    await page.getByRole("link", { name: "Payouts of this run" }).waitFor();
    await keys.kept("the run");
    await keys.activate("link", "Payouts of this run");
    await keys.arrive("Payouts due");
}

async function confirm({ page, keys }, reference) {
    await keys.open("Payouts due");
    await loaded(page);
    await keys.activate("link", "Keys and Co");
    await keys.arrive("EUR 49.00");
    await loaded(page);
    await inDialog(page, keys, "Mark as paid", "Mark as paid", () => keys.fill("Reference of the transfer", reference));
    await drain();
    await page.getByText("Paid and confirmed", { exact: true }).waitFor();
    await keys.kept("the confirmation");
}

async function seePayout(page, keys, reference) {
    for (const name of ["Overview", "Orders", "Gift cards", "Offers", "Reports", "Stores and tills", "Team", "Business details"]) {
        await keys.open(name, name === "Gift cards" ? "Code of the card" : undefined);
        await loaded(page);
        await keys.kept(`loading ${name}`);
    }
    await keys.open("Payouts");
    await loaded(page);
    await keys.activate("link", /\d{4}/);
    await keys.arrive("€49.00");
    await loaded(page);
    await page.getByText(reference).waitFor();
    await page.getByText("1 settlement", { exact: true }).waitFor();
}
