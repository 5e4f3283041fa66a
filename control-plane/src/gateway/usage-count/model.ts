import type { Decimal } from "@sluice/contracts/money";
import type { Bytes } from "@sluice/http-client/packet-part";
import type { Units } from "../../models/units.ts";
import type { ParsedRequest } from "../model.ts";
import type { Operation } from "../operations/model.ts";
import type { UsageLimits } from "./judge-usage.ts";
import type { KnownTail } from "./known-tail.ts";
import type { UnitPrice } from "./sold-sound.ts";
import type { TextCount } from "./text-tokens.ts";
import type { ReportedUnits } from "./units.ts";
import type { UsageDialect } from "./usage-readers.ts";

/** What a call is charged for, and who counted it; `none` is free. */
export type Measured = {
  readonly units: Units;
  readonly usageSource: "provider" | "estimated" | "none";
  /** The provider reported more than is plausible, or not a count at all. */
  readonly isImplausible: boolean;
  /** What the provider says the call has cost it, in US dollars; absent if it does not say. */
  readonly providerCost?: Decimal;
};

/** A call with a provider's response, as far as needed to measure it. */
export type AnsweredCall = {
  /** The operation as the upstream performs it: its dialect is the upstream's. */
  readonly operation: Pick<Operation, "output" | "resultList" | "dialect">;
  /** How its usage is read; absent for that of the dialect. */
  readonly usageDialect?: UsageDialect;
  /** The end of its channel's last response. */
  readonly tail?: KnownTail;
  readonly request: ParsedRequest;
  readonly limits: UsageLimits;
  /** The model's price. */
  readonly price: UnitPrice;
};

/** The text of an event, and the place of the item of the response to which it adds; null if it belongs to none. */
export type EventText = TextCount & { readonly item: number | null };

/** The texts of some events together, which add to the same item, and how many of them have any. */
export type EventTexts = EventText & { readonly events: number };

/** Texts of delivered events that are summed where they are found, and counted only when someone asks. */
export type UnreportedTexts = { report(): void };

/** What reached the client, for a response without reported usage. */
export type Delivered = {
  /** Text, reasoning, arguments, code and anything else a model wrote, and its audio. */
  readonly outputTokens: number;
  readonly textBytes: number;
  readonly pictures: number;
  /** Results that are not text: vectors, images, ranks. */
  readonly items: number;
};

/** The properties by which a stream is measured. */
export type StreamedResponse = AnsweredCall & {
  /** Whether the stream was completed; `aborted` when the client left before its end. */
  readonly end: "completed" | "failed" | "aborted";
  /** The last usage reported by the provider, or null. */
  readonly reported: ReportedUnits | null;
  /** Text followed the usage report, so the report does not count everything. */
  readonly isReportEarly: boolean;
  /** The provider's content filter ended the stream. */
  readonly isFiltered: boolean;
  /** What the events of the stream delivered to the client. */
  readonly delivered: Delivered;
  /** What was sent to the client: the first pieces, and the total size. */
  readonly pieces: readonly Bytes[];
  readonly bytesSent: number;
};
