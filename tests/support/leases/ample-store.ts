import type { Quota } from "@sluice/contracts/money";
import type { LeaseStore } from "@sluice/control-plane/gateway/quota/model.ts";

const plenty = 10n ** 15n;

/** Lends whatever is asked for. */
export function ampleStore(): LeaseStore {
  return {
    lease: async ({ want }) => ({
      leasedNow: want as Quota,
      remainingAfter: plenty as Quota,
      recall: 0n,
      isRecallAnswered: true,
    }),
    giveBack: async () => undefined,
    readRemainders: async () => [{ limit: null, whole: 0n as Quota, free: 0n as Quota }],
    readLease: async () => plenty as Quota,
    listLeases: async () => new Map(),
  };
}
