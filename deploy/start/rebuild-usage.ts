/** `bun run usage:rebuild`: sums the usage anew; see `control-plane/src/commands/rebuild-usage.ts`. */
import { runDatabaseCommand } from "./database-command.ts";

await runDatabaseCommand("control-plane/src/commands/rebuild-usage.ts");
