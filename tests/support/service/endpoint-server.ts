import { createApp } from "@sluice/control-plane/app.ts";
import { openBackendApp } from "@sluice/control-plane/compose/backend-app.ts";
import { serverSeconds } from "@sluice/control-plane/platform/client-patience.ts";
import type {
  AnyEndpoint,
  CallerReader,
  ConsentCheck,
  Memberships,
  UserCaller,
} from "@sluice/control-plane/platform/endpoint/model.ts";
import { addEndpoints } from "@sluice/control-plane/platform/endpoint/routes.ts";
import { createLog, type LogFields } from "@sluice/control-plane/platform/log.ts";
import { patienceMs } from "../values/patience.ts";

export type EndpointServer = {
  readonly url: string;
  /** Every line of the log. */
  readonly lines: LogFields[];
  stop(): Promise<void>;
};

/** The caller is in a test header: `x-test-admin: super` (or `stale`, `plain`, `unfinished`), `x-test-user: 17` or, where its account has another number, `17 19`. */
const callersOfHeaders: CallerReader = {
  readUser: (request) => {
    const userId = request.headers.get("x-test-user");
    return Promise.resolve(userId === null ? null : userOf(...idsOf(userId)));
  },
  readAdmin: (request) => {
    const kind = request.headers.get("x-test-admin");
    const isSuper = kind !== "plain";
    const role = isSuper ? ("super_admin" as const) : ("admin" as const);
    const admin = { sessionId: 1n, adminId: 7n, username: `${kind} admin`, role, isSuper, locale: null };
    const login = { isFresh: kind !== "stale", lacksSecondFactor: kind === "unfinished" };
    return Promise.resolve(kind === null ? null : { ...admin, ...login });
  },
  carriesSession: () => false,
  readToken: () => Promise.resolve(null),
};

/** Nobody has to accept anything. */
const consents: ConsentCheck = { isOwedBy: () => Promise.resolve(false) };

/** Nobody is a member of anything. */
const noMemberships: Memberships = { find: () => Promise.resolve(null) };

function idsOf(header: string): [bigint, bigint] {
  const [id = "", account = id] = header.split(" ");
  return [BigInt(id), BigInt(account)];
}

const userOf = (id: bigint, account: bigint): UserCaller => ({
  sessionId: 1n,
  userId: id as UserCaller["userId"],
  gatewayUserId: account as UserCaller["gatewayUserId"],
  email: `user-${id}@example.com`,
  locale: "en",
});

/** Long: a loaded machine may take more than a second between two parts of a response. */
const patience = { stallTimeoutMs: patienceMs, idleTimeoutMs: patienceMs };

/** Endpoints behind a real server, without the rest of the program; logins are headers unless callers are given. */
export function serveEndpoints(
  endpoints: readonly AnyEndpoint[],
  callers: CallerReader = callersOfHeaders,
  memberships = noMemberships,
): EndpointServer {
  const lines: LogFields[] = [];
  const log = createLog("debug", (line) => lines.push(JSON.parse(line) as LogFields));
  const edge = { header: null, addresses: [] };
  const endpointDeps = { callers, memberships, consents, edge, patience, log, answerCheck: "refuse" } as const;
  const { answer } = openBackendApp(
    {
      addTo: (app) => addEndpoints(app, endpoints, endpointDeps),
      page: () => Promise.resolve(null),
      failedPage: () => null,
    },
    log,
  );
  const server = createApp({ probes: {}, rest: answer }, null, log, () => false).listen({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: serverSeconds(patience.idleTimeoutMs),
  });
  return { url: `http://127.0.0.1:${server.port}`, lines, stop: () => server.stop(true) };
}
