import { type DeadlineTicker, hasPassed, type Timed } from "@sluice/http-client/deadline-ticker";
import { PacketPart, viewOf } from "@sluice/http-client/packet-part";
import type { PacketReader } from "@sluice/http-client/turn";
import type { AnswerReceiver } from "../gateway/port.ts";
import { isAnswerStream, leaveStream } from "../platform/answer-stream.ts";
import { reportedAddress } from "../platform/client-address.ts";
import { ChunkedAnswer, type StreamConnection, type StreamOutlet } from "./chunked-answer.ts";
import { ClientSocket } from "./client-socket.ts";
import { FrontCall } from "./front-call.ts";
import { type HeldBytes, HeldShare } from "./held-bytes.ts";
import type { ConnectionState, FrontResponse, FrontSettings, FrontWork, Peer } from "./model.ts";
import { RequestBuffer } from "./request-buffer.ts";
import { type HeadTable, RequestHead } from "./request-head.ts";
import { writeHead } from "./response-head.ts";
import { Tunnel } from "./tunnel.ts";

/**
 * How long the rest of a body is waited for: a long prompt from far away takes several round trips. Slower ones are read by
 * the runtime's server, which asks for the key first.
 */
const bodyWaitMs = 1_000;
/** How much of the next requests is read while a response is being made. */
const readAheadBytesMax = 65_536;
/** Up to this size, the head and the body of a response are written at once, which takes a copy. */
const copiedBytesMax = 65_536;

/** What connections have in common. */
export type FrontShared = {
  readonly work: FrontWork;
  readonly settings: FrontSettings;
  readonly table: HeadTable;
  readonly ticker: DeadlineTicker;
  /** The port of the runtime's server. */
  readonly serverPort: number;
  isDraining: boolean;
  /** No connection begins another request. */
  isStopping: boolean;
  readonly held: HeldBytes;
  /** Called once, when the connection is closed. */
  readonly onClose: (connection: ClientConnection) => void;
  /** What a listener or a stream has thrown: the connection continues as if it had not. */
  readonly onFailure: (error: unknown) => void;
};

/** The connection of a client: one request after the other, until it ends or is handed over. */
export class ClientConnection implements PacketReader, Timed, AnswerReceiver<FrontResponse>, StreamConnection {
  tickerSlot = -1;
  readonly peer: Peer;
  readonly #shared: FrontShared;
  readonly #socket: ClientSocket;
  readonly #head: RequestHead;
  readonly #buffer = new RequestBuffer();
  #state: ConnectionState = "receiving";
  /** When this request began, or the connection became idle. */
  #sinceMs: number;
  #isHeadRead = false;
  readonly #held: HeldShare;
  #call: FrontCall | null = null;
  #answer: ChunkedAnswer | null = null;
  /** The stream is the last response. */
  #isLastStream = false;
  #tunnel: Tunnel | null = null;
  #onDrain: (() => void) | null = null;

  constructor(socket: Bun.Socket<unknown>, peer: Peer, shared: FrontShared) {
    this.#shared = shared;
    this.#socket = new ClientSocket(socket, shared.ticker);
    this.peer = peer;
    this.#head = new RequestHead(shared.table);
    this.#held = new HeldShare(shared.held);
    this.#sinceMs = shared.ticker.nowMs;
    shared.ticker.add(this);
  }

  /** Whether something is left to do for its client: a call has begun once its head is read. */
  get isRunning(): boolean {
    const hasBegun =
      this.#state === "receiving" ? this.#isHeadRead : this.#state === "busy" || this.#state === "tunnel";
    return hasBegun || this.#socket.hasBacklog;
  }

  onData(bytes: Buffer): void {
    switch (this.#state) {
      case "receiving":
        this.#add(bytes);
        this.#read();
        break;
      case "busy":
        this.#readAhead(bytes);
        break;
      case "tunnel":
        this.#tunnel?.onClientData(bytes);
        break;
      case "ending":
      case "closed":
        break;
    }
  }

  onFailure(error: unknown): void {
    this.#shared.onFailure(error);
    this.#socket.terminate();
  }

  onDrain(): void {
    const isWritten = this.#socket.drain();
    this.#answer?.onTaken();
    if (!isWritten) {
      return;
    }
    this.#tunnel?.onClientDrain();
    const onDrain = this.#onDrain;
    this.#onDrain = null;
    onDrain?.();
  }

