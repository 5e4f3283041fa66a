import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import {
  accountsOf,
  nextRelayKey,
  providerKey,
  RunningAgent,
  relayKey,
  writeAgentFiles,
} from "../support/exit-nodes/node-agent.ts";
import { startRawHttpServer } from "../support/wire/raw-http-server.ts";
import { createTestAuthority } from "../support/wire/test-certificates.ts";

const newProviderKey = "pk_canary_next_5d0e9b7a31";

let provider: SandboxProvider;

beforeAll(() => {
  provider = startSandboxProvider();
});

afterAll(async () => {
  await provider.stop();
});

/** Begins a stream that the provider holds after two events. */
async function beginStream(agent: RunningAgent) {
  provider.reset();
  provider.script({ silence: { afterChunks: 2 } });
  const answer = await agent.chat({ stream: true });
  const reader = answer.body?.getReader();
  await reader?.read();
  const record = await provider.waitForHeld(0);
  return {
    /** Lets the provider continue and reads the stream to its end. */
    finish: async (): Promise<string> => {
      record.release();
      let text = "";
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
        text += new TextDecoder().decode(part.value);
      }
      return text;
    },
  };
}

describe("SIGHUP", () => {
  test("loads new keys without dropping a stream, and the old relay key while both are listed", async () => {
    await using agent = await RunningAgent.start({ providerUrl: provider.url });
    const stream = await beginStream(agent);
    const statusWith = async (key: string) =>
      (await agent.call("/v1/models", { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await statusWith(nextRelayKey)).toBe(401);
    await agent.reload({
      relayKeys: `${nextRelayKey}\n${relayKey}\n`,
      accounts: accountsOf(provider.url, newProviderKey),
    });
    expect([await statusWith(relayKey), await statusWith(nextRelayKey)]).toEqual([200, 200]);
    expect(provider.requests.at(-1)?.credential).toBe(newProviderKey);
    await agent.reload({ relayKeys: `${nextRelayKey}\n` });
    expect([await statusWith(relayKey), await statusWith(nextRelayKey)]).toEqual([401, 200]);
    expect(await stream.finish()).toEndWith("data: [DONE]\n\n");
    expect(provider.requests[0]?.credential).toBe(providerKey);
  });

  test.each([
    ["80: a file that is only half written", { accounts: '{"accounts":[{"accountCode":"main","apiKey":"pk_can' }],
    ["a file that others can read", { accounts: "{}", accountsMode: 0o644 }],
    ["an empty file of relay keys", { relayKeys: "" }],
    ["a relay key that is too short", { relayKeys: "short\n" }],
    ["three relay keys", { relayKeys: `${relayKey}\n${nextRelayKey}\n${nextRelayKey}x\n` }],
    ["a provider that is not listed", { accounts: accountsOf("https://evil.example") }],
  ])("%s changes nothing", async (_name, files) => {
    await using agent = await RunningAgent.start({ providerUrl: provider.url });
    provider.reset();
    await agent.reload(files, "agent.reload_failed");
    expect((await agent.chat()).status).toBe(200);
    expect(provider.requests[0]?.credential).toBe(providerKey);
    expect(agent.program.output()).not.toContain("pk_can");
  });
});

describe("an invalid setting ends the start with one sentence", () => {
  const bad: readonly (readonly [string, Partial<Parameters<typeof RunningAgent.launch>[0]>, string])[] = [
    ["no node code", { env: { NODE_CODE: "" } }, "NODE_CODE is not set"],
    ["a node code with a line end", { env: { NODE_CODE: "a\nb" } }, "NODE_CODE is not valid"],
    ["no list of hosts", { env: { ALLOWED_PROVIDER_HOSTS: "" } }, "ALLOWED_PROVIDER_HOSTS is not set"],
    [
      "a provider that is not listed",
      { env: { ALLOWED_PROVIDER_HOSTS: "a.example" } },
      "not in ALLOWED_PROVIDER_HOSTS",
    ],
    ["plain http to a provider", { env: { PRIVATE_UPSTREAM_ALLOWED: "0" } }, "without https"],
    ["an invalid port", { env: { PORT: "http" } }, "PORT must be a whole number"],
    ["an open port without TLS", { env: { HOST: "0.0.0.0" } }, "without TLS"],
    ["a certificate without its key", { env: { TLS_CERT_FILE: "/cert" } }, "must be set together"],
    ["an address of another host", { env: { EGRESS_ADDRESS: "192.0.2.1" } }, "is not an address of this host"],
    ["an egress that is not an address", { env: { EGRESS_ADDRESS: "eth0" } }, "EGRESS_ADDRESS must be"],
    ["no file of relay keys", { env: { RELAY_KEYS_FILE: "/nowhere/keys" } }, "can't be read: ENOENT"],
    ["no relay keys named", { env: { RELAY_KEYS_FILE: "" } }, "RELAY_KEYS_FILE is not set"],
    ["relay keys that others can read", { relayKeysMode: 0o640 }, "give it mode 0600"],
    ["provider keys that others can read", { accountsMode: 0o604 }, "give it mode 0600"],
    ["an empty relay key", { relayKeys: "# none\n" }, "relay keys are needed"],
    ["a relay key that can be guessed", { relayKeys: `${"a".repeat(40)}\n` }, "must be random"],
    ["accounts that are not JSON", { accounts: providerKey }, "not valid JSON"],
    ["an account with a misspelt field", { accounts: '{"accounts":[{"api_key":"x"}]}' }, 'unknown field "api_key"'],
    ["an unknown option", { words: ["--verbose"] }, "not known"],
  ];

  test.each(bad)("%s", async (_name, options, sentence) => {
    await using agent = RunningAgent.launch({ providerUrl: provider.url, ...options });
    expect(await agent.program.exited).toBe(1);
    const output = agent.program.output();
    expect(output).toContain(sentence);
    expect(output.trim().split("\n")).toHaveLength(1);
    expect(output).not.toContain(providerKey);
    expect(output).not.toContain(relayKey);
  });

  test("a port in use", async () => {
    await using first = await RunningAgent.start({ providerUrl: provider.url });
    await using second = RunningAgent.launch({ providerUrl: provider.url, env: { PORT: String(first.port) } });
    expect(await second.program.exited).toBe(1);
    expect(second.program.output()).toContain("can't listen on");
    expect(second.program.output().trim().split("\n")).toHaveLength(1);
  });

  test("--check-config says so without listening", async () => {
    await using agent = RunningAgent.launch({ providerUrl: provider.url, words: ["--check-config"] });
    expect([await agent.program.exited, agent.program.output()]).toEqual([0, "The configuration can be used.\n"]);
  });
});

test("systemd credentials are found by their folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "credentials-"));
  mkdirSync(folder, { recursive: true });
  // With an access list for the service, systemd's files show a group that may read.
  writeAgentFiles(folder, { accounts: accountsOf(provider.url), accountsMode: 0o440, relayKeysMode: 0o440 });
  const env = { RELAY_KEYS_FILE: "", PROVIDER_ACCOUNTS_FILE: "", CREDENTIALS_DIRECTORY: folder };
  await using agent = await RunningAgent.start({ providerUrl: provider.url, env });
  expect((await agent.chat()).status).toBe(200);
  rmSync(folder, { recursive: true });
});

describe("TLS", () => {
  const authority = createTestAuthority();
  const [first, second] = [authority.issue({ dns: ["one.example"] }), authority.issue({ dns: ["two.example"] })];

  const nameOn = (port: number): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = connect(
      { port, host: "127.0.0.1", ca: authority.cert, checkServerIdentity: () => undefined },
      () => {
        resolve(String(socket.getPeerCertificate().subjectaltname));
        socket.destroy();
      },
    );
    socket.on("error", reject);
    return promise;
  };

  test("is served from files, and a new certificate is loaded without dropping a stream or a call", async () => {
    const folder = mkdtempSync(join(tmpdir(), "node-tls-"));
    const write = ({ cert, key }: { cert: string; key: string }) => {
      writeFileSync(join(folder, "cert.pem"), cert);
      writeFileSync(join(folder, "key.pem"), key, { mode: 0o600 });
    };
    write(first);
    const env = { TLS_CERT_FILE: join(folder, "cert.pem"), TLS_KEY_FILE: join(folder, "key.pem") };
    await using agent = await RunningAgent.start({ providerUrl: provider.url, env });
    const call = agent.call.bind(agent);
    agent.call = (path, init = {}) => call(path, { ...init, tls: { rejectUnauthorized: false } } as RequestInit);
    expect(await nameOn(agent.port)).toBe("DNS:one.example");
    const stream = await beginStream(agent);
    write(second);
    let isRenewed = false;
    const statuses: number[] = [];
    const callers = Array.from({ length: 4 }, async () => {
      while (!isRenewed) {
        statuses.push((await agent.chat()).status);
      }
    });
    await agent.reload({});
    await agent.program.waitFor("agent.certificate_renewed");
    isRenewed = true;
    await Promise.all(callers);
    expect(new Set(statuses)).toEqual(new Set([200]));
    for (let round = 0; round < 4; round += 1) {
      expect(await nameOn(agent.port)).toBe("DNS:two.example");
    }
    expect(await stream.finish()).toEndWith("data: [DONE]\n\n");
    writeFileSync(join(folder, "cert.pem"), "no certificate");
    await agent.reload({});
    await agent.program.waitFor("agent.certificate_refused");
    expect(await nameOn(agent.port)).toBe("DNS:two.example");
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["a provider whose certificate is right gets the key", { ip: ["127.0.0.1"] }, 200],
    ["a provider whose certificate is another's gets nothing", { dns: ["other.example"] }, 502],
  ])("%s", async (_name, names, status) => {
    const folder = mkdtempSync(join(tmpdir(), "node-ca-"));
    const caFile = join(folder, "ca.pem");
    writeFileSync(caFile, authority.cert);
    const secure = startRawHttpServer({
      tls: authority.issue(names),
      onRequest: (socket) => socket.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
    });
    const providerUrl = `https://127.0.0.1:${secure.port}`;
    await using agent = await RunningAgent.start({
      providerUrl,
      env: { PROVIDER_CA_FILE: caFile, EGRESS_ADDRESS: "127.0.0.7" },
    });
    const answer = await agent.chat();
    expect(answer.status).toBe(status);
    expect(secure.requests).toHaveLength(status === 200 ? 1 : 0);
    secure.stop();
    rmSync(folder, { recursive: true });
  });
});

