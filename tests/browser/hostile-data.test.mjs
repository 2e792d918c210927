// Pages show what others wrote as text: markup, scripts and marks of direction in every field that a merchant, a member, a buyer or the
// card network fills, and in every part of an address.

import assert from "node:assert/strict";
import test from "node:test";

import { loaded } from "./dashboard.mjs";
import { api, drain, openPage, signIn, urls } from "./support.mjs";

// Where it becomes markup, an element exists; where it becomes a script, `hostile` is set.
const MARKUP = `"'\`><b data-hostile>x</b><img src=x onerror="window.hostile=1"><script>window.hostile=1</script>{{7*7}}\${7*7}\u202e\u2066`;
// What the API takes for a name is shorter.
const NAME = `"><img data-hostile onerror=hostile=1 src=x>`;
// A path with a slash or a dot is that of a file.
const OF_PATH = encodeURIComponent(`"'><img src=x onerror=hostile=1 data-hostile>`);
const LINK = "javascript:window.hostile=1";

const MERCHANT = "m-hostile";
const CARD = "HOSTILE-CARD-1234";

const settlement = (id, more) => ({
    id, merchantId: MERCHANT, sourceType: "REDEMPTION", sourceId: `r-${id}`, redemptionId: `r-${id}`, orderId: "o-hostile", giftCardId: "g-hostile",
    grossAmountMinor: 1000, feeAmountMinor: 100, netAmountMinor: 900, currency: "EUR", feeSnapshot: { percentBps: 0, fixedMinor: 100 },
    status: "PENDING", eligibleAt: "now-2d", createdAt: "now-9d", updatedAt: "now-9d", ...more,
});

const fixtures = {
    merchants: [{
        id: MERCHANT, slug: "hostile", status: "ACTIVE", name: MARKUP, legalName: MARKUP, tradeName: MARKUP, tradingName: MARKUP,
        registrationNumber: MARKUP, vatNumber: MARKUP, country: MARKUP, currency: "EUR", timeZone: "Europe/Berlin", externalMerchantId: MARKUP,
        networkMerchantId: "9901", settlementMode: null, fees: { percentBps: 250, fixedMinor: 10 },
        legalAddress: { line1: MARKUP, city: MARKUP, state: MARKUP, postalCode: MARKUP, country: MARKUP },
        directors: [{ name: MARKUP, role: MARKUP }], documents: [{ type: MARKUP, url: LINK, name: MARKUP }],
        verifierKybStatus: MARKUP, verifierCompanyId: MARKUP, verifierSessionUrl: LINK,
        brand: { logoUrl: LINK, category: MARKUP, descriptor: MARKUP, website: LINK, facebook: LINK, twitter: MARKUP, instagram: MARKUP },
        storefront: { description: MARKUP, primaryColor: "red;}</style>", secondaryColor: LINK, homeUrl: LINK, fraudSiteId: MARKUP, analyticsId: MARKUP },
    }],
    users: [
        { id: "u-hostile", email: "hostile@shop.example", firstName: MARKUP, lastName: MARKUP, phonePrefix: MARKUP, phone: MARKUP, emailVerified: true, merchantId: MERCHANT, merchantTeamRole: "ADMIN" },
        { id: "u-invited", email: "invited@shop.example", firstName: MARKUP, lastName: MARKUP, emailVerified: true },
    ],
    invites: [{
        challengeId: "ch-hostile", merchantId: MERCHANT, email: "invited@shop.example", firstName: MARKUP, lastName: MARKUP, phonePrefix: MARKUP, phone: MARKUP,
        merchantTeamRole: "VIEWER", verifiedAt: "now-1h", verificationExpiresAt: "now-50m", expiresAt: "now+7d",
    }],
    orders: [{
        id: "o-hostile", merchantId: MERCHANT, createdAt: "now-2d", updatedAt: "now-2d", status: "COMPLETED", paymentStatus: "PAYMENT_CAPTURE_SUCCEEDED",
        fulfilmentStatus: "FULFILMENT_FULFILLED", currency: "EUR", totalAmountMinor: 5000, buyerEmail: MARKUP, buyerName: MARKUP, recipientEmail: MARKUP,
        recipientName: MARKUP, deliveryType: "EMAIL", paymentTransactionId: MARKUP, processorTransactionId: MARKUP,
        fraud: { status: "REVIEW", reasonCode: MARKUP, decidedAt: "now-2d" },
        items: [{ offerName: MARKUP, quantity: 1, amountMinor: 5000, currency: "EUR" }],
        giftCards: [{ id: "g-hostile", qrCode: CARD, networkCode: MARKUP, status: "ISSUED", valueMinor: 5000, currency: "EUR" }],
    }],
    redemptions: [{ id: "r-hostile", merchantId: MERCHANT, occurredAt: "now-1d", status: "SUCCEEDED", source: "POS", storeName: MARKUP, amountMinor: 1000, currency: "EUR", qrCode: CARD }],
    settlements: [settlement("s-hostile", {}), settlement("s-held", { held: true })],
    analyticsSessions: [{ merchantId: MERCHANT, sessionId: "as-hostile", startedAt: "now-1d", embed: MARKUP, entry: MARKUP }],
    cardNetwork: {
        merchants: [{ merchantId: "9901", name: MARKUP, logoUrl: null, termsUrl: LINK }],
        stores: [{ merchantId: "9901", externalId: "main", name: MARKUP, address1: MARKUP, city: MARKUP, postcode: MARKUP, country: MARKUP }],
        offers: [{
            merchantId: "9901", giftCardOfferId: 99010, name: MARKUP, description: MARKUP, giftCardOfferType: "GIFTCARD_DIGITAL", giftCardOfferStatus: "AVAILABLE",
            usage: MARKUP, type: MARKUP, currency: "EUR", minPrice: 5, maxPrice: 500, urlGiftcardResource: LINK, giftCardDesign: [{ urlImage: LINK, urlResource: LINK }],
        }],
        cards: [{ merchantId: "9901", qrCode: CARD, status: MARKUP, value: 50, valueRemains: 40, currency: "EUR" }],
    },
};

