import type { Dialect } from "@sluice/contracts/upstreams";
import { type Bytes, partOf, viewOf } from "@sluice/http-client/packet-part";
import { noUnits, type Units } from "../../models/units.ts";
import type { Amount } from "../../platform/amount.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ParsedRequest } from "../model.ts";
import { bookable, type UsageLimits, withinHeld, withOutput } from "../usage-count/judge-usage.ts";
import type {
  AnsweredCall,
  Delivered,
  EventText,
  EventTexts,
  Measured,
  StreamedResponse,
  UnreportedTexts,
} from "../usage-count/model.ts";
import { firstOfList, hasFailedChoice } from "../usage-count/reported-errors.ts";
import { asObject, atMost, type Json, parseObject, type ReportedUnits } from "../usage-count/units.ts";
import type { UsageDialect } from "../usage-count/usage-readers.ts";
import { DeliveredCount } from "./measure-usage/count-delivered.ts";
import { estimateInput } from "./measure-usage/estimate-input.ts";
import { isFiltered } from "./measure-usage/is-filtered.ts";
import { withLongWrites } from "./measure-usage/long-writes.ts";
import { type OutputRules, type OwnCount, outputs } from "./measure-usage/outputs.ts";
import { readAnswer } from "./measure-usage/read-usage.ts";
import { StreamUsage } from "./measure-usage/stream-usage.ts";

const free: Measured = { units: noUnits, usageSource: "none", isImplausible: false };
/** A passed-through path costs the price of a request; any usage in its responses is about other calls. */
const requestAlone: Measured = { units: noUnits, usageSource: "estimated", isImplausible: false };
/** Where responses have their results: with any of them, a response that names an error is still a response. */
const resultNames = ["choices", "data", "output", "results", "content", "candidates", "embeddings", "embedding"];

/**
 * What a complete response is, judged by its form: a result, an error in a body with status 200, no JSON object where
 * one is required, or one without the requested list.
 */
export type AnswerForm = "answer" | "error_event" | "no_json" | "no_result";

/** Our own count of what a provider would read of a request. */
export function countInput(request: ParsedRequest): number {
  return estimateInput(request);
}

/** Measures a response that came whole. */
export function measureAnswer(body: Bytes, call: AnsweredCall): Measured & { readonly form: AnswerForm } {
  const { operation, limits } = call;
  const rules = outputs[operation.output];
  if (rules === null) {
    const measured = body.byteLength === 0 || operation.output === "nothing" ? free : requestAlone;
    return { ...measured, form: "answer" };
  }
  const list = operation.resultList;
  const { usage: reported, json, isObject } = readAnswer(body, list, call.usageDialect ?? operation.dialect, call.tail);
  const form = json !== null ? formOf(json, list) : formOfUnread(body, list, isObject);
  if (form !== "answer" || body.byteLength === 0) {
    return withCost({ ...free, form }, reported);
  }
  const images = rules.countImages(body);
  const usage = reported === null || reported.images === images ? reported : { ...reported, images };
  const content = new AnswerContent(rules, call, { body, json, images });
  const measured = completedUnits(rules, usage, limits, content);
  const sold = withLongWrites(rules.soldAsPriced(measured, call, content), call);
  const { units, usageSource, isImplausible } = sold;
  return withCost({ units, usageSource, isImplausible, form }, reported);
}

/** Keeps what the provider says the call has cost it, whatever is charged. */
function withCost<Of extends Measured>(measured: Of, reported: ReportedUnits | null): Of {
  const providerCost = reported?.providerCost;
  return providerCost === undefined ? measured : { ...measured, providerCost };
}

/**
 * The rule: charge what was delivered, by the provider's count if it arrived and counts any of it, else by ours. An
 * interrupted response is charged for what was sent until then: by the provider's count if it reported one that names
 * output, else by ours. Nothing delivered, or no output, is free. A client that leaves also owes the input, because the
 * provider has read it.
 */
export function measureStream(answer: StreamedResponse): Measured {
  return withCost(withLongWrites(measureEvents(answer), answer), answer.reported);
}

function measureEvents(answer: StreamedResponse): Measured {
  const { operation, end, reported, bytesSent, limits } = answer;
  const rules = outputs[operation.output];
  if (end !== "aborted" && bytesSent === 0 && reported === null) {
    return free;
  }
  if (rules === null) {
    return requestAlone;
  }
  const content: Content = {
    counted: () => withinHeld(rules.countStream(answer), limits),
    wasFiltered: () => answer.isFiltered,
  };
  const measured = end === "aborted" ? measureAborted(rules, answer) : measureEnded(rules, answer, content);
  const sold = rules.soldAsPriced(measured, answer, content);
  return rules.isText && answer.isReportEarly ? withLater(sold, answer) : sold;
}

