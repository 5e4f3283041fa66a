/**
 * one-api and new-api, whose binaries are given: each with a SQLite of its own in the folder of the run, one channel to the
 * provider and one key, made by its API as an operator does it.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import type { Arm, GivenArmName, Site } from "../arm.ts";
import { type RunningServer, startOnArmCore } from "../child-process.ts";
import { chatCall, convertedAt, rewrittenCall } from "../load/call.ts";
import { chatHeaders } from "../load/chat-request.ts";

const READY_MS_MAX = 60_000;
const CALL_MS_MAX = 10_000;
/** The type of a channel that speaks as OpenAI does. */
const OPENAI_TYPE = 1;
const keyName = "bench";

/** In what the set-up of the two differs. */
type Kind = {
  readonly name: GivenArmName;
  readonly root: { readonly username: string; readonly password: string };
  /** Makes the first user. */
  open(api: Api): Promise<void>;
  toChannel(channel: Record<string, unknown>): Record<string, unknown>;
};

export const oneApiArm = armOf({
  name: "one-api",
  // This user exists after the first start.
  root: { username: "root", password: "123456" },
  async open() {},
  toChannel: (channel) => channel,
});

const newApiRoot = { username: "root", password: "bench-password" };
export const newApiArm = armOf({
  name: "new-api",
  root: newApiRoot,
  async open(api) {
    const { username, password } = newApiRoot;
    const modes = { SelfUseModeEnabled: true, DemoSiteEnabled: false };
    await api.call("POST", "/api/setup", { username, password, confirmPassword: password, ...modes });
  },
  toChannel: (channel) => ({ mode: "single", channel }),
});

function armOf(kind: Kind): Arm {
  const { name } = kind;
  return {
    name,
    title: name,
    converts: false,
    async prepare({ binaries }) {
      const binary = binaries[name];
      if (binary === undefined) {
        return `no binary was given (--${name})`;
      }
      return existsSync(binary) ? null : `${binary} does not exist`;
    },
    async start(site) {
      const [port, folder] = [await findFreePort(), join(site.folder, name)];
      const server = await startProgram(kind, { site, port, folder });
      try {
        const apiKey = await setUp(kind, new Api(port), site);
        return {
          port,
          path: "/v1/chat/completions",
          headers: chatHeaders(apiKey),
          call: rewrittenCall,
          pid: server.pid,
          companions: [],
          books: null,
          stop: server.stop,
        };
      } catch (error) {
        await server.stop();
        throw error;
      }
    },
  };
}

type Place = { readonly site: Site; readonly port: number; readonly folder: string };

function startProgram({ name }: Kind, { site, port, folder }: Place): Promise<RunningServer> {
  const binary = site.binaries[name];
  if (binary === undefined) {
    throw new Error("no binary was given");
  }
  mkdirSync(folder, { recursive: true });
  return startOnArmCore({
    name,
    command: [binary, "--port", String(port), "--log-dir", folder],
    port,
    cwd: folder,
    env: {
      // An empty address of a database is SQLite.
      SQL_DSN: "",
      LOG_SQL_DSN: "",
      REDIS_CONN_STRING: "",
      SQLITE_PATH: `${join(folder, "one-api.db")}?_busy_timeout=30000`,
      SESSION_SECRET: crypto.randomUUID(),
      GIN_MODE: "release",
      // What their own guides set for a service under load.
      MEMORY_CACHE_ENABLED: "true",
      SYNC_FREQUENCY: "1",
      BATCH_UPDATE_ENABLED: "true",
    },
    logFile: join(folder, "output.log"),
  });
}

/** Makes channel and key; returns the key once a call with it can be answered. */
async function setUp(kind: Kind, api: Api, site: Site): Promise<string> {
  await kind.open(api);
  const user = (await api.call("POST", "/api/user/login", kind.root)) as { id?: unknown } | null;
  api.actAs(String(user?.id ?? 1));
  const channel = {
    type: OPENAI_TYPE,
    name: "bench",
    key: "sk-bench-provider",
    base_url: `http://127.0.0.1:${site.providerPort}${convertedAt}`,
    models: chatCall.model,
    group: "default",
    groups: ["default"],
  };
  await api.call("POST", "/api/channel/", kind.toChannel(channel));
  const key = { name: keyName, expired_time: -1, remain_quota: 0, unlimited_quota: true };
  await api.call("POST", "/api/token/", { ...key, model_limits_enabled: false, group: "" });
  const apiKey = `sk-${await readKey(api)}`;
  await untilServed(api, apiKey);
  return apiKey;
}

type StoredKey = { readonly id: number; readonly name: string; readonly key?: string };

/** Newer versions list keys masked and give them out one by one. */
async function readKey(api: Api): Promise<string> {
  const list = (await api.call("GET", "/api/token/?p=0&size=10")) as
    | readonly StoredKey[]
    | { items?: readonly StoredKey[] };
  const found = ("items" in list ? (list.items ?? []) : (list as readonly StoredKey[])).find(
    ({ name }) => name === keyName,
  );
  if (found === undefined) {
    throw new Error(`the key is not in the list: ${JSON.stringify(list)}`);
  }
  const { id, key = "" } = found;
  if (key !== "" && !key.includes("*")) {
    return key.replace(/^sk-/, "");
  }
  const given = (await api.call("POST", `/api/token/${id}/key`)) as { key?: string } | null;
  if (typeof given?.key !== "string") {
    throw new Error(`the key was not given: ${JSON.stringify(given)}`);
  }
  return given.key.replace(/^sk-/, "");
}

/** Channels are read into memory each second. */
async function untilServed(api: Api, apiKey: string): Promise<void> {
  const deadline = Date.now() + READY_MS_MAX;
  for (;;) {
    const response = await api.chat(apiKey);
    if (response.ok) {
      return;
    }
    if (Date.now() > deadline) {
      throw new Error(`it does not serve calls: ${response.status} ${response.text.slice(0, 500)}`);
    }
    await Bun.sleep(200);
  }
}

/** The program's own API, with the session of its root user. */
class Api {
  readonly #base: string;
  #cookie = "";
  #user = "";

  constructor(port: number) {
    this.#base = `http://127.0.0.1:${port}`;
  }

  actAs(user: string): void {
    this.#user = user;
  }

  /** @returns `data` of the answer @throws Error with the program's message when it says that the call failed */
  async call(method: "GET" | "POST", path: string, body?: Record<string, unknown>): Promise<unknown> {
    const response = await fetch(this.#base + path, {
      method,
      headers: { "content-type": "application/json", cookie: this.#cookie, "new-api-user": this.#user },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_MS_MAX),
    });
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]);
    this.#cookie = cookies.length === 0 ? this.#cookie : cookies.join("; ");
    const text = await response.text();
    const answer = parse(text);
    if (!response.ok || answer?.success !== true) {
      throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    }
    return answer.data ?? null;
  }

  async chat(apiKey: string): Promise<{ readonly ok: boolean; readonly status: number; readonly text: string }> {
    const response = await fetch(`${this.#base}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model: chatCall.model, messages: [{ role: "user", content: "ready?" }] }),
      signal: AbortSignal.timeout(CALL_MS_MAX),
    });
    return { ok: response.ok, status: response.status, text: await response.text() };
  }
}

function parse(text: string): { success?: boolean; data?: unknown } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
