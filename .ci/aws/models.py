"""Reads requests to AWS, and finds what AWS would refuse in them."""

import base64
import functools
import json
import re
import urllib.parse
import xml.etree.ElementTree as ElementTree

import botocore.session
from botocore.validate import ParamValidator
from moto.dynamodb.parsing.reserved_keywords import ReservedKeywords

SESSION = botocore.session.get_session()
VALIDATOR = ParamValidator()
TARGETS = {"DynamoDB_20120810": "dynamodb", "DynamoDBStreams_20120810": "dynamodbstreams", "secretsmanager": "secretsmanager"}

KB = 1024
MAX_ITEM = 400 * KB
MAX_TRANSACTION = 4 * KB * KB
MAX_BATCH = 16 * KB * KB
MAX_EXPRESSION = 4 * KB
MAX_VALUES = 2 * KB * KB
MAX_OPERATORS = 300
MAX_IN = 100
MAX_DEPTH = 32
MAX_DIGITS = 38
KEYS = {"pk": 2048, "sk": 1024, "due_pk": 2048, "due_sk": 1024}
MAX_OBJECT_KEY = 1024
MAX_METADATA = 2 * KB
MAX_TAGS = 10
MAX_PRESIGNED_SECONDS = 7 * 24 * 60 * 60

EXPRESSIONS = ("KeyConditionExpression", "FilterExpression", "ProjectionExpression", "ConditionExpression", "UpdateExpression")
# Keywords and functions of expressions.
SYNTAX = {"AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE", "SIZE", "CONTAINS", "BEGINS_WITH", "ATTRIBUTE_EXISTS",
          "ATTRIBUTE_NOT_EXISTS", "ATTRIBUTE_TYPE", "IF_NOT_EXISTS", "LIST_APPEND"}


@functools.cache
def model(service):
    return SESSION.get_service_model(service)


class Request:
    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers, self.body = method, path, headers, body
        self.url = urllib.parse.urlsplit(path)
        self.query = urllib.parse.parse_qs(self.url.query, keep_blank_values=True)
        agents = f"{headers.get('x-amz-user-agent', '')} {headers.get('user-agent', '')}"
        found = re.search(r"\bapp/(\S+)", agents)
        self.function = found.group(1) if found else None
        self.json, self.params = {}, {}
        self.service, self.operation = self._operation()
        self._read()

    def replace(self, value):
        """Changes the JSON of the request."""
        self.json = value
        self.body = json.dumps(value).encode()

    def _operation(self):
        target = self.headers.get("x-amz-target", "")
        if "." in target:
            service, operation = target.rsplit(".", 1)
            return TARGETS.get(service, service), operation
        if self.method == "POST" and "application/x-www-form-urlencoded" in self.headers.get("content-type", ""):
            return "ses", urllib.parse.parse_qs(self.body.decode()).get("Action", [""])[0]
        return "s3", s3_operation(self)

    @property
    def shape(self):
        try:
            return model(self.service).operation_model(self.operation).input_shape
        except Exception:
            return None

    def _read(self):
        shape = self.shape
        if shape is None:
            return
        if self.service == "ses":
            self.params = from_query(shape, {name: values[0] for name, values in urllib.parse.parse_qs(self.body.decode(), keep_blank_values=True).items()}, "")
        elif self.service == "s3":
            self.params = from_rest(shape, self)
        else:
            self.json = json.loads(self.body or b"{}")
            self.params = self.json


def path_parts(path):
    bucket, _, key = path.lstrip("/").partition("/")
    return urllib.parse.unquote(bucket), urllib.parse.unquote(key)


def s3_operation(request):
    if named := request.query.get("x-id"):
        return named[0]
    bucket, key = path_parts(request.url.path)
    fitting = []
    for name in model("s3").operation_names:
        operation = model("s3").operation_model(name)
        template, _, query = operation.http["requestUri"].partition("?")
        if operation.http["method"] != request.method or template != ("/{Bucket}/{Key+}" if key else "/{Bucket}" if bucket else "/"):
            continue
        constants = urllib.parse.parse_qs(query, keep_blank_values=True)
        shape = operation.input_shape
        members = [shape.members[member].serialization for member in (shape.required_members if shape else [])]
        named = [member["name"] for member in members if member.get("location") == "querystring"]
        headers = [member["name"] for member in members if member.get("location") == "header"]
        if all(request.query.get(name) == values for name, values in constants.items()) and all(name in request.query for name in named) \
                and all(name in request.headers for name in headers):
            fitting.append((len(constants) + len(named) + len(headers), -len(name), name))
    return max(fitting)[2] if fitting else ""


