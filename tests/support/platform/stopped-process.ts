import { KeptThread, type ThreadMessage } from "@sluice/control-plane/platform/kept-thread.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";

/* A process with a healthy thread. It says how often it has lost it when it is asked to end. */

let lost = 0;
const thread = new KeptThread({
  address: new URL("odd-thread.ts", import.meta.url),
  log: createLog("error", () => undefined),
  onLost: () => {
    lost += 1;
  },
  silenceMsMax: 600,
});
thread.listen<ThreadMessage>("odd", {
  onStart: () => thread.post({ topic: "odd" }),
  onMessage: () => process.stdout.write("ready\n"),
  onLost: () => undefined,
});
const running = setInterval(() => undefined, 1_000);
process.on("SIGTERM", () => {
  clearInterval(running);
  thread.stop();
  process.stdout.write(`lost ${lost} times\n`);
});
