import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { pageSizes } from "@sluice/contracts/lists";
import { listPlaces } from "@sluice/control-plane/admin/lists/list-places.ts";
import { sortUsers } from "@sluice/control-plane/admin/lists/sort-users.ts";
import { readListRequest } from "@sluice/control-plane/platform/list-query/endpoints.ts";
import { pageStatement } from "@sluice/control-plane/platform/list-query/list-store.ts";
import { type ListPage, ListServer } from "../../support/admin/list-server.ts";

const isFull = process.env["TEST_FULL"] === "1";
let scene: ListServer;

beforeAll(async () => {
  scene = await ListServer.start();
});

afterAll(() => scene.stop());

describe("a page", () => {
  const samples = [
    "1",
    "true",
    "active",
    "enabled",
    "sent",
    "wallet_balance",
    "completed",
    "pending",
    "settled",
    "cardpay",
    "unconfirmed",
    "public",
    "usable",
    "invoice",
    "past_due",
    "ended",
    "abandoned",
    "percent",
    "terms",
    "en",
    "registration",
  ];
  const ids = ["0191e7b2-0000-7000-8000-000000000000", "ffffffff-ffff-7fff-bfff-ffffffffffff"];
  const others = ["mock", "paid", "chat", "admin", "personal", ...ids, "x'%_\\"];

  /** All with TEST_FULL=1, otherwise those at both ends: a filter of a few words has no others, one of any text takes them all. */
  const someOf = (sound: readonly string[]): readonly string[] =>
    isFull || sound.length <= 4 ? sound : [...sound.slice(0, 2), ...sound.slice(-2)];

  test.each(listPlaces.map((place) => [place.path, place] as const))(
    "of %s matches its declaration, with every filter and in every order",
    async (path, { source }) => {
      const { filters, sorts, input } = source.contract;
      const asked = sorts.map((sort): readonly [string, string] => ["sort", sort]);
      for (const name of Object.keys(filters)) {
        // Every way to parse the filter: some texts can mean something else.
        const sound = [...samples, ...others].filter((value) => input.safeParse({ [name]: value }).success);
        expect([name, sound.length > 0]).toEqual([name, true]);
        asked.push(...someOf(sound).map((value) => [name, value] as const));
      }
      for (const [name, value] of asked) {
        const { status } = await scene.ask(
          `${path.replace("/backend/admin/", "")}list/?${new URLSearchParams({ [name]: value })}`,
        );
        expect([name, value, status]).toEqual([name, value, 200]);
      }
    },
  );

  test("has 25, 50 or 100 rows and no other number", async () => {
    for (const limit of pageSizes) {
      expect((await scene.page(`user/list/?limit=${limit}`)).rows).toHaveLength(Math.min(limit, 30));
    }
    expect((await scene.page("user/list/")).rows).toHaveLength(25);
    for (const limit of ["26", "0", "-1", "1000", "x"]) {
      expect((await scene.page(`user/list/?limit=${limit}`)).status).toBe(400);
    }
  });

  test("has the rows that are named, whatever page they are on and whatever else is asked for", async () => {
    const { rows } = await scene.page("user/list/?sort=email&limit=100");
    const named = [rows.at(-1), rows.at(3)].map((row) => String(row?.["user_id"]));
    const found = await scene.page(`user/list/?sort=email&status=closed&rows=${named.join(",")}`);
    expect(found.rows.map((row) => String(row["user_id"]))).toEqual([...named].reverse());
    expect(found.total).toEqual({ count: 2, is_exact: true });
    const file = (await (await scene.ask(`user/export/?format=json&rows=${named.join(",")}`)).json()) as object[];
    expect(file).toHaveLength(2);
    expect((await scene.page("user/list/?rows=999999999")).rows).toEqual([]);
    const many = Array.from({ length: 101 }, (_, index) => index + 1).join(",");
    for (const wrong of ["one", "", ",", many, `${"9".repeat(30)}`]) {
      expect([wrong, (await scene.page(`user/list/?rows=${wrong}`)).status]).toEqual([wrong, 400]);
    }
    expect((await scene.page("ability/list/?rows=1")).status).toBe(400);
  });

  test("can be asked for by the ids of its own rows", async () => {
    for (const { path, source } of listPlaces) {
      const { rowId, name } = source.contract;
      const list = `${path.replace("/backend/admin/", "")}list/`;
      const row = rowId === null ? undefined : (await scene.page(list)).rows.at(0);
      if (rowId !== null && row !== undefined) {
        const id = String(row[rowId]);
        const { rows } = await scene.page(`${list}?rows=${encodeURIComponent(id)}`);
        expect([name, rows.map((each) => String(each[rowId]))]).toEqual([name, [id]]);
      }
    }
  });

  test("continues only with a cursor of the same query", async () => {
    const { next_cursor: cursor } = await scene.page("user/list/?sort=email");
    expect(cursor).not.toBeNull();
    expect((await scene.page(`user/list/?sort=email&cursor=${cursor}`)).rows).toHaveLength(5);
    const wrong = [
      `sort=-email&cursor=${cursor}`,
      `cursor=${cursor}`,
      `sort=email&status=active&cursor=${cursor}`,
      `sort=email&cursor=${cursor?.slice(0, -4)}`,
      `sort=email&cursor=${Buffer.from('["x"]').toString("base64url")}`,
      `sort=email&cursor=${Buffer.from('[{"a":1}]').toString("base64url")}`,
      "sort=email&cursor=%00",
      "sort=email&cursor=x",
    ];
    for (const query of wrong) {
      const refused = await scene.page(`user/list/?${query}`);
      expect([query, refused.status, refused.error?.code]).toEqual([query, 400, "invalid_parameter"]);
    }
    const { next_cursor: ofUsers } = await scene.page("user/list/");
    expect((await scene.page(`user/list/?cursor=${ofUsers}`)).status).toBe(200);
    expect((await scene.page(`order/list/?cursor=${ofUsers}`)).status).toBe(400);
  });

  test("says how many rows there are, up to 10,000", async () => {
    await scene.addAudits("many.rows", 10_002);
    const { total, next_cursor: cursor } = await scene.page("audit/list/?action=many.rows");
    expect(total).toEqual({ count: 10_000, is_exact: false });
    expect((await scene.page(`audit/list/?action=many.rows&cursor=${cursor}`)).total).toBeNull();
    expect((await scene.page("user/list/")).total).toEqual({ count: 30, is_exact: true });
  });

  test("covers the days of the named time zone", async () => {
    await scene.db.sql`
      insert into audit_log (at, actor_kind, actor_name, action, subject_kind, subject_id)
      select at::timestamptz, 'system', 'test', 'zone.test', 'test', at
      from (values ('2026-03-09T15:59:59.999999Z'), ('2026-03-09T16:00:00Z'), ('2026-03-10T15:59:59.999999Z'),
        ('2026-03-10T16:00:00Z')) t (at)`;
    const found = await scene.page(
      "audit/list/?action=zone.test&from_day=2026-03-10&to_day=2026-03-10&zone=Asia/Shanghai",
    );
    expect(found.rows.map((row) => row["subject_id"])).toEqual(["2026-03-10T15:59:59.999999Z", "2026-03-09T16:00:00Z"]);
    expect(found.range).toEqual({
      from_day: "2026-03-10",
      to_day: "2026-03-10",
      zone: "Asia/Shanghai",
    } as object as ListPage["range"]);
    const utc = await scene.page("audit/list/?action=zone.test&from_day=2026-03-10&to_day=2026-03-10");
    expect(utc.rows.map((row) => row["subject_id"])).toEqual(["2026-03-10T16:00:00Z", "2026-03-10T15:59:59.999999Z"]);
    for (const wrong of ["from_day=2026-03-11&to_day=2026-03-10", "from_day=2026-02-30", "zone=Mars/Olympus"]) {
      expect((await scene.page(`audit/list/?${wrong}`)).status).toBe(400);
    }
    expect((await scene.page("usage/list/?from_day=2024-01-01")).status).toBe(400);
  });

  test("counts exactly the calls that began on the days of a time zone", async () => {
    const days = (await scene.page("usage/list/?limit=100")).rows.map((row) => String(row["started_at"]));
    for (const zone of ["UTC", "Asia/Kathmandu", "America/St_Johns"]) {
      const formatted = (at: string): string =>
        new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" }).format(Date.parse(at));
      for (const [from, to] of [
        [12, 12],
        [12, 5],
        [19, 1],
      ] as const) {
        const [fromDay = "", toDay = ""] = [from, to].map((back) =>
          new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10),
        );
        const expected = days.filter((at) => formatted(at) >= fromDay && formatted(at) <= toDay).length;
        const found = await scene.page(`usage/list/?limit=100&from_day=${fromDay}&to_day=${toDay}&zone=${zone}`);
        expect([zone, fromDay, found.rows.length, found.total?.count]).toEqual([zone, fromDay, expected, expected]);
      }
    }
  });

  test("of users is found by any known detail, and wildcards are literal", async () => {
    const [user] = (await scene.page("user/list/")).rows;
    const email = String(user?.["email"]);
    expect((await scene.page(`user/list/?q=${email.toUpperCase()}`)).rows).toEqual([user as Record<string, unknown>]);
    const byId = (await scene.page(`user/list/?q=${user?.["user_id"]}`)).rows;
    expect(byId.map((row) => row["email"])).toContain(email);
    const [key] = (await scene.page("key/list/")).rows;
    const owners = (await scene.page(`user/list/?q=${key?.["key_prefix"]}abcdefgh`)).rows;
    expect(owners.map((row) => row["user_id"])).toEqual([key?.["user_id"]]);
    expect((await scene.page("user/list/?q=%25")).rows).toEqual([]);
    expect((await scene.page("user/list/?q=user_")).rows).toEqual([]);
  });
});

