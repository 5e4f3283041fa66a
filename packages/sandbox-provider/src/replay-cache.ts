/** Caches responses that are composed once and then sent again and again, so that a load test measures its subject. */
import type { Behaviour } from "./script/behaviour.ts";
import type { IncomingRequest } from "./script/incoming-request.ts";
import { joinBytes, type Piece, type Plan } from "./wire/plan.ts";

const joinedBytesMax = 65_536;
const streamMarks = ['"stream":true', '"stream": true'];

export class ReplayCache {
  readonly #plans = new WeakMap<Behaviour, Map<string, Plan>>();

  /** The plan of an earlier request with the same path and kind under this behaviour, else a new one. */
  async plan(behaviour: Behaviour, request: IncomingRequest, compose: () => Promise<Plan>): Promise<Plan> {
    let plans = this.#plans.get(behaviour);
    if (plans === undefined) {
      plans = new Map();
      this.#plans.set(behaviour, plans);
    }
    const key = `${looksLikeStream(request.body)} ${request.head.isKeepAlive} ${request.path}`;
    let plan = plans.get(key);
    if (plan === undefined) {
      const composed = await compose();
      plan = { ...composed, pieces: joinNeighbours(composed.pieces) };
      plans.set(key, plan);
    }
    return plan;
  }
}

/** A search is enough here: a load test writes its own bodies, and parsing would cost time. */
function looksLikeStream(body: Buffer | null): boolean {
  return body !== null && streamMarks.some((mark) => body.includes(mark));
}

/** Merges pieces that are not separated in time. */
function joinNeighbours(pieces: Iterable<Piece>): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    const isApart = piece.delayMs > 0 || piece.isHeld === true || piece.standsAlone === true;
    if (last === undefined || isApart || last.standsAlone === true || isFull(last, piece)) {
      joined.push(piece);
    } else {
      joined[joined.length - 1] = { ...last, bytes: joinBytes([last, piece]), chunks: last.chunks + piece.chunks };
    }
  }
  return joined;
}

function isFull(last: Piece, next: Piece): boolean {
  return last.bytes.length + next.bytes.length > joinedBytesMax;
}
