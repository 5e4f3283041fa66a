/**
 * The sandbox provider: it speaks the formats of providers, identifies itself as a sandbox, and does to its responses whatever
 * a script wants. It is built on plain TCP, because a fault must be able to hit any byte of the HTTP response.
 */
import type { Socket, TCPSocketListener } from "bun";
import { answerControl } from "./control.ts";
import { Connection, type ConnectionHandler } from "./http/connection.ts";
import type { ReaderLimits } from "./http/request-reader.ts";
import { PromptCache } from "./messages/prompt-cache.ts";
import { RequestLog } from "./record/request-log.ts";
import type { ConnectionFacts, RequestRecord } from "./record/request-record.ts";
import { Responder } from "./responder.ts";
import type { SandboxProvider } from "./sandbox.ts";
import type { Behaviour } from "./script/behaviour.ts";
import { type AuthStyle, IncomingRequest } from "./script/incoming-request.ts";
import { type Conditions, Rules } from "./script/rules.ts";

export type SandboxOptions = {
  /** The host to listen on; by default 127.0.0.1. */
  readonly hostname?: string;
  /** The port; 0, the default, takes a free one. */
  readonly port?: number;
  /** The behaviour that all others complete, such as a slow pace for demonstrations. */
  readonly defaults?: Behaviour;
  /** The time in responses, for tests that need identical bytes in every run; by default the current time. */
  readonly createdAtSeconds?: number;
  /** The only accepted credential; by default every credential is accepted. */
  readonly requiredKey?: string;
  /** How a key may be sent, on every path; by default as each dialect has it. */
  readonly authStyles?: readonly (AuthStyle | "none")[];
  /** Signatures made with another key are refused, as by another provider; by default all sandboxes share one. */
  readonly signatureKey?: string;
  /** Whether user messages may carry `sandbox:` commands; true by default. */
  readonly hasMessageCommands?: boolean;
  /** Whether `/sandbox/...` is available over HTTP; false by default. */
  readonly isScriptable?: boolean;
  /** Whether each request is kept with its bytes, or only counted; true by default. */
  readonly keepsRecords?: boolean;
};

type ConnectionData = { connection: Connection | null };
type SandboxSocket = Socket<ConnectionData | undefined>;
type ConnectionFault = "none" | "fin" | "rst";

const limits: ReaderLimits = { headBytesMax: 65_536, bodyBytesMax: 268_435_456 };

/** Starts a sandbox provider, which listens when this returns. */
export function startSandboxProvider(options: SandboxOptions = {}): SandboxProvider {
  return new Sandbox(options);
}

class Sandbox implements SandboxProvider {
  readonly #rules = new Rules();
  readonly #promptCache = new PromptCache();
  readonly #log: RequestLog;
  readonly #responder: Responder;
  readonly #sockets = new Set<SandboxSocket>();
  readonly #listener: TCPSocketListener<ConnectionData | undefined>;
  #violations: string[] = [];
  #openedCount = 0;
  #connectionFault: ConnectionFault = "none";

