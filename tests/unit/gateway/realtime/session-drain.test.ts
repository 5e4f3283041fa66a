import { expect, test } from "bun:test";
import { RealtimeSession } from "@sluice/control-plane/gateway/realtime/session.ts";
import type { SessionDeps } from "@sluice/control-plane/gateway/realtime/session-deps.ts";
import type { Frame, FrameListener } from "@sluice/control-plane/platform/websocket/model.ts";

const done = JSON.stringify({ type: "response.done", response: { id: "r1", status: "completed" } });

test("a session that drains delivers the end of its response, which the books already have, before it ends", async () => {
  const settled = Promise.withResolvers<number>();
  const running = new Set(["r1"]);
  const sent: Frame[] = [];
  let provider: FrameListener | null = null;
  let isClosed = false;
  const closed = Promise.withResolvers<void>();
  const client = {
    send: (frame: Frame) => sent.push(frame),
    close: () => {
      isClosed = true;
      closed.resolve();
    },
    backlogBytes: () => 0,
  };
  const nothing = (): null => null;
  const deps = {
    clock: { tick: () => 0, now: () => 0 },
    limits: { use: nothing, end: nothing, noteResponse: nothing, noteUnpaid: nothing },
    loads: { end: nothing },
    log: { error: nothing },
    use: { credential: null },
    state: {
      principal: {},
      model: { name: "m" },
      firstByteMs: null,
      call: { startedTick: 0, onReport: nothing, requestId: "r" },
      capture: { release: nothing, add: nothing, keep: nothing },
    },
    upstream: {
      listen: (listener: FrameListener) => {
        provider = listener;
      },
      close: nothing,
      pause: nothing,
      resume: nothing,
    },
    funds: { take: () => ({}), keep: () => Promise.resolve(), close: nothing },
    books: {
      get running() {
        return running.size;
      },
      hasEnded: () => false,
      end: (id: string) => {
        running.delete(id);
        return settled.promise;
      },
      close: () => Promise.resolve(),
      totals: {},
    },
    sessionLimits: {
      totalTimeoutMs: 1,
      idleTimeoutMs: 1,
      recheckMs: 1,
      drainTimeoutMs: 1,
      pingMs: 1,
      stallTimeoutMs: 1,
    },
    onOver: nothing,
  } as unknown as SessionDeps;
  const session = new RealtimeSession(deps);
  session.onOpen(client as never);
  (provider as FrameListener | null)?.onFrame(done);
  await Promise.resolve();
  expect(running.size).toBe(0);
  session.beginDrain();
  session.checkTimeouts();
  expect(isClosed).toBe(false);
  settled.resolve(1);
  await closed.promise;
  expect(sent[0]).toBe(done);
});
