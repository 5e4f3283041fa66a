import { backoffMs } from "./backoff.ts";
import type { Log } from "./log.ts";

/**
 * The thread answers a ping as soon as it has time; one that does not for this long is considered lost. Pings are counted
 * instead of time, because a process that was stopped for a while had none.
 */
const silenceMsMax = 30_000;
const pingsMax = 3;
const restartBackoff = { minMs: 100, maxMs: 10_000 };
/** A thread that has worked for this long has started well: the next restart does not wait longer than the first. */
const soundMs = 60_000;

const ping = "ping";
const pong = "pong";

/** A message of either side: what it is about, and the rest. */
export type ThreadMessage = { readonly topic: string };

/** What one user of the thread hears of it. */
export type ThreadListener<Message extends ThreadMessage> = {
  /** A new thread was started and knows nothing yet: tells it what it needs. */
  readonly onStart: () => void;
  readonly onMessage: (message: Message) => void;
  /** The thread is gone with everything it held; another one follows. */
  readonly onLost: () => void;
};

export type KeptThreadOptions = {
  /** The module that the thread runs; it answers pings with `answerPings`. */
  readonly address: URL;
  readonly log: Log;
  readonly onLost: () => void;
  /** By default 30 s; a test can't wait so long. */
  readonly silenceMsMax?: number;
};

/**
 * A second thread that works for as long as the process does. One that fails, ends or no longer answers is replaced
 * after a pause; the first thread continues without it.
 */
export class KeptThread {
  readonly #options: KeptThreadOptions;
  readonly #listeners = new Map<string, ThreadListener<never>>();
  #worker: Worker | null = null;
  #restart: Timer | undefined;
  #pings: Timer | undefined;
  #failures = 0;
  #startedTick = 0;
  #unansweredPings = 0;
  #isStopped = false;

  /** Nothing is started until the first `listen`. */
  constructor(options: KeptThreadOptions) {
    this.#options = options;
  }

  /** Whether there is a thread; messages to none are lost. */
  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /** Registers the one listener of a topic, and tells it of the thread, which starts now if it has not yet. */
  listen<Message extends ThreadMessage>(topic: Message["topic"], listener: ThreadListener<Message>): void {
    this.#listeners.set(topic, listener as ThreadListener<never>);
    if (this.#worker === null) {
      this.#start();
    } else {
      listener.onStart();
    }
  }

  post(message: ThreadMessage): void {
    this.#worker?.postMessage(message);
  }

  /** Ends the thread; what it holds is lost. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#restart);
    this.#end();
  }

  #start(): void {
    if (this.#isStopped || this.#restart !== undefined) {
      return;
    }
    const worker = new Worker(this.#options.address.href);
    // The process ends when its own work does.
    worker.unref();
    this.#worker = worker;
    this.#startedTick = performance.now();
    this.#unansweredPings = 0;
    worker.addEventListener("message", ({ data }) => this.#onMessage(worker, data as ThreadMessage | typeof pong));
    worker.addEventListener("error", ({ message }) => this.#lose(worker, message));
    worker.addEventListener("close", () => this.#lose(worker, "it ended"));
    this.#pings = setInterval(() => this.#ping(worker), (this.#options.silenceMsMax ?? silenceMsMax) / pingsMax);
    this.#pings.unref();
    for (const listener of this.#listeners.values()) {
      listener.onStart();
    }
  }

  #ping(worker: Worker): void {
    if (this.#unansweredPings >= pingsMax) {
      this.#lose(worker, "it does not answer");
    } else {
      this.#unansweredPings += 1;
      worker.postMessage(ping);
    }
  }

  #onMessage(worker: Worker, message: ThreadMessage | typeof pong): void {
    if (worker !== this.#worker) {
      return;
    }
    this.#unansweredPings = 0;
    if (message !== pong) {
      this.#listeners.get(message.topic)?.onMessage(message as never);
    }
  }

  #lose(worker: Worker, reason: string): void {
    if (worker !== this.#worker) {
      return;
    }
    this.#failures = performance.now() - this.#startedTick > soundMs ? 1 : this.#failures + 1;
    this.#end();
    this.#options.log.error("kept_thread.lost", { reason: reason.slice(0, 1_000), failures: this.#failures });
    this.#options.onLost();
    for (const { onLost } of this.#listeners.values()) {
      onLost();
    }
    this.#restart = setTimeout(
      () => {
        this.#restart = undefined;
        this.#start();
      },
      backoffMs(restartBackoff, this.#failures),
    );
    this.#restart.unref();
  }

  #end(): void {
    clearInterval(this.#pings);
    const worker = this.#worker;
    this.#worker = null;
    worker?.terminate();
  }
}

/**
 * On the thread: hands messages to the function of their topic, and answers pings.
 * @param handlers one for each topic; what they throw ends the thread, and another one is started
 */
export function onThreadMessages(handlers: Record<string, (message: never) => void>): void {
  addEventListener("message", ({ data }: MessageEvent<ThreadMessage | typeof ping>) => {
    if (data === ping) {
      postMessage(pong);
    } else {
      handlers[data.topic]?.(data as never);
    }
  });
}
