import { openSpool } from "@sluice/control-plane/platform/spool/spool.ts";
import { noteCodecs } from "./spool-fixture.ts";

/**
 * A separate process that records rows until one is refused, and then one that is short enough. It ends without closing its
 * spool.
 */
const [directory = ""] = Bun.argv.slice(2);
const spool = await openSpool({ directory, codecs: noteCodecs, reserveBytes: 0, onWarning: () => undefined });
const row = "x".repeat(10_000);
let recorded = 0;
let refusal: string | null = null;
while (refusal === null) {
  try {
    await spool.append({ kind: "note", row });
    recorded += 1;
  } catch (error) {
    refusal = error instanceof Error ? error.name : String(error);
  }
}
await spool.append({ kind: "note", row: "short" });
recorded += 1;
process.stdout.write(JSON.stringify({ recorded, refusal, isAccepting: spool.isAccepting }));
process.exit(0);
