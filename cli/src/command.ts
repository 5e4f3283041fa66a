import type { Api } from "./api.ts";
import type { Input } from "./input.ts";
import type { Env } from "./store-login.ts";

/** An option of a command: a text, or a flag without a value. */
export type Option = {
  readonly type: "string" | "boolean";
  readonly text: string;
  readonly isRequired?: true;
  /** The only values that it takes. */
  readonly values?: readonly string[];
};

/** What was typed after the name of a command. */
export type Typed = {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly flags: ReadonlySet<string>;
};

/** What a command gets. */
export type Call = Typed & {
  readonly env: Env;
  readonly input: Input;
  /** Uses the login of the environment or the stored one. @throws Failure without either */
  readonly connect: () => Promise<Api>;
};

/** What help, parsing and completion need to know of a command. */
export type Outline = {
  /** As it is typed, such as `keys list`. */
  readonly name: string;
  /** The words after it, such as `<id>`; the last may be `[<id>...]` for any number of words. */
  readonly words?: readonly string[];
  readonly text: string;
  readonly options?: Readonly<Record<string, Option>>;
  /** It is a program of the service, which declares all of its options: `--json` is not one by itself. */
  readonly isProgram?: true;
};

export type Command = Outline & {
  /** @throws Failure */
  readonly run: (call: Call) => Promise<Output>;
};

export type Output = {
  /** What `--json` prints. */
  readonly json: unknown;
  /** What people see. */
  readonly text: string;
  /** For people only, beside the output. */
  readonly note?: string;
};
