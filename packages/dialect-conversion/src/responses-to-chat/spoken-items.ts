import type { JsonObject } from "@sluice/messages-conversion/json";
import type { EventQueue } from "./event-queue.ts";

export type ItemStatus = "in_progress" | "completed" | "incomplete";
export type ItemPlace = { readonly queue: EventQueue; readonly id: string; readonly outputIndex: number };

/** An item of the output while it is written. */
export type OpenItem = {
  readonly outputIndex: number;
  /** Puts the last events of the item. @returns the item */
  close(status: ItemStatus): JsonObject;
};

type PartKind = "text" | "refusal";

const partTypes = { text: "output_text", refusal: "refusal" } as const;

/** A message of the model: parts of text or of refusal, one after the other. */
export class MessageItem implements OpenItem {
  readonly outputIndex: number;
  readonly #queue: EventQueue;
  readonly #id: string;
  readonly #parts: JsonObject[] = [];
  #open: { kind: PartKind; pieces: string[]; annotations: JsonObject[] } | null = null;

  constructor({ queue, id, outputIndex }: ItemPlace) {
    this.#queue = queue;
    this.#id = id;
    this.outputIndex = outputIndex;
    queue.put("response.output_item.added", { output_index: outputIndex, item: this.#item("in_progress") });
  }

  add(kind: PartKind, piece: string): void {
    const open = this.#openPart(kind);
    open.pieces.push(piece);
    this.#put(`${partTypes[kind]}.delta`, { delta: piece, ...(kind === "text" ? { logprobs: [] } : {}) });
  }

  /** Adds a source of the text; other items have none. */
  annotate(annotation: JsonObject): void {
    const open = this.#open;
    if (open?.kind !== "text") {
      return;
    }
    this.#put("output_text.annotation.added", { annotation_index: open.annotations.length, annotation });
    open.annotations.push(annotation);
  }

  close(status: ItemStatus): JsonObject {
    this.#closePart();
    const item = this.#item(status);
    this.#queue.put("response.output_item.done", { output_index: this.outputIndex, item });
    return item;
  }

  #openPart(kind: PartKind): { pieces: string[]; annotations: JsonObject[] } {
    if (this.#open?.kind === kind) {
      return this.#open;
    }
    this.#closePart();
    const open = { kind, pieces: [], annotations: [] };
    this.#open = open;
    this.#put("content_part.added", { part: partOf(kind, "", []) });
    return open;
  }

  #closePart(): void {
    if (this.#open === null) {
      return;
    }
    const { kind, pieces, annotations } = this.#open;
    const text = pieces.join("");
    const part = partOf(kind, text, annotations);
    this.#put(`${partTypes[kind]}.done`, kind === "text" ? { text, logprobs: [] } : { refusal: text });
    this.#put("content_part.done", { part });
    this.#parts.push(part);
    this.#open = null;
  }

  #put(type: string, fields: JsonObject): void {
    const place = { item_id: this.#id, output_index: this.outputIndex, content_index: this.#parts.length };
    this.#queue.put(`response.${type}`, { ...place, ...fields });
  }

  #item(status: ItemStatus): JsonObject {
    return { id: this.#id, type: "message", status, role: "assistant", content: [...this.#parts] };
  }
}

function partOf(kind: PartKind, text: string, annotations: readonly JsonObject[]): JsonObject {
  return kind === "text"
    ? { type: "output_text", text, annotations, logprobs: [] }
    : { type: "refusal", refusal: text };
}

/**
 * What the model thought, as one summary: upstreams of chat completions send no separate one. Reasoning that only its
 * provider can read has none.
 */
export class ReasoningItem {
  readonly outputIndex: number;
  readonly #queue: EventQueue;
  readonly #id: string;
  readonly #pieces: string[] = [];

  constructor({ queue, id, outputIndex }: ItemPlace) {
    this.#queue = queue;
    this.#id = id;
    this.outputIndex = outputIndex;
    queue.put("response.output_item.added", { output_index: outputIndex, item: this.#item([], null) });
  }

  add(piece: string): void {
    if (this.#pieces.length === 0) {
      this.#put("part.added", { part: summaryOf("") });
    }
    this.#pieces.push(piece);
    this.#put("text.delta", { delta: piece });
  }

  /** @param encrypted the reasoning in the form in which its provider wants it back */
  close(encrypted: string | null): JsonObject {
    const summary = this.#pieces.length === 0 ? [] : [this.#closeSummary()];
    const item = this.#item(summary, encrypted);
    this.#queue.put("response.output_item.done", { output_index: this.outputIndex, item });
    return item;
  }

  #put(type: string, fields: JsonObject): void {
    const place = { item_id: this.#id, output_index: this.outputIndex, summary_index: 0 };
    this.#queue.put(`response.reasoning_summary_${type}`, { ...place, ...fields });
  }

  #closeSummary(): JsonObject {
    const text = this.#pieces.join("");
    this.#put("text.done", { text });
    const part = summaryOf(text);
    this.#put("part.done", { part });
    return part;
  }

  #item(summary: readonly JsonObject[], encrypted: string | null): JsonObject {
    return {
      ...{ id: this.#id, type: "reasoning", summary },
      ...(encrypted === null ? {} : { encrypted_content: encrypted }),
    };
  }
}

function summaryOf(text: string): JsonObject {
  return { type: "summary_text", text };
}
