import type { AnyEndpoint } from "../platform/endpoint/model.ts";
import type { StaticFile } from "../platform/static-file.ts";

/** A feature's endpoints, and the name they are grouped under. */
export type EndpointGroup = { readonly name: string; readonly endpoints: readonly AnyEndpoint[] };

/** A page of the site with a place for the content, and the headers that it is sent with. */
export type PageFrame = { readonly file: StaticFile; readonly headers: Readonly<Record<string, string>> };

export type Json = Readonly<Record<string, unknown>>;

/** The description of one method of one path. */
export type Operation = {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
  readonly security: readonly Json[];
  readonly "x-access": string;
  /** The scope that an access token needs, or `any`; absent where tokens are refused. */
  readonly "x-token-scope"?: string;
  readonly "x-fresh-login"?: true;
  /** Input fields that only a super-admin with a fresh login may send. */
  readonly "x-guarded-fields"?: readonly string[];
  readonly "x-body-bytes-max": number | null;
  readonly "x-limits": readonly string[];
};

/** An API description in OpenAPI 3.1. */
export type ApiDocument = {
  readonly openapi: "3.1.1";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** The parts that several operations refer to. */
  readonly components: Readonly<
    Record<"schemas" | "responses" | "parameters" | "headers" | "securitySchemes", Readonly<Record<string, Json>>>
  >;
};
