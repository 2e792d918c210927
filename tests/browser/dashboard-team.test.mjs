// Who may do what: roles, chosen permissions, and what a change of them means.

import assert from "node:assert/strict";
import test from "node:test";

import { loaded, open, show } from "./dashboard.mjs";
import { api, checkAccess, checkWidth, screenshot } from "./support.mjs";

/** A session of the user for the API. */
const sessionOf = async (userId) => ({ authorization: `Bearer ${(await api("POST", "/__local/sessions", { userId })).token}` });

/** Gives Felix of Aurora Coffee full access again. */
async function restoreFelix() {
    await api("PATCH", "/api/bff/merchant/users", { targetUserId: "u-felix", merchantTeamRole: "FULL" }, await sessionOf("u-anna"));
}

/** Opens the dialog about the role of somebody. */
async function openRole(page, name) {
    await page.getByRole("button", { name: `Change role of ${name}` }).click();
    return page.getByRole("dialog", { name: `Change the role of ${name}` });
}

test("a role is text, and a change of it says what is gained and lost", async () => {
    const page = await open("u-anna", "/team", "Team");
    assert.equal(await page.getByRole("combobox").count(), 0, "nothing that one key changes");
    await page.getByRole("listitem").filter({ hasText: "Felix Strand" }).getByText("Full access").waitFor();

    const dialog = await openRole(page, "Felix Strand");
    await dialog.getByText("Now: Full access").waitFor();
    await dialog.getByLabel("Admin").check();
    await dialog.getByText("They gain").waitFor();
    await dialog.getByText("Invite, change and remove members, pair and revoke tills").waitFor();
    await dialog.getByLabel("Viewer (read-only)").check();
    await dialog.getByText("They lose").waitFor();
    await dialog.getByText("Sell and redeem cards at a till").waitFor();
    assert.equal(await dialog.getByText("They gain").count(), 0);
    await checkAccess(page);
    await screenshot(page, "dashboard-change-role");

    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Discard what you typed?" }).getByRole("button", { name: "Discard" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("listitem").filter({ hasText: "Felix Strand" }).getByText("Full access").waitFor();
});

test("a member gets chosen permissions, and sees no more than these", async () => {
    const page = await open("u-anna", "/team", "Team", { size: "phone", theme: "dark" });
    const dialog = await openRole(page, "Felix Strand");
    await dialog.getByLabel("Chosen permissions").check();
    await dialog.getByRole("button", { name: "Change role" }).click();
    await dialog.getByText("Choose a role, or at least one permission.").waitFor();
    await dialog.getByRole("checkbox", { name: "Orders" }).check();
    await dialog.getByRole("checkbox", { name: "Payouts" }).check();
    await checkAccess(page);
    await checkWidth(page);
    await dialog.getByRole("button", { name: "Change role" }).click();
    await page.getByText("Felix Strand: Chosen permissions: orders, payouts.").waitFor();

    const felix = await open("u-felix", "/", "Orders");
    assert.deepEqual(await felix.locator("#side nav").getByRole("link").allInnerTexts(), ["Orders", "Payouts"]);
    await restoreFelix();
});

test("who manages the team without being an administrator gives what they hold, and no more", async () => {
    const anna = await sessionOf("u-anna");
    const permissions = ["merchant.team.invite", "portal.orders"];
    await api("PATCH", "/api/bff/merchant/users", { targetUserId: "u-felix", permissions }, anna);
    const page = await open("u-felix", "/team", "Team");
    assert.equal(await page.getByRole("button", { name: "Change role of Anna Berg" }).count(), 0);
    await page.getByRole("button", { name: "Invite somebody" }).click();
    const dialog = page.getByRole("dialog", { name: "Invite somebody" });
    assert.deepEqual(await dialog.getByRole("radio").evaluateAll((inputs) => inputs.map((input) => input.value)), ["CHOSEN"]);
    assert.deepEqual(await dialog.getByRole("checkbox").evaluateAll((inputs) => inputs.map((input) => input.value)), ["portal.orders"]);
    await restoreFelix();
});

test("a list of permissions is written in words, and so is a member of before roles", async () => {
    const page = await open("u-anna", "/overview", "Overview");
    await show(page, "/team", "Team");
    await loaded(page);
    await page.getByText("till@aurora.example · Chosen permissions: till only").waitFor();
    await page.getByText("olle@aurora.example · All permissions, no role").waitFor();
    const dialog = await openRole(page, "Olle Ek");
    await dialog.getByLabel("Full access").check();
    await dialog.getByText("They lose").waitFor();
});
