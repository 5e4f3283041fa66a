/** `sluice`: manages a service from the command line, with an access token. */
import { runProcess } from "./run-process.ts";

await runProcess([]);
