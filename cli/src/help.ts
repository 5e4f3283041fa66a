import type { Outline } from "./command.ts";

type Line = readonly [term: string, text: string];

const table = (lines: readonly Line[]): string => {
  const width = Math.max(...lines.map(([term]) => term.length));
  return lines.map(([term, text]) => `  ${term.padEnd(width)}  ${text}`).join("\n");
};

export function usageOf({ name, words = [], options = {} }: Outline): string {
  const required = Object.entries(options).flatMap(([option, { isRequired }]) =>
    isRequired === true ? [`--${option} <${option}>`] : [],
  );
  return ["sluice", name, ...words, ...required, "[options]"].join(" ");
}

/** What `--help` says of a command. */
export function helpOf(command: Outline): string {
  const own = Object.entries(command.options ?? {}).map(([name, { type, text, values }]): Line => {
    const choices = values === undefined ? "" : ` One of: ${values.join(", ")}.`;
    return [`--${name}${type === "string" ? ` <${name}>` : ""}`, `${text}${choices}`];
  });
  const json: readonly Line[] = command.isProgram === true ? [] : [["--json", "Print JSON."]];
  const options: readonly Line[] = [...own, ...json, ["--help", "Print this."]];
  return `${command.text}\n\nUsage: ${usageOf(command)}\n\n${table(options)}`;
}

const usage = "Usage: sluice <command> [options]";
const exits =
  "It ends with 0, or with 1 if it fails or is refused, 2 for a wrong command line, 3 without a valid token, 4 if the\nservice can't be reached.";
const ending = `sluice <command> --help says more. SLUICE_URL and SLUICE_TOKEN replace the stored login. ${exits}`;

const onServer = "On the machine of the service, with DATABASE_URL and its other settings in the environment:";
const anywhere = "From anywhere, with an access token:";

/** What is said of several commands: all of them, or those that begin with a word. */
export function helpOfSeveral(commands: readonly Outline[]): string {
  const line = ({ name, words = [], text }: Outline): Line => [[name, ...words].join(" "), text];
  const programs = commands.filter(({ isProgram }) => isProgram === true).map(line);
  const others = commands.filter(({ isProgram }) => isProgram !== true).map(line);
  const parts =
    programs.length === 0
      ? ["Manages Sluice with an access token.", usage, table(others)]
      : [
          ...["Sluice, a gateway to model APIs.", usage, `${onServer}\n${table(programs)}`],
          ...(others.length === 0 ? [] : [`${anywhere}\n${table(others)}`]),
        ];
  return [...parts, ending].join("\n\n");
}
