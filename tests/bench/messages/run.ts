/**
 * `bun run bench messages`: the cost of the conversion itself, as CPU time and relative to JSON.parse of the same
 * bytes.
 */
import { parseArgs } from "node:util";
import { estimateInputTokens } from "@sluice/messages-conversion/estimate-tokens";
import { completeModelFlags } from "@sluice/messages-conversion/model-flags";
import {
  type ConvertedRequest,
  fromMessagesRequest,
  readMessagesRequest,
} from "@sluice/messages-conversion/request/from-messages-request";
import { toMessagesResponse } from "@sluice/messages-conversion/response/to-messages-response";
import { MessagesStream } from "@sluice/messages-conversion/stream/messages-stream";
import { fromServerSentEvent } from "@sluice/messages-conversion/stream/stream-input";
import { encodeSseEvent } from "../../support/messages/sse-text.ts";
import { agentBody, answerBody, smallBody, streamData } from "./bodies.ts";

const usage = "usage: bun run bench messages [--rounds <n>]  (default 15; the report shows medians)";
/** CPU time per measurement, so that the clock's resolution does not matter. */
const roundMicroseconds = 40_000;

type Task = {
  readonly name: string;
  readonly run: () => unknown /** How many things one run does. */;
  readonly count?: number;
};
type Case = {
  readonly title: string;
  readonly unit: string;
  readonly bytes: number;
  readonly parse: Task;
  readonly tasks: readonly Task[];
  readonly targetMicroseconds: number;
};

const sha256Hex = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const target = { upstreamModel: "gpt-4o-mini", flags: completeModelFlags({ reasoning: true }), sha256Hex };
const ids = { messageId: "msg_0123456789abcdef01234567", makeToolUseId: () => "toolu_0123456789abcdef01234567" };
const decoder = new TextDecoder();

const convert = (body: unknown): ConvertedRequest => fromMessagesRequest(readMessagesRequest(body), target);

function requestCase(title: string, text: string, targetMicroseconds: number): Case {
  const bytes = new TextEncoder().encode(text);
  const body: unknown = JSON.parse(text);
  const converted = convert(body).body;
  return {
    title,
    unit: "request",
    bytes: bytes.length,
    parse: { name: "JSON.parse", run: () => JSON.parse(decoder.decode(bytes)) },
    tasks: [
      { name: "conversion", run: () => convert(body) },
      { name: "token estimate", run: () => estimateInputTokens(converted) },
      { name: "JSON.stringify of the result", run: () => JSON.stringify(converted) },
    ],
    targetMicroseconds,
  };
}

function streamCase(): Case {
  const data = streamData();
  const { facts } = convert(JSON.parse(agentBody()));
  const packets = data.map((line) => new TextEncoder().encode(encodeSseEvent({ data: line })));
  const inputs = data.map((line) => fromServerSentEvent({ event: "", data: line })).filter((input) => input !== null);
  const openStream = () => new MessagesStream({ facts, ids, inputTokens: 900, nowMs: 0 });
  const first = openStream();
  const events = inputs.flatMap((input) => first.reduce(input, 0));
  const count = data.length;
  return {
    title: "stream",
    unit: "chunk",
    bytes: Math.round(packets.reduce((sum, packet) => sum + packet.length, 0) / count),
    parse: { name: "JSON.parse", count, run: () => data.map((line) => JSON.parse(line)) },
    tasks: [
      {
        name: "state machine",
        count,
        run: () => {
          const stream = openStream();
          return inputs.map((input) => stream.reduce(input, 0));
        },
      },
      {
        name: "writing the events",
        count,
        run: () => events.map((event) => encodeSseEvent({ event: event.type, data: JSON.stringify(event) })),
      },
    ],
    targetMicroseconds: 10,
  };
}

function answerCase(): Case {
  const text = answerBody();
  const completion: unknown = JSON.parse(text);
  const { facts } = convert(JSON.parse(agentBody()));
  const message = toMessagesResponse(completion, facts, ids);
  return {
    title: "whole answer",
    unit: "answer",
    bytes: text.length,
    parse: { name: "JSON.parse", run: () => JSON.parse(text) },
    tasks: [
      { name: "conversion", run: () => toMessagesResponse(completion, facts, ids) },
      { name: "JSON.stringify of the result", run: () => JSON.stringify(message) },
    ],
    targetMicroseconds: 150,
  };
}

/** Microseconds of CPU, ours and the collector's, per unit of the task. */
function measure(task: Task, runs: number): number {
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run += 1) {
    task.run();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / runs / (task.count ?? 1);
}

/** How many runs fill a round. The first ones also warm the code up. */
function runsPerRound(task: Task): number {
  const once = measure(task, 20) * (task.count ?? 1);
  return Math.max(1, Math.ceil(roundMicroseconds / Math.max(once, 1)));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function report(each: Case, rounds: number): void {
  const tasks = [each.parse, ...each.tasks];
  const sizes = tasks.map((task) => runsPerRound(task));
  const times = tasks.map((): number[] => []);
  // Interleaved in every round, so that a busy machine affects all of them alike.
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, task] of tasks.entries()) {
      times[index]?.push(measure(task, sizes[index] ?? 1));
    }
  }
  const medians = times.map(median);
  const [parse = Number.NaN, ...added] = medians;
  const sum = added.reduce((total, time) => total + time, 0);
  const line = (name: string, time: number) =>
    `  ${name.padEnd(30)} ${time.toFixed(2).padStart(9)} us ${(time / parse).toFixed(2).padStart(7)} x JSON.parse`;
  console.log(`${each.title}: ${each.bytes} bytes, CPU per ${each.unit}`);
  for (const [index, task] of tasks.entries()) {
    console.log(line(task.name, medians[index] ?? Number.NaN));
  }
  console.log(line("all of it, JSON.parse included", sum + parse));
  console.log(`  target ${each.targetMicroseconds} us: ${sum + parse <= each.targetMicroseconds ? "met" : "MISSED"}\n`);
}

/** Runs the bench and returns the exit code. */
export async function runMessagesBench(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: "string", default: "15" }, help: { type: "boolean", default: false } },
  });
  const rounds = Number(values.rounds);
  if (values.help || !Number.isInteger(rounds) || rounds < 1) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  const cases = [
    requestCase("small body", smallBody(), 150),
    requestCase("agent body with 24 tools", agentBody(), 1_500),
    streamCase(),
    answerCase(),
  ];
  for (const each of cases) {
    report(each, rounds);
  }
  return 0;
}
