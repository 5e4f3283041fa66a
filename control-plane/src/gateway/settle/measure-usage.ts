import type { ParsedRequest } from "../model.ts";
import type { Surface } from "../surfaces.ts";
import { noUnits, type Units } from "../usage-log/model.ts";
import { countDeliveredAnswer, countDeliveredEvents, type Delivered } from "./measure-usage/count-delivered.ts";
import { readAnswer, usageOf } from "./measure-usage/read-usage.ts";
import { atMost, parseObject } from "./measure-usage/units.ts";

/** What a call is charged for, and who counted it; `none` is free. */
export type Measured = { readonly units: Units; readonly usageSource: "provider" | "estimated" | "none" };

const free: Measured = { units: noUnits, usageSource: "none" };
const bytesPerToken = 4;
/** Where tokens are the output, so that an answer without any is no output. */
const textKinds: ReadonlySet<string> = new Set(["chat", "completions", "responses"]);

/**
 * Measures an answer that came whole. The form says what it is: `error` for one that says so in a body of status 200,
 * `other` for one that is no JSON object.
 */
export function measureAnswer(
  body: Buffer,
  request: ParsedRequest,
  kind: Surface["kind"],
  bound: Units,
): Measured & { form: "object" | "error" | "other" } {
  const { usage, json, isObject } = readAnswer(body);
  const isError = json !== null && isErrorAnswer(json);
  const counted = (): Units =>
    estimateUnits(request.inputBytes, countDeliveredAnswer(json ?? parseObject(body.toString("utf8")) ?? {}), bound);
  const measured = isError || body.length === 0 ? free : completedUnits(kind, usage, counted);
  return { ...measured, form: isError ? "error" : isObject ? "object" : "other" };
}

/** What a stream is measured by. */
export type StreamedAnswer = {
  readonly kind: Surface["kind"] | "raw";
  readonly isComplete: boolean;
  /** The last usage that the provider told, or null. */
  readonly reported: Units | null;
  readonly request: ParsedRequest;
  /** The most that an answer to the request can use. */
  readonly bound: Units;
  /** What was sent to the client: the first pieces of it, and how much it was in all. */
  readonly pieces: readonly Uint8Array[];
  readonly bytesSent: number;
};

/**
 * The written rule: charge what was delivered, by the provider's count where it came, else by ours. An answer that broke
 * off, or that the client gave up, is charged for what went out until then: by the provider's count if one had been told
 * that names output, else by ours. Nothing delivered, or no output, is free.
 */
export function measureStream(answer: StreamedAnswer): Measured {
  const { kind, isComplete, reported, request, bound, pieces, bytesSent } = answer;
  const counted = (): Units => estimateUnits(request.inputBytes, countDeliveredEvents(pieces, bytesSent), bound);
  if (isComplete) {
    return bytesSent === 0 && reported === null ? free : completedUnits(kind, reported, counted);
  }
  if (bytesSent === 0) {
    return free;
  }
  if (reported !== null && reported.outputTokens > 0n) {
    return { units: reported, usageSource: "provider" };
  }
  const units = counted();
  return units.outputTokens > 0n ? { units, usageSource: "estimated" } : free;
}

/** The usage that the payload of an event tells, or null. */
export function readEventUsage(payload: Record<string, unknown>): Units | null {
  return usageOf(payload);
}

function completedUnits(kind: string, reported: Units | null, counted: () => Units): Measured {
  const hasOutput = ({ outputTokens }: Units) => outputTokens > 0n || !textKinds.has(kind);
  if (reported !== null) {
    return hasOutput(reported) || hasOutput(counted()) ? { units: reported, usageSource: "provider" } : free;
  }
  const units = counted();
  return hasOutput(units) ? { units, usageSource: "estimated" } : free;
}

/**
 * Our own count for an answer whose usage never came: the rule is one token for each event that carried text, or for
 * each 4 bytes of text, whichever is more; and one input token for each 4 bytes of the request. What was set aside for
 * the call covers it: a picture in the body has more bytes than any model takes tokens.
 */
function estimateUnits(requestBytes: number, { textBytes, textEvents, items }: Delivered, bound: Units): Units {
  if (textBytes === 0 && textEvents === 0 && items === 0) {
    return noUnits;
  }
  return {
    ...noUnits,
    inputTokens: atMost(BigInt(Math.ceil(requestBytes / bytesPerToken)), bound.inputTokens),
    outputTokens: atMost(BigInt(Math.max(textEvents, Math.ceil(textBytes / bytesPerToken))), bound.outputTokens),
  };
}

/** Some providers answer 200 and say in the body that it went wrong. */
function isErrorAnswer(json: Record<string, unknown>): boolean {
  const hasError = json["object"] === "error" || (json["error"] !== undefined && json["error"] !== null);
  return hasError && ["choices", "data", "output", "results"].every((name) => json[name] === undefined);
}
