// Publishes the clients as a deployment does, and serves them as CloudFront would: by deploy/publish-clients, with a stand-in for the
// AWS CLI, and by the distributions of deploy/clients.yaml. Addresses, headers, functions and error pages are those of the template.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const require = createRequire(join(resolve(process.env.BROWSER_TOOLS ?? join(root, "target/browser-tools")), "package.json"));
const yaml = require("js-yaml");

const STACK = "portal-test-clients";
/** Managed policies of CloudFront. */
const CACHING_DISABLED = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad";
/** What CloudFront adds to a response, by the part of the policy. */
const SECURITY_HEADERS = {
    ContentSecurityPolicy: (header) => ["content-security-policy", header.ContentSecurityPolicy],
    ContentTypeOptions: () => ["x-content-type-options", "nosniff"],
    ReferrerPolicy: (header) => ["referrer-policy", header.ReferrerPolicy],
    StrictTransportSecurity: (header) => ["strict-transport-security", `max-age=${header.AccessControlMaxAgeSec}`],
};

/** Publishes and serves the clients. `api` is the base URL of the local system. */
export async function publish(api) {
    const directory = await mkdtemp(join(tmpdir(), "published-"));
    const clients = join(directory, "clients");
    const bucket = join(directory, "bucket");
    const binary = process.env.LOCAL_BINARY ?? join(root, "target/debug/local");
    await run(join(dirname(resolve(binary)), "client-files"), [clients], { cwd: root });

    // The dashboard and the till are on the API's site; shops and their customers are on another one.
    const servers = { Dashboard: "localhost", Till: "localhost", Widget: "127.0.0.1", Storefront: "127.0.0.1" };
    const listening = Object.fromEntries(await Promise.all(Object.entries(servers).map(async ([name, host]) => {
        const server = createServer().unref();
        await new Promise((done) => server.listen(0, host, done));
        return [name, { server, host: `${host}:${server.address().port}` }];
    })));
    const hosts = Object.entries(listening).map(([name, { host }]) => [`${name}Host`, host]);
    const parameters = { PortalStack: "portal-test", PortalBaseUrl: api, PublicApiHost: new URL(api).host, CertificateArn: "none", WebAclArn: "none", ...Object.fromEntries(hosts) };
    const stack = await readStack(parameters);

    for (const [name, { server }] of Object.entries(listening)) {
        const distribution = stack.resource(name).DistributionConfig;
        server.on("request", (request, response) => {
            answer(stack, distribution, bucket, request).then(
                ({ status, headers, body }) => response.writeHead(status, headers).end(request.method === "HEAD" ? undefined : body),
                (error) => response.writeHead(500).end(String(error)),
            );
        });
    }

    const calls = join(directory, "calls");
    const outputs = join(directory, "outputs.json");
    await writeFile(outputs, JSON.stringify(stack.outputs()));
    await writeFile(calls, "");
    await mkdir(join(directory, "bin"));
    await writeFile(join(directory, "bin/aws"), `#!/bin/sh\nexec node "${join(import.meta.dirname, "aws-cli.mjs")}" "$@"\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${join(directory, "bin")}:${process.env.PATH}`, AWS_BUCKET: bucket, AWS_OUTPUTS: outputs, AWS_CALLS: calls };
    const publishAgain = () => run(join(root, "deploy/publish-clients"), [clients, STACK], { env });
    await publishAgain();
    return {
        urls: Object.fromEntries(Object.entries(listening).map(([name, { host }]) => [name.toLowerCase(), `http://${host}`])),
        clients,
        bucket,
        publishAgain,
        /** What the AWS CLI was asked for. */
        calls: async () => (await readFile(calls, "utf8")).trim().split("\n").map((line) => JSON.parse(line)),
        close: async () => {
            for (const { server } of Object.values(listening)) {
                server.close();
                server.closeAllConnections();
            }
            await rm(directory, { recursive: true });
        },
    };
}

/** The template with these parameters, and the names of its resources for their ids. */
async function readStack(given) {
    const text = await readFile(join(root, "deploy/clients.yaml"), "utf8");
    const tag = (kind) => (name) => new yaml.Type(`!${name}`, { kind, construct: (value) => ({ [`!${name}`]: value }) });
    const tags = [...["Ref", "Sub", "GetAtt"].map(tag("scalar")), ...["Sub", "If", "Equals", "Not"].map(tag("sequence"))];
    const template = yaml.load(text, { schema: yaml.DEFAULT_SCHEMA.extend(tags) });
    const defaults = Object.entries(template.Parameters).filter(([, { Default }]) => Default !== undefined);
    const parameters = { ...Object.fromEntries(defaults.map(([name, { Default }]) => [name, Default])), ...given };
    const missing = Object.keys(template.Parameters).filter((name) => parameters[name] === undefined);
    assert.deepEqual(missing, [], "parameters without a value");

    const named = (name) => parameters[name] ?? { "AWS::StackName": STACK, "AWS::Partition": "aws", "AWS::AccountId": "0" }[name] ?? name;
    const functions = {
        "!Ref": named,
        "!GetAtt": (name) => name,
        // Here is no TLS.
        "!Sub": (text) => text.replaceAll(/\$\{([^}]+)\}/g, (_, name) => named(name)).replaceAll(/https:\/\/(?=127\.0\.0\.1:|localhost:)/g, "http://"),
        "!If": ([condition, yes, no]) => value(value(template.Conditions[condition]) ? yes : no),
        "!Not": ([condition]) => !value(condition),
        "!Equals": ([one, other]) => value(one) === value(other),
    };
    const value = (node) => {
        if (Array.isArray(node)) return node.map(value);
        if (node === null || typeof node !== "object") return node;
        const [[name, argument] = []] = Object.entries(node);
        if (functions[name]) return functions[name](argument);
        return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, value(member)]));
    };
    return {
        resource: (name) => value(template.Resources[name].Properties),
        outputs: () => Object.entries(template.Outputs).map(([OutputKey, { Value }]) => ({ OutputKey, OutputValue: value(Value) })),
    };
}

