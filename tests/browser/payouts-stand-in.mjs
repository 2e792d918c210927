// Stands in for routes that the API does not have yet: GET /api/bff/payouts, /api/bff/payouts/{id} and /api/bff/payouts/{id}/file.
// It answers from what the API knows otherwise: a merchant's settlements, and payouts as platform administrators see them.
// To be deleted, with its call in dashboard.mjs, once the API has them.

import { api, urls } from "./support.mjs";

const TAKE = 200;

/** @param {import("playwright-core").Page} page @param {string} token of whoever is signed in */
export async function standInForPayouts(page, token) {
    const merchant = (path) => api("GET", path, undefined, { authorization: `Bearer ${token}` });
    const platform = async (path) => {
        const { token: root } = await api("POST", "/__local/sessions", { userId: "u-root" });
        return (await api("GET", path, undefined, { authorization: `Bearer ${root}` })).data;
    };
    const session = async () => (await merchant("/api/auth/session")).data;
    const answer = async (pathname, search) => {
        const { merchant: { id: merchantId } } = await session();
        const [, id, file] = /^\/api\/bff\/payouts(?:\/([^/]+))?(\/file)?$/.exec(pathname);
        if (file) return platform(`/api/admin/payouts/${id}/file`);
        const all = (await platform(`/api/admin/payouts?limit=${TAKE}&merchantId=${merchantId}`)).payouts
            .filter(({ status }) => !status.startsWith("CANCEL")).map(payoutView);
        if (!id) {
            const limit = Number(search.get("limit") ?? 20);
            const skip = Number(search.get("cursor") ?? 0);
            const next = skip + limit < all.length ? String(skip + limit) : null;
            return { outlook: await outlook(merchant), payouts: all.slice(skip, skip + limit), next };
        }
        const payout = all.find((one) => one.id === id);
        return payout && { ...payout, settlements: (await platform(`/api/admin/settlements?limit=${TAKE}&payoutId=${id}`)).settlements, next: null };
    };
    await page.route(/\/api\/bff\/payouts(\/|\?|$)/, async (route) => {
        const { pathname, searchParams } = new URL(route.request().url());
        const data = await answer(pathname, searchParams).catch(() => undefined);
        await route.fulfill({
            status: data ? 200 : 404, json: data ? { ok: true, data } : { ok: false, error: { code: "NOT_FOUND", message: "There is no such payout." } },
            headers: { "access-control-allow-origin": urls.dashboard, "access-control-allow-credentials": "true", "cache-control": "no-store" },
        });
    });
}

const payoutView = ({ id, currency, netAmountMinor, count, status, createdAt, closedAt, reference }) =>
    ({ id, currency, netAmountMinor, count, status: status === "PAID" ? "PAID" : "IN_PROGRESS", createdAt, paidAt: status === "PAID" ? closedAt : null, reference });

/** What a run would take now, by currency. */
async function outlook(merchant) {
    const sums = new Map();
    for (let skip = 0, total = 1; skip < total; skip += TAKE) {
        const page = await merchant(`/api/bff/settlements?take=${TAKE}&skip=${skip}`);
        total = page.total;
        for (const { currency, status, held, eligibleAt, netAmountMinor } of page.rows) {
            if (status === "PAID") continue;
            const sum = sums.get(currency) ?? { currency, payableMinor: 0, laterMinor: 0, nextEligibleAt: null, inProgressMinor: 0, heldMinor: 0, blocked: null };
            sums.set(currency, sum);
            if (status === "IN_BATCH") sum.inProgressMinor += netAmountMinor;
            else if (held) sum.heldMinor += netAmountMinor;
            else if (Date.parse(eligibleAt) <= Date.now()) sum.payableMinor += netAmountMinor;
            else {
                sum.laterMinor += netAmountMinor;
                sum.nextEligibleAt = [eligibleAt, sum.nextEligibleAt ?? eligibleAt].toSorted()[0];
            }
        }
    }
    return [...sums.values()];
}
