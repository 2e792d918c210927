// The till in a page. Its journal survives reloads, and all tabs of the origin share it.

import { openIndexedDbJournal } from "@gift-card/portal-api/indexed-db-journal";
import { createTill, pair, type Pairing } from "./till.js";

const PAIRING = "pairing";

export async function openBrowserTill(baseUrl: string, pairingCode: string, show: (text: string) => void) {
  // Rejects where the browser has no storage: then there is no till.
  const journal = await openIndexedDbJournal("my-till");
  const stored = localStorage.getItem(PAIRING);
  const pairing: Pairing = stored === null ? await pair(baseUrl, pairingCode) : JSON.parse(stored);
  localStorage.setItem(PAIRING, JSON.stringify(pairing));
  return createTill(baseUrl, pairing, journal, show);
}
