// `node load-demo.mjs DIRECTORY` loads the demo into the directory's folder `data`. A local system that starts with a copy of it is
// ready within a second, where loading the demo takes a quarter of a minute.

import { join } from "node:path";
import { startLocal } from "./local.mjs";

const [directory] = process.argv.slice(2);
const { stop } = await startLocal(directory, "--data", join(directory, "data"));
await stop();
