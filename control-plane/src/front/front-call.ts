import type { AbortListener, AbortNotice } from "@sluice/http-client/model";
import type { PacketPart } from "@sluice/http-client/packet-part";
import type { CallHeaders } from "../gateway/model.ts";
import { type BodyLimits, type ByteCounter, checkBodyLength } from "../platform/read-body.ts";

/** A call that came whole. It is its own notice of whether its client is still there. */
export class FrontCall implements AbortNotice {
  /** Exactly as in the request line. */
  readonly target: string;
  readonly headers: CallHeaders;
  readonly clientIp: string;
  aborted = false;
  readonly #body: PacketPart;
  #isRead = false;
  /** Most calls have only one at a time. */
  #listener: AbortListener | null = null;
  /** The ones after the first. */
  #others: AbortListener[] | null = null;

  constructor(target: string, headers: CallHeaders, clientIp: string, body: PacketPart) {
    this.target = target;
    this.headers = headers;
    this.clientIp = clientIp;
    this.#body = body;
  }

  /** The front serves no other. */
  get method(): "POST" {
    return "POST";
  }

  get signal(): AbortNotice {
    return this;
  }

  /** The body, once it was read. */
  get body(): PacketPart | null {
    return this.#isRead ? this.#body : null;
  }

  get bodyBytes(): number {
    return this.#body.byteLength;
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
    if (this.#listener === null && this.#others === null) {
      this.#listener = listener;
    } else {
      this.#others ??= [];
      this.#others.push(listener);
    }
  }

  /** Removes the one that was added last. */
  removeEventListener(_type: "abort", listener: AbortListener): void {
    const index = this.#others?.lastIndexOf(listener) ?? -1;
    if (index !== -1) {
      this.#others?.splice(index, 1);
    } else if (this.#listener === listener) {
      this.#listener = null;
    }
  }

  /** The client is gone. @param onFailure takes what a listener throws; the others are told all the same */
  abort(onFailure: (error: unknown) => void): void {
    if (this.aborted) {
      return;
    }
    this.aborted = true;
    const first = this.#listener;
    const others = this.#others ?? [];
    this.#listener = null;
    this.#others = null;
    for (const listener of first === null ? others : [first, ...others]) {
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
