import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Behaviour } from "@sluice/sandbox-provider/script/behaviour";
import { allRoutes, type CallRoute, serveThrough, surfaces } from "../support/calls/call-routes.ts";
import { addModelWithChannel, type RelayScene, startRelayScene, waitUntil } from "../support/calls/relay-scene.ts";
import { readFrontOutcomes } from "../support/service/metrics.ts";
import type { SluiceProcess, TestUser } from "../support/service/sluice.ts";
import { promptMs } from "../support/values/patience.ts";
import { connectRaw, rawRequest } from "../support/wire/raw-tcp-client.ts";

const roundsMax = process.env["TEST_FULL"] === "1" ? 40 : 2;
/** A channel that fails more often is closed for a while, which ends at another moment in each process. */
const faultRounds = 2;
const hello = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] };
const message = { ...hello, max_tokens: 50 };
const longText = "words and ".repeat(20_000);

let scene: RelayScene;
let front: SluiceProcess;
/** Users that a rule stops, by what it is. */
const stopped = new Map<Rule, TestUser>();

beforeAll(async () => {
  const env = { CLIENT_IP_HEADER: "x-forwarded-for", LOG_LEVEL: "debug", BODY_BYTES_MAX: "600000" };
  scene = await startRelayScene("one-process", {
    env: { ...env, CHAT_FRONT: "off" },
    prepare: async (rig, provider) => {
      for (const [rule, change] of Object.entries(rules)) {
        const user = await rig.addUser(rule === "balance" ? 1n : undefined);
        await rig.db.query(change, change.includes("$1") ? [user.gatewayUserId] : []);
        stopped.set(rule as Rule, user);
      }
      for (const name of Object.keys(faults)) {
        await addModelWithChannel(rig, modelOf(name), `${provider.url}/v1`);
      }
      for (const route of allRoutes) {
        await addModelWithChannel(rig, modelOfRoute(route), `${provider.url}/v1`);
        await serveThrough(rig, modelOfRoute(route), route.channel, provider.url);
      }
    },
  });
  front = await scene.rig.startProcess({ ...env, CHAT_FRONT: "on" });
});

afterAll(() => scene.close());

/** What stops a call before it reaches a provider, and how it comes about for a user. */
const ofKey = (change: string): string => `update api_key set ${change} where gateway_user_id = $1`;
const rules = {
  balance: "select",
  revoked: ofKey("status = 'revoked'"),
  disabled: ofKey("status = 'disabled'"),
  expired: ofKey("expires_at = now() - interval '1 second'"),
  locked: ofKey("lock_reason = 'a reason'"),
  address: ofKey("allowed_ips = '{192.0.2.1}'"),
  model: ofKey("allowed_models = '{gpt-4o}'"),
  account: "update gateway_user set status = 'disabled' where id = $1",
  /** The first call uses the tokens of an hour. */
  tokens: ofKey("tokens_per_minute = 1"),
} as const;
type Rule = keyof typeof rules;

type Call = {
  readonly path?: string;
  readonly body: object | string;
  readonly lines?: readonly string[];
  readonly behaviour?: Behaviour;
  /** Its user is stopped by this. */
  readonly stoppedBy?: Rule;
  /** Of the first call, the second, and so on; the last one is that of all further ones. */
  readonly statuses?: readonly number[];
  readonly rounds?: number;
  /** Who answers with the front on. */
  readonly by?: "served" | "handed_over";
};

