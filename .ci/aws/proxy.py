"""A proxy between the functions and moto, or another implementation of AWS.

Checks each request against the service models of botocore and the documented limits of DynamoDB and S3, which other implementations
are lenient about, and makes the faults that AWS makes under load. Serves the mails that were sent at /_aws/ses, as LocalStack does,
and the counts at /_proxy/report.

    proxy.py PORT BACKEND_URL [--faults] [--seed N]
"""

import argparse
import collections
import datetime
import http.client
import json
import random
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import models
from faults import Faults

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}


class State:
    """What is counted, shared by all connections."""

    def __init__(self):
        self.lock = threading.Lock()
        self.requests = collections.Counter()
        self.breaches = collections.Counter()
        self.faults = collections.Counter()
        # Answers that only a mistake of the caller, or a difference of the backend, explains.
        self.rejections = collections.Counter()
        self.mails = []
        # The outcome of each transaction by its token: DynamoDB carries out none twice, and moto does not know tokens.
        self.transactions = {}

    def count(self, counter, key):
        with self.lock:
            counter[key] += 1

    def report(self):
        with self.lock:
            return {
                "requests": sum(self.requests.values()),
                "operations": dict(self.requests.most_common()),
                "breaches": dict(self.breaches.most_common()),
                "faults": dict(self.faults.most_common()),
                "rejections": dict(self.rejections.most_common()),
            }


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @classmethod
    def json(cls, status, value):
        return cls(status, [("content-type", "application/x-amz-json-1.0")], json.dumps(value).encode())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Answers leave at once: with Nagle's algorithm, each would wait for an acknowledgement.
    disable_nagle_algorithm = True
    wbufsize = -1

    def setup(self):
        super().setup()
        self.backend = None

    def log_message(self, *_):
        pass

    def handle_any(self):
        body = self.read_body()
        if self.path == "/_aws/ses":
            return self.answer(Reply.json(200, {"messages": list(self.server.state.mails)}))
        if self.path == "/_proxy/report":
            return self.answer(Reply.json(200, self.server.state.report()))
        request = models.Request(self.command, self.path, self.headers, body)
        self.check(request)
        reply = self.carry_out(request)
        if reply is None:
            self.close_connection = True
            self.connection.close()
            return None
        return self.answer(reply)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = handle_any

    def read_body(self):
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def check(self, request):
        state = self.server.state
        state.count(state.requests, f"{request.service}.{request.operation}")
        for breach in models.breaches(request):
            state.count(state.breaches, f"{request.service}.{request.operation} {breach}")

    def carry_out(self, request):
        """The reply, or None if the connection is to be closed without one."""
        state = self.server.state
        fault = self.server.faults.choose(request)
        if fault is not None:
            state.count(state.faults, f"{fault.name} {request.operation}")
            if (reply := fault.refusal(request)) is not None:
                return Reply.json(*reply)
            fault.change(request)
        reply = self.once(request)
        if fault is not None:
            if fault.loses_reply:
                return None
            reply.body = fault.changed_reply(reply.status, reply.body)
        if 400 <= reply.status < 500 and (reason := models.rejection(request, reply)):
            state.count(state.rejections, f"{request.service}.{request.operation} {reason}")
        if reply.status < 300 and request.operation == "SendEmail":
            self.record_mail(request)
        return reply

    def once(self, request):
        token = request.params.get("ClientRequestToken") if request.operation == "TransactWriteItems" else None
        if token is None:
            return self.forward(request)
        state = self.server.state
        with state.lock:
            entry = state.transactions.setdefault(token, {"lock": threading.Lock(), "reply": None, "items": None})
        with entry["lock"]:
            if entry["reply"] is not None:
                if entry["items"] != request.params["TransactItems"]:
                    return Reply.json(400, {"__type": "com.amazonaws.dynamodb.v20120810#IdempotentParameterMismatchException"})
                return entry["reply"]
            reply = self.forward(request)
            if reply.status < 300:
                entry.update(reply=reply, items=request.params["TransactItems"])
            return reply

    def forward(self, request):
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
        headers["Content-Length"] = str(len(request.body))
        for attempt in (1, 2):
            if self.backend is None:
                self.backend = http.client.HTTPConnection(self.server.backend, timeout=60)
            try:
                self.backend.request(request.method, request.path, request.body, headers)
                response = self.backend.getresponse()
                body = response.read()
                break
            except (http.client.HTTPException, OSError):
                # An idle connection that the backend has closed.
                self.backend.close()
                self.backend = None
                if attempt == 2:
                    raise
        kept = [(name, value) for name, value in response.getheaders() if name.lower() not in HOP_BY_HOP]
        self.head_length = response.getheader("content-length")
        return Reply(response.status, kept, body)

    def record_mail(self, request):
        params = request.params
        text = lambda part: params["Message"]["Body"].get(part, {}).get("Data")
        state = self.server.state
        with state.lock:
            state.mails.append({
                "Id": str(len(state.mails)),
                "Source": params["Source"],
                "Destination": {"ToAddresses": params["Destination"].get("ToAddresses", [])},
                "Subject": params["Message"]["Subject"]["Data"],
                "Body": {"text_part": text("Text"), "html_part": text("Html")},
                "Timestamp": datetime.datetime.now(datetime.timezone.utc).isoformat().replace("+00:00", "Z"),
            })

    def answer(self, reply):
        self.send_response_only(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        length = self.head_length if self.command == "HEAD" and getattr(self, "head_length", None) else str(len(reply.body))
        self.send_header("content-length", length)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)
        self.wfile.flush()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, port, backend, faults):
        super().__init__(("127.0.0.1", port), Handler)
        self.backend, self.faults, self.state = backend, faults, State()

    def handle_error(self, request, client_address):
        # Callers hang up when they give up an attempt.
        if not isinstance(sys.exc_info()[1], (BrokenPipeError, ConnectionResetError)):
            super().handle_error(request, client_address)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("backend")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    backend = urllib.parse.urlsplit(arguments.backend).netloc
    faults = Faults(random.Random(arguments.seed) if arguments.faults else None)
    server = Server(arguments.port, backend, faults)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
