import { expect, test } from "bun:test";
import { operationEntries } from "@sluice/contracts/operations";
import { toTelemetry } from "@sluice/control-plane/gateway/telemetry.ts";
import { noUnits } from "@sluice/control-plane/models/units.ts";

const attributesOf = (path: string) =>
  toTelemetry({
    ...{ requestId: "00000000-0000-7000-8000-000000000000", method: "POST", path, model: "m", isStream: false },
    ...{ startedAtMs: 0, durationMs: 1, firstByteMs: null, apiKeyId: null, attempts: [] },
    end: { outcome: "completed", httpStatus: 200, errorCode: null, units: noUnits, usageSource: "none" },
  }).trace.root.attributes;

test("a trace has the path of every operation, and of nothing else, because that may contain anything", () => {
  for (const [, { path }] of operationEntries) {
    expect(attributesOf(path)).toMatchObject({ "url.path": path });
  }
  for (const path of ["/v1/files/file-1", "/v1/models/some-model", "/v1/secret", "/v1/chat/completions/secret"]) {
    expect(attributesOf(path)).not.toContainKey("url.path");
  }
});

test.each([
  ["/v1/chat/completions", "chat"],
  ["/v1/responses", "chat"],
  ["/v1/completions", "text_completion"],
  ["/v1/embeddings", "embeddings"],
  ["/v1/rerank", "generate_content"],
  ["/v1/files", "generate_content"],
])("%s is %s in the semantic conventions", (path, name) => {
  expect(attributesOf(path)).toMatchObject({ "gen_ai.operation.name": name });
});
