/** `bun run doctor`: checks what the service needs; see `control-plane/src/commands/doctor.ts`. */
import { runDatabaseCommand } from "./database-command.ts";

await runDatabaseCommand("control-plane/src/commands/doctor.ts");
