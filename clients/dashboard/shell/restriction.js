// What a merchant is told that may not sell. Loaded where there is something to tell.

import { html } from "/kit/vendor/lit.js";
import { icon } from "./icons.js";
import { store } from "./store.js";

/** What is stopped for the merchant, or null. */
export function restriction() {
  switch (store.session?.merchant?.status) {
    case "SUSPENDED":
      return notice(
        "Your business is suspended.",
        "Your shop is closed, tills cannot sell or redeem, and payouts are on hold. Contact the platform's support.",
      );
    case "INACTIVE":
      return notice(
        "Your business is closed.",
        "Tills can no longer sell or redeem. What is still owed to you is paid out. Earlier figures stay visible.",
      );
    case "DECLINED":
      return notice(
        "Your application was declined.",
        "Nothing can be sold. Ask the platform's support what can be done.",
      );
    default:
      return null;
  }
}

/** @param {string} title @param {string} text */
function notice(title, text) {
  return html`<div class="notice bad stopped" role="status">
    ${icon("warn")}
    <div>
      <b>${title}</b>
      <p>${text}</p>
    </div>
  </div>`;
}
