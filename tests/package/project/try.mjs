// Tries the till against an API of its own: `node try.mjs node COMMAND …` or `node try.mjs page CHROMIUM`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { startFakeApi } from "./fake-api.mjs";

const TIMEOUT = 60_000; // milliseconds

const [where, command, ...options] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "till-"));
const api = await startFakeApi("dist");
const problem = await (where === "page" ? inPage() : inNode());
api.stop();
await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
if (problem) throw new Error(problem);

async function inNode() {
  for (const [part, isExpected] of [["morning", (code, signal) => signal === "SIGKILL"], ["afternoon", (code) => code === 0]]) {
    const program = spawn(command, [...options, api.url, folder, part], { stdio: "inherit", timeout: TIMEOUT, killSignal: "SIGTERM" });
    const [code, signal] = await once(program, "exit");
    if (!isExpected(code, signal)) return `${part}: code ${code}, signal ${signal}`;
  }
}

async function inPage() {
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${folder}`, api.url];
  // A process group of its own: the command can be a script that starts the browser.
  const browser = spawn(command, flags, { stdio: "ignore", detached: true });
  const ended = once(browser, "exit");
  const problem = await Promise.race([api.finished, setTimeout(TIMEOUT, "The page did not report.", { ref: false })]);
  process.kill(-browser.pid);
  await ended;
  return problem;
}
