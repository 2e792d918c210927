// What the till's tests share: a paired till, cards, and hands to scan and enter them.

import { api, openPage, urls } from "./support.mjs";

/** Sends a request as an administrator of Aurora Coffee. */
export async function asAdmin(method, path, body) {
    token ??= (await api("POST", "/__local/sessions", { userId: "u-anna" })).token;
    return api(method, path, body, { authorization: `Bearer ${token}` });
}
let token;

/** Makes a till and returns its id and pairing code. */
export async function newTill(name = "till 2") {
    const till = { name, retailStoreId: "101", retailStoreName: "Main street" };
    return (await asAdmin("POST", "/api/auth/tills", till)).data;
}

/** Opens the till's page, paired. All of them are one till: a client may pair only 20 times an hour. */
export async function openTill({ url = urls.till, ...options } = {}) {
    const page = await openPage(options);
    await page.goto(url);
    if (pairing) {
        await page.getByRole("heading", { name: "Pair this till" }).waitFor();
        await page.evaluate((value) => localStorage.setItem("pairing", value), pairing);
        await page.reload();
    } else {
        await page.getByLabel("Pairing code").fill((await newTill()).pairingCode);
    }
    await page.getByRole("heading", { name: "Redeem a gift card" }).waitFor();
    await page.waitForFunction(() => JSON.parse(localStorage.getItem("pairing"))?.merchant.primaryColor);
    pairing = await page.evaluate(() => localStorage.getItem("pairing"));
    return page;
}
let pairing;

/** Issues a card of this value, in kronor, and returns its code. */
export async function newCard(value) {
    const sale = { value, deliveryDetails: { deliveryType: "QR" } };
    return (await asAdmin("POST", "/api/bff/pos/issue", sale)).data.qrCode;
}

/** What is left on the card, as the card network has it. */
export const balance = async (code) => Number((await asAdmin("GET", `/api/bff/pos/card/${code}`)).data.valueRemains);

/** How many redeems of the card reached the card network. */
export const redeems = async (code) => (await api("GET", "/__local/upstream-calls"))
    .filter(({ method, path, body }) => method === "POST" && path.endsWith("/cards/redeem") && body.qrCode === code).length;

/** A hand scanner: the code within milliseconds, then Enter. Sent from within the page, so that a busy machine does not make it
 * as slow as a person. */
export const scan = (page, code) => page.evaluate((text) => {
    for (const key of [...text, "Enter"]) {
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, composed: true }));
    }
}, code);

/** Finds the card and enters the purchase total on the keypad. */
export async function enter(page, code, digits) {
    await page.getByLabel("Card code").fill(code);
    await page.getByRole("button", { name: "Find card" }).click();
    await page.getByText("Purchase total", { exact: true }).waitFor();
    for (const digit of digits) await page.getByRole("button", { name: digit, exact: true }).click();
}

export const button = (page, name) => page.getByRole("button", { name });
export const heading = (page, name) => page.getByRole("heading", { name });
