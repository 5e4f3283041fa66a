import { expect, test } from "bun:test";
import type { ChannelId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import { type CallRows, type CallsSummary, callForms } from "@sluice/control-plane/compose/call-rows.ts";
import type { Ending } from "@sluice/control-plane/gateway/dispatch/forward.ts";
import type { AdmittedCall, CallEnd, CallReport, GatewayResponse } from "@sluice/control-plane/gateway/model.ts";
import { type CallWork, RunningCall } from "@sluice/control-plane/gateway/running-call.ts";
import type { RequestPlan } from "@sluice/control-plane/gateway/upstreams/plan-request.ts";
import { type Outcome, WholeAnswers } from "@sluice/control-plane/gateway/whole-answer.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { StorageUnavailableError } from "@sluice/control-plane/platform/spool/errors.ts";
import {
  linesOf,
  parseLine,
  RowCollector,
  type RowWaiter,
  type SpoolEntry,
} from "@sluice/control-plane/platform/spool/model.ts";
import { RelayedReport } from "@sluice/control-plane/relay/relayed-report.ts";
import type { RecordedCall, UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import type { HttpResponse } from "@sluice/http-client/model";
import { viewOf } from "@sluice/http-client/packet-part";
import { model, price, principal, setUpCallEnder } from "../../support/calls/call-ender-scene.ts";
import { channelOf } from "../../support/calls/channel-fixtures.ts";
import { operationOf } from "../../support/calls/operations.ts";

const end = {
  outcome: "completed",
  httpStatus: 200,
  errorCode: null,
  units: { ...noUnits, inputTokens: 10, outputTokens: 5 },
  usageSource: "provider",
} as const;

test("a call whose usage can't be recorded counts as failed in its trace and its metrics, and costs nothing", async () => {
  const lost = () => Promise.reject(new StorageUnavailableError("the disk is full"));
  const { ender, state, leases, reports, firstUses, counted } = await setUpCallEnder(lost);
  const problem = await ender.settle(state, end, 503).catch((error: { code: string }) => error.code);
  expect(problem).toBe("storage_unavailable");
  expect(reports.map(([kind, { outcome }]) => [kind, outcome])).toEqual([
    ["first", "completed"],
    ["correction", "failed"],
  ]);
  expect(reports[1]?.[1]).toMatchObject({
    errorCode: "storage_unavailable",
    httpStatus: 503,
    inputTokens: 0,
    outputTokens: 0,
  });
  expect(await counted()).toEqual(['sluice_requests_total{outcome="failed",code="storage_unavailable",model="m"} 1']);
  expect(leases.totals()).toMatchObject({ held: 0n, pending: 0n });
  expect(firstUses).toEqual([]);
});

test("a call whose row is lost hears of it, even if its corrected report fails", async () => {
  const { ender, deps, state, leases } = await setUpCallEnder(() => Promise.resolve());
  const broken = () => {
    throw new RangeError("broken");
  };
  Object.assign(state.call, { onUnrecorded: broken });
  const waiters: RowWaiter[] = [];
  Object.assign(deps.usage, { append: (_: UsageRow, waiter: RowWaiter) => waiters.push(waiter) });
  const failures: unknown[] = [];
  ender.settleThen(state, end, 503, { onSettled: () => undefined, onFailed: (error) => failures.push(error) });
  expect(() => waiters[0]?.onLost(new StorageUnavailableError("the disk is full"))).toThrow("broken");
  expect(failures).toMatchObject([{ code: "storage_unavailable" }]);
  expect(leases.totals()).toMatchObject({ held: 0n, pending: 0n });
});

test("a call whose usage is recorded is reported once, in the tick in which its row is appended", async () => {
  const written = Promise.withResolvers<void>();
  const { ender, state, reports, firstUses, counted, leases } = await setUpCallEnder(() => written.promise);
  const settled = ender.settle(state, end, 503);
  expect(reports.map(([kind, { outcome }]) => [kind, outcome])).toEqual([["first", "completed"]]);
  expect(await counted()).toEqual([]);
  written.resolve();
  await settled;
  expect(reports).toHaveLength(1);
  expect(await counted()).toEqual(['sluice_requests_total{outcome="completed",code="",model="m"} 1']);
  expect(leases.totals().pending).toBeGreaterThan(0n);
  expect(firstUses).toEqual([principal.apiKeyId]);
});

test.each<[string, Partial<CallEnd>, Partial<AdmittedCall> & { path?: string }]>([
  ["an ordinary call", {}, {}],
  ["an implausible usage", { isImplausible: true, cacheBasisPoints: 1_000, providerCost: "0.000135" as Decimal }, {}],
  ["another model and labels", {}, { askedModel: "other", labels: { endUser: "ada", tags: ["team=search"] } }],
  ["a long path", {}, { path: `/v1/${"p".repeat(300)}` }],
])("the rows of %s are recorded from its parts as they are as objects", async (_, ending, { path, ...changes }) => {
  const { ender, deps, state } = await setUpCallEnder(() => Promise.resolve());
  const attempt = { channelId: "3", channel: "first", startedAtMs: 1, durationMs: 5, status: 200, result: "answered" };
  Object.assign(state.call, { headers: new Headers({ "user-agent": "test" }), path: path ?? state.call.path });
  Object.assign(state, { attempts: [attempt], channelId: 3n as ChannelId, firstByteMs: 4, ...changes });
  const entries: SpoolEntry<CallRows>[] = [];
  Object.assign(deps.usage, { append: (row: RecordedCall) => entries.push({ kind: "usage", row }) });
  Object.assign(state.call, {
    onReport: (report: CallReport) =>
      entries.push({ kind: "trace", row: new RelayedReport(state.call, report, "stored") }),
  });
  ender.settleThen(state, { ...end, ...ending }, 200, { onSettled: () => undefined, onFailed: () => undefined });
  const read = (rows: readonly SpoolEntry<CallRows>[]) => {
    const collector = new RowCollector<CallRows, CallsSummary>(callForms);
    for (const row of rows) {
      collector.add(row);
    }
    return linesOf([collector.text]).flatMap((line) => parseLine(callForms, line));
  };
  const objects = entries.map(({ kind, row }) => ({ kind, row: "toRow" in row ? row.toRow() : row }));
  expect(entries).toHaveLength(2);
  expect(read(entries)).toEqual(read(objects as SpoolEntry<CallRows>[]));
});

test("a call without a result costs nothing, not even the price of a request", async () => {
  const { ender, state, leases } = await setUpCallEnder(() => Promise.resolve());
  const dear = { ...state, model: { ...model, price: { ...price, request: 100_000_000n } } } as AdmittedCall;
  await ender.settle(dear, { ...end, outcome: "failed", units: noUnits, usageSource: "none" });
  expect(leases.totals()).toMatchObject({ held: 0n, pending: 0n });
});

test("a refused call gives back what it held, once, and a settled one stays settled", async () => {
  let rows = 0;
  const written = () => {
    rows += 1;
    return Promise.resolve();
  };
  const refused = await setUpCallEnder(written);
  for (let time = 0; time < 2; time += 1) {
    refused.ender.refuse(refused.state, new AppError("no_upstream"));
    expect(refused.leases.totals()).toMatchObject({ held: 0n, pending: 0n });
  }
  expect([rows, refused.reports.length]).toEqual([1, 1]);

  const settled = await setUpCallEnder(written);
  await settled.ender.settle(settled.state, end);
  const before = settled.leases.totals();
  settled.ender.refuse(settled.state, new AppError("client_closed_request"));
  expect(settled.leases.totals()).toEqual(before);
  expect([rows, settled.reports.length]).toEqual([2, 1]);
});

/** Needs itself, as the endings of calls do. */
class KeptEnding implements Ending<Outcome> {
  readonly #ended = Promise.withResolvers<Outcome>();
  readonly outcome = this.#ended.promise;

  resolve(outcome: Outcome | Promise<Outcome>): void {
    this.#ended.resolve(outcome);
  }

  reject(error: unknown): void {
    this.#ended.reject(error);
  }
}

/** An attempt at a channel, and its response, which comes whole. */
function answeredAttempt(
  { deps, state }: Pick<Awaited<ReturnType<typeof setUpCallEnder>>, "deps" | "state">,
  bytes: () => Uint8Array | Promise<Uint8Array>,
) {
  const channel = channelOf(1);
  const operation = operationOf("chat");
  const { request, bound } = state;
  const endpoint = channel.endpoints.get("chat");
  const names = { answers: null, names: null, dropped: null };
  const plan = { operation, request, bound, endpoint, usageDialect: "chat", ...names } as unknown as RequestPlan;
  const body = { contentLength: null, bytesNow: bytes, cancel: () => undefined } as unknown as HttpResponse["body"];
  const use = deps.loads.begin(channel, principal.gatewayUserId);
  const headers = [["content-type", "application/json"]] as const;
  return { attempt: { state, use, plan }, response: { status: 200, headers, body } };
}

/** What becomes of a response that comes whole, in its own time. */
async function collected(append: () => Promise<void>, bytes: () => Uint8Array | Promise<Uint8Array>): Promise<Outcome> {
  const { ender, ...rig } = await setUpCallEnder(append);
  const { attempt, response } = answeredAttempt(rig, bytes);
  const ending = new KeptEnding();
  new WholeAnswers(rig.deps, ender).collect(attempt, response, ending);
  return await ending.outcome;
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const reply = { choices: [{ index: 0, message: { content: "hi" }, finish_reason: "stop" }], usage };
const whole = Buffer.from(JSON.stringify(reply));

test("a whole response is released once its row is recorded, and an error if its row is lost or it can't be read", async () => {
  const written = () => Promise.resolve();
  const lost = () => Promise.reject(new StorageUnavailableError("the disk is full"));
  const broken = () => Promise.reject(new RangeError("broken"));
  expect(await collected(written, () => whole)).toMatchObject({ status: 200, body: whole });
  await expect(collected(lost, () => whole)).rejects.toMatchObject({ code: "storage_unavailable" });
  await expect(collected(lost, () => Promise.resolve(whole))).rejects.toMatchObject({ code: "storage_unavailable" });
  await expect(collected(written, broken)).rejects.toThrow("broken");
});

test("a call whose report fails has its response all the same: the provider's, or its refusal", async () => {
  const broken = () => {
    throw new RangeError("broken");
  };
  const answered = await setUpCallEnder(() => Promise.resolve());
  Object.assign(answered.state.call, { onReport: broken });
  await answered.ender.settle(answered.state, end);
  expect(await answered.counted()).toEqual(['sluice_requests_total{outcome="completed",code="",model="m"} 1']);
  const refused = await setUpCallEnder(() => Promise.resolve());
  Object.assign(refused.state.call, { onReport: broken });
  refused.ender.refuse(refused.state, new AppError("no_upstream"));
  expect(refused.leases.totals()).toMatchObject({ held: 0n, pending: 0n });
});

test("a call that has been refused after an exception is not settled as well, whatever its stream still does", async () => {
  const { ender, state, leases, reports } = await setUpCallEnder(() => Promise.resolve());
  ender.refuse(state, new AppError("internal_error"));
  await expect(ender.settle(state, end)).rejects.toThrow("ended already");
  expect(leases.totals()).toMatchObject({ held: 0n, pending: 0n });
  expect(reports).toHaveLength(1);
});

test("what was kept of a response is there for its report, and given to other calls after that", async () => {
  const { ender, state } = await setUpCallEnder(() => Promise.resolve());
  const sent = Buffer.from("data: {}\n\n");
  state.capture.keepPart(sent, 0, sent.length);
  const reported: string[] = [];
  Object.assign(state.call, {
    onReport: ({ responsePieces }: CallReport) => reported.push(Buffer.concat(responsePieces.map(viewOf)).toString()),
  });
  await ender.settle(state, end);
  expect(reported).toEqual([sent.toString()]);
  expect(state.capture.pieces).toEqual([]);
});

/** A call on its way to a receiver, whose refusals are kept. */
function running(
  { state }: Pick<Awaited<ReturnType<typeof setUpCallEnder>>, "state">,
  finish: (answer: GatewayResponse) => GatewayResponse,
  onAnswer: (answer: GatewayResponse) => void,
) {
  const refusals: unknown[] = [];
  const work = {
    finish: (_: unknown, __: unknown, answer: GatewayResponse) => finish(answer),
    refuse: (_: unknown, thrown: unknown) => {
      refusals.push(thrown);
      return { status: 500, headers: {}, body: null };
    },
  } as unknown as CallWork;
  return { call: new RunningCall(work, state, operationOf("chat"), { onAnswer }), refusals };
}

test("a call whose receiver fails has one response, so that none is left for the next call of its connection", async () => {
  const { ender, deps, state } = await setUpCallEnder(() => Promise.resolve());
  const answers: number[] = [];
  const { call, refusals } = running(
    { state },
    (answer) => answer,
    ({ status }) => {
      answers.push(status);
      throw new RangeError("broken");
    },
  );
  const { attempt, response } = answeredAttempt({ deps, state }, () => whole);
  new WholeAnswers(deps, ender).collect(attempt, response, call);
  await Promise.resolve();
  expect(refusals).toEqual([new RangeError("broken")]);
  expect(answers).toEqual([200]);
});

test("a call whose response can't be finished is refused", async () => {
  const answers: number[] = [];
  const fail = () => {
    throw new RangeError("broken");
  };
  const { call, refusals } = running(await setUpCallEnder(() => Promise.resolve()), fail, ({ status }) =>
    answers.push(status),
  );
  const answered = Promise.resolve({ status: 200, headers: {}, body: null });
  call.resolve(answered);
  await answered;
  await Promise.resolve();
  expect([refusals, answers]).toEqual([[new RangeError("broken")], [500]]);
});
