/** `bun run admin:create`: creates an admin; see `control-plane/src/commands/create-admin.ts`. */
import { runDatabaseCommand } from "./database-command.ts";

await runDatabaseCommand("control-plane/src/commands/create-admin.ts");
