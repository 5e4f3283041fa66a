/** `bun run secrets:rotate`: rotates the master key; see `control-plane/src/commands/rotate-secrets.ts`. */
import { runDatabaseCommand } from "./database-command.ts";

await runDatabaseCommand("control-plane/src/commands/rotate-secrets.ts");
