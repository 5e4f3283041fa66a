import { nativeRoutes } from "@sluice/contracts/native-routes";
import { z } from "zod";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { compressedFileOf, fileResponse } from "../platform/static-file.ts";
import { docsPage, docsPolicy } from "./docs-page.ts";
import { buildDocument } from "./document.ts";
import type { EndpointGroup } from "./model.ts";

const fresh = { "cache-control": "public, max-age=300" };

const unchanged = { status: 304, type: null, summary: "Not modified, by `If-None-Match`." };

/**
 * Serves the API description. It is public: endpoints are not secret, and client authors have no login.
 * @param findGroups called at the first request with a name, because its result includes these endpoints
 * @param brandName the name of the service, which is the title
 * @param scriptPath the script of the page; null when the web is not built
 */
export function descriptionEndpoints(
  findGroups: () => readonly EndpointGroup[],
  brandName: () => string,
  scriptPath: string | null,
): AnyEndpoint[] {
  const describe = oncePer(brandName, (title) => buildDocument(findGroups(), nativeRoutes, title));
  const documentFile = oncePer(brandName, async () =>
    compressedFileOf(JSON.stringify(await describe()), "application/json; charset=utf-8"),
  );
  const pageFile = oncePer(brandName, async () =>
    compressedFileOf(docsPage(await describe(), scriptPath), "text/html; charset=utf-8"),
  );
  return [
    endpoint({
      method: "GET",
      path: "/backend/openapi.json",
      access: "public",
      input: z.strictObject({}),
      summary: "This API description, as OpenAPI",
      output: null,
      otherResponses: [{ status: 200, type: "application/json", summary: "An OpenAPI 3.1 document." }, unchanged],
      errors: [],
      handle: async ({ request }) => fileResponse(request, await documentFile(), { headers: fresh }),
    }),
    endpoint({
      method: "GET",
      path: "/backend/docs/",
      access: "public",
      input: z.strictObject({}),
      summary: "This API description, as a page to read",
      output: null,
      otherResponses: [{ status: 200, type: "text/html", summary: "A page." }, unchanged],
      errors: [],
      handle: async ({ request }) =>
        fileResponse(request, await pageFile(), {
          headers: {
            ...fresh,
            "content-security-policy": docsPolicy(scriptPath !== null),
            "referrer-policy": "no-referrer",
          },
        }),
    }),
  ];
}

/** What `make` returns for the current key; made again when the key has changed. */
function oncePer<Value>(readKey: () => string, make: (key: string) => Value): () => Value {
  let made: { readonly key: string; readonly value: Value } | null = null;
  return () => {
    const key = readKey();
    if (made?.key !== key) {
      made = { key, value: make(key) };
    }
    return made.value;
  };
}
