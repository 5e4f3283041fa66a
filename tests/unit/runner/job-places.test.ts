import { expect, test } from "bun:test";
import { JobPlaces } from "../../runner/job-places.ts";
import type { ProcessorTimes } from "../../runner/processor-use.ts";

function scene(processors: number) {
  let times: ProcessorTimes = { allMs: 1_000, idleMs: 500 };
  const places = new JobPlaces(processors, () => times);
  const look = (idleShare: number): void => {
    times = { allMs: times.allMs + 6_000, idleMs: times.idleMs + 6_000 * idleShare };
    places.look();
  };
  return { places, look };
}

test("the loads of jobs that run at once add up to the processors, although fractions are not exact", () => {
  const { places } = scene(2);
  for (let count = 0; count < 3; count += 1) {
    expect(places.hasRoomFor(2 / 3)).toBe(true);
    places.take(2 / 3);
  }
  expect(places.hasRoomFor(0.1)).toBe(false);
  places.giveBack(2 / 3);
  expect([places.hasRoomFor(2 / 3), places.hasRoomFor(1)]).toEqual([true, false]);
});

test("one more job has room when the processors have idled, and the next when they have again", () => {
  const { places, look } = scene(1);
  places.take(1);
  look(0.1);
  expect(places.hasRoomFor(0.5)).toBe(false);
  look(0.3);
  expect(places.hasRoomFor(0.5)).toBe(true);
  places.take(0.5);
  expect(places.hasRoomFor(0.5)).toBe(false);
  look(0.3);
  expect(places.hasRoomFor(0.5)).toBe(false);
  places.giveBack(0.5);
  look(0.3);
  look(0.1);
  expect(places.hasRoomFor(0.5)).toBe(false);
});
