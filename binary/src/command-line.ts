/**
 * What people type after `sluice`. What is not one of the programs goes to the command line of customers and admins,
 * which is part of the file.
 */
import { allCommands } from "@sluice/cli/commands/all-commands.ts";
import { Failure } from "@sluice/cli/failure.ts";
import { findCommand } from "@sluice/cli/find-command.ts";
import { helpOf } from "@sluice/cli/help.ts";
import { parseFor } from "@sluice/cli/parse-command.ts";
import { failWith, runProcess } from "@sluice/cli/run-process.ts";
import { runOnDatabase } from "@sluice/deploy/start/database-command";
import { hasPostgres } from "@sluice/deploy/start/postgres/binaries";
import { StartError } from "@sluice/deploy/start/start-error";
import { refuseWithoutDatabase } from "./need-database.ts";
import { type Program, programs } from "./programs.ts";

const argsAt = 2;
const [first = "", ...others] = process.argv.slice(argsAt);
/** Names with a colon, as in a checkout, are those of two words. */
const args = programs.some(({ name }) => name.replace(" ", ":") === first)
  ? [...first.split(":"), ...others]
  : process.argv.slice(argsAt);

async function runProgram(program: Program, rest: readonly string[]): Promise<void> {
  if (parseFor(program, rest).flags.has("help")) {
    process.stdout.write(`${helpOf(program)}\n`);
  } else if (program.needsDatabase && !process.env["DATABASE_URL"]) {
    process.exitCode = (await hasPostgres()) ? await runOnDatabase(args) : refuseWithoutDatabase(program.name);
  } else {
    process.argv.splice(argsAt, process.argv.length, ...rest);
    await program.load();
  }
}

async function main(): Promise<void> {
  // A longer name counts first, whose ever it is: `usage rebuild` is a program, and `usage` a command of customers.
  const found = findCommand([...programs, ...allCommands], args);
  if (found !== null && "load" in found.command) {
    await runProgram(found.command, found.rest);
  } else if (args[0] === "--version") {
    await import("./version.ts");
  } else {
    await runProcess(programs);
  }
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Failure || error instanceof StartError)) {
    throw error;
  }
  failWith(error);
}
