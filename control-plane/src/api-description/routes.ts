import { z } from "zod";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { docsPage, docsPolicy } from "./docs-page.ts";
import { buildDocument } from "./document.ts";
import type { EndpointGroup } from "./model.ts";
import { nativeRoutes } from "./native-routes.ts";

const fresh = { "cache-control": "public, max-age=300", "x-content-type-options": "nosniff" };

/**
 * Where the API describes itself. It is open to everybody: what may be called by whom is no secret, and whoever writes a
 * client has no login.
 * @param findGroups asked once, at the first request: the endpoints here are among them
 */
export function descriptionEndpoints(findGroups: () => readonly EndpointGroup[]): AnyEndpoint[] {
  const describe = once(() => buildDocument(findGroups(), nativeRoutes));
  const documentText = once(() => JSON.stringify(describe()));
  const pageText = once(() => docsPage(describe()));
  return [
    endpoint({
      method: "GET",
      path: "/backend/openapi.json",
      access: "public",
      input: z.strictObject({}),
      summary: "This description, for programs.",
      output: null,
      otherAnswers: [{ status: 200, type: "application/json", summary: "A document after OpenAPI 3.1." }],
      errors: [],
      handle: async () =>
        new Response(documentText(), { headers: { ...fresh, "content-type": "application/json; charset=utf-8" } }),
    }),
    endpoint({
      method: "GET",
      path: "/backend/docs/",
      access: "public",
      input: z.strictObject({}),
      summary: "This description, for people.",
      output: null,
      otherAnswers: [{ status: 200, type: "text/html", summary: "A page." }],
      errors: [],
      handle: async () =>
        new Response(pageText(), {
          headers: {
            ...fresh,
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": docsPolicy,
            "referrer-policy": "no-referrer",
          },
        }),
    }),
  ];
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
