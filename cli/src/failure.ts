/** What the shell learns about a failure. */
export const exitCodes = { refused: 1, usage: 2, login: 3, unreachable: 4 } as const;

/** A failure with a sentence for people and a code for programs. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(kind: keyof typeof exitCodes, message: string) {
    super(message);
    this.name = "Failure";
    this.exitCode = exitCodes[kind];
  }
}
