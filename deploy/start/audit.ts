/** `bun run audit`: checks the money; see `control-plane/src/commands/audit-money.ts`. */
import { runDatabaseCommand } from "./database-command.ts";

await runDatabaseCommand("control-plane/src/commands/audit-money.ts");
