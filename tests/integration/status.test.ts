import { afterAll, beforeAll, expect, test } from "bun:test";
import type { statusResponse } from "@sluice/contracts/status";
import type { ResponseOf } from "@sluice/contracts/wire";
import { readShownSuccess } from "@sluice/control-plane/status/service.ts";
import { loginAdmin } from "../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";
import { untilDayLasts } from "../support/values/day-that-lasts.ts";
import { builtWeb } from "../support/web/web-build.ts";

type View = ResponseOf<typeof statusResponse>;

let rig: SluiceRig;
let service: SluiceProcess;
let cookie: string;
const model = "gpt-4o-mini";

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  service = await rig.startProcess({ WEB_DIST: await builtWeb() });
  cookie = (await loginAdmin(rig)).cookie;
});
afterAll(() => rig.close());

async function send(path: string, body: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${service.url}/backend/admin/${path}/`, {
    method: "POST",
    headers: { cookie, origin: service.url, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const setSetting = async (name: string, value: boolean, version = 0): Promise<void> => {
  expect((await send("settings/save", { name, value, version })).status).toBe(200);
};

/** The status once it is as wanted: it is measured twice a minute, and whenever what is shown changes. */
async function untilStatus(isWanted: (view: View) => boolean): Promise<View> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const response = await fetch(`${service.url}/backend/status/`);
    const view = (await response.json()) as View;
    if (response.status === 200 && isWanted(view)) {
      return view;
    }
    await Bun.sleep(50);
  }
  throw new Error("the status was never as wanted");
}

async function addCalls(daysAgo: number, kind: string, calls: number, bucket = 40): Promise<void> {
  for (const grain of ["day", "hour"]) {
    await rig.db.sql`
      insert into usage_performance (grain, starts_at, model, channel_id, kind, bucket, calls, output_tokens, output_ms)
      values (${grain}, date_trunc(${grain}, now() - make_interval(days => ${daysAgo}::int), 'UTC'), ${model}, 77,
        ${kind}, ${bucket}, ${calls}, 0, 0)`;
  }
}

const incident = { title: "Slow answers", impact: "minor", models: [model], state: "investigating", text: "We look." };

test("each public model has its state, the share of each day, and its latency, without channels or numbers of calls", async () => {
  await untilDayLasts();
  await addCalls(0, "total", 1_237);
  await addCalls(0, "first_byte", 1_237);
  await addCalls(0, "failed", 61);
  await addCalls(3, "total", 19);
  await addCalls(4, "total", 400);
  // Somebody has asked before, so that the state is measured again.
  await send("incident/create", incident);
  const view = await untilStatus(({ components }) => components.some(({ success }) => success !== null));
  const shown = view.components.find(({ name }) => name === model);
  expect(shown?.status).toBe("degraded_performance");
  expect(shown?.success_by_day.length).toBe(90);
  expect(shown?.success_by_day.slice(-5)).toEqual([1, null, null, null, 0.953]);
  expect(shown?.first_byte_ms_p95).toBe(1_117);
  expect(view.status).toEqual({ indicator: "minor", description: "Partly degraded" });
  const text = JSON.stringify(view);
  for (const secret of ["1237", "1298", "channel", "127.0.0.1:9"]) {
    expect(text.replaceAll(service.url, "")).not.toContain(secret);
  }
});

test("the list of models shows the share of the last whole days, and none while the operator hides it", async () => {
  const read = (isShown: boolean) =>
    readShownSuccess(
      { isShown, showsSuccess: true, showsLatency: true, showsIncidents: true },
      rig.db,
      new Date().setUTCHours(23, 59, 59),
    );
  // What came in today changes with every call, so it is left out until tomorrow.
  expect(await read(true)).toEqual({ overall: 1, byModel: { [model]: 1 } });
  expect(await read(false)).toEqual({ overall: null, byModel: {} });
});

test("an incident is shown with its updates and without who posted them, until it is long resolved", async () => {
  const list = async () => {
    const response = await fetch(`${service.url}/backend/admin/incident/list/`, { headers: { cookie } });
    return ((await response.json()) as { incidents: { id: number; version: number; updates: unknown[] }[] }).incidents;
  };
  const [posted] = await list();
  const update = { incident_id: posted?.id, impact: "critical", state: "identified", text: "<b>Found</b>", version: 1 };
  expect((await send("incident/update", update)).status).toBe(200);
  const stale = (await send("incident/update", update)).body as { error: { code: string } };
  expect(stale.error.code).toBe("conflict");
  const view = await untilStatus(({ incidents }) => incidents[0]?.updates.length === 2);
  expect(view.status.indicator).toBe("critical");
  expect(view.incidents[0]).toMatchObject({ title: "Slow answers", state: "identified", resolved_at: null });
  expect(JSON.stringify(view)).not.toContain("posted_by");
  await send("incident/update", { ...update, impact: "minor", state: "resolved", text: "Over", version: 2 });
  const resolved = await untilStatus(({ incidents }) => incidents[0]?.state === "resolved");
  expect(resolved.incidents[0]?.resolved_at).not.toBeNull();
  expect(resolved.status.indicator).toBe("minor");
  await rig.db.sql`update incident set resolved_at = now() - interval '15 days'`;
  await send("incident/create", { ...incident, title: "Another one" });
  const later = await untilStatus(({ incidents }) => incidents[0]?.title === "Another one");
  expect(later.incidents.map(({ title }) => title)).toEqual(["Another one"]);
  expect((await list()).length).toBe(2);
});

test("what is wrong is refused, and anyone who is not an admin posts nothing", async () => {
  for (const wrong of [
    { title: " a " },
    { text: "" },
    { impact: "huge" },
    { state: "gone" },
    { text: "x".repeat(1_001) },
  ]) {
    expect((await send("incident/create", { ...incident, ...wrong })).status).toBe(400);
  }
  const gone = { incident_id: 9_999, impact: "minor", state: "monitoring", text: "x", version: 1 };
  expect((await send("incident/update", gone)).status).toBe(404);
  const anonymous = await fetch(`${service.url}/backend/admin/incident/create/`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(incident),
  });
  expect(anonymous.status).toBe(401);
  await anonymous.arrayBuffer();
});

test("the operator switches parts off, and the page with its link", async () => {
  await setSetting("status.success", false);
  await setSetting("status.latency", false);
  await setSetting("status.incidents", false);
  const view = await untilStatus(({ incidents }) => incidents.length === 0);
  const shown = view.components.find(({ name }) => name === model);
  expect(shown).toMatchObject({ success_by_day: [], success: null, first_byte_ms_p95: null });
  const page = await fetch(`${service.url}/zh/status/`);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("服务状态");
  await setSetting("status.page", false);
  for (let attempt = 0; ; attempt += 1) {
    const gone = await fetch(`${service.url}/status/`, { headers: { accept: "text/html" } });
    const home = await (await fetch(`${service.url}/zh/`)).text();
    if (gone.status === 404 && !home.includes("/zh/status/")) {
      break;
    }
    expect(attempt).toBeLessThan(1_000);
    await Bun.sleep(50);
  }
  const data = await fetch(`${service.url}/backend/status/`);
  expect(data.status).toBe(404);
  await data.arrayBuffer();
});
