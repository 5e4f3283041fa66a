/** Controls a sandbox in another process over HTTP: `/sandbox/...`, only if it was started as scriptable. */
import { z } from "zod";
import { jsonAnswer } from "./api/json-answer.ts";
import { openAiErrorBody } from "./api/openai-dialect.ts";
import type { SandboxProvider } from "./sandbox.ts";
import type { IncomingRequest } from "./script/incoming-request.ts";
import { scriptSchema } from "./script/rules.ts";
import type { Answer } from "./wire/plan.ts";

const timeoutMs = z.number().positive().max(60_000).optional();
const waitSchema = z.strictObject({
  for: z.enum(["request", "chunks", "held", "end", "cancel", "idle"]),
  index: z.int().nonnegative().default(0),
  chunks: z.int().nonnegative().default(0),
  timeoutMs,
});
const releaseSchema = z.strictObject({ index: z.int().nonnegative() });
const faultSchema = z.strictObject({ fault: z.enum(["none", "fin", "rst"]) });

type Command = (provider: SandboxProvider, body: unknown) => Promise<unknown> | unknown;

const commands: Readonly<Record<string, Command>> = {
  "POST /sandbox/script": (provider, body) => {
    const { behaviours, ...conditions } = scriptSchema.parse(body);
    provider.script(behaviours, conditions);
    return { scriptedLeft: String(provider.scriptedLeft) };
  },
  "POST /sandbox/reset": (provider) => {
    provider.reset();
    return {};
  },
  "POST /sandbox/release": (provider, body) => {
    provider.requests[releaseSchema.parse(body).index]?.release();
    return {};
  },
  "POST /sandbox/connection-fault": (provider, body) => {
    provider.setConnectionFault(faultSchema.parse(body).fault);
    return {};
  },
  "POST /sandbox/wait": async (provider, body) => ({ request: await wait(provider, waitSchema.parse(body)) }),
  "GET /sandbox/requests": (provider) => ({ requests: provider.requests, totals: provider.totals }),
  "GET /sandbox/totals": (provider) => ({ totals: provider.totals }),
};

/** Null when it is not a control request. */
export function answerControl(provider: SandboxProvider, request: IncomingRequest): Promise<Answer> | null {
  return request.path.startsWith("/sandbox/") ? runCommand(provider, request) : null;
}

async function runCommand(provider: SandboxProvider, request: IncomingRequest): Promise<Answer> {
  const command = commands[`${request.head.method} ${request.path}`];
  if (command === undefined) {
    return refusal(404, `The sandbox knows ${Object.keys(commands).join(", ")}.`);
  }
  try {
    return jsonAnswer(await command(provider, request.json));
  } catch (error) {
    const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return refusal(error instanceof z.ZodError ? 400 : 408, message);
  }
}

function refusal(status: number, message: string): Answer {
  return jsonAnswer(openAiErrorBody({ status, message }), status);
}

async function wait(provider: SandboxProvider, wanted: z.infer<typeof waitSchema>): Promise<unknown> {
  const { index } = wanted;
  switch (wanted.for) {
    case "request":
      return await provider.waitForRequest(index, wanted.timeoutMs);
    case "chunks":
      return await provider.waitForChunks(index, wanted.chunks, wanted.timeoutMs);
    case "held":
      return await provider.waitForHeld(index, wanted.timeoutMs);
    case "end":
      return await provider.waitForEnd(index, wanted.timeoutMs);
    case "cancel":
      return await provider.waitForCancel(index, wanted.timeoutMs);
    case "idle":
      await provider.waitForIdle(wanted.timeoutMs);
      return null;
  }
}
