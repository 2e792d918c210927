// A process with a file journal: `node file-journal-holder.mjs FOLDER [write]`. It says `open`, or why it is not, and ends with its
// input. With `write`, it adds entries one after another, and says the key of each once it is written.

import { openFileJournal } from "../../clients/typescript/file-journal.js";
import { entry } from "./entries.mjs";

const [folder, task] = process.argv.slice(2);
try {
    const journal = await openFileJournal(folder);
    console.log("open");
    process.stdin.resume().once("end", () => process.exit());
    for (let number = 1; task === "write"; number++) {
        const { key } = entry(`key-${number}`);
        await journal.begin(entry(key, { note: { text: "x".repeat(number % 5000) } }));
        await journal.change(key, (begun) => ({ ...begun, reference: `op-${number}` }));
        process.stdout.write(`${key}\n`);
    }
} catch (error) {
    console.log(error.message);
}
