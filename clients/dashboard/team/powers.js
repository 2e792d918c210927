// What members may do: the permissions of a role, or chosen ones. The rules are those of the API, which has the last word.

import { store } from "../shell/store.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {import("../shell/store.js").Permission} Permission */
/** @typedef {Schemas["Role"]} Role */
/** Both are null for a member of before roles existed, who may do everything. @typedef {{role: Role | null, permissions: readonly string[] | null}} Powers */

/** What each permission is for: in one word, for reading, and for changing. @type {readonly (readonly [Permission, string, string, string])[]} */
export const PERMISSIONS = [
  ["portal.analytics", "Overview and reports", "See figures and reports", ""],
  ["portal.orders", "Orders", "See orders, and export them", ""],
  ["portal.gift_cards", "Offers and gift cards", "See offers and look up cards", "Create and change offers"],
  ["portal.pos", "Till", "", "Sell and redeem cards at a till"],
  ["portal.reports", "Payouts", "See payouts, and export them", ""],
  ["portal.organization", "Stores and webhooks", "See stores and webhooks", "Add and change stores and webhooks"],
  ["portal.information", "Business details", "See the business details", "Change the business details"],
  ["merchant.team.invite", "Team and tills", "", "Invite, change and remove members, pair and revoke tills"],
];

/** @type {readonly (readonly [Role, string, string])[]} */
export const ROLES = [
  ["ADMIN", "Admin", "Everything, including the team"],
  ["FULL", "Full access", "Everything except the team and pairing tills"],
  ["VIEWER", "Viewer (read-only)", "Sees everything except the till, changes nothing"],
];

/** @param {Powers} powers @param {Permission} permission @returns {0 | 1 | 2} 1: reads, 2: changes too */
function degree({ role, permissions }, permission) {
  if (permissions) return permissions.includes(permission) ? 2 : 0;
  if (role === "FULL") return permission === "merchant.team.invite" ? 0 : 2;
  if (role === "VIEWER") return permission === "merchant.team.invite" || permission === "portal.pos" ? 0 : 1;
  return 2;
}

/** What somebody gains and loses who had the powers `from` and now has `to`. @param {Powers} from @param {Powers} to */
export function difference(from, to) {
  return { gained: beyond(to, from), lost: beyond(from, to) };
}

/** What the first allow that the second do not. @param {Powers} more @param {Powers} less */
function beyond(more, less) {
  return PERMISSIONS.flatMap(([permission, , reads, changes]) =>
    [reads, changes].filter((words, i) => words && degree(more, permission) > i && degree(less, permission) <= i),
  );
}

/** The powers of who is signed in. @returns {Powers} */
function own() {
  const session = store.session;
  const permissions = session?.permissions ?? [];
  const all = PERMISSIONS.every(([permission]) => permissions.includes(permission));
  return session?.role || all ? { role: session?.role ?? null, permissions: null } : { role: null, permissions };
}

/** Whether who is signed in gives and takes these powers: nobody does what they do not hold for changing. @param {Powers} powers */
export function mayGive(powers) {
  const mine = own();
  if (mine.permissions === null && mine.role !== "FULL" && mine.role !== "VIEWER") return true;
  return PERMISSIONS.every(
    ([permission]) =>
      degree(powers, permission) === 0 || (permission !== "merchant.team.invite" && degree(mine, permission) === 2),
  );
}

/** A list of permissions replaces the role. @param {Schemas["TeamItem"]} item @returns {Powers} */
export function powersOf(item) {
  return item.permissions
    ? { role: null, permissions: item.permissions }
    : { role: item.merchantTeamRole, permissions: null };
}

/** @param {Powers} powers */
export function powersInWords(powers) {
  if (powers.role) return ROLES.find(([role]) => role === powers.role)?.[1] ?? powers.role;
  if (!powers.permissions) return "All permissions, no role";
  const names = PERMISSIONS.filter(([permission]) => powers.permissions?.includes(permission)).map(([, name]) => name);
  return `Chosen permissions: ${inSentence(names)}${names.length === 1 ? " only" : ""}`;
}

/** @param {readonly string[]} names */
const inSentence = (names) => names.map((name) => name.charAt(0).toLowerCase() + name.slice(1)).join(", ");
