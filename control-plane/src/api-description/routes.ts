import { nativeRoutes } from "@sluice/contracts/native-routes";
import { z } from "zod";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { compressedFileOf, fileResponse, type StaticFile } from "../platform/static-file.ts";
import { barePolicy, docsPage } from "./docs-page.ts";
import { buildDocument } from "./document.ts";
import type { EndpointGroup, PageFrame } from "./model.ts";

const fresh = { "cache-control": "public, max-age=300" };

const unchanged = { status: 304, type: null, summary: "Not modified, by `If-None-Match`." };

/**
 * Serves the API description. It is public: endpoints are not secret, and client authors have no login.
 * @param findGroups called at the first request with a name, because its result includes these endpoints
 * @param brandName the name of the service, which is the title
 * @param readFrame the page of the site around the content; null when the web is not built
 */
export function descriptionEndpoints(
  findGroups: () => readonly EndpointGroup[],
  brandName: () => string,
  readFrame: () => Promise<PageFrame | null>,
): AnyEndpoint[] {
  const describe = oncePer(brandName, (title) => buildDocument(findGroups(), nativeRoutes, title));
  const documentFile = oncePer(brandName, async () =>
    compressedFileOf(JSON.stringify(await describe()), "application/json; charset=utf-8"),
  );
  const makePage = async (frame: string | null): Promise<StaticFile> =>
    compressedFileOf(docsPage(await describe(), frame), "text/html; charset=utf-8");
  const barePage = oncePer(brandName, () => makePage(null));
  const framedPages = new WeakMap<StaticFile, Promise<StaticFile>>();
  /** The frame is drawn again when the name of the service changes, or anything else in it. */
  const framedPage = (frame: StaticFile): Promise<StaticFile> => {
    const page = framedPages.get(frame) ?? makePage(new TextDecoder().decode(frame.bytes));
    framedPages.set(frame, page);
    return page;
  };
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
      handle: async ({ request }) => {
        const frame = await readFrame();
        return frame === null
          ? fileResponse(request, await barePage(), {
              headers: { ...fresh, "content-security-policy": barePolicy, "referrer-policy": "no-referrer" },
            })
          : fileResponse(request, await framedPage(frame.file), { headers: frame.headers });
      },
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