def scalar(shape, text):
    match shape.type_name:
        case "integer" | "long":
            return int(text)
        case "boolean":
            return text == "true"
        case "blob":
            return base64.b64decode(text)
        case _:
            return text


def from_query(shape, form, prefix):
    """Parses a form of the query protocol."""
    if shape.type_name == "structure":
        result = {}
        for name, member in shape.members.items():
            key = f"{prefix}{member.serialization.get('name', name)}"
            if key in form or any(known.startswith(f"{key}.") for known in form):
                result[name] = from_query(member, form, key if member.type_name not in ("structure", "list") else f"{key}.")
        return result
    if shape.type_name == "list":
        result, number = [], 1
        while any(known == (key := f"{prefix}member.{number}") or known.startswith(f"{key}.") for known in form):
            result.append(from_query(shape.member, form, key if shape.member.type_name != "structure" else f"{key}."))
            number += 1
        return result
    return scalar(shape, form[prefix])


def from_rest(shape, request):
    """Parses a request of S3."""
    bucket, key = path_parts(request.url.path)
    params = {"Bucket": bucket, "Key": key}
    params = {name: value for name, value in params.items() if value and name in shape.members}
    for name, member in shape.members.items():
        location, wire = member.serialization.get("location"), member.serialization.get("name", name)
        if location == "header" and request.headers.get(wire) is not None:
            params[name] = scalar(member, request.headers[wire])
        elif location == "querystring" and wire in request.query:
            params[name] = scalar(member, request.query[wire][0])
        elif location == "headers":
            values = {header[len(wire):]: value for header, value in request.headers.items() if header.lower().startswith(wire)}
            if values:
                params[name] = values
    payload = shape.serialization.get("payload")
    if payload and request.body:
        member = shape.members[payload]
        params[payload] = from_xml(member, ElementTree.fromstring(request.body)) if member.type_name == "structure" else request.body
    return params


def from_xml(shape, element):
    if shape.type_name == "structure":
        result = {}
        for name, member in shape.members.items():
            wire = member.serialization.get("name", name)
            found = [child for child in element if child.tag.rpartition("}")[2] == wire]
            if not found:
                continue
            if member.type_name == "list" and member.serialization.get("flattened"):
                result[name] = [from_xml(member.member, child) for child in found]
            elif member.type_name == "list":
                result[name] = [from_xml(member.member, child) for child in found[0]]
            else:
                result[name] = from_xml(member, found[0])
        return result
    return scalar(shape, element.text or "")


def breaches(request):
    """What AWS would refuse, as texts without values."""
    shape = request.shape
    if shape is None:
        return [f"is no operation of {request.service}"]
    found = VALIDATOR.validate(request.params, shape)._errors
    texts = [f"{place}: {reason} {of.get('required_name') or of.get('unknown_param') or ''}".strip() for reason, place, of in found]
    texts.extend(constraints(shape, request.params, ""))
    if request.service == "dynamodb":
        texts.extend(dynamodb(request))
    if request.service == "s3":
        texts.extend(s3(request))
    if "authorization" not in request.headers and "X-Amz-Signature" not in request.query:
        texts.append("is not signed")
    return texts


def constraints(shape, value, place):
    """Lengths, ranges, patterns and enums, which botocore leaves to the service."""
    limits = shape.metadata
    kind = shape.type_name
    if kind == "structure" and isinstance(value, dict):
        for name, member in shape.members.items():
            if name in value:
                yield from constraints(member, value[name], f"{place}.{name}")
        return
    if kind == "list" and isinstance(value, list):
        for element in value:
            yield from constraints(shape.member, element, f"{place}[]")
    if kind == "map" and isinstance(value, dict):
        for name, element in value.items():
            yield from constraints(shape.key, name, f"{place}.key")
            yield from constraints(shape.value, element, f"{place}[]")
    size = value if isinstance(value, (int, float)) and not isinstance(value, bool) else len(value) if hasattr(value, "__len__") else None
    if size is not None and not limits.get("min", size) <= size <= limits.get("max", size):
        yield f"{place}: {size} is not within {limits.get('min')} and {limits.get('max')}"
    if isinstance(value, str) and (pattern := limits.get("pattern")) and not matches(pattern, value):
        yield f"{place}: does not match {pattern}"
    if isinstance(value, str) and getattr(shape, "enum", None) and value not in shape.enum:
        yield f"{place}: is none of the values of {shape.name}"


