import { existsSync } from "node:fs";
import { join } from "node:path";

/** Where relative paths of settings begin: the checkout, or the working folder of the one-file build. */
export const serviceRoot: string = Bun.isStandaloneExecutable ? process.cwd() : join(import.meta.dir, "../..");

/** Reads the settings of the checkout's `.env`; the one-file build has its environment alone. */
export function readEnvFile(): void {
  const file = join(serviceRoot, ".env");
  if (!Bun.isStandaloneExecutable && existsSync(file)) {
    process.loadEnvFile(file);
  }
}

/** What operators type to run a command of package.json, such as `admin:create`. */
export function commandLine(name: string): string {
  return Bun.isStandaloneExecutable ? `sluice ${name.replace(":", " ")}` : `bun run ${name}`;
}
