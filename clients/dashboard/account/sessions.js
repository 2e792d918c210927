// Where somebody is signed in: the list, and ending one session or all of them.

import { html, nothing } from "/kit/vendor/lit.js";
import { toneBadge } from "/kit/badge.js";
import { formatDateTime } from "/kit/time.js";
import { api, call } from "../shell/api.js";
import { carryOut, goneIsDone } from "../shell/change.js";
import { confirm } from "../forms/dialogs.js";
import { formatCount, rowButton } from "../shell/parts.js";
import { store } from "../shell/store.js";
import { deviceOf } from "./device.js";
import { isSignedOut } from "./read-session.js";

/** @typedef {import("../shell/store.js").Schemas["ListedSession"]} ListedSession */

export const readSessions = async () => (await call(() => api.GET("/api/auth/sessions"))).data;

/**
 * This one first, then the latest; those of programs that do not say what they are, as one.
 * @param {ListedSession[]} sessions
 * @param {(session: ListedSession) => void} end
 */
export function sessionList(sessions, end) {
  const latest = sessions.toSorted(
    (a, b) => Number(b.current) - Number(a.current) || Date.parse(b.createdAt) - Date.parse(a.createdAt),
  );
  const named = latest.filter(({ current, userAgent }) => current || userAgent);
  const others = latest.filter((one) => !named.includes(one));
  const [other] = others;
  return html`<ul class="rows">
    ${named.map((one) => sessionRow(nameOf(one), one, end))}
    ${other ? sessionRow(unnamed(others.length), other, others.length === 1 ? end : null) : nothing}
  </ul>`;
}

/** @param {string} device @param {ListedSession} session the latest of it @param {((session: ListedSession) => void) | null} end */
function sessionRow(device, session, end) {
  const { createdAt, expiresAt, current, signedInWith } = session;
  const [since, until] = [createdAt, expiresAt].map((time) => formatDateTime(time, store.timeZone));
  const how = signedInWith === "PASSKEY" ? "with a passkey" : "with a mailed code";
  const label = `End the session of ${device}, ${since}`;
  const last = current
    ? toneBadge("ok", "This device")
    : end && rowButton({ word: "End", label, act: () => end(session) });
  return html`<li>
    <span class="two-lines grow"
      ><b>${device}</b><span class="small muted">Signed in ${how} ${since}, until ${until} at the latest</span></span
    >${last ?? nothing}
  </li>`;
}

const UNNAMED = "A program that does not identify itself";

/** @param {number} count */
const unnamed = (count) => (count === 1 ? UNNAMED : `${formatCount(count)} programs that do not identify themselves`);

/** @param {ListedSession} session */
const nameOf = ({ userAgent }) => (userAgent ? deviceOf(userAgent) : UNNAMED);

/** Resolves to whether it is over. @param {ListedSession} session */
export function endSession(session) {
  const { id, createdAt } = session;
  const isOver = async () => !(await readSessions()).some((one) => one.id === id);
  return confirm({
    title: "End this session?",
    text: `${nameOf(session)}, signed in ${formatDateTime(createdAt, store.timeZone)}, is signed out immediately.`,
    verb: "End the session",
    failed: "The session was not ended.",
    act: async () => {
      const send = () => api.DELETE("/api/auth/sessions/{id}", { params: { path: { id } } });
      await carryOut(send, isOver).catch(goneIsDone);
    },
  });
}

/** Resolves to whether nobody is signed in any more. */
export function signOutEverywhere() {
  return confirm({
    title: "Sign out everywhere?",
    text: "All your devices are signed out immediately, including this one.",
    verb: "Sign out everywhere",
    failed: "You were not signed out.",
    act: () => carryOut(() => api.DELETE("/api/auth/sessions"), isSignedOut),
  });
}
