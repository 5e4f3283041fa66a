import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAccountPath } from "@sluice/contracts/account-paths";
import { type AdminOperation, type AdminRight, adminRights } from "@sluice/contracts/admin-rights";
import { nativeRoutes } from "@sluice/contracts/native-routes";
import { openBackendApp } from "@sluice/control-plane/compose/backend-app.ts";
import { buildProgram } from "@sluice/control-plane/compose/program.ts";
import { loadConfig } from "@sluice/control-plane/platform/config.ts";
import type { AnyEndpoint } from "@sluice/control-plane/platform/endpoint/model.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import type { z } from "zod";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { accessOf, specifiedPaths } from "../support/admin/backend-access.ts";
import { declaredBackend, declaredEndpoints, nameOf } from "../support/admin/declared-endpoints.ts";
import type { DeclaredAccess } from "../support/admin/operator-access.ts";
import { masterKeyBytes, type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { inputNames, oddValues, soundValues } from "../support/values/odd-values.ts";

const callers = ["nobody", "user", "another_user", "admin", "stale_admin", "super_admin", "stale_super_admin"] as const;
type Caller = (typeof callers)[number];

const isFull = process.env["TEST_FULL"] === "1";
/** They meet the same values: all of them with `TEST_FULL=1`, otherwise every eighth one, and the next fields others. */
const fieldsAtOnce = 12;
const everyNth = isFull ? 1 : 8;
let rig: SluiceRig;
let sluice: SluiceProcess;
let endpoints: readonly AnyEndpoint[];
const cookies = Object.fromEntries(callers.map((each) => [each, ""])) as Record<Caller, string>;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.startProcess({ PAYMENT_MOCK: "true", LOG_LEVEL: "debug" });
  cookies.user = (await loginUser(rig)).cookie;
  cookies.another_user = (await loginUser(rig)).cookie;
  cookies.admin = (await loginAdmin(rig, { isSuper: false })).cookie;
  cookies.stale_admin = (await loginAdmin(rig, { isSuper: false, isFresh: false })).cookie;
  cookies.super_admin = (await loginAdmin(rig)).cookie;
  cookies.stale_super_admin = (await loginAdmin(rig, { isFresh: false })).cookie;
  endpoints = await declaredEndpoints(rig);
});

afterAll(() => rig.close());

type Said = { readonly cookie?: string; readonly fields?: object; readonly headers?: Record<string, string> };

