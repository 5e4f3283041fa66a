import type { GatewayUserId, UserId } from "@sluice/contracts/ids";
import { organisationRuleOf } from "@sluice/contracts/organisation-rules";
import { listPlaces } from "@sluice/control-plane/admin/lists/list-places.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import type { AdminCaller, AnyEndpoint, UserCaller } from "@sluice/control-plane/platform/endpoint/model.ts";
import { z } from "zod";
import { endpointRequests, fileRequests } from "./endpoint-requests.ts";

/** A list as its endpoint reads it for somebody. */
export type MeasuredList = {
  readonly path: string;
  readonly request: string;
  /** For whom: the first user, who makes a tenth of the calls and has a tenth of the rest; an organisation; an admin. */
  readonly who: string;
  readonly read: (cursor: string | null) => Promise<{ readonly rows: number; readonly nextCursor: string | null }>;
};

type Output = {
  readonly properties?: Readonly<
    Record<string, { readonly type?: string; readonly items?: { readonly type?: string } }>
  >;
};

/** The endpoints that return rows, other than those of the list kit, which are measured by their sources. */
export function rowEndpoints(endpoints: readonly AnyEndpoint[]): readonly AnyEndpoint[] {
  const ofKit = new Set(listPlaces.map(({ path }) => `${path}list/`));
  return endpoints.filter(({ method, path, output }) => method === "GET" && !ofKit.has(path) && hasRows(output));
}

function hasRows(output: z.ZodType | null): boolean {
  const { properties = {} } =
    output === null ? {} : (z.toJSONSchema(output, { io: "output", unrepresentable: "any" }) as Output);
  return Object.values(properties).some(({ type, items }) => type === "array" && items?.type === "object");
}

/** Each list with each request that `endpoint-requests.ts` names for it. */
export async function measuredLists(db: Database, endpoints: readonly AnyEndpoint[]): Promise<readonly MeasuredList[]> {
  const callers = await callersIn(db);
  const files = endpoints.filter(({ method, path }) => method === "GET" && fileRequests[path] !== undefined);
  return [...rowEndpoints(endpoints), ...files].flatMap((endpoint) => {
    const requests = endpointRequests[endpoint.path] ?? fileRequests[endpoint.path] ?? [];
    const asked = callers.filter((caller) => mayCall(endpoint, caller));
    return typeof requests === "string"
      ? []
      : requests.flatMap((request) => asked.map((caller) => listFor(endpoint, caller, request)));
  });
}

type Caller = {
  readonly who: "a person" | "an organisation" | "an admin";
  readonly user?: UserCaller;
  readonly admin?: AdminCaller;
  /** What `{...}` of a request is for this caller. */
  readonly names: Readonly<Record<string, string>>;
};

function mayCall({ access, path }: AnyEndpoint, { who }: Caller): boolean {
  const isOfAdmin = access === "admin" || access === "super_admin";
  const isForTeams = access === "user" && !["person", "refused"].includes(organisationRuleOf(path));
  const isOfTeams = path === "/backend/organisations/detail/";
  return who === "an admin" ? isOfAdmin : who === "a person" ? !isOfAdmin && !isOfTeams : isForTeams;
}

function listFor(endpoint: AnyEndpoint, { who, names, ...caller }: Caller, request: string): MeasuredList {
  const filled = request.replace(/\{([^}]+)\}/g, (_, name: string) => names[name] ?? dayNamed(name));
  return {
    ...{ path: endpoint.path, request: filled, who },
    read: async (cursor) => {
      const query = Object.fromEntries(new URLSearchParams(filled));
      const found = await endpoint.handle({
        ...caller,
        input: endpoint.input.parse({ ...query, ...(cursor === null ? {} : { cursor }) }),
        ...{ bytes: new Uint8Array(), request: new Request(`http://127.0.0.1/?${filled}`), params: {} },
        ...{ requestId: "bench", clientIp: "127.0.0.1", userAgent: "bench" },
      });
      if (found instanceof Response) {
        return { rows: await rowsOfFirstPiece(found), nextCursor: null };
      }
      const rows = Object.values(found).reduce<number>((sum, part) => sum + (Array.isArray(part) ? part.length : 0), 0);
      const next = found["next_cursor"] ?? null;
      return { rows, nextCursor: next === null ? null : String(next) };
    },
  };
}

/** The UTC day so many days ago. */
export const dayAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

function dayNamed(name: string): string {
  const [, days] = /^(\d+) days ago$/.exec(name) ?? [];
  if (days === undefined) {
    throw new Error(`The data has no {${name}}.`);
  }
  return dayAgo(Number(days));
}

/** How many rows the first piece of a file with rows has; the rest is not read. */
async function rowsOfFirstPiece({ body }: Response): Promise<number> {
  let lines = 0;
  if (body !== null) {
    const decoder = new TextDecoder();
    for await (const piece of body) {
      lines += decoder.decode(piece).split("\n").length - 1;
      if (lines > 1) {
        break;
      }
    }
  }
  return Math.max(lines - 1, 0);
}

async function callersIn(db: Database): Promise<readonly Caller[]> {
  const [found] = await db.sql<{
    account: GatewayUserId;
    trace: string;
    unused: bigint;
    own: bigint;
    teams: bigint;
    operators: bigint;
  }>`
    select o.gateway_user_id as account, t.request_id::text as trace,
      (select max(id) from api_key where gateway_user_id = 1) as unused,
      (select min(id) from event_target where gateway_user_id = 1) as own,
      (select min(id) from event_target where gateway_user_id = o.gateway_user_id) as teams,
      (select min(id) from event_target where gateway_user_id is null) as operators
    from organisation o, (select t.request_id from trace_record t join usage_log u using (day, request_id) where u.attempts <> '[]' limit 1) t
    where o.id = 1`;
  if (found === undefined) {
    throw new Error("The data has no organisation or no trace.");
  }
  const user = {
    ...{ sessionId: 21n, userId: 1n as UserId, gatewayUserId: 1n as GatewayUserId },
    ...{ email: "user1@example.org", locale: "en" },
  };
  const organisation = { organisationId: 1n, memberId: 1n, role: "owner" } as const;
  const admin: AdminCaller = {
    ...{ sessionId: 1n, adminId: 1n, username: "admin-1", isSuper: true, isFresh: true, lacksSecondFactor: false },
    role: "super_admin",
    locale: null,
  };
  return [
    { who: "a person", user, names: { target: String(found.own), "unused key": String(found.unused) } },
    {
      ...{ who: "an organisation", names: { target: String(found.teams), "unused key": String(found.unused) } },
      user: { ...user, gatewayUserId: found.account, organisation },
    },
    { who: "an admin", admin, names: { "operator target": String(found.operators), trace: found.trace } },
  ];
}
