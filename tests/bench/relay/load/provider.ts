/**
 * The fake provider, over raw sockets in the process of the harness. It responds to POST with the JSON prepared for the
 * dialect of its path or,
 * when the body asks for a stream, with the prepared events, one write each. While streams are open it polls instead of
 * sleeping: timers have a resolution of a millisecond, which would send the chunks of many streams in bursts, and the
 * bursts would be measured as latency of the gateway.
 */
import type { Socket } from "bun";
import { type Answers, buildAnswers, CHUNKS_PER_STREAM, SEND_TIME_DIGITS } from "./answers.ts";
import { callDialects, convertedAt, dialectPaths } from "./call.ts";
import { dialectAnswers } from "./dialect-answers.ts";

export type ProviderCounters = {
  connections: number;
  jsonAnswers: number;
  streams: number;
  /** Streams whose reader left before the last chunk. */
  streamsCut: number;
  streamsOpen: number;
  /**
   * The most concurrent streams since the pace was last set: a gateway that queues calls never reaches the requested
   * number.
   */
  streamsOpenMax: number;
};

type Connection = { unread: Buffer | null; unsent: Buffer | null; isOpen: boolean };
type Stream = { readonly reply: Reply; readonly socket: Socket<Connection>; nextChunk: number; dueNs: number };
type Chunk = { readonly wire: Buffer; readonly slot: number };
type Reply = { readonly json: Buffer; readonly streamHead: Buffer; readonly chunks: readonly Chunk[] };

function toReply({ json, streamHead, chunks }: Answers): Reply {
  return {
    json: Buffer.from(json),
    streamHead: Buffer.from(streamHead),
    chunks: chunks.map(({ wire, slot }) => ({ wire: Buffer.from(wire), slot })),
  };
}

