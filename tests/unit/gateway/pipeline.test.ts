import { expect, test } from "bun:test";
import { generateApiKey } from "@sluice/control-plane/gateway/keys/generate-api-key.ts";
import type { GatewayCall } from "@sluice/control-plane/gateway/model.ts";
import { Pipeline } from "@sluice/control-plane/gateway/pipeline.ts";
import type { PipelineDeps } from "@sluice/control-plane/gateway/pipeline-deps.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { askWithEach } from "@sluice/control-plane/relay/other-address.ts";

test("a call that is tried again with another key is judged by the time of that try", async () => {
  let tick = 1_000;
  const looked: number[] = [];
  const pipeline = new Pipeline({
    clock: { tick: () => tick, now: () => 0 },
    log: createLog("error", () => undefined),
    captures: null,
    hopMark: "this-one",
    digestKey: (key: string) => key,
    directory: {
      find: (_: string, at: number) => {
        looked.push(at);
        // The look-up of a key that is not known takes a while.
        tick += 2_000;
        return null;
      },
    },
    observer: { onEnd: () => undefined },
  } as unknown as PipelineDeps);
  const call = {
    method: "POST",
    path: "/v1/chat/completions",
    query: "",
    headers: new Headers(),
    startedTick: 1_000,
    onReport: () => undefined,
  } as unknown as GatewayCall;
  const keys = [generateApiKey(), generateApiKey()].map((key) => new Headers({ authorization: `Bearer ${key}` }));
  const { status } = await askWithEach(pipeline, call, keys);
  expect({ status, looked }).toEqual({ status: 401, looked: [1_000, 3_000] });
});
