import { isGiven, isJsonObject, type JsonObject, textOf } from "../json.ts";
import { contentText, reasoningText } from "../response/message-parts.ts";

/** A piece of a tool call. */
export type CallPiece = {
  /** Null when the upstream does not number its calls. */
  readonly index: number | null;
  /** The position of the piece within its chunk. */
  readonly position: number;
  readonly id: string | null;
  readonly name: string | null;
  readonly arguments: string;
  /** What the upstream wants back with the call, such as a signature; null if nothing. */
  readonly extra: JsonObject | null;
};

/** The content of a chunk, in the order in which it has to be processed. */
export type ChunkWords = {
  readonly reasoning: string;
  readonly content: string;
  readonly refusal: string;
  readonly calls: readonly CallPiece[];
  readonly finishReason: string | null;
  /** The field in which some upstreams name the stop sequence. */
  readonly stoppedBy: unknown;
  readonly usage: JsonObject | null;
};

const noCalls: readonly CallPiece[] = [];

/** Reads the first choice of a chunk; empty and absent fields are skipped. */
export function readChunk(chunk: JsonObject): ChunkWords {
  const { usage } = chunk;
  const choice = firstChoice(chunk);
  const delta = deltaOf(choice);
  return {
    reasoning: reasoningText(delta),
    content: contentText(delta["content"]),
    refusal: textOf(delta["refusal"]) ?? "",
    calls: readCalls(delta),
    finishReason: isJsonObject(choice) ? textOf(choice["finish_reason"]) : null,
    stoppedBy: isJsonObject(choice) ? choice["stop_reason"] : null,
    usage: isJsonObject(usage) ? usage : null,
  };
}

/** What the first choice of a chunk adds. */
export function readDelta(chunk: JsonObject): JsonObject {
  return deltaOf(firstChoice(chunk));
}

function firstChoice({ choices }: JsonObject): JsonObject | undefined {
  return Array.isArray(choices) ? choices.find(isFirstChoice) : undefined;
}

function isFirstChoice(choice: unknown): choice is JsonObject {
  return isJsonObject(choice) && (choice["index"] === 0 || !isGiven(choice["index"]));
}

/** Some upstreams send the last chunk of a stream in the form of a complete response. */
function deltaOf(choice: JsonObject | undefined): JsonObject {
  const delta = choice?.["delta"] ?? choice?.["message"];
  return isJsonObject(delta) ? delta : {};
}

function readCalls(delta: JsonObject): readonly CallPiece[] {
  const { tool_calls: listed, function_call: legacy } = delta;
  if (Array.isArray(listed) && listed.length > 0) {
    return listed.flatMap((piece, position) => (isJsonObject(piece) ? readCall(piece, position) : []));
  }
  return isJsonObject(legacy) ? readCall({ index: 0, function: legacy }, 0) : noCalls;
}

/** A piece without id, name and arguments opens no call. */
function readCall(piece: JsonObject, position: number): CallPiece[] {
  const target = isJsonObject(piece["function"]) ? piece["function"] : {};
  const call = {
    index: typeof piece["index"] === "number" ? piece["index"] : null,
    position,
    id: textOf(piece["id"]),
    name: textOf(target["name"]),
    arguments: argumentsText(target["arguments"]),
    extra: isJsonObject(piece["extra_content"]) ? piece["extra_content"] : null,
  };
  return call.id === null && call.name === null && call.arguments === "" ? [] : [call];
}

function argumentsText(value: unknown): string {
  if (typeof value === "string") {
    return value;
  }
  return isGiven(value) ? JSON.stringify(value) : "";
}
