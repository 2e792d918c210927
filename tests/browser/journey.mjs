// The way of a new business to its first payout: what happens besides the dashboard. Shared by the tests that go it.

import { api, drain } from "./support.mjs";

/** Opens an account at the card network, with a card of 80 euros that was sold in a shop. */
export const openAccount = (merchantId, name, card) => api("POST", "/__local/fixtures", {
    cardNetwork: {
        merchants: [{ merchantId, name, country: "FI", currency: "EUR", status: "ACTIVE" }],
        cards: [{ merchantId, qrCode: card, status: "ACTIVE", value: 80, valueRemains: 80, currency: "EUR" }],
    },
});

/** Pairs a till with the code that the page shows, sells a card at it, and redeems 50 euros of the other card. */
export async function sellAndRedeem(page, card, paired) {
    const code = await page.locator(".pairing .mono").innerText();
    const { data: { token } } = await api("POST", "/api/auth/tills/pairing", { code: code.replace(/\s/, "") });
    await paired();
    const till = { authorization: `Bearer ${token}` };
    await api("POST", "/api/bff/pos/issue", { value: 25, deliveryDetails: { deliveryType: "QR" } }, till);
    await api("POST", "/api/bff/pos/redeem", { qrCode: card, redeemAmount: 50, purchaseAmount: 50 }, till);
    await drain();
}

/** Comes back to the page from another tab or another app. */
export const returnTo = (page) => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
