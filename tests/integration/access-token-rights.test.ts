import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TokenScope, tokenRuleOf, tokenRulePaths } from "@sluice/contracts/token-scopes";
import type { AnyEndpoint } from "@sluice/control-plane/platform/endpoint/model.ts";
import { giveToken, loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { declaredEndpoints, nameOf } from "../support/admin/declared-endpoints.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
let endpoints: readonly AnyEndpoint[];

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.startProcess({ PAYMENT_MOCK: "true" });
  endpoints = await declaredEndpoints(rig);
});

afterAll(() => rig.close());

type Caller = {
  readonly kind: "user" | "admin" | "super_admin";
  readonly scopes: readonly TokenScope[];
};

const isFull = process.env["TEST_FULL"] === "1";
/** More scopes by themselves and together; the others have each kind of refusal. */
const callersOfFullRuns: readonly Caller[] = [
  { kind: "user", scopes: ["keys"] },
  { kind: "user", scopes: ["billing"] },
  { kind: "super_admin", scopes: ["usage", "keys", "billing"] },
  { kind: "super_admin", scopes: ["upstreams", "sensitive"] },
];
const callers: readonly Caller[] = [
  ...(isFull ? callersOfFullRuns : []),
  { kind: "user", scopes: ["usage"] },
  { kind: "user", scopes: ["contents"] },
  { kind: "user", scopes: ["everything"] },
  { kind: "admin", scopes: ["users", "upstreams"] },
  { kind: "admin", scopes: ["everything", "sensitive"] },
  { kind: "super_admin", scopes: ["everything"] },
  { kind: "super_admin", scopes: ["everything", "sensitive"] },
];

async function ask({ method, path }: AnyEndpoint, headers: Record<string, string>) {
  const address = `${sluice.url}${path.replace(":request_id", "none")}`;
  const answer = await fetch(method === "GET" ? `${address}?no_such_field=x` : address, {
    method,
    redirect: "manual",
    headers: { "content-type": "application/json", ...headers },
    ...(method === "GET" ? {} : { body: '{"no_such_field":"x"}' }),
  });
  return { status: answer.status, code: /"error":\{"code":"([a-z_]+)"/.exec(await answer.text())?.[1] ?? "" };
}

/** What a token is refused with, worked out from the table of scopes and the declared access; null if it is let in. */
function refusalOf({ path, access, freshLogin }: AnyEndpoint, { kind, scopes }: Caller): string | null {
  const rule = tokenRuleOf(path);
  const has = (scope: string): boolean => (scopes as readonly string[]).includes(scope);
  if (rule === "closed") {
    return "403 access_token_refused";
  }
  if ((access === "user") !== (kind === "user")) {
    return "401 invalid_access_token";
  }
  const isOfEverything = rule !== "contents";
  if (rule !== "any" && !has(rule) && !(isOfEverything && has("everything"))) {
    return "403 insufficient_scope";
  }
  if (freshLogin === true && !has("sensitive")) {
    return "403 insufficient_scope";
  }
  return access === "super_admin" && kind === "admin" ? "403 super_admin_required" : null;
}

const refusals = new Set([
  ...["access_token_refused", "invalid_access_token", "insufficient_scope", "super_admin_required"],
  ...["unauthenticated", "session_expired", "step_up_required", "forbidden", "csrf_rejected", "ambiguous_credentials"],
]);

test("every operation that needs a login has its row in the table of what tokens may do, and the table has no other", () => {
  const named = new Set(endpoints.filter(({ access }) => access !== "public").map(({ path }) => path));
  expect(tokenRulePaths.toSorted()).toEqual([...named].toSorted());
});

test("what is open to tokens is open by its declared login, never to visitors", () => {
  const odd = endpoints.filter(
    ({ path, access }) => (access === "public" || access === "optional_user") && tokenRuleOf(path) !== "closed",
  );
  expect(odd.map(nameOf)).toEqual([]);
});

test("no token gets near logins, passwords, second factors, tokens, rights, decisions, secrets or contents of others", () => {
  const guarded = /password|totp|session|token|\/admin\/admin\/|decide|secret|payload|settings\/save/;
  const open = endpoints.filter(({ path }) => guarded.test(path) && tokenRuleOf(path) !== "closed");
  expect(open.map(nameOf)).toEqual([
    "POST /backend/admin/user/sessions/revoke/",
    // A user's own calls; the bodies themselves take a scope of their own.
    "GET /backend/usage/payload/reading/",
    "POST /backend/usage/payload/",
    "GET /backend/usage/payload/access/list/",
  ]);
  expect(tokenRuleOf("/backend/usage/payload/")).toBe("contents");
});

test.each(callers)("an endpoint gives a token of %j only what scopes and rights allow", async (caller) => {
  const owner = await (caller.kind === "user"
    ? loginUser(rig)
    : loginAdmin(rig, { isSuper: caller.kind === "super_admin" }));
  const authorization = `Bearer ${await giveToken(rig, owner, caller.scopes)}`;
  for (const each of endpoints.filter(({ access }) => access !== "public")) {
    const { status, code } = await ask(each, { authorization });
    expect([nameOf(each), refusals.has(code) ? `${status} ${code}` : null]).toEqual([
      nameOf(each),
      refusalOf(each, caller),
    ]);
  }
});

test("a cookie and a token together are refused everywhere, also when both are of one person", async () => {
  const user = await loginUser(rig);
  const admin = await loginAdmin(rig);
  const ofUser = `Bearer ${await giveToken(rig, user, ["everything"])}`;
  for (const { cookie } of [user, admin]) {
    for (const each of endpoints.filter(({ access }) => access !== "public")) {
      const { status, code } = await ask(each, { authorization: ofUser, cookie, origin: sluice.url });
      expect([nameOf(each), status, code]).toEqual([nameOf(each), 400, "ambiguous_credentials"]);
    }
  }
});

test("a field that takes a fresh login of a super-admin takes the scope for it", async () => {
  const admin = await loginAdmin(rig);
  const { userId } = await loginUser(rig);
  const save = async (scopes: readonly TokenScope[]) => {
    const answer = await fetch(`${sluice.url}/backend/admin/user/save/`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${await giveToken(rig, admin, scopes)}` },
      body: JSON.stringify({ user_id: String(userId), rate_multiplier: "0.5" }),
    });
    return answer.status;
  };
  expect(await save(["everything"])).toBe(403);
  expect(await save(["users", "sensitive"])).toBe(200);
});
