// The till's catalogues of messages.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../clients/till/languages");

/** The languages that have a catalogue. */
export const LANGUAGES = (await readdir(FOLDER)).filter((name) => name.endsWith(".ftl")).map((name) => name.slice(0, -4)).sort();

/** The text of a catalogue. */
export const catalogue = (language) => readFile(join(FOLDER, `${language}.ftl`), "utf8");
