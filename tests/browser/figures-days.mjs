// Days of a time zone.

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();
/** @type {Map<string, string>} */
const days = new Map();

/** The day of a time, such as "2026-11-24". */
export function dayOf(time, timeZone) {
    if (!formats.has(timeZone)) formats.set(timeZone, new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }));
    const key = `${time} ${timeZone}`;
    if (!days.has(key)) days.set(key, formats.get(timeZone).format(new Date(time)));
    return days.get(key);
}

export const daysBefore = (day, days) => new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);

/** The first moment of a day. */
export function midnight(day, timeZone) {
    const noon = Date.parse(`${day}T12:00:00Z`);
    for (let time = noon - 30 * 3_600_000; ; time += 900_000) if (dayOf(time, timeZone) === day) return time;
}
