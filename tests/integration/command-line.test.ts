import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allCommands } from "@sluice/cli/commands/all-commands.ts";
import { type AdminLogin, giveToken, loginAdmin, loginUser, type UserLogin } from "../support/accounts/logins.ts";
import { readDescription } from "../support/api-fuzz/description.ts";
import { describeUnless, unlessInstalled } from "../support/service/obstacles.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { repositoryRoot } from "../support/service/start-process.ts";

const program = join(repositoryRoot, "cli/src/main.ts");
let rig: SluiceRig;
let sluice: SluiceProcess;
let admin: AdminLogin;
let user: UserLogin;
const homes: string[] = [];
let adminHome: string;
let userHome: string;

type Ended = { readonly code: number; readonly out: string; readonly error: string };
type Surroundings = { readonly home: string; readonly input?: string; readonly env?: Record<string, string> };

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "sluice-cli-"));
  homes.push(home);
  return home;
}

/** Runs the program with nothing in its environment but a home, and with this standard input. */
async function run({ home, input = "", env = {} }: Surroundings, ...args: readonly string[]): Promise<Ended> {
  const child = Bun.spawn([process.execPath, program, ...args], {
    env: { PATH: process.env["PATH"] ?? "", XDG_CONFIG_HOME: home, ...env },
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, error };
}

const asAdmin = (...args: readonly string[]): Promise<Ended> => run({ home: adminHome }, ...args);
const asUser = (...args: readonly string[]): Promise<Ended> => run({ home: userHome }, ...args);

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.startProcess();
  admin = await loginAdmin(rig);
  user = await loginUser(rig, { quota: 1_000_000n });
  [adminHome, userHome] = [await newHome(), await newHome()];
  const input = await giveToken(rig, admin, ["everything", "sensitive"]);
  expect(await run({ home: adminHome, input }, "login", "--url", sluice.url)).toMatchObject({ code: 0 });
  const own = await giveToken(rig, user, ["everything"]);
  expect(await run({ home: userHome, input: own }, "login", "--url", sluice.url)).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await rig.close();
  await Promise.all(homes.map((home) => rm(home, { recursive: true, force: true })));
});

function json<Value>({ code, out, error }: Ended): Value {
  expect([code, error]).toEqual([0, ""]);
  return JSON.parse(out) as Value;
}

describe("the login", () => {
  test("is stored for its owner only, and no output shows the token", async () => {
    const home = await newHome();
    const token = await giveToken(rig, user, ["keys"]);
    const ended = await run({ home, input: `${token}\n` }, "login", "--url", sluice.url);
    expect([ended.code, ended.out]).toEqual([0, expect.stringContaining(user.email)]);
    expect(ended.out + ended.error).not.toContain(token);
    const path = join(home, "sluice/login.json");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ url: sluice.url, token });
    expect(json<object>(await run({ home }, "whoami", "--json"))).toEqual({ name: user.email, kind: "user" });
    await chmod(path, 0o640);
    expect(await run({ home }, "whoami")).toMatchObject({ code: 3, out: "", error: expect.stringContaining("chmod") });
    expect((await run({ home }, "logout")).code).toBe(0);
    expect(await run({ home }, "whoami")).toMatchObject({ code: 3, out: "" });
  });

  test("of the environment replaces the stored one, and half of it nothing", async () => {
    const token = await giveToken(rig, admin, ["everything"]);
    const env = { SLUICE_URL: sluice.url, SLUICE_TOKEN: token };
    const ended = await run({ home: userHome, env }, "whoami", "--json");
    expect(json<object>(ended)).toEqual({ name: admin.username, kind: "admin" });
    expect(await run({ home: userHome, env: { SLUICE_TOKEN: token } }, "whoami")).toMatchObject({ code: 2, out: "" });
    const plain = { ...env, SLUICE_URL: "http://example.org" };
    expect(await run({ home: userHome, env: plain }, "whoami")).toMatchObject({ code: 2, out: "" });
  });
});

