import { clientAddress, type EdgeSettings } from "../platform/client-address.ts";
import { type ClientPatience, waitForCall, waitForClient } from "../platform/client-patience.ts";
import { peerAddress } from "../platform/peer-address.ts";
import { type BodyLimits, BodyReader, type ByteCounter } from "../platform/read-body.ts";
import { rawTarget } from "../platform/request-target.ts";
import type { IncomingCall } from "./model.ts";

export type ServedCallSettings = { readonly edge: EdgeSettings; readonly patience: ClientPatience };

/** A call that the server of the runtime has received. */
export class ServedCall implements IncomingCall {
  readonly request: Request;
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly clientIp: string;
  readonly signal: AbortSignal;
  readonly #server: Bun.Server<unknown>;
  readonly #settings: ServedCallSettings;
  #reader: BodyReader | null = null;

  constructor(request: Request, server: Bun.Server<unknown>, settings: ServedCallSettings) {
    this.request = request;
    this.method = request.method;
    this.target = rawTarget(request.url);
    this.headers = request.headers;
    this.clientIp = clientAddress(request.headers, peerAddress(server, request), settings.edge);
    this.signal = request.signal;
    this.#server = server;
    this.#settings = settings;
  }

  get body(): Uint8Array | null {
    return this.#reader?.bytes ?? null;
  }

  /** Called before a response that may take long begins. */
  onBegin(): void {
    waitForCall(this.#server, this.request);
  }

  readBody(limits: BodyLimits, counter: ByteCounter | null): Promise<Uint8Array> {
    this.#reader = new BodyReader(this.request, limits);
    return this.#reader.read(counter);
  }

  onOver(bytes: number): void {
    waitForClient(this.#server, this.request, { bytes, patience: this.#settings.patience });
  }
}
