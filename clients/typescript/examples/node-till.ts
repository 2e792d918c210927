// The till as a program in Node. Its journal is a folder, which one program at a time has open.

import { openFileJournal } from "@gift-card/portal-api/file-journal";
import { createTill, type Pairing } from "./till.js";

export async function openNodeTill(baseUrl: string, pairing: Pairing, folder: string, show: (text: string) => void) {
  const journal = await openFileJournal(folder);
  return { ...createTill(baseUrl, pairing, journal, show), close: journal.close };
}
