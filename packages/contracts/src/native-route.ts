import type { ErrorCode } from "./errors.ts";

/** A JSON Schema; only that it is an object is checked here. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The dialect of error responses. */
export type ErrorDialect = "backend" | "openai" | "messages" | "cohere";

/** A route outside the endpoint kit, because it has to match another API or be as cheap as possible. */
export type NativeRoute = {
  readonly method: "GET" | "POST" | "HEAD" | "DELETE";
  /** The path in OpenAPI notation, with `{name}` for parameters. */
  readonly path: string;
  readonly group: string;
  readonly summary: string;
  readonly access: "public" | "api_key" | "metrics_token";
  readonly body?: { readonly type: string; readonly schema: JsonSchema };
  readonly answers: readonly {
    /** `default` for those that are not listed, which are errors. */
    readonly status: number | "default";
    readonly type: string | null;
    readonly summary: string;
    readonly schema?: JsonSchema;
  }[];
  readonly dialect: ErrorDialect;
  readonly errors: readonly ErrorCode[];
  readonly limits: readonly string[];
};
