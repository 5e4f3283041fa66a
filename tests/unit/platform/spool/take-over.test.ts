import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SpoolStore } from "@sluice/control-plane/platform/spool/spool-store.ts";
import { asBuffer } from "@sluice/http-client/as-buffer";

class Folder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "sluice-take-over-"));

  /** Changes the SQLite file as an earlier version, or a fault, would. */
  change(work: (database: Database) => void): void {
    using database = new Database(join(this.path, "spool.db"));
    work(database);
  }

  logBytes(): number {
    const logs = readdirSync(this.path).filter((name) => name.endsWith(".log"));
    return logs.reduce((sum, name) => sum + statSync(join(this.path, name)).size, 0);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true });
  }
}

const insert = "insert into entry_group values (?, 1, 5, 1000, ?)";

describe("groups that an earlier version kept in SQLite", () => {
  test("are not in the log again for each attempt to take them over that failed", async () => {
    using folder = new Folder();
    await new SpoolStore(folder.path).close();
    folder.change((database) => {
      database.run(insert, [1, "first"]);
      // A blob is not text, so the second group can't be moved.
      database.run(insert, [2, Buffer.from("other")]);
    });
    expect(() => new SpoolStore(folder.path)).toThrow();
    expect(() => new SpoolStore(folder.path)).toThrow();
    expect(folder.logBytes()).toBe(0);
    folder.change((database) => database.run("update entry_group set body = cast(body as text)"));
    const store = new SpoolStore(folder.path);
    const bodies = store.read(0, Number.MAX_SAFE_INTEGER, 10).map(({ body }) => asBuffer(body).toString());
    expect(bodies).toEqual(["first", "other"]);
    expect(store.isDirty).toBe(false);
    await store.close();
  });

  test("and lines that were quarantined are on the disk before their other copy goes", async () => {
    using folder = new Folder();
    const store = new SpoolStore(folder.path);
    store.complete(0, [{ text: '["note",1]', error: "refused" }], 1_000);
    await store.flush();
    expect(store.requeueQuarantined(2_000)).toBe(1);
    expect(store.isDirty).toBe(false);
    await store.close();
  });
});
