"""Prints each order of a merchant's tills: a webhook tells that there is one, and a key reads it. Python 3.9 or newer, nothing else.

    PORTAL=https://portal.example.com PORTAL_KEY=gcpk_... WEBHOOK_SECRET=whsec_... python3 follow_orders.py

It answers a webhook once it has printed the order: what fails is sent again, for about three days. The same message can arrive twice;
a program that keeps orders keeps each by its id.
"""

import base64
import hashlib
import hmac
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORTAL, PORTAL_KEY, WEBHOOK_SECRET = (os.environ[name] for name in ("PORTAL", "PORTAL_KEY", "WEBHOOK_SECRET"))
MAX_BODY = 64 * 1024
MAX_AGE = 300  # seconds: an older message was recorded by somebody, and sent again


def is_genuine(secrets: str, headers, body: bytes) -> bool:
    """Whether the body was signed with one of the secrets, a few minutes ago."""
    message, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdigit() or abs(time.time() - int(sent)) > MAX_AGE:
        return False
    signatures = [one[3:] for one in headers.get("webhook-signature", "").split(" ") if one.startswith("v1,")]
    for secret in secrets.split():
        key = base64.b64decode(secret.removeprefix("whsec_"))
        digest = hmac.new(key, f"{message}.{sent}.".encode() + body, hashlib.sha256).digest()
        expected = base64.b64encode(digest).decode()
        if any(hmac.compare_digest(one.encode(), expected.encode()) for one in signatures):
            return True
    return False


def read_order(order_id: str) -> dict:
    """An order, as the API returns it."""
    url = f"{PORTAL}/api/bff/merchant-orders/{urllib.parse.quote(order_id, safe='')}"
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {PORTAL_KEY}"})
    with urllib.request.urlopen(request, timeout=8) as response:
        return json.load(response)["data"]


class Receiver(BaseHTTPRequestHandler):
    """Answers 204 once an order is printed, 400 what is not genuine, and 500 what is to be sent again."""

    def do_POST(self):
        length = int(self.headers.get("content-length", "0"))
        body = self.rfile.read(length) if length <= MAX_BODY else b""
        if not is_genuine(WEBHOOK_SECRET, self.headers, body):
            print("A message was refused: it was not signed with WEBHOOK_SECRET within the last minutes.", flush=True)
            return self.answer(400)
        message = json.loads(body)
        if message["type"] == "gift_card.issued" and not message["test"]:
            try:
                print(json.dumps(read_order(message["data"]["orderId"])), flush=True)
            except (OSError, urllib.error.URLError) as error:
                print(f"The order could not be read: {error}", flush=True)
                return self.answer(500)
        return self.answer(204)

    def answer(self, status: int):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