const calls: Readonly<Record<string, Call>> = {
  "a whole answer": { body: hello },
  "a stream": { body: { ...hello, stream: true } },
  "a stream with its usage": { body: { ...hello, stream: true, stream_options: { include_usage: true } } },
  "a long prompt": { body: { ...hello, messages: [{ role: "user", content: longText }] } },
  "a long answer": {
    body: hello,
    behaviour: { body: { choices: [{ index: 0, message: { role: "assistant", content: longText } }] } },
  },
  "a message": { path: "/v1/messages", body: message },
  "a stream of a message": { path: "/v1/messages?beta=true", body: { ...message, stream: true } },
  "a response": { path: "/v1/responses", body: { model: hello.model, input: "hello" } },
  "a stream of a response": { path: "/v1/responses", body: { model: hello.model, input: "hello", stream: true } },
  "a key in another header": { body: hello, lines: ["Authorization:", "X-Api-Key: $KEY"] },
  "a name and an address": {
    body: hello,
    lines: ['User-Agent: tester/1 ("a")', "X-Forwarded-For: 192.0.2.1, 192.0.2.77"],
  },
  "an address in two lines": { body: hello, lines: ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 2001:db8::7"] },
  "no key": { body: hello, lines: ["Authorization:"] },
  "a wrong key": { body: hello, lines: [`Authorization: Bearer sk-${"A".repeat(48)}`] },
  "two keys": { body: hello, lines: ["Authorization: Bearer $KEY", "Authorization: Bearer $KEY"] },
  "a body that is not JSON": { body: "{" },
  "an empty body": { body: "" },
  "a body of another type": { body: hello, lines: ["Content-Type: text/plain"] },
  "an encoded body": { body: hello, lines: ["Content-Encoding: gzip"] },
  "an unknown model": { body: { ...hello, model: "nothing" } },
  "an unknown model of messages": { path: "/v1/messages", body: { ...message, model: "nothing" } },
  "a request that a provider refuses": { body: hello, behaviour: { status: 400 } },
  "an answer with odd headers": { body: hello, behaviour: { headers: { "openai-processing-ms": "17", "x-odd": "a" } } },
  "a key for doing it once": { body: hello, lines: ["Idempotency-Key: a-b"] },
  "a wish for the last answer": { body: hello, lines: ["Connection: close"] },
  "a body that is too large": {
    body: { ...hello, messages: [{ role: "user", content: longText.repeat(4) }] },
    by: "handed_over",
  },
  "an interim response": { body: hello, lines: ["Expect: 100-continue"], by: "handed_over" },
  "a key without balance": { body: hello, stoppedBy: "balance", statuses: [429] },
  "a key that is revoked": { body: hello, stoppedBy: "revoked", statuses: [401] },
  "a key that is disabled": { body: hello, stoppedBy: "disabled", statuses: [401] },
  "a key that has expired": { body: hello, stoppedBy: "expired", statuses: [401] },
  "a key that an operator has locked": { body: hello, stoppedBy: "locked", statuses: [403] },
  "a key for other addresses": { body: hello, stoppedBy: "address", statuses: [403] },
  "a key for its address": {
    body: hello,
    stoppedBy: "address",
    lines: ["X-Forwarded-For: 192.0.2.1"],
    statuses: [200],
  },
  "a key for other models": { body: hello, stoppedBy: "model", statuses: [404] },
  "a key of a disabled account": { path: "/v1/messages", body: message, stoppedBy: "account", statuses: [403] },
  "a key that has no tokens left this minute": { body: hello, stoppedBy: "tokens", statuses: [200, 429] },
  "a field that comes twice": { body: '{"model":"gpt-4o-mini","messages":[],"messages":[]}' },
  "a field that comes twice in an escape": { body: '{"model":"gpt-4o-mini","mod\\u0065l":"gpt-4o","messages":[]}' },
  "a model with a letter beyond ASCII": { body: { ...hello, model: "gpt-4o-minï" } },
  "a list in place of an object": { body: "[]" },
  "an empty list of messages": { body: { ...hello, messages: [] } },
  "several choices and an odd limit": { body: { ...hello, n: 3, max_tokens: 0 } },
  "letters of many scripts": { body: { ...hello, messages: [{ role: "user", content: "héllo 你好 \u{1f600}" }] } },
  "a user and labels": { body: { ...hello, user: "someone", metadata: { tags: "a,b" } } },
  "another path": { path: "/v1/embeddings", body: { model: "nothing", input: "a" }, by: "handed_over" },
};

const streamed = { ...hello, stream: true };

/** Calls whose provider fails, each at a model of its own, so that no other call finds its channel paused. */
const faults: Readonly<Record<string, Call>> = {
  "a stream that ends in the middle": { body: streamed, behaviour: { cut: { afterChunks: 3, with: "fin" } } },
  "a stream that is reset in the middle": { body: streamed, behaviour: { cut: { afterChunks: 3, with: "rst" } } },
  "a stream that is cut before its first event": {
    body: streamed,
    behaviour: { cut: { afterChunks: 0, with: "fin" } },
  },
  "an answer that is cut": { body: hello, behaviour: { cut: { afterBytes: 400, with: "fin" } } },
  "an error in the middle of a stream": { body: streamed, behaviour: { errorEventAfter: 2 } },
  "an event that is not JSON": { body: streamed, behaviour: { malformedChunk: 2 } },
  "a chunk of odd framing": { body: streamed, behaviour: { malformedFraming: 2 } },
  "a stream without an end mark": { body: streamed, behaviour: { noDone: true } },
  "events with other line ends and comments": { body: streamed, behaviour: { lineEnd: "crlf", commentEvery: 2 } },
  "a stream in single bytes": { body: streamed, behaviour: { splitAt: "every-byte" } },
  "a stream that nobody asked for usage": { body: streamed, behaviour: { usagePlacement: "every-chunk" } },
  "a message that is cut": {
    path: "/v1/messages",
    body: { ...message, stream: true },
    behaviour: { cut: { afterChunks: 3, with: "fin" } },
  },
  "an answer in single bytes": { body: hello, behaviour: { splitAt: "every-byte" } },
  "an answer without usage": { body: hello, behaviour: { omitUsage: true } },
  "usage that can't be true": {
    body: hello,
    behaviour: { usage: { prompt_tokens: 9_000_000, completion_tokens: -1 } },
  },
  "an error with status 200": { body: hello, behaviour: { errorInside: { form: "alone" } } },
  "a page in place of an answer": { body: hello, behaviour: { isHtmlBody: true } },
  "an answer that is not JSON": { body: hello, behaviour: { body: "[[" } },
  "an answer without a body": { body: hello, behaviour: { body: "" } },
  "a failing provider": { body: hello, behaviour: { status: 503 } },
  "a provider that limits": { body: hello, behaviour: { status: 429, retryAfter: 1 } },
};

function modelOf(name: string): string {
  return `model-${Object.keys(faults).indexOf(name)}`;
}

const modelOfRoute = ({ surface, channel }: CallRoute): string => `${surface}-as-${channel}`;

/** Every dialect of clients on channels of every dialect: passed on as it is, or converted. */
const routed: readonly [string, Call][] = allRoutes.flatMap((route): [string, Call][] => {
  const { path, fields } = surfaces[route.surface];
  const call = (more: object): Call => ({ path, body: { ...fields, ...more, model: modelOfRoute(route) } });
  return [
    [route.name, call({})],
    [`${route.name}, a stream`, call({ stream: true })],
  ];
});

const withOwnModel = ([name, call]: [string, Call]): [string, Call] => [
  name,
  { ...call, body: { ...(call.body as object), model: modelOf(name) }, rounds: faultRounds },
];

/** What differs between two calls, or in when they are made. */
const withoutIds = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}/g, "<id>")
    .replace(/\b(chatcmpl|msg|resp|req|rs|fc)[-_][\w-]+/g, "$1-<id>")
    .replace(/"(created|created_at|completed_at)":\d+/g, '"$1":0')
    .replace(/"(x-ratelimit-reset-\w+|retry-after)","[^"]+"/g, '"$1","<time>"');

