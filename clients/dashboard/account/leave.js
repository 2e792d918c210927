// Leaving for the sign-in page, which says why.

const KEPT = "left";
const WHY = {
  removed: "The passkey was removed, and you are signed out on all your devices.",
};

/** @param {keyof typeof WHY} [why] */
export function leave(why) {
  sessionStorage.clear();
  if (why) sessionStorage.setItem(KEPT, why);
  location.assign("/");
}

/** Says it once. */
export function whyLeft() {
  const why = /** @type {keyof typeof WHY | null} */ (sessionStorage.getItem(KEPT));
  sessionStorage.removeItem(KEPT);
  return why ? WHY[why] : "";
}
