import type { ContentBlock, MessagesEvent } from "../messages.ts";

export type SpeechKind = "text" | "thinking";

/**
 * Writes content blocks one after the other: indexes without gaps, at most one block open, each started once and
 * stopped once. The client sees only this sequence, even if the rest of the state machine has a bug.
 */
export class BlockWriter {
  /** The events since the last `drain`. */
  #events: MessagesEvent[] = [];
  #openKind: SpeechKind | "tool_use" | null = null;
  /** The index of the open block, or of the next one. */
  #index = 0;
  hasToolUse = false;
  /** The number of characters that were sent to the client, for an estimate of the tokens. */
  outputLength = 0;

  get openKind(): SpeechKind | "tool_use" | null {
    return this.#openKind;
  }

  /** Whether there is any block yet. */
  get hasBlocks(): boolean {
    return this.#index > 0 || this.#openKind !== null;
  }

  /** Adds an event that is not part of a block. */
  put(event: MessagesEvent): void {
    this.#events.push(event);
  }

  /** Adds text or thinking: to the open block if it is of that kind, else to a new one. */
  speak(kind: SpeechKind, text: string): void {
    if (this.#openKind !== kind) {
      const block: ContentBlock =
        kind === "text" ? { type: "text", text: "" } : { type: "thinking", thinking: "", signature: "" };
      this.#start(kind, block);
    }
    this.outputLength += text.length;
    const delta =
      kind === "text" ? ({ type: "text_delta", text } as const) : ({ type: "thinking_delta", thinking: text } as const);
    this.#events.push({ type: "content_block_delta", index: this.#index, delta });
  }

  startToolUse(id: string, name: string): void {
    this.hasToolUse = true;
    this.outputLength += name.length;
    this.#start("tool_use", { type: "tool_use", id, name, input: {} });
  }

  /** Adds more of the arguments to the open tool block. */
  addInput(json: string): void {
    this.outputLength += json.length;
    this.#events.push({
      type: "content_block_delta",
      index: this.#index,
      delta: { type: "input_json_delta", partial_json: json },
    });
  }

  /** Stops the open block, if there is one. */
  close(): void {
    if (this.#openKind === null) {
      return;
    }
    this.#events.push({ type: "content_block_stop", index: this.#index });
    this.#openKind = null;
    this.#index += 1;
  }

  /** Returns the events so far, in order. */
  drain(): MessagesEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #start(kind: SpeechKind | "tool_use", block: ContentBlock): void {
    this.close();
    this.#openKind = kind;
    this.#events.push({ type: "content_block_start", index: this.#index, content_block: block });
  }
}
