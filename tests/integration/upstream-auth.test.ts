import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
import { readSecret } from "@sluice/control-plane/admin/secrets/service.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { type ConsoleClient, codeOf, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { chat } from "../support/calls/chat-call.ts";
import { type RelayScene, startRelayScene } from "../support/calls/relay-scene.ts";
import { masterKeyBytes } from "../support/service/sluice.ts";
import { patienceMs } from "../support/values/patience.ts";

const canary = "canary-credential-0123456789abcdef";
const privateKey = `-----BEGIN PRIVATE KEY-----\n${"QUJDRA==".repeat(8)}\n-----END PRIVATE KEY-----`;
const paths = { save: "/backend/upstream/auth-profiles/save/", refresh: "/backend/upstream/auth-profiles/refresh/" };

let scene: RelayScene;
let admin: ConsoleClient;
/** The server the profiles point to; counts its callers. */
let trap: Server;
let trapUrl: string;
let visits = 0;

beforeAll(async () => {
  scene = await startRelayScene("one-process");
  admin = consoleClient(scene.sluice.url, (await loginAdmin(scene.rig)).cookie);
  trap = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
  const address = trap.address();
  trapUrl = `https://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}/v1`;
});

afterAll(async () => {
  await new Promise((resolve) => trap.close(resolve));
  await scene.close();
});

type Profile = {
  id: number;
  version: number;
  auth_type: string;
  refresh_check: string | null;
  credential_fields: string[];
};

const profileOf = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  provider: "openai",
  auth_type: "api_key",
  base_url: trapUrl,
  model_scope: "gpt-4o-mini",
  settings: {},
  credential: { api_key: canary },
  ...more,
});

async function save(profile: Record<string, unknown>): Promise<Profile> {
  const { status, body } = await admin.post(paths.save, profile);
  expect([status, body["error"]]).toEqual([200, undefined]);
  return body["profile"] as Profile;
}