let isLoaded = false;
async function load() {
    if (isLoaded) return;
    isLoaded = true;
    await api("POST", "/__local/fixtures", fixtures);
}

/** Requires that nothing of what the page shows has become markup, a script or a link that runs one. */
async function checkInert(page, what) {
    const found = await page.evaluate(() => {
        /** The document, and what is in shadow trees. */
        const roots = (root) => [root, ...[...root.querySelectorAll("*")].flatMap((one) => (one.shadowRoot ? roots(one.shadowRoot) : []))];
        const all = roots(document).flatMap((root) => [...root.querySelectorAll("*")]);
        const runs = (value) => /^\s*(javascript|data:text|vbscript):?/i.test(value ?? "");
        return {
            ran: Boolean(window.hostile),
            elements: all.filter((one) => one.hasAttribute("data-hostile") || [...one.attributes].some(({ name }) => name.startsWith("on"))).map((one) => one.outerHTML),
            links: all.flatMap((one) => ["href", "src", "action", "formaction"].map((name) => one.getAttribute(name)).filter(runs)),
        };
    });
    assert.deepEqual(found, { ran: false, elements: [], links: [] }, what);
}

const visible = (page) => page.evaluate(() => document.body.innerText);

test("the dashboard shows a member what others wrote as text", async () => {
    await load();
    const page = await openPage({ expected: [/4\d\d GET/] });
    const token = await signIn(page, "u-hostile");
    const as = { authorization: `Bearer ${token}` };
    await api("POST", "/api/auth/tills", { name: NAME, retailStoreId: "main", retailStoreName: NAME }, as);
    const { data } = await api("POST", "/api/bff/webhooks", { url: `${urls.api}/hooks?a='%22%3E%3Cb%3E`, events: ["payout.paid"], description: NAME }, as);
    const paths = ["/overview", "/orders", "/orders/o-hostile", `/orders?q=${encodeURIComponent(MARKUP)}`, "/gift-cards", `/gift-cards?code=${CARD}`, "/offers", "/offers/99010",
        "/offers/new", "/payouts", "/payouts?tab=settlements", "/reports", "/reports?tab=visits", "/reports?tab=fraud", "/reports?tab=redemptions", "/stores", "/team", "/developers",
        `/webhooks/${data.id}`, "/business", "/application", "/account"];
    let shown = 0;
    for (const path of paths) {
        await page.goto(urls.dashboard + path);
        await loaded(page);
        await checkInert(page, path);
        shown += (await visible(page)).includes("data-hostile") ? 1 : 0;
    }
    // Otherwise nothing was tried.
    assert.ok(shown >= 8, `markup is shown as text on ${shown} pages`);
});

