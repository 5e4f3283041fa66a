import { modelLookupName } from "@sluice/messages-conversion/request/from-messages-request";
import type { CallTraits } from "../gateway/model.ts";
import { scanJson } from "../platform/scan-json.ts";
import { gatewayHeaders } from "./credentials.ts";
import type { ModelMap } from "./model-map.ts";
import type { IdentifiedResponse, Incoming, RouteDeps } from "./route-deps.ts";

const streamHeaders = { "cache-control": "no-cache", "x-accel-buffering": "no" };

/** `POST /msgcompat/v1/messages`: a call to `/v1/messages`, with the model that the map has for its name. */
export async function answerMessages(deps: RouteDeps, incoming: Incoming): Promise<IdentifiedResponse> {
  const answer = await askGateway(deps, incoming, "/v1/messages");
  return answer.body instanceof ReadableStream
    ? { ...answer, headers: { ...streamHeaders, ...answer.headers } }
    : answer;
}

/** What is larger than this is not plain text, and counting it is free. */
const countedBytesMax = 4 * 1024 * 1024;

/** `POST /msgcompat/v1/messages/count_tokens`. */
export function answerTokenCount(deps: RouteDeps, incoming: Incoming): Promise<IdentifiedResponse> {
  return askGateway(deps, incoming, "/v1/messages/count_tokens", countedBytesMax);
}

async function askGateway(
  { relay, models }: RouteDeps,
  incoming: Incoming,
  path: string,
  bodyBytesMax?: number,
): Promise<IdentifiedResponse> {
  let traits: CallTraits | null = null;
  incoming.onBegin();
  return await relay.relayFrom(incoming, {
    path,
    headers: gatewayHeaders(incoming.request.headers),
    toBody: (body) => {
      const named = withCatalogName(body, models);
      ({ traits } = named);
      return named.body;
    },
    traits: () => traits,
    ...(bodyBytesMax === undefined ? {} : { bodyBytesMax }),
  });
}

/** Beyond these limits the gateway refuses a body anyway. */
const limits = { depthMax: 64, keysMax: 100_000, topLevelKeysMax: 1_000, valuesMax: 1_000_000 };

/** The gateway knows no longer names. */
const nameLengthMax = 256;

type NamedBody = { readonly body: Uint8Array; readonly traits: CallTraits | null };

/** The client's bytes, with the name that its model has in the catalog. */
function withCatalogName(bytes: Uint8Array, models: Pick<ModelMap, "find">): NamedBody {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const place = scanJson(text, limits).topLevel.get("model");
  const name = place === undefined ? null : valueAt(text, place);
  if (place === undefined || typeof name !== "string" || name.length > nameLengthMax) {
    return { body: bytes, traits: null };
  }
  const { model, modelFlags } = models.find(modelLookupName(name));
  const body = model === name ? bytes : renamed(text, place, model);
  return { body, traits: { clientModel: name, modelFlags } };
}

function renamed(text: Buffer, [start, end]: readonly [number, number], target: string): Buffer {
  const value = text.toString("latin1", start, end);
  const before = value.length - value.trimStart().length;
  const after = value.length - value.trimEnd().length;
  return Buffer.concat([
    text.subarray(0, start + before),
    Buffer.from(JSON.stringify(target)),
    text.subarray(end - after),
  ]);
}

function valueAt(text: Buffer, [start, end]: readonly [number, number]): unknown {
  try {
    return JSON.parse(text.toString("utf8", start, end));
  } catch {
    return null;
  }
}
