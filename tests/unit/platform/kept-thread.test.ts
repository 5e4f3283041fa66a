import { afterEach, describe, expect, test } from "bun:test";
import { KeptThread, type ThreadMessage } from "@sluice/control-plane/platform/kept-thread.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";

type Said = ThreadMessage & { readonly said: string };

const threads: KeptThread[] = [];

afterEach(() => {
  for (const thread of threads.splice(0)) {
    thread.stop();
  }
});

/** A thread that repeats what it is told, fails, ends or hangs, and a record of what is heard of it. */
function openThread(silenceMsMax?: number) {
  const heard: string[] = [];
  const waiting: { what: string; count: number; resolve: () => void }[] = [];
  const hear = (what: string): void => {
    heard.push(what);
    for (const { what: wanted, count, resolve } of waiting) {
      if (heard.filter((each) => each === wanted).length >= count) {
        resolve();
      }
    }
  };
  const lines: string[] = [];
  const thread = new KeptThread({
    address: new URL("../../support/platform/odd-thread.ts", import.meta.url),
    log: createLog("error", (line) => lines.push(line)),
    onLost: () => hear("counted"),
    ...(silenceMsMax === undefined ? {} : { silenceMsMax }),
  });
  threads.push(thread);
  const until = (what: string, count = 1): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push({ what, count, resolve });
    if (heard.filter((each) => each === what).length >= count) {
      resolve();
    }
    return promise;
  };
  const tell = (said: string): void => thread.post({ topic: "odd", said } as Said);
  thread.listen<Said>("odd", {
    onStart: () => hear("start"),
    onMessage: ({ said }) => hear(said),
    onLost: () => hear("lost"),
  });
  return { thread, heard, lines, until, tell };
}

describe("a thread that is kept", () => {
  test("starts with its first listener and hears every message in order", async () => {
    const { heard, until, tell } = openThread();
    tell("one");
    tell("two");
    await until("two");
    expect(heard).toEqual(["start", "one", "two"]);
  });

  for (const end of ["throw", "reject", "exit"]) {
    test(`is counted, logged and replaced when it ends by "${end}"`, async () => {
      const { heard, lines, until, tell } = openThread();
      tell(end);
      await until("start", 2);
      tell("again");
      await until("again");
      expect(heard).toEqual(["start", "counted", "lost", "start", "again"]);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain("kept_thread.lost");
    });
  }

  test("is replaced when it hangs, while this thread continues", async () => {
    const { heard, until, tell } = openThread(600);
    tell("hang");
    await until("start", 2);
    // On a busy machine the next one may be late with its start, and is replaced, too.
    const telling = setInterval(() => tell("again"), 50);
    await until("again");
    clearInterval(telling);
    expect(heard.slice(0, 4)).toEqual(["start", "counted", "lost", "start"]);
  });

  test("is not replaced for being busy for a while, nor for having nothing to do", async () => {
    const { heard, until, tell } = openThread(1_500);
    tell("pause");
    await until("pause");
    await Bun.sleep(1_800);
    expect(heard).toEqual(["start", "pause"]);
  });

  test("is not replaced because the whole process was stopped for longer than a thread may be silent", async () => {
    const program = Bun.fileURLToPath(new URL("../../support/platform/stopped-process.ts", import.meta.url));
    const child = Bun.spawn([process.execPath, program], { stdout: "pipe", stderr: "inherit" });
    try {
      const heard = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      expect((await heard.read()).value).toContain("ready");
      for (let count = 0; count < 3; count += 1) {
        child.kill("SIGSTOP");
        await Bun.sleep(900);
        child.kill("SIGCONT");
        await Bun.sleep(150);
      }
      child.kill("SIGTERM");
      expect((await heard.read()).value).toBe("lost 0 times\n");
    } finally {
      child.kill("SIGKILL");
    }
  });

  test("does not come back once it was stopped", async () => {
    const { thread, heard, until, tell } = openThread();
    tell("one");
    await until("one");
    thread.stop();
    await Bun.sleep(400);
    expect(heard).toEqual(["start", "one"]);
    expect(thread.isRunning).toBe(false);
  });
});
