/**
 * Our load generator over raw sockets. Each connection sends the next call as soon as the previous response is
 * complete. When the time is up every call in flight is still read to its end, so that the number of responses is
 * exact.
 */
import type { Socket } from "bun";
import { encodeRequest } from "./chat-request.ts";
import type { LoadPlan, LoadResult } from "./plan.ts";
import { ResponseReader } from "./response-reader.ts";
import { Samples } from "./samples.ts";
import { StreamScan } from "./stream-scan.ts";

const DRAIN_MS_MAX = 60_000;

type Caller = { readonly reader: ResponseReader; onSent(): void };

/** Runs the plan. @throws Error at the first unexpected response: a failed call is never a sample */
export async function runClient(plan: LoadPlan): Promise<LoadResult> {
  const run = new ClientRun(plan);
  try {
    return await run.result();
  } finally {
    run.close();
  }
}

class ClientRun {
  readonly #plan: LoadPlan;
  readonly #request: Buffer;
  readonly #windowStartNs: number;
  readonly #windowEndNs: number;
  readonly #latencies = new Samples();
  readonly #chunkLatencies = new Samples();
  readonly #finished = Promise.withResolvers<void>();
  readonly #sockets: Socket<Caller>[] = [];
  readonly #timers: Timer[] = [];
  /** Null until the first answer, when nothing says how long it is. */
  #answerBytes: number | null;
  #unfinished: number;
  #isClosed = false;
  #answered = 0;
  #answeredInWindow = 0;
  #chunks = 0;
  #chunksInWindow = 0;

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    this.#request = encodeRequest(plan);
    this.#answerBytes = plan.call.answerBytes;
    this.#windowStartNs = Bun.nanoseconds() + plan.warmupMs * 1e6;
    this.#windowEndNs = this.#windowStartNs + plan.durationMs * 1e6;
    this.#unfinished = plan.connections;
  }

  async result(): Promise<LoadResult> {
    const { connections, staggerMs, warmupMs, durationMs, isStream } = this.#plan;
    for (let index = 0; index < connections; index++) {
      this.#timers.push(setTimeout(() => this.#connect(), (index * staggerMs) / connections));
    }
    const drained = () =>
      this.#fail(`${this.#unfinished} of ${connections} connections did not finish their last call`);
    this.#timers.push(setTimeout(drained, warmupMs + durationMs + DRAIN_MS_MAX));
    await this.#finished.promise;
    const seconds = durationMs / 1000;
    const stream = () => ({
      chunks: this.#chunks,
      chunksPerSecond: this.#chunksInWindow / seconds,
      chunkLatencyMs: this.#chunkLatencies.quantiles(),
    });
    return {
      answered: this.#answered,
      requestsPerSecond: this.#answeredInWindow / seconds,
      latencyMs: this.#latencies.quantiles(),
      stream: isStream ? stream() : null,
    };
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) {
      clearTimeout(timer);
    }
    for (const socket of this.#sockets) {
      socket.end();
    }
  }

  #connect(): void {
    const { port, isStream } = this.#plan;
    Bun.connect<Caller>({
      hostname: "127.0.0.1",
      port,
      socket: {
        binaryType: "buffer",
        open: (socket) => {
          this.#sockets.push(socket);
          socket.setNoDelay(true);
          socket.data = isStream ? this.#streamCaller(socket) : this.#jsonCaller(socket);
          this.#sendNext(socket);
        },
        data: (socket, bytes) => {
          try {
            socket.data.reader.feed(bytes);
          } catch (error) {
            this.#fail(String(error));
          }
        },
        close: (socket) => {
          if (!socket.data.reader.isIdle || Bun.nanoseconds() < this.#windowEndNs) {
            this.#fail("the connection was closed before the answer was whole");
          }
        },
        error: (_socket, error) => this.#fail(`socket error: ${error.message}`),
      },
    }).catch((error) => this.#fail(`no connection: ${error}`));
  }

  #sendNext(socket: Socket<Caller>): void {
    if (Bun.nanoseconds() >= this.#windowEndNs) {
      this.#unfinished -= 1;
      if (this.#unfinished === 0) {
        this.#finished.resolve();
      }
      return;
    }
    socket.data.onSent();
    if (socket.write(this.#request) !== this.#request.byteLength) {
      this.#fail("a request did not fit into the socket");
    }
  }

  #jsonCaller(socket: Socket<Caller>): Caller {
    let sentNs = 0;
    let bodyBytes = 0;
    const reader = new ResponseReader({
      onBody(bytes) {
        bodyBytes += bytes.byteLength;
      },
      onEnd: () => {
        this.#answerBytes ??= bodyBytes;
        if (bodyBytes !== this.#answerBytes) {
          throw new Error(`an answer of ${bodyBytes} bytes instead of ${this.#answerBytes}`);
        }
        this.#countAnswer(sentNs, Bun.nanoseconds());
        this.#sendNext(socket);
      },
    });
    return {
      reader,
      onSent() {
        sentNs = Bun.nanoseconds();
        bodyBytes = 0;
      },
    };
  }

  #streamCaller(socket: Socket<Caller>): Caller {
    let sentNs = 0;
    let firstByteNs = 0;
    let nowNs = 0;
    const scan = new StreamScan((chunkSentNs) => {
      this.#chunks += 1;
      if (this.#isInWindow(nowNs)) {
        this.#chunksInWindow += 1;
        this.#chunkLatencies.add((nowNs - chunkSentNs) / 1e6);
      }
    }, this.#plan.call.marks);
    const reader = new ResponseReader({
      onBody(bytes) {
        nowNs = Bun.nanoseconds();
        firstByteNs ||= nowNs;
        scan.take(bytes);
      },
      onEnd: () => {
        scan.finish();
        this.#countAnswer(sentNs, firstByteNs);
        this.#sendNext(socket);
      },
    });
    return {
      reader,
      onSent() {
        sentNs = Bun.nanoseconds();
        firstByteNs = 0;
      },
    };
  }

  /** A stream counts at its first byte, so that the drain at the end of the run loses none of those that began late. */
  #countAnswer(sentNs: number, receivedNs: number): void {
    this.#answered += 1;
    if (this.#isInWindow(receivedNs)) {
      this.#answeredInWindow += 1;
      this.#latencies.add((receivedNs - sentNs) / 1e6);
    }
  }

  #isInWindow(timeNs: number): boolean {
    return timeNs >= this.#windowStartNs && timeNs < this.#windowEndNs;
  }

  #fail(reason: string): void {
    if (!this.#isClosed) {
      this.#finished.reject(new Error(reason));
    }
  }
}
