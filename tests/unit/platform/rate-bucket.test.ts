import { describe, expect, test } from "bun:test";
import { RateBucket } from "@sluice/control-plane/platform/rate-bucket.ts";

describe("a bucket of 60 a minute", () => {
  test("allows all of them at once, and then none", () => {
    const bucket = new RateBucket(60);
    bucket.take(59, 0);
    expect([bucket.has(1, 0), bucket.has(2, 0)]).toEqual([true, false]);
    bucket.take(1, 0);
    expect(bucket.has(1, 0)).toBe(false);
  });

  test("fills up evenly, one each second, and never above its limit", () => {
    const bucket = new RateBucket(60);
    bucket.take(60, 0);
    expect([bucket.has(1, 999), bucket.has(1, 1_000)]).toEqual([false, true]);
    bucket.take(1, 1_000);
    expect([bucket.has(60, 60_999), bucket.has(60, 61_000), bucket.has(61, 3_600_000)]).toEqual([false, true, false]);
  });

  test("has no less because the time was read before another reading that came first", () => {
    const bucket = new RateBucket(60);
    bucket.take(60, 10_000);
    expect([bucket.has(1, 11_000), bucket.has(1, 10_500), bucket.has(2, 12_000)]).toEqual([true, true, true]);
  });

  test("is full the first time it is used, whenever that is", () => {
    expect(new RateBucket(60).has(60, 1e12)).toBe(true);
  });

  test("goes below zero by what a call really used, and says how long to wait", () => {
    const bucket = new RateBucket(60);
    bucket.take(90, 0);
    expect(bucket.secondsUntil(1, 0)).toBe(31);
    expect([bucket.has(1, 30_990), bucket.has(1, 31_010)]).toEqual([false, true]);
    expect(bucket.secondsUntil(1, 31_010)).toBe(1);
  });
});

describe("a bucket whose limit is shared", () => {
  test("gets its share, rounded down, and at least one", () => {
    const limitOf = (perMinute: number, replicas: number) => RateBucket.adjusted(null, perMinute, 1 / replicas)?.limit;
    expect([limitOf(30, 1), limitOf(30, 4), limitOf(2, 3)]).toEqual([30, 7, 1]);
  });

  test.each([
    [1, 3],
    [2, 3],
    [10, 3],
    [7, 100],
  ])("of %d between %d replicas gives no more than the limit in the long run", (perMinute, replicas) => {
    const minutes = 60;
    const given = Array.from({ length: replicas }, () => RateBucket.adjusted(null, perMinute, 1 / replicas)).map(
      (bucket) => {
        let count = 0;
        for (let tick = 0; tick <= minutes * 60_000; tick += 1_000) {
          if (bucket?.has(1, tick) === true) {
            bucket.take(1, tick);
            count += 1;
          }
        }
        return count;
      },
    );
    const sum = given.reduce((all, one) => all + one, 0);
    // The initial burst comes on top: each replica's share, and at least one.
    expect(sum).toBeLessThanOrEqual(minutes * perMinute + Math.max(perMinute, replicas));
    expect(sum).toBeGreaterThan(minutes * perMinute - replicas);
  });

  test("keeps what was taken when its share changes, and begins again with another limit", () => {
    const bucket = new RateBucket(60);
    bucket.take(10, 0);
    expect(RateBucket.adjusted(bucket, 60, 1 / 2)).toBe(bucket);
    expect([bucket.limit, bucket.left(0)]).toEqual([30, 30]);
    bucket.take(10, 0);
    RateBucket.adjusted(bucket, 60, 1);
    expect([bucket.limit, bucket.left(0), bucket.left(10_000)]).toEqual([60, 20, 30]);
    expect(RateBucket.adjusted(bucket, 61, 1 / 2)).not.toBe(bucket);
    expect(RateBucket.adjusted(bucket, null, 1)).toBeNull();
  });
});
