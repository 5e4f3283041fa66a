import { Database, SQLiteError } from "bun:sqlite";
import { closeSync, fdatasync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { SlotTakenError } from "./errors.ts";

/** Rows that were recorded in one tick of the event loop, one JSON text per line. */
export type StoredGroup = {
  readonly id: number;
  readonly count: number;
  readonly bytes: number;
  readonly body: string;
};

export type StoredTotals = {
  readonly entries: number;
  readonly bytes: number;
  readonly firstId: number;
  readonly lastId: number;
  readonly quarantined: number;
  readonly quarantinedBytes: number;
};

export type RejectedLine = { readonly text: string; readonly reason: string };

const pageBytes = 4096;
/**
 * The longest measured stall of a checkpoint grows with the number of pages that it writes, which are few while the
 * backlog is small.
 */
const walBytesMax = 16 * 1024 * 1024;
const walBytesMaxWithBacklog = 4 * 1024 * 1024;
const backlogBytesSmall = 2 * 1024 * 1024;
/** A database file that held a long backlog is truncated once it is empty. */
const vacuumBytesMin = 64 * 1024 * 1024;

const schema = `
  create table if not exists meta (name text primary key, value text not null) without rowid;
  create table if not exists entry_group (
    id integer primary key, count integer not null, bytes integer not null, at_ms integer not null, body text not null
  );
  create table if not exists quarantine (
    id integer primary key, at_ms integer not null, reason text not null, text text not null
  );
`;

/**
 * The SQLite file of one slot. Its lock is held from opening to closing and ends with the process, however that ends.
 *
 * SQLite itself flushes only in checkpoints, and those run on the event loop. So the log file is flushed here, on a
 * thread of the runtime and shortly before each checkpoint: the loop is not blocked while the disk works, and a power
 * cut loses what was recorded since the last flush.
 */
export class SpoolStore {
  readonly #path: string;
  #files: Files;
  #logBytes = 0;
  #mainBytes: number;
  #isDirty = false;
  #flushing: Promise<void> | null = null;

  /**
   * @throws SlotTakenError when another process holds the file
   * @throws SQLiteError when it is damaged or can't be created
   */
  constructor(folder: string) {
    this.#path = join(folder, "spool.db");
    this.#files = openFiles(this.#path);
    this.#mainBytes = statSync(this.#path).size;
  }

  /** @throws SQLiteError; `isDiskFailure` tells whether the disk is at fault */
  insert(group: StoredGroup, atMs: number): void {
    this.#files.insert.run(group.id, group.count, group.bytes, atMs, group.body);
    this.#logBytes += group.bytes + 2 * pageBytes;
    this.#isDirty = true;
  }

  /** Groups from `fromId` on, below `endId`, in order. */
  read(fromId: number, endId: number, groupsMax: number): StoredGroup[] {
    return this.#files.select.all(fromId, endId, groupsMax);
  }

  /** Removes committed groups, and puts aside entries that can't be committed, in one step. */
  complete(upToId: number, rejected: readonly RejectedLine[], atMs: number): void {
    if (rejected.length === 0) {
      this.#files.deleteUpTo.run(upToId);
    } else {
      this.#files.database.transaction(() => {
        for (const { text, reason } of rejected) {
          this.#files.quarantine.run(atMs, reason, text);
          this.#logBytes += text.length + pageBytes;
        }
        this.#files.deleteUpTo.run(upToId);
      })();
    }
    this.#logBytes += 4 * pageBytes;
    this.#isDirty = true;
  }

  /**
   * Turns all entries that were put aside into new groups, so that they are tried again. Returns how many there were.
   */
  requeueQuarantined(atMs: number): number {
    const requeue = this.#files.database.transaction(() => {
      const next = this.totals().lastId;
      this.#files.database.run(
        `insert into entry_group (id, count, bytes, at_ms, body)
          select ? + row_number() over (order by id), 1, length(cast(text as blob)), ?, text from quarantine`,
        [next, atMs],
      );
      return this.#files.database.run("delete from quarantine").changes;
    });
    return requeue();
  }

  totals(): StoredTotals {
    const row = this.#files.database
      .query<StoredTotals, []>(`select coalesce(sum(count), 0) as entries, coalesce(sum(bytes), 0) as bytes,
        coalesce(min(id), 1) as firstId, coalesce(max(id), 0) as lastId,
        (select count(*) from quarantine) as quarantined,
        (select coalesce(sum(length(cast(text as blob))), 0) from quarantine) as quarantinedBytes from entry_group`)
      .get();
    if (row === null) {
      throw new Error("a sum over a table has a row");
    }
    return row;
  }

  /** How many of the lines that were put aside are not of this kind; unreadable ones may be of any kind. */
  countQuarantined(exceptKind: string): number {
    const query = this.#files.database.query<{ rows: number }, [string]>(
      "select count(*) as rows from quarantine where instr(text, ?) <> 1",
    );
    return query.get(`["${exceptKind}",`)?.rows ?? 0;
  }

  /** The lines that were put aside. */
  listQuarantined(): string[] {
    const query = this.#files.database.query<{ text: string }, []>("select text from quarantine order by id");
    return query.all().map(({ text }) => text);
  }

  /** When the first group from this id on was recorded, or null when there is none. */
  atMs(fromId: number): number | null {
    return this.#files.firstAt.get(fromId)?.at_ms ?? null;
  }

  readMeta(name: string): string | null {
    const query = this.#files.database.query<{ value: string }, [string]>("select value from meta where name = ?");
    return query.get(name)?.value ?? null;
  }

  writeMeta(name: string, value: string): void {
    this.#files.database.run("insert or replace into meta (name, value) values (?, ?)", [name, value]);
    this.#isDirty = true;
  }

  get isDirty(): boolean {
    return this.#isDirty;
  }

  /**
   * Flushes the log to the disk without blocking the event loop.
   * @throws Error of the file system
   */
  async flush(): Promise<void> {
    if (this.#flushing === null) {
      this.#isDirty = false;
      this.#flushing = flushFile(this.#files.logFile).finally(() => {
        this.#flushing = null;
      });
    }
    await this.#flushing;
  }

  /** Moves the log into the main file if it is long. Right after `flush`, there is the least to wait for. */
  checkpointIfLong(backlogBytes: number): void {
    if (this.#logBytes > (backlogBytes > backlogBytesSmall ? walBytesMaxWithBacklog : walBytesMax)) {
      this.checkpoint();
    }
  }

  /**
   * Moves the log into the main file, so that it is written from its start again. Blocks the event loop for some
   * milliseconds.
   * @throws SQLiteError
   */
  checkpoint(): void {
    this.#files.database.run("pragma wal_checkpoint(passive)");
    this.#logBytes = 0;
    this.#mainBytes = statSync(this.#path).size;
  }

  /** Whether the files are so much larger than an empty spool needs that others should have the space. */
  get isBloated(): boolean {
    return this.#mainBytes > vacuumBytesMin;
  }

  /**
   * Returns the space of a past backlog to the file system. Quick when there are no entries.
   * @throws SQLiteError
   */
  shrink(): void {
    this.#files.database.run("vacuum");
    this.#files.database.run("pragma wal_checkpoint(truncate)");
    this.#logBytes = 0;
    this.#mainBytes = statSync(this.#path).size;
  }

  /**
   * Deletes both files and creates empty ones with the same metadata of the slot. This is the last resort when a full
   * disk has no room even for removing entries. Rows in quarantine are lost as well.
   * @returns false when a flush is in progress, and nothing was done
   * @throws SQLiteError, or SlotTakenError when another process was quicker to take the slot
   */
  recreate(): boolean {
    if (this.#flushing !== null) {
      return false;
    }
    const facts = this.#files.database.query<{ name: string; value: string }, []>("select * from meta").all();
    closeFiles(this.#files);
    rmSync(this.#path, { force: true });
    rmSync(`${this.#path}-wal`, { force: true });
    this.#files = openFiles(this.#path);
    for (const { name, value } of facts) {
      this.writeMeta(name, value);
    }
    this.#logBytes = 0;
    this.#mainBytes = statSync(this.#path).size;
    return true;
  }

  /** Moves everything into the main file and releases the lock. */
  async close(): Promise<void> {
    await this.#flushing?.catch(() => undefined);
    closeFiles(this.#files);
  }
}

type Files = ReturnType<typeof openFiles>;

function openFiles(path: string) {
  const database = openLocked(path);
  return {
    database,
    logFile: openSync(`${path}-wal`, "r+"),
    insert: database.prepare<unknown, [number, number, number, number, string]>(
      "insert into entry_group (id, count, bytes, at_ms, body) values (?, ?, ?, ?, ?)",
    ),
    deleteUpTo: database.prepare<unknown, [number]>("delete from entry_group where id <= ?"),
    select: database.prepare<StoredGroup, [number, number, number]>(
      "select id, count, bytes, body from entry_group where id >= ? and id < ? order by id limit ?",
    ),
    firstAt: database.prepare<{ at_ms: number }, [number]>(
      "select at_ms from entry_group where id >= ? order by id limit 1",
    ),
    quarantine: database.prepare<unknown, [number, string, string]>(
      "insert into quarantine (at_ms, reason, text) values (?, ?, ?)",
    ),
  };
}

function closeFiles({ database, logFile, ...statements }: Files): void {
  for (const statement of Object.values(statements)) {
    statement.finalize();
  }
  // A strict close reports a forgotten statement, which would otherwise silently keep the file open and locked.
  database.close(true);
  closeSync(logFile);
}

function openLocked(path: string): Database {
  const database = new Database(path, { create: true, strict: true });
  try {
    database.run("pragma busy_timeout = 0");
    // This is set before the first access, so that SQLite takes the lock at once, keeps it, and needs no shared memory
    // file: the process would die if the disk had no room for a page of that file.
    database.run("pragma locking_mode = exclusive");
    database.run("pragma journal_mode = wal");
    database.run("pragma synchronous = normal");
    database.run("pragma wal_autocheckpoint = 0");
    database.run(schema);
    database.run("insert or replace into meta (name, value) values ('locked_by', ?)", [String(process.pid)]);
    return database;
  } catch (error) {
    database.close();
    throw isLocked(error) ? new SlotTakenError(`${path} is held by another process`) : error;
  }
}

function flushFile(file: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(file, (error) => {
      if (error === null) {
        resolve();
      } else {
        reject(error);
      }
    });
  });
}

function codeOf(error: unknown): string {
  return error instanceof SQLiteError ? (error.code ?? "") : "";
}

function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
}

/** Whether the disk had no room or refused to write, as opposed to a mistake of ours. */
export function isDiskFailure(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY)/.test(codeOf(error));
}

/** Whether the file is no longer a database, or a damaged one. */
export function isCorruption(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));
}
