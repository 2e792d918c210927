// What somebody typed: it is not lost, it is saved as it is shown, and it is saved for nobody else.

import assert from "node:assert/strict";
import test from "node:test";

import { codeFor, loaded, open, show, releaseOf } from "./dashboard.mjs";
import { api, checkAccess, checkWidth, expectProblem, screenshot, signIn, urls } from "./support.mjs";

/** The offers of the user's merchant, as the API has them. */
async function offersOf(userId) {
    const { token } = await api("POST", "/__local/sessions", { userId });
    return (await api("GET", "/api/bff/offers", undefined, { authorization: `Bearer ${token}` })).data.items;
}

const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

const discarding = (page) => page.getByRole("dialog", { name: "Discard what you typed?" });

test("leaving a changed form asks, by a link, by Back and by Escape", async () => {
    const page = await open("u-lena", "/offers", "Offers");
    await page.getByRole("link", { name: "New offer" }).click();
    await page.getByLabel("Name").fill("Half typed");

    await page.getByRole("link", { name: "Stores and tills" }).click();
    await checkAccess(page);
    await discarding(page).getByRole("button", { name: "Keep editing" }).click();
    assert.equal(await page.getByLabel("Name").inputValue(), "Half typed");
    await page.evaluate(() => history.back());
    await discarding(page).getByRole("button", { name: "Keep editing" }).click();
    assert.ok(page.url().endsWith("/offers/new"));
    assert.equal(await page.getByLabel("Name").inputValue(), "Half typed");
    await page.evaluate(() => history.back());
    await discarding(page).getByRole("button", { name: "Discard" }).click();
    await page.getByRole("heading", { level: 1, name: "Offers" }).waitFor();
    assert.ok(page.url().endsWith("/offers"));

    await page.goto(`${urls.dashboard}/team`);
    await page.getByRole("button", { name: "Invite somebody" }).click();
    await page.getByLabel("First name").fill("Ida");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await discarding(page).waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("First name").inputValue(), "Ida", "the second Escape answers the question");
    await page.keyboard.press("Escape");
    await discarding(page).getByRole("button", { name: "Discard" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("a late answer leads nobody away from where they have gone", async () => {
    for (const [user, path, heading, verb, request, said] of [
        ["u-lena", "/offers/new", "New offer", "Create offer", "**/api/bff/offers", "The offer was created."],
        ["u-root", "/payouts-due/run", "New payout run", "Start the run", "**/api/admin/payouts", "The run has started."],
    ]) {
        const page = await open(user, path, heading);
        let answer;
        const held = new Promise((done) => (answer = done));
        await page.route(request, (route) => (route.request().method() === "POST" ? held.then(() => route.continue()) : route.fallback()));
        if (user === "u-lena") for (const [label, text] of [["Name", "Late answer"], ["From", "10"], ["To", "50"]]) await page.getByLabel(label, { exact: true }).fill(text);
        const sent = page.waitForRequest(request);
        await page.getByRole("button", { name: verb }).click();
        await sent;
        await page.locator("#side .who").click();
        if (user === "u-lena") await discarding(page).getByRole("button", { name: "Discard" }).click();
        await page.getByRole("heading", { level: 1, name: "Your account" }).waitFor();
        answer();
        await page.getByText(said).waitFor();
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        assert.ok(page.url().endsWith("/account"), page.url());
    }
});

test("what is typed while a form is being saved stays, and is not saved", async () => {
    for (const [path, heading, label, request, said, beside] of [
        ["/account", "Your account", "Last name", "**/api/auth/session/user", "Your account was saved.", "First name"],
        ["/business", "Business details", "Legal name", "**/api/bff/merchant", "The details were saved.", "Name of the business"],
        ["/offers/501", "Aurora gift card", "Description", "**/api/bff/offers/501", "The offer was saved."],
    ]) {
        const page = await open("u-anna", path, heading);
        let answer;
        const held = new Promise((done) => (answer = done));
        await page.route(request, (route) => (route.request().method() === "GET" ? route.fallback() : held.then(() => route.continue())));
        const field = page.getByLabel(label, { exact: true });
        if (beside) await page.getByLabel(beside, { exact: true }).fill("Beside it");
        await field.fill("Saved");
        const sent = page.waitForRequest((one) => one.method() !== "GET" && one.postData()?.includes("Saved"));
        await field.locator("xpath=ancestor::form").getByRole("button", { name: "Save" }).click();
        await sent;
        await field.fill("Typed later");
        answer();
        await page.getByText(said).waitFor();
        await loaded(page);
        assert.equal(await field.inputValue(), "Typed later", path);
        if (beside) assert.equal(await page.getByLabel(beside, { exact: true }).inputValue(), "Beside it", path);
        await page.getByRole("link", { name: "Stores and tills" }).click();
        await discarding(page).getByRole("button", { name: "Discard" }).click();
        await show(page, path, heading);
        assert.equal(await field.inputValue(), "Saved", path);
    }
});

test("several amounts at once are several, each with what it reads like", async () => {
    const page = await open("u-lena", "/offers/new", "New offer", { size: "phone" });
    await page.getByLabel("Name").fill("Three sizes");
    await page.getByRole("button", { name: "Set amounts" }).click();
    await page.getByLabel("Amounts", { exact: true }).pressSequentially("100, 200, 500");
    await page.keyboard.press("Enter");
    const chips = page.getByRole("list", { name: "Amounts to choose from" }).getByRole("listitem");
    assert.deepEqual(await chips.allInnerTexts(), ["€100.00", "€200.00", "€500.00"]);
    await page.getByLabel("Amounts", { exact: true }).fill("1,000");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Remove €200.00" }).click();
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "dashboard-amounts");
    await page.getByRole("button", { name: "Create offer" }).click();
    await page.getByText("The offer was created.").waitFor();
    const offer = (await offersOf("u-lena")).find(({ name }) => name === "Three sizes");
    assert.deepEqual(offer.denominations, [100, 500, 1000]);
});

test("an offer with a term that cannot be read says so, in the list and in its editor", async () => {
    const { token } = await api("POST", "/__local/sessions", { userId: "u-lena" });
    const offer = { name: "Unclear end", giftCardOfferStatus: "AVAILABLE", minPrice: 10, maxPrice: 50, expireForPurchaseTime: "31/12/2030" };
    await api("POST", "/api/bff/offers", offer, { authorization: `Bearer ${token}` });
    const page = await open("u-lena", "/offers", "Offers", { size: "phone" });
    const tile = page.getByRole("link", { name: /Unclear end/ });
    await tile.getByText("Not sold. expireForPurchaseTime: must be a date").waitFor();
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "dashboard-unreadable-offer");
    await tile.click();
    await page.getByText("Neither shop nor tills sell this offer.").waitFor();
    await checkAccess(page);
    await checkWidth(page);
});

test("an image that is removed is gone, and what cannot be removed is not said to be", async () => {
    const page = await open("u-anna", "/offers/501", "Aurora gift card");
    const days = page.getByLabel("Works for how many days");
    const before = await days.inputValue();
    assert.notEqual(before, "");
    await days.fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("It can be changed, but not removed from an offer.").waitFor();
    await days.fill(before);
    await page.getByLabel("Image").setInputFiles({ name: "card.png", mimeType: "image/png", buffer: PIXEL });
    await page.locator(".preview img").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The offer was saved.").waitFor();

    await show(page, "/offers/501", "Aurora gift card");
    await page.getByLabel("Description").fill("");
    await page.getByRole("button", { name: "Remove the image" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The offer was saved.").waitFor();
    await show(page, "/offers/501", "Aurora gift card");
    assert.equal(await page.locator(".preview img").count(), 0);
    assert.equal(await page.getByLabel("Description").inputValue(), "");
    assert.equal(await page.getByRole("button", { name: "Remove the image" }).count(), 0);
});

test("a photograph is made smaller before it is sent, and what would suffer is sent as it is", async () => {
    const page = await open("u-anna", "/offers/new", "New offer");
    const photograph = await page.evaluate(async () => {
        const canvas = new OffscreenCanvas(4000, 3000);
        const context = canvas.getContext("2d");
        const picture = context.createImageData(4000, 3000);
        crypto.getRandomValues(new Uint8Array(picture.data.buffer, 0, 65_536));
        for (let at = 65_536; at < picture.data.length; at *= 2) picture.data.copyWithin(at, 0, Math.min(at, picture.data.length - at));
        context.putImageData(picture, 0, 0);
        const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.9 });
        const reader = new FileReader();
        await new Promise((done) => (reader.onload = done, reader.readAsDataURL(blob)));
        return reader.result.split(",")[1]; // as text: a list of numbers takes minutes on its way
    }).then((text) => Buffer.from(text, "base64"));
    assert.ok(photograph.length > 4 * 1024 * 1024, `${photograph.length} bytes are more than the API takes`);
    const sent = async (name, mimeType, buffer) => {
        const [response] = await Promise.all([
            page.waitForResponse((one) => one.url().endsWith("/api/bff/offers/media") && one.request().method() === "POST"),
            page.getByLabel("Image").setInputFiles({ name, mimeType, buffer }),
        ]);
        const { data } = await response.json();
        return Buffer.from(await (await fetch(data.previewUrl)).arrayBuffer());
    };
    const smaller = await sent("photo.jpg", "image/jpeg", photograph);
    const size = await page.evaluate(async (text) => {
        const { width, height } = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
        return [width, height];
    }, smaller.toString("base64"));
    assert.deepEqual(size, [1600, 1200]);
    assert.deepEqual(await sent("card.png", "image/png", PIXEL), PIXEL);

    await page.getByLabel("Image").setInputFiles({ name: "long.gif", mimeType: "image/gif", buffer: Buffer.alloc(5_000_000) });
    await page.getByText("The file is too large. Choose one of at most 4 MB.").waitFor();
});

test("a tab that becomes visible says whose session it is now, and keeps what was typed for the other", async () => {
    const page = await open("u-anna", "/offers/new", "New offer", { theme: "dark" });
    await page.getByLabel("Name").fill("Card of Aurora");
    await signIn(page, "u-haru");
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await page.getByRole("heading", { level: 1, name: /You are signed in for Hinode.* now/ }).waitFor();
    assert.equal(await page.getByLabel("Name").count(), 0);
    await checkAccess(page);
    await checkWidth(page);
    await screenshot(page, "dashboard-not-yours");

    await signIn(page, "u-anna");
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    assert.equal(await page.getByLabel("Name").inputValue(), "Card of Aurora");
    await signIn(page, "u-haru");
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: /Open Hinode/ }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
});

