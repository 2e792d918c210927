// From a stranger's first page to a payout that is paid, by touch on a phone: what is tapped is what is hit, and nothing scrolls sideways.

import test from "node:test";

import { codeFor, loaded, NOBODY } from "./dashboard.mjs";
import { openAccount, returnTo, sellAndRedeem } from "./journey.mjs";
import { api, checkWidth, drain, openPage, signIn, urls } from "./support.mjs";
import { fingerOf } from "./touch.mjs";

const CARD = "TOUCH-CARD-1";
const REFERENCE = "SEPA-TOUCH-1";

test("a stranger founds a business and is paid out, by touch", async () => {
    await openAccount("1778", "Touch and Co", CARD);
    const owner = await openPage({ size: "phone", expected: [NOBODY] });
    const finger = fingerOf(owner);
    await signUp(owner, finger);
    await apply(owner, finger);
    await verify(owner, finger);
    await approve();
    await returnTo(owner);
    await finger.arrive("Overview");
    await createOffer(owner, finger);
    await equip(owner, finger);
    await startRun();
    await confirm();
    await seePayout(owner, finger);
});

async function signUp(page, finger) {
    await page.goto(urls.dashboard);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await checkWidth(page);
    await finger.fill("E-mail address", "tove@touch.example");
    await finger.button("Send code");
    const code = await codeFor("tove@touch.example", page.getByLabel("Code", { exact: true }));
    await checkWidth(page);
    await finger.fill("Code", code);
    await finger.arrive("Set up your business");
    await finger.button("Not now"); // a passkey
    await finger.fill("Name of the business", "Touch and Co");
    await finger.choose("Country", "Finland");
    await finger.button("Set up the business");
}

async function apply(page, finger) {
    await finger.arrive("Application");
    for (const [name, text] of [
        ["Registration number", "7654321-8"], ["VAT number", "FI76543218"], ["Street and number", "Aurakatu 2"], ["Postal code", "20100"], ["City", "Turku"],
        ["Name", "Tove Touch"], ["Role", "Managing director"],
    ]) await finger.fill(name, text);
    await finger.tap(page.getByLabel("I accept the terms of the platform."));
    await finger.tap(page.getByLabel("I accept the privacy notice."));
    await finger.button("Send the application");
    await page.getByText("The platform has received your application.").waitFor();
    await checkWidth(page);
}

async function verify(page, finger) {
    await drain();
    const [verifier] = await Promise.all([page.waitForEvent("popup"), finger.link("Start the verification")]);
    await verifier.waitForLoadState();
    await Promise.all([verifier.waitForNavigation(), verifier.getByRole("button", { name: /approve/i }).tap()]);
    await drain();
    await verifier.close();
    await returnTo(page);
    await page.getByText("The directors have proved their identity.").waitFor();
}

async function approve() {
    const { token } = await api("POST", "/__local/sessions", { userId: "u-root" });
    const root = { authorization: `Bearer ${token}` };
    const { data: { merchants: [{ id }] } } = await api("GET", "/api/admin/merchants?q=touch-and-co", undefined, root);
    await api("PATCH", `/api/admin/merchants/${id}`, {
        networkMerchantId: "1778", settlementMode: "SETTLEMENT_ON_REDEMPTION", fees: { percentBps: 200, fixedMinor: 0 }, payoutDelayDays: 0, reason: "The contract",
    }, root);
    await api("PATCH", `/api/admin/merchants/${id}`, { status: "ACTIVE", reason: "All documents are in order" }, root);
}

async function createOffer(page, finger) {
    await finger.link("Create an offer");
    await finger.arrive("New offer");
    await finger.fill("Name", "Touch gift card");
    await finger.button("Set amounts");
    await finger.fill("Amounts", "25, 50, 60");
    await finger.button("Add", { exact: true });
    await finger.button("Remove €60.00");
    await finger.button("Create offer");
    await finger.arrive("Offers");
    await finger.link(/Touch gift card/);
    await finger.arrive("Touch gift card");
    await finger.button("Put on sale");
    await page.getByText("On sale now.").waitFor();
}

/** Adds a store and pairs a till, at which a card is sold and another one redeemed. */
async function equip(page, finger) {
    await finger.open("Stores and tills");
    await finger.button("Add a store");
    for (const [name, text] of [["Name", "Market hall"], ["Address", "Kauppatori 2"], ["City", "Turku"]]) await finger.fill(name, text);
    await finger.button("Add the store");
    await page.getByText("Kauppatori 2").waitFor();
    await finger.button("Pair a till");
    await finger.fill("Name of the till", "Counter 1");
    await finger.button("Show the code");
    await sellAndRedeem(page, CARD, () => page.getByText("Counter 1 is paired and ready.").waitFor());
    await finger.button("Done");
    await loaded(page);
    await checkWidth(page);
}

/** An administrator of the platform on a phone, at their first page. */
async function administrator(userId) {
    const page = await openPage({ size: "phone" });
    await signIn(page, userId);
    await page.goto(urls.dashboard);
    const finger = fingerOf(page);
    await finger.arrive("Merchants");
    await finger.open("Payouts due");
    return { page, finger };
}

async function startRun() {
    const { page, finger } = await administrator("u-root");
    await finger.link("Start a run");
    await finger.arrive("New payout run");
    await finger.fill("Merchant", "Touch");
    await finger.button(/^Touch and Co/);
    await page.getByText("1 merchant, together EUR 49.00.").waitFor();
    await finger.button("Start the run");
    await page.getByRole("heading", { level: 1, name: "Payout run", exact: true }).waitFor();
    await drain();
    await finger.link("Payouts of this run");
    await finger.arrive("Payouts due");
}

async function confirm() {
    const { page, finger } = await administrator("u-rut");
    await finger.link("Touch and Co");
    await finger.arrive("EUR 49.00");
    await finger.button("Mark as paid");
    await finger.fill("Reference of the transfer", REFERENCE);
    await finger.tap(page.getByRole("dialog").getByRole("button", { name: "Mark as paid" }));
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await drain();
    await page.getByText("Paid and confirmed", { exact: true }).waitFor();
}

async function seePayout(page, finger) {
    for (const name of ["Overview", "Orders", "Gift cards", "Offers", "Reports", "Team", "Business details", "Payouts"]) await finger.open(name);
    await finger.tap(page.getByRole("row", { name: new RegExp(REFERENCE) }));
    await finger.arrive("€49.00");
    await page.getByText(REFERENCE).waitFor();
}
