/** `bun run usage:rebuild`: recomputes the usage sums; see `control-plane/src/commands/rebuild-usage.ts`. */
import { runDatabaseCommand } from "./database-command.ts";

await runDatabaseCommand("control-plane/src/commands/rebuild-usage.ts");
