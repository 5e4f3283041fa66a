/** `bun run admin:totp-remove`: removes an authenticator; see `control-plane/src/commands/remove-totp.ts`. */
import { runDatabaseCommand } from "./database-command.ts";

await runDatabaseCommand("control-plane/src/commands/remove-totp.ts");
