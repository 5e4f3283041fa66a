import { afterAll, beforeAll, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Validator } from "@seriousme/openapi-schema-validator";
import { nativeRoutes } from "@sluice/contracts/native-routes";
import { sessionRules } from "@sluice/control-plane/accounts/sessions/model.ts";
import type { ApiDocument, Operation } from "@sluice/control-plane/api-description/model.ts";
import { findOperation } from "@sluice/control-plane/gateway/operations/table.ts";
import { accessOf } from "../support/admin/backend-access.ts";
import { readDescription, resolveDescription } from "../support/api-fuzz/description.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
let document: ApiDocument;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.startProcess();
  document = await readDescription(sluice.url);
});

afterAll(() => rig.close());

type Named = { readonly name: string; readonly path: string; readonly operation: Operation };

function operations(): Named[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );
}

test("the description is OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as Parameters<Validator["validate"]>[0],
  );
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  expect(document.openapi).toStartWith("3.1");
});

test("every endpoint of the backend and every native route is described, and nothing else", () => {
  const endpoints = Object.keys(accessOf).map((name) => name.replace(/:(\w+)/g, "{$1}"));
  const native = nativeRoutes.map(({ method, path }) => `${method} ${path}`);
  const names = operations().map(({ name }) => name);
  expect(names.toSorted()).toEqual([...endpoints, ...native].toSorted());
});

test("every operation has its own name", () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("whatever several operations share is written once, and every reference resolves", () => {
  const { components } = document;
  const text = JSON.stringify(document);
  const unused = (["schemas", "responses", "parameters"] as const).flatMap((kind) =>
    Object.keys(components[kind]).filter((name) => !text.includes(`"#/components/${kind}/${name}"`)),
  );
  expect(unused).toEqual([]);
  const whole = JSON.stringify(resolveDescription(document));
  expect(whole).not.toContain('"$ref"');
  expect(text.length).toBeLessThan(whole.length / 2);
});

test.each([
  ["/backend/openapi.json", "br"],
  ["/backend/openapi.json", "gzip"],
  ["/backend/docs/", "br"],
  ["/backend/docs/", "gzip"],
])("%s is sent compressed as %s, and not again to clients that have it", async (path, encoding) => {
  const ask = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${sluice.url}${path}`, { headers, decompress: false });
  const plain = await ask({ "accept-encoding": "identity" });
  expect(plain.headers.get("content-encoding")).toBeNull();
  const head = await fetch(`${sluice.url}${path}`, { method: "HEAD", headers: { "accept-encoding": encoding } });
  const packed = await ask({ "accept-encoding": encoding });
  expect(head.headers.get("content-length")).toBe(packed.headers.get("content-length"));
  expect(packed.headers.get("content-encoding")).toBe(encoding);
  expect(packed.headers.get("vary")).toBe("accept-encoding");
  const bytes = await packed.bytes();
  const text = encoding === "br" ? brotliDecompressSync(bytes) : gunzipSync(bytes);
  expect(text.toString()).toBe(await plain.text());
  expect(bytes.length).toBeLessThan(text.length / 5);
  const tag = packed.headers.get("etag") ?? "";
  const again = await ask({ "accept-encoding": encoding, "if-none-match": tag });
  expect({ status: again.status, body: await again.text() }).toEqual({ status: 304, body: "" });
});

test("the table of native routes matches what the gateway does under /v1", () => {
  for (const { method, path, body } of nativeRoutes.filter((route) => route.path.startsWith("/v1/"))) {
    // A websocket has a separate handler.
    if (path === "/v1/realtime") {
      continue;
    }
    const isOther = path === "/v1/{path}";
    const operation = findOperation(isOther ? "/v1/files/file-1" : path.replace("{model}", "some-model"));
    const type = { json: "application/json", multipart: "multipart/form-data", none: undefined }[operation.body];
    const allows = isOther || operation.methods.includes(method);
    expect({ path, allows, type: body?.type }).toEqual({ path, allows: true, type });
    expect({ path, passes: operation.handling === "pass" }).toEqual({ path, passes: isOther });
  }
});

test("the cookies in the description are those of the sessions", () => {
  const { userSession, adminSession } = document.components.securitySchemes as Record<string, { name: string }>;
  expect(userSession?.name).toBe(sessionRules.user.cookieName);
  expect(adminSession?.name).toBe(sessionRules.admin.cookieName);
});

test("without the web, the page shows every operation, needs no JavaScript and loads nothing from anywhere", async () => {
  const answer = await fetch(`${sluice.url}/backend/docs/`);
  const html = await answer.text();
  for (const { operation } of operations()) {
    expect(html).toContain(`<details id="${operation.operationId}">`);
  }
  const [customers = "", operators = ""] = html.split('<h2 id="operators">');
  expect(customers).toContain('<details id="post_v1_chat_completions">');
  expect(customers).toContain("curl -X POST &quot;$BASE_URL/backend/keys/create/&quot;");
  expect(customers).not.toMatch(/<code>[^<]*\/admin\//);
  expect(operators).toContain("$BASE_URL/backend/admin/");
  const policy = answer.headers.get("content-security-policy") ?? "";
  expect(policy).toStartWith("default-src 'none'; base-uri 'none'");
  expect(html).not.toMatch(/<script|<style|<link|<img|\sstyle=|\son\w+=|https?:\/\//i);
});