describe("a profile", () => {
  test.each([
    ["api_key", { header: "x-api-key", prefix: "" }, { api_key: canary }],
    [
      "service_account",
      { client_email: "robot@example.org", token_url: "https://auth.example.org/token", scopes: ["models"] },
      { private_key: privateKey },
    ],
    [
      "oauth_refresh_token",
      { client_id: "client", token_url: "https://auth.example.org/token" },
      { refresh_token: canary, client_secret: canary },
    ],
    ["custom_header", { header: "X-Provider-Key" }, { value: canary }],
  ])("of type %s keeps its credential out of every response and audit entry", async (type, settings, credential) => {
    const saved = await save(profileOf(`kept ${type}`, { auth_type: type, settings, credential }));
    expect(saved).toMatchObject({ auth_type: type, version: 1, credential_fields: Object.keys(credential).sort() });
    const list = await admin.get("/backend/upstream/auth-profiles/list/");
    const audit = await scene.rig.db
      .sql`select before, after from audit_log where subject_kind = 'upstream_auth_profile'`;
    const stored = await scene.rig.db.sql`select * from upstream_auth_profile`;
    const shown = JSON.stringify([saved, list, audit, stored], (_, value: unknown) =>
      typeof value === "bigint" ? value.toString() : value,
    );
    expect(shown).toContain(`kept ${type}`);
    expect(shown).not.toContain(canary);
    expect(shown).not.toContain("QUJDRA==");
    const kept = await readSecret(scene.rig.db, new MasterKey(masterKeyBytes), `upstream_auth.${saved.id}`);
    expect(JSON.parse(kept ?? "null")).toEqual(credential);
    expect(scene.sluice.log()).not.toContain(canary);
  });

  test("is changed only in its newest version, and keeps the credential that is not sent again", async () => {
    const first = await save(profileOf("versions"));
    const { credential: _, ...rest } = profileOf("versions", { id: first.id });
    const second = await save({ ...rest, version: 1, status: "disabled" });
    expect(second).toMatchObject({ version: 2, credential_fields: ["api_key"] });
    expect(codeOf(await admin.post(paths.save, { ...rest, version: 1 }))).toEqual([409, "conflict"]);
    expect(codeOf(await admin.post(paths.save, profileOf("versions")))).toEqual([409, "conflict"]);
    expect(codeOf(await admin.post(paths.save, profileOf("nobody", { id: 999_999, version: 1 })))).toEqual([
      404,
      "not_found",
    ]);
  });

  test.each([
    ["another host", { base_url: "https://elsewhere.example.org/v1" }],
    ["another type", { auth_type: "custom_header", settings: { header: "x-key" } }],
  ])("requires the credential again before it goes to %s", async (name, change) => {
    const saved = await save(profileOf(`moved to ${name}`));
    const { credential: _, ...rest } = profileOf(`moved to ${name}`, { id: saved.id, version: saved.version });
    expect(codeOf(await admin.post(paths.save, { ...rest, ...change }))).toEqual([400, "secret_required"]);
  });

  test.each([
    ["a plain address", { base_url: "http://provider.example.org/v1" }],
    ["an address with a password", { base_url: "https://user:word@provider.example.org/v1" }],
    ["an address with a fragment", { base_url: "https://provider.example.org/v1#x" }],
    ["an address with a query", { base_url: "https://provider.example.org/v1?key=1" }],
    ["an invalid address", { base_url: "https://" }],
    ["an unknown type", { auth_type: "password" }],
    ["the credential of another type", { credential: { refresh_token: canary } }],
    ["settings of another type", { settings: { client_id: "client" } }],
    ["a header that belongs to the connection", { settings: { header: "Transfer-Encoding" } }],
    ["a line break in a credential", { credential: { api_key: "one\r\nx-evil: two" } }],
    ["an unknown field", { is_routed: true }],
    ["a version without an id", { version: 1 }],
    ["a name with control characters", { name: "a\u0007b" }],
  ])("with %s is refused, and the response repeats no credential", async (_, change) => {
    const answer = await admin.post(paths.save, { ...profileOf("refused"), ...change });
    const codes: Record<string, string> = { is_routed: "unknown_field", name: "invalid_name" };
    expect(codeOf(answer)).toEqual([400, codes[Object.keys(change)[0] ?? ""] ?? "invalid_value"]);
    expect(JSON.stringify(answer)).not.toContain(canary);
  });
});

describe("the route of a call", () => {
  test("depends on channels alone: a profile is not a route, and a refresh calls nobody", async () => {
    const saved = await save(profileOf("no route"));
    const refreshed = await admin.post(paths.refresh, { id: saved.id });
    expect(refreshed.body["profile"]).toMatchObject({ refresh_check: "pending_manual_connector", version: 2 });
    const target = { url: scene.sluice.url, apiKey: scene.user.apiKey };
    expect(await chat(target, { model: "gpt-4o-mini" })).toMatchObject({ status: 200, isWhole: true });
    await scene.rig.db.sql`update channel set status = 'disabled'`;
    try {
      const refusals = async () => (await chat(target, { model: "gpt-4o-mini" })).code;
      const deadline = performance.now() + patienceMs;
      while ((await refusals()) !== "no_upstream" && performance.now() < deadline) {
        await Bun.sleep(20);
      }
      expect(await refusals()).toBe("no_upstream");
    } finally {
      await scene.rig.db.sql`update channel set status = 'enabled'`;
    }
    expect(visits).toBe(0);
    const [entry] = await scene.rig.db.sql<{ actions: string[] }>`
      select array_agg(action order by id) as actions from audit_log
      where subject_kind = 'upstream_auth_profile' and subject_id = ${saved.id.toString()}`;
    expect(entry?.actions).toEqual(["upstream_auth.save", "upstream_auth.refresh"]);
  });

  test("the admin path saves the same profiles", async () => {
    const { status, body } = await admin.post("/backend/admin/upstream/save/", profileOf("by the other address"));
    expect([status, (body["profile"] as Profile).version]).toEqual([200, 1]);
    const { body: listed } = await admin.get("/backend/upstream/auth-profiles/list/");
    expect((listed["profiles"] as { name: string }[]).map(({ name }) => name)).toContain("by the other address");
  });
});
