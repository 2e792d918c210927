// The browser for tests: the `chromium()` of .ci/lib, for programs that are run without it.

import { existsSync } from "node:fs";

const INSTALLED = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

export const executablePath = process.env.CHROMIUM ?? INSTALLED.find(existsSync) ?? INSTALLED[0];
