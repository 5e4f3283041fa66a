import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SandboxProvider } from "@sluice/sandbox-provider/sandbox";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";

let provider: SandboxProvider;
let rig: SluiceRig;
let sluice: SluiceProcess;
let user: TestUser;

beforeAll(async () => {
  provider = startSandboxProvider();
  rig = await SluiceRig.create(provider.url);
  await rig.db.sql`
    insert into messages_model (name, display_name, upstream_model, flags, released_at)
    values ('claude-test', 'Claude', 'gpt-4o-mini', '{}', now())`;
  user = await rig.addUser();
  sluice = await rig.startProcess();
});

afterAll(async () => {
  expect(await rig.checkMoney()).toEqual([]);
  await rig.close();
  await provider.stop();
});

const paths = ["/v1/chat/completions", "/msgcompat/v1/messages"] as const;
const call = (path: (typeof paths)[number]): Promise<Response> =>
  fetch(`${sluice.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: path.startsWith("/v1") ? "gpt-4o-mini" : "claude-test",
      max_tokens: 10,
      messages: [{ role: "user", content: "hello" }],
    }),
  });

/** Forgets the pause of the channel, and that the provider refused its credential. */
const forgetPause = async (): Promise<void> => {
  await sluice.stop();
  await rig.db.sql`update channel_credential set refused_at = null, refused_reason = null`;
  sluice = await rig.startProcess();
};

test.each(paths)("an empty account at the provider is a 429 that says not to retry: %s", async (path) => {
  const error = {
    message: "You exceeded your current quota.",
    type: "insufficient_quota",
    param: null,
    code: "insufficient_quota",
  };
  provider.script({ status: 429, body: { error } });
  const answer = await call(path);
  expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([429, "false"]);
  expect(await answer.text()).not.toContain("current quota");
  await sluice.logged('"event":"channel.account_empty"');
  await forgetPause();
});

test.each(paths)("too many calls at the provider are a 429 after which a client may retry: %s", async (path) => {
  provider.script({ status: 429, retryAfter: 1 });
  const answer = await call(path);
  expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([429, null]);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  await forgetPause();
});
