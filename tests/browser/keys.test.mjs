// Keys of a merchant's own programs: made, shown once, rotated and revoked.

import assert from "node:assert/strict";
import test from "node:test";
import { open } from "./dashboard.mjs";
import { checkAccess, checkWidth, screenshot, urls } from "./support.mjs";

const statusOf = async (key) =>
    (await fetch(`${urls.api}/api/bff/merchant-orders?pageSize=1`, { headers: { authorization: `Bearer ${key}` } })).status;

test("a key is made, shown once, rotated and revoked", async () => {
    const page = await open("u-anna", "/developers", "Developers");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Bookkeeping");
    await page.locator("input[value=\"portal.orders\"]").check();
    await checkAccess(page);
    await screenshot(page, "keys-new");
    await page.getByRole("button", { name: "Create the key" }).click();
    const shown = () => page.getByRole("textbox", { name: "Key" }).inputValue();
    const key = await shown();
    assert.match(key, /^gcpk_\w+$/);
    await page.getByRole("button", { name: "I have stored it" }).click();
    assert.equal(await statusOf(key), 200);
    assert.ok(!(await page.content()).includes(key), "it is not shown again");

    await page.getByRole("button", { name: "Rotate Bookkeeping" }).click();
    await page.getByLabel("The current secret works for").selectOption("0");
    await page.getByRole("button", { name: "Create a new secret" }).click();
    const other = await shown();
    await page.getByRole("button", { name: "I have stored it" }).click();
    assert.deepEqual([await statusOf(key), await statusOf(other)], [401, 200]);
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "keys");

    await page.getByRole("button", { name: "Revoke Bookkeeping" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke Bookkeeping" }).click();
    await page.getByText("Revoked", { exact: true }).waitFor();
    assert.equal(await statusOf(other), 401);
});