def matches(pattern, value):
    try:
        return re.search(pattern, value) is not None
    except re.error:
        return True


# DynamoDB


def size_of(value):
    """The size of an attribute's value, as docs.aws.amazon.com describes it."""
    (kind, content), = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return (len(content.strip("-").replace(".", "")) + 1) // 2 + 1
        case "B":
            return len(base64.b64decode(content))
        case "BOOL" | "NULL":
            return 1
        case "L":
            return 3 + sum(1 + size_of(element) for element in content)
        case "M":
            return 3 + sum(1 + len(name.encode()) + size_of(element) for name, element in content.items())
        case _:
            return sum(size_of({kind[0]: element}) for element in content)


def size_of_item(item):
    return sum(len(name.encode()) + size_of(value) for name, value in item.items())


def values(value, depth=1):
    """Breaches in an attribute's value."""
    if depth > MAX_DEPTH:
        yield "nested deeper than 32 levels"
        return
    if len(value) != 1:
        yield "a value has not exactly one type"
        return
    (kind, content), = value.items()
    if kind == "N" and not valid_number(content):
        yield "a number has more than 38 digits, or is out of range"
    if kind in ("SS", "NS", "BS") and (not content or len(set(content)) != len(content)):
        yield "a set is empty or repeats a value"
    for element in content if kind == "L" else content.values() if kind == "M" else []:
        yield from values(element, depth + 1)


def valid_number(text):
    found = re.fullmatch(r"-?(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?", text)
    if not found or not (found.group(1) or found.group(2)):
        return False
    digits = (found.group(1) + found.group(2)).lstrip("0")
    digits = digits.rstrip("0") if "." in text else digits
    return len(digits) <= MAX_DIGITS and abs(int(found.group(3) or 0)) <= 125


def key_breaches(item):
    for name, limit in KEYS.items():
        if (value := item.get(name)) is None:
            continue
        if "S" not in value:
            yield f"the key {name} is no string"
        elif not 1 <= len(value["S"].encode()) <= limit:
            yield f"the key {name} is empty or has more than {limit} bytes"


def item_breaches(item):
    yield from key_breaches(item)
    for name in ("pk", "sk"):
        if name not in item:
            yield f"an item has no {name}"
    if size_of_item(item) > MAX_ITEM:
        yield "an item has more than 400 KB"
    for value in item.values():
        yield from values(value)


def expression_breaches(request):
    """Breaches in the expressions of one action."""
    texts = [request[name] for name in EXPRESSIONS if name in request]
    joined = " ".join(texts)
    for name in EXPRESSIONS:
        if name in request and not 0 < len(request[name].encode()) <= MAX_EXPRESSION:
            yield f"{name} is empty or has more than 4 KB"
    for member, sign in (("ExpressionAttributeNames", "#"), ("ExpressionAttributeValues", ":")):
        defined = set(request.get(member, {}))
        used = set(re.findall(rf"{sign}\w+", joined))
        if member in request and not defined:
            yield f"{member} is empty"
        if unused := defined - used:
            yield f"{member} has names that no expression uses: {sorted(unused)}"
        if undefined := used - defined:
            yield f"an expression uses names that {member} has not: {sorted(undefined)}"
    for value in request.get("ExpressionAttributeValues", {}).values():
        yield from values(value)
        if size_of(value) > MAX_ITEM:
            yield "a value of an expression has more than 400 KB"
    if len(json.dumps(request.get("ExpressionAttributeValues", {}))) > MAX_VALUES:
        yield "ExpressionAttributeValues has more than 2 MB"
    for text in texts:
        words = re.findall(r"(?<![#:\w.])[A-Za-z]\w*", text)
        if reserved := {word for word in words if word.upper() not in SYNTAX and word.upper() in reserved_words()}:
            yield f"an expression has reserved words: {sorted(reserved)}"
        if len(re.findall(r"\b(?:AND|OR|NOT|IN|BETWEEN)\b|[<>=]+|[+-]", text, re.IGNORECASE)) > MAX_OPERATORS:
            yield "an expression has more than 300 operators"
        for operands in re.findall(r"\bIN\s*\(([^)]*)\)", text, re.IGNORECASE):
            if operands.count(",") >= MAX_IN:
                yield "IN has more than 100 operands"


@functools.cache
def reserved_words():
    return {word.upper() for word in ReservedKeywords.get_reserved_keywords()}


