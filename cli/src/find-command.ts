import type { Outline } from "./command.ts";

type Found<Known> = { readonly command: Known; readonly rest: readonly string[] };

const nameWordsMax = 2;

/** The command whose name the words begin with; longer names count first. */
export function findCommand<Known extends Outline>(
  commands: readonly Known[],
  args: readonly string[],
): Found<Known> | null {
  for (let length = nameWordsMax; length > 0; length -= 1) {
    const name = args.slice(0, length).join(" ");
    const command = commands.find((each) => each.name === name);
    if (command !== undefined) {
      return { command, rest: args.slice(length) };
    }
  }
  return null;
}
