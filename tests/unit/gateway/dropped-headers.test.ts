import { expect, test } from "bun:test";
import { droppedHeaders } from "@sluice/control-plane/gateway/dropped-headers.ts";

const many = Array.from({ length: 900 }, (_, index) => `field_${index}`);

test("what was left out is named, a few names at most, and the rest counted in a header of its own", () => {
  expect(droppedHeaders(null, "/v1/messages")).toEqual({});
  expect(droppedHeaders("a, b.c", "/v1/messages")).toEqual({ "x-compat-dropped": "a,b.c" });
  expect(droppedHeaders("a, b.c", "/v1/responses")).toEqual({ "x-sluice-dropped": "a, b.c" });
  const shown = many.slice(0, 20);
  expect(droppedHeaders(many.join(", "), "/v1/messages")).toEqual({
    "x-compat-dropped": shown.join(","),
    "x-compat-dropped-more": "880",
  });
  expect(droppedHeaders(many.join(", "), "/v1/responses")).toEqual({
    "x-sluice-dropped": shown.join(", "),
    "x-sluice-dropped-more": "880",
  });
});

test("long names are bounded together", () => {
  const names = Array.from({ length: 30 }, (_, index) => `${"n".repeat(60)}${index + 10}`);
  const headers = droppedHeaders(names.join(", "), "/v1/chat/completions");
  const shown = headers["x-sluice-dropped"]?.split(", ") ?? [];
  expect(headers["x-sluice-dropped"]?.length).toBeLessThanOrEqual(1_000);
  expect([...shown, ...names.slice(shown.length)]).toEqual(names);
  expect(headers["x-sluice-dropped-more"]).toBe(String(30 - shown.length));
});
