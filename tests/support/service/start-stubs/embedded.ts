/** Starts the embedded Postgres of a folder, says so in one line, and stays until it is ended. */
import { startEmbeddedPostgres } from "@sluice/deploy/start/embedded-postgres";

const [home = ""] = process.argv.slice(2);
const postgres = await startEmbeddedPostgres({ home, isDurable: false });
process.stdout.write(`${JSON.stringify({ event: "ready", pid: postgres.pid, url: postgres.url })}\n`);
await new Promise(() => undefined);
