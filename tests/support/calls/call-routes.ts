/** The APIs that clients call, and the dialects of the channels that serve them: the same one, or one that is converted to. */
import { type Dialect, upstreamSettings } from "@sluice/contracts/upstreams";
import type { SluiceRig } from "../service/sluice.ts";
import { testRandom } from "../values/test-seed.ts";
import { errorIn, eventPayloads } from "./relayed-call.ts";

export type SurfaceName = "chat" | "messages" | "responses";

/** An error as clients of an API read it. */
export type SurfaceError = { readonly type: string; readonly code: string | null; readonly requestId: string | null };

type Payload = Readonly<Record<string, unknown>>;

export type Surface = {
  readonly path: string;
  /** A short question. */
  readonly fields: Payload;
  /** The texts of a stream, in their order. */
  readonly textsOf: (body: Buffer) => readonly string[];
  /** Whether the last event of a stream says that it is complete. */
  readonly isComplete: (body: Buffer) => boolean;
  /** The error in a body, or at the end of a stream. */
  readonly errorOf: (body: Buffer) => SurfaceError | null;
};

const question = { messages: [{ role: "user", content: "hello" }] };
const openaiError = (body: Buffer): SurfaceError | null => {
  const error = errorIn(body);
  return error === null ? null : { type: error.type, code: error.code, requestId: null };
};
const payloadsOf = (body: Buffer) =>
  eventPayloads(body).filter((payload): payload is Payload => typeof payload === "object" && payload !== null);
const lastTypeOf = (body: Buffer) => payloadsOf(body).at(-1)?.["type"];

export const surfaces: Readonly<Record<SurfaceName, Surface>> = {
  chat: {
    path: "/v1/chat/completions",
    fields: question,
    textsOf: (body) =>
      payloadsOf(body)
        .map(
          (chunk) =>
            (chunk as { choices?: { delta?: { content?: string | null } }[] }).choices?.[0]?.delta?.content ?? "",
        )
        .filter((text) => text !== ""),
    isComplete: (body) => eventPayloads(body).at(-1) === "[DONE]",
    errorOf: openaiError,
  },
  messages: {
    path: "/v1/messages",
    fields: { ...question, max_tokens: 1_000 },
    textsOf: (body) =>
      payloadsOf(body).flatMap((event) => {
        const { text } = (event["delta"] ?? {}) as { text?: string };
        return event["type"] === "content_block_delta" && text !== undefined && text !== "" ? [text] : [];
      }),
    isComplete: (body) => lastTypeOf(body) === "message_stop",
    errorOf: (body) => {
      const type = errorIn(body)?.type;
      const { request_id: requestId = null } = (
        body.toString().startsWith("{") ? JSON.parse(body.toString()) : (payloadsOf(body).at(-1) ?? {})
      ) as { request_id?: string };
      return type === undefined ? null : { type, code: null, requestId };
    },
  },
  responses: {
    path: "/v1/responses",
    fields: { input: "hello" },
    textsOf: (body) =>
      payloadsOf(body).flatMap(({ type, delta }) => (type === "response.output_text.delta" ? [String(delta)] : [])),
    isComplete: (body) => lastTypeOf(body) === "response.completed",
    errorOf: openaiError,
  },
};

/** A way that a call can take from a client to a provider. */
export type CallRoute = {
  readonly name: string;
  readonly surface: SurfaceName;
  readonly channel: Dialect;
  /** Whether a stream that fails is broken off after its error event; the Messages API ends it in order. */
  readonly isBrokenOff: boolean;
};

const routeOf = (surface: SurfaceName, channel: Dialect): CallRoute => ({
  name: surface === channel ? `${surface} as it is` : `${surface} as ${channel}`,
  surface,
  channel,
  isBrokenOff: surface !== "messages" || channel === "messages",
});

const chatRoute = routeOf("chat", "chat");
const otherRoutes = [
  ...[routeOf("messages", "messages"), routeOf("responses", "responses"), routeOf("messages", "chat")],
  ...[routeOf("chat", "messages"), routeOf("responses", "chat"), routeOf("responses", "messages")],
];

/** Every route. */
export const allRoutes: readonly CallRoute[] = [chatRoute, ...otherRoutes];

/**
 * The routes that a test takes: chat completions as they are and some of the others, by the seed of the test; all of
 * them with `TEST_FULL=1` or `TEST_ROUTES=all`.
 * @param others how many besides the first
 */
export function routesToTest(others: number): readonly CallRoute[] {
  if (process.env["TEST_FULL"] === "1" || process.env["TEST_ROUTES"] === "all") {
    return allRoutes;
  }
  const first = Math.floor(testRandom(77)() * otherRoutes.length);
  const turned = [...otherRoutes.slice(first), ...otherRoutes.slice(0, first)];
  return [chatRoute, ...turned.slice(0, others)];
}

/** The settings of a channel at an address without its `/v1` that speaks one dialect, as JSON. */
export function settingsOf(dialect: Dialect, providerUrl: string): string {
  const entry =
    dialect === "messages"
      ? { base_url: providerUrl, auth: "x_api_key" as const }
      : { base_url: `${providerUrl}/v1`, auth: "bearer" as const };
  return JSON.stringify(upstreamSettings.parse({ dialects: { [dialect]: entry } }));
}

/** Serves a model by one channel alone, which speaks one dialect; call it before the processes start. */
export async function serveThrough(
  rig: SluiceRig,
  model: string,
  dialect: Dialect,
  providerUrl: string,
): Promise<void> {
  const id = await rig.addChannel(`channel-${model}`, `${providerUrl}/v1`, [model]);
  await rig.db.withTransaction(async (tx) => {
    await tx.sql`update channel set upstream = ${settingsOf(dialect, providerUrl)}::text::jsonb where id = ${id}::bigint`;
    await tx.sql`delete from ability where model = ${model} and channel_id <> ${id}::bigint`;
  });
}
