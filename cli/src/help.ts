import type { Command } from "./command.ts";

type Line = readonly [term: string, text: string];

const table = (lines: readonly Line[]): string => {
  const width = Math.max(...lines.map(([term]) => term.length));
  return lines.map(([term, text]) => `  ${term.padEnd(width)}  ${text}`).join("\n");
};

export function usageOf({ name, words = [], options = {} }: Command): string {
  const required = Object.entries(options).flatMap(([option, { isRequired }]) =>
    isRequired === true ? [`--${option} <${option}>`] : [],
  );
  return ["sluice", name, ...words, ...required, "[options]"].join(" ");
}

/** What `--help` says of a command. */
export function helpOf(command: Command): string {
  const own = Object.entries(command.options ?? {}).map(([name, { type, text, values }]): Line => {
    const choices = values === undefined ? "" : ` One of: ${values.join(", ")}.`;
    return [`--${name}${type === "string" ? ` <${name}>` : ""}`, `${text}${choices}`];
  });
  const options: readonly Line[] = [...own, ["--json", "Print JSON."], ["--help", "Print this."]];
  return `${command.text}\n\nUsage: ${usageOf(command)}\n\n${table(options)}`;
}

const ending = `sluice <command> --help says more. SLUICE_URL and SLUICE_TOKEN replace the stored login. It ends with 0, or with 1 if the
service refuses, 2 for a wrong command line, 3 without a valid token, 4 if the service can't be reached.`;

/** What is said of several commands: all of them, or those that begin with a word. */
export function helpOfSeveral(commands: readonly Command[]): string {
  const lines = commands.map(({ name, words = [], text }): Line => [[name, ...words].join(" "), text]);
  return `Manages Sluice with an access token.\n\nUsage: sluice <command> [options]\n\n${table(lines)}\n\n${ending}`;
}
