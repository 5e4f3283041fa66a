import type { Outline } from "./command.ts";
import { shells } from "./commands/completion.ts";
import { findCommand } from "./find-command.ts";

/**
 * What can be typed at the cursor.
 * @param words after the name of the program; the last one is being typed
 */
export function complete(commands: readonly Outline[], words: readonly string[]): string[] {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? "";
  const found = findCommand(commands, before);
  const values = found === null ? null : valuesOf(found.command, before.at(-1) ?? "");
  const choices = values ?? (typed.startsWith("-") ? optionsOf(found?.command) : wordsAfter(commands, before));
  return choices.filter((choice) => choice.startsWith(typed)).toSorted();
}

/** The values of the option before the cursor, if it takes one. */
function valuesOf({ options = {} }: Outline, before: string): readonly string[] | null {
  const option = before.startsWith("--") ? options[before.slice(2)] : undefined;
  return option?.type === "string" ? (option.values ?? []) : null;
}

const optionsOf = (command: Outline | undefined): string[] =>
  [...commonOptionsOf(command), ...Object.keys(command?.options ?? {})].map((name) => `--${name}`);

const commonOptionsOf = (command: Outline | undefined): string[] =>
  command?.isProgram === true ? ["help"] : ["json", "help"];

function wordsAfter(commands: readonly Outline[], before: readonly string[]): string[] {
  if (before.length === 1 && before[0] === "completion") {
    return shells;
  }
  const names = commands.map(({ name }) => name.split(" "));
  const fitting = names.filter((name) => before.every((word, index) => name[index] === word));
  return [...new Set(fitting.flatMap((name) => name[before.length] ?? []))];
}
