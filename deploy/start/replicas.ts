/** `bun run replicas`: replicas and their leases; see `control-plane/src/commands/replicas.ts`. */
import { runDatabaseCommand } from "./database-command.ts";

await runDatabaseCommand("control-plane/src/commands/replicas.ts");