  constructor(options: SandboxOptions) {
    this.#log = new RequestLog(options.keepsRecords ?? true);
    this.#responder = new Responder({
      rules: this.#rules,
      log: this.#log,
      defaults: options.defaults ?? {},
      access: { requiredKey: options.requiredKey ?? null, authStyles: options.authStyles ?? null },
      account: { promptCache: this.#promptCache, signatureKey: options.signatureKey ?? "sandbox" },
      createdAtSeconds: options.createdAtSeconds ?? null,
      hasMessageCommands: options.hasMessageCommands ?? true,
      answerControl: (request) => (options.isScriptable === true ? answerControl(this, request) : null),
    });
    this.#listener = Bun.listen<ConnectionData | undefined>({
      hostname: options.hostname ?? "127.0.0.1",
      port: options.port ?? 0,
      socket: {
        open: (socket) => this.#accept(socket),
        data: (socket, chunk) => socket.data?.connection?.onData(chunk),
        drain: (socket) => socket.data?.connection?.onDrain(),
        close: (socket) => this.#forget(socket),
        error: (socket) => this.#forget(socket),
      },
    });
  }

  get port(): number {
    return this.#listener.port;
  }

  get url(): string {
    const { hostname } = this.#listener;
    return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${this.port}`;
  }

  get requests(): readonly RequestRecord[] {
    return this.#log.records;
  }

  get totals(): SandboxProvider["totals"] {
    const connections = { opened: this.#openedCount, open: this.#sockets.size, violations: this.#violations };
    return { ...this.#log.totals, connections };
  }

  get scriptedLeft(): number {
    return this.#rules.left;
  }

  script(behaviours: Behaviour | readonly Behaviour[], conditions: Conditions = {}): void {
    this.#rules.add([behaviours].flat(), conditions);
  }

  reset(): void {
    this.#rules.clear();
    this.#log.reset();
    this.#promptCache.clear();
    this.#violations = [];
    this.#connectionFault = "none";
  }

  setConnectionFault(fault: ConnectionFault): void {
    this.#connectionFault = fault;
  }

  waitForRequest(index: number, timeoutMs?: number): Promise<RequestRecord> {
    return this.#log.waitFor(index, { name: "received", isReady: () => true }, timeoutMs);
  }

  waitForChunks(index: number, chunks: number, timeoutMs?: number): Promise<RequestRecord> {
    const isReady = (record: RequestRecord): boolean => record.chunksWritten >= chunks;
    return this.#log.waitFor(index, { name: `answered with ${chunks} chunks`, isReady, isHopeless: isOver }, timeoutMs);
  }

  waitForHeld(index: number, timeoutMs?: number): Promise<RequestRecord> {
    const isReady = (record: RequestRecord): boolean => record.isHeld;
    return this.#log.waitFor(index, { name: "held", isReady, isHopeless: isOver }, timeoutMs);
  }

  waitForEnd(index: number, timeoutMs?: number): Promise<RequestRecord> {
    return this.#log.waitFor(index, { name: "over", isReady: isOver }, timeoutMs);
  }

  waitForCancel(index: number, timeoutMs?: number): Promise<RequestRecord> {
    const isReady = (record: RequestRecord): boolean => record.outcome === "cancelled";
    return this.#log.waitFor(index, { name: "cancelled", isReady, isHopeless: isOver }, timeoutMs);
  }

  waitForIdle(timeoutMs?: number): Promise<void> {
    return this.#log.waitForIdle(timeoutMs);
  }

  async stop(): Promise<void> {
    // The listener would end connections by FIN, which looks like the end of a response.
    for (const socket of [...this.#sockets]) {
      socket.terminate();
    }
    this.#listener.stop(true);
    await this.#log.waitForIdle();
  }

  #accept(socket: SandboxSocket): void {
    const { remoteAddress, remotePort } = socket;
    const facts: ConnectionFacts = { connection: this.#openedCount, remoteAddress, remotePort };
    this.#openedCount += 1;
    if (this.#connectionFault !== "none") {
      socket.data = { connection: null };
      endConnection(socket, this.#connectionFault);
      return;
    }
    this.#sockets.add(socket);
    const handler: ConnectionHandler = {
      wantsEarlyAnswer: (head) => this.#rules.hasEarlyAnswer(new IncomingRequest(head, null)),
      answer: (exchange) => this.#responder.answer(exchange, facts),
      onViolation: (reason) => {
        this.#violations.push(reason);
      },
    };
    socket.data = { connection: new Connection(socket, handler, limits) };
  }

  #forget(socket: SandboxSocket): void {
    this.#sockets.delete(socket);
    socket.data?.connection?.onClose();
  }
}

function endConnection(socket: SandboxSocket, fault: Exclude<ConnectionFault, "none">): void {
  if (fault === "rst") {
    socket.terminate();
  } else {
    socket.end();
  }
}

function isOver(record: RequestRecord): boolean {
  return record.outcome !== "open";
}
