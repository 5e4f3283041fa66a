import { expect, test } from "bun:test";
import { counter, histogram, Sums } from "@sluice/control-plane/platform/metric.ts";
import { Histogram, Registry } from "prom-client";

const bounds = [0.005, 0.01, 0.5, 1];

test("a histogram of plain numbers reads like that of the library", async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const observe = histogram(ours, "seconds", "How long.", bounds);
  const other = new Histogram({ name: "seconds", help: "How long.", buckets: bounds, registers: [theirs] });
  expect(await ours.metrics()).toBe(await theirs.metrics());
  for (const value of [0, 0.005, 0.0051, 0.25, 1, 1.5, 300]) {
    observe(value);
    other.observe(value);
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
});

test("a counter is 0 before it counts, and each value of its label appears with its first count", async () => {
  const registry = new Registry();
  const plain = counter(registry, "plain_total", "Plain.");
  const labelled = counter(registry, "labelled_total", "Labelled.", "why");
  expect(await registry.metrics()).toContain("plain_total 0\n");
  plain(2);
  plain(3);
  labelled(1, "late");
  const text = await registry.metrics();
  expect(text).toContain("plain_total 5\n");
  expect(text).toContain('labelled_total{why="late"} 1\n');
  expect(text).not.toContain('why=""');
});

test("a sum that a caller keeps is the one that is read", async () => {
  const registry = new Registry();
  const sums = new Sums();
  sums.register(registry, "kept_total", "Kept.", ["one", "other"]);
  const kept = sums.of("a\nb");
  kept.sum += 2;
  sums.add("a\nb", 1);
  expect(await registry.metrics()).toContain('kept_total{one="a",other="b"} 3\n');
});
