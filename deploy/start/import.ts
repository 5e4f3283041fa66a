/** `bun run import`: moves customers from another gateway; see `control-plane/src/commands/import.ts`. */
import { runDatabaseCommand } from "./database-command.ts";

await runDatabaseCommand("control-plane/src/commands/import.ts");
