/** `sluice`: manages a service from the command line, with an access token. */
import { Failure } from "./failure.ts";
import { standardInput } from "./input.ts";
import { run } from "./run.ts";
import { forTerminal } from "./show.ts";

// The reader of a pipe may leave early, as `head` does.
process.stdout.on("error", () => process.exit());

try {
  const { out, note } = await run(process.argv.slice(2), { env: process.env, input: standardInput });
  process.stdout.write(`${out}\n`);
  if (note !== null) {
    process.stderr.write(`${forTerminal(note)}\n`);
  }
} catch (error) {
  process.stderr.write(`${forTerminal(error instanceof Error ? error.message : String(error))}\n`);
  process.exitCode = error instanceof Failure ? error.exitCode : 1;
}
