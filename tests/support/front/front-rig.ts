import type { FrontCall } from "@sluice/control-plane/front/front-call.ts";
import type { HeadFields } from "@sluice/control-plane/front/head-fields.ts";
import type { FrontOutcome, FrontResponse, FrontSettings } from "@sluice/control-plane/front/model.ts";
import { Front } from "@sluice/control-plane/front/service.ts";
import type { AnswerReceiver } from "@sluice/control-plane/gateway/port.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { peerAddress } from "@sluice/control-plane/platform/peer-address.ts";

/** A request as a server understood it. */
export type SeenRequest = {
  readonly by: "front" | "runtime";
  readonly method: string;
  readonly target: string;
  readonly host: string | null;
  readonly body: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly peer: string;
};

export type FrontRig = {
  readonly front: Front;
  readonly port: number;
  /** The server behind the front, which can also be asked by itself. */
  readonly serverPort: number;
  /** In the order in which they were complete. */
  readonly seen: SeenRequest[];
  readonly counts: Record<FrontOutcome, number>;
  /** The requests that the front served. */
  readonly calls: FrontCall[];
  readonly lines: string[];
  /** Stops the runtime's server alone. */
  stopServer(): Promise<void>;
  stop(): Promise<void>;
};

type RigOptions = {
  readonly settings?: Partial<FrontSettings>;
  /** The response of the front; by default what it has seen, as JSON. */
  readonly answer?: (call: FrontCall) => Promise<FrontResponse>;
  /** The response of the runtime's server, which then does not read the request; by default what it has seen, too. */
  readonly respond?: (request: Request) => Promise<Response>;
};

export const frontTargets = ["/v1/chat/completions", "/v1/messages"];

/** A front before a server of the runtime; both answer with the request as they understood it. */
export function startFrontRig({ settings, answer, respond }: RigOptions = {}): FrontRig {
  const seen: SeenRequest[] = [];
  const calls: FrontCall[] = [];
  const lines: string[] = [];
  const counts: Record<FrontOutcome, number> = { served: 0, handed_over: 0, refused: 0, turned_away: 0 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 10,
    development: false,
    fetch: async (request, own) => {
      if (respond !== undefined) {
        return respond(request);
      }
      const { method, url, headers } = request;
      const peer = peerAddress(own, request);
      const target = url.slice(url.indexOf("/", "http://".length));
      const body = Buffer.from(await request.arrayBuffer()).toString("latin1");
      const one: SeenRequest = {
        by: "runtime",
        method,
        target,
        host: headers.get("host"),
        body,
        headers: [...headers],
        peer,
      };
      seen.push(one);
      return Response.json(one);
    },
  });
  const work = {
    targets: frontTargets,
    count: (outcome: FrontOutcome) => {
      counts[outcome] += 1;
    },
    serve: (call: FrontCall, receiver: AnswerReceiver<FrontResponse>): void => {
      const { method, target, headers, clientIp } = call;
      const body = call.readBody(bodyLimits, null).view.toString("latin1");
      const fields = joinFields(headers as HeadFields);
      const one: SeenRequest = {
        by: "front",
        method,
        target,
        host: headers.get("host"),
        body,
        headers: fields,
        peer: clientIp,
      };
      seen.push(one);
      calls.push(call);
      const answering = answer?.(call) ?? Promise.resolve(jsonOf(200, one));
      void answering.then((response) => receiver.onAnswer(response));
    },
    refuse: () => jsonOf(400, { error: { code: "malformed_request" } }),
    fail: () => jsonOf(500, { error: { code: "internal_error" } }),
  };
  const serverPort = server.port ?? 0;
  const log = createLog("debug", (line) => lines.push(line));
  const front = new Front(work, { ...usualSettings, ...settings }, { serverPort, log });
  return {
    front,
    port: front.port,
    serverPort,
    seen,
    counts,
    calls,
    lines,
    stopServer: () => server.stop(true),
    stop: async () => {
      front.stop();
      front.cutOff();
      await server.stop(true);
    },
  };
}

const usualSettings: FrontSettings = {
  hostname: "127.0.0.1",
  port: 0,
  bodyBytesMax: 1024 * 1024,
  heldBytesMax: 64 * 1024 * 1024,
  headTimeoutMs: 10_000,
  idleTimeoutMs: 10_000,
  stallTimeoutMs: 10_000,
  connectionsMax: 1_000,
  edge: { header: null, addresses: [] },
  rareFields: [],
  headers: {},
};

function jsonOf(status: number, value: object): FrontResponse {
  return { status, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(value)) };
}

const bodyLimits = { bytesMax: 1024 * 1024, timeoutMs: 1_000 };

/** All fields as the server of the runtime shows them: each name once. */
function joinFields(fields: HeadFields): [string, string][] {
  const names = new Set([...fields].map(([name]) => name));
  return [...names].map((name) => [name, fields.get(name) ?? ""]);
}