describe("keys", () => {
  test("are created, changed and revoked by their user", async () => {
    const made = json<{ secret: string; key: { key_id: number } }>(
      await asUser("keys", "create", "--name", "from a shell", "--rpm", "7", "--json"),
    );
    expect(made.secret).toStartWith("sk-");
    const id = String(made.key.key_id);
    const changed = json<object>(await asUser("keys", "edit", id, "--name", "another name", "--json"));
    expect(changed).toMatchObject({ name: "another name", requests_per_minute: 7 });
    expect((await asUser("keys", "list")).out).toContain("another name");
    expect(json<object>(await asUser("keys", "revoke", id, "--json"))).toMatchObject({ status: "revoked" });
  });

  test("are locked, unlocked and revoked by admins with a reason", async () => {
    const made = json<{ key: { key_id: number } }>(await asUser("keys", "create", "--name", "watched", "--json"));
    const id = String(made.key.key_id);
    expect(await asAdmin("keys", "lock", id)).toMatchObject({ code: 2 });
    expect((await asAdmin("keys", "lock", id, "--reason", "leaked")).code).toBe(0);
    const listed = json<{ rows: { lock_reason: string | null }[] }>(await asUser("keys", "list", "--json"));
    expect(listed.rows[0]?.lock_reason).toBe("leaked");
    expect((await asAdmin("keys", "unlock", id, "--reason", "rotated")).code).toBe(0);
    const revoked = json<object>(await asAdmin("keys", "revoke", id, "--reason", "unused", "--json"));
    expect(revoked).toMatchObject({ status: "revoked" });
    const audited = json<{ rows: { reason: string; action: string; actor_token: string }[] }>(
      await asAdmin("audit-log", "--action", "api_key.lock", "--json"),
    );
    expect(audited.rows[0]).toMatchObject({ reason: "leaked", actor_token: expect.stringContaining("test") });
  });

  test("that an owner named after a control sequence reach the terminal without it", async () => {
    await rig.db
      .sql`update api_key set name = ${"\u009b31mred\u202e"} where gateway_user_id = ${user.gatewayUserId}::bigint`;
    for (const shown of [await asUser("keys", "list"), await asUser("keys", "list", "--json")]) {
      expect([shown.code, /[^\n\P{Cc}]/u.test(shown.out)]).toEqual([0, false]);
      expect(shown.out).toContain("31mred");
    }
  });
});

test("a list is read page by page, or whole", async () => {
  const token = await giveToken(rig, await loginUser(rig), ["keys"]);
  const own = { home: await newHome(), env: { SLUICE_URL: sluice.url, SLUICE_TOKEN: token } };
  const count = 27;
  for (let made = 0; made < count; made += 1) {
    await fetch(`${sluice.url}/backend/keys/create/`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: `key ${made}` }),
    });
  }
  type Listed = { rows: { name: string }[]; next_cursor: number | null };
  const first = await run(own, "keys", "list", "--limit", "25");
  expect(first.out.trimEnd().split("\n")).toHaveLength(25 + 1);
  const [, cursor = ""] = /--cursor (\S+),/.exec(first.error) ?? [];
  const rest = json<Listed>(await run(own, "keys", "list", "--limit", "25", "--cursor", cursor, "--json"));
  expect([rest.rows.length, rest.next_cursor]).toEqual([count - 25, null]);
  const all = json<Listed>(await run(own, "keys", "list", "--all", "--json"));
  expect(new Set(all.rows.map(({ name }) => name)).size).toBe(count);
});

test("an admin adds, switches, exports and imports channels", async () => {
  const credential = "sk-provider-credential";
  const added = ["channels", "add", "--preset", "openai", "--name", "shell", "--json"];
  const channel = json<{ channel_id: number; name: string }>(
    await run({ home: adminHome, input: credential }, ...added),
  );
  expect(channel.name).toBe("shell");
  expect((await asAdmin("channels", "disable", String(channel.channel_id))).code).toBe(0);
  const listed = json<{ rows: { name: string; status: string }[] }>(await asAdmin("channels", "list", "--json"));
  expect(listed.rows.find(({ name }) => name === "shell")?.status).toBe("disabled");
  const file = (await asAdmin("channels", "export")).out;
  expect(file).not.toContain(credential);
  const whole = JSON.parse(file) as { channels: { name: string }[] };
  const copies = whole.channels.map((each) => ({ ...each, name: `copy of ${each.name}` }));
  const copied = { home: adminHome, input: JSON.stringify({ ...whole, channels: copies }) };
  expect(json<object[]>(await run(copied, "channels", "import", "--json"))).toHaveLength(copies.length);
  expect(await run({ home: adminHome, input: file }, "channels", "import")).toMatchObject({ code: 1 });
  expect(await run({ home: adminHome, input: "{}" }, "channels", "import")).toMatchObject({ code: 2 });
  const audited = json<{ rows: object[] }>(await asAdmin("audit-log", "--action", "channel.save", "--json"));
  expect(audited.rows[0]).toMatchObject({ actor_name: admin.username });
});

