/** One request as the rules and the API look at it; what costs a parse is only computed when it is asked for. */
import { type RequestHead, valuesOf } from "../http/request-reader.ts";

type JsonObject = { readonly [name: string]: unknown };

export class IncomingRequest {
  readonly head: RequestHead;
  /** The exact bytes of the body, or null as long as it has not been read. */
  readonly body: Uint8Array | null;
  /** The path without the query. */
  readonly path: string;
  #json: { readonly value: unknown } | null = null;

  constructor(head: RequestHead, body: Uint8Array | null) {
    this.head = head;
    this.body = body;
    const query = head.target.indexOf("?");
    this.path = query < 0 ? head.target : head.target.slice(0, query);
  }

  /** The first value of a header, given its lower-case name. */
  header(name: string): string | null {
    return valuesOf(this.head.headers, name)[0] ?? null;
  }

  /** What follows `Bearer` in the Authorization header. */
  get credential(): string | null {
    return /^Bearer +(\S+)$/i.exec(this.header("authorization") ?? "")?.[1] ?? null;
  }

  /** The parsed body; undefined when it is no JSON. */
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

function parseJson(bytes: Uint8Array | null): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes ?? new Uint8Array(0)));
  } catch {
    return undefined;
  }
}
