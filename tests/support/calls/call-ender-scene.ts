import type { ApiKeyId, GatewayUserId, RequestId } from "@sluice/contracts/ids";
import type { Decimal, Quota } from "@sluice/contracts/money";
import { CallEnder } from "@sluice/control-plane/gateway/call-ender.ts";
import { newCallState } from "@sluice/control-plane/gateway/call-state.ts";
import { ChannelLoads } from "@sluice/control-plane/gateway/channels/channel-load.ts";
import { KeyLimits } from "@sluice/control-plane/gateway/keys/key-limits.ts";
import { GatewayMetrics } from "@sluice/control-plane/gateway/metrics.ts";
import type { AdmittedCall, CallReport, Principal } from "@sluice/control-plane/gateway/model.ts";
import type { PipelineDeps } from "@sluice/control-plane/gateway/pipeline-deps.ts";
import { QuotaLeases } from "@sluice/control-plane/gateway/quota/leases.ts";
import { LeaseTerm } from "@sluice/control-plane/gateway/quota/term.ts";
import { toPriceVersion } from "@sluice/control-plane/models/model.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import type { RowWaiter } from "@sluice/control-plane/platform/spool/model.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { Registry } from "prom-client";
import { LeaseLedger, onlyBudget } from "../leases/lease-ledger.ts";
import { defaultCallSettings } from "./call-settings.ts";

const log = createLog("error", () => undefined);
const network = { fate: () => "answered" as const, delayMs: () => 0, lateMs: () => 0 };
const amount = 100n as Quota;
export const price = toPriceVersion({
  version: 1,
  input_usd_per_m: "1",
  output_usd_per_m: "1",
  cache_read_usd_per_m: null,
  cache_write_usd_per_m: null,
  reasoning_usd_per_m: null,
  request_usd: "0",
  image_usd: "0",
  second_usd: "0",
  cache_write_1h_usd_per_m: null,
  search_usd_per_k: "0",
  long_prompt: null,
});
export const model = {
  name: "m",
  ownedBy: "test",
  kind: "chat",
  createdAt: 0,
  contextTokensMax: 1,
  outputTokensMax: 1,
  imageTokensMax: 0,
  deprecatedAtMs: null,
  sunsetAtMs: null,
  replacement: null,
  lifeHeaders: null,
  price,
};
export const principal: Principal = {
  userId: null,
  gatewayUserId: 1n as GatewayUserId,
  apiKeyId: 2n as ApiKeyId,
  groupName: "default",
  hasGroup: true,
  rightsEndAtMs: null,
  groupLimits: null,
  accountLimits: null,
  isUserEnabled: true,
  keyStatus: "active",
  lockReason: null,
  ...defaultCallSettings,
  isPayloadTraced: false,
  isFirstUse: true,
  rateMultiplier: "1.0000" as Decimal,
  userBudgetId: onlyBudget,
  keyBudgetId: null,
  sharedBudgetIds: [],
  limitKeyId: 2n as ApiKeyId,
};

/** A call that a provider answered, whose row can or can't be written, and what ends it. */
export async function setUpCallEnder(append: () => Promise<void>) {
  const ledger = new LeaseLedger(
    1_000n,
    () => undefined,
    () => undefined,
  );
  const term = new LeaseTerm(60_000);
  const leases = new QuotaLeases(ledger.storeOf("one", network), term, systemClock, log);
  leases.renew(systemClock.tick(), ledger.renew("one", term));
  const registry = new Registry();
  const reports: [kind: string, report: CallReport][] = [];
  const firstUses: ApiKeyId[] = [];
  const limits = new KeyLimits(systemClock, null);
  const deps = {
    leases,
    limits,
    log,
    clock: systemClock,
    observer: new GatewayMetrics(registry),
    usage: {
      append: (_row: UsageRow, waiter: RowWaiter) => {
        append().then(
          () => waiter.onWritten(),
          (error: unknown) => waiter.onLost(error),
        );
      },
      isAccepting: () => true,
    },
    loads: new ChannelLoads(systemClock, { onRefused: () => undefined, onAccepted: () => undefined }),
    onFirstUse: (id: ApiKeyId) => firstUses.push(id),
  } as unknown as PipelineDeps;
  const held = await leases.hold(onlyBudget, amount);
  if (held !== "held") {
    throw new Error(`the quota of the call is ${held}`);
  }
  limits.begin(principal);
  const call = {
    requestId: Bun.randomUUIDv7() as RequestId,
    method: "POST",
    path: "/v1/chat/completions",
    query: "",
    headers: new Headers(),
    clientIp: "127.0.0.1",
    signal: new AbortController().signal,
    startedAtMs: Date.now(),
    startedTick: systemClock.tick(),
    readBody: () => Promise.resolve(new Uint8Array()),
    onReport: (report: CallReport) => reports.push(["first", report]),
    onUnrecorded: (report: CallReport) => reports.push(["correction", report]),
  };
  const hold = {
    userBudgetId: onlyBudget,
    userAmount: amount,
    keyBudgetId: null,
    keyAmount: 0n as Quota,
    sharedBudgetIds: [],
  };
  const bounds = { outputTokensMax: null, outputImages: 0, choices: 1, inputImages: 0 };
  const request = { model: "m", isStream: false, body: new Uint8Array(), bounds };
  const bound = { ...noUnits, inputTokens: 100, outputTokens: 100 };
  const admitted = { principal, model, request, bound, hold, isLimited: true };
  const state = Object.assign(newCallState(call, null), admitted) as unknown as AdmittedCall;
  const counted = async (): Promise<string[]> => {
    const text = await registry.getSingleMetricAsString("sluice_requests_total");
    return text.split("\n").filter((line) => line.startsWith("sluice_requests_total{"));
  };
  return { ender: new CallEnder(deps), deps, state, leases, reports, firstUses, counted };
}
