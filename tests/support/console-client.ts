import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { AnyEndpoint, CallerReader } from "@sluice/control-plane/platform/endpoint/model.ts";
import { endpointRoutes } from "@sluice/control-plane/platform/endpoint/routes.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";

export type Answer = { readonly status: number; readonly body: Record<string, unknown> };

/** Calls endpoints of the backend as one user. */
export type ConsoleClient = {
  get(path: string, query?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
};

const userHeader = "x-test-gateway-user";

/** Whoever the request says: the endpoints are tested here, and how a login becomes a caller elsewhere. */
const callers: CallerReader = {
  readUser: (request) => {
    const id = request.headers.get(userHeader);
    const gatewayUserId = BigInt(id ?? 0) as GatewayUserId;
    const userId = BigInt(id ?? 0) as UserId;
    return Promise.resolve(id === null ? null : { sessionId: 1n, userId, gatewayUserId, email: `user-${id}@test` });
  },
  readAdmin: () => Promise.resolve(null),
};

/** Serves endpoints on a port of their own; `as` gives the client of a user, null that of nobody. */
export function serveEndpoints(endpoints: readonly AnyEndpoint[]): {
  as(user: GatewayUserId | null): ConsoleClient;
  stop(): Promise<void>;
} {
  const parts = {
    callers,
    edge: { header: null, addresses: [] },
    log: createLog("error", (line) => process.stderr.write(line)),
  };
  const app = endpointRoutes("test", endpoints, parts).listen({ port: 0, hostname: "127.0.0.1" });
  const url = `http://127.0.0.1:${app.server?.port}`;
  const ask = async (path: string, user: GatewayUserId | null, init: RequestInit = {}): Promise<Answer> => {
    const headers = { "content-type": "application/json", ...(user === null ? {} : { [userHeader]: String(user) }) };
    const answer = await fetch(`${url}${path}`, { ...init, headers });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return {
    as: (user) => ({
      get: (path, query = {}) => ask(`${path}?${new URLSearchParams(query)}`, user),
      post: (path, body) => ask(path, user, { method: "POST", body: JSON.stringify(body) }),
    }),
    stop: async () => {
      await app.stop(true);
    },
  };
}
