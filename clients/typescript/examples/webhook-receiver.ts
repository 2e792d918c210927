// Receives webhooks in Node. A message is verified, kept in a folder, answered, and then handled. If the program ends before that,
// or `handle` fails, it is handled later: never lost, but perhaps twice, so `handle` does nothing for an id that it has done.

import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { join } from "node:path";
import { type ReceivedWebhook, verifyWebhook, WebhookError } from "@gift-card/portal-api/webhooks";

/** Bytes. Messages are much shorter. */
const MAX_BODY = 64 * 1024;
/** Milliseconds until messages that `handle` has failed on are tried again. */
const RETRY_AFTER = 60_000;

/** Names of files: a message that waits, one that was handled, and a write that is not complete. */
const WAITING = ".json";
const HANDLED = ".done";
const UNFINISHED = ".new";

export interface ReceiverOptions {
  /** One process at a time uses it. Files that end with `.done` may be removed after a month. */
  folder: string;
  /** Two while they are rotated. */
  secrets: string[];
  handle: (message: ReceivedWebhook) => Promise<void>;
}

/** Call `listen` on what it returns, behind something that ends TLS. */
export async function createReceiver({ folder, secrets, handle }: ReceiverOptions): Promise<Server> {
  const inbox = await openInbox(folder);
  let isWorking = false;

  async function work(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    // The loop also reaches what is added meanwhile.
    for (const message of inbox.waiting.values()) {
      try {
        await handle(message);
        await inbox.finish(message);
      } catch (error) {
        console.error(`${message.type} ${message.id} was not handled:`, error);
      }
    }
    isWorking = false;
  }

  async function receive(request: IncomingMessage): Promise<number> {
    if (request.method !== "POST") return 405;
    const body = await readBody(request);
    if (body === null) return 413;
    await inbox.keep(await verifyWebhook(request.headers, body, secrets));
    return 204;
  }

  const server = createServer({ requestTimeout: 10_000 }, async (request, response) => {
    const status = await receive(request).catch(statusOf);
    response.writeHead(status, status === 413 ? { connection: "close" } : {}).end();
    void work();
  });
  const timer = setInterval(work, RETRY_AFTER);
  server.on("close", () => clearInterval(timer));
  void work();
  return server;
}

/** After 500, the message is sent again. */
function statusOf(error: unknown): number {
  const status = error instanceof WebhookError ? error.status : 500;
  if (status === 500) console.error(error);
  return status;
}

/** The bytes as they were received; null if there are too many. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  const body = new Uint8Array(MAX_BODY);
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (length + chunk.length > MAX_BODY) return null;
    body.set(chunk, length);
    length += chunk.length;
  }
  return body.subarray(0, length);
}

async function openInbox(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  /** The names of all that is here, without their extensions. */
  const kept = new Set<string>();
  const waiting = new Map<string, ReceivedWebhook>();
  for (const file of await readdir(folder)) {
    const path = join(folder, file);
    const name = file.slice(0, file.lastIndexOf("."));
    if (file.endsWith(UNFINISHED)) await rm(path, { force: true });
    else kept.add(name);
    if (file.endsWith(WAITING)) waiting.set(name, JSON.parse(await readFile(path, "utf8")));
  }

  const pathOf = (message: ReceivedWebhook, extension: string) => join(folder, fileName(message) + extension);
  let last: Promise<unknown> = Promise.resolve();

  /** One write after another, so that of two copies that arrive at once the second sees the first. */
  function inTurn(write: () => Promise<void>): Promise<void> {
    const turn = last.then(write);
    last = turn.catch(() => {});
    return turn;
  }

  return {
    waiting: waiting as ReadonlyMap<string, ReceivedWebhook>,

    /** Resolves once it would survive a crash. A message that is there already is left as it is. */
    keep: (message: ReceivedWebhook) =>
      inTurn(async () => {
        const name = fileName(message);
        if (kept.has(name)) return;
        await writeDurably(pathOf(message, UNFINISHED), JSON.stringify(message));
        await rename(pathOf(message, UNFINISHED), pathOf(message, WAITING));
        await flush(folder);
        kept.add(name);
        waiting.set(name, message);
      }),

    finish: (message: ReceivedWebhook) =>
      inTurn(async () => {
        await rename(pathOf(message, WAITING), pathOf(message, HANDLED));
        waiting.delete(fileName(message));
      }),
  };
}

function fileName({ id }: ReceivedWebhook): string {
  return encodeURIComponent(id);
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the names in a folder durable. */
async function flush(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
