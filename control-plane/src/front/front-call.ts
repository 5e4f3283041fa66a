import type { AbortListener, AbortNotice } from "@sluice/http-client/model";
import type { PacketPart } from "@sluice/http-client/packet-part";
import type { CallHeaders } from "../gateway/model.ts";
import { type BodyLimits, type ByteCounter, checkBodyLength } from "../platform/read-body.ts";

/** A call that came whole. It is its own notice of whether its client is still there. */
export class FrontCall implements AbortNotice {
  readonly method = "POST";
  /** Exactly as in the request line. */
  readonly target: string;
  readonly headers: CallHeaders;
  readonly clientIp: string;
  aborted = false;
  readonly #body: PacketPart;
  #isRead = false;
  #listeners: AbortListener[] = [];

  constructor(target: string, headers: CallHeaders, clientIp: string, body: PacketPart) {
    this.target = target;
    this.headers = headers;
    this.clientIp = clientIp;
    this.#body = body;
  }

  get signal(): AbortNotice {
    return this;
  }

  /** The body, once it was read. */
  get body(): PacketPart | null {
    return this.#isRead ? this.#body : null;
  }

  /** @throws AppError `request_too_large`, and the counter's errors */
  readBody({ bytesMax }: BodyLimits, counter: ByteCounter | null): PacketPart {
    const { byteLength } = this.#body;
    checkBodyLength(byteLength, bytesMax);
    counter?.add(byteLength);
    this.#isRead = true;
    return this.#body;
  }

  /** The connection has limits of its own for what is left to write. */
  onOver(): void {}

  addEventListener(_type: "abort", listener: AbortListener): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: AbortListener): void {
    const index = this.#listeners.lastIndexOf(listener);
    if (index === this.#listeners.length - 1) {
      this.#listeners.pop();
    } else if (index !== -1) {
      this.#listeners.splice(index, 1);
    }
  }

  /** The client is gone. @param onFailure takes what a listener throws; the others are told all the same */
  abort(onFailure: (error: unknown) => void): void {
    if (this.aborted) {
      return;
    }
    this.aborted = true;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) {
      try {
        if (typeof listener === "function") {
          listener();
        } else {
          listener.handleEvent();
        }
      } catch (error) {
        onFailure(error);
      }
    }
  }
}
