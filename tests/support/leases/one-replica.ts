import type { Quota } from "@sluice/contracts/money";
import { QuotaLeases } from "@sluice/control-plane/gateway/quota/leases.ts";
import type { LeaseStore } from "@sluice/control-plane/gateway/quota/model.ts";
import { LeaseTerm } from "@sluice/control-plane/gateway/quota/term.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { passTime } from "../values/fake-time.ts";
import { type Fate, LeaseLedger } from "./lease-ledger.ts";

export const termMs = 60_000;
const log = createLog("error", () => undefined);

/** One replica on a ledger, over a network whose state a test sets. @param own what its store does itself */
export function oneReplica(granted: bigint, own: Partial<LeaseStore> = {}) {
  const network = {
    next: "answered" as Fate,
    delay: 1,
    fate: () => network.next,
    delayMs: () => network.delay,
    lateMs: () => 0,
  };
  const ledger = new LeaseLedger(
    granted,
    () => undefined,
    () => undefined,
  );
  const term = new LeaseTerm(termMs);
  const leases = new QuotaLeases({ ...ledger.storeOf("one", network), ...own }, term, systemClock, log);
  const renew = () => leases.renew(performance.now(), ledger.renew("one", term));
  renew();
  return { network, ledger, leases, renew };
}

/** The answer, after so much time has passed. */
export async function answerOf<T>(answer: T | Promise<T>, ms = 100): Promise<T> {
  const settled = Promise.resolve(answer);
  await passTime(ms);
  return await settled;
}

/** An amount of quota. */
export const q = (amount: bigint): Quota => amount as Quota;
