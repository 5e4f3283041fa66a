import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Answer, type ConsoleClient, consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let asker: ConsoleClient;
let second: ConsoleClient;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  const { url } = await rig.startProcess();
  asker = consoleClient(url, (await loginAdmin(rig)).cookie);
  second = consoleClient(url, (await loginAdmin(rig)).cookie);
  const { body } = await asker.get("/backend/admin/settings/list/");
  const name = "admin.second_person_above_usd";
  const settings = body["settings"] as { name: string; version: number }[];
  const version = settings.find((each) => each.name === name)?.version;
  expect((await asker.post("/backend/admin/settings/save/", { name, value: 50, version })).status).toBe(200);
});

afterAll(() => rig.close());

const reason = "agreed by phone";
const save = (name: string, fields: object): Promise<Answer> =>
  asker.post("/backend/admin/group/save/", { name, multiplier: "1", visibility: "assigned", reason, ...fields });
const waits = ({ body }: Answer): boolean => body["approval"] !== undefined;

test("a discount for a week is not made longer by one super-admin", async () => {
  const { email } = await loginUser(rig);
  await save("cheap", { multiplier: "0.5", rank: 1 });
  await save("other", { multiplier: "0.5" });
  const assign = (group_name: string, fields: object): Promise<Answer> =>
    asker.post("/backend/admin/group/assign/", { group_name, users: [email], as: "additional", reason, ...fields });
  const inDays = (days: number) => ({ ends_at: new Date(Date.now() + days * 86_400_000).toISOString() });
  const waiting = await assign("cheap", inDays(7));
  expect(waits(waiting)).toBeTrue();
  const { approval_id } = waiting.body["approval"] as { approval_id: number };
  const decision = { approval_id, decision: "approve", reason };
  expect((await second.post("/backend/admin/approval/decide/", decision)).status).toBe(200);
  expect(waits(await assign("cheap", inDays(6)))).toBeFalse();
  expect(waits(await assign("cheap", inDays(8)))).toBeTrue();
  expect(waits(await assign("cheap", {}))).toBeTrue();
  expect(waits(await assign("other", { as: "account" }))).toBeTrue();
  expect(waits(await assign("other", inDays(5)))).toBeFalse();
});

test("a dearer group is not taken away by one super-admin, but any other is", async () => {
  const { email } = await loginUser(rig);
  await save("dear", { multiplier: "3", rank: 9 });
  await save("equal", { multiplier: "1", rank: 8 });
  for (const group_name of ["equal", "dear"]) {
    await asker.post("/backend/admin/group/assign/", { group_name, users: [email], as: "additional", reason });
  }
  const remove = (group_name: string): Promise<Answer> =>
    asker.post("/backend/admin/group/remove/", { group_name, users: [email], reason });
  const waiting = await remove("dear");
  expect(waits(waiting)).toBeTrue();
  expect((await remove("equal")).body).toMatchObject({ changed: 1 });
  const { approval_id } = waiting.body["approval"] as { approval_id: number };
  expect(
    (await second.post("/backend/admin/approval/decide/", { approval_id, decision: "approve", reason })).status,
  ).toBe(200);
  expect((await remove("dear")).body).toMatchObject({ changed: 0 });
});

test("a dearer group does not end sooner by one super-admin", async () => {
  const { email } = await loginUser(rig);
  await save("lasting", { multiplier: "3", rank: 9 });
  const assign = (fields: object): Promise<Answer> =>
    asker.post("/backend/admin/group/assign/", {
      ...{ group_name: "lasting", users: [email], as: "additional", reason },
      ...fields,
    });
  const inSeconds = (seconds: number) => ({ ends_at: new Date(Date.now() + seconds * 1_000).toISOString() });
  expect((await assign({})).body).toMatchObject({ changed: 1 });
  expect(waits(await assign(inSeconds(-60)))).toBeTrue();
  expect(waits(await assign(inSeconds(600)))).toBeTrue();
  expect((await assign({})).body).toMatchObject({ changed: 1 });
});

test("a group does not get another rank by one super-admin, because others come before or after it then", async () => {
  const { group } = (await save("ranked", { multiplier: "2", rank: 5 })).body as { group: { updated_at: string } };
  const { updated_at } = group;
  expect(waits(await save("ranked", { multiplier: "2", rank: 0, updated_at }))).toBeTrue();
  expect(waits(await save("ranked", { multiplier: "2", rank: 5, updated_at, description: "Named." }))).toBeFalse();
});
