import type { EventType } from "@sluice/contracts/event-types";
import type { EventData } from "../../events/model.ts";

/** An event on its way, as the database has it. */
export type SentEvent = {
  readonly id: bigint;
  /** A random number in hexadecimal, which receivers know it by. */
  readonly publicId: string;
  readonly type: string;
  readonly occurredAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
  /** The account that it concerns, as admins know it; null for the service itself. */
  readonly userId: bigint | null;
  /** How many events with the same cause it represents. */
  readonly count: number;
};

/** A message to people, as plain text. */
export type EventText = { readonly title: string; readonly lines: readonly string[] };

const valueLengthMax = 200;

/** One line, without control characters, and bounded: the texts come from settings of the operator and from payments. */
const shown = (value: string | number): string =>
  String(value)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
    .slice(0, valueLengthMax)
    .toWellFormed();

type Sentences = { readonly [Type in EventType]: (data: EventData[Type]) => EventText };

const whichChannel = (channel: string | null): string =>
  channel === null ? "all channels together" : `channel ${shown(channel)}`;

const sentences: Sentences = {
  "key.created": (data) => ({
    title: "An API key was created",
    lines: [
      `Key ${shown(data.key_id)}, ending in ${shown(data.key_last_four)}`,
      ...(data.rotated_from_id === null ? [] : [`It replaces key ${shown(data.rotated_from_id)}.`]),
    ],
  }),
  "balance.low": (data) => ({
    title: "A balance is low",
    lines: [`Less than ${shown(data.threshold_percent)} % of the last top-up is left: ${shown(data.balance_usd)} USD`],
  }),
  "payment.settled": (data) => ({
    title: "A payment was settled",
    lines: [`Order ${shown(data.order_no)}: ${shown(data.amount)} ${shown(data.currency)}`],
  }),
  "channel.down": (data) => ({
    title: `Channel ${shown(data.channel)} is down`,
    lines: [
      `${shown(data.failures)} tests in a row failed${data.http_status === null ? "" : `, the last with status ${shown(data.http_status)}`}. It gets no calls until a test succeeds.`,
    ],
  }),
  "channel.recovered": (data) => ({
    title: `Channel ${shown(data.channel)} is back`,
    lines: ["A test succeeded; it gets calls again."],
  }),
  "error_rate.high": (data) => ({
    title: `Many calls fail on ${whichChannel(data.channel)}`,
    lines: [
      `${shown(data.failed)} of ${shown(data.attempts)} attempts of the last ${shown(data.minutes)} minutes failed: ${shown(data.percent)} %`,
    ],
  }),
  "error_rate.recovered": (data) => ({
    title: `Fewer calls fail on ${whichChannel(data.channel)}`,
    lines: [
      `${shown(data.failed)} of ${shown(data.attempts)} attempts of the last ${shown(data.minutes)} minutes failed.`,
    ],
  }),
  "money_check.violated": (data) => ({
    title: "The money check found violations",
    lines: [
      `${shown(data.violations)} rows violate: ${data.invariants.map(shown).join(", ")}`,
      "Run the command `audit` for details.",
    ],
  }),
  "money_check.passed": () => ({ title: "The money check passes again", lines: [] }),
  "node.lost": (data) => ({
    title: `Exit node ${shown(data.node)} is lost`,
    lines: [data.failure === null ? "Its checks fail." : `Its checks fail: ${shown(data.failure)}`],
  }),
  "node.recovered": (data) => ({
    title: `Exit node ${shown(data.node)} is back`,
    lines: ["Its checks succeed again."],
  }),
};

/** Says in English what happened. */
export function describeEvent(event: SentEvent): EventText {
  const { type, data, userId, count, occurredAt } = event;
  const known = Object.hasOwn(sentences, type) ? (sentences[type as EventType] as (data: unknown) => EventText) : null;
  const { title, lines } = known?.(data) ?? { title: type === "test" ? "This is a test" : shown(type), lines: [] };
  return {
    title,
    lines: [
      ...lines,
      ...(userId === null ? [] : [`User ${userId}`]),
      ...(count > 1 ? [`${count} messages about this were merged; this is the newest.`] : []),
      `${occurredAt.toISOString().slice(0, 19).replace("T", " ")} UTC`,
    ],
  };
}
