// What is typed in an application: from the profile, checked, and as a request.

/** @typedef {import("../shell/store.js").Schemas} Schemas */

/** Required fields, with what is asked for without them. @type {readonly (readonly [string, string, string])[]} */
const REQUIRED = [
  ["registrationNumber", "Registration number", "Enter the registration number."],
  ["vatNumber", "VAT number", "Enter the VAT number."],
  ["line1", "Street and number", "Enter the street."],
  ["postalCode", "Postal code", "Enter the postal code."],
  ["city", "City", "Enter the city."],
  ["country", "Country", "Choose the country."],
  ["director", "A director", "Add at least one director."],
  ["role", "The directors' roles", "Enter the role of each director, such as managing director."],
  ["terms", "The terms", "Accept the terms."],
  ["privacy", "The privacy notice", "Accept the privacy notice."],
];

/** Names of the fields that can have errors. @type {Record<string, string>} */
export const NAMES = {
  ...Object.fromEntries(REQUIRED.map(([name, word]) => [name, word])),
  locations: "Number of locations",
};

export class ApplicationValues {
  /** @type {Record<string, string>} */
  text = {};
  /** @type {{name: string, role: string}[]} */
  directors = [{ name: "", role: "" }];
  /** @type {{type: string, url: string, name: string}[]} */
  documents = [];
  accepted = { terms: false, privacy: false };
  /** @type {Record<string, string>} */
  errors = {};

  /** @param {Schemas["Profile"]} profile */
  static of({ company, kyb }) {
    const values = new ApplicationValues();
    values.text = {
      tradingName: company.tradingName,
      registrationNumber: kyb.registrationNumber,
      vatNumber: kyb.vatNumber,
      currency: company.currency,
      locations: company.numberOfLocations ? String(company.numberOfLocations) : "",
      line1: kyb.legalAddress.line1,
      city: kyb.legalAddress.city,
      state: kyb.legalAddress.state,
      postalCode: kyb.legalAddress.postalCode,
      country: (kyb.legalAddress.country || company.country).toUpperCase(),
    };
    if (kyb.directors.length) values.directors = kyb.directors.map(({ name = "", role = "" }) => ({ name, role }));
    values.documents = kyb.documents.map(({ type = "", url = "", name = "" }) => ({ type, url, name }));
    return values;
  }

  /** @param {string} name */
  isMissing(name) {
    if (name === "director") return !this.directors.some((director) => director.name.trim());
    if (name === "role") return this.directors.some((director) => director.name.trim() && !director.role.trim());
    if (name === "terms" || name === "privacy") return !this.accepted[name];
    return !this.text[name]?.trim();
  }

  /** Names and words of what is missing. */
  missing() {
    return REQUIRED.filter(([name]) => this.isMissing(name));
  }

  /** @param {string} name */
  check(name) {
    const required = REQUIRED.find(([one]) => one === name);
    if (required && this.isMissing(name)) this.errors[name] = required[2];
    else if (name === "locations" && !this.hasLocations() && this.text.locations?.trim())
      this.errors[name] = "Enter a whole number.";
    else delete this.errors[name];
  }

  /** What was found wrong before, looked at again. */
  checkAgain() {
    for (const name of Object.keys(this.errors)) this.check(name);
  }

  /** Checks everything. @returns {boolean} whether it can be sent */
  checkAll() {
    for (const name of Object.keys(NAMES)) this.check(name);
    return Object.keys(this.errors).length === 0;
  }

  hasLocations() {
    return /^\d{1,6}$/.test(this.text.locations?.trim() ?? "");
  }

  /** All that the page shows, empty where it is empty. @returns {Schemas["Application"]} */
  request() {
    const { tradingName, registrationNumber, vatNumber, currency, line1, city, state, postalCode, country } = this.text;
    const locations = this.text.locations?.trim() ?? "";
    return {
      tradingName,
      registrationNumber,
      vatNumber,
      ...(currency && { currency }),
      ...((this.hasLocations() || !locations) && { numberOfLocations: locations }),
      legalAddress: { line1, city, state, postalCode, country },
      directors: this.directors.filter((director) => director.name.trim()),
      documents: this.documents,
    };
  }
}