def action_breaches(request):
    yield from expression_breaches(request)
    if "Item" in request:
        yield from item_breaches(request["Item"])
    if "Key" in request:
        yield from exact_key(request["Key"])
    if "ExclusiveStartKey" in request:
        yield from key_breaches(request["ExclusiveStartKey"])


def exact_key(key):
    yield from key_breaches(key)
    if set(key) != {"pk", "sk"}:
        yield "a key has other attributes than pk and sk"


def identity(table, item):
    return (table, json.dumps(item.get("pk")), json.dumps(item.get("sk")))


def dynamodb(request):
    body = request.json
    match request.operation:
        case "TransactWriteItems" | "TransactGetItems":
            actions = [action for part in body["TransactItems"] for action in part.values()]
            for part in body["TransactItems"]:
                if len(part) != 1:
                    yield "a part of a transaction has not exactly one action"
            for action in actions:
                yield from action_breaches(action)
            touched = [identity(action["TableName"], action.get("Item") or action.get("Key")) for action in actions]
            if len(set(touched)) != len(touched):
                yield "a transaction has more than one action on an item"
            if sum(size_of_item(action.get("Item", {})) for action in actions) > MAX_TRANSACTION:
                yield "a transaction has more than 4 MB"
            if request.operation == "TransactWriteItems" and "ClientRequestToken" not in body:
                yield "a transaction has no token, and is repeated if its answer is lost"
        case "BatchWriteItem":
            requests = [(table, write) for table, writes in body["RequestItems"].items() for write in writes]
            items = [(table, next(iter(write.values()))) for table, write in requests]
            items = [(table, item.get("Item") or item.get("Key")) for table, item in items]
            if not 1 <= len(requests) <= 25:
                yield "a batch has no write or more than 25"
            if len({identity(table, item) for table, item in items}) != len(items):
                yield "a batch writes an item twice"
            if sum(size_of_item(item) for _, item in items) > MAX_BATCH:
                yield "a batch has more than 16 MB"
            for _, item in items:
                yield from item_breaches(item)
        case "BatchGetItem":
            keys = [(table, key) for table, batch in body["RequestItems"].items() for key in batch["Keys"]]
            if not 1 <= len(keys) <= 100:
                yield "a batch has no key or more than 100"
            if len({identity(table, key) for table, key in keys}) != len(keys):
                yield "a batch reads an item twice"
            for _, key in keys:
                yield from exact_key(key)
            for batch in body["RequestItems"].values():
                yield from expression_breaches(batch)
        case "Query":
            yield from action_breaches(body)
            if body.get("IndexName") and body.get("ConsistentRead"):
                yield "a consistent read of a global index"
            if "ExclusiveStartKey" in body:
                expected = {"pk", "sk", "due_pk", "due_sk"} if body.get("IndexName") else {"pk", "sk"}
                if set(body["ExclusiveStartKey"]) != expected:
                    yield "ExclusiveStartKey has other attributes than the keys"
        case _:
            yield from action_breaches(body)


# S3


def s3(request):
    params = request.params
    if len(params.get("Key", "").encode()) > MAX_OBJECT_KEY:
        yield "a key has more than 1024 bytes"
    if sum(len(name.encode()) + len(value.encode()) for name, value in params.get("Metadata", {}).items()) > MAX_METADATA:
        yield "metadata of more than 2 KB"
    if len(urllib.parse.parse_qs(params.get("Tagging", ""), keep_blank_values=True)) > MAX_TAGS:
        yield "more than 10 tags"
    if int(request.query.get("X-Amz-Expires", ["1"])[0]) > MAX_PRESIGNED_SECONDS:
        yield "a presigned URL is valid for more than 7 days"


EXPECTED_REJECTIONS = {
    "ConditionalCheckFailedException", "TransactionCanceledException", "ResourceNotFoundException", "NoSuchKey", "NoSuchBucket", "NotFound",
}


def rejection(request, reply):
    """Why the backend refused a request, unless callers expect the reason. Only a code and a short message."""
    text = reply.body.decode(errors="replace")
    code = re.search(r'"__type"\s*:\s*"(?:[^"#]*#)?(\w+)"', text) or re.search(r"<Code>(\w+)</Code>", text)
    code = code.group(1) if code else f"status {reply.status}"
    if code in EXPECTED_REJECTIONS or request.method == "HEAD":
        if code != "TransactionCanceledException" or "ValidationError" not in text:
            return None
    message = re.search(r'"[mM]essage"\s*:\s*"([^"]{0,160})', text)
    return f"{code}: {message.group(1) if message else ''}"
