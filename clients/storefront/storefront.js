// The page works without this. Amounts are written anew in the language of the browser, the chosen one is drawn on its card,
// and a card or initials stand in for an image that cannot be loaded.
{
  for (const data of document.querySelectorAll("data")) {
    const currency = data.closest("li")?.dataset.currency;
    const decimals = data.value.split(".")[1] ?? "";
    const digits = /[1-9]/.test(decimals) ? decimals.length : 0;
    const format = {
      style: "currency",
      currency,
      currencyDisplay: "narrowSymbol",
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    };
    // A decimal text is formatted digit by digit.
    data.textContent = new Intl.NumberFormat(undefined, /** @type {Intl.NumberFormatOptions} */ (format)).format(
      /** @type {`${number}`} */ (data.value),
    );
  }

  for (const offer of document.querySelectorAll(".offer")) {
    const draw = () => {
      const [drawn, chosen] = [offer.querySelector(".drawn"), offer.querySelector(":checked")?.parentElement];
      if (drawn && chosen) drawn.textContent = chosen.textContent;
    };
    draw();
    offer.addEventListener("change", draw);
    addEventListener("pageshow", draw); // the browser has put an earlier choice back
  }

  for (const image of document.images) {
    image.addEventListener("error", () => image.remove());
    // It has failed already, or is lazy and has not begun. It is loaded anew, so that a failure is heard: removing it here would make
    // the loop skip the next one, since the list is live.
    if (image.complete && image.naturalWidth === 0) image.src = image.src;
  }
}
