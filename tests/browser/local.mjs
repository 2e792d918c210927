// Starts the local system.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const START_TIMEOUT_MS = 180_000;

/** Starts the local system on free ports and waits for its ready file, which the directory receives. Returns its base URLs, and how
 * to stop it. */
export async function startLocal(directory, ...flags) {
    const binary = process.env.LOCAL_BINARY ?? join(root, "target/debug/local");
    const readyFile = join(directory, "ready");
    const child = spawn(binary, ["--port", "0", "--aws-port", "0", "--ready-file", readyFile, ...flags], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (log += text));
    const failed = new Promise((_, reject) => {
        child.once("error", (error) => reject(new Error(`${binary}: ${error.message}`)));
        child.once("exit", (code) => reject(new Error(`${binary} ended with ${code}.\n${log}`)));
    });
    failed.catch(() => {});
    const stop = async () => {
        if (child.exitCode !== null) return;
        const exit = once(child, "exit");
        child.kill();
        await exit;
    };
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (!(await access(readyFile).then(() => true, () => false))) {
        if (Date.now() > deadline) {
            child.kill();
            throw new Error(`${binary} is not ready after ${START_TIMEOUT_MS / 1000} s.\n${log}`);
        }
        await Promise.race([failed, new Promise((done) => setTimeout(done, 20))]);
    }
    return { urls: JSON.parse(await readFile(readyFile, "utf8")), stop };
}
