/** One request as the rules and the API see it; what needs parsing is only computed on demand. */
import { type RequestHead, valuesOf } from "../http/request-reader.ts";

const modelInPath = /^\/v1(?:beta)?\/models\/([^/:]+):/;

type JsonObject = { readonly [name: string]: unknown };

/** The ways in which a client can send its key: the Authorization header, a header of its own, or `?key=`. */
export const authStyles = ["bearer", "x-api-key", "api-key", "x-goog-api-key", "query"] as const;

export type AuthStyle = (typeof authStyles)[number];

export type Credential = { readonly style: AuthStyle; readonly value: string };

export class IncomingRequest {
  readonly head: RequestHead;
  /** The exact bytes of the body, or null while it has not been read. */
  readonly body: Buffer | null;
  /** The path without the query. */
  readonly path: string;
  /** Every key that the request carries, however it was sent. */
  readonly credentials: readonly Credential[];
  #json: { readonly value: unknown } | null = null;

  constructor(head: RequestHead, body: Buffer | null) {
    this.head = head;
    this.body = body;
    const query = head.target.indexOf("?");
    this.path = query < 0 ? head.target : head.target.slice(0, query);
    this.credentials = authStyles.flatMap((style) => {
      const value = this.#keyOf(style, query);
      return value === null ? [] : [{ style, value }];
    });
  }

  /** The key, the one in the Authorization header first. */
  get credential(): string | null {
    return this.credentials[0]?.value ?? null;
  }

  /** The first value of a header, given its lower-case name. */
  header(name: string): string | null {
    return valuesOf(this.head.headers, name)[0] ?? null;
  }

  #keyOf(style: AuthStyle, queryStart: number): string | null {
    switch (style) {
      case "bearer":
        return /^Bearer +(\S+)$/i.exec(this.header("authorization") ?? "")?.[1] ?? null;
      case "query":
        return queryStart < 0 ? null : new URLSearchParams(this.head.target.slice(queryStart)).get("key");
      default:
        return this.header(style);
    }
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

  /** The name of the model, in the body or in the path. */
  get model(): string | null {
    const model = modelInPath.exec(this.path)?.[1] ?? this.jsonObject?.["model"];
    return typeof model === "string" ? model : null;
  }

  get isStream(): boolean {
    return this.path.endsWith(":streamGenerateContent") || this.jsonObject?.["stream"] === true;
  }
}

function parseJson(bytes: Buffer | null): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes ?? new Uint8Array(0)));
  } catch {
    return undefined;
  }
}
