import { countedBytesMax } from "@sluice/contracts/operations";
import { modelLookupName } from "@sluice/messages-conversion/request/from-messages-request";
import type { CallTraits } from "../gateway/model.ts";
import { isAnswerStream } from "../platform/answer-stream.ts";
import { applyEdit, trimmed } from "../platform/edit-json.ts";
import { jsonLimits } from "../platform/read-json.ts";
import { scanJson } from "../platform/scan-json.ts";
import type { ServedCall } from "../relay/served-call.ts";
import { gatewayHeaders } from "./credentials.ts";
import type { ModelMap } from "./model-map.ts";
import type { IdentifiedResponse, RouteDeps } from "./route-deps.ts";

const streamHeaders = { "cache-control": "no-cache", "x-accel-buffering": "no" };

/** `POST /msgcompat/v1/messages`: a call to `/v1/messages`, with the model that the map has for its name. */
export async function answerMessages(deps: RouteDeps, incoming: ServedCall): Promise<IdentifiedResponse> {
  const answer = await askGateway(deps, incoming, "/v1/messages");
  return isAnswerStream(answer.body) ? { ...answer, headers: { ...streamHeaders, ...answer.headers } } : answer;
}

/** `POST /msgcompat/v1/messages/count_tokens`. */
export function answerTokenCount(deps: RouteDeps, incoming: ServedCall): Promise<IdentifiedResponse> {
  return askGateway(deps, incoming, "/v1/messages/count_tokens", countedBytesMax);
}

async function askGateway(
  { relay, models }: RouteDeps,
  incoming: ServedCall,
  path: string,
  bodyBytesMax?: number,
): Promise<IdentifiedResponse> {
  let traits: CallTraits | null = null;
  incoming.onBegin();
  return await relay.relayFrom(incoming, {
    path,
    headers: gatewayHeaders(incoming.headers),
    toBody: (body) => {
      const named = withCatalogName(body, models);
      ({ traits } = named);
      return named.body;
    },
    traits: () => traits,
    ...(bodyBytesMax === undefined ? {} : { bodyBytesMax }),
  });
}

/** The gateway knows no longer names. */
const nameLengthMax = 256;

type NamedBody = { readonly body: Uint8Array; readonly traits: CallTraits | null };

/** The client's bytes, with the name that its model has in the catalog. */
function withCatalogName(bytes: Uint8Array, models: Pick<ModelMap, "find">): NamedBody {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const place = scanJson(text, jsonLimits).topLevel.get("model");
  const name = place === undefined ? null : valueAt(text, place);
  if (place === undefined || typeof name !== "string" || name.length > nameLengthMax) {
    return { body: bytes, traits: null };
  }
  const { model, modelFlags } = models.find(modelLookupName(name));
  const edit = { place: trimmed(text, place), text: Buffer.from(JSON.stringify(model)) };
  const body = model === name ? bytes : applyEdit(text, edit);
  return { body, traits: { clientModel: name, modelFlags } };
}

function valueAt(text: Buffer, [start, end]: readonly [number, number]): unknown {
  try {
    return JSON.parse(text.toString("utf8", start, end));
  } catch {
    return null;
  }
}
