/** `bun run admin:create`: makes an admin; see `control-plane/src/commands/create-admin.ts`. */
import { runDatabaseCommand } from "./database-command.ts";

await runDatabaseCommand("control-plane/src/commands/create-admin.ts");
