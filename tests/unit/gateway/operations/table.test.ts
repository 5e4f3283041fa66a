import { describe, expect, test } from "bun:test";
import { operationEntries } from "@sluice/contracts/operations";
import { findOperation, isPlainPath } from "@sluice/control-plane/gateway/operations/table.ts";

describe("a path that equals a known one but for case", () => {
  test.each([
    "/v1/Chat/completions",
    "/v1/chat/Completions",
    "/v1/CHAT/COMPLETIONS",
    "/v1/Responses",
    "/v1/images/Generations",
    "/v1/audio/Speech",
    "/v1/Models",
    "/v1/Models/gpt-4o-mini",
    "/v1/Realtime",
    "/v1/Realtime/sessions",
  ])("%s may not be called", (path) => {
    expect(isPlainPath(path) && findOperation(path).methods.length > 0).toBe(false);
  });
});

test("the provider is read on only where it alone knows what a response costs", () => {
  const readOn = operationEntries.filter(([, { path }]) => findOperation(path).isReadOn).map(([name]): string => name);
  expect(readOn.toSorted()).toEqual(
    [
      ...["chat", "completions", "responses", "messages", "image_generations", "image_edits", "image_variations"],
      ...["transcriptions", "translations"],
    ].toSorted(),
  );
  expect([findOperation("/v1/files").isReadOn, findOperation("/v1/models").isReadOn]).toEqual([false, false]);
});

test("known paths and paths that are only passed through may be called as they are", () => {
  for (const path of ["/v1/chat/completions", "/v1/models", "/v1/models/Qwen/Qwen3-32B"]) {
    expect([path, isPlainPath(path), findOperation(path).handling === "pass"]).toEqual([path, true, false]);
  }
  for (const [path, ...methods] of [
    ["/v1/files", "GET", "POST"],
    ["/v1/files/file-AbC", "GET", "DELETE"],
    ["/v1/responses/resp_AbC", "GET", "DELETE"],
    ["/v1/responses/input_tokens", "POST", "GET", "DELETE"],
    ["/v1/vector_stores/vs_1/files/file-1", "GET", "DELETE"],
  ] as const) {
    expect([path, isPlainPath(path), findOperation(path).handling]).toEqual([path, true, "pass"]);
    expect([...findOperation(path).methods]).toEqual([...methods]);
  }
});

describe("a path that runs models, or is about the account at the provider, is never passed through", () => {
  test.each([
    ...[
      "/v1/organization/users",
      "/v1/organization/admin_api_keys",
      "/v1/fine_tuning/jobs",
      "/v1/engines/dear/completions",
    ],
    ...[
      "/v1/chat/completions/chatcmpl_1",
      "/v1/chat/completions/chatcmpl_1/messages",
      "/v1/messages/batches",
      "/v1/batches",
    ],
    ...[
      "/v1/responses/compact",
      "/v1/conversations",
      "/v1/assistants",
      "/v1/threads/runs",
      "/v1/videos",
      "/v1/containers",
    ],
    ...[
      "/v1/realtime/client_secrets",
      "/v1/realtime/sessions",
      "/v1/Files",
      "/v1/files/a/b",
      "/v1/files/a.b",
      "/v1/evals",
    ],
    ...["/v1/models/gpt-4o-mini/permissions".replace("models", "model"), "/v1/files/file-1/Content", "/v1"],
  ])("%s", (path) => {
    const { methods, handling } = findOperation(path);
    expect(handling).toBe("pass");
    expect(methods.filter((method) => method === "POST" || path !== "/v1/responses/compact")).toEqual([]);
  });
});
