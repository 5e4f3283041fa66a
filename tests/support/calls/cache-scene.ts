import type { Database } from "@sluice/control-plane/platform/db.ts";
import type { TestUser } from "../service/sluice.ts";

/** Sets what operators set of the cache; running processes learn it within a second. */
export async function setCache(db: Database, values: Readonly<Record<string, number | boolean>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await db.sql`
      insert into setting (name, value, updated_by_name)
      values (${`cache.${name}`}, ${JSON.stringify(value)}::text::jsonb, 'test')
      on conflict (name) do update set value = excluded.value, version = setting.version + 1`;
  }
}

/** Lets the keys of a user use the cache, or not any more. */
export async function optIn(
  db: Database,
  { gatewayUserId }: Pick<TestUser, "gatewayUserId">,
  isIn = true,
): Promise<void> {
  await db.sql`update api_key set is_response_cached = ${isIn} where gateway_user_id = ${gatewayUserId}::bigint`;
}

/** What a client sees of a call that may come from the cache. */
export type CachedCall = {
  readonly status: number;
  /** `hit`, `miss`, or null for a call without the cache. */
  readonly cache: string | null;
  readonly age: string | null;
  readonly type: string | null;
  readonly requestId: string;
  /** The requests per minute that the response names. */
  readonly limit: string | null;
  readonly bytes: string;
};

export type CallTarget = { readonly url: string; readonly apiKey: string };

/** Sends a body and reads the response to its last byte. */
export async function callCached(
  { url, apiKey }: CallTarget,
  body: object,
  { path = "/v1/chat/completions", headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<CachedCall> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer()).toString("latin1");
  const header = (name: string) => response.headers.get(name);
  return {
    status: response.status,
    cache: header("x-sluice-cache"),
    age: header("age"),
    type: header("content-type"),
    requestId: header("x-request-id") ?? "",
    limit: header("x-ratelimit-limit-requests"),
    bytes,
  };
}
