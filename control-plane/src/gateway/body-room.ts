import type { GatewayUserId } from "@sluice/contracts/ids";
import { AppError } from "../platform/errors.ts";

/** Smaller bodies are not counted: small calls are limited only by the memory for calls themselves. */
const countedBytesMin = 64 * 1024;
const retryAfterSeconds = 1;

export type BodyRoomLimits = {
  /** The limit for all calls of this process together. */
  readonly bytesMax: number;
  /** The limit for the calls of one user. */
  readonly userBytesMax: number;
};

/**
 * How many bytes of bodies a process holds at once. A call needs a few times the size of its body while it runs, so
 * without a limit on the total a single customer could use up all memory.
 */
export class BodyRoom {
  readonly #limits: BodyRoomLimits;
  readonly #ofUser = new Map<GatewayUserId, number>();
  #bytes = 0;

  constructor(limits: BodyRoomLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Opens the share of one call; its `end` gives it back.
   * @param userId null if the owner of the call is not known: then only the total counts
   */
  share(userId: GatewayUserId | null): BodyShare {
    return new BodyShare(this, userId);
  }

  /**
   * The same for a call whose body is there already; null if it is too small to count.
   * @param bytes the size of the body; undefined if that is not known
   */
  shareFor(userId: GatewayUserId | null, bytes: number | undefined): BodyShare | null {
    return bytes !== undefined && bytes < countedBytesMin ? null : this.share(userId);
  }

  /** @throws AppError `rate_limit_exceeded` for a user who holds too much, `temporarily_unavailable` when all do */
  take(userId: GatewayUserId | null, bytes: number): void {
    const { bytesMax, userBytesMax } = this.#limits;
    const held = userId === null ? 0 : (this.#ofUser.get(userId) ?? 0) + bytes;
    if (held > userBytesMax) {
      const message = `Concurrent calls of this account can hold at most ${userBytesMax} bytes of requests.`;
      throw new AppError("rate_limit_exceeded", { message, retryAfterSeconds });
    }
    if (this.#bytes + bytes > bytesMax) {
      throw new AppError("temporarily_unavailable", { retryAfterSeconds, internal: { reason: "bodies", bytesMax } });
    }
    if (userId !== null) {
      this.#ofUser.set(userId, held);
    }
    this.#bytes += bytes;
  }

  giveBack(userId: GatewayUserId | null, bytes: number): void {
    this.#bytes -= bytes;
    if (userId === null) {
      return;
    }
    const left = (this.#ofUser.get(userId) ?? 0) - bytes;
    if (left > 0) {
      this.#ofUser.set(userId, left);
    } else {
      this.#ofUser.delete(userId);
    }
  }
}

/** One call's share of the room. */
export class BodyShare {
  readonly #room: BodyRoom;
  readonly #userId: GatewayUserId | null;
  #heard = 0;
  #taken = 0;
  #isOver = false;

  constructor(room: BodyRoom, userId: GatewayUserId | null) {
    this.#room = room;
    this.#userId = userId;
  }

  /**
   * Counts bytes that have arrived, or that were declared and are about to arrive.
   * @throws AppError as `BodyRoom.take`
   */
  add(bytes: number): void {
    this.#heard += bytes;
    if (this.#heard >= countedBytesMin && !this.#isOver) {
      this.#room.take(this.#userId, this.#heard - this.#taken);
      this.#taken = this.#heard;
    }
  }

  /** The call is over. */
  end(): void {
    this.#isOver = true;
    if (this.#taken > 0) {
      this.#room.giveBack(this.#userId, this.#taken);
      this.#taken = 0;
    }
  }
}
