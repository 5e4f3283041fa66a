import type { ChatToolCall } from "@sluice/messages-conversion/chat-completions";
import type { JsonObject } from "@sluice/messages-conversion/json";
import { ConversionError, type ConversionFlags } from "../model.ts";
import { isText, type UserPart } from "./content-parts.ts";
import type { ToolOutputs } from "./tool-outputs.ts";

/** What the model said between two other messages: chat completions have all of it in one message. */
type AssistantTurn = {
  readonly texts: string[];
  readonly thoughts: string[];
  readonly details: JsonObject[];
  readonly calls: (ChatToolCall & { readonly extra_content?: JsonObject })[];
};

/** Collects the messages of a chat from the items of a conversation. */
export class Conversation {
  readonly #messages: JsonObject[] = [];
  readonly #outputs: ToolOutputs;
  readonly #flags: ConversionFlags;
  readonly #callIds = new Set<string>();
  /** What belongs to the calls that follow, by their ids. */
  readonly #extras = new Map<string, JsonObject>();
  #turn: AssistantTurn | null = null;
  /** Reasoning of the turn that has yet to begin. */
  #thoughts: string[] = [];
  #details: JsonObject[] = [];

  constructor(outputs: ToolOutputs, flags: ConversionFlags) {
    this.#outputs = outputs;
    this.#flags = flags;
  }

  /** The ids of all calls, which those of the response must differ from. */
  get callIds(): ReadonlySet<string> {
    return this.#callIds;
  }

  instruct(role: "system" | "developer", text: string): void {
    this.endTurn();
    this.#messages.push({ role: this.#flags.developerRole ? role : "system", content: text });
  }

  ask(parts: readonly UserPart[]): void {
    this.endTurn();
    const [first] = parts;
    if (first !== undefined) {
      this.#messages.push({ role: "user", content: parts.length === 1 && isText(first) ? first.text : parts });
    }
  }

  /** @param details the same in the form of its upstream, if that has one */
  think(text: string, details: readonly JsonObject[]): void {
    if (!this.#flags.reasoningBack) {
      return;
    }
    if (text !== "") {
      this.#thoughts.push(text);
    }
    for (const detail of details) {
      this.#details.push(detail);
    }
  }

  say(text: string): void {
    if (text !== "") {
      this.#openTurn().texts.push(text);
    }
  }

  /** Keeps what belongs to a call that follows. */
  keepForCall(callId: string, extra: JsonObject): void {
    this.#extras.set(callId, extra);
  }

  call(id: string, name: string, callArguments: string): void {
    this.#callIds.add(id);
    const extra = this.#extras.get(id);
    this.#extras.delete(id);
    const target = { name, arguments: callArguments || "{}" };
    const call = { id, type: "function", function: target } as const;
    this.#openTurn().calls.push(extra === undefined ? call : { ...call, extra_content: extra });
  }

  /** What the model says next belongs to another turn: others spoke, or its calls were answered. */
  endTurn(): void {
    const turn = this.#turn;
    this.#turn = null;
    this.#thoughts = [];
    this.#details = [];
    if (turn === null) {
      return;
    }
    const { texts, thoughts, details, calls } = turn;
    this.#messages.push({
      role: "assistant",
      content: texts.length === 0 ? null : texts.join("\n\n"),
      ...(thoughts.length === 0 ? {} : { reasoning_content: thoughts.join("\n\n") }),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    });
    this.#addOutputs(calls);
  }

  /** The messages of the whole conversation. @throws ConversionError if calls and outputs do not match */
  end(): readonly JsonObject[] {
    this.endTurn();
    this.#outputs.refuseLeft();
    if (this.#messages.length === 0) {
      throw new ConversionError("'input' must contain at least one message.", "input");
    }
    return this.#messages;
  }

  #openTurn(): AssistantTurn {
    const turn = this.#turn ?? { texts: [], thoughts: [], details: [], calls: [] };
    for (const thought of this.#thoughts) {
      turn.thoughts.push(thought);
    }
    for (const detail of this.#details) {
      turn.details.push(detail);
    }
    this.#thoughts = [];
    this.#details = [];
    this.#turn = turn;
    return turn;
  }

  #addOutputs(calls: readonly ChatToolCall[]): void {
    const attachments: UserPart[] = [];
    for (const { id } of calls) {
      const output = this.#outputs.take(id);
      this.#messages.push({ role: "tool", tool_call_id: id, content: output.text });
      if (output.attachments.length > 0) {
        attachments.push({ type: "text", text: `Attachments of the output of tool call ${id}:` });
        for (const attachment of output.attachments) {
          attachments.push(attachment);
        }
      }
    }
    if (attachments.length > 0) {
      this.#messages.push({ role: "user", content: attachments });
    }
  }
}