export class FakeProvider {
  readonly answers: Answers = buildAnswers();
  readonly port: number;
  readonly counters: ProviderCounters = {
    connections: 0,
    jsonAnswers: 0,
    streams: 0,
    streamsCut: 0,
    streamsOpen: 0,
    streamsOpenMax: 0,
  };
  readonly #server: { port: number; stop(closesConnections?: boolean): void };
  readonly #reply = toReply(this.answers);
  readonly #replies: ReadonlyMap<string, Reply> = new Map(
    callDialects.map((dialect) => [convertedAt + dialectPaths[dialect], toReply(dialectAnswers[dialect])]),
  );
  #paceNs = 0;
  /** All streams have the same pace, so that appending keeps the queue in the order of the due times. */
  #queue: Stream[] = [];
  #queueStart = 0;
  #isPolling = false;

  constructor() {
    this.#server = Bun.listen<Connection>({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        binaryType: "buffer",
        open: (socket) => {
          this.counters.connections += 1;
          socket.data = { unread: null, unsent: null, isOpen: true };
          socket.setNoDelay(true);
        },
        data: (socket, bytes) => this.#readRequests(socket, bytes),
        drain: (socket) => sendRest(socket),
        close: (socket) => {
          socket.data.isOpen = false;
        },
        error: (socket) => {
          socket.data.isOpen = false;
        },
      },
    });
    this.port = this.#server.port;
  }

  /** Sets the time between two chunks of the streams that begin afterwards; 0 sends all at once. */
  setPace(microseconds: number): void {
    this.#paceNs = microseconds * 1000;
    this.counters.streamsOpenMax = this.counters.streamsOpen;
  }

  stop(): void {
    this.#queue = [];
    this.#queueStart = 0;
    this.#server.stop(true);
  }

  #readRequests(socket: Socket<Connection>, bytes: Buffer): void {
    const { unread } = socket.data;
    let rest = unread === null ? bytes : Buffer.concat([unread, bytes]);
    while (rest.byteLength > 0) {
      const headEnd = rest.indexOf("\r\n\r\n");
      if (headEnd === -1) {
        break;
      }
      const head = rest.toString("latin1", 0, headEnd);
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      const end = headEnd + 4 + Number(length ?? 0);
      if (rest.byteLength < end) {
        break;
      }
      this.#answer(socket, this.#replyTo(head), length === undefined ? null : rest.subarray(headEnd + 4, end));
      rest = rest.subarray(end);
    }
    socket.data.unread = rest.byteLength === 0 ? null : Buffer.from(rest);
  }

  #replyTo(head: string): Reply {
    const start = head.indexOf(" ") + 1;
    return this.#replies.get(head.slice(start, head.indexOf(" ", start))) ?? this.#reply;
  }

  #answer(socket: Socket<Connection>, reply: Reply, body: Buffer | null): void {
    if (body === null) {
      send(socket, Buffer.from("HTTP/1.1 411 Length Required\r\ncontent-length: 0\r\n\r\n"));
    } else if (body.includes('"stream":true')) {
      this.#startStream(socket, reply);
    } else {
      this.counters.jsonAnswers += 1;
      send(socket, reply.json);
    }
  }

  #startStream(socket: Socket<Connection>, reply: Reply): void {
    this.counters.streams += 1;
    this.counters.streamsOpen += 1;
    this.counters.streamsOpenMax = Math.max(this.counters.streamsOpenMax, this.counters.streamsOpen);
    send(socket, Buffer.concat([reply.streamHead, stampedChunk(reply, 0)]));
    if (this.#paceNs === 0) {
      for (let index = 1; index < CHUNKS_PER_STREAM; index++) {
        send(socket, stampedChunk(reply, index));
      }
      this.counters.streamsOpen -= 1;
      return;
    }
    this.#queue.push({ reply, socket, nextChunk: 1, dueNs: Bun.nanoseconds() + this.#paceNs });
    this.#poll();
  }

  #poll(): void {
    if (!this.#isPolling && this.#queueStart < this.#queue.length) {
      this.#isPolling = true;
      setImmediate(() => {
        this.#isPolling = false;
        this.#sendDueChunks();
        this.#poll();
      });
    }
  }

  #sendDueChunks(): void {
    for (let stream = this.#queue[this.#queueStart]; stream !== undefined; stream = this.#queue[this.#queueStart]) {
      if (stream.dueNs > Bun.nanoseconds()) {
        break;
      }
      this.#queueStart += 1;
      this.#sendNextChunk(stream);
    }
    if (this.#queueStart > 4096) {
      this.#queue = this.#queue.slice(this.#queueStart);
      this.#queueStart = 0;
    }
  }

  #sendNextChunk(stream: Stream): void {
    if (!stream.socket.data.isOpen) {
      this.counters.streamsCut += 1;
      this.counters.streamsOpen -= 1;
      return;
    }
    send(stream.socket, stampedChunk(stream.reply, stream.nextChunk));
    stream.nextChunk += 1;
    if (stream.nextChunk < CHUNKS_PER_STREAM) {
      stream.dueNs += this.#paceNs;
      this.#queue.push(stream);
    } else {
      this.counters.streamsOpen -= 1;
    }
  }
}

/** The chunk with the present time in its slot; valid until the next call for the same index. */
function stampedChunk({ chunks }: Reply, index: number): Buffer {
  const chunk = chunks[index];
  if (chunk === undefined) {
    throw new Error(`a stream has no chunk ${index}`);
  }
  let rest = Bun.nanoseconds();
  for (let digit = chunk.slot + SEND_TIME_DIGITS - 1; digit >= chunk.slot; digit--) {
    chunk.wire[digit] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return chunk.wire;
}

function send(socket: Socket<Connection>, bytes: Buffer): void {
  const { data } = socket;
  if (data.unsent !== null) {
    data.unsent = Buffer.concat([data.unsent, bytes]);
    return;
  }
  const written = socket.write(bytes);
  if (written >= 0 && written < bytes.byteLength) {
    data.unsent = Buffer.from(bytes.subarray(written));
  }
}

function sendRest(socket: Socket<Connection>): void {
  const { unsent } = socket.data;
  if (unsent !== null) {
    socket.data.unsent = null;
    send(socket, unsent);
  }
}
