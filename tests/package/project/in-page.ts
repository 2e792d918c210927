// The till in a page, which tells the server how it went.

import "./without-newer-features.js";
import { afternoon, morning } from "./day-at-the-till.js";
import { openBrowserTill } from "./examples/browser-till.js";

const IS_AFTERNOON = "is-afternoon";

async function day(): Promise<string> {
  const till = await openBrowserTill(location.origin, "ABCDE-FGHJK", (text) => document.body.append(`${text} `));
  if (sessionStorage.getItem(IS_AFTERNOON) === null) {
    sessionStorage.setItem(IS_AFTERNOON, "yes");
    await morning(till);
    location.reload();
    return new Promise(() => {});
  }
  await afternoon(till, location.origin);
  return "";
}

await fetch("/finished", { method: "POST", body: await day().catch(String) });
