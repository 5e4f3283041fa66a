import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dir, "../..");

const generalVariables = ["NODE_ENV", "NO_COLOR", "FORCE_COLOR"];

/**
 * The environment of every check and test: that of the caller, less each variable that configures the product. A provider
 * key or a database address that happens to be set must never reach a test.
 */
export function testEnvironment(added: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const environment: Record<string, string | undefined> = { ...process.env };
  for (const name of [...productVariables(), ...generalVariables]) {
    delete environment[name];
  }
  return { ...environment, ...added };
}

/** Every variable of the product is listed in the example file, set or commented out. */
function productVariables(): string[] {
  const example = readFileSync(join(root, "deploy/env.example"), "utf8");
  return [...example.matchAll(/^#?\s?([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1] ?? "");
}
