"""Shows that the checks of models.py find what AWS refuses, and nothing in a request that AWS takes."""

import json
from email.message import Message

import models

KEY = {"pk": {"S": "A#1"}, "sk": {"S": "A"}}
SIGNED = {"authorization": "AWS4-HMAC-SHA256"}


def dynamodb(operation, **body):
    return request("POST", "/", {**SIGNED, "x-amz-target": f"DynamoDB_20120810.{operation}"}, json.dumps(body).encode())


def request(method, path, headers, body=b""):
    message = Message()
    for name, value in headers.items():
        message[name] = value
    return models.Request(method, path, message, body)


def put(**item):
    return dynamodb("PutItem", TableName="t00", Item={**KEY, **item})


def update(expression, **rest):
    return dynamodb("UpdateItem", TableName="t00", Key=KEY, UpdateExpression=expression, **rest)


def transaction(count, token="a", key=lambda n: f"A#{n}"):
    parts = [{"Put": {"TableName": "t00", "Item": {"pk": {"S": key(n)}, "sk": {"S": "A"}}}} for n in range(count)]
    return dynamodb("TransactWriteItems", TransactItems=parts, **({"ClientRequestToken": token} if token else {}))


FINE = [
    put(text={"S": "x" * 1000}, number={"N": "-12.50"}),
    update("SET #a = :a", ExpressionAttributeNames={"#a": "a"}, ExpressionAttributeValues={":a": {"N": "1"}}),
    transaction(100),
    request("GET", "/bucket/a/b%20c?x-id=GetObject", SIGNED),
    request("PUT", "/bucket/a?partNumber=1&uploadId=u", SIGNED, b"x"),
    request("GET", "/bucket?list-type=2&prefix=a", SIGNED),
]
REFUSED = [
    (dynamodb("PutItem", Item=KEY), "missing required field TableName"),
    (dynamodb("PutItem", TableName="t00", Item=KEY, Itm=1), "unknown field Itm"),
    (dynamodb("PutItem", TableName=7, Item=KEY), "invalid type"),
    (dynamodb("PutItem", TableName="t00", Item=KEY, ReturnValues="SOME"), "none of the values of ReturnValue"),
    (put(text={"S": "x" * models.MAX_ITEM}), "more than 400 KB"),
    (put(pk={"S": "x" * 2049}), "the key pk"),
    (put(due_sk={"S": ""}), "the key due_sk"),
    (put(number={"N": "1" * 39}), "more than 38 digits"),
    (put(tags={"SS": []}), "a set is empty"),
    (update("SET #a = :a", ExpressionAttributeNames={"#a": "a", "#b": "b"}, ExpressionAttributeValues={":a": {"N": "1"}}), "no expression uses"),
    (update("SET #a = :a", ExpressionAttributeNames={"#a": "a"}), "ExpressionAttributeValues has not"),
    (update("SET status = :a", ExpressionAttributeValues={":a": {"N": "1"}}), "reserved words"),
    (update("SET #a = :a" + " " * 4096, ExpressionAttributeNames={"#a": "a"}, ExpressionAttributeValues={":a": {"N": "1"}}), "more than 4 KB"),
    (transaction(101), "101 is not within"),
    (transaction(2, token=None), "has no token"),
    (transaction(2, token="a" * 37), "37 is not within"),
    (transaction(2, key=lambda _: "A#1"), "more than one action on an item"),
    (dynamodb("BatchGetItem", RequestItems={"t00": {"Keys": [KEY, KEY]}}), "reads an item twice"),
    (dynamodb("BatchWriteItem", RequestItems={"t00": [{"DeleteRequest": {"Key": {**KEY, "pk": {"S": str(n)}}}} for n in range(26)]}), "26 is not within"),
    (dynamodb("Query", TableName="t00", IndexName="due", ConsistentRead=True), "consistent read of a global index"),
    (dynamodb("Query", TableName="t00", Limit=0), "invalid range"),
    (request("GET", f"/bucket/{'k' * 1025}?x-id=GetObject", SIGNED), "1025 is not within|more than 1024 bytes"),
    (request("GET", "/bucket/k?x-id=GetObject", {}), "is not signed"),
    (request("GET", "/bucket/k?x-id=GetObject&X-Amz-Signature=s&X-Amz-Expires=604801", {}), "more than 7 days"),
    (request("POST", "/", {**SIGNED, "content-type": "application/x-www-form-urlencoded"}, b"Action=SendEmail&Source=a"), "missing required field Message"),
]

for fine in FINE:
    assert not (found := models.breaches(fine)), (fine.operation, found)
for refused, expected in REFUSED:
    found = models.breaches(refused)
    assert any(part in text for text in found for part in expected.split("|")), (refused.operation, expected, found)
print(f"{len(FINE)} requests pass, {len(REFUSED)} are refused")