type Answer = {
  readonly requestId: string;
  readonly status: number;
  readonly shown: object;
  /** Whether the service has ended the connection by now. */
  readonly hasEnded: () => boolean;
  readonly close: () => void;
};

async function ask(sluice: SluiceProcess, call: Call): Promise<Answer> {
  const { path = "/v1/chat/completions", body, lines = [], stoppedBy } = call;
  const user = (stoppedBy === undefined ? undefined : stopped.get(stoppedBy)) ?? scene.user;
  const usual = ["Host: sluice.example", "Authorization: Bearer $KEY", "Content-Type: application/json"];
  const names = lines.map((line) => `${line.split(":")[0]}:`);
  const kept = usual.filter((line) => !names.some((name) => line.startsWith(name)));
  const all = [...kept, ...lines.filter((line) => !line.endsWith(":"))].map((line) =>
    line.replace("$KEY", user.apiKey),
  );
  const connection = await connectRaw(Number(new URL(sluice.url).port));
  connection.send(
    rawRequest([`POST ${path} HTTP/1.1`, ...all], typeof body === "string" ? body : JSON.stringify(body)),
  );
  await connection.waitForText("\r\n\r\n");
  const text = () => Buffer.from(connection.received()).toString("latin1").replace("HTTP/1.1 100 Continue\r\n\r\n", "");
  await waitUntil(() => Promise.resolve(text().includes("\r\n\r\n")));
  const head = text().slice(0, text().indexOf("\r\n\r\n"));
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  let hasEnded = false;
  void connection.ended.then(() => {
    hasEnded = true;
  });
  const isWhole = (): boolean =>
    length === undefined ? text().endsWith("\r\n0\r\n\r\n") : text().length >= head.length + 4 + Number(length);
  await waitUntil(() => Promise.resolve(hasEnded || isWhole()));
  await Promise.race([connection.ended, Bun.sleep(30)]);
  const [status = "", ...fields] = head.split("\r\n");
  const named = fields.map((line) => [
    line.slice(0, line.indexOf(":")).toLowerCase(),
    line.slice(line.indexOf(":") + 1).trim(),
  ]);
  const requestId = named.find(([name]) => name === "x-request-id")?.[1] ?? "";
  // The runtime's server ends a connection without a word about it.
  const compared = named.filter(([name]) => name !== "date" && name !== "connection").sort();
  const raw = text().slice(head.length + 4);
  const answerBody = length === undefined ? raw.replace(/(^|\r\n)[0-9a-f]+\r\n(\r\n$)?/g, "") : raw;
  return {
    requestId,
    status: Number(status.split(" ")[1]),
    shown: { status, headers: withoutIds(JSON.stringify(compared)), body: withoutIds(answerBody) },
    hasEnded: () => hasEnded,
    close: () => connection.close(),
  };
}

