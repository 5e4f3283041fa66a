/**
 * What the bench relies on of one-api and of new-api (with `--kind new-api`): how they are set up, and that they parse
 * answers and rewrite them. It demands each step of the set-up.
 */
import { parseArgs } from "node:util";

const { values } = parseArgs({
  args: Bun.argv.slice(2),
  options: { kind: { type: "string" }, port: { type: "string" }, "log-dir": { type: "string" } },
});
const isNew = values.kind === "new-api";
const session = "session=stub";
const secret = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL";

type Json = Record<string, unknown>;
let root: Json | null = isNew ? null : { username: "root", password: "123456" };
let channel: Json | null = null;
let key: Json | null = null;

function data(value: unknown, headers: Record<string, string> = {}): Response {
  return Response.json({ success: true, message: "", data: value }, { headers });
}

const refuse = (message: string) => Response.json({ success: false, message });

function isSignedIn({ headers }: Request): boolean {
  return (headers.get("cookie") ?? "").includes(session) && (!isNew || headers.get("new-api-user") === "1");
}

function setUp(body: Json): Response {
  if (root !== null || body["password"] !== body["confirmPassword"]) {
    return refuse("set up already, or two passwords");
  }
  root = { username: body["username"], password: body["password"] };
  return data(null);
}

function logIn(body: Json): Response {
  const isRoot = root !== null && body["username"] === root["username"] && body["password"] === root["password"];
  return isRoot ? data({ id: 1 }, { "set-cookie": `${session}; Path=/; HttpOnly` }) : refuse("wrong password");
}

function addChannel(body: Json): Response {
  channel = (isNew ? body["mode"] === "single" && body["channel"] : body) as Json;
  return data(null);
}

function listKeys(): Response {
  if (key === null) {
    return data(isNew ? { items: [] } : []);
  }
  return data(isNew ? { items: [{ id: 7, ...key, key: "0123**********IJKL" }] } : [{ id: 7, ...key, key: secret }]);
}

const administration: Record<string, (body: Json) => Response> = {
  "POST /api/channel/": addChannel,
  "POST /api/token/": (body) => {
    key = body;
    return data(null);
  },
  "GET /api/token/": listKeys,
  ...(isNew ? { "POST /api/token/7/key": () => data({ key: secret }) } : {}),
};

async function relay(request: Request): Promise<Response> {
  const body = (await request.json()) as Json;
  if (request.headers.get("authorization") !== `Bearer sk-${secret}` || key?.["unlimited_quota"] !== true) {
    return Response.json({ error: { message: "invalid token" } }, { status: 401 });
  }
  if (channel === null || !String(channel["models"]).split(",").includes(String(body["model"]))) {
    return Response.json({ error: { message: "no channel" } }, { status: 503 });
  }
  const answer = await fetch(`${channel["base_url"]}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${channel["key"]}` },
    body: JSON.stringify(body),
  });
  if (body["stream"] !== true) {
    return Response.json(await answer.json());
  }
  return new Response(answer.body?.pipeThrough(new TransformStream()), {
    headers: { "content-type": "text/event-stream" },
  });
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(values.port),
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/v1/chat/completions") {
      return await relay(request);
    }
    const body = request.method === "POST" ? ((await request.json().catch(() => ({}))) as Json) : {};
    if (isNew && pathname === "/api/setup") {
      return setUp(body);
    }
    if (pathname === "/api/user/login") {
      return logIn(body);
    }
    const act = administration[`${request.method} ${pathname}`];
    if (act === undefined) {
      return new Response("not found", { status: 404 });
    }
    return isSignedIn(request) ? act(body) : refuse("not logged in");
  },
});
