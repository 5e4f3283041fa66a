import type { ChannelTest } from "@sluice/contracts/catalog-admin";
import { recordEvent } from "../../../events/service.ts";
import type { Transaction } from "../../../platform/db.ts";
import { AppError } from "../../../platform/errors.ts";
import type { Log } from "../../../platform/log.ts";
import { type ChannelTestDeps, testChannel } from "../test-channel.ts";
import {
  type DueProbe,
  listDueProbes,
  lockProbeState,
  type ProbeResult,
  type ProbeState,
  saveProbe,
} from "./probe-store.ts";

export type ChannelProbeDeps = ChannelTestDeps & { readonly log: Log };

/** This many failed tests in a row rest a channel. */
const failuresMax = 3;
/** Below the limit of our own concurrent requests. */
const lanes = 3;
const probesPerRun = 60;
/** A run starts no test after this time; the next run starts a minute after this one. */
const runMsMax = 30_000;

/** Tests the channels whose time has come, a few at a time. Nobody is charged; the provider bills the operator. */
export async function probeChannels(deps: ChannelProbeDeps): Promise<void> {
  const due = await listDueProbes(deps.db, probesPerRun);
  const deadline = performance.now() + runMsMax;
  const next = due.values();
  const lane = async (): Promise<void> => {
    for (const probe of next) {
      if (performance.now() > deadline) {
        return;
      }
      await probeChannel(deps, probe);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function probeChannel(deps: ChannelProbeDeps, probe: DueProbe): Promise<void> {
  const { result, blame } = await testOnce(deps, probe);
  const { before, after } = await deps.db.withTransaction(async (tx) => {
    const earlier = await lockProbeState(tx, probe.id);
    const later = stateAfter(earlier, blame);
    await saveProbe(tx, probe.id, result, later);
    await report(tx, probe, { before: earlier, after: later, httpStatus: result.httpStatus });
    return { before: earlier, after: later };
  });
  const seen = { channel: probe.name, failures: after.failedInRow, httpStatus: result.httpStatus };
  if (after.isRested && !before.isRested) {
    deps.log.error("channel.rested", seen);
  } else if (before.isRested && !after.isRested) {
    deps.log.info("channel.recovered", seen);
  }
}

/** A channel that rests, or that gets calls again, is an event. */
async function report(
  tx: Transaction,
  { id, name: channel }: DueProbe,
  seen: { readonly before: ProbeState; readonly after: ProbeState; readonly httpStatus: number | null },
): Promise<void> {
  const { before, after, httpStatus: http_status } = seen;
  const about = { gatewayUserId: null, cause: `channel:${id}` };
  const data = { channel_id: id.toString(), channel };
  if (after.isRested && !before.isRested) {
    const failures = after.failedInRow;
    await recordEvent(tx, { type: "channel.down", ...about, data: { ...data, failures, http_status } });
  } else if (before.isRested && !after.isRested) {
    await recordEvent(tx, { type: "channel.recovered", ...about, data });
  }
}

/** What a test says about its channel: that it works, that it does not, or nothing. */
type Blame = "works" | "fails" | "unclear";

async function testOnce(
  deps: ChannelTestDeps,
  { id, model }: DueProbe,
): Promise<{ readonly result: ProbeResult; readonly blame: Blame }> {
  try {
    const test = await testChannel(deps, { channel_id: id, ...(model === null ? {} : { model }) });
    const { is_ok: isOk, http_status: httpStatus, latency_ms: latencyMs, error } = test;
    return { result: { model: test.model, isOk, httpStatus, latencyMs, error }, blame: blameOf(test) };
  } catch (thrown) {
    if (!(thrown instanceof AppError)) {
      throw thrown;
    }
    // It was not sent: the settings do not allow it, or too many tests are running.
    const [problem = thrown.message] = Object.values(thrown.fields ?? {});
    const result = { model: model ?? "", isOk: false, httpStatus: null, latencyMs: 0, error: problem };
    return { result, blame: "unclear" };
  }
}

/** A limit passes by itself, and a refused request may be the fault of our test. */
export function blameOf({ is_ok: isOk, http_status: status }: Pick<ChannelTest, "is_ok" | "http_status">): Blame {
  if (isOk) {
    return "works";
  }
  const isRefusal = status !== null && status >= 400 && status < 500;
  const isAccount = status === 401 || status === 402 || status === 403;
  return isRefusal && !isAccount ? "unclear" : "fails";
}

/** What a test leads to: enough failures in a row rest the channel, and one success brings it back. */
export function stateAfter(before: ProbeState, blame: Blame): ProbeState {
  if (blame === "unclear") {
    return before;
  }
  const failedInRow = blame === "works" ? 0 : before.failedInRow + 1;
  return { failedInRow, isRested: blame === "fails" && (before.isRested || failedInRow >= failuresMax) };
}
