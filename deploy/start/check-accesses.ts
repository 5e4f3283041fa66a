/** `bun run trace:check`: checks who read payloads; see `control-plane/src/commands/check-accesses.ts`. */
import { runDatabaseCommand } from "./database-command.ts";

await runDatabaseCommand("control-plane/src/commands/check-accesses.ts");
