import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DrainOptions } from "@sluice/control-plane/platform/spool/drain.ts";
import type { QuarantinedEntry, SpoolBatch, SpoolWarning } from "@sluice/control-plane/platform/spool/model.ts";
import { openSpool, type Spool, type SpoolOptions } from "@sluice/control-plane/platform/spool/spool.ts";

/** Rows of a spool in a test: a word, and a second kind with a number. */
export type NoteRows = { note: string; count: bigint };

export const noteCodecs: SpoolOptions<NoteRows>["codecs"] = {
  note: {
    encode: (note) => JSON.stringify(note),
    decode: (value) => {
      if (typeof value !== "string") {
        throw new TypeError("not a note");
      }
      return value;
    },
  },
  count: { encode: (count) => `"${count}"`, decode: (value) => BigInt(String(value)) },
};

/** A temporary folder for spools, which knows the warnings and closes what was opened in it. */
export type SpoolFolder = AsyncDisposable & {
  readonly directory: string;
  readonly warnings: SpoolWarning[];
  options(changes?: Partial<SpoolOptions<NoteRows>>): SpoolOptions<NoteRows>;
  open(changes?: Partial<SpoolOptions<NoteRows>>): Promise<Spool<NoteRows>>;
};

export async function spoolFolder(): Promise<SpoolFolder> {
  const directory = await mkdtemp(join(tmpdir(), "sluice-spool-"));
  const warnings: SpoolWarning[] = [];
  const spools: Spool<NoteRows>[] = [];
  const options = (changes: Partial<SpoolOptions<NoteRows>> = {}): SpoolOptions<NoteRows> => ({
    directory,
    codecs: noteCodecs,
    reserveBytes: 0,
    onWarning: (warning) => warnings.push(warning),
    ...changes,
  });
  return {
    directory,
    warnings,
    options,
    open: async (changes) => {
      const spool = await openSpool(options(changes));
      spools.push(spool);
      return spool;
    },
    [Symbol.asyncDispose]: async () => {
      for (const spool of spools) {
        await spool.close();
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A consumer that remembers the rows it got. */
export type Sink = DrainOptions<NoteRows> & {
  readonly batches: SpoolBatch<NoteRows>[];
  readonly quarantined: QuarantinedEntry<NoteRows>[];
  /** Rows in the order in which they were committed. */
  rows(): (string | bigint)[];
};

/** `refuse` may throw, as a commit would; errors with the word "poison" are the fault of the rows. */
export function sink(
  refuse: (batch: SpoolBatch<NoteRows>) => void | Promise<void> = () => undefined,
  changes: Partial<DrainOptions<NoteRows>> = {},
): Sink {
  const batches: SpoolBatch<NoteRows>[] = [];
  const quarantined: QuarantinedEntry<NoteRows>[] = [];
  return {
    batches,
    quarantined,
    rows: () => batches.flatMap(({ entries }) => entries.map(({ row }) => row)),
    commit: async (batch) => {
      await refuse(batch);
      const { texts, count, summary, entries, isReplay, isRetry } = batch;
      batches.push({ texts, count, summary, entries, isReplay, isRetry });
    },
    isPoison: ({ error }) => String(error).includes("poison"),
    onQuarantine: (rejected) => quarantined.push(rejected),
    intervalMs: 1,
    steadyIntervalMs: 1,
    ...changes,
  };
}

export async function appendNotes(spool: Pick<Spool<NoteRows>, "append">, rows: readonly string[]): Promise<void> {
  await Promise.all(rows.map((row) => spool.append({ kind: "note", row })));
}

/** "a0", "a1", ... */
export function notes(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}