/** The provider's count from the middle of a stream, with the output by our own count if that is more. */
function withLater(measured: Measured, { delivered, limits }: StreamedResponse): Measured {
  const outputTokens = atMost<Amount>(delivered.outputTokens, limits.held.outputTokens);
  return measured.usageSource === "provider" && outputTokens > measured.units.outputTokens
    ? { ...measured, units: { ...measured.units, outputTokens }, usageSource: "estimated" }
    : measured;
}

function measureEnded(rules: OutputRules, answer: StreamedResponse, content: Content): Measured {
  const { end, reported, bytesSent, delivered, limits } = answer;
  const usage = withPictures(reported, delivered);
  if (end === "completed") {
    return completedUnits(rules, usage, limits, content);
  }
  if (usage !== null && usage.isOdd !== true && (usage.outputTokens > 0 || usage.images > 0)) {
    return { ...bookable(usage, limits), usageSource: "provider" };
  }
  const own = bytesSent === 0 ? noUnits : content.counted();
  if (!hasOutput(own)) {
    return free;
  }
  const input = inputReport(usage);
  const units = input === null ? own : withOutput(input, own, limits);
  return { units, usageSource: "estimated", isImplausible: usage?.isOdd === true };
}

/** A response that had begun when its client left, with nothing more known about it: it owes its input. */
export function measureUnread(call: AnsweredCall): Measured {
  const delivered = { outputTokens: 0, textBytes: 0, pictures: 0, items: 0 };
  const heard = { reported: null, isReportEarly: false, isFiltered: false, delivered };
  return measureStream({ ...call, ...heard, end: "aborted", pieces: [], bytesSent: 0 });
}

/**
 * The provider was read for a while after the client left: charges what it reported, or else what it had read and what
 * the client had received.
 */
function measureAborted(rules: OutputRules, answer: StreamedResponse): Measured {
  const { limits, delivered, reported } = answer;
  const usage = withPictures(reported, delivered);
  if (usage !== null && usage.isOdd !== true && (usage.outputTokens > 0 || usage.images > 0)) {
    return { ...bookable(usage, limits), usageSource: "provider" };
  }
  const counted = rules.countStream(answer);
  const read = inputReport(usage);
  if (read !== null) {
    const units = withOutput(read, withinHeld(counted, limits), limits);
    return { units, usageSource: "estimated", isImplausible: false };
  }
  const input = usage === null || usage.isOdd === true ? rules.owedInput(answer) : usage;
  const units = {
    ...counted,
    inputTokens: input.inputTokens > counted.inputTokens ? input.inputTokens : counted.inputTokens,
    cacheReadTokens: input.cacheReadTokens,
    audioMs: input.audioMs > counted.audioMs ? input.audioMs : counted.audioMs,
  };
  return { units: withinHeld(units, limits), usageSource: "estimated", isImplausible: usage?.isOdd === true };
}

/** A report from the beginning of a stream, which names what the provider has read and nothing else; else null. */
function inputReport(usage: ReportedUnits | null): ReportedUnits | null {
  return usage?.isInputOnly === true && usage.isOdd !== true && usage.inputTokens > 0 ? usage : null;
}

/** Images are counted as they pass, whatever the provider reports about tokens. */
function withPictures(reported: ReportedUnits | null, { pictures }: Delivered): ReportedUnits | null {
  return reported === null || pictures <= reported.images ? reported : { ...reported, images: pictures };
}

/** Follows the events of a stream. */
export class StreamMeter {
  readonly #count = new DeliveredCount();
  readonly #clock: Pick<Clock, "tick">;
  readonly #dialect: Dialect;
  readonly #usage: StreamUsage;
  #textsBeforeReport = 0;
  #isFiltered = false;
  #outputTick: number | null = null;
  #unreported: UnreportedTexts | null = null;

  /** @param dialect what the upstream speaks @param usageDialect how it reports usage */
  constructor(clock: Pick<Clock, "tick">, dialect: Dialect, usageDialect: UsageDialect = dialect) {
    this.#clock = clock;
    this.#dialect = dialect;
    this.#usage = new StreamUsage(usageDialect);
  }

  /** From now on, texts of the stream wait there until the meter asks for them. */
  follow(unreported: UnreportedTexts): void {
    this.#unreported = unreported;
  }

  /** @param isDelivered whether the client was still there */
  add(payload: Record<string, unknown>, isDelivered: boolean): void {
    this.#unreported?.report();
    const isReport = this.#usage.add(payload);
    this.#isFiltered ||= isFiltered[this.#dialect](payload);
    if (isDelivered) {
      this.#count.add(payload);
      this.#noteOutput();
    }
    if (isReport) {
      this.#textsBeforeReport = this.#count.texts;
    }
  }

  /** What an event adds that reports nothing and counts by its text alone; null for any other. */
  textOf(payload: Record<string, unknown>): EventText | null {
    return this.#usage.reports(payload) ? null : this.#count.textOf(payload);
  }

  /** What `add` does for an event that counts only by its text, but without the text. */
  addShape(payload: Record<string, unknown>): void {
    this.#isFiltered ||= isFiltered[this.#dialect](payload);
  }

