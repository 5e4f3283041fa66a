import type { ChannelId, GatewayUserId } from "@sluice/contracts/ids";
import type { RateBucket } from "../../platform/rate-bucket.ts";
import { FailureWindow } from "./failure-window.ts";
import { Pauses } from "./pauses.ts";
import { Witnesses } from "./witnesses.ts";

/** What this replica has observed of one channel. */
export type Load = {
  /** The id of the channel as rows have it. */
  readonly idText: string;
  inFlight: number;
  requests: RateBucket | null;
  readonly pauses: Pauses;
  /** The time from which the open circuit lets a probe through; 0 while the circuit is closed. */
  openUntilTick: number;
  /** The customer that the open circuit blocks; null for all. */
  openFor: GatewayUserId | null;
  /** A probe is under way: one call that an open circuit lets through, to see whether the channel is back. */
  isProbing: boolean;
  readonly window: FailureWindow;
  /** The customers whose calls failed. */
  readonly failing: Witnesses;
  /** Calls since the channel's traffic was last read. */
  calls: number;
  failures: number;
  lastFailure: string | null;
  wasTakenOpen: boolean;
};

export function newLoad(id: ChannelId): Load {
  return {
    idText: String(id),
    inFlight: 0,
    requests: null,
    pauses: new Pauses(),
    openUntilTick: 0,
    openFor: null,
    isProbing: false,
    window: new FailureWindow(),
    failing: new Witnesses(),
    calls: 0,
    failures: 0,
    lastFailure: null,
    wasTakenOpen: false,
  };
}

/** Whether the circuit keeps calls of the customer away, except for a probe. */
export function isCircuitOpen(load: Load, customer: GatewayUserId): boolean {
  return load.openUntilTick > 0 && (load.openFor === null || load.openFor === customer);
}
