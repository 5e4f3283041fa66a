import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { errorTable } from "@sluice/contracts/errors";
import { buildFacts } from "@sluice/control-plane/platform/build-facts.ts";
import { expectCleanLogs, expectNoSecret, linesOf } from "../support/calls/refusals.ts";
import { addModelWithChannel, type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { arrangements } from "../support/service/sluice.ts";
import { exchangeRaw } from "../support/wire/raw-exchange.ts";
import { rawRequest } from "../support/wire/raw-tcp-client.ts";

const catalog = ["gpt-4o-mini", "unreachable"];

type Series = { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number };

describe.each(arrangements)("operations, %s", (arrangement) => {
  let scene: RelayScene;

  beforeAll(async () => {
    scene = await startRelayScene(arrangement, {
      // No body fits, so that each one that should be stored is dropped and counted.
      env: { LOG_LEVEL: "debug", TRACE_QUEUE_BYTES_MAX: "0" },
      prepare: (rig) => addModelWithChannel(rig, "unreachable", "http://127.0.0.1:1/v1"),
    });
  });

  afterEach(() => scene.provider.reset());
  afterAll(() => scene.close());

  const call = (more: object = {}, apiKey = scene.user.apiKey): Promise<Response> =>
    fetch(`${scene.sluice.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }], ...more }),
    });

  /** What both processes measure. */
  const measure = async (): Promise<{ text: string; series: Series[] }> => {
    const urls = new Set([scene.sluice.url, scene.gateway.url]);
    const texts = await Promise.all([...urls].map(async (url) => (await fetch(`${url}/metrics`)).text()));
    const text = texts.join("\n");
    return { text, series: readSeries(text) };
  };
  const sumOf = (series: readonly Series[], name: string, labels: Readonly<Record<string, string>> = {}): number =>
    series
      .filter(
        (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
      )
      .reduce((sum, { value }) => sum + value, 0);

  test("probes report that the processes are alive and ready", async () => {
    for (const url of new Set([scene.sluice.url, scene.gateway.url])) {
      const alive = await fetch(`${url}/healthz`);
      expect([alive.status, await alive.json()]).toEqual([200, { ok: true, ...buildFacts }]);
      // A machine that is busy while the program starts makes its loop late for a while.
      await waitUntil(async () => (await fetch(`${url}/readyz`)).ok);
      const ready = await fetch(`${url}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([200, { ok: true, reasons: [] }]);
      expect(ready.headers.get("cache-control")).toBe("no-store");
    }
  });

  test("metrics count calls, tokens, quota and attempts as the usage log does", async () => {
    const before = (await measure()).series;
    const whole = (await (await call()).json()) as { usage: { prompt_tokens: number; completion_tokens: number } };
    await (await call({ stream: true })).text();
    await (await call({ max_tokens: 0 })).text();
    await (await call({}, `sk-${"x".repeat(48)}`)).text();
    // A channel that is the only one is tried twice.
    scene.provider.script({ status: 500 }, { times: 2 });
    await (await call()).text();
    await (await call({ model: "unreachable" })).text();
    const dropped = "sluice_payloads_dropped_total";
    // Bodies are checked when the calls are over.
    await waitUntil(async () => sumOf((await measure()).series, dropped) >= sumOf(before, dropped) + 2);
    const after = (await measure()).series;
    const grown = (name: string, labels: Readonly<Record<string, string>>) =>
      sumOf(after, name, labels) - sumOf(before, name, labels);
    const model = "gpt-4o-mini";
    expect(grown("sluice_requests_total", { outcome: "completed", code: "", model })).toBe(2);
    expect(grown("sluice_requests_total", { outcome: "refused", code: "invalid_value" })).toBe(1);
    expect(grown("sluice_requests_total", { outcome: "refused", code: "invalid_api_key", model: "" })).toBe(1);
    expect(grown("sluice_requests_total", { outcome: "failed", code: "upstream_error", model })).toBe(1);
    expect(grown("sluice_requests_total", { outcome: "failed", code: "upstream_unreachable" })).toBe(1);
    expect(grown("sluice_tokens_total", { kind: "input", model })).toBe(2 * whole.usage.prompt_tokens);
    expect(grown("sluice_tokens_total", { kind: "output", model })).toBe(2 * whole.usage.completion_tokens);
    expect(grown("sluice_attempts_total", { channel: "first", credential: "main", node: "", result: "answered" })).toBe(
      2,
    );
    expect(grown("sluice_attempts_total", { channel: "first", result: "status_500" })).toBe(2);
    expect(grown("sluice_attempts_total", { channel: "channel-unreachable", result: "unreachable" })).toBe(2);
    expect(grown("sluice_request_duration_seconds_count", {})).toBe(6);
    expect(grown("sluice_first_token_seconds_count", {})).toBe(2);
    await scene.rig.waitForUsageRows(5);
    const [row] = await scene.rig.db.sql<{ quota: bigint }>`select sum(quota)::bigint as quota from usage_log`;
    expect(sumOf(after, "sluice_quota_charged_total")).toBe(Number(row?.quota));
  });

  test("metrics show the state of spool, leases, payloads and event loop", async () => {
    await (await call()).text();
    const { text, series } = await measure();
    const gauges = [
      ...["sluice_in_flight", "sluice_spool_entries", "sluice_spool_bytes", "sluice_spool_oldest_seconds"],
      ...["sluice_spool_quarantined", "sluice_event_loop_lag_seconds", "sluice_database_connections"],
      ...[
        "sluice_held_quota",
        "sluice_pending_quota",
        "sluice_lease_budgets",
        "sluice_lease_quota",
        "sluice_cached_keys",
      ],
    ];
    for (const name of gauges) {
      expect(series.filter((one) => one.name === name).every(({ value }) => Number.isFinite(value))).toBeTrue();
      expect(text).toContain(`# TYPE ${name} gauge`);
    }
    expect(sumOf(series, "sluice_lease_budgets")).toBeGreaterThan(0);
    expect(sumOf(series, "sluice_lease_quota")).toBeGreaterThan(0);
    expect(text).toContain("# TYPE sluice_payloads_stored_total counter");
  });

  test("metrics contain no secret, and no label that strangers can write", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `no-such-model-${index}`);
    await Promise.all(names.map(async (model) => (await call({ model })).text()));
    await Promise.all(names.map(async (name) => (await fetch(`${scene.sluice.url}/v1/${name}`)).text()));
    const { text, series } = await measure();
    await expectNoSecret(scene, text);
    expect(text).not.toContain("no-such-model");
    const valuesOf = (label: string) => new Set(series.flatMap(({ labels }) => labels[label] ?? []));
    expect([...valuesOf("model")].filter((model) => model !== "" && !catalog.includes(model))).toEqual([]);
    expect([...valuesOf("code")].filter((code) => code !== "" && !(code in errorTable))).toEqual([]);
    expect([...valuesOf("channel")].sort()).toEqual(["channel-unreachable", "first"]);
    const ofCalls = ["model", "code", "channel", "credential", "node", "outcome", "kind", "result", "reason", "le"];
    const known = [...ofCalls, "version", "commit"];
    expect(series.flatMap(({ labels }) => Object.keys(labels)).filter((label) => !known.includes(label))).toEqual([]);
    expect(series.length).toBeLessThan(200);
  });

  test("a failed call is in the log with the id that its client got, and without any secret", async () => {
    const failures: [more: object, behaviour: Parameters<typeof scene.provider.script>[0] | null][] = [
      [{}, { status: 500 }],
      [{}, { cut: { afterBytes: 0, with: "rst" } }],
      [{ stream: true }, { errorEventAfter: 0 }],
      [{}, { isHtmlBody: true }],
      [{ model: "unreachable" }, null],
    ];
    for (const [more, behaviour] of failures) {
      if (behaviour !== null) {
        scene.provider.script(behaviour, { times: 2 });
      }
      const answer = await call(more);
      await answer.text();
      expect(answer.status).toBe(502);
      scene.provider.reset();
      const requestId = answer.headers.get("x-request-id") ?? "";
      const findLine = () =>
        linesOf(scene.gateway).find((text) => text.includes(requestId) && text.includes("call.failed"));
      await waitUntil(async () => findLine() !== undefined);
      const line = findLine();
      expect(JSON.parse(line ?? "{}")).toMatchObject({ level: "warn", requestId, code: expect.any(String) });
    }
    scene.provider.script([{ cut: { afterChunks: 3, with: "rst" } }, { silence: { afterChunks: 2 } }]);
    await (await call({ stream: true })).text().catch(() => "cut");
    const abort = new AbortController();
    const abandoned = fetch(`${scene.sluice.url}/v1/chat/completions`, {
      method: "POST",
      signal: abort.signal,
      headers: { authorization: `Bearer ${scene.user.apiKey}`, "content-type": "application/json" },
      body: '{"model":"gpt-4o-mini","stream":true,"messages":[{"role":"user","content":"hello"}]}',
    }).then((answer) => answer.text());
    await waitUntil(async () => scene.provider.requests.some((request) => request.isHeld));
    abort.abort();
    await abandoned.catch(() => "aborted");
    await expectCleanLogs(scene);
  });

  test("the root is a page for people, whatever the client, and every other unknown path is a JSON 404", async () => {
    for (const headers of [{}, { accept: "application/json" }, { authorization: `Bearer ${scene.user.apiKey}` }]) {
      const page = await fetch(scene.sluice.url, { headers });
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
      expect(page.headers.get("x-content-type-options")).toBe("nosniff");
      const text = await page.text();
      expect(text).toContain("/v1");
      await expectNoSecret(scene, text);
    }
    const unknown = [
      ["GET", "/nowhere"],
      ["GET", "/v3/models"],
      ["POST", "/"],
      ["POST", "/backend/login/"],
      ["GET", "/chat/completions"],
      ["DELETE", "/metrics"],
      ["GET", "/index.html"],
    ] as const;
    for (const [method, path] of unknown) {
      const answer = await fetch(`${scene.sluice.url}${path}`, { method });
      const { ok, error } = (await answer.json()) as { ok: boolean; error: { code: string; request_id: string } };
      expect([path, answer.status, ok, error.code]).toEqual([path, 404, false, "not_found"]);
      expect(answer.headers.get("x-request-id")).toBe(error.request_id);
    }
  });

  test("the page does not repeat the host of its request, and a host that could be markup is refused", async () => {
    const page = async (host: string) => {
      const answer = await exchangeRaw(scene.sluice.url, rawRequest(["GET / HTTP/1.1", `Host: ${host}`]));
      answer.connection.close();
      return answer;
    };
    for (const host of ["api.example.com", "a$&b"]) {
      const { status, body } = await page(host);
      expect([status, body.includes(host)]).toEqual([200, false]);
    }
    for (const host of ["a<script>", 'a"b', "a>b", "a&#60;b", "a b"]) {
      expect((await page(host)).status).toBe(400);
    }
  });
});

/** The samples of a text in the Prometheus format; label values here hold no commas and no quotes. */
function readSeries(text: string): Series[] {
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return samples.map((line) => {
    const match = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (match === null) {
      throw new Error(`not a sample: ${line}`);
    }
    const [, name = "", labels = "", value = ""] = match;
    const pairs = labels.split(",").filter((pair) => pair !== "");
    const entries = pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 2, -1)]);
    return { name, labels: Object.fromEntries(entries), value: Number(value) };
  });
}
