import { afterAll, beforeAll, expect, test } from "bun:test";
import { wireInteger, wireMoment } from "@sluice/contracts/wire";
import { type AnyEndpoint, type EndpointResponse, endpoint } from "@sluice/control-plane/platform/endpoint/model.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { z } from "zod";
import { type EndpointServer, serveEndpoints } from "../support/service/endpoint-server.ts";
import { connectRaw, rawRequest } from "../support/wire/raw-tcp-client.ts";

const output = z.strictObject({ quota: wireInteger, at: wireMoment });

function declared(name: string, handle: () => Promise<EndpointResponse>): AnyEndpoint {
  return endpoint({
    method: "GET",
    path: `/${name}/`,
    access: "public",
    input: z.strictObject({}),
    summary: "For a test.",
    output,
    otherResponses: [{ status: 200, type: "text/csv", summary: "A file." }],
    errors: ["conflict"],
    handle,
  });
}

const throws = (error: AppError) => async (): Promise<EndpointResponse> => {
  throw error;
};

const endpoints = [
  declared("as-declared", async () => ({ quota: 2n ** 62n, at: new Date(0) })),
  declared("file", async () => new Response("a,b", { headers: { "content-type": "text/csv; charset=utf-8" } })),
  declared("known-error", throws(new AppError("conflict"))),
  declared("kit-error", throws(new AppError("temporarily_unavailable"))),
  declared("one-field-more", async () => ({ quota: 1n, at: new Date(0), secret: "not for everybody" })),
  declared("one-field-less", async () => ({ quota: 1n })),
  declared("another-file", async () => new Response("<p>", { headers: { "content-type": "text/html" } })),
  declared("another-error", throws(new AppError("order_not_found"))),
  declared("another-status", throws(new AppError("conflict", { status: 418 }))),
];

let server: EndpointServer;

beforeAll(() => {
  server = serveEndpoints(endpoints);
});

afterAll(() => server.stop());

test.each([
  ["as-declared", 200],
  ["file", 200],
  ["known-error", 409],
  ["kit-error", 503],
])("a declared response is sent: %s", async (name, status) => {
  expect((await fetch(`${server.url}/${name}/`)).status).toBe(status);
});

test.each([
  ["one-field-more", "secret"],
  ["one-field-less", "at"],
  ["another-file", "text/html"],
  ["another-error", "order_not_found"],
  ["another-status", "418"],
])("an undeclared response is held back, and the log says why: %s", async (name, why) => {
  const answer = await fetch(`${server.url}/${name}/`);
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain("not for everybody");
  const line = server.lines.find(({ event, path }) => event === "backend.undocumented_answer" && path === `/${name}/`);
  expect(line?.["problem"]).toContain(why);
});

test("a long response to a read is compressed for clients that accept it, and others stay as they are", async () => {
  const long = "long ".repeat(1_000);
  const one = { path: "/text/", access: "public", summary: "For a test.", errors: [] } as const;
  const input = z.strictObject({});
  const handle = async (): Promise<EndpointResponse> => ({ text: long });
  const shape = { output: z.strictObject({ text: z.string() }), input, handle };
  const other = serveEndpoints([
    endpoint({ ...one, ...shape, method: "GET" }),
    endpoint({ ...one, ...shape, method: "POST" }),
    declared("short", async () => ({ quota: 1n, at: new Date(0) })),
  ]);
  const get = async (path: string, accepted: string, method = "GET"): Promise<Response> =>
    fetch(`${other.url}${path}`, {
      method,
      headers: { "accept-encoding": accepted, "content-type": "application/json", origin: other.url },
      decompress: false,
      ...(method === "POST" ? { body: "{}" } : {}),
    });
  const compressed = await get("/text/", "br, gzip;q=0.5");
  expect([compressed.headers.get("content-encoding"), compressed.headers.get("vary")]).toEqual([
    "gzip",
    "accept-encoding",
  ]);
  expect(compressed.headers.get("x-request-id")).not.toBe(null);
  const bytes = await compressed.arrayBuffer();
  expect(bytes.byteLength).toBeLessThan(500);
  expect(JSON.parse(new TextDecoder().decode(Bun.gunzipSync(bytes)))).toEqual({ ok: true, text: long });
  for (const plain of [
    await get("/text/", "gzip;q=0"),
    await get("/text/", "gzip", "POST"),
    await get("/short/", "gzip"),
  ]) {
    expect([plain.status, plain.headers.get("content-encoding")]).toEqual([200, null]);
    expect(await plain.json()).toMatchObject({ ok: true });
  }
  await other.stop();
});

test("a path parameter that does not match is a 404", async () => {
  const one = endpoint({
    method: "GET",
    path: "/thing/:id/",
    access: "public",
    input: z.strictObject({}),
    params: { id: z.uuid() },
    summary: "For a test.",
    output: z.strictObject({ id: z.string() }),
    errors: [],
    handle: async ({ params }) => ({ id: params["id"] }),
  });
  const other = serveEndpoints([one]);
  const id = crypto.randomUUID();
  expect((await fetch(`${other.url}/thing/${id}/`)).status).toBe(200);
  expect((await fetch(`${other.url}/thing/1'--/`)).status).toBe(404);
  await other.stop();
});

test("a client that waits for a slow response longer than a connection may be idle gets it, and is closed later", async () => {
  const released = Promise.withResolvers<EndpointResponse>();
  const slow = serveEndpoints([declared("slow", () => released.promise)]);
  const port = Number(new URL(slow.url).port);
  const waiting = await connectRaw(port);
  waiting.send(rawRequest(["GET /slow/ HTTP/1.1", "Host: 127.0.0.1"]));
  const idle = await connectRaw(port);
  // The server has looked at all connections when it has closed one that opened later.
  await Promise.race([idle.ended, waiting.ended]);
  await (await connectRaw(port)).ended;
  released.resolve({ quota: 1n, at: new Date(0) });
  await waiting.waitForText("HTTP/1.1 200");
  await waiting.ended;
  await slow.stop();
});