test("the dashboard shows an administrator of the platform what a merchant wrote as text", async () => {
    await load();
    const page = await openPage({ expected: [/4\d\d GET/] });
    const token = await signIn(page, "u-root");
    const as = { authorization: `Bearer ${token}`, "idempotency-key": "hostile" };
    const { data } = await api("POST", "/api/admin/payouts", { merchantId: MERCHANT }, as);
    await drain();
    for (const path of ["/merchants", `/merchants?q=${encodeURIComponent(MARKUP)}`, `/merchants/${MERCHANT}`, "/payouts-due", `/payouts-due/run?run=${data.runId}`]) {
        await page.goto(urls.dashboard + path);
        await loaded(page);
        await checkInert(page, path);
    }
    await page.goto(`${urls.dashboard}/merchants/${MERCHANT}`);
    await page.getByText("data-hostile").first().waitFor();
});

test("an invitation shows the name of its merchant as text", async () => {
    await load();
    const page = await openPage({ expected: [/4\d\d GET/] });
    await signIn(page, "u-invited");
    await page.goto(`${urls.dashboard}/start`);
    await page.getByText("data-hostile").first().waitFor();
    await checkInert(page, "/start");
});

test("the till shows names and cards as text", async () => {
    await load();
    const { token } = await api("POST", "/__local/sessions", { userId: "u-hostile" });
    const { data } = await api("POST", "/api/auth/tills", { name: NAME, retailStoreId: "main", retailStoreName: NAME }, { authorization: `Bearer ${token}` });
    const page = await openPage();
    await page.goto(urls.till);
    await page.getByLabel("Pairing code").fill(data.pairingCode);
    await page.getByRole("heading", { name: "Redeem a gift card" }).waitFor();
    await checkInert(page, "the paired till");
    await page.getByLabel("Card code").fill(CARD);
    await page.getByRole("button", { name: "Find card" }).click();
    await page.getByText(CARD.slice(-4)).first().waitFor();
    await checkInert(page, "the card");
    await page.goto(`${urls.till}/sell`);
    await page.getByText("data-hostile").first().waitFor();
    await checkInert(page, "selling");
});

test("the storefront shows a merchant's texts and offers as text", async () => {
    await load();
    const page = await openPage({ expected: [/404 GET/] });
    for (const origin of [urls.storefront, `${urls.api}/shop`]) {
        await page.goto(`${origin}/hostile`);
        await page.getByText("data-hostile").first().waitFor();
        await checkInert(page, origin);
    }
    for (const path of [`/${OF_PATH}`, `/hostile?${encodeURIComponent(MARKUP)}#${encodeURIComponent(MARKUP)}`]) {
        await page.goto(urls.storefront + path);
        await checkInert(page, path);
    }
});

test("parts of an address are text", async () => {
    await load();
    const page = await openPage({ expected: [/4\d\d /] });
    await signIn(page, "u-hostile");
    const word = encodeURIComponent(MARKUP);
    const paths = [`/${OF_PATH}`, `/orders/${OF_PATH}`, `/offers/${OF_PATH}`, `/webhooks/${OF_PATH}`, `/payouts/${OF_PATH}`, `/orders?status=${word}&paymentStatus=${word}&from=${word}&page=${word}`,
        `/reports?tab=${word}&days=${word}`, `/payouts?tab=${word}`, `/invite?challenge=${word}`, `/invite#${word}`, `/overview#${word}`, `/gift-cards?code=${word}`,
        `/orders?next=${encodeURIComponent(LINK)}`, `/start?next=${encodeURIComponent(LINK)}`, `/start?next=${encodeURIComponent("https://elsewhere.example/")}`];
    for (const path of paths) {
        await page.goto(urls.dashboard + path);
        await loaded(page);
        await checkInert(page, path);
        assert.equal(new URL(page.url()).origin, urls.dashboard, path);
    }
    for (const [origin, path] of [[urls.till, `/?${word}#${word}`], [urls.shop, `/?${word}#${word}`], [urls.api, `/?${word}#${word}`]]) {
        await page.goto(origin + path);
        await checkInert(page, origin);
    }
});

test("the console shows users, requests and mails as text", async () => {
    await load();
    await api("POST", "/api/auth/code", { email: "hostile@shop.example" });
    await drain();
    const page = await openPage({ expected: [/4\d\d /, /console Blocked script execution/] });
    await page.goto(urls.api);
    await page.getByText("data-hostile").first().waitFor();
    await checkInert(page, "users");
    for (const name of ["Mail", "Requests"]) {
        await page.getByRole("link", { name, exact: true }).click();
        await page.getByRole("heading", { level: 1, name }).waitFor();
        await page.locator("main [aria-busy]").waitFor({ state: "detached" });
        await checkInert(page, name);
    }
});