test("users come in the order of balance, use and last call, those without a call last, as the job has seen them", async () => {
  await scene.db.sql`
    update budget b set granted = 1000 + p.id * 7 % 40, used = p.id * 3 % 50
    from user_profile p where p.gateway_user_id = b.gateway_user_id`;
  await scene.db.sql`
    insert into usage_user (gateway_user_id, first_at, last_at)
    select gateway_user_id, now(), now() - interval '1 hour' * (id * 11 % 90) from user_profile where id % 3 <> 0
    on conflict (gateway_user_id) do update set last_at = excluded.last_at`;
  await sortUsers(scene.db);
  for (const sort of ["remaining", "used", "last_call_at"]) {
    const { rows } = await scene.page(`user/list/?limit=100&sort=-${sort}`);
    const values = rows.map(({ [sort]: value }) => (typeof value === "string" ? Date.parse(value) : Number(value)));
    expect(values).toEqual(values.toSorted((one, other) => other - one));
    expect(new Set(values).size).toBeGreaterThan(10);
  }
  // A run without a change writes nothing.
  const versions = async () => [
    ...(await scene.db.sql`select id, xmin::text as version from user_profile order by id`),
  ];
  const before = await versions();
  await sortUsers(scene.db);
  expect(await versions()).toEqual(before);
});

