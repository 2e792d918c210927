// The receiver of webhooks in Node and Deno: `node webhooks-in-node.js API FOLDER morning`, and then the same with `afternoon`. The
// program is killed in the morning, after a message was answered and before it is handled.

import type { Server } from "node:http";
import { argv, kill, pid } from "node:process";
import type { ReceivedWebhook } from "@gift-card/portal-api/webhooks";
import { Webhook } from "standardwebhooks";
import { createReceiver } from "./examples/webhook-receiver.js";
import worker from "./examples/webhook-worker.js";

const OLD_SECRET = `whsec_${btoa("o".repeat(32))}`;
const NEW_SECRET = `whsec_${btoa("n".repeat(32))}`;

const [, folder = "", part] = argv.slice(2);
const handled: string[] = [];
const problems: unknown[] = [];
console.error = (problem: unknown) => problems.push(problem);

/** The first attempt at msg_2 fails. */
async function handle({ id, type, data }: ReceivedWebhook): Promise<void> {
  if (part === "morning") await new Promise(() => {});
  if (type === "gift_card.redeemed") expect("a message that was kept", data.store.name, "Åhléns");
  if (id === "msg_2" && problems.length === 0) throw new Error("try again");
  handled.push(id);
}

function bodyOf(type: string): string {
  const data = { redemptionId: "r-1", store: { id: "s-1", name: "Åhléns" } };
  return JSON.stringify({ type, timestamp: "2026-01-06T12:00:00Z", merchantId: "m-1", test: false, data });
}

function signed(id: string, body: string, secret = NEW_SECRET): RequestInit {
  const now = new Date();
  const headers = {
    "Webhook-Id": id,
    "Webhook-Timestamp": `${Math.floor(now.getTime() / 1000)}`,
    "Webhook-Signature": new Webhook(secret).sign(id, now, body),
  };
  return { method: "POST", headers, body };
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

async function tryReceiver(post: (request: RequestInit) => Promise<number>): Promise<void> {
  const redeemed = bodyOf("gift_card.redeemed");
  expect("what was kept in the morning", await soon(() => handled.length === 1 && handled[0]), "msg_1");
  expect("a message that was handled", await post(signed("msg_1", redeemed)), 204);
  const copies = await Promise.all([1, 2, 3].map(() => post(signed("msg_2", redeemed, OLD_SECRET))));
  expect("copies at once", copies, [204, 204, 204]);
  expect("a type that is not known", await post(signed("msg_3", bodyOf("till.sung"))), 204);
  expect("what was handled", await soon(() => handled.length === 3 && handled.sort()), ["msg_1", "msg_2", "msg_3"]);

  expect("a forged body", await post({ ...signed("msg_4", redeemed), body: bodyOf("payout.paid") }), 400);
  expect("no signature", await post({ method: "POST", body: redeemed }), 400);
  expect("a body that is no message", await post(signed("msg_5", "[]")), 400);
  expect("a body that is too large", await post(signed("msg_6", " ".repeat(64 * 1024 + 1))), 413);
  expect("another method", await post({ method: "GET" }), 405);
  expect("what failed", problems, ["gift_card.redeemed msg_2 was not handled:"]);
  expect("what was handled in the end", handled, ["msg_1", "msg_2", "msg_3"]);
}

async function tryWorker(): Promise<void> {
  const sent: unknown[] = [];
  const QUEUE = { send: async (message: unknown) => sent.push((message as ReceivedWebhook).id) };
  const env = { WEBHOOK_SECRETS: `${NEW_SECRET} ${OLD_SECRET}`, QUEUE };
  const post = (request: RequestInit) => statusOf(worker.fetch(new Request("https://worker.example", request), env));
  for (const secret of [OLD_SECRET, NEW_SECRET]) expect("a message", await post(signed("msg_1", bodyOf("payout.paid"), secret)), 204);
  expect("another secret", await post(signed("msg_2", bodyOf("payout.paid"), `whsec_${btoa("x".repeat(32))}`)), 400);
  expect("what is in the queue", sent, ["msg_1", "msg_1"]);
}

/** What the function returns once it is not false; false after two seconds. */
async function soon<T>(find: () => T | false): Promise<T | false> {
  for (let tries = 0; tries < 200 && find() === false; tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  return find();
}

function expect(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  }
}

const server = await createReceiver({ folder, secrets: [NEW_SECRET, OLD_SECRET], handle });
const url = await listen(server);
const post = (request: RequestInit) => statusOf(fetch(url, request));
if (part === "morning") {
  expect("a message", await post(signed("msg_1", bodyOf("gift_card.redeemed"))), 204);
  kill(pid, "SIGKILL");
}
await tryReceiver(post);
await tryWorker();
server.close();
server.closeAllConnections();
