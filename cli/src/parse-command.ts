import { parseArgs } from "node:util";
import type { Option, Outline, Typed } from "./command.ts";
import { Failure } from "./failure.ts";
import { usageOf } from "./help.ts";

const help = { help: { type: "boolean", short: "h" } } as const;
const json = { json: { type: "boolean" } } as const;

/** @throws Failure for words and options that the command does not have */
export function parseFor(command: Outline, args: readonly string[]): Typed {
  const declared = Object.entries(command.options ?? {});
  const own = Object.fromEntries(declared.map(([name, { type }]) => [name, { type }]));
  const options = { ...(command.isProgram === true ? {} : json), ...own, ...help };
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new Failure("usage", `${(error as Error).message.split(". ")[0]}. See: sluice ${command.name} --help`);
  }
  const entries = Object.entries(parsed.values);
  const flags = new Set(entries.filter(([, value]) => value === true).map(([name]) => name));
  const texts = Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
  const typed = { words: parsed.positionals, options: texts, flags };
  if (!flags.has("help")) {
    checkComplete(command, typed);
  }
  return typed;
}

function checkComplete(command: Outline, { words, options }: Typed): void {
  const known = command.words ?? [];
  const isOpen = known.at(-1)?.endsWith("...]") === true;
  if (isOpen ? words.length < known.length - 1 : words.length !== known.length) {
    throw new Failure("usage", `Usage: ${usageOf(command)}`);
  }
  for (const [name, option] of Object.entries(command.options ?? {})) {
    checkOption(command, name, { ...option, value: options[name] });
  }
}

function checkOption(
  command: Outline,
  name: string,
  { isRequired, values, value }: Option & { readonly value: string | undefined },
): void {
  if (value === undefined && isRequired === true) {
    throw new Failure("usage", `--${name} is missing. Usage: ${usageOf(command)}`);
  }
  if (value !== undefined && values !== undefined && !values.includes(value)) {
    throw new Failure("usage", `--${name} takes one of: ${values.join(", ")}`);
  }
}

/** A whole number of an option. @throws Failure */
export function numberOf(options: Typed["options"], name: string): number | undefined {
  const text = options[name];
  if (text === undefined) {
    return undefined;
  }
  if (!/^\d{1,15}$/.test(text)) {
    throw new Failure("usage", `--${name} takes a whole number.`);
  }
  return Number(text);
}

/** The parts of an option that takes several values, separated by commas. */
export const listOf = (text: string | undefined): string[] | undefined =>
  text
    ?.split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
