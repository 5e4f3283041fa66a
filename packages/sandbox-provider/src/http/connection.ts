/** One TCP connection: reads requests one after the other and responds to each before it reads the next. */
import { Outlet, type SendingSocket } from "./outlet.ts";
import { type ReaderLimits, type RequestHead, RequestReader } from "./request-reader.ts";

export type Exchange = {
  readonly head: RequestHead;
  /** Null when the response does not wait for the body. */
  readonly body: Buffer | null;
  readonly outlet: Outlet;
  /** Hands over what the client sends from now on, because the connection speaks another protocol. */
  takeOver(receiver: ConnectionReceiver): void;
};

export interface ConnectionReceiver {
  onData(bytes: Buffer): void;
  onClose(): void;
}

export interface ConnectionHandler {
  /** Whether to respond to this request without its body. */
  wantsEarlyAnswer(head: RequestHead): boolean;
  /** Responds to one request; resolves when the response was sent, with whether the connection may continue. */
  answer(exchange: Exchange): Promise<boolean>;
  /** A client broke the protocol. */
  onViolation(reason: string): void;
}

const continueLine = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n");

export class Connection {
  readonly #handler: ConnectionHandler;
  readonly #reader: RequestReader;
  readonly #outlet: Outlet;
  readonly #socket: SendingSocket;
  #receiver: ConnectionReceiver | null = null;
  #isAnswering = false;
  #isOver = false;

  constructor(socket: SendingSocket, handler: ConnectionHandler, limits: ReaderLimits) {
    this.#socket = socket;
    this.#handler = handler;
    this.#reader = new RequestReader(limits);
    this.#outlet = new Outlet(socket);
  }

  onData(chunk: Buffer): void {
    if (this.#receiver !== null) {
      this.#receiver.onData(chunk);
    } else if (!this.#isOver) {
      this.#reader.push(chunk);
      this.#advance();
    }
  }

  onDrain(): void {
    this.#outlet.onDrain();
  }

  onClose(): void {
    this.#isOver = true;
    this.#outlet.onClose();
    this.#receiver?.onClose();
  }

  #advance(): void {
    while (!(this.#isAnswering || this.#isOver)) {
      const step = this.#reader.read();
      if (step.kind === "more") {
        return;
      }
      if (step.kind === "violation") {
        this.#refuse(step.status, step.reason);
        return;
      }
      if (step.kind === "request") {
        this.#answer(this.#exchange(step.head, step.body));
      } else if (this.#handler.wantsEarlyAnswer(step.head)) {
        this.#answer(this.#exchange(step.head, null));
      } else if (step.head.expectsContinue) {
        this.#socket.write(continueLine);
      }
    }
  }

  #exchange(head: RequestHead, body: Buffer | null): Exchange {
    const takeOver = (receiver: ConnectionReceiver): void => {
      this.#receiver = receiver;
    };
    return { head, body, outlet: this.#outlet, takeOver };
  }

  #answer(exchange: Exchange): void {
    this.#isAnswering = true;
    const finish = (mayGoOn: boolean): void => {
      this.#isAnswering = false;
      if (!mayGoOn || exchange.body === null) {
        this.#isOver = true;
      }
      this.#advance();
    };
    this.#handler.answer(exchange).then(finish, (error: unknown) => {
      this.#outlet.reset();
      this.#handler.onViolation(`the sandbox failed: ${String(error)}`);
      finish(false);
    });
  }

  #refuse(status: number, reason: string): void {
    this.#isOver = true;
    this.#handler.onViolation(reason);
    const body = JSON.stringify({
      error: { message: `Bad request: ${reason}.`, type: "invalid_request_error", param: null, code: null },
    });
    this.#socket.end(
      `HTTP/1.1 ${status} Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
}
