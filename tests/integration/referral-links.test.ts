import { afterAll, beforeAll, expect, test } from "bun:test";
import { AccountClient } from "../support/accounts/account-client.ts";
import { consoleClient } from "../support/accounts/console-client.ts";
import { loginAdmin, loginUser } from "../support/accounts/logins.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let sluice: SluiceProcess;
let client: AccountClient;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  sluice = await rig.start("one-process", { ROLES: "relay,gateway,backend" });
  client = new AccountClient(sluice);
});

afterAll(async () => {
  expect(await rig.checkMoney()).toEqual([]);
  await rig.close();
});

let people = 0;

/** Registers somebody in a browser that has opened a registration page first; returns who invited them. */
async function cameBy(page: string): Promise<bigint | null> {
  people += 1;
  const email = `invited${people}@example.org`;
  const opened = await fetch(`${sluice.url}${page}`);
  expect(opened.status).toBe(200);
  const cookie = opened.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
  const registered = await client.post(
    "/backend/auth/register/",
    { email, password: "correct horse battery" },
    { cookie },
  );
  expect(registered.status).toBe(202);
  const [row] = await rig.db.sql<{ inviter_id: bigint }>`
    select r.inviter_id from referral r join user_profile p on p.id = r.invited_id where p.email = ${email}`;
  return row?.inviter_id ?? null;
}

test("somebody who registers by a user's link is known as invited, while that is switched on, and by no other code", async () => {
  const inviter = await loginUser(rig);
  const user = consoleClient(sluice.url, inviter.cookie);
  expect((await user.post("/backend/billing/referral/link/", {})).status).toBe(403);
  const admin = consoleClient(sluice.url, (await loginAdmin(rig)).cookie);
  const { body } = await admin.get("/backend/admin/settings/list/");
  const settings = body["settings"] as { readonly name: string; readonly version: number }[];
  const version = settings.find(({ name }) => name === "referrals.is_on")?.version;
  await admin.post("/backend/admin/settings/save/", { name: "referrals.is_on", value: true, version });
  let link = "";
  await waitUntil(async () => {
    const made = await user.post("/backend/billing/referral/link/", {});
    link = String(made.body["link"]);
    return made.status === 200;
  });
  const { pathname, search } = new URL(link);
  expect(await cameBy(`${pathname}${search}`)).toBe(inviter.userId);
  expect(await cameBy(`${pathname}${search.toLowerCase()}`)).toBe(inviter.userId);
  expect(await cameBy("/register/")).toBeNull();
  expect(await cameBy("/register/?ref=0000000000")).toBeNull();
  expect(await cameBy(`/register/?ref=${encodeURIComponent("x; Path=/; SVC_USER_SESSID=1")}`)).toBeNull();
});
