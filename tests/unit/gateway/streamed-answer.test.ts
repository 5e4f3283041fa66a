import { expect, test } from "bun:test";
import type { StreamClosing } from "@sluice/control-plane/gateway/respond/stream-events/stream-owner.ts";
import { type BegunStream, StreamedAnswer } from "@sluice/control-plane/gateway/streamed-answer.ts";
import { principal, setUpCallEnder } from "../../support/calls/call-ender-scene.ts";
import { channelOf } from "../../support/calls/channel-fixtures.ts";
import { operationOf } from "../../support/calls/operations.ts";

/** From now on this property throws when it is first read. */
function breakOnce(of: object, name: string): void {
  const value: unknown = Reflect.get(of, name);
  Object.defineProperty(of, name, {
    configurable: true,
    get: () => {
      Object.defineProperty(of, name, { value });
      throw new RangeError("broken");
    },
  });
}

test.each([
  ["measured", "bound"],
  ["settled", "clock"],
  ["noted", "observer"],
] as const)("a stream that can't be %s gives back what its call holds, and ends with an error", async (_, broken) => {
  const { ender, deps, state, leases, reports } = await setUpCallEnder(() => Promise.resolve());
  const channel = channelOf(1);
  const operation = operationOf("chat");
  const { request, bound } = state;
  const endpoint = channel.endpoints.get("chat");
  const plan = { operation, request, bound, endpoint, usageDialect: "chat", answers: null, names: null };
  const use = deps.loads.begin(channel, principal.gatewayUserId);
  const begun = { state, operation, use, plan, response: { status: 200 }, firstEventTick: 0 } as unknown as BegunStream;
  const settings = { streamStallTimeoutMs: 1_000, upstreamLimits: { afterAbort: { timeoutMs: 0, bytesMax: 0 } } };
  const own = { ...deps, ...settings } as typeof deps;
  const answer = new StreamedAnswer(own, ender, begun, "choices");
  answer.onPayload({ choices: [{ index: 0, delta: { content: "hi" } }] }, true);
  breakOnce({ bound: state, clock: deps, observer: own }[broken], broken);
  const closings: StreamClosing[] = [];
  answer.onEnding({ kind: "completed" }, (closing) => closings.push(closing));
  expect(closings.map(({ errorEvent }) => String(errorEvent))).toEqual([expect.stringContaining("internal_error")]);
  expect(leases.totals()).toMatchObject({ held: 0n, pending: 0n });
  expect(reports.map(([, { outcome, errorCode }]) => [outcome, errorCode])).toEqual([["failed", "internal_error"]]);
});
