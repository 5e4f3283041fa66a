import { onThreadMessages, type ThreadMessage } from "@sluice/control-plane/platform/kept-thread.ts";

/* A thread that repeats what it is told, and ends in the ways in which threads end. */

function fail(): never {
  throw new Error("the thread failed");
}

function hang(): void {
  while (performance.now() > 0) {
    // Nothing ends this but the other thread.
  }
}

const ways: Record<string, () => void> = {
  throw: fail,
  reject: () => void Promise.reject(new Error("the thread failed later")),
  exit: () => process.exit(3),
  hang,
  pause: () => Bun.sleepSync(400),
};

onThreadMessages({
  odd: (message: ThreadMessage & { readonly said: string }) => {
    ways[message.said]?.();
    if (message.said !== "reject") {
      postMessage(message);
    }
  },
});
