import { openSpool } from "@sluice/control-plane/platform/spool/spool.ts";
import { noteCodecs } from "./spool-fixture.ts";

/**
 * A separate process with a spool: takes a slot of the folder in its first argument, appends its other arguments,
 * reports it, and lives until it is killed.
 */
const [directory = "", ...rows] = Bun.argv.slice(2);
const spool = await openSpool({ directory, codecs: noteCodecs, reserveBytes: 0, onWarning: () => undefined });
await Promise.all(rows.map((row) => spool.append({ kind: "note", row })));
process.stdout.write(`${JSON.stringify({ slotNumber: spool.slotNumber, replicaId: spool.replicaId })}\n`);
setInterval(() => undefined, 60_000);
