import { isJsonObject, type JsonObject } from "@sluice/messages-conversion/json";
import type { EventQueue } from "./event-queue.ts";
import { InputUnwrapper } from "./input-unwrapper.ts";
import type { ItemPlace, ItemStatus, OpenItem } from "./spoken-items.ts";
import type { ClientTool } from "./tool-table.ts";

/** A call of a tool in the form that its client expects. */
export class CallItem implements OpenItem {
  readonly outputIndex: number;
  readonly #queue: EventQueue;
  readonly #id: string;
  readonly #callId: string;
  readonly #tool: ClientTool;
  readonly #pieces: string[] = [];
  readonly #unwrapper = new InputUnwrapper();
  /** The input of a custom tool, as far as it is known. */
  readonly #input: string[] = [];

  constructor({ queue, id, outputIndex }: ItemPlace, tool: ClientTool, callId: string) {
    this.#queue = queue;
    this.#id = id;
    this.#callId = callId;
    this.#tool = tool;
    this.outputIndex = outputIndex;
    queue.put("response.output_item.added", {
      output_index: outputIndex,
      item: this.#item("in_progress", tool.kind === "tool_search" ? {} : ""),
    });
  }

  /** Adds a piece of the arguments. */
  add(piece: string): void {
    if (piece === "") {
      return;
    }
    this.#pieces.push(piece);
    if (this.#tool.kind === "function") {
      this.#put("function_call_arguments.delta", { delta: piece });
    } else if (this.#tool.kind === "custom") {
      this.#addInput(this.#unwrapper.push(piece));
    }
  }

  close(status: ItemStatus): JsonObject {
    const content = this.#contentOf(this.#pieces.join(""));
    const item = this.#item(status, content);
    if (this.#tool.kind === "function") {
      this.#put("function_call_arguments.done", { arguments: content, name: this.#tool.name });
    } else if (this.#tool.kind === "custom") {
      this.#put("custom_tool_call_input.done", { input: content });
    }
    this.#queue.put("response.output_item.done", { output_index: this.outputIndex, item });
    return item;
  }

  /** Clients parse the arguments of a function, and an empty text is not JSON. */
  #contentOf(text: string): unknown {
    switch (this.#tool.kind) {
      case "custom":
        if (!this.#unwrapper.hasOpened) {
          this.#addInput(inputOf(text));
        }
        return this.#input.join("");
      case "tool_search":
        return parse(text) ?? {};
      case "function":
        if (text.trim() === "") {
          this.#put("function_call_arguments.delta", { delta: "{}" });
          return "{}";
        }
        return text;
    }
  }

  #addInput(text: string): void {
    if (text !== "") {
      this.#input.push(text);
      this.#put("custom_tool_call_input.delta", { delta: text });
    }
  }

  #put(type: string, fields: JsonObject): void {
    this.#queue.put(`response.${type}`, { item_id: this.#id, output_index: this.outputIndex, ...fields });
  }

  #item(status: ItemStatus, content: unknown): JsonObject {
    const { kind, name, namespace } = this.#tool;
    const place = { call_id: this.#callId, name, ...(namespace === null ? {} : { namespace }) };
    switch (kind) {
      case "function":
        return { id: this.#id, type: "function_call", status, arguments: content, ...place };
      case "custom":
        return { id: this.#id, type: "custom_tool_call", status, input: content, ...place };
      case "tool_search":
        return {
          id: this.#id,
          type: "tool_search_call",
          status,
          execution: "client",
          arguments: content,
          call_id: this.#callId,
        };
    }
  }
}

/**
 * The text that a custom tool gets. Models that overlook the JSON write the text itself, and some rename the field.
 */
function inputOf(text: string): string {
  const parsed = parse(text);
  if (parsed === null) {
    return text;
  }
  const { input } = parsed;
  if (typeof input === "string") {
    return input;
  }
  const [only, ...others] = Object.values(parsed);
  return typeof only === "string" && others.length === 0 ? only : text;
}

function parse(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
