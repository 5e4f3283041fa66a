/* The process of `bench call`: relay, gateway and front, with callers and a provider of its own. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Front } from "@sluice/control-plane/front/service.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { buildAnswers } from "../relay/load/answers.ts";
import { chatCall } from "../relay/load/call.ts";
import { chatHeaders, encodeRequest } from "../relay/load/chat-request.ts";
import { apiKey, openOwnGateway, providerPort } from "./own-gateway.ts";
import { streamReply, wholeReply } from "./own-replies.ts";
import { OwnLoad } from "./own-sockets.ts";

/** What this process is asked for. */
export type Order = { readonly calls: number };

/** What calls or chunks cost, in us of CPU for each: of the thread that serves them, and of all threads. */
export type Cost = { readonly thread: number; readonly process: number };

/** The first message says that it is ready. */
export type News = { readonly kind: "ready" } | { readonly kind: "done"; readonly cost: Cost };

const [callers = "1", kind = "whole"] = Bun.argv.slice(2);
const isStream = kind === "stream";
const timeoutMs = 3_600_000;
/** That of its usage, and its trace. */
const rowsPerCall = 2;
const settings = {
  hostname: "127.0.0.1",
  port: 8080,
  bodyBytesMax: 1024 * 1024,
  heldBytesMax: 64 * 1024 * 1024,
  idleTimeoutMs: timeoutMs,
  headTimeoutMs: timeoutMs,
  stallTimeoutMs: timeoutMs,
  connectionsMax: 4_096,
  edge: { header: null, addresses: [] },
  rareFields: [],
  headers: {},
};

const directory = mkdtempSync(join(tmpdir(), "sluice-bench-call-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
const plan = { port: 0, path: "/v1/chat/completions", headers: chatHeaders(apiKey), isStream, call: chatCall };
const reply = isStream ? streamReply(buildAnswers()) : wholeReply(buildAnswers());
const load = new OwnLoad(encodeRequest(plan), reply, providerPort);
load.install();
const gateway = await openOwnGateway(directory);
const log = createLog("warn", (line) => process.stderr.write(line));
new Front(gateway.work, settings, { serverPort: providerPort, log });
load.open(Number(callers));
process.on("message", ({ calls }: Order) => void run(calls));
// An orderly end, with which the runtime writes a profile.
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
send({ kind: "ready" });

async function run(calls: number): Promise<void> {
  const rowsBefore = await gateway.committed();
  const before = readCpu();
  await load.run(calls);
  const rows = (await gateway.committed()) - rowsBefore;
  if (rows !== rowsPerCall * calls) {
    throw new Error(`${calls} calls have ${rows} rows`);
  }
  const after = readCpu();
  const parts = calls * reply.packets.length;
  const cost = { thread: (after.thread - before.thread) / parts, process: (after.process - before.process) / parts };
  send({ kind: "done", cost });
}

/** CPU so far, in us. */
function readCpu(): Cost {
  const stat = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8");
  const { user, system } = process.cpuUsage();
  return { thread: Number(stat.split(" ")[0]) / 1_000, process: user + system };
}

function send(news: News): void {
  process.send?.(news);
}
