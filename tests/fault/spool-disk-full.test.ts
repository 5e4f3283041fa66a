import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StorageUnavailableError } from "@sluice/control-plane/platform/spool/errors.ts";
import { openSpool } from "@sluice/control-plane/platform/spool/spool.ts";
import { testUnless } from "../support/service/obstacles.ts";
import { type NoteRows, sink, spoolFolder } from "../support/usage/spool-fixture.ts";

const flushMs = 60_000;
const diskBytes = 12 * 1024 * 1024;
const reserveBytes = 2 * 1024 * 1024;
const row = "x".repeat(10_000);

/** A separate small disk, or null if this user may not mount one. */
function mountSmallDisk(): { readonly path: string; unmount(): void } | null {
  const path = mkdtempSync(join(tmpdir(), "sluice-disk-"));
  const remove = () => rmSync(path, { recursive: true, force: true });
  const options = ["mount", "-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", path];
  if (Bun.which("mount") === null || Bun.spawnSync(options).exitCode !== 0) {
    remove();
    return null;
  }
  return {
    path,
    unmount: () => {
      Bun.spawnSync(["umount", "-l", path]);
      remove();
    },
  };
}

const probe = mountSmallDisk();
probe?.unmount();
const unlessMounted = probe === null ? "needs the right to mount a tmpfs" : null;

describe("a full disk", () => {
  testUnless(
    unlessMounted,
    "turns new work away while work under way is still recorded, loses nothing, and is recovered from",
    async () => {
      const disk = mountSmallDisk();
      if (disk === null) {
        throw new Error("a second disk could not be mounted");
      }
      try {
        await using folder = await spoolFolder();
        const spool = await openSpool<NoteRows>({ ...folder.options(), directory: disk.path, reserveBytes });
        const isAccepting = () => spool.isAccepting;
        let recorded = 0;
        let recordedFromReserve = 0;
        let refusal: unknown = null;
        while (refusal === null) {
          const before = isAccepting();
          try {
            await spool.append({ kind: "note", row });
            recorded += 1;
            recordedFromReserve += before ? 0 : 1;
          } catch (error) {
            refusal = error;
          }
          expect(recorded).toBeLessThan(diskBytes / row.length);
        }
        expect(refusal).toBeInstanceOf(StorageUnavailableError);
        expect(folder.warnings.map(({ event }) => event)).toEqual(["spool.disk_full"]);
        expect(isAccepting()).toBe(false);
        // Not all of the reserve: the main file and the log may both hold a row for a while.
        expect(recordedFromReserve * row.length).toBeGreaterThan(reserveBytes / 4);
        expect(existsSync(join(disk.path, "0", "reserve"))).toBe(false);
        await expect(spool.append({ kind: "note", row })).rejects.toBeInstanceOf(StorageUnavailableError);

        const consumer = sink();
        spool.drain(consumer);
        expect(await spool.flush(flushMs)).toBe(true);
        expect(consumer.rows()).toHaveLength(recorded);
        while (!isAccepting()) {
          await Bun.sleep(20);
        }
        expect(folder.warnings.map(({ event }) => event)).toEqual(["spool.disk_full", "spool.recovered"]);
        expect(existsSync(join(disk.path, "0", "reserve"))).toBe(true);
        await spool.append({ kind: "note", row: "at last" });
        expect(await spool.flush(flushMs)).toBe(true);
        expect(consumer.rows().at(-1)).toBe("at last");
        await spool.close();
      } finally {
        disk.unmount();
      }
    },
  );

  testUnless(
    unlessMounted,
    "does not keep a process from starting and committing what an earlier one recorded",
    async () => {
      const disk = mountSmallDisk();
      if (disk === null) {
        throw new Error("a second disk could not be mounted");
      }
      try {
        await using folder = await spoolFolder();
        const options = { ...folder.options(), directory: disk.path, reserveBytes };
        const first = await openSpool<NoteRows>(options);
        await first.append({ kind: "note", row: "recorded" });
        await first.close();
        // Another program fills the disk to the last byte.
        Bun.spawnSync(["dd", "if=/dev/zero", `of=${join(disk.path, "filler")}`, "bs=4096"]);
        const second = await openSpool<NoteRows>(options);
        const consumer = sink();
        second.drain(consumer);
        await second.replayed;
        expect(consumer.rows()).toEqual(["recorded"]);
        await second.close();
      } finally {
        disk.unmount();
      }
    },
  );
});

describe("a file size limit", () => {
  test("refuses rows with an error instead of ending the process, and every recorded row is there afterwards", async () => {
    await using folder = await spoolFolder();
    const program = join(import.meta.dir, "../support/usage/spool-filler.ts");
    // In blocks of 512 bytes: 4 MB.
    const child = Bun.spawn(
      ["sh", "-c", 'ulimit -f 8192; exec "$@"', "sh", process.execPath, program, folder.directory],
      {
        stdout: "pipe",
        stderr: "inherit",
      },
    );
    const report = JSON.parse(await new Response(child.stdout).text());
    expect(await child.exited).toBe(0);
    expect(report).toEqual({ recorded: expect.any(Number), refusal: "StorageUnavailableError", isAccepting: false });
    expect(report.recorded).toBeGreaterThan(50);
    const spool = await folder.open();
    const consumer = sink();
    spool.drain(consumer);
    await spool.replayed;
    expect(consumer.rows()).toHaveLength(report.recorded);
    // What was written of the refused row is not damage.
    expect(folder.warnings).toEqual([]);
  });
});
