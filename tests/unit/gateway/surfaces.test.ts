import { describe, expect, test } from "bun:test";
import { findSurface, isPlainPath } from "@sluice/control-plane/gateway/surfaces.ts";

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
    expect(isPlainPath(path)).toBe(false);
  });
});

test("known paths and paths that are only passed through may be called as they are", () => {
  for (const path of ["/v1/chat/completions", "/v1/models", "/v1/models/Qwen/Qwen3-32B"]) {
    expect([path, isPlainPath(path), findSurface(path).kind === "pass"]).toEqual([path, true, false]);
  }
  for (const path of ["/v1/files", "/v1/Files/file-AbC", "/v1/batches", "/v1/responses/resp_AbC"]) {
    expect([path, isPlainPath(path), findSurface(path).kind]).toEqual([path, true, "pass"]);
  }
});