describe("an order", () => {
  afterAll(async () => {
    await scene.db.sql`delete from sales_order where order_no = 'GUEST-1'`;
  });

  const found = async (query: string): Promise<boolean> =>
    (await scene.page(`order/list/?limit=100&${query}`)).rows.some((row) => row["order_no"] === "GUEST-1");

  test("is found by its user's current address, and by its own until someone has claimed it", async () => {
    await scene.db.sql`
      insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, email, expires_at, status)
      values ('GUEST-1', 'plan', 'Plan', 'monthly', 10, 1, 'Guest_1@example.org', now(), 'pending')`;
    const [user] = await scene.db.sql<{
      id: bigint;
      email: string;
    }>`select id, email from user_profile order by id limit 1`;
    const { id = 0n, email = "" } = user ?? {};
    const addresses = async () => [
      await found("email=guest_1@"),
      await found(`email=${email}`),
      await found("email=moved-"),
    ];
    expect(await addresses()).toEqual([true, false, false]);
    expect(await found("email=guestx")).toBe(false);
    await scene.db.sql`update sales_order set user_id = ${id}::bigint where order_no = 'GUEST-1'`;
    expect(await addresses()).toEqual([false, true, false]);
    await scene.db.sql`update user_profile set email = 'Moved-' || email where id = ${id}::bigint`;
    expect(await addresses()).toEqual([false, false, true]);
    await scene.db.sql`update user_profile set email = ${email} where id = ${id}::bigint`;
    expect(await addresses()).toEqual([false, true, false]);
  });

  test("that was paid counts as not credited until its quota arrives", async () => {
    const states = async () => [await found("is_credited=true"), await found("is_credited=false")];
    expect(await states()).toEqual([false, false]);
    await scene.db.sql`update sales_order set status = 'settled', settled_at = now() where order_no = 'GUEST-1'`;
    expect(await states()).toEqual([false, true]);
    await scene.db.sql`update sales_order set credited_at = now() where order_no = 'GUEST-1'`;
    expect(await states()).toEqual([true, false]);
  });
});

