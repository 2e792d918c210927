// A store of the card network: adding it and changing it.

import { html, nothing } from "/kit/vendor/lit.js";
import { property } from "/portal-api/errors.js";
import { api } from "../shell/api.js";
import { change } from "../shell/change.js";
import { creator } from "../shell/creator.js";
import { actionDialog } from "../forms/dialogs.js";
import { field } from "../forms/forms.js";
import { countries, ownCountry } from "../forms/regions.js";

/** @typedef {import("../shell/store.js").Schemas["RetailStore"]} Store */

const STATUSES = /** @type {const} */ ([
  ["Active", "Open"],
  ["Closed", "Closed"],
]);

/** @param {Store} one */
export function nameOf(one) {
  const name = property(one, "name");
  return typeof name === "string" && name ? name : one.address1 || one.externalId;
}

/** Resolves to whether it was saved. @param {Store | null} one null: a new one */
export function editStore(one) {
  const create = creator();
  return actionDialog({
    title: one ? `Edit ${nameOf(one)}` : "Add a store",
    verb: one ? "Save" : "Add the store",
    failed: "The store was not saved. Nothing was changed.",
    content: () => storeFields(one),
    act: async (values) => {
      const { status = "Active", ...fields } = values;
      const { externalId } = one ?? {};
      if (externalId) await change(() => api.PUT("/api/bff/retail-store", { body: { ...fields, externalId, status } }));
      else await create((params) => api.POST("/api/bff/retail-store", { params, body: fields }));
      return true;
    },
  });
}

/** @param {Store | null} one */
function storeFields(one) {
  const country = one ? one.country : ownCountry();
  const status = property(one, "status") === "ACTIVE" ? "Active" : "Closed";
  return html`${field({ name: "name", label: "Name", value: one ? nameOf(one) : "", required: true })}
    ${field({ name: "address1", label: "Address", value: one?.address1, required: true })}
    ${field({ name: "address2", label: "Address, second line (optional)", value: one?.address2 })}
    <div class="two">
      ${field({ name: "postcode", label: "Postal code (optional)", value: one?.postcode })}
      ${field({ name: "city", label: "City", value: one?.city, required: true })}
    </div>
    <div class="two">
      ${field({ name: "country", label: "Country", value: country, required: true, options: countries(country) })}
      ${one ? field({ name: "status", label: "Status", value: status, options: STATUSES }) : nothing}
    </div>`;
}
