/**
 * Callers over raw sockets, each with the key of one user, that survive the death of the service: they count the
 * responses that they received whole, those that were cut off, and those that told them to come back later.
 */
import type { Socket } from "bun";
import { chatCall } from "../relay/load/call.ts";
import { chatHeaders, encodeRequest } from "../relay/load/chat-request.ts";
import { ResponseReader } from "../relay/load/response-reader.ts";

export type CallKind = "whole" | "stream";

/** What the callers with one key have seen. `refused` counts calls that waited too long for a busy database. */
export type SeenCalls = {
  readonly apiKey: string;
  readonly answered: Record<CallKind, number>;
  cut: number;
  refused: number;
};

type Caller = { readonly reader: ResponseReader; isCalling: boolean };

/** How long a refused caller waits. */
const pauseMs = 500;
const unavailable = 503;

export type CallersPlan = {
  readonly port: number;
  readonly apiKeys: readonly string[];
  readonly connections: number;
  /** One call of so many is a stream; 0 for none. */
  readonly streamEvery: number;
  readonly callsMax: number;
  /** Resolves when the service listens again after its connections have closed. */
  untilServed(): Promise<void>;
};

export class Callers {
  readonly seen: readonly SeenCalls[];
  /** Calls that were begun. */
  begun = 0;
  readonly #plan: CallersPlan;
  readonly #finished = Promise.withResolvers<void>();
  #open = 0;

  constructor(plan: CallersPlan) {
    this.#plan = plan;
    this.seen = plan.apiKeys.map((apiKey) => ({ apiKey, answered: { whole: 0, stream: 0 }, cut: 0, refused: 0 }));
  }

  /** Makes all calls. @throws Error at the first response that is neither a whole 2xx nor a 503, unless its connection was closed */
  async run(): Promise<void> {
    const { connections } = this.#plan;
    this.#open = connections;
    for (let index = 0; index < connections; index++) {
      this.#connect(this.seen[index % this.seen.length] as SeenCalls);
    }
    await this.#finished.promise;
  }

  #connect(seen: SeenCalls): void {
    const { port } = this.#plan;
    const requestOf = (isStream: boolean): Buffer =>
      encodeRequest({
        port,
        path: "/v1/chat/completions",
        headers: chatHeaders(seen.apiKey),
        isStream,
        call: chatCall,
      });
    const requests = { whole: requestOf(false), stream: requestOf(true) };
    let kind: CallKind = "whole";
    let isRefused = false;
    const sendNext = (socket: Socket<Caller>): void => {
      const { callsMax, streamEvery } = this.#plan;
      if (this.begun >= callsMax) {
        socket.data.isCalling = false;
        socket.end();
        this.#leave();
        return;
      }
      this.begun += 1;
      kind = streamEvery > 0 && this.begun % streamEvery === 0 ? "stream" : "whole";
      socket.data.isCalling = true;
      if (socket.write(requests[kind]) !== requests[kind].byteLength) {
        this.#finished.reject(new Error("a request did not fit into the socket"));
      }
    };
    Bun.connect<Caller>({
      hostname: "127.0.0.1",
      port,
      socket: {
        binaryType: "buffer",
        open: (socket) => {
          const accepts = (status: number): boolean => {
            isRefused = status === unavailable;
            return isRefused;
          };
          const onEnd = (): void => {
            if (isRefused) {
              seen.refused += 1;
              socket.data.isCalling = false;
              socket.end();
              setTimeout(() => this.#connect(seen), pauseMs);
              return;
            }
            seen.answered[kind] += 1;
            sendNext(socket);
          };
          socket.data = { reader: new ResponseReader({ accepts, onBody: () => undefined, onEnd }), isCalling: false };
          sendNext(socket);
        },
        data: (socket, bytes) => {
          try {
            socket.data.reader.feed(bytes);
          } catch (error) {
            this.#finished.reject(error);
          }
        },
        close: (socket) => {
          if (socket.data.isCalling) {
            seen.cut += 1;
            this.#reconnect(seen);
          }
        },
        error: (_socket, error) => this.#finished.reject(error),
      },
    }).catch(() => this.#reconnect(seen));
  }

  #reconnect(seen: SeenCalls): void {
    this.#plan
      .untilServed()
      .then(() => this.#connect(seen))
      .catch((error) => this.#finished.reject(error));
  }

  #leave(): void {
    this.#open -= 1;
    if (this.#open === 0) {
      this.#finished.resolve();
    }
  }
}
