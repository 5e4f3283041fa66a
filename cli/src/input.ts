import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { Failure } from "./failure.ts";

const secretLengthMax = 100_000;

/** Where texts come from that must not be in the command line, where other users of the machine could read them. */
export type Input = {
  /** The whole standard input. */
  readonly text: () => Promise<string>;
  /** A secret: asked for without showing it at a terminal, else the standard input. */
  readonly secret: (question: string) => Promise<string>;
};

export const standardInput: Input = {
  text: () => Bun.stdin.text(),
  secret: async (question) => {
    const typed = process.stdin.isTTY ? await askHidden(question) : await Bun.stdin.text();
    const secret = typed.trim();
    if (secret === "" || secret.length > secretLengthMax) {
      throw new Failure("usage", "Nothing was entered.");
    }
    return secret;
  },
};

/** Reads a line at a terminal; what is typed is not shown. */
async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve);
      lines.once("SIGINT", () => reject(new Failure("usage", "Stopped.")));
      lines.once("close", () => reject(new Failure("usage", "Nothing was entered.")));
    });
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
