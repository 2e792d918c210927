// What a merchant is told that may not sell. Loaded where there is something to tell.

import { store } from "./store.js";

/** What is stopped for the merchant, or null. @returns {{title: string, text: string} | null} */
export function restriction() {
  switch (store.session?.merchant?.status) {
    case "SUSPENDED":
      return {
        title: "Your business is suspended.",
        text: "Your shop is closed, tills cannot sell or redeem, and payouts are on hold. Contact the platform's support.",
      };
    case "INACTIVE":
      return {
        title: "Your business is closed.",
        text: "Tills can no longer sell or redeem. What is still owed to you is paid out. Earlier figures stay visible.",
      };
    case "DECLINED":
      return {
        title: "Your application was declined.",
        text: "Nothing can be sold. Ask the platform's support what can be done.",
      };
    default:
      return null;
  }
}
