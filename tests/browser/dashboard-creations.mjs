// Changes of the dashboard that create something, and those that take several steps: as in dashboard-changes.mjs. `made` counts what a
// press has created. `ends` waits for the end of what goes on in the background, at which the page `looks`.

import { as, business, click, dialogButton, endpoint, fill, payout, payoutOf } from "./dashboard-changes.mjs";
import { drain } from "./support.mjs";

const named = (list, name) => list.filter((one) => one.name === name).length;

/** Drains while the page waits for background work. */
async function drainUntil(locator) {
    for (let attempt = 0; attempt < 20; attempt++) {
        await drain();
        if (await locator.waitFor({ timeout: 1000 }).then(() => true, () => false)) return;
    }
    await locator.waitFor();
}

/** Each of a business of its own: only one export is written at a time. */
const exporting = (kind, path, heading) => async () => {
    const name = `exporting-${kind}`;
    await business(name);
    return {
        user: `u-${name}`, path, heading, closes: "Close", creates: true,
        prepare: async (page) => (await click(page, "Export"), dialogButton(page, `Export ${kind}`)),
        made: async () => (await as(`u-${name}`, "GET", "/api/bff/merchant/activity")).data.events.filter(({ action }) => action === "EXPORT_REQUESTED").length,
        looks: /\/exports\//,
        ends: (page) => drainUntil(page.getByText(/^The file is ready/)),
    };
};

const payoutsOf = async (name) => (await as("u-root", "GET", `/api/admin/payouts?merchantId=m-${name}`)).data.payouts.filter(({ status }) => !status.startsWith("CANCELL"));

