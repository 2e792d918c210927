/** An entry of a journal: a redemption of the card that is named like its key. */
export function entry(key, fields = {}) {
    return {
        key,
        call: "redeem",
        body: { qrCode: `card of ${key}`, redeemAmount: 1, purchaseAmount: 1 },
        merchant: "m-1",
        till: null,
        startedAt: 0,
        steps: [],
        reference: null,
        retryAfter: 0,
        note: {},
        outcome: null,
        ...fields,
    };
}
