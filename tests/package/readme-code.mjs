// Prints the code of the package's README as one program, to be checked by TypeScript: `node readme-code.mjs README.md`. What the
// text says of a program's own parts is declared. A block sees those before it, and may use their names again. What it exports is an
// expression here.

import { readFile } from "node:fs/promises";

const GIVEN = `
declare const baseUrl: string;
declare const code: string;
declare function show(what: unknown): void;
declare const request: Request;
declare const database: { has(id: string): Promise<boolean> };
`;

const readme = await readFile(process.argv[2], "utf8");
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block]) => block);
const isImport = (line) => line.startsWith("import ");
const imports = new Set(blocks.flatMap((block) => block.split("\n").filter(isImport)));
const bodies = blocks.map((block) => block.split("\n").filter((line) => !isImport(line)).join("\n").replace(/^export default /m, "void "));
console.log([...imports].join("\n"), GIVEN, bodies.map((body) => `{\n${body}`).join("\n"), "}".repeat(bodies.length));