/** A payout with two settlements, and the dialog that takes one of them out. */
const takingOut = (name, row) => async () => {
    const id = await payout(name);
    const openDialog = async (page) => {
        page.expected.push(/409 PATCH .*\/api\/admin\/settlements\//); // it leaves the payout some time after the decision
        await page.getByRole("listitem").filter({ hasText: `s-${name}-1` }).getByRole("button", { name: "Take out" }).click();
        await fill(page, { Reason: "A test" });
        return page.locator("dialog[open] footer button.primary");
    };
    return {
        user: "u-rut", path: `/payouts-due/${id}`, heading: "EUR 100.00", closes: "Close",
        ends: (page) => drainUntil(page.locator("dialog[open]").getByText("There is a new payout without it.")),
        ...row({ id, name, openDialog }),
    };
};

/** Up to the step, whose first attempt is lost. */
const upTo = (openDialog) => async (page) => {
    const next = await openDialog(page);
    await next.click();
    await drainUntil(page.locator("dialog[open]").getByRole("alert"));
    return next;
};

export const CREATIONS = {
    "add a store": async () => ({
        user: "u-anna", path: "/stores", heading: "Stores and tills", creates: true,
        prepare: async (page) => (await click(page, "Add a store"), await fill(page, { Name: "Doubt East", Address: "Gatan 1", City: "Umeå" }), dialogButton(page, "Add the store")),
        made: async () => named((await as("u-anna", "GET", "/api/bff/merchant-stores")).data.retailStores, "Doubt East"),
        shows: (page) => page.getByRole("button", { name: "Edit Doubt East" }),
    }),
    "pair a till": async () => ({
        user: "u-anna", path: "/stores", heading: "Stores and tills", creates: true, closes: "Close",
        prepare: async (page) => (await click(page, "Pair a till"), await fill(page, { "Name of the till": "Doubt new" }), dialogButton(page, "Show the code")),
        made: async () => named((await as("u-anna", "GET", "/api/auth/tills")).data, "Doubt new"),
        ends: (page) => page.locator(".pairing .mono").waitFor(),
        shows: (page) => page.getByRole("button", { name: "Pair: Doubt new" }),
    }),
    "invite somebody": async () => ({
        user: "u-doubt", path: "/team", heading: "Team", creates: true, closes: "Later",
        prepare: async (page) => {
            await click(page, "Invite somebody");
            await fill(page, { "E-mail address": "invited@doubt.example", "First name": "Bo", "Last name": "invited" });
            return dialogButton(page, "Send me the code");
        },
        made: async () => (await as("u-doubt", "GET", "/api/bff/merchant/users")).data.filter(({ email }) => email === "invited@doubt.example").length,
        ends: (page) => page.getByRole("dialog", { name: "Confirm the invitation of Bo invited" }).waitFor(),
        shows: (page) => page.getByRole("button", { name: "Enter the code: Bo invited" }),
    }),
    "create an endpoint": async () => (await business("hooked"), {
        user: "u-hooked", path: "/developers", heading: "Developers", creates: true, closes: "I have stored it",
        prepare: async (page) => {
            await click(page, "New endpoint");
            await fill(page, { "Address (URL)": "https://made.example.com/" });
            await page.locator("dialog[open] fieldset").getByRole("checkbox").first().check();
            return dialogButton(page, "Create the endpoint");
        },
        made: async () => (await as("u-hooked", "GET", "/api/bff/webhooks")).data.filter(({ url }) => url === "https://made.example.com/").length,
        ends: (page) => page.getByRole("textbox", { name: "Secret" }).waitFor(),
    }),
    "send a message again": async () => {
        await business("resent");
        const id = await endpoint("again", "u-resent");
        await as("u-resent", "POST", `/api/bff/webhooks/${id}/test`, { event: "gift_card.issued" });
        const delivery = async () => {
            await drain();
            return (await as("u-resent", "GET", `/api/bff/webhooks/${id}/deliveries`)).data.deliveries[0];
        };
        let before;
        do before = await delivery(); while (before.status === "PENDING"); // until nothing sends it by itself
        return {
            user: "u-resent", path: `/webhooks/${id}`, heading: "again.example.com",
            prepare: (page) => page.getByRole("button", { name: /^Send again: / }),
            looks: /\/deliveries/,
            ends: (page) => drainUntil(page.locator(".toast", { hasText: /^Sent again|is on its way again/ })),
            happened: async () => (await delivery()).attempts.length > before.attempts.length,
        };
    },
    "create an offer": async () => ({
        user: "u-anna", path: "/offers/new", heading: "New offer", creates: true,
        prepare: async (page) => (await fill(page, { Name: "Doubt new", From: "10", To: "50" }), page.getByRole("button", { name: "Create offer" })),
        made: async () => named((await as("u-anna", "GET", "/api/bff/offers")).data.items, "Doubt new"),
        shows: (page) => page.getByRole("button", { name: "Put on sale: Doubt new" }),
    }),
    "export orders": exporting("orders", "/orders", "Orders"),
    "export redemptions": exporting("redemptions", "/reports?tab=redemptions", "Reports"),
    "export settlements": exporting("settlements", "/payouts", "Payouts"),
    "start a payout run": async () => (await business("run"), {
        user: "u-root", path: "/payouts-due/run", heading: "New payout run", creates: true,
        prepare: async (page) => {
            await page.getByRole("searchbox", { name: "Merchant" }).fill("run shop");
            await page.getByRole("button", { name: "run shop" }).click();
            await page.getByText("1 merchant, together EUR 100.00.").waitFor();
            return page.getByRole("button", { name: "Start the run" });
        },
        made: async () => (await drain(), (await payoutsOf("run")).length),
        shows: (page) => page.getByRole("heading", { name: "Payout run", exact: true }),
    }),
    "take out: the payout": takingOut("out-payout", ({ id, openDialog }) => ({
        looks: /\/payouts\/runs\//,
        prepare: openDialog,
        happened: async () => (await payoutOf(id)).status.startsWith("CANCELL"),
    })),
    "take out: the settlement": takingOut("out-settlement", ({ name, openDialog }) => ({
        prepare: upTo(openDialog),
        happened: async () => (await as("u-root", "GET", `/api/admin/settlements?merchantId=m-${name}&held=true`)).data.settlements.length === 1,
    })),
    "take out: another run": takingOut("out-run", ({ name, openDialog }) => ({
        creates: true,
        prepare: upTo(openDialog),
        made: async () => (await drain(), (await payoutsOf(name)).length),
    })),
};