const volatile = ["request_id", "xid", "started_at", "duration_ms", "first_byte_ms", "first_token_ms", "attempts"];

async function findRows(requestId: string): Promise<object> {
  const [row] = await scene.rig.db.sql<{ usage: object | null; attempts: string | null; trace: object | null }>`
    select to_jsonb(t) - ${`{${volatile.join(",")}}`}::text[] as trace,
      to_jsonb(u) - ${`{${volatile.join(",")}}`}::text[] as usage,
      regexp_replace(u.attempts::text, '[0-9]+(\\.[0-9]+)?', '0', 'g') as attempts
    from trace_record t left join usage_log u using (request_id) where t.request_id = ${requestId}::uuid`;
  return row ?? {};
}

/** Asks again while a machine is too busy to look up the key or its quota in time. */
async function askInPeace(sluice: SluiceProcess, call: Call) {
  for (let tries = 0; ; tries += 1) {
    scene.provider.reset();
    if (call.behaviour !== undefined) {
      scene.provider.script(call.behaviour);
    }
    const before = await readFrontOutcomes(front.url);
    const answer = await ask(sluice, call);
    const after = await readFrontOutcomes(front.url);
    if (tries === 10 || !JSON.stringify(answer.shown).includes("temporarily_unavailable")) {
      return { answer, counted: (outcome: string) => (after[outcome] ?? 0) - (before[outcome] ?? 0) };
    }
    answer.close();
  }
}

test.each([...Object.entries(calls), ...routed, ...Object.entries(faults).map(withOwnModel)])(
  "the front and the runtime's server give the same answer, rows and trace, and ask the provider alike: %s",
  async (_, call) => {
    const { by = "served", rounds = roundsMax, statuses = [] } = call;
    for (let round = 0; round < rounds; round += 1) {
      const results: object[] = [];
      const answers: Answer[] = [];
      for (const sluice of [scene.sluice, front]) {
        const { answer, counted } = await askInPeace(sluice, call);
        const { requestId, shown } = answer;
        answers.push(answer);
        expect(answer.status).toBe(statuses[Math.min(round, statuses.length - 1)] ?? answer.status);
        if (sluice === front) {
          expect(counted(by)).toBe(by === "served" ? 1 : 2);
        }
        await waitUntil(async () => Object.keys(await findRows(requestId)).length > 0);
        const asked = scene.provider.requests.map(({ method, target, headLines, body }) =>
          withoutIds(JSON.stringify({ method, target, headLines, body: body.toString("latin1") })),
        );
        results.push({ shown, rows: await findRows(requestId), asked });
      }
      expect(results[1]).toEqual(results[0]);
      // Both end the connection, or none: on a busy machine the end of one is seen later.
      await waitUntil(() => Promise.resolve(answers[0]?.hasEnded() === answers[1]?.hasEnded()), promptMs);
      for (const answer of answers) {
        answer.close();
      }
    }
  },
);

test("the books are right after all of them", async () => {
  expect(await scene.rig.checkMoney()).toEqual([]);
  const errors = [...front.log().matchAll(/^.*"level":"error".*$/gm)].map(([line]) => line);
  // Of the call whose usage can't be true, and of what gets no connection to the database on a busy machine.
  const expected = /"usage\.implausible"|"DatabaseUnavailableError"/;
  expect(errors.filter((line) => !expected.test(line))).toEqual([]);
});
