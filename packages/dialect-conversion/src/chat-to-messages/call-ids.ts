import { sha256Hex } from "../digest.ts";

const legalId = /^[\w-]+$/;

/**
 * The ids of tool calls as the Messages API accepts them: letters, digits, `_` and `-`, and no id twice. The same
 * history always gets the same ids, so that a longer one begins with them. Clients never see them: new calls have ids
 * of the upstream.
 */
export class CallIds {
  readonly #taken = new Set<string>();
  readonly #repeats = new Map<string, number>();

  /** An id for the next call. */
  take(clientId: string): string {
    const legal = legalId.test(clientId) ? clientId : toLegalId(clientId);
    let id = legal;
    let count = this.#repeats.get(legal) ?? 1;
    while (this.#taken.has(id)) {
      count += 1;
      id = `${legal}_${count}`;
    }
    this.#repeats.set(legal, count);
    this.#taken.add(id);
    return id;
  }
}

function toLegalId(clientId: string): string {
  return `${clientId.slice(0, 40).replace(/[^\w-]/g, "_")}_${sha256Hex(clientId).slice(0, 8)}`;
}
