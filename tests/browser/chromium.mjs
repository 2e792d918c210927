// The browser for tests: $CHROMIUM, or the first that is installed. The headless shell is the same engine without windows and toolbars,
// and opens a page in a third of the time.

import { accessSync, constants } from "node:fs";

const paths = process.env.CHROMIUM ? [process.env.CHROMIUM] : ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const isInstalled = (path) => {
    try {
        accessSync(path, constants.X_OK);
        return true;
    } catch {
        return false;
    }
};

/** @type {string | undefined} */
export const installed = paths.find(isInstalled);

/** Where none is installed, the path for an error to name. */
export const executablePath = installed ?? paths[0];
