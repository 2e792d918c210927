// People in histories: the API names them by id, so their names come from lists of people beside it.

import { html, nothing } from "/kit/vendor/lit.js";
import { store } from "../shell/store.js";

/** @typedef {{id: string, firstName: string, lastName: string, email: string}} Person */
/** @typedef {Map<string, Person>} People */

/** @param {(readonly Person[] | undefined)[]} lists @returns {People} */
export function peopleOf(...lists) {
  return new Map(lists.flatMap((list) => list ?? []).map((person) => [person.id, person]));
}

/** @param {string | null | undefined} id */
export const isMe = (id) => id === store.session?.user?.id;

/** @param {Person} person */
export function fullName({ firstName, lastName, email }) {
  return `${firstName} ${lastName}`.trim() || email;
}

/** @param {string | null | undefined} id @param {People} people @param {string} [unknown] what somebody is whose name is not known */
export function nameOf(id, people, unknown = "Another administrator") {
  if (isMe(id)) return "You";
  const person = people.get(id ?? "");
  return person ? fullName(person) : unknown;
}

/** The address, or what is known of somebody without a name. @param {string} id @param {People} people */
export function addressOf(id, people) {
  const me = store.session?.user;
  const person = isMe(id) ? me : people.get(id);
  if (!person) return html`<span class="mono">${id}</span>`;
  return person.email === nameOf(id, people) ? nothing : person.email;
}