test("an admin finds, suspends and activates users", async () => {
  const other = await loginUser(rig, { quota: 500_000n });
  const id = String(other.userId);
  expect((await asAdmin("users", "list", "--q", other.email)).out).toMatch(/ 1\.000000 /);
  expect((await asAdmin("users", "show", id)).out).toContain("Balance  1.000000 USD");
  expect((await asAdmin("users", "suspend", id)).code).toBe(2);
  const suspended = json<object>(await asAdmin("users", "suspend", id, "--reason", "fraud", "--json"));
  expect(suspended).toMatchObject({ status: "suspended" });
  expect((await asAdmin("users", "list", "--status", "suspended")).out).toContain(other.email);
  expect((await asAdmin("users", "activate", id, "--reason", "settled")).code).toBe(0);
});

test("usage is summed and listed for users and for admins", async () => {
  expect(json<object>(await asUser("usage", "--json"))).toMatchObject({ total: { calls: 0 } });
  expect(json<object>(await asUser("usage", "calls", "--json"))).toEqual({ rows: [], next_cursor: null });
  expect(json<object>(await asAdmin("usage", "--json"))).toMatchObject({ by: "model", total: { calls: 0 } });
  expect(json<object>(await asAdmin("usage", "calls", "--json"))).toEqual({ rows: [], next_cursor: null });
  expect((await asUser("usage")).out).toContain("0 calls, 0.000000 USD");
});

describe("the end of the program says what went wrong:", () => {
  test.each([
    [0, ["--help"]],
    [0, ["keys"]],
    [0, ["channels", "add", "--help"]],
    [2, ["nothing"]],
    [2, ["keys", "nothing"]],
    [2, ["keys", "list", "--unknown"]],
    [2, ["keys", "list", "--limit", "7"]],
    [2, ["keys", "revoke"]],
    [2, ["login", "--url", "http://example.org"]],
    [1, ["users", "show", "999999999"]],
  ] as const)("%d for %j", async (code, args) => {
    expect((await asAdmin(...args)).code).toBe(code);
  });

  test("a refusal names its request", async () => {
    expect((await asAdmin("users", "show", "999999999")).error).toMatch(/\(not_found\) Request [0-9a-f-]{36}/);
  });

  test("3 without a valid token, which no message repeats, and 4 without a service", async () => {
    const env = { SLUICE_URL: sluice.url, SLUICE_TOKEN: `sl-mgmt-${"x".repeat(48)}` };
    const refused = await run({ home: adminHome, env }, "users", "list");
    expect([refused.code, refused.error.includes("xxxx")]).toEqual([3, false]);
    const nowhere = { home: adminHome, env: { ...env, SLUICE_URL: "http://127.0.0.1:9" } };
    expect((await run(nowhere, "users", "list")).code).toBe(4);
  });
});

test("each command has a help with its options", async () => {
  const { run: runHere } = await import("@sluice/cli/run.ts");
  const input = { text: async () => "", secret: async () => "" };
  for (const { name, options = {} } of allCommands) {
    const { out } = await runHere([...name.split(" "), "--help"], { env: {}, input });
    expect([name, Object.keys(options).filter((option) => !out.includes(`--${option}`))]).toEqual([name, []]);
  }
});

describeUnless(unlessInstalled("bash"), "in bash", () => {
  const complete = async (...words: readonly string[]): Promise<string[]> => {
    const script = (await asUser("completion", "bash")).out;
    const called = `sluice() { '${process.execPath}' '${program}' "$@"; }
${script}
COMP_WORDS=(${["sluice", ...words].map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}
_sluice; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const child = Bun.spawn(["bash", "-c", called], { stdout: "pipe" });
    return (await child.stdout.text()).split("\n").filter((line) => line !== "");
  };

  test("commands, options and values are completed", async () => {
    expect(await complete("ke")).toEqual(["keys"]);
    expect(await complete("keys", "re")).toEqual(["revoke"]);
    expect(await complete("keys", "list", "--li")).toEqual(["--limit"]);
    expect(await complete("keys", "list", "--limit", "")).toEqual(["100", "25", "50"]);
    expect(await complete("completion", "")).toEqual(["bash", "fish", "zsh"]);
  });
});

test("every path that is called is in the API description", async () => {
  const { paths } = await readDescription(sluice.url);
  const files = [...new Bun.Glob("cli/src/**/*.ts").scanSync({ cwd: repositoryRoot })];
  const texts = await Promise.all(files.map((file) => readFile(join(repositoryRoot, file), "utf8")));
  const called = texts.join("").match(/"\/backend\/[a-z/-]+\/"/g) ?? [];
  expect(called.length).toBeGreaterThan(20);
  expect(called.filter((path) => !(JSON.parse(path) in paths))).toEqual([]);
});
