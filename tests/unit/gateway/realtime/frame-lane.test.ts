import { describe, expect, test } from "bun:test";
import { FrameLane } from "@sluice/control-plane/gateway/realtime/frame-lane.ts";
import type { Frame } from "@sluice/control-plane/platform/websocket/model.ts";

/** A lane whose handling of a frame that says "wait" lasts until it is released. */
function lane() {
  const handled: Frame[] = [];
  const sender: string[] = [];
  const waits: (() => void)[] = [];
  const opened = new FrameLane(
    (frame) => {
      handled.push(frame);
      return frame === "wait" ? new Promise<void>((resolve) => waits.push(resolve)) : undefined;
    },
    { pause: () => sender.push("pause"), resume: () => sender.push("resume") },
  );
  const release = async () => {
    waits.shift()?.();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { lane: opened, handled, sender, release };
}

describe("frames of one direction", () => {
  test("are handled at once while nothing takes time, and the sender is left alone", () => {
    const { lane: frames, handled, sender } = lane();
    frames.push("a");
    frames.push("b");
    expect([handled, sender]).toEqual([["a", "b"], []]);
  });

  test("wait in order after one that takes time, while the sender is paused", async () => {
    const { lane: frames, handled, sender, release } = lane();
    for (const frame of ["a", "wait", "b", "wait", "c"]) {
      frames.push(frame);
    }
    expect([handled, sender]).toEqual([["a", "wait"], ["pause"]]);
    await release();
    expect([handled, sender]).toEqual([
      ["a", "wait", "b", "wait"],
      ["pause", "pause"],
    ]);
    await release();
    expect(handled).toEqual(["a", "wait", "b", "wait", "c"]);
    expect(sender.at(-1)).toBe("resume");
  });

  test("are all handled before the end is reported", async () => {
    const { lane: frames, handled, release } = lane();
    frames.push("wait");
    frames.push("last");
    let ended = 0;
    frames.finish(() => {
      ended = handled.length;
    });
    expect(ended).toBe(0);
    await release();
    expect(ended).toBe(2);
  });

  test("are dropped once the lane is closed, and no end is reported", async () => {
    const { lane: frames, handled, release } = lane();
    frames.push("wait");
    frames.push("late");
    frames.finish(() => handled.push("end"));
    frames.close();
    await release();
    frames.push("later");
    expect(handled).toEqual(["wait"]);
  });

  test("are refused when a paused sender keeps sending", () => {
    const { lane: frames } = lane();
    frames.push("wait");
    const megabyte = Buffer.alloc(1024 * 1024);
    const answers = Array.from({ length: 65 }, () => frames.push(megabyte));
    expect([answers[0], answers[63], answers[64]]).toEqual([true, true, false]);
  });
});
