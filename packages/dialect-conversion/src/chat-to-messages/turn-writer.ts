import { ConversionError } from "../model.ts";
import type { PendingCall, SpokenMessage } from "./assistant-message.ts";
import { type TextBlock, type ToolResultBlock, type Turn, toTextBlocks, type UserBlock } from "./blocks.ts";
import type { UnplacedResult } from "./tool-result.ts";

/** What a conversation becomes in a Messages request. */
export type ConvertedHistory = {
  readonly system: TextBlock[];
  readonly turns: Turn[];
};

/** What the user says where a conversation has nothing of the user, because every one has to begin and end there. */
const opening = "Begin.";
const continuation = "Continue.";

/** What was said to the assistant since it spoke last, in order. */
type Said = { readonly role: "user"; readonly blocks: readonly UserBlock[] } | SaidBySystem;
type SaidBySystem = { readonly role: "system"; readonly blocks: readonly TextBlock[] };

type AwaitedCall = { readonly call: PendingCall; result: UnplacedResult | null };

/** Puts messages together to turns. */
export class TurnWriter {
  readonly #takesSystemTurns: boolean;
  readonly #system: TextBlock[] = [];
  readonly #turns: Turn[] = [];
  #said: Said[] = [];
  #awaited: AwaitedCall[] = [];
  /** The calls that await results, by the client's id; a client can use an id for several. */
  #awaitedById = new Map<string, { readonly calls: AwaitedCall[]; received: number }>();

  constructor(takesSystemTurns: boolean) {
    this.#takesSystemTurns = takesSystemTurns;
  }

  addSystem(blocks: readonly TextBlock[]): void {
    if (this.#turns.length === 0 && this.#said.length === 0) {
      append(this.#system, blocks);
    } else if (blocks.length > 0) {
      this.#said.push({ role: "system", blocks });
    }
  }

  addUser(blocks: readonly UserBlock[]): void {
    if (blocks.length > 0) {
      this.#said.push({ role: "user", blocks });
    }
  }

  /**
   * The result of a call of the last turn; a second one for the same call replaces it.
   * @throws ConversionError if the last turn has no such call
   */
  addResult(clientId: string, result: UnplacedResult, at: string): void {
    const awaited = this.#awaitedById.get(clientId);
    const call = awaited?.calls[Math.min(awaited.received, awaited.calls.length - 1)];
    if (awaited === undefined || call === undefined) {
      const text = "A message of the role 'tool' must respond to a call of the assistant message before it";
      throw new ConversionError(`${text}; it has no call '${clientId.slice(0, 64)}'.`, `${at}.tool_call_id`);
    }
    awaited.received += 1;
    call.result = result;
  }

  /** @throws ConversionError if calls before it have no results */
  addAssistant({ blocks, calls }: SpokenMessage): void {
    if (blocks.length === 0) {
      return;
    }
    const hasResults = this.#awaited.some(({ result }) => result !== null);
    if (hasResults || this.#said.length > 0) {
      this.#writeSaid();
    }
    const last = this.#turns.at(-1);
    if (last?.role === "assistant") {
      append(last.content, blocks);
    } else {
      if (last === undefined) {
        this.#turns.push({ role: "user", content: toTextBlocks(opening) });
      }
      this.#turns.push({ role: "assistant", content: [...blocks] });
    }
    for (const call of calls) {
      this.#await(call);
    }
  }

  /** @throws ConversionError if calls have no results, or nothing was said at all */
  finish(): ConvertedHistory {
    this.#writeSaid();
    const last = this.#turns.at(-1);
    if (last === undefined && this.#system.length === 0) {
      throw new ConversionError("'messages' must hold at least one message with content.", "messages");
    }
    if (last === undefined || last.role === "assistant") {
      this.#turns.push({ role: "user", content: toTextBlocks(last === undefined ? opening : continuation) });
    }
    return { system: this.#system, turns: this.#turns };
  }

  #await(call: PendingCall): void {
    const awaited: AwaitedCall = { call, result: null };
    this.#awaited.push(awaited);
    const same = this.#awaitedById.get(call.clientId);
    if (same === undefined) {
      this.#awaitedById.set(call.clientId, { calls: [awaited], received: 0 });
    } else {
      same.calls.push(awaited);
    }
  }

  /** Writes the turn of the user: results in the order of the calls, then what was said. */
  #writeSaid(): void {
    const results = this.#awaited.map(toResultBlock);
    // System turns can only come after the user's, right before the assistant.
    const lastByUser = this.#said.findLastIndex(({ role }) => role === "user");
    const canEndWithSystem = this.#takesSystemTurns && (results.length > 0 || lastByUser >= 0);
    const inUserTurn = canEndWithSystem ? this.#said.slice(0, lastByUser + 1) : this.#said;
    const content = [...results, ...inUserTurn.flatMap(toUserTurnBlocks)];
    if (content.length > 0) {
      this.#turns.push({ role: "user", content });
    }
    const bySystem = this.#said.slice(inUserTurn.length).filter((said) => said.role === "system");
    if (bySystem.length > 0) {
      this.#turns.push({ role: "system", content: bySystem.flatMap(({ blocks }) => [...blocks]) });
    }
    this.#said = [];
    this.#awaited = [];
    this.#awaitedById = new Map();
  }
}

/** Lists from clients can be longer than what a call takes as arguments. */
function append<Entry>(list: Entry[], entries: readonly Entry[]): void {
  for (const entry of entries) {
    list.push(entry);
  }
}

function toResultBlock({ call, result }: AwaitedCall): ToolResultBlock {
  if (result === null) {
    const text =
      "An assistant message with 'tool_calls' must be followed by a message of the role 'tool' for each call";
    throw new ConversionError(`${text}; '${call.clientId.slice(0, 64)}' has none.`, `${call.at}.id`);
  }
  return { ...result, tool_use_id: call.upstreamId };
}

function toUserTurnBlocks(said: Said): UserBlock[] {
  return said.role === "user"
    ? [...said.blocks]
    : said.blocks.map((block) => ({ ...block, text: `<system-reminder>\n${block.text}\n</system-reminder>` }));
}
