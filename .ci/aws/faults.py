"""The faults that AWS makes under load. The code of callers has to stand all of them."""

import json

# Of all calls of functions, these parts fail in each way. Together with the others that are possible for an operation, about 10 %.
REFUSED = 0.03
FAILED = 0.03
LOST = 0.02
# Shortened answers are no errors.
SHORTENED = 0.25
# What has no faults: the local system, and the instance that compares the records of the money histories.
SPARED = (None, "local", "reconciliation")

PREFIX = "com.amazonaws.dynamodb.v20120810#"
WRITES = {"PutItem", "UpdateItem", "DeleteItem"}


def error(code, message="A fault of the test.", status=400, prefix=PREFIX, **rest):
    return status, {"__type": prefix + code, "message": message, **rest}


class Fault:
    loses_reply = False

    def __init__(self, name):
        self.name = name

    def refusal(self, request):
        """The status and body, if the request is not to be carried out."""

    def change(self, request):
        """Changes the request before it is carried out."""

    def changed_reply(self, status, body):
        return body


class Refusal(Fault):
    def __init__(self, name, reply):
        super().__init__(name)
        self.reply = reply

    def refusal(self, request):
        return self.reply


class LostAnswer(Fault):
    """The operation is carried out, and the caller does not hear of it."""

    loses_reply = True


class ShortPage(Fault):
    """A query ends early, as after a megabyte of rows."""

    def __init__(self, name, rows):
        super().__init__(name)
        self.rows = rows

    def change(self, request):
        request.replace({**request.params, "Limit": self.rows})


class Unprocessed(Fault):
    """A batch is carried out in part."""

    def __init__(self, name, member):
        super().__init__(name)
        self.member, self.rest = member, {}

    def change(self, request):
        kept = {}
        for table, batch in request.json["RequestItems"].items():
            items = batch["Keys"] if self.member == "UnprocessedKeys" else batch
            half = max(1, len(items) // 2)
            split = lambda part: {**batch, "Keys": part} if self.member == "UnprocessedKeys" else part
            kept[table] = split(items[:half])
            if items[half:]:
                self.rest[table] = split(items[half:])
        request.replace({**request.json, "RequestItems": kept})

    def changed_reply(self, status, body):
        if status >= 300:
            return body
        reply = json.loads(body)
        for table, rest in self.rest.items():
            known = reply.setdefault(self.member, {}).get(table)
            joined = rest if not known else rest + known if isinstance(rest, list) else {**rest, "Keys": rest["Keys"] + known["Keys"]}
            reply[self.member][table] = joined
        return json.dumps(reply).encode()


class Faults:
    def __init__(self, random):
        self.random = random

    def choose(self, request):
        """The fault of a call, or None. Only functions have them, not what runs them."""
        if self.random is None or request.function in SPARED or request.service not in ("dynamodb", "s3", "ses"):
            return None
        chance = self.random.random()
        if chance < FAILED:
            return self.failure(request)
        if chance < FAILED + LOST:
            # A mail that is sent twice is no fault of the portal's: SES has no token.
            return LostAnswer("answer lost") if request.service != "ses" else None
        if request.service != "dynamodb":
            return None
        if chance < FAILED + LOST + REFUSED:
            return self.refusal(request.operation, request)
        if self.random.random() < SHORTENED:
            return self.shortened(request)
        return None

    def failure(self, request):
        if request.service == "dynamodb":
            return Refusal("500", error("InternalServerError", status=500))
        return None

    def refusal(self, operation, request):
        throttled = self.random.choice(["ProvisionedThroughputExceededException", "RequestLimitExceeded"])
        throttling = Refusal("throttled", error(throttled))
        choices = [throttling, Refusal("throttled", error("ThrottlingException", prefix="com.amazon.coral.availability#"))]
        if operation == "TransactWriteItems":
            parts = request.json["TransactItems"]
            reasons = [{"Code": "None"} for _ in parts]
            reasons[self.random.randrange(len(parts))] = {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}
            codes = ", ".join(reason["Code"] for reason in reasons)
            message = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
            choices = [
                throttling,
                Refusal("conflict", error("TransactionCanceledException", message, CancellationReasons=reasons, Message=message)),
                Refusal("in progress", error("TransactionInProgressException")),
            ]
        if operation in WRITES:
            choices.append(Refusal("conflict", error("TransactionConflictException")))
        return self.random.choice(choices)

    def shortened(self, request):
        if request.operation == "Query" and "Limit" not in request.json:
            return ShortPage("short page", self.random.randint(1, 3))
        if request.operation == "BatchGetItem":
            return Unprocessed("unprocessed keys", "UnprocessedKeys")
        if request.operation == "BatchWriteItem":
            return Unprocessed("unprocessed items", "UnprocessedItems")
        return None
