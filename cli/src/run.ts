import { Api } from "./api.ts";
import type { Command, Outline } from "./command.ts";
import { allCommands } from "./commands/all-commands.ts";
import { complete } from "./complete.ts";
import { Failure } from "./failure.ts";
import { findCommand } from "./find-command.ts";
import { helpOf, helpOfSeveral } from "./help.ts";
import type { Input } from "./input.ts";
import { parseFor } from "./parse-command.ts";
import { forTerminal, jsonForTerminal } from "./show.ts";
import { type Env, readLogin } from "./store-login.ts";

/** What surrounds the program: `programs` are commands of the one file that others execute, for help and completion. */
export type Surroundings = { readonly env: Env; readonly input: Input; readonly programs?: readonly Outline[] };

/** What the program prints: the output, and what is for people only. */
export type Printed = { readonly out: string; readonly note: string | null };

/**
 * Executes a command line.
 * @param args after the name of the program
 * @throws Failure
 */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<Printed> {
  const known = [...(surroundings.programs ?? []), ...allCommands];
  if (args[0] === "complete") {
    return { out: complete(known, args.slice(1)).join("\n"), note: null };
  }
  const found = findCommand(allCommands, args);
  if (found === null) {
    return { out: helpOfSeveral(commandsNamed(known, args)), note: null };
  }
  return await perform(found.command, found.rest, surroundings);
}

/** The commands that someone asks about who names none: all, or those of a group. @throws Failure */
function commandsNamed(known: readonly Outline[], [first, ...rest]: readonly string[]): readonly Outline[] {
  if (first === undefined || ["--help", "-h", "help"].includes(first)) {
    return known;
  }
  const group = known.filter(({ name }) => name.startsWith(`${first} `));
  const asksForHelp = rest.length === 0 || rest.some((word) => word === "--help" || word === "-h");
  if (group.length === 0 || !asksForHelp) {
    throw new Failure("usage", "This command does not exist. See: sluice --help");
  }
  return group;
}

async function perform(command: Command, args: readonly string[], { env, input }: Surroundings): Promise<Printed> {
  const typed = parseFor(command, args);
  if (typed.flags.has("help")) {
    return { out: helpOf(command), note: null };
  }
  const connect = async (): Promise<Api> => new Api(await readLogin(env));
  const { json, text, note = null } = await command.run({ ...typed, env, input, connect });
  return typed.flags.has("json") ? { out: jsonForTerminal(json), note: null } : { out: forTerminal(text), note };
}
