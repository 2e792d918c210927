// An API that a till can be tried against: a card of 500.00, a key that is carried out once, and faults in between. It also
// serves the files of a folder, and shows what it has done at /books.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript" };

/** @param {string} [folder] */
export async function startFakeApi(folder) {
  const books = { redeemed: [], issued: [], closed: [], lookUps: 0, expectedMerchants: [] };
  const answers = new Map(); // by idempotency key
  let balance = 500;
  let finish;
  const finished = new Promise((resolve) => (finish = resolve));

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://api");
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = request.method === "POST" && pathname.startsWith("/api/") ? JSON.parse(text) : null;
    const send = (status, answer, headers = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(answer));
    };
    const drop = () => request.socket.destroy();
    if (request.method === "POST" && pathname.startsWith("/api/bff/")) books.expectedMerchants.push(request.headers["x-expected-merchant"]);

    /** Carries the request out, once for each key. */
    const once = (carryOut) => {
      const key = request.headers["idempotency-key"];
      const isReplayed = answers.has(key);
      if (!isReplayed) answers.set(key, carryOut());
      const [status, answer, moved] = answers.get(key);
      return [status, answer, { "money-moved": moved, ...(isReplayed && { "idempotent-replayed": "true" }) }];
    };

    switch (`${request.method} ${pathname}`) {
      case "POST /api/auth/tills/pairing": {
        const merchant = { id: "m-1", slug: "aurora", name: "Aurora", currency: "SEK" };
        const till = { id: "t-1", name: "Counter", retailStoreId: "main", retailStoreName: null };
        return send(200, { ok: true, data: { token: "secret", merchant, till } });
      }
      case "GET /api/bff/pos/card/QR-1":
        // A first look that fails, to be repeated at once.
        if (books.lookUps++ === 0) return send(503, "<h1>Service Unavailable</h1>", { "retry-after": "0" });
        return send(200, { ok: true, data: { qrCode: "QR-1", valueRemains: balance, currency: "SEK" } });
      case "POST /api/bff/pos/redeem": {
        const { redeemAmount } = body;
        // 13: the request never arrives.
        if (redeemAmount === 13) return drop();
        const [status, answer, headers] = once(() => {
          if (redeemAmount > balance) {
            const details = { code: "INSUFFICIENT_FUNDS", message: "There is less on the card." };
            return [422, { error: "The card could not be redeemed.", details }, "no"];
          }
          balance -= redeemAmount;
          books.redeemed.push(redeemAmount);
          const data = { amount: redeemAmount, valueRemains: balance };
          return [200, { ok: true, redemptionId: `r-${books.redeemed.length}`, data }, "yes"];
        });
        // 100: the first answer is lost.
        return redeemAmount === 100 && !headers["idempotent-replayed"] ? drop() : send(status, answer, headers);
      }
      case "POST /api/bff/pos/issue":
        return send(...once(() => {
          books.issued.push(body.value);
          const data = { qrCode: "QR-2", orderId: "o-1", paymentReference: "p-1", cardNo: "1", giftCardId: "g-1", orderHash: "h", reservationCode: "c" };
          return [200, { ok: true, data }, "yes"];
        }));
      case "POST /api/bff/pos/operations/cancellation":
        books.closed.push(body.idempotencyKey);
        answers.set(body.idempotencyKey, [409, { ok: false, error: { code: "CANCELLED", message: "It was closed." } }, "no"]);
        return send(200, { ok: true, data: { status: "CANCELLED", kind: body.kind } }, { "money-moved": "no" });
      case "GET /books":
        return send(200, books);
      case "POST /finished":
        finish(text);
        return send(200, {});
      default: {
        const file = join(folder ?? "/nowhere", pathname === "/" ? "index.html" : pathname);
        const content = await readFile(file).catch(() => null);
        response.writeHead(content ? 200 : 404, { "content-type": TYPES[extname(file)] ?? "text/plain" });
        return response.end(content);
      }
    }
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** What a page has reported. */
    finished,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
