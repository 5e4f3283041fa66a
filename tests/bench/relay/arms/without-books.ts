import type { RunningArm } from "../arm.ts";
import type { RunningServer } from "../child-process.ts";
import { chatHeaders } from "../load/chat-request.ts";

/** An arm that is one process and keeps no books. */
export function withoutBooks({ pid, stop }: RunningServer, port: number, apiKey: string): RunningArm {
  return { port, path: "/v1/chat/completions", headers: chatHeaders(apiKey), pid, companions: [], books: null, stop };
}