/** What the distribution answers. */
async function answer(stack, distribution, bucket, request) {
    const behavior = distribution.DefaultCacheBehavior;
    assert.equal(distribution.CacheBehaviors, undefined, "all paths behave alike");
    if (!behavior.AllowedMethods.includes(request.method)) return { status: 403, headers: {}, body: "" };
    const origin = distribution.Origins.find(({ Id }) => Id === behavior.TargetOriginId);
    const { uri, statusCode, headers: answered } = rewritten(stack, behavior, request);
    if (statusCode) return { status: statusCode, headers: { location: answered.location.value }, body: "" };
    const ask = origin.S3OriginConfig ? askBucket : askApi;
    let response = await ask(stack, origin, bucket, uri, request);
    const error = distribution.CustomErrorResponses.find(({ ErrorCode }) => ErrorCode === response.status);
    if (error?.ResponsePagePath) {
        response = { ...await ask(stack, origin, bucket, error.ResponsePagePath, request), status: error.ResponseCode };
    }
    return { ...response, headers: { ...response.headers, ...policyHeaders(stack, behavior, request) } };
}

/** The request after the function of the distribution, or its own answer. */
function rewritten(stack, behavior, request) {
    const [uri, query] = request.url.split("?");
    const [association] = behavior.FunctionAssociations ?? [];
    if (!association) return { uri };
    const { FunctionCode } = stack.resource(association.FunctionARN.split(".")[0]);
    const querystring = Object.fromEntries([...new URLSearchParams(query)].map(([name, text]) => [name, { value: text }]));
    const event = { request: { method: request.method, uri, querystring, headers: {} }, viewer: { ip: "192.0.2.1" } };
    return runInNewContext(`${FunctionCode}\nhandler(event)`, { event });
}

/** S3 for CloudFront, which may read what the policy of the bucket says, and not know what is missing. */
async function askBucket(stack, origin, bucket, uri, request) {
    const key = `${origin.OriginPath}${decodeURIComponent(uri)}`;
    const readable = stack.resource("FilesPolicy").PolicyDocument.Statement.filter(({ Effect }) => Effect === "Allow").map(({ Resource }) => Resource);
    assert.ok(readable.includes(`Files.Arn${origin.OriginPath}/*`), `${origin.OriginPath} of ${readable}`);
    const object = key.includes("..") ? undefined : await readFile(join(bucket, `${key}.object`), "utf8").catch(() => undefined);
    if (!object) return { status: 403, headers: { "content-type": "application/xml" }, body: "<Error><Code>AccessDenied</Code></Error>" };
    const { contentType, cacheControl, content } = JSON.parse(object);
    const body = Buffer.from(content, "base64");
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;
    const headers = { "content-type": contentType, "cache-control": cacheControl, etag };
    return request.headers["if-none-match"] === etag ? { status: 304, headers, body: "" } : { status: 200, headers, body };
}

async function askApi(stack, origin, _, uri, request) {
    const secrets = (origin.OriginCustomHeaders ?? []).map(({ HeaderName, HeaderValue }) => [HeaderName, HeaderValue]);
    assert.deepEqual(secrets, [["x-front-door-secret", "{{resolve:secretsmanager:portal-test/front/1}}"]]);
    // Other headers than these make no difference to the shops' pages.
    const headers = request.headers.origin ? { origin: request.headers.origin } : {};
    const response = await fetch(`http://${origin.DomainName}${uri}`, { method: request.method, headers, redirect: "manual" });
    const { "content-encoding": _encoding, "transfer-encoding": _transfer, connection: _connection, ...answered } = Object.fromEntries(response.headers);
    return { status: response.status, headers: answered, body: Buffer.from(await response.arrayBuffer()) };
}

/** The headers of the distribution's policy. */
function policyHeaders(stack, behavior, request) {
    assert.ok(behavior.CachePolicyId === CACHING_DISABLED || behavior.CachePolicyId === "Caching", behavior.CachePolicyId);
    const policy = stack.resource(behavior.ResponseHeadersPolicyId).ResponseHeadersPolicyConfig;
    const security = Object.entries(policy.SecurityHeadersConfig).map(([name, header]) => SECURITY_HEADERS[name](header));
    const custom = (policy.CustomHeadersConfig?.Items ?? []).map(({ Header, Value }) => [Header.toLowerCase(), Value]);
    // For requests of other origins only.
    const isCrossOrigin = policy.CorsConfig && request.headers.origin;
    const cors = isCrossOrigin ? [["access-control-allow-origin", policy.CorsConfig.AccessControlAllowOrigins.Items.join()]] : [];
    return Object.fromEntries([...security, ...custom, ...cors]);
}