  onClose(): void {
    if (this.#state === "closed") {
      return;
    }
    if (this.#state === "receiving" && this.#isHeadRead) {
      // A call whose client left with part of its body is a call like any other: the runtime's server counts it.
      this.#handOver();
    }
    this.#state = "closed";
    const { ticker, onClose, onFailure } = this.#shared;
    ticker.remove(this);
    this.#held.release();
    this.#head.close();
    onClose(this);
    this.#tunnel?.onClientClose();
    this.#call?.abort(onFailure);
    this.#answer?.onGone();
  }

  onTick(nowMs: number): void {
    const { stallTimeoutMs, headTimeoutMs, idleTimeoutMs } = this.#shared.settings;
    if (this.#socket.isLate(stallTimeoutMs)) {
      this.#socket.leave();
      return;
    }
    if (this.#state === "busy" && !this.#socket.hasBacklog) {
      // Each limit that may begin meanwhile is at least as long.
      this.#shared.ticker.rest(this, Math.min(bodyWaitMs, stallTimeoutMs, headTimeoutMs, idleTimeoutMs));
    }
    if (this.#state !== "receiving") {
      return;
    }
    if (this.#buffer.length === 0) {
      if (hasPassed(idleTimeoutMs, this.#sinceMs, nowMs)) {
        this.#end();
      }
    } else if (this.#isHeadRead) {
      if (hasPassed(bodyWaitMs, this.#sinceMs, nowMs)) {
        this.#handOver();
      }
    } else if (hasPassed(headTimeoutMs, this.#sinceMs, nowMs)) {
      this.#end();
    }
  }

  /** Ends the connection unless it is in the middle of something. */
  endIfIdle(): void {
    if (this.#state === "receiving" && this.#buffer.length === 0) {
      this.#end();
    }
  }

  terminate(): void {
    this.#socket.terminate();
  }

  get #nowMs(): number {
    return this.#shared.ticker.nowMs;
  }

  /** Adds bytes of a request that is not yet whole. */
  #add(bytes: Buffer): void {
    if (this.#buffer.length === 0) {
      this.#sinceMs = this.#nowMs;
    }
    this.#buffer.add(bytes, this.#isHeadRead ? this.#head.end + this.#head.contentLength : 0);
  }

  /** Keeps bytes of the next requests. A client that sends more of them than there is room for is not waited for. */
  #readAhead(bytes: Buffer): void {
    this.#buffer.add(bytes);
    if (!this.#held.waitForAnswer(this.#buffer.capacity)) {
      this.#socket.terminate();
    } else if (this.#buffer.length > readAheadBytesMax) {
      this.#socket.pause();
    }
  }

