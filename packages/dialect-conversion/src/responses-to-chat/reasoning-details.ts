import { isJsonObject, type JsonObject, textOf } from "@sluice/messages-conversion/json";
import { depthMax, isDeeperThan } from "@sluice/messages-conversion/request/check-fields";
import { ConversionError } from "../model.ts";

/** Content of another provider begins otherwise, and only that provider can read it. */
const prefix = "sluice1.";
const entriesMax = 1_000;
/** An entry of our own: what belongs to a call, which has no field for it in Responses. */
const callType = "sluice.call";
const textFields = ["text", "summary", "data"] as const;

/**
 * The reasoning of an upstream in the form in which it wants it back, with its signatures. Streams have it in pieces:
 * those of the same type and number belong together.
 */
export class ReasoningDetails {
  #entries: Record<string, unknown>[] = [];
  readonly #byPlace = new Map<string, Record<string, unknown>>();
  #count = 0;

  /** @throws ConversionError if there are more entries than in any response */
  add(details: readonly JsonObject[]): void {
    for (const detail of details) {
      const { type, index } = detail;
      const place = `${textOf(type) ?? ""} ${typeof index === "number" ? index : `new ${this.#count}`}`;
      const known = this.#byPlace.get(place);
      if (known === undefined) {
        this.#open(place, { ...detail });
      } else {
        merge(known, detail);
      }
    }
  }

  /** What was added since the last call, as content for the client; null if nothing was. */
  drain(): string | null {
    const entries = this.#entries;
    this.#entries = [];
    this.#byPlace.clear();
    return entries.length === 0 ? null : `${prefix}${Buffer.from(JSON.stringify(entries)).toString("base64url")}`;
  }

  #open(place: string, entry: Record<string, unknown>): void {
    this.#count += 1;
    if (this.#count > entriesMax) {
      throw new ConversionError("The upstream's response has too many pieces of reasoning.");
    }
    this.#entries.push(entry);
    this.#byPlace.set(place, entry);
  }
}

/** What an upstream wants back with a call, as reasoning that comes before the call. */
export function detailOfCall(callId: string, extra: JsonObject): JsonObject {
  return { type: callType, call_id: callId, extra_content: extra };
}

/** The reverse: the id of the call and what belongs to it; null for other entries. */
export function callOfDetail(detail: JsonObject): readonly [callId: string, extra: JsonObject] | null {
  const { type, call_id: callId, extra_content: extra } = detail;
  return type === callType && typeof callId === "string" && isJsonObject(extra) ? [callId, extra] : null;
}

function merge(entry: Record<string, unknown>, piece: JsonObject): void {
  for (const [name, value] of Object.entries(piece)) {
    const isText = textFields.some((field) => field === name);
    const before = entry[name];
    if (isText && typeof before === "string" && typeof value === "string") {
      entry[name] = before + value;
    } else if (value !== null && name !== "__proto__") {
      entry[name] = value;
    }
  }
}

/** The length of all texts of an entry. */
export function textLengthOf(detail: JsonObject): number {
  return Object.values(detail).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
}

/**
 * The reasoning that a client gives back; null if it is of another provider.
 * @throws ConversionError if the client changed it
 */
export function readEncryptedReasoning(content: string, at: string): readonly JsonObject[] | null {
  if (!content.startsWith(prefix)) {
    return null;
  }
  try {
    const value: unknown = JSON.parse(Buffer.from(content.slice(prefix.length), "base64url").toString("utf8"));
    if (Array.isArray(value) && value.every(isJsonObject) && !isDeeperThan(value, depthMax)) {
      return value;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
  }
  throw new ConversionError(`'${at}' was changed. Send reasoning back as it came, or leave it out.`, at);
}
