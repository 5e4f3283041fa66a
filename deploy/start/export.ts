/** `bun run export`: writes accounts, keys, balances and usage for another program; see `control-plane/src/commands/export.ts`. */
import { runDatabaseCommand } from "./database-command.ts";

await runDatabaseCommand("control-plane/src/commands/export.ts");
