import { afterAll, beforeAll, expect, test } from "bun:test";
import { viewsPerListMax } from "@sluice/contracts/saved-views";
import { type ConsoleClient, codeOf, consoleClient } from "../../support/accounts/console-client.ts";
import { loginAdmin } from "../../support/accounts/logins.ts";
import { SluiceRig } from "../../support/service/sluice.ts";

let rig: SluiceRig;
let url: string;
let admin: ConsoleClient;
let other: ConsoleClient;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  ({ url } = await rig.startProcess());
  admin = consoleClient(url, (await loginAdmin(rig, { isSuper: false })).cookie);
  other = consoleClient(url, (await loginAdmin(rig)).cookie);
});

afterAll(() => rig.close());

const view = {
  ...{ list: "admin-users", name: "Suspended", query: { status: "suspended", sort: "-email" } },
  ...{ hidden_columns: ["used"], is_default: false },
};
const save = (fields: object = {}, as = admin) => as.post("/backend/admin/view/save/", { ...view, ...fields });
const viewsOf = async (as: ConsoleClient) =>
  (await as.get("/backend/admin/view/list/")).body["views"] as (typeof view & { view_id: number })[];

test("a view is its admin's own, is replaced under its name, and can be removed", async () => {
  expect((await save()).body).toMatchObject({ ok: true, view });
  expect((await save({ query: { q: "ann" }, hidden_columns: [] })).body).toMatchObject({
    view: { query: { q: "ann" } },
  });
  const [saved, ...more] = await viewsOf(admin);
  expect([saved?.query, more]).toEqual([{ q: "ann" } as never, []]);
  expect(await viewsOf(other)).toEqual([]);
  const remove = { view_id: saved?.view_id };
  expect(codeOf(await other.post("/backend/admin/view/remove/", remove))).toEqual([404, "not_found"]);
  expect((await admin.post("/backend/admin/view/remove/", remove)).status).toBe(200);
  expect(await viewsOf(admin)).toEqual([]);
});

test("one view of a list is the default, also if two requests say so at once", async () => {
  await Promise.all(["One", "Two", "Three"].map((name) => save({ name, is_default: true })));
  const views = await viewsOf(admin);
  expect([views.length, views.filter((each) => each.is_default).length]).toEqual([3, 1]);
  await save({ list: "admin-keys", is_default: true });
  expect((await viewsOf(admin)).filter((each) => each.is_default)).toHaveLength(2);
});

test("there are at most 20 of a list, and no text becomes anything but text", async () => {
  const list = "admin-orders";
  for (let each = 0; each < viewsPerListMax; each += 1) {
    expect((await save({ list, name: `View ${each}` })).status).toBe(200);
  }
  expect(codeOf(await save({ list, name: "One more" }))).toEqual([409, "conflict"]);
  expect((await save({ list, name: "View 3" })).status).toBe(200);
  for (const wrong of [
    { name: " " },
    { name: "x".repeat(61) },
    { list: "../x" },
    { query: { "a b": "1" } },
    { query: { q: "" } },
    { query: Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`f${index}`, "1"])) },
    { hidden_columns: ["a b"] },
  ]) {
    expect([wrong, (await save(wrong)).status]).toEqual([wrong, 400]);
  }
});