  /** Decides about the request at the beginning of the buffer. */
  #read(): void {
    const { settings } = this.#shared;
    const head = this.#head;
    const buffer = this.#buffer;
    if (!this.#isHeadRead) {
      const verdict = head.read(buffer.bytes, buffer.length);
      if (verdict === "more") {
        this.#waitForRest(buffer.capacity);
        return;
      }
      if (verdict === "refuse") {
        this.#refuse();
        return;
      }
      if (verdict === "hand_over" || head.contentLength > settings.bodyBytesMax) {
        this.#handOver();
        return;
      }
      this.#isHeadRead = true;
    }
    const end = head.end + head.contentLength;
    if (buffer.length >= end) {
      this.#begin(end);
    } else {
      this.#waitForRest(Math.max(end, buffer.capacity));
    }
  }

  /** With no room left for an unfinished request, the runtime's server reads it. @param bytes what it will hold */
  #waitForRest(bytes: number): void {
    if (!this.#held.waitForRest(bytes)) {
      this.#handOver();
    }
  }

  #begin(end: number): void {
    const { work, settings } = this.#shared;
    const head = this.#head;
    const bytes = this.#buffer.take(end) as Buffer<ArrayBuffer>;
    this.#held.waitForAnswer(this.#buffer.capacity);
    this.#state = "busy";
    const fields = head.fieldsOf(bytes);
    const clientIp = this.peer.isEdge ? reportedAddress(fields, this.peer.address, settings.edge) : this.peer.address;
    this.#call = new FrontCall(head.target, fields, clientIp, new PacketPart(bytes, head.end, end));
    work.count("served");
    try {
      work.serve(this.#call, this);
    } catch (error) {
      const response = work.fail(head.target, error);
      queueMicrotask(() => this.onAnswer(response));
    }
  }

  /** The response to the request that is being served. Throws nothing, because its caller has other calls to answer. */
  onAnswer(response: FrontResponse): void {
    try {
      this.#writeResponse(response);
    } catch (error) {
      this.#abandon(response);
      this.#writeFailure(error);
    }
  }

  #writeFailure(error: unknown): void {
    try {
      this.#writeResponse(this.#shared.work.fail(this.#head.target, error));
    } catch (further) {
      this.#shared.onFailure(further);
      this.#socket.terminate();
    }
  }

  /** Nobody will read this response: without being told, its call would never end. */
  #abandon({ body }: FrontResponse): void {
    const answer = this.#answer;
    this.#answer = null;
    if (answer !== null) {
      answer.onGone();
    } else if (isAnswerStream(body)) {
      leaveStream(body, this.#shared.onFailure);
    }
  }

  /** @throws TypeError for headers that can't be written; nothing is written then */
  #writeResponse(response: FrontResponse): void {
    if (this.#state !== "busy") {
      this.#abandon(response);
      return;
    }
    const { status, headers, body } = response;
    const isLast = this.#head.isLast || this.#shared.isDraining || headers["connection"] === "close";
    if (isAnswerStream(body)) {
      const head = writeHead(status, headers, this.#shared.settings.headers, { length: null, isLast });
      this.#isLastStream = isLast;
      this.#answer = new ChunkedAnswer(body, head.written.toString("latin1"), this);
      this.#answer.begin();
      return;
    }
    const length = body?.byteLength ?? 0;
    const head = writeHead(status, headers, this.#shared.settings.headers, { length, isLast });
    if (body !== null && length <= copiedBytesMax) {
      head.addBody(body);
    }
    this.#socket.writeFrom(head.memory, head.length);
    if (body !== null && length > copiedBytesMax) {
      this.#socket.write(viewOf(body));
    }
    this.#finish(isLast);
  }

  get outlet(): StreamOutlet {
    return this.#socket;
  }

  onStreamEnd(isWhole: boolean): void {
    if (isWhole) {
      this.#finish(this.#isLastStream);
    } else if (this.#socket.hasBacklog) {
      this.#socket.terminate();
    } else {
      // Everything that the client could take is written.
      this.#end();
    }
  }

  onStreamFailure(error: unknown): void {
    this.#shared.onFailure(error);
  }

  /** The response is complete; the next request begins when it is written. */
  #finish(isLast: boolean): void {
    this.#call = null;
    this.#answer = null;
    if (isLast || this.#shared.isStopping) {
      this.#end();
    } else if (this.#socket.hasBacklog) {
      this.#onDrain = () => this.#next();
    } else {
      this.#next();
    }
  }

  #next(): void {
    if (this.#state !== "busy") {
      return;
    }
    this.#state = "receiving";
    this.#head.reset();
    this.#isHeadRead = false;
    this.#sinceMs = this.#nowMs;
    this.#socket.resume();
    if (this.#buffer.length > 0) {
      this.#read();
    } else if (this.#shared.isStopping) {
      this.#end();
    }
  }

  #refuse(): void {
    this.#shared.work.count("refused");
    this.#state = "busy";
    const response = this.#shared.work.refuse(this.#head.target);
    this.onAnswer({ ...response, headers: { ...response.headers, connection: "close" } });
  }

  /** What comes from now on is dropped. */
  #end(): void {
    this.#state = "ending";
    this.#buffer.takeAll();
    this.#held.release();
    this.#socket.end();
  }

  #handOver(): void {
    this.#shared.work.count("handed_over");
    const first = this.#buffer.takeAll();
    this.#state = "tunnel";
    this.#held.release();
    const client = {
      write: (bytes: Buffer) => this.#socket.write(bytes),
      pause: () => this.#socket.pause(),
      resume: () => this.#socket.resume(),
      end: () => this.#end(),
    };
    this.#tunnel = new Tunnel(client, first, () => this.#refuseTunnel());
    this.#tunnel.open(this.#shared.serverPort, this.peer.address);
  }

  /** The runtime's server accepts no connection: it has stopped, or has no files left. */
  #refuseTunnel(): void {
    if (this.#state === "tunnel") {
      const refusal = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
      this.#socket.write(Buffer.from(refusal));
      this.#end();
    }
  }
}
