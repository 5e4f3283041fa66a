import { expect, test } from "bun:test";
import type { AdmittedCall } from "@sluice/control-plane/gateway/model.ts";
import { ResponseCache } from "@sluice/control-plane/gateway/response-cache/response-cache.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";

const state = {
  call: { path: "/v1/chat/completions", query: "", headers: new Headers() },
  principal: { gatewayUserId: 1n, groupName: "default" },
  request: { model: "asked", dropped: null, body: Buffer.from("{}"), plainBody: null, bounds: {} },
  exitNodes: null,
} as unknown as AdmittedCall;

const measured = { units: noUnits, usageSource: "provider", isImplausible: false } as const;

test("a response is forgotten when a call finds the cache off, before its clearing is known", () => {
  let isOn = true;
  const cache = new ResponseCache({
    rules: () => ({
      isOn,
      basisPoints: 0,
      lifetimeSeconds: 60,
      lifetimeSecondsMax: 60,
      memoryBytesMax: 1_000_000,
      answerBytesMax: 1_000,
      isSharedByUsers: false,
    }),
    generation: () => 0n,
    secret: new Uint8Array(32),
    shared: null,
    clock: systemClock,
    observer: { onLookup: () => undefined, onKept: () => undefined, onEvicted: () => undefined },
  });
  const open = () => cache.open(state, { isRepeatable: true });
  const first = open();
  const recording = first === null ? null : cache.record(first, "asked");
  recording?.add(Buffer.from("an answer"));
  recording?.settle({ headers: {}, isStream: false, model: "asked", measured });
  recording?.finish();
  expect(cache.size).toBe(1);
  isOn = false;
  expect(open()).toBeNull();
  isOn = true;
  expect(cache.size).toBe(0);
});
