import { expect, test } from "bun:test";
import { Metrics } from "@sluice/node-agent/metrics.ts";

test("each bucket of the time to the first byte counts the calls that were at least that fast, and the last one counts all", () => {
  const metrics = new Metrics();
  for (const seconds of [0, 0.05, 0.2, 299, 400]) {
    metrics.observeFirstByte(seconds);
  }
  const counts = [...metrics.render({}).matchAll(/first_byte_seconds_bucket\{le="([^"]+)"\} (\d+)/g)].map(
    ([, bound, count]) => `${bound}: ${count}`,
  );
  expect(counts).toEqual([
    ...["0.05: 2", "0.1: 2", "0.25: 3", "0.5: 3", "1: 3", "2.5: 3", "5: 3", "10: 3", "30: 3", "60: 3"],
    ...["300: 4", "+Inf: 5"],
  ]);
});

test("calls are counted by status, and each use of a key with its age", () => {
  const metrics = new Metrics();
  for (const status of [200, 429, 200]) {
    metrics.countCall(status);
  }
  metrics.countKeyUse("a1", 1_000);
  metrics.countKeyUse("a1", 3_000);
  expect(metrics.render({})).toContain(
    'sluice_node_calls_total{status="200"} 2\nsluice_node_calls_total{status="429"} 1',
  );
  const uses = metrics.renderKeyUses(["a1", "b2"], 3_500);
  expect(uses).toContain('uses_total{key="a1"} 2\nsluice_node_relay_key_idle_seconds{key="a1"} 0.5');
  expect(uses).toContain('uses_total{key="b2"} 0\nsluice_node_relay_key_idle_seconds{key="b2"} +Inf');
});
