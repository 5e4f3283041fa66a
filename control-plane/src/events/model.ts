import type { EventType } from "@sluice/contracts/event-types";
import type { GatewayUserId } from "@sluice/contracts/ids";

/** What each event says beside its type and time. Amounts are text. No event has prompts, or names chosen by users. */
export type EventData = {
  readonly "key.created": {
    readonly key_id: string;
    readonly key_last_four: string;
    readonly rotated_from_id: string | null;
  };
  readonly "balance.low": { readonly threshold_percent: number; readonly balance_usd: string; readonly quota: string };
  readonly "payment.settled": {
    readonly order_no: string;
    readonly amount: string;
    readonly currency: string;
    readonly quota: string;
  };
  readonly "channel.down": {
    readonly channel_id: string;
    readonly channel: string;
    readonly failures: number;
    readonly http_status: number | null;
  };
  readonly "channel.recovered": { readonly channel_id: string; readonly channel: string };
  readonly "error_rate.high": ErrorRate;
  readonly "error_rate.recovered": ErrorRate;
  readonly "money_check.violated": { readonly violations: number; readonly invariants: readonly string[] };
  readonly "money_check.passed": Readonly<Record<string, never>>;
  readonly "node.lost": { readonly node: string; readonly failure: string | null };
  readonly "node.recovered": { readonly node: string };
};

type ErrorRate = {
  /** Null for all channels together. */
  readonly channel_id: string | null;
  readonly channel: string | null;
  readonly attempts: number;
  readonly failed: number;
  readonly percent: number;
  readonly minutes: number;
};

export type NewEvent<Type extends EventType = EventType> = {
  readonly type: Type;
  /** The account that it concerns, which gets it too; null for the service itself. */
  readonly gatewayUserId: GatewayUserId | null;
  /** What happened to whom, such as `channel:17`: messages to people about one cause are merged for a while. */
  readonly cause: string;
  readonly data: EventData[Type];
};

/** Called at the commit of every transaction that left something to deliver. */
export const eventChannel = "events";