test("lists are for admins only", async () => {
  for (const { path } of listPlaces) {
    for (const what of ["list", "export"]) {
      expect((await fetch(`${scene.http.url}${path}${what}/`)).status).toBe(401);
    }
  }
});

test.each([
  ["the model that they asked for", { asked_model: "wanted" }, /Index (?:Only )?Scan Backward using \S*asked_model\S*/],
  // Only the calls of a minute are put in order.
  [
    "their user",
    { gateway_user_id: "7" },
    /Presorted Key: [^\n]*"left"[\s\S]*Index Scan Backward using \S*_gateway_user_id_day_left\S*/,
  ],
  ["their model", { model: "wanted" }, /Presorted Key: [^\n]*"left"[\s\S]*Index Scan Backward using \S*_model_\S*/],
  [
    "their channel",
    { channel_id: "7" },
    /Presorted Key: [^\n]*"left"[\s\S]*Index Scan Backward using \S*_channel_id_\S*/,
  ],
])("calls are found by %s without a look at all others", async (_, query, wanted) => {
  const lines = await planOf("usage", query);
  expect(lines).toMatch(wanted);
  expect(lines).not.toContain("->  Sort");
});

test.each([["remaining"], ["used"], ["last_call_at"]])("users are sorted by %s in an index", async (sort) => {
  const lines = await planOf("users", { sort: `-${sort}` });
  expect(lines).toContain(`Index Scan Backward using user_profile_sorted_${sort.replace("last_", "")}`);
});

test.each([
  ["invoices", { kind: "credit_note" }, "invoice_credit_notes"],
  ["gateway-events", { result: "review" }, "gateway_event_result"],
])("few rows among many of %s are found by an index", async (list, query, index) => {
  expect(await planOf(list, query)).toContain(`Index Scan Backward using ${index}`);
});

/** What the database would do. The tables of a test are so small that reading and sorting them whole would be the fastest way. */
async function planOf(list: string, query: Readonly<Record<string, string>>): Promise<string> {
  const { source } = listPlaces.find(({ source: { contract } }) => contract.name === list) ?? { source: null };
  if (source === null) {
    throw new Error(`there is no list of ${list}`);
  }
  const request = readListRequest(source, source.contract.input.parse(query) as never, Date.now());
  const { text, values } = pageStatement(source, request, { after: null, limit: 25 });
  const plan = await scene.db.withTransaction(async (tx) => {
    await tx.sql`set local enable_seqscan = off`;
    await tx.sql`set local enable_bitmapscan = off`;
    await tx.sql`set local enable_sort = off`;
    return await tx.query<{ "QUERY PLAN": string }>(`explain ${text}`, values);
  });
  return plan.map((line) => line["QUERY PLAN"]).join("\n");
}