test("an administrator whose sign-in is too old signs in over the page, and the action goes on", async () => {
    const page = await open("u-root", "/merchants", "Merchants");
    let refused = 0;
    await page.route("**/api/admin/payouts", async (route) => {
        if (route.request().method() !== "POST" || refused++) return route.fallback();
        const error = { code: "SIGN_IN_AGAIN", message: "The sign-in is too old." };
        await route.fulfill({ status: 403, headers: { "access-control-allow-origin": urls.dashboard, "access-control-allow-credentials": "true" }, json: { ok: false, error } });
    });
    expectProblem(page, /403 POST .*\/api\/admin\/payouts$/);
    const started = page.evaluate(async (release) => {
        const { api, call } = await import(`${release}/shell/api.js`);
        const headers = { "Idempotency-Key": crypto.randomUUID() };
        return call(() => api.POST("/api/admin/payouts", { params: { header: headers }, body: {} }));
    }, await releaseOf(page));
    const dialog = page.getByRole("dialog", { name: "Sign in again" });
    await dialog.getByText("This requires you to sign in again.").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await checkAccess(page);
    await dialog.getByRole("button", { name: "Send code" }).click();
    const code = dialog.getByLabel("Code");
    await code.fill(await codeFor("root@portal.example", code));
    assert.ok((await started).data.runId);
    assert.equal(refused, 2);
});

test("a final action says what stops, and wants the name typed", async () => {
    const page = await open("u-anna", "/team", "Team", { size: "phone" });
    const done = page.evaluate(async (release) => {
        const { confirm } = await import(`${release}/forms/dialogs.js`);
        return confirm({
            title: "Close Aurora Coffee for good?", text: "This cannot be undone.", verb: "Close for good", dismiss: "Keep it open", failed: "",
            tone: "final", nameToType: "Aurora Coffee", effects: [{ title: "What stops", items: ["Tills can no longer sell or redeem."] }], act: async () => {},
        });
    }, await releaseOf(page));
    const dialog = page.getByRole("dialog", { name: "Close Aurora Coffee for good?" });
    await dialog.getByText("Tills can no longer sell or redeem.").waitFor();
    await dialog.getByRole("button", { name: "Close for good" }).click();
    await dialog.getByText("Type Aurora Coffee.").waitFor();
    await page.waitForFunction(() => document.activeElement?.id === "name-to-type");
    await checkAccess(page);
    await checkWidth(page);
    await dialog.getByLabel("Type Aurora Coffee to continue").fill("aurora coffee");
    await dialog.getByRole("button", { name: "Close for good" }).click();
    assert.equal(await done, true);
});
