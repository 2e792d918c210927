// Dates and times for reading. Timestamps are shown in the merchant's time zone; a report's day is a calendar date without one.

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/**
 * @param {Intl.DateTimeFormatOptions} options
 * @param {string} [locale] the browser's if none is given
 */
function dateFormat(options, locale) {
  const key = JSON.stringify([options, locale]);
  let format = formats.get(key);
  if (!format) {
    try {
      format = new Intl.DateTimeFormat(locale, options);
    } catch {
      format = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }); // a zone that this browser does not know
    }
    formats.set(key, format);
  }
  return format;
}

/**
 * @param {string | number | Date} timestamp
 * @param {string | undefined} timeZone
 * @param {Intl.DateTimeFormatOptions} options
 */
function format(timestamp, timeZone, options) {
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return String(timestamp);
  return dateFormat(timeZone ? { ...options, timeZone } : options).format(date);
}

/**
 * Day and time; the year only if it is another one.
 * @param {string | number | Date} timestamp
 * @param {string} [timeZone]
 */
export function formatDateTime(timestamp, timeZone) {
  const year =
    new Date(timestamp).getFullYear() === new Date().getFullYear() ? {} : /** @type {const} */ ({ year: "numeric" });
  return format(timestamp, timeZone, { day: "numeric", month: "short", ...year, hour: "2-digit", minute: "2-digit" });
}

/**
 * @param {string | number | Date} timestamp
 * @param {string} [timeZone]
 */
export function formatDate(timestamp, timeZone) {
  return format(timestamp, timeZone, { day: "numeric", month: "short", year: "numeric" });
}

/**
 * @param {string | number | Date} timestamp
 * @param {string} [timeZone]
 */
export function formatTime(timestamp, timeZone) {
  return format(timestamp, timeZone, { hour: "2-digit", minute: "2-digit" });
}

/**
 * The calendar date (YYYY-MM-DD) of a time.
 * @param {number} time
 * @param {string} [timeZone]
 */
export function dateKeyOf(time, timeZone) {
  return dateFormat({ year: "numeric", month: "2-digit", day: "2-digit", timeZone }, "en-CA").format(time);
}

/**
 * The calendar date a number of days before another.
 * @param {string} dateKey
 * @param {number} days
 */
export function daysBefore(dateKey, days) {
  return new Date(Date.parse(dateKey) - days * 86_400_000).toISOString().slice(0, 10);
}

/**
 * A report's day, such as "2026-03-29". In UTC: in any other zone it could become the day before.
 * @param {string} dateKey
 * @param {{weekday?: boolean}} [options]
 */
export function formatDay(dateKey, { weekday = false } = {}) {
  const options = /** @type {Intl.DateTimeFormatOptions} */ ({
    day: "numeric",
    month: "short",
    ...(weekday ? { weekday: "short" } : {}),
  });
  return format(`${dateKey}T00:00:00Z`, "UTC", options);
}
