import type { Option, Typed } from "../command.ts";
import { Failure } from "../failure.ts";

/** The option of every command that changes something of another person. */
export const reasonOption = {
  type: "string",
  text: "Why, for the audit log. Admins must give one.",
} as const satisfies Option;

/** @throws Failure without one */
export function reasonOf(options: Typed["options"]): string {
  const given = options["reason"];
  if (given === undefined) {
    throw new Failure("usage", "--reason is missing: the audit log keeps it.");
  }
  return given;
}
