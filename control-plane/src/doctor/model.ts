/** What was looked at, and how it is. */
export type Finding = {
  readonly level: "ok" | "warning" | "problem";
  readonly area: "settings" | "database" | "host" | "channels" | "address";
  /** What was found, as a sentence. */
  readonly text: string;
  /** What solves it; empty if nothing has to be done. */
  readonly cure: string;
};

export type Area = Finding["area"];

export const fine = (area: Area, text: string): Finding => ({ level: "ok", area, text, cure: "" });

export const warning = (area: Area, text: string, cure: string): Finding => ({ level: "warning", area, text, cure });

export const problem = (area: Area, text: string, cure: string): Finding => ({ level: "problem", area, text, cure });

/** The sentence of something that was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
