import type { ErrorCode } from "@sluice/contracts/errors";
import type { AnyEndpoint } from "../platform/endpoint/model.ts";
import type { JsonSchema } from "./json-schema.ts";

/** The endpoints of a feature, under the name by which they are grouped. */
export type EndpointGroup = { readonly name: string; readonly endpoints: readonly AnyEndpoint[] };

/** The dialect of error responses. */
export type Dialect = "backend" | "openai" | "messages";

/** A route outside the endpoint kit, because it has to match another API or cost as little as possible. */
export type NativeRoute = {
  readonly method: "GET" | "POST" | "HEAD" | "DELETE";
  /** As OpenAPI writes it, with `{name}` for parameters. */
  readonly path: string;
  readonly group: string;
  readonly summary: string;
  readonly access: "public" | "api_key" | "metrics_token";
  readonly body?: { readonly type: string; readonly schema: JsonSchema };
  readonly answers: readonly {
    readonly status: number | "4XX" | "5XX";
    readonly type: string | null;
    readonly summary: string;
    readonly schema?: JsonSchema;
  }[];
  readonly dialect: Dialect;
  readonly errors: readonly ErrorCode[];
  readonly limits: readonly string[];
};

export type Json = Readonly<Record<string, unknown>>;

/** One method of one path in the description. */
export type Operation = {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
  readonly security: readonly Json[];
  readonly "x-access": string;
  readonly "x-fresh-login"?: true;
  /** Fields of the input that only a super-admin with a fresh login may send. */
  readonly "x-guarded-fields"?: readonly string[];
  readonly "x-body-bytes-max": number | null;
  readonly "x-limits": readonly string[];
};

/** A description of the API after OpenAPI 3.1. */
export type ApiDocument = {
  readonly openapi: "3.1.1";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** What several operations refer to. */
  readonly components: Readonly<
    Record<"schemas" | "responses" | "parameters" | "headers" | "securitySchemes", Readonly<Record<string, Json>>>
  >;
};
