/** Bodies that take long to parse: their senders wait, and nobody else does. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MessagesRig, messagesModel } from "../support/messages/messages-rig.ts";
import { promptMs } from "../support/values/patience.ts";

const bodyBytes = 28 * 1024 * 1024;
const isFull = process.env["TEST_FULL"] === "1";
const parallel = isFull ? 4 : 2;
/**
 * How long the thread that serves may work on something else while a call waits: of the processor, because on a busy machine it
 * waits for that as well. It is less than 100 if nothing blocks it, and seconds if one body is parsed in one piece.
 */
const workMsMax = 500;

/** Sends the same body several times at once, from a separate process; prints status and length of each response. */
const sender = `
const [url, apiKey, count] = process.argv.slice(1);
const body = new Uint8Array(await new Response(Bun.stdin.stream()).arrayBuffer());
const headers = { authorization: "Bearer " + apiKey, "content-type": "application/json" };
const ask = async () => {
  const answer = await fetch(url, { method: "POST", headers, body });
  return [answer.status, await answer.text()];
};
console.log(JSON.stringify(await Promise.all(Array.from({ length: Number(count) }, ask))));
`;

let messages: MessagesRig;

beforeAll(async () => {
  messages = await MessagesRig.start("one-process");
  await messages.addModel("claude-large");
  // A context that such a prompt fits into, and a budget that it does not exhaust.
  await messages.rig.db.sql`update model set context_tokens_max = 100000000`;
});
afterAll(() => messages.close());

async function send(path: string, body: object, count: number): Promise<[status: number, text: string][]> {
  const child = Bun.spawn(
    [process.execPath, "-e", sender, `${messages.sluice.url}${path}`, messages.user.apiKey, String(count)],
    { stdin: Buffer.from(JSON.stringify(body)), stdout: "pipe", stderr: "inherit" },
  );
  return JSON.parse(await new Response(child.stdout).text());
}

/** Sends one request after the other until its input ends, in a separate process: this one plays the provider. */
const watcher = `
import { readFileSync } from "node:fs";
const [url, pid] = process.argv.slice(1);
const workMs = () => {
  const stat = readFileSync(\`/proc/\${pid}/task/\${pid}/stat\`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
const waits = [];
let isOver = false;
new Response(Bun.stdin.stream()).text().then(() => { isOver = true; });
while (!isOver) {
  const [startedAtMs, before] = [performance.now(), workMs()];
  await (await fetch(url)).text();
  waits.push({ wallMs: performance.now() - startedAtMs, workMs: workMs() - before });
  await Bun.sleep(2);
}
console.log(JSON.stringify(waits));
`;

type Wait = { readonly wallMs: number; readonly workMs: number };

/** How long each `/healthz` takes while the work runs, and how much the thread that serves it works meanwhile. */
async function watch<Result>(start: () => Promise<Result>): Promise<{ result: Result; waits: Wait[] }> {
  const { url, pid } = messages.sluice;
  const child = Bun.spawn([process.execPath, "-e", watcher, `${url}/healthz`, String(pid)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const result = await start();
  child.stdin.end();
  return { result, waits: JSON.parse(await new Response(child.stdout).text()) };
}

const sentence = 'The quick brown fox jumps over the lazy dog, "again"\n and again; ';
const oneText = [{ role: "user", content: sentence.repeat(Math.floor(bodyBytes / (sentence.length + 3))) }];
const manyTexts = Array.from({ length: 18_000 }, (_, at) => ({
  role: at % 2 === 0 ? "user" : "assistant",
  content: sentence.repeat(22),
}));

const messagesPath = ["/msgcompat/v1/messages", messagesModel] as const;
const chatPath = ["/v1/chat/completions", "gpt-4o-mini"] as const;

/** With TEST_FULL=1 each body on each path, otherwise each body on one and each path with one. */
describe.each([
  ["one long text", oneText, isFull ? [messagesPath, chatPath] : [messagesPath]],
  ["a long conversation", manyTexts, isFull ? [messagesPath, chatPath] : [chatPath]],
] as const)("%s", (_name, talk, paths) => {
  test.each([...paths])("at %s blocks no other call", async (path, model) => {
    const body = { model, max_tokens: 5, stream: true, messages: talk };
    const { result, waits } = await watch(() => send(path, body, parallel));
    expect(result.map(([status]) => status)).toEqual(Array.from({ length: parallel }, () => 200));
    expect(Math.max(...waits.map(({ workMs }) => workMs))).toBeLessThan(workMsMax);
    expect(Math.max(...waits.map(({ wallMs }) => wallMs))).toBeLessThan(promptMs);
  });
});
