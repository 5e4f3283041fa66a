import type { UnreadableGroupError } from "./errors.ts";
import type { QuarantinedEntry, RowTexts, SpoolBatch } from "./model.ts";

const lostMark = (id: number | string): string => `of group ${id}, which could not be read`;
const lostLine = new RegExp(`^row \\d+ of \\d+ ${lostMark("(\\d+)")}$`);

/** The group of a row that was quarantined because its group could not be read; 0, which none has, for another line. */
export function groupLostWith(line: string): number {
  return Number(lostLine.exec(line)?.[1] ?? 0);
}

/** The last of these groups. No other group gets its id: a start that ended before all lines are tried again would leave one that passes for it. */
export function lastLostWith(lines: readonly string[]): number {
  return lines.reduce((last, line) => Math.max(last, groupLostWith(line)), 0);
}

/** A batch together with what is needed to remove it. */
export type TakenBatch<Rows, Summary> = Pick<SpoolBatch<Rows, Summary>, "isReplay" | "isRetry"> & {
  readonly rows: RowTexts<Summary>;
  /** The backlog goes on after this group. */
  readonly upToId: number;
  /** Groups in it that were set aside before. */
  readonly asideIds: ReadonlySet<number>;
  readonly entryCount: number;
  readonly bytes: number;
  /** Lines that could not be read as entries, and rows of groups that could not be read. */
  readonly unreadable: readonly QuarantinedEntry<Rows>[];
};

export type TakeOptions = {
  /** At most so many rows, or one group. */
  readonly entriesMax: number;
  /** A batch is not made longer than this by rows that have to be read from the disk, which is work of the first thread. */
  readonly readEntriesMax: number;
  /** Monotonic, as a clock that is set must not hold up a group that is set aside. */
  readonly nowTick: number;
  /** A group could not be read, for the `attempt`th time, and is read again after so long. */
  readonly onUnreadable: (error: unknown, attempt: number, delayMs: number) => void;
};

type Group = UnreadableGroupError["group"];

/** The groups of a batch, as they are taken. */
export class TakenGroups<Rows> {
  upToId: number;
  readonly asideIds = new Set<number>();
  entryCount = 0;
  bytes = 0;
  readonly unreadable: QuarantinedEntry<Rows>[] = [];
  readonly #options: TakeOptions;

  /** @param upToId where the backlog is so far */
  constructor(upToId: number, options: TakeOptions) {
    this.upToId = upToId;
    this.#options = options;
  }

  /** The first group may be longer than a batch. */
  hasRoomFor({ count }: Pick<Group, "count">, isInMemory = false): boolean {
    const { entriesMax, readEntriesMax } = this.#options;
    return this.entryCount === 0 || this.entryCount + count <= (isInMemory ? entriesMax : readEntriesMax);
  }

  add({ id, count, bytes }: Group): void {
    this.entryCount += count;
    this.bytes += bytes;
    this.upToId = Math.max(this.upToId, id);
  }

  /**
   * Adds a group as rows that can't be read. It must not be read as rows later: bytes that are not what was written may look
   * like some. The text of a row is the same when it is given up again after a crash.
   * @param movedTo where its file is kept, or null if it is not
   */
  giveUp({ message, group }: UnreadableGroupError, movedTo: string | null): void {
    const { id, count } = group;
    const error = new Error(
      `${message}; ${movedTo === null ? "no copy of it is kept beside those that are there" : `see ${movedTo}`}`,
    );
    for (let row = 1; row <= count; row += 1) {
      const text = `row ${row} of ${count} ${lostMark(id)}`;
      this.unreadable.push({ entry: null, text, error });
    }
    this.add(group);
  }

  toBatch<Summary>(rows: RowTexts<Summary>, isReplay: boolean): TakenBatch<Rows, Summary> {
    const { upToId, asideIds, entryCount, bytes, unreadable } = this;
    return { rows, upToId, asideIds, entryCount, bytes, unreadable, isReplay, isRetry: isReplay };
  }
}
