import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ApiDocument } from "@sluice/control-plane/api-description/model.ts";
import { generateSource } from "oazapfts";
import { giveToken, loginAdmin, loginUser, type UserLogin } from "../support/accounts/logins.ts";
import { readDescription } from "../support/api-fuzz/description.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { repositoryRoot } from "../support/service/start-process.ts";

/** Where the generated code finds the runtime of its generator. */
const cache = join(repositoryRoot, "tests/node_modules/.cache");

let rig: SluiceRig;
let sluice: SluiceProcess;
let user: UserLogin;
let folder: string;
let document: ApiDocument;
let source: string;

/** A program as a customer would write it: it compiles only if the client has these names and types. */
const program = `import {
  type ApiKey, type Call, type Integer, type KeysCreateRequest, type UsersRow,
  adminUserList, defaults, keysCreate, keysList, keysRevoke, usageList, usageSummary,
} from "./client.ts";

export async function everyKey(): Promise<ApiKey[]> {
  const found: ApiKey[] = [];
  let cursor: Integer | null = null;
  do {
    const page = await keysList({ limit: 100, ...(cursor === null ? {} : { cursor }) });
    if (page.status !== 200) {
      throw new Error(\`\${page.data.error.code}: \${page.data.error.message} (\${page.data.error.request_id})\`);
    }
    found.push(...page.data.keys);
    cursor = page.data.next_cursor;
  } while (cursor !== null);
  return found;
}

export async function create(wish: KeysCreateRequest): Promise<string> {
  const made = await keysCreate(wish);
  switch (made.status) {
    case 200:
      return \`\${made.data.key.key_id} \${made.data.key.status satisfies "active" | "disabled" | "expired" | "revoked"}\`;
    case 409: {
      const code: "too_many_keys" | "idempotency_conflict" | string = made.data.error.code;
      throw new Error(code);
    }
    default:
      throw new Error(made.data.error.message);
  }
}

export async function spent(): Promise<{ calls: Call[]; total: Integer }> {
  const [list, sums] = [await usageList({}), await usageSummary({ fromDay: "2026-11-01" })];
  if (list.status !== 200 || sums.status !== 200) {
    throw new Error("no usage");
  }
  return { calls: list.data.rows, total: sums.data.total.settled_quota };
}

export async function users(): Promise<UsersRow[]> {
  const page = await adminUserList({ limit: "25" });
  return page.status === 200 ? page.data.rows : [];
}

const [act = "", url = "", token = ""] = process.argv.slice(2);
defaults.baseUrl = url;
defaults.headers = { authorization: \`Bearer \${token}\` };
const acts: Record<string, () => Promise<unknown>> = {
  create: () => create({ name: "generated", requests_per_minute: 5 }),
  keys: everyKey,
  spent,
  users,
  revoke: async () => {
    const [key] = await everyKey();
    return key === undefined ? null : await keysRevoke({ key_id: key.key_id });
  },
};
console.log(JSON.stringify(await acts[act]?.()));
`;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.startProcess();
  user = await loginUser(rig, { quota: 1_000_000n });
  document = await readDescription(sluice.url);
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(join(cache, "generated-client-"));
  await Bun.write(join(folder, "api.json"), JSON.stringify(document));
  source = await generateSource(join(folder, "api.json"));
  await Bun.write(join(folder, "client.ts"), source);
  await Bun.write(join(folder, "program.ts"), program);
});

afterAll(async () => {
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

type Ended = { readonly printed: unknown; readonly error: string };

/** Runs the program with a token. */
async function run(act: string, token: string): Promise<Ended> {
  const command = [process.execPath, join(folder, "program.ts"), act, sluice.url, token];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
  const [out, error, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { printed: code === 0 ? JSON.parse(out) : null, error };
}

test("a client that is generated from the description compiles under strict rules, with a program that uses it", async () => {
  const options = {
    ...{
      strict: true,
      noEmit: true,
      module: "esnext",
      moduleResolution: "bundler",
      target: "esnext",
      types: ["bun-types"],
    },
    ...{ noUncheckedIndexedAccess: true, allowImportingTsExtensions: true },
    lib: ["esnext", "dom"],
  };
  const config = { compilerOptions: options, include: ["client.ts", "program.ts"] };
  await Bun.write(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(repositoryRoot, "node_modules/.bin/tsc");
  const child = Bun.spawn([process.execPath, compiler, "-p", folder], { stdout: "pipe", stderr: "pipe" });
  const [out, code] = await Promise.all([child.stdout.text(), child.exited]);
  expect({ code, out: out.slice(0, 4_000) }).toEqual({ code: 0, out: "" });
});

test("every operation of the description is a function of the client", () => {
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) =>
      operationId.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    ),
  );
  expect(ids.filter((id) => !source.includes(`export function ${id}(`))).toEqual([]);
});

test("the program creates, lists and revokes a user's keys, and reads the usage", async () => {
  const token = await giveToken(rig, user, ["keys", "usage"]);
  expect(await run("create", token)).toEqual({ printed: expect.stringMatching(/^\d+ active$/), error: "" });
  expect(await run("keys", token)).toMatchObject({ printed: [{ name: "generated", requests_per_minute: 5 }] });
  expect(await run("spent", token)).toEqual({ printed: { calls: [], total: 0 }, error: "" });
  const revoked = { status: 200, data: { key: { status: "revoked" } } };
  expect(await run("revoke", token)).toMatchObject({ printed: revoked });
});

test("the program of an admin lists users, and a refusal has code, sentence and request", async () => {
  const { printed } = await run("users", await giveToken(rig, await loginAdmin(rig), ["users"]));
  expect((printed as { email: string }[]).map(({ email }) => email)).toContain(user.email);
  const refused = await run("keys", await giveToken(rig, user, ["usage"]));
  expect(refused.error).toMatch(/insufficient_scope: .+ \([0-9a-f-]{36}\)/);
});
