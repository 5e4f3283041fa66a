import { Database, SQLiteError } from "bun:sqlite";
import { closeSync, fdatasyncSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { SlotTakenError } from "./errors.ts";
import { flushFile } from "./flush-files.ts";
import { GroupLog } from "./group-log.ts";
import type { StoredGroup } from "./group-record.ts";
import type { DamagedFile } from "./kept-files.ts";
import { groupLostWith, lastLostWith } from "./taken-batch.ts";

export type StoredTotals = {
  readonly entries: number;
  readonly bytes: number;
  readonly firstId: number;
  readonly lastId: number;
  readonly quarantined: number;
  readonly quarantinedBytes: number;
};

export type RejectedLine = { readonly text: string; readonly error: unknown };

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
  create index if not exists quarantine_text on quarantine (text);
`;

/** Up to which group everything is committed. */
const committedName = "committed_id";

/**
 * The files of one slot. Groups are in a log of their own (`group-log.ts`), because SQLite takes five to ten times the
 * CPU for each. The log itself notes what is committed. A SQLite file knows what was quarantined, and what is committed
 * where no file of the log says so. Its lock is held from opening to closing and ends with the process, however that ends.
 *
 * Files are flushed on a thread of the runtime, except for a row that is quarantined: a power cut loses what was recorded
 * since the last flush, and repeats what was committed since then.
 */
export class SpoolStore {
  readonly #folder: string;
  readonly #path: string;
  #files: Files;
  #log: GroupLog;
  #logBytes = 0;
  #mainBytes: number;
  /** Whether the SQLite file has changes that are not flushed. */
  #isDirty = false;
  #flushing: Promise<void> | null = null;

  /**
   * @throws SlotTakenError when another process holds the file
   * @throws SQLiteError when it is damaged or can't be created
   */
  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, "spool.db");
    this.#files = openFiles(this.#path);
    this.#mainBytes = statSync(this.#path).size;
    try {
      this.#log = new GroupLog(folder, this.#committedId);
      this.#takeOver();
    } catch (error) {
      closeFiles(this.#files);
      throw error;
    }
  }

  /** Files that were damaged; what could be read of them is in the log. */
  get damaged(): readonly DamagedFile[] {
    return this.#log.damaged;
  }

  /** @throws Error of the file system; `isDiskFailure` tells whether the disk is at fault */
  insert(group: StoredGroup, atMs: number): void {
    this.#log.append(group, atMs);
  }

  /** Groups from `fromId` on, below `endId`, in order, up to the first that can't be read. @throws UnreadableGroupError of that one when there is none before it */
  read(fromId: number, endId: number, groupsMax: number): StoredGroup[] {
    return this.#log.read(fromId, endId, groupsMax);
  }

  /** The text of one group, which lasts until the next call. @throws UnreadableGroupError */
  readOne(id: number): Uint8Array {
    return this.#log.readOne(id);
  }

  /** Keeps the file of a group under another name. @returns the name, or null if enough are kept already */
  keepFileOf(id: number): string | null {
    return this.#log.keepFileOf(id);
  }

  /**
   * Removes committed groups, and quarantines entries that can't be committed, in one step.
   * @returns those that were not in quarantine: after a crash, some come again
   */
  complete<Line extends RejectedLine>(upToId: number, rejected: readonly Line[], atMs: number): Line[] {
    let added: Line[] = [];
    if (rejected.length > 0) {
      added = this.#noteCommitted(upToId, rejected, atMs);
      this.#log.markCommitted(upToId);
    } else if (!this.#log.markCommitted(upToId) || this.#log.endsFile(upToId)) {
      this.#noteCommitted(upToId, rejected, atMs);
    }
    this.#log.removeUpTo(upToId);
    return added;
  }

  /** The same in the SQLite file. It takes ten times as long as a note in the log, so it is left out while that is enough. */
  #noteCommitted<Line extends RejectedLine>(upToId: number, rejected: readonly Line[], atMs: number): Line[] {
    const added = this.#files.database.transaction(() => {
      this.#files.setMeta.run(committedName, String(upToId));
      return rejected.filter(({ text, error }) => {
        // Both the table and its index have the text.
        this.#logBytes += 2 * (text.length + pageBytes);
        return this.#files.quarantine.run(atMs, String(error), text).changes > 0;
      });
    })();
    this.#isDirty = true;
    this.#logBytes += 4 * pageBytes;
    if (rejected.length > 0) {
      // Its only other copy goes with the groups.
      fdatasyncSync(this.#files.logFile);
    }
    return added;
  }

  /**
   * Turns all entries that were quarantined into new groups, so that they are tried again. Returns how many there were. Those of a
   * lost group that is in the log again are left out: its rows are tried themselves.
   */
  requeueQuarantined(atMs: number): number {
    const lines = this.listQuarantined();
    const lostId = lastLostWith(lines);
    for (const line of lines.filter((each) => !this.#log.has(groupLostWith(each)))) {
      this.insert({ id: Math.max(this.#lastId, lostId) + 1, count: 1, body: Buffer.from(line) }, atMs);
    }
    if (lines.length > 0) {
      // Their only other copy goes with the next statement. A process that ends before it tries them twice, which changes nothing.
      this.#log.flushNow();
      this.#files.database.run("delete from quarantine");
    }
    return lines.length;
  }

  totals(): StoredTotals {
    const row = this.#files.database
      .query<Pick<StoredTotals, "quarantined" | "quarantinedBytes">, []>(`select count(*) as quarantined,
        coalesce(sum(length(cast(text as blob))), 0) as quarantinedBytes from quarantine`)
      .get();
    if (row === null) {
      throw new Error("a sum over a table has a row");
    }
    return { ...this.#log.totals, ...row, firstId: this.#log.firstId ?? this.#lastId + 1, lastId: this.#lastId };
  }

  get #committedId(): number {
    return Number(this.readMeta(committedName) ?? 0);
  }

  get #lastId(): number {
    // A new SQLite file, in the place of a damaged one, knows less than the log.
    return Math.max(this.#log.lastId ?? Math.max(this.#committedId, this.#log.markedId), this.#log.lostId);
  }

  /**
   * Moves groups of an earlier version, which kept them in SQLite, into the log. If that fails, the log is as before: a
   * full disk must not get another copy with each attempt.
   */
  #takeOver(): void {
    const firstId = this.#lastId + 1;
    const stored = this.#files.database.prepare<{ body: string; at_ms: number }, []>(
      "select body, at_ms from entry_group order by id",
    );
    try {
      for (const { body, at_ms } of stored.iterate()) {
        const count = body.split("\n").length;
        this.insert({ id: this.#lastId + 1, count, body: Buffer.from(body) }, at_ms);
      }
      // Their only other copy goes with the next statement.
      this.#log.flushNow();
    } catch (error) {
      this.#log.cutFrom(firstId);
      this.#log.close();
      throw error;
    } finally {
      stored.finalize();
    }
    this.#files.database.run("delete from entry_group");
  }

  /** How many of the lines that were quarantined are not of this kind; unreadable ones may be of any kind. */
  countQuarantined(exceptKind: string): number {
    const query = this.#files.database.query<{ rows: number }, [string]>(
      "select count(*) as rows from quarantine where instr(text, ?) <> 1",
    );
    return query.get(`["${exceptKind}",`)?.rows ?? 0;
  }

  /** The lines that were quarantined. An earlier version may have quarantined one twice. */
  listQuarantined(): string[] {
    const query = this.#files.database.query<{ text: string }, []>(
      "select text from quarantine group by text order by min(id)",
    );
    return query.all().map(({ text }) => text);
  }

  /** When the first group from this id on was recorded, or null when there is none. */
  atMs(fromId: number): number | null {
    return this.#log.atMs(fromId);
  }

  readMeta(name: string): string | null {
    const query = this.#files.database.query<{ value: string }, [string]>("select value from meta where name = ?");
    return query.get(name)?.value ?? null;
  }

  writeMeta(name: string, value: string): void {
    this.#files.setMeta.run(name, value);
  }

  get isDirty(): boolean {
    return this.#isDirty || this.#log.isDirty;
  }

  /**
   * Flushes what was recorded to the disk without blocking the event loop.
   * @throws Error of the file system
   */
  async flush(): Promise<void> {
    if (this.#flushing === null) {
      this.#flushing = this.#flushDirty().finally(() => {
        this.#flushing = null;
      });
    }
    await this.#flushing;
  }

  async #flushDirty(): Promise<void> {
    await this.#log.flush();
    if (this.#isDirty) {
      this.#isDirty = false;
      // A checkpoint would do it on the event loop.
      await flushFile(this.#files.logFile);
    }
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
    const committedId = this.#lastId;
    this.#log.clear();
    this.writeMeta(committedName, String(committedId));
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
    const committedId = this.#lastId;
    this.#log.clear();
    closeFiles(this.#files);
    rmSync(this.#path, { force: true });
    rmSync(`${this.#path}-wal`, { force: true });
    this.#files = openFiles(this.#path);
    for (const { name, value } of facts) {
      this.writeMeta(name, value);
    }
    this.writeMeta(committedName, String(committedId));
    this.#log = new GroupLog(this.#folder, committedId);
    this.#logBytes = 0;
    this.#mainBytes = statSync(this.#path).size;
    return true;
  }

  /** Moves everything into the main file and releases the lock. */
  async close(): Promise<void> {
    await this.#flushing?.catch(() => undefined);
    this.#log.close();
    closeFiles(this.#files);
  }
}

type Files = ReturnType<typeof openFiles>;

function openFiles(path: string) {
  const database = openLocked(path);
  return {
    database,
    logFile: openSync(`${path}-wal`, "r+"),
    setMeta: database.prepare<unknown, [string, string]>("insert or replace into meta (name, value) values (?, ?)"),
    quarantine: database.prepare<unknown, [number, string, string]>(
      "insert into quarantine (at_ms, reason, text) select ?1, ?2, ?3 where not exists (select 1 from quarantine where text = ?3)",
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
    // This is set before the first access, so that SQLite takes the lock immediately, keeps it, and needs no shared memory
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

function codeOf(error: unknown): string {
  return error instanceof SQLiteError ? (error.code ?? "") : "";
}

const diskCodes = /^(ENOSPC|EDQUOT|EFBIG|EIO|EROFS)$/;

function systemCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
}

/** Whether the disk had no room or refused to write, as opposed to a mistake of ours. */
export function isDiskFailure(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY)/.test(codeOf(error)) || diskCodes.test(systemCodeOf(error));
}

/** Whether the file is no longer a database, or a damaged one. */
export function isCorruption(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));
}
