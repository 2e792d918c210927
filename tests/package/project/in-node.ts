// The till in Node and Deno: `node in-node.js API FOLDER morning`, and then the same with `afternoon`.

import { argv, kill, pid } from "node:process";
import { afternoon, morning } from "./day-at-the-till.js";
import { openNodeTill } from "./examples/node-till.js";
import { pair } from "./examples/till.js";

// Node 20 has none.
Reflect.deleteProperty(globalThis, "navigator");

const [baseUrl = "", folder = "", part] = argv.slice(2);
const till = await openNodeTill(baseUrl, await pair(baseUrl, "ABCDE-FGHJK"), folder, () => {});
if (part === "morning") {
  await morning(till);
  kill(pid, "SIGKILL");
}
await afternoon(till, baseUrl);
await till.close();
