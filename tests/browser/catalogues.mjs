// The till's catalogues of messages.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../clients/till/languages");

/** The files of all catalogues: two for each language, since the first screen needs few messages. */
export const FILES = (await readdir(FOLDER)).sort();
/** The languages that have a catalogue. */
export const LANGUAGES = FILES.filter((name) => !name.includes("-")).map((name) => name.replace(".ftl", ""));

/** What a file of messages says. */
export const messages = (name) => readFile(join(FOLDER, name), "utf8");