describe("SIGTERM", () => {
  test("lets a stream finish, shows it in /health, and accepts nothing new", async () => {
    await using agent = await RunningAgent.start({ providerUrl: provider.url, env: { DRAIN_NOTICE_MS: "3000" } });
    const stream = await beginStream(agent);
    agent.program.signal("SIGTERM");
    await agent.program.waitFor("agent.draining");
    const health = await fetch(`${agent.url}/health`);
    expect([health.status, await health.json()]).toEqual([503, { ok: false }]);
    expect(await stream.finish()).toEndWith("data: [DONE]\n\n");
    expect(await agent.program.exited).toBe(0);
    expect(agent.program.output()).toContain("agent.stopped");
  });

  test("cuts what runs for longer than the limit", async () => {
    await using agent = await RunningAgent.start({ providerUrl: provider.url, env: { DRAIN_TIMEOUT_MS: "300" } });
    const stream = await beginStream(agent);
    agent.program.signal("SIGTERM");
    expect(await agent.program.exited).toBe(0);
    expect(agent.program.output()).toContain("agent.drain_timed_out");
    await expect(stream.finish()).rejects.toThrow();
  });
});

test("calls beyond the limit are asked to retry", async () => {
  await using agent = await RunningAgent.start({ providerUrl: provider.url, env: { CALLS_MAX: "1" } });
  const stream = await beginStream(agent);
  const answer = await agent.chat();
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  await stream.finish();
  expect((await agent.chat()).status).toBe(200);
});
