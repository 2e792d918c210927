// The page works without this. Amounts are written anew as the browser's region does in the language of the page, the chosen one is
// drawn on its card, and a card or initials stand in for an image that cannot be loaded.
{
  const { lang } = document.documentElement;
  const locale =
    navigator.languages.find((tag) => /^[a-z]{2}(-[a-z0-9]+)*$/i.test(tag) && tag.slice(0, 2) === lang) ?? lang;

  /** A decimal text is formatted digit by digit. @param {string} value @param {DOMStringMap} [offer] */
  const formatted = (value, { currency, display } = {}) => {
    const decimals = value.split(".")[1] ?? "";
    const digits = /[1-9]/.test(decimals) ? decimals.length : 0;
    const format = {
      style: "currency",
      currency,
      currencyDisplay: display,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    };
    return new Intl.NumberFormat(locale, /** @type {Intl.NumberFormatOptions} */ (format)).format(
      /** @type {`${number}`} */ (value),
    );
  };

  /** What groups digits in amounts, before exactly three of them. */
  const group = new Intl.NumberFormat(locale).formatToParts(1234567).find(({ type }) => type === "group")?.value ?? "";

  /** What is typed as a decimal text; null for what is no amount. @param {string} text @param {number} decimals */
  function read(text, decimals) {
    const parts = text.replace(/\s/g, "").split(group.trim() || /(?!)/);
    const digits = parts.slice(1).every((part) => /^\d{3}(?!\d)/.test(part)) ? parts.join("") : parts.join(group);
    const [, whole, fraction = ""] = /^(\d{1,12})(?:[.,](\d+))?$/.exec(digits) ?? [];
    if (whole === undefined || fraction.length > decimals) return null;
    return decimals ? `${whole}.${fraction.padEnd(decimals, "0")}` : whole;
  }

  for (const data of document.querySelectorAll("data")) {
    const [before, link] = [data.textContent, data.closest("label, .price")?.nextElementSibling];
    data.textContent = formatted(data.value, data.closest("li")?.dataset);
    if (link?.ariaLabel) link.ariaLabel = link.ariaLabel.replace(before, () => data.textContent); // a dollar sign is no pattern
  }

  for (const offer of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".offer"))) {
    const [drawn, other] = [
      offer.querySelector(".drawn"),
      /** @type {HTMLElement | null} */ (offer.querySelector(".other")),
    ];
    const [field, link] = [other?.querySelector("input"), other?.querySelector("a")];
    const address = link?.href ?? "";
    /** The other amount, if it can be bought. */
    const entered = () => {
      const { decimals, min = "1", max = "9e15" } = other?.dataset ?? {};
      const amount = field ? read(field.value, Number(decimals)) : null;
      const minor = Number(amount?.replace(".", "") ?? 0);
      return minor >= Number(min) && minor <= Number(max) ? { amount, minor } : null;
    };
    const draw = () => {
      const [choice, own] = [offer.querySelector(":checked")?.parentElement, entered()];
      if (link) link.href = own ? address.replace(/(?=#|$)/, `&amount=${own.minor}`) : address;
      if (!drawn || !choice) return;
      const isOther = choice.nextElementSibling === other;
      drawn.textContent = isOther ? (own?.amount ? formatted(own.amount, offer.dataset) : "") : choice.textContent;
    };
    draw();
    offer.addEventListener("input", () => {
      field?.removeAttribute("aria-invalid");
      draw();
    });
    addEventListener("pageshow", draw); // the browser has put an earlier choice back
    link?.addEventListener("click", (event) => {
      if (entered()) return;
      event.preventDefault();
      field?.setAttribute("aria-invalid", "true");
      field?.focus();
    });
    field?.addEventListener("keydown", ({ key }) => key === "Enter" && link?.click());
  }

  for (const image of document.images) {
    image.addEventListener("error", () => image.remove());
    // It has failed already, or is lazy and has not begun. It is loaded anew, so that a failure is heard: removing it here would make
    // the loop skip the next one, since the list is live.
    if (image.complete && image.naturalWidth === 0) image.src = image.src;
  }
}
