// A function that makes the same DynamoDB read as GET /api/bff/merchant and returns the merchant. It has no access check
// and no validation, so that the comparison does not favor the Rust function. READ is the input of the BatchGetItem.

import http from "node:http";
import { BatchGetItemCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";

const dynamodb = new DynamoDBClient({});
const read = JSON.parse(process.env.READ);

async function handle() {
  const { Responses } = await dynamodb.send(new BatchGetItemCommand(read));
  const items = Responses[process.env.TABLE_NAME].map((item) => unmarshall(item));
  const merchant = items.find((item) => item.sk === "MERCHANT");
  return {
    statusCode: merchant ? 200 : 404,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ok: true, data: merchant }),
  };
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;

function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const request = http.request(`${api}/${path}`, { method, agent }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

for (;;) {
  const next = await call("GET", "next");
  const response = await handle(JSON.parse(next.body));
  await call("POST", `${next.headers["lambda-runtime-aws-request-id"]}/response`, JSON.stringify(response));
}
