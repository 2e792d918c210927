// What a shop does with the widget: it puts the chosen gift card into its own basket.

import { config } from "/config.js";

const items = /** @type {HTMLElement} */ (document.getElementById("items"));
const status = /** @type {HTMLElement} */ (document.getElementById("status"));
const count = /** @type {HTMLElement} */ (document.getElementById("count"));

document.querySelector("gift-card-widget")?.setAttribute("api", config.api);

document.addEventListener("gift-card-select", (event) => {
  if (!(event instanceof CustomEvent)) return;
  // The shop confirms the choice, so the widget need not.
  event.preventDefault();
  const { name, amount, currency } = event.detail;
  const price = new Intl.NumberFormat(document.documentElement.lang, {
    style: "currency",
    currency,
    minimumFractionDigits: 0,
    maximumFractionDigits: 0,
  }).format(amount);
  const item = document.createElement("li");
  const label = document.createElement("span");
  label.textContent = name;
  const value = document.createElement("b");
  value.textContent = price;
  item.append(label, value);
  items.append(item);
  count.textContent = String(items.childElementCount);
  status.textContent = `${name}, ${price}, is in your basket.`;
});
