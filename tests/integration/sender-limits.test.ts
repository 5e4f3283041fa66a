import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { AccountClient } from "../support/accounts/account-client.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
/** Behind an edge that names the client, and without one. */
let edged: AccountClient;
let bare: AccountClient;
const registrationsMax = 2;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  const { adminId, username } = await loginAdmin(rig);
  await rig.db.sql`
    insert into setting (name, value, updated_by, updated_by_name)
    values ('accounts.registrations_per_address', ${String(registrationsMax)}::text::jsonb, ${adminId}::bigint, ${username})`;
  const env = { ROLES: "relay,gateway,backend" };
  const [first, second] = await Promise.all([
    rig.startProcess({ ...env, CLIENT_IP_HEADER: "x-forwarded-for" }),
    rig.startProcess(env),
  ]);
  [edged, bare] = [new AccountClient(first), new AccountClient(second)];
});

afterAll(() => rig.close());

/** Sends one request from each of the given addresses, and returns their outcomes. */
type Sending = (client: AccountClient, ip: string) => Promise<number>;

const register: Sending = async (client, ip) => {
  const email = `${crypto.randomUUID()}@example.org`;
  const body = { email, password: "correct horse battery" };
  return (await client.post("/backend/auth/register/", body, { ip })).status;
};

const lead = { company: "Example & Sons", contact: "A person", volume: "much", message: "Please call." };

const sendLead: Sending = async (client, ip) => {
  const body = { ...lead, email: `${crypto.randomUUID()}@example.org` };
  const answer = await client.post("/backend/lead/create/", body, { ip });
  if (answer.status === 429) {
    expect([answer.body.error?.code, Number(answer.headers.get("retry-after")) > 0]).toEqual([
      "too_many_attempts",
      true,
    ]);
  }
  return answer.status;
};

describe.each([
  ["registrations", register, registrationsMax, 202],
  ["leads", sendLead, 5, 200],
] as const)("%s", (what, send, max, taken) => {
  const site = what === "leads" ? "2001:db8:a" : "2001:db8:b";

  test("from one IPv6 network count as from one address, however the address is written", async () => {
    const spellings = ["1::1", "1::2", "0001:0:0:0:3", "1:ffff::9", "1:0:a:b:c", "1:1:1:1:1", "1::ffff"];
    const addresses = spellings.map((end) => `${site}:${end}`);
    const statuses: number[] = [];
    for (const ip of addresses) {
      statuses.push(await send(edged, ip));
    }
    expect(statuses).toEqual([...Array<number>(max).fill(taken), ...Array<number>(addresses.length - max).fill(429)]);
    expect(await send(edged, `${site}:2::1`)).toBe(taken);
  });

  test("are counted for the address that the edge has added, not for what a client puts before it", async () => {
    const real = what === "leads" ? "192.0.2.1" : "192.0.2.2";
    for (let count = 0; count < max; count += 1) {
      expect(await send(edged, `203.0.113.${count}, ${real}`)).toBe(taken);
    }
    for (const forged of ["198.51.100.1", "::1", "127.0.0.1", "unknown", "'; drop table lead --", ""]) {
      expect([forged, await send(edged, `${forged}, ${real}`)]).toEqual([forged, 429]);
    }
    // Nor does a second header help: it is joined to the first.
    expect(await send(edged, real)).toBe(429);
  });

  test("are counted for the connection if there is no edge to trust", async () => {
    for (let count = 0; count < max; count += 1) {
      expect(await send(bare, `203.0.113.${100 + count}`)).toBe(taken);
    }
    for (const forged of ["203.0.113.200", "2001:db8:ffff::1", ""]) {
      expect([forged, await send(bare, forged)]).toEqual([forged, 429]);
    }
  });
});

test("leads are sixty a minute in each process, from however many addresses", async () => {
  const rest = { ...lead, email: "person@example.org", website: "filled in by a program" };
  const send = async (ip: string): Promise<number> => (await edged.post("/backend/lead/create/", rest, { ip })).status;
  const statuses = await Promise.all(Array.from({ length: 80 }, (_, index) => send(`198.18.0.${index}`)));
  const taken = statuses.filter((status) => status === 200).length;
  // The tests above used up part of the same minute; one more is allowed each second.
  expect(taken).toBeGreaterThan(40);
  expect(taken).toBeLessThan(70);
  expect(statuses.filter((status) => status === 429).length).toBe(80 - taken);
});
