import { invalidRequest } from "../errors/messages-error.ts";
import { isGiven, isJsonObject, type JsonObject, textOf } from "../json.ts";
import { asObject } from "./check-fields.ts";
import type { DroppedFeatures } from "./dropped-features.ts";

/** A tool that the conversation adds or removes: a whole definition, or the name of a known one. */
export type ToolChange = {
  /** The path of the block. */
  readonly at: string;
  readonly name: string;
  /** Null if the tool is only named. */
  readonly definition: JsonObject | null;
  readonly isAddition: boolean;
};

/** Settings that messages change during a conversation. The last one counts, because the call continues from there. */
export class TalkSettings {
  readonly #toolChanges: ToolChange[] = [];
  #effort: unknown = null;

  /** The changes in the order of the conversation. */
  get toolChanges(): readonly ToolChange[] {
    return this.#toolChanges;
  }

  /** The last requested effort; null when there was none. */
  get effort(): unknown {
    return this.#effort;
  }

  /** Applies the settings of a system message. */
  takeOutputConfig(config: unknown): void {
    const effort = isJsonObject(config) ? config["effort"] : null;
    this.#effort = isGiven(effort) ? effort : this.#effort;
  }

  /**
   * Applies a `tool_addition` or `tool_removal` block. Tools of a server on the other side can't be sent upstream.
   * @param at path of the block
   * @throws MessagesError when it does not name the tool
   */
  takeToolChange(block: JsonObject, at: string, dropped: DroppedFeatures): void {
    const isAddition = block["type"] === "tool_addition";
    const tool = asObject(block["tool"], `${at}.tool`);
    if (tool["type"] === "tool_definition" && isAddition) {
      const definition = asObject(tool["definition"], `${at}.tool.definition`);
      const name = textOf(definition["name"]) ?? "";
      this.#toolChanges.push({ at: `${at}.tool.definition`, name, definition, isAddition });
      return;
    }
    if (tool["type"] !== "tool_reference") {
      dropped.add(isAddition ? "tool_addition" : "tool_removal");
      return;
    }
    const name = textOf(tool["name"]);
    if (name === null) {
      throw invalidRequest(`${at}.tool.name`, "Field required");
    }
    this.#toolChanges.push({ at, name, definition: null, isAddition });
  }
}

const changeTypes: ReadonlySet<unknown> = new Set(["tool_addition", "tool_removal"]);

export const isToolChange = (block: JsonObject): boolean => changeTypes.has(block["type"]);