async function call(
  { method, path }: AnyEndpoint,
  { cookie = "", fields = {}, headers = { origin: sluice.url } }: Said,
) {
  const query = new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const address = `${sluice.url}${path.replace(":request_id", "none")}`;
  const answer = await fetch(method === "GET" ? `${address}?${query}` : address, {
    method,
    redirect: "manual",
    headers: { "content-type": "application/json", cookie, ...headers },
    ...(method === "GET" ? {} : { body: JSON.stringify(fields) }),
  });
  const text = await answer.text();
  return { status: answer.status, code: /"error":\{"code":"([a-z_]+)"/.exec(text)?.[1] ?? "", text };
}

function declaredAccess({ access, freshLogin, guardedFields = [] }: AnyEndpoint): DeclaredAccess {
  if (guardedFields.length > 0) {
    return `admin, fresh super_admin for ${guardedFields.join(", ")}`;
  }
  return freshLogin === true ? (`fresh ${access}` as DeclaredAccess) : access;
}

test("the access of every endpoint matches the table, and no endpoint is missing there", () => {
  expect(Object.fromEntries(endpoints.map((each) => [nameOf(each), declaredAccess(each)]))).toEqual(accessOf);
});

test("everything that admins change has its row in the table of rights, and is declared by it", () => {
  const changing = endpoints.filter(({ access, method }) => access.endsWith("admin") && method === "POST");
  expect(changing.map(({ path }) => path).filter((path) => !(path in adminRights))).toEqual([]);
  for (const { path, access, freshLogin, guardedFields, withoutSecondFactor } of endpoints) {
    const right: AdminRight | undefined = adminRights[path as AdminOperation];
    if (right !== undefined) {
      const { roles: _roles, roleFields: _roleFields, ...declared } = right;
      expect([path, { access, freshLogin, guardedFields, withoutSecondFactor }]).toEqual([path, declared]);
    }
  }
  expect(Object.keys(adminRights).filter((path) => !endpoints.some((each) => each.path === path))).toEqual([]);
});

/** In the framework's notation, without the trailing slash. */
const plainPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1").replace(/(.)\/$/, "$1");

test("the router has exactly the declared routes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-walk-"));
  const config = loadConfig({
    NODE_ENV: "test",
    DATABASE_URL: rig.database.url,
    DATA_DIR: folder,
    MASTER_KEY: masterKeyBytes.toString("base64"),
    RESERVE_FILE_BYTES: "0",
  });
  const log = createLog("error", () => undefined);
  const program = await buildProgram(config, log);
  const backend = openBackendApp((await declaredBackend(rig)).routes, log);
  try {
    // Below these, the relay itself distinguishes paths; one that also ends in a slash is routed as a pattern.
    const isBelow = (path: string): boolean =>
      /^\/(v1|v1beta|v2|msgcompat)(\/|$)/.test(path) || isAccountPath(path.replace(/\*$/, ""));
    const inServer = program.app.paths;
    const routed = new Set(
      [...inServer.filter((path) => !isBelow(path)), ...backend.app.routes.map(({ path }) => path)].map(plainPath),
    );
    const native = nativeRoutes.map(({ path }) => plainPath(path));
    const declared = [...endpoints.map(({ path }) => plainPath(path)), ...native.filter((path) => !isBelow(path))];
    expect([...routed].filter((path) => path !== "/*" && path !== "*").toSorted()).toEqual(
      [...new Set(declared)].toSorted(),
    );
  } finally {
    await program.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test("every endpoint declares its input, its responses, its errors and its parameters", () => {
  const problems = endpoints.flatMap((each) => {
    const params = [...each.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
    const lacks = [
      each.output === null && (each.otherResponses ?? []).length === 0 && "any answer",
      each.summary.length < 10 && "summary",
      params.some((name) => each.params?.[name] === undefined) && "params",
      each.body === "raw" && (each.rawTypes ?? []).length === 0 && "rawTypes",
    ];
    return lacks.filter((lack) => lack !== false).map((lack) => `${nameOf(each)}: ${lack}`);
  });
  expect(problems).toEqual([]);
});

/**
 * Forms tell a person what is wrong field by field, notices are read by code that checks their signature, a service that
 * people sign in with may send back more than is asked for, and of what a page reports is taken what can be used.
 */
const isLenient = ({ path, body = "json" }: AnyEndpoint): boolean =>
  body !== "json" ||
  [
    "/login/",
    "/login/with/:provider/",
    "/login/with/:provider/callback/",
    "/admin/login/",
    "/register/",
    "/verify-email/",
    "/reset-password/",
    "/backend/auth/verify-email/",
  ].includes(path);

test("no endpoint accepts an unknown field", () => {
  const open = endpoints.filter((each) => {
    const result = each.input.safeParse({ no_such_field: "x" });
    return !isLenient(each) && !(result.error?.issues ?? []).some(isAboutUnknown);
  });
  expect(open.map(nameOf)).toEqual([]);
});

/** Also within the forms of a choice. */
function isAboutUnknown(issue: z.core.$ZodIssue): boolean {
  return (
    issue.code === "unrecognized_keys" ||
    (issue.code === "invalid_union" && issue.errors.every((errors) => errors.some(isAboutUnknown)))
  );
}

test("every admin endpoint requires an admin", () => {
  const open = endpoints.filter(({ path, access }) => path.startsWith("/backend/admin/") && !access.endsWith("admin"));
  expect(open.map(nameOf)).toEqual([]);
});

/** What a caller without the right login gets, or null when the login is right. */
function refusalOf({ access, freshLogin }: AnyEndpoint, caller: Caller): string | null {
  const isUser = caller === "user" || caller === "another_user";
  const isAdmin = caller.endsWith("admin");
  switch (access) {
    case "user":
      return isUser ? null : "401 unauthenticated";
    case "admin":
      return isAdmin ? staleRefusal(freshLogin, caller) : "401 unauthenticated";
    case "super_admin":
      if (!caller.endsWith("super_admin")) {
        return isAdmin ? "403 super_admin_required" : "401 unauthenticated";
      }
      return staleRefusal(freshLogin, caller);
    default:
      return null;
  }
}

function staleRefusal(freshLogin: boolean | undefined, caller: Caller): string | null {
  return freshLogin === true && caller.startsWith("stale_") ? "403 step_up_required" : null;
}

const refusals = new Set(["unauthenticated", "forbidden", "super_admin_required", "step_up_required"]);

test.each(callers)("an endpoint gives %s only what its access allows", async (caller) => {
  // Ending its own sessions would end the test.
  for (const each of endpoints.filter(({ path }) => !path.includes("logout"))) {
    const { status, code } = await call(each, { cookie: cookies[caller], fields: { no_such_field: "x" } });
    const refusal = refusalOf(each, caller);
    const isRefused = refusals.has(code);
    expect([nameOf(each), isRefused ? `${status} ${code}` : null]).toEqual([nameOf(each), refusal]);
  }
});

test.each(callers)("fields that require more rights are accepted from %s only with these rights", async (caller) => {
  const guarded = endpoints.flatMap((each) => (each.guardedFields ?? []).map((field) => ({ each, field })));
  expect(guarded.length).toBeGreaterThan(0);
  for (const { each, field } of guarded) {
    const sound = inputNames(each.input).flatMap((one) => (one in soundValues ? [[one, soundValues[one]]] : []));
    const fields = Object.fromEntries(sound);
    expect(Object.keys(fields)).toContain(field);
    const { status, code } = await call(each, { cookie: cookies[caller], fields });
    const expected = refusalOf({ ...each, access: "super_admin", freshLogin: true }, caller);
    expect([nameOf(each), field, refusals.has(code) ? `${status} ${code}` : null]).toEqual([
      nameOf(each),
      field,
      expected,
    ]);
  }
});

test.each(callers)("the login of %s opens no route that asks for an API key", async (caller) => {
  const routes = nativeRoutes.filter(({ access }) => access === "api_key");
  expect(routes.length).toBeGreaterThan(15);
  for (const { method, path, body } of routes) {
    // A known path of those that are passed through: others do not exist for anyone.
    const passed = method === "DELETE" ? "files/any" : "files";
    const asked = path.replace("{path}", passed).replace(/\{\w+\}/, "any");
    const answer = await fetch(`${sluice.url}${asked}`, {
      method,
      headers: { cookie: cookies[caller], "content-type": body?.type ?? "application/json" },
      ...(method === "POST" ? { body: "{}" } : {}),
    });
    // A request that is not a websocket is refused before anything else.
    expect([method, path, answer.status]).toEqual([method, path, path === "/v1/realtime" ? 426 : 401]);
  }
});

const wrongOrigins: readonly Record<string, string>[] = [
  { origin: "https://elsewhere.example" },
  { "sec-fetch-site": "same-site" },
  {},
];
/** One function judges the origin for every path, so that an ordinary run tries these at ten of them. */
const moreWrongOrigins: readonly Record<string, string>[] = [
  { origin: "null" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "none" },
];

test.each([...wrongOrigins, ...moreWrongOrigins])(
  "a write with a login that gives %j as its origin changes nothing",
  async (headers) => {
    const writes = endpoints.filter(({ method, body }) => method === "POST" && body !== "raw");
    expect(writes.length).toBeGreaterThan(30);
    const isBrief = !isFull && moreWrongOrigins.includes(headers);
    for (const each of isBrief ? writes.slice(0, 10) : writes) {
      const { status, code } = await call(each, { cookie: `${cookies.user}; ${cookies.super_admin}`, headers });
      expect([nameOf(each), status, code]).toEqual([nameOf(each), 403, "csrf_rejected"]);
    }
  },
);

test.each(specifiedPaths)("%s %s works with and without its trailing slash", async (method, path) => {
  const statuses = await Promise.all(
    [path, path.replace(/\/$/, "")].map(async (each) => {
      const answer = await fetch(`${sluice.url}${each}`, { method, redirect: "manual" });
      return answer.status;
    }),
  );
  expect(statuses[0]).toBe(statuses[1] ?? 0);
  expect([404, 405]).not.toContain(statuses[0]);
});

describe("odd values", () => {
  /** Each field is odd in turn, and all others are valid. */
  async function trouble(each: AnyEndpoint, name: string, odd: unknown): Promise<string | null> {
    const isOfAdmins = each.access.endsWith("admin");
    const cookie = isOfAdmins ? cookies.super_admin : each.access === "public" ? "" : cookies.user;
    const sound = inputNames(each.input).flatMap((one) => (one in soundValues ? [[one, soundValues[one]]] : []));
    const { status, text } = await call(each, { cookie, fields: { ...Object.fromEntries(sound), [name]: odd } });
    return status === 500 ? `${nameOf(each)} ${name} ${JSON.stringify(odd).slice(0, 40)}: ${text}` : null;
  }

  test("no field of any endpoint makes the program fail", async () => {
    const tries = endpoints.flatMap((each) => inputNames(each.input).map((name) => ({ each, name })));
    expect(tries.length).toBeGreaterThan(100);
    const found: (string | null)[] = [];
    for (let from = 0; from < tries.length; from += fieldsAtOnce) {
      // Far too many attempts are no longer looked at.
      await rig.db.sql`delete from attempt_counter`;
      const turn = from / fieldsAtOnce;
      for (const odd of oddValues.filter((_, index) => index % everyNth === turn % everyNth)) {
        const some = tries.slice(from, from + fieldsAtOnce);
        found.push(...(await Promise.all(some.map(({ each, name }) => trouble(each, name, odd)))));
      }
    }
    expect(found.filter((one) => one !== null)).toEqual([]);
    expect(sluice.log()).not.toContain('"code":"internal_error"');
    expect(await rig.checkMoney()).toEqual([]);
  });

  test("a body nested as deep as its length allows is refused", async () => {
    const deep = `{"email":${"[".repeat(30_000)}${"]".repeat(30_000)},"password":"x"}`;
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${sluice.url}/backend/auth/login/`, { method: "POST", headers, body: deep });
    expect(answer.status).toBe(400);
  });
});
