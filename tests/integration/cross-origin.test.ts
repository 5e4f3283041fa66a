/** Who may call from a page in a browser: nobody by default, then only the named origins, and never with cookies. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MessagesRig, messagesModel } from "../support/messages/messages-rig.ts";
import type { SluiceProcess } from "../support/service/sluice.ts";

const allowed = "https://app.example";
const site = "https://gateway.example";
const stranger = "https://app.example.evil.test";
const paths = ["/v1/chat/completions", "/msgcompat/v1/messages"];
const models: Record<string, string> = { [paths[0] ?? ""]: "gpt-4o-mini", [paths[1] ?? ""]: messagesModel };
const corsHeaders = ["access-control-allow-origin", "access-control-allow-headers", "access-control-expose-headers"];

let messages: MessagesRig;
let closed: SluiceProcess;
let open: SluiceProcess;

beforeAll(async () => {
  messages = await MessagesRig.start("one-process", {
    CORS_ORIGINS: `${allowed}, app://desktop`,
    PUBLIC_BASE_URL: site,
  });
  closed = await messages.rig.startProcess();
  open = await messages.rig.startProcess({ CORS_ORIGINS: "*" });
});
afterAll(() => messages.close());

const preflight = (sluice: SluiceProcess, path: string, origin: string): Promise<Response> =>
  fetch(`${sluice.url}${path}`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,anthropic-version,x-stainless-os",
    },
  });

function call(sluice: SluiceProcess, path: string, origin: string, fields: object = {}): Promise<Response> {
  const body = { model: models[path], max_tokens: 9, messages: [{ role: "user", content: "Hi" }], ...fields };
  return fetch(`${sluice.url}${path}`, {
    method: "POST",
    headers: { origin, authorization: `Bearer ${messages.user.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

function openedBy({ headers }: Response): (string | null)[] {
  expect(headers.get("access-control-allow-credentials")).toBeNull();
  return corsHeaders.map((name) => headers.get(name));
}

const nothing = [null, null, null];

describe.each(paths)("%s", (path) => {
  test("is open to no page by default", async () => {
    const asked = await preflight(closed, path, allowed);
    expect([asked.status, openedBy(asked)]).toEqual([405, nothing]);
    const answer = await call(closed, path, allowed);
    expect([answer.status, openedBy(answer)]).toEqual([200, nothing]);
    expect(answer.headers.get("vary")).toBeNull();
    await answer.text();
  });

  test("responds to the preflight of a named origin without a key, and of no other", async () => {
    for (const origin of [allowed, "app://desktop"]) {
      const asked = await preflight(messages.sluice, path, origin);
      expect(asked.status).toBe(204);
      expect(openedBy(asked).slice(0, 2)).toEqual([origin, "authorization,anthropic-version,x-stainless-os"]);
      expect(asked.headers.get("access-control-allow-methods")).toContain("POST");
      expect(asked.headers.get("vary")).toBe("origin");
    }
    for (const origin of [stranger, "https://app.example:8443", "http://app.example", "null"]) {
      const asked = await preflight(messages.sluice, path, origin);
      expect([asked.status, openedBy(asked)]).toEqual([405, nothing]);
    }
  });

  test("lets a named origin read responses, streams and errors with their headers, and no other", async () => {
    for (const [fields, status] of [
      [{}, 200],
      [{ stream: true }, 200],
      [{ model: "unknown" }, 404],
    ] as const) {
      const answer = await call(messages.sluice, path, allowed, fields);
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([status, allowed]);
      const exposed = answer.headers.get("access-control-expose-headers") ?? "";
      for (const name of ["x-request-id", "request-id", "retry-after", "x-should-retry", "x-compat-dropped", "link"]) {
        expect(exposed).toContain(name);
      }
      expect(answer.headers.get("link")).toBe(
        status === 200 ? null : `<${site}/docs/errors/#model_not_found>; rel="help"`,
      );
      await answer.text();
      const strange = await call(messages.sluice, path, stranger, fields);
      expect([openedBy(strange), strange.headers.get("vary")]).toEqual([nothing, "origin"]);
      await strange.text();
    }
  });

  test("is open to every page with a star", async () => {
    const asked = await preflight(open, path, stranger);
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    const answer = await call(open, path, "null");
    expect([answer.headers.get("access-control-allow-origin"), answer.headers.get("vary")]).toEqual(["*", null]);
    openedBy(answer);
    await answer.text();
  });
});

test("an OPTIONS that is not a preflight, and a call without a browser, get the usual response", async () => {
  const plain = await fetch(`${open.url}/v1/models`, { method: "OPTIONS", headers: { origin: allowed } });
  expect(plain.status).toBe(405);
  const answer = await fetch(`${open.url}/v1/models`, { headers: { authorization: `Bearer ${messages.user.apiKey}` } });
  expect([answer.status, openedBy(answer)]).toEqual([200, nothing]);
});

test("invalid header names are not echoed", async () => {
  const asked = await fetch(`${open.url}/v1/models`, {
    method: "OPTIONS",
    headers: { origin: allowed, "access-control-request-method": "GET", "access-control-request-headers": "a b; c" },
  });
  expect([asked.status, asked.headers.get("access-control-allow-headers")]).toEqual([204, null]);
});

test("nothing else is opened, whatever is named", async () => {
  for (const path of ["/backend/auth/login/", "/backend/console/keys/list/", "/healthz", "/readyz", "/"]) {
    for (const method of ["OPTIONS", "GET", "POST"]) {
      const answer = await fetch(`${open.url}${path}`, {
        method,
        headers: { origin: allowed, "access-control-request-method": "POST", "content-type": "application/json" },
        ...(method === "POST" ? { body: "{}" } : {}),
      });
      expect(openedBy(answer)).toEqual(nothing);
    }
  }
});
