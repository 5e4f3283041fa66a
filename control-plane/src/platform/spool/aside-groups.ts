import { backoffMs } from "../backoff.ts";
import type { UnreadableGroupError } from "./errors.ts";

type Group = UnreadableGroupError["group"];

/** A group that the disk has refused to give back, and at which monotonic time it is asked again. */
export type AsideGroup = Group & { readonly reads: number; readonly dueTick: number };

/** While more of them can't be read, something is wrong with the whole disk: the others wait as well. */
const groupsMax = 256;
/** Over half a minute, in which nobody waits for them but a start or an end of the process. */
const readsMax = 16;
const readBackoff = { minMs: 50, maxMs: 5_000 };

/** Groups that are set aside because they can't be read now: those after them go on, and they are read again later. */
export class AsideGroups {
  /** By rising id. */
  #groups: readonly AsideGroup[] = [];

  get isFull(): boolean {
    return this.#groups.length >= groupsMax;
  }

  /** How many rows they have. */
  get entries(): number {
    return this.#groups.reduce((sum, { count }) => sum + count, 0);
  }

  /** The first of them that is not among these, or null. */
  firstBeside(ids: ReadonlySet<number>): number | null {
    return this.#groups.find(({ id }) => !ids.has(id))?.id ?? null;
  }

  /**
   * Sets a group aside whose id is above all others.
   * @returns after how many milliseconds it is read again
   */
  add(group: Group, nowTick: number): number {
    const delayMs = backoffMs(readBackoff, 1);
    this.#groups = [...this.#groups, { ...group, reads: 1, dueTick: nowTick + delayMs }];
    return delayMs;
  }

  /** Those that are read again now. */
  due(nowTick: number): AsideGroup[] {
    return this.#groups.filter(({ dueTick }) => dueTick <= nowTick);
  }

  /** After how many milliseconds the next one is read again, or null when there are none. */
  dueInMs(nowTick: number): number | null {
    const next = Math.min(...this.#groups.map(({ dueTick }) => dueTick));
    return Number.isFinite(next) ? Math.max(0, next - nowTick) : null;
  }

  /**
   * One of them could not be read this time, either.
   * @returns after how many milliseconds it is read again, or null when it is given up
   */
  postpone(group: AsideGroup, nowTick: number): number | null {
    const reads = group.reads + 1;
    if (reads >= readsMax) {
      return null;
    }
    const delayMs = backoffMs(readBackoff, reads);
    this.#groups = this.#groups.map((each) =>
      each.id === group.id ? { ...each, reads, dueTick: nowTick + delayMs } : each,
    );
    return delayMs;
  }

  remove(ids: ReadonlySet<number>): void {
    if (ids.size > 0) {
      this.#groups = this.#groups.filter(({ id }) => !ids.has(id));
    }
  }
}
