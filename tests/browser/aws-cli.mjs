// Stands in for the AWS CLI in deploy/publish-clients: see published.mjs. The bucket is the folder AWS_BUCKET, the outputs of the
// stack are in AWS_OUTPUTS, and each call becomes a line of AWS_CALLS.

import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const { AWS_BUCKET, AWS_OUTPUTS, AWS_CALLS } = process.env;
const [service, operation, ...rest] = process.argv.slice(2);
const option = (name) => rest[rest.indexOf(name) + 1];
/** The values of an option that can be given more than once, in their order. */
const filters = rest.flatMap((word, i) => (word === "--include" || word === "--exclude" ? [[word, rest[i + 1]]] : []));
const log = (call) => appendFileSync(AWS_CALLS, `${JSON.stringify(call)}\n`);

const escaped = (text) => text.replaceAll(".", "\\.");
const matches = (text, pattern) => new RegExp(`^${pattern.split("*").map(escaped).join(".*")}$`).test(text);

/** The last filter that matches decides. */
const isChosen = (name) => filters.findLast(([, pattern]) => matches(name, pattern))?.[0] !== "--exclude";

/** The paths of all files in a folder. */
const filesIn = (folder) => readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());

function put(source, name, key) {
    const path = join(AWS_BUCKET, `${key}.object`);
    const [contentType, cacheControl] = [option("--content-type"), option("--cache-control")];
    const content = readFileSync(join(source, name)).toString("base64");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ contentType, cacheControl, modified: new Date().toISOString(), content }));
    log({ put: key });
}

const operations = {
    "cloudformation describe-stacks": () => {
        const [, key] = /OutputKey=='(\w+)'/.exec(option("--query"));
        console.log(JSON.parse(readFileSync(AWS_OUTPUTS, "utf8")).find(({ OutputKey }) => OutputKey === key).OutputValue);
    },
    "s3 cp": () => {
        const [source, target] = rest;
        const prefix = target.split("/").slice(3).join("/");
        for (const name of filesIn(source).filter(isChosen).sort()) put(source, name, `${prefix}/${name}`);
    },
    "s3 rm": () => {
        const prefix = rest[0].split("/").slice(3).join("/");
        rmSync(join(AWS_BUCKET, prefix), { recursive: true });
        log({ removed: prefix });
    },
    "s3api list-objects-v2": () => {
        for (const path of filesIn(AWS_BUCKET).filter((path) => path.startsWith(option("--prefix")))) {
            console.log(`${JSON.parse(readFileSync(join(AWS_BUCKET, path), "utf8")).modified}\t${path.replace(/\.object$/, "")}`);
        }
    },
    "cloudfront create-invalidation": () => {
        log({ invalidated: option("--distribution-id"), paths: option("--paths") });
        console.log("I1");
    },
};
operations[`${service} ${operation}`]();