  /** Does what `add` does for delivered events that have these texts and say nothing else that is new. */
  addTexts(texts: EventTexts): void {
    this.#count.addTexts(texts);
    this.#noteOutput();
  }

  #noteOutput(): void {
    if (this.#outputTick === null && this.#count.hasOutput) {
      this.#outputTick = this.#clock.tick();
    }
  }

  /** Everything that was counted so far. */
  get heard(): Pick<StreamedResponse, "reported" | "isReportEarly" | "isFiltered" | "delivered"> {
    this.#unreported?.report();
    const { delivered, texts } = this.#count;
    const isReportEarly = texts > this.#textsBeforeReport;
    return { reported: this.#usage.reported, isReportEarly, isFiltered: this.#isFiltered, delivered };
  }

  /** When the first output came; null while there is none. */
  get outputTick(): number | null {
    return this.#outputTick;
  }
}

/** What a response says besides the reported usage. Both are determined when they are asked for, because most calls need neither. */
type Content = OwnCount & { wasFiltered(): boolean };

/** That of a response that came whole. */
class AnswerContent implements Content {
  readonly #rules: OutputRules;
  readonly #call: AnsweredCall;
  readonly #answer: { readonly body: Bytes; readonly json: Json | null; readonly images: number };

  constructor(rules: OutputRules, call: AnsweredCall, answer: { body: Bytes; json: Json | null; images: number }) {
    this.#rules = rules;
    this.#call = call;
    this.#answer = answer;
  }

  counted(): Units {
    const { images } = this.#answer;
    const body = viewOf(this.#answer.body);
    return withinHeld({ ...this.#rules.countAnswer(body, () => this.#json, this.#call), images }, this.#call.limits);
  }

  wasFiltered(): boolean {
    return isFiltered[this.#call.operation.dialect](this.#json);
  }

  get #json(): Json {
    return this.#answer.json ?? parseObject(viewOf(this.#answer.body).toString("utf8")) ?? {};
  }
}

/**
 * A complete response. A count of zero tokens for text is not accepted, unless the provider filtered it out; anyone who
 * asked for no output (to have a prompt scored) gets that.
 */
function completedUnits(
  rules: OutputRules,
  usage: ReportedUnits | null,
  limits: UsageLimits,
  content: Content,
): Measured {
  const isAskedForNone = limits.held.outputTokens === 0;
  if (usage !== null && usage.isOdd !== true && (isOutput(rules, usage) || isAskedForNone)) {
    const { units, isImplausible } = bookable(usage, limits);
    return { units, usageSource: "provider", isImplausible };
  }
  const own = content.counted();
  if (!isOutput(rules, own) && !isAskedForNone) {
    return free;
  }
  if (usage === null || usage.isOdd === true) {
    return { units: own, usageSource: "estimated", isImplausible: usage !== null };
  }
  return content.wasFiltered()
    ? { ...bookable(usage, limits), usageSource: "provider" }
    : { units: withOutput(usage, own, limits), usageSource: "estimated", isImplausible: true };
}

function isOutput({ isText }: OutputRules, { outputTokens }: Units): boolean {
  return outputTokens > 0 || !isText;
}

/** Whether any of an interrupted response was of use. */
function hasOutput({ outputTokens, inputTokens, audioMs, images }: Units): boolean {
  return outputTokens > 0 || inputTokens > 0 || audioMs > 0 || images > 0;
}

/**
 * Some providers respond with 200 and report the error in the body. A list without items may be a complete response.
 */
function formOf(json: Record<string, unknown>, list: string | null): AnswerForm {
  const hasError = json["object"] === "error" || Boolean(json["error"]);
  if (hasError && resultNames.every((name) => isEmpty(json[name]))) {
    return "error_event";
  }
  if (list === "choices" && hasFailedChoice(json[list])) {
    return "error_event";
  }
  return list === null || Array.isArray(json[list]) ? "answer" : "no_result";
}

/** The same for a response that has not been parsed yet. */
function formOfUnread(body: Bytes, list: string | null, isObject: boolean): AnswerForm {
  if (!isObject) {
    return list === null ? "answer" : isErrorList(viewOf(body)) ? "error_event" : "no_json";
  }
  const { packet, start } = partOf(body);
  // What comes after the body in its packet, which is rare, makes it be parsed for nothing.
  const mayHaveFailed = list === "choices" && packet.indexOf(errorName, start) !== -1;
  return mayHaveFailed ? formOf(parseObject(viewOf(body).toString("utf8")) ?? {}, list) : "answer";
}

/** As a name or a value: inside a string, its quotes would be escaped. */
const errorName = Buffer.from('"error"');

/** Whether a body that is not an object is a list with an error. */
function isErrorList(body: Buffer): boolean {
  try {
    const sent: unknown = JSON.parse(body.toString("utf8"));
    return Array.isArray(sent) && Boolean(asObject(firstOfList(sent))["error"]);
  } catch {
    return false;
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
