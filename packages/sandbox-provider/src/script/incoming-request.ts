/** One request as the rules and the API see it; what needs parsing is only computed on demand. */
import { type RequestHead, valuesOf } from "../http/request-reader.ts";

type JsonObject = { readonly [name: string]: unknown };

export class IncomingRequest {
  readonly head: RequestHead;
  /** The exact bytes of the body, or null while it has not been read. */
  readonly body: Buffer | null;
  /** The path without the query. */
  readonly path: string;
  /** The credential after `Bearer` in the Authorization header. */
  readonly credential: string | null;
  #json: { readonly value: unknown } | null = null;

  constructor(head: RequestHead, body: Buffer | null) {
    this.head = head;
    this.body = body;
    const query = head.target.indexOf("?");
    this.credential = /^Bearer +(\S+)$/i.exec(this.header("authorization") ?? "")?.[1] ?? null;
    this.path = query < 0 ? head.target : head.target.slice(0, query);
  }

  /** The first value of a header, given its lower-case name. */
  header(name: string): string | null {
    return valuesOf(this.head.headers, name)[0] ?? null;
  }

  /** The parsed body; undefined when it is not JSON. */
  get json(): unknown {
    this.#json ??= { value: parseJson(this.body) };
    return this.#json.value;
  }

  /** The parsed body if it is an object, else null. */
  get jsonObject(): JsonObject | null {
    const value = this.json;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  }

  get model(): string | null {
    const model = this.jsonObject?.["model"];
    return typeof model === "string" ? model : null;
  }

  get isStream(): boolean {
    return this.jsonObject?.["stream"] === true;
  }
}

function parseJson(bytes: Buffer | null): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes ?? new Uint8Array(0)));
  } catch {
    return undefined;
  }
}
