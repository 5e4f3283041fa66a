import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GroupLog } from "@sluice/control-plane/platform/spool/group-log.ts";
import { asBuffer } from "@sluice/http-client/as-buffer";
import type { SpoolFolder } from "./spool-fixture.ts";

type Group = { id: number; count: number; body: string };

/**
 * What a crash at this moment would leave: the files are copied by another process, because closing them releases the
 * lock.
 */
export async function groupsOnDisk(folder: SpoolFolder, slot = 0): Promise<Group[]> {
  const copy = await mkdtemp(join(tmpdir(), "sluice-spool-copy-"));
  try {
    expect(Bun.spawnSync(["cp", "-r", `${join(folder.directory, String(slot))}/.`, copy]).exitCode).toBe(0);
    using database = new Database(join(copy, "spool.db"));
    const committed = database.query<{ value: string }, []>("select value from meta where name = 'committed_id'").get();
    const log = new GroupLog(copy, Number(committed?.value ?? 0));
    const groups = log.read(0, Number.MAX_SAFE_INTEGER, 10_000);
    log.close();
    return groups.map(({ id, count, body }) => ({ id, count, body: asBuffer(body).toString() }));
  } finally {
    await rm(copy, { recursive: true });
  }
}
