import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { type SluiceProcess, SluiceRig, type TestUser } from "../support/service/sluice.ts";

type Received = { readonly path: string; readonly headers: Headers; readonly text: string };
type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
};

const canary = "the words of a customer";
const answerCanary = "the words of a provider";
let rig: SluiceRig;
let user: TestUser;
let provider: Bun.Server<undefined>;
let receiver: Bun.Server<undefined>;
const received: Received[] = [];
const running: SluiceProcess[] = [];
/** What the receiver does; a test changes it. */
let receive: (request: Request) => Response | Promise<Response>;
const took = (): Response => Response.json({});

beforeAll(async () => {
  provider = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      Response.json({
        id: "c1",
        object: "chat.completion",
        created: 1,
        model: "gpt-4o-mini",
        choices: [{ index: 0, message: { role: "assistant", content: answerCanary }, finish_reason: "stop" }],
        usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
      }),
  });
  receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const path = new URL(request.url).pathname;
      received.push({ path, headers: request.headers, text: await request.text() });
      return await receive(request);
    },
  });
  rig = await SluiceRig.create(`http://127.0.0.1:${provider.port}`);
  user = await rig.addUser();
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.kill()));
  received.length = 0;
});

afterAll(async () => {
  await rig.close();
  await provider.stop(true);
  await receiver.stop(true);
});

async function start(env: Record<string, string>): Promise<SluiceProcess> {
  const started = await rig.startProcess(env);
  running.push(started);
  return started;
}

const told = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${receiver.port}`,
  OTEL_EXPORTER_OTLP_HEADERS: "x-receiver-key=of%20tests",
  OTEL_EXPORTER_OTLP_TIMEOUT: "1000",
});

async function chat({ url }: SluiceProcess, model = "gpt-4o-mini"): Promise<{ status: number; requestId: string }> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${user.apiKey}`,
      "content-type": "application/json",
      traceparent: "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01",
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content: canary }], max_tokens: 20 }),
  });
  await answer.text();
  return { status: answer.status, requestId: answer.headers.get("x-request-id") ?? "" };
}

function spans(): Span[] {
  type Body = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
  return received
    .filter(({ path }) => path === "/v1/traces")
    .flatMap(({ text }) => (JSON.parse(text) as Body).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans));
}

const attributes = (span: Span | undefined): Record<string, unknown> =>
  Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));

test("a call is exported as a trace of itself and its attempts, under its request id and without any of its content", async () => {
  receive = took;
  const sluice = await start(told());
  const { status, requestId } = await chat(sluice);
  const refused = await chat(sluice, "no-such-model");
  expect([status, refused.status]).toEqual([200, 404]);
  // Whatever waits is sent before the process ends.
  expect(await sluice.stop()).toBe(0);
  const traceId = requestId.replaceAll("-", "");
  const ofCall = spans().filter((span) => span.traceId === traceId);
  const root = ofCall.find(({ parentSpanId }) => parentSpanId === undefined || parentSpanId === "");
  const attempt = ofCall.find(({ parentSpanId }) => parentSpanId === root?.spanId);
  expect(ofCall.length).toBe(2);
  expect(root?.name).toBe("chat gpt-4o-mini");
  expect(attributes(root)).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.usage.input_tokens": 11,
    "gen_ai.usage.output_tokens": 7,
    "http.response.status_code": 200,
    "sluice.request_id": requestId,
  });
  expect(attributes(attempt)).toMatchObject({ "sluice.channel": "first", "sluice.attempt.result": "answered" });
  expect(BigInt(attempt?.startTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(BigInt(root?.startTimeUnixNano ?? 1));
  expect(BigInt(attempt?.endTimeUnixNano ?? 1)).toBeLessThanOrEqual(BigInt(root?.endTimeUnixNano ?? 0) + 2_000_000n);
  const failed = spans().find((span) => span.traceId === refused.requestId.replaceAll("-", ""));
  expect(failed?.status.code).toBe(2);
  expect(attributes(failed)).toMatchObject({ "error.type": "model_not_found" });
  const metrics = received
    .filter(({ path }) => path === "/v1/metrics")
    .map(({ text }) => text)
    .join();
  for (const name of [
    "gen_ai.client.operation.duration",
    "gen_ai.server.time_to_first_token",
    "gen_ai.client.token.usage",
  ]) {
    expect(metrics).toContain(`"${name}"`);
  }
  const everything = received.map(({ text }) => text).join();
  for (const secret of [canary, answerCanary, user.apiKey, "0123456789abcdef0123456789abcdef", "no-such-model"]) {
    expect(everything).not.toContain(secret);
  }
  expect(received.every(({ headers }) => headers.get("x-receiver-key") === "of tests")).toBe(true);
});

test("a receiver that never responds holds up no call, and what it did not receive is counted", async () => {
  receive = () => new Promise<Response>(() => undefined);
  const sluice = await start({ ...told(), OTEL_EXPORTER_OTLP_TIMEOUT: "200" });
  const answers = await Promise.all(Array.from({ length: 20 }, () => chat(sluice)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const count = async (): Promise<number> => {
    const text = await (await fetch(`${sluice.url}/metrics`)).text();
    return Number(/sluice_telemetry_dropped_total\{reason="not_taken"\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  while ((await count()) < 20) {
    await Bun.sleep(50);
  }
  expect((await chat(sluice)).status).toBe(200);
});

test("without an endpoint nothing is exported", async () => {
  receive = took;
  const sluice = await start({});
  expect((await chat(sluice)).status).toBe(200);
  expect(await sluice.stop()).toBe(0);
  expect(received).toEqual([]);
});
