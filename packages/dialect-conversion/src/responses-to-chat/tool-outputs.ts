import type { FieldReader } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import { isText, readUserParts, type UserPart } from "./content-parts.ts";

/** What a call returned. */
export type ToolOutput = {
  /** The path of the item. */
  readonly at: string;
  readonly text: string;
  /** Content that a tool message can't hold; it goes into the user message that follows. */
  readonly attachments: readonly UserPart[];
};

/**
 * The outputs of a conversation by call. Chat completions want them right after the turn with the calls, wherever the
 * client has them. Upstreams that count their calls per response repeat ids, so that an id may have several outputs.
 */
export class ToolOutputs {
  readonly #queues = new Map<string, { readonly outputs: ToolOutput[]; taken: number }>();

  add(callId: string, output: ToolOutput): void {
    const queue = this.#queues.get(callId);
    if (queue === undefined) {
      this.#queues.set(callId, { outputs: [output], taken: 0 });
    } else {
      queue.outputs.push(output);
    }
  }

  /** The next output of calls with this id. @throws ConversionError if there is none */
  take(callId: string): ToolOutput {
    const queue = this.#queues.get(callId);
    const output = queue?.outputs[queue.taken];
    if (queue === undefined || output === undefined) {
      throw new ConversionError(`No tool output found for function call ${shown(callId)}.`, "input");
    }
    queue.taken += 1;
    return output;
  }

  /** @throws ConversionError if an output belongs to no call */
  refuseLeft(): void {
    for (const [callId, { outputs, taken }] of this.#queues) {
      const left = outputs[taken];
      if (left !== undefined) {
        const message = `No tool call found for function call output with call_id ${shown(callId)}.`;
        throw new ConversionError(message, `${left.at}.call_id`);
      }
    }
  }
}

function shown(callId: string): string {
  return callId.slice(0, 64);
}

/** @throws ConversionError if the output is malformed or has no counterpart */
export function readToolOutput(item: FieldReader): ToolOutput {
  const lines: string[] = [];
  const attachments: UserPart[] = [];
  for (const part of readUserParts(item, "output")) {
    if (isText(part)) {
      lines.push(part.text);
    } else {
      lines.push(`[${part.type === "file" ? "document" : "image"} attached in the next user message]`);
      attachments.push(part);
    }
  }
  return { at: item.at, text: lines.join("\n"), attachments };
}
