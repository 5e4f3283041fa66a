/** `bun run admin:totp-remove`: takes an authenticator away; see `control-plane/src/commands/remove-totp.ts`. */
import { runDatabaseCommand } from "./database-command.ts";

await runDatabaseCommand("control-plane/src/commands/remove-totp.ts");
