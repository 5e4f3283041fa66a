import type { App } from "../app.ts";
import type { FrontWork } from "../front/model.ts";
import { Front } from "../front/service.ts";
import { serverSeconds } from "../platform/client-patience.ts";
import type { Config } from "../platform/config.ts";
import type { Log } from "../platform/log.ts";
import { passingAddress } from "../platform/peer-address.ts";
import { clientSettings } from "./client-settings.ts";

/** This is above the service's own limit for bodies, so that a larger body gets our response and not the server's. */
const serverBodyBytesMax = 1024 * 1024 * 1024;
/** Bodies up to this size are read at once by the runtime's server, too. */
const frontBodyBytesMax = 1024 * 1024;
const heldBytesMax = 64 * 1024 * 1024;
const headTimeoutMs = 10_000;

/** The listeners of a process. */
export type Listeners = {
  readonly port: number | undefined;
  /** Requests that are not over: settled, with the last byte sent to the client, however slow. */
  running(): number;
  beginDrain(): void;
  /** Takes no more connections. Resolves when the last response is written. */
  stop(): Promise<void>;
  /** Closes every connection. */
  cutOff(): void;
};

type Served = {
  readonly app: App;
  /** What the front serves; null without a front. */
  readonly front: { readonly work: FrontWork; readonly headers: Readonly<Record<string, string>> } | null;
};

/** Opens the port: of the runtime's server, or of the front, which passes on to that server what it does not serve. */
export function listen({ app, front }: Served, config: Config, log: Log): Listeners {
  const server = app.listen({
    ...(front === null ? { hostname: config.HOST, port: config.PORT } : { hostname: passingAddress, port: 0 }),
    idleTimeout: serverSeconds(config.CLIENT_IDLE_TIMEOUT_MS),
    maxRequestBodySize: serverBodyBytesMax,
  });
  const serverPort = server.port;
  const opened =
    front === null || serverPort === undefined
      ? null
      : new Front(front.work, frontSettings(config, front.headers), { serverPort, log });
  return {
    port: opened?.port ?? serverPort,
    running: () => Math.max(opened?.running ?? 0, server.pendingRequests),
    beginDrain: () => opened?.beginDrain(),
    stop: async () => {
      opened?.stop();
      await server.stop();
    },
    cutOff: () => {
      opened?.cutOff();
      void server.stop(true);
    },
  };
}

function frontSettings(config: Config, headers: Readonly<Record<string, string>>) {
  const { edge, patience } = clientSettings(config);
  return {
    hostname: config.HOST,
    port: config.PORT,
    bodyBytesMax: Math.min(frontBodyBytesMax, config.BODY_BYTES_MAX),
    heldBytesMax,
    ...patience,
    headTimeoutMs,
    connectionsMax: config.CLIENT_CONNECTIONS_MAX,
    edge,
    rareFields: config.CORS_ORIGINS.length === 0 ? [] : ["origin"],
    headers: config.CORS_ORIGINS.length === 0 ? headers : { ...headers, vary: "origin" },
  };
}
