import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { inboxEndpoints } from "@sluice/control-plane/mail/inbox/routes.ts";
import { MailGateway } from "../../support/mail/mail-gateway.ts";
import { canary, MailRig } from "../../support/mail/mail-rig.ts";
import { type EndpointServer, serveEndpoints } from "../../support/service/endpoint-server.ts";

type Inbox = {
  readonly messages: { readonly id: number; readonly subject: string; readonly read_at: string | null }[];
  readonly unread: number;
  readonly next_cursor: number | null;
};

let rig: MailRig;
let http: EndpointServer;
let gateway: MailGateway;
let mine = 0n;
let other = 0n;

beforeAll(async () => {
  rig = await MailRig.open();
  gateway = new MailGateway();
  http = serveEndpoints(inboxEndpoints(rig));
  mine = (await rig.addUser("mine@example.com")).userId;
  other = (await rig.addUser("other@example.com")).userId;
});

beforeEach(async () => {
  await rig.clear();
  for (let index = 0; index < 5; index += 1) {
    await rig.queue(`mine-${index}`, { userId: mine });
  }
  await rig.queue("other", { userId: other });
  await rig.queue("nobody");
  await rig.worker(rig.httpSender(gateway.url)).runDue();
});

afterAll(async () => {
  await http.stop();
  await gateway.stop();
  await rig.close();
});

async function read(userId: bigint, query = ""): Promise<Inbox> {
  const response = await fetch(`${http.url}/backend/account/inbox/${query}`, {
    headers: { "x-test-user": `${userId}` },
  });
  const text = await response.text();
  expect(text).not.toContain(canary);
  return JSON.parse(text) as Inbox;
}

async function markRead(userId: bigint, body: unknown): Promise<Response> {
  return await fetch(`${http.url}/backend/account/inbox/read/`, {
    method: "POST",
    headers: { "x-test-user": `${userId}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

test("a user sees in pages what was sent to them, newest first, and nothing of others", async () => {
  const first = await read(mine, "?limit=3");
  const second = await read(mine, `?limit=3&cursor=${first.next_cursor}`);
  const ids = [...first.messages, ...second.messages].map(({ id }) => id);
  expect(ids).toHaveLength(5);
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => b - a));
  expect(second.next_cursor).toBeNull();
  expect(first.unread).toBe(5);
  expect(first.messages[0]?.subject).toBe("Reset your password");
  expect((await read(other)).messages).toHaveLength(1);
});

test("a message is read once, and only by its owner", async () => {
  const { messages } = await read(mine);
  const ids = messages.slice(0, 2).map(({ id }) => id);
  expect(await (await markRead(other, { ids })).json()).toMatchObject({ marked: 0, unread: 1 });
  expect(await (await markRead(mine, { ids })).json()).toMatchObject({ marked: 2, unread: 3 });
  expect(await (await markRead(mine, { ids })).json()).toMatchObject({ marked: 0, unread: 3 });
  const again = await read(mine);
  expect(again.messages.map(({ read_at: at }) => at !== null)).toEqual([true, true, false, false, false]);
});

test("bad input and a missing login are refused", async () => {
  for (const body of [
    {},
    { ids: [] },
    { ids: ["x"] },
    { ids: [0] },
    { ids: [-1] },
    { ids: [1], more: 1 },
    { ids: ["9223372036854775808"] },
  ]) {
    expect((await markRead(mine, body)).status).toBe(400);
  }
  for (const query of ["?limit=0", "?limit=201", "?cursor=x", "?page=2"]) {
    const response = await fetch(`${http.url}/backend/account/inbox/${query}`, { headers: { "x-test-user": "1" } });
    expect(response.status).toBe(400);
  }
  expect((await fetch(`${http.url}/backend/account/inbox`)).status).toBe(401);
});
