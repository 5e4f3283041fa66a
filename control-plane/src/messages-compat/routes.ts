import { serverResponse } from "../platform/answer-stream.ts";
import { completeHelp } from "../platform/help-link.ts";
import { ServedCall } from "../relay/served-call.ts";
import { clientRequestId, errorAnswer, ownError, toClientError } from "./errors.ts";
import { answerMessages, answerTokenCount } from "./messages-call.ts";
import { answerModel, answerModelList } from "./model-lists.ts";
import type { IdentifiedResponse, RouteDeps } from "./route-deps.ts";

type RouteHandler = (incoming: ServedCall) => Promise<IdentifiedResponse>;
type Route = { readonly methods: readonly string[]; readonly answer: RouteHandler };

const prefix = "/msgcompat";
const modelPrefix = "/v1/models/";

/**
 * Everything under `/msgcompat`, as the Messages API would serve it. A trailing slash and any query are ignored,
 * because clients send both.
 */
export function messagesHandler(deps: RouteDeps): (request: Request, server: Bun.Server<unknown>) => Promise<Response> {
  const routes = new Map<string, Route>([
    ["", { methods: ["HEAD"], answer: answerPresence }],
    ["/v1/messages", { methods: ["POST"], answer: (incoming) => answerMessages(deps, incoming) }],
    ["/v1/messages/count_tokens", { methods: ["POST"], answer: (incoming) => answerTokenCount(deps, incoming) }],
    ["/v1/models", { methods: ["GET"], answer: (incoming) => answerModelList(deps, incoming) }],
  ]);
  const find = (path: string): Route | null => {
    const name = path.startsWith(modelPrefix) ? path.slice(modelPrefix.length) : "";
    return name === ""
      ? (routes.get(path) ?? null)
      : { methods: ["GET"], answer: (incoming) => answerModel(deps, incoming, name) };
  };
  return async (request, server) => {
    try {
      const incoming = new ServedCall(request, server, deps.server);
      const path = pathOf(incoming.target);
      return toResponse(await answerAt(find(path), path, incoming), deps);
    } catch (thrown) {
      const requestId = Bun.randomUUIDv7();
      deps.log.error("messages.failed", { requestId, error: thrown });
      return toResponse({ ...errorAnswer(toClientError(thrown), clientRequestId(requestId)), requestId }, deps);
    }
  };
}

/** What is kept in the account at a provider, which all users of a channel share. */
const notOffered = /^\/v1\/(?:messages\/batches|files)(?:\/|$)/;

async function answerAt(route: Route | null, path: string, incoming: ServedCall): Promise<IdentifiedResponse> {
  if (route?.methods.includes(incoming.method) === true) {
    return await route.answer(incoming);
  }
  const requestId = Bun.randomUUIDv7();
  if (route === null) {
    const error = ownError(notOffered.test(path) ? "not_offered" : "not_found");
    return { ...errorAnswer(error, clientRequestId(requestId)), requestId };
  }
  const error = ownError("method_not_allowed", { headers: { allow: route.methods.join(", ") } });
  return { ...errorAnswer(error, clientRequestId(requestId)), requestId };
}

/** Some clients check that the server exists before their first call. */
function answerPresence(): Promise<IdentifiedResponse> {
  return Promise.resolve({ status: 200, headers: {}, body: null, requestId: Bun.randomUUIDv7() });
}

function toResponse(
  { status, headers, body, requestId }: IdentifiedResponse,
  { siteUrl }: Pick<RouteDeps, "siteUrl">,
): Response {
  completeHelp(headers, siteUrl);
  return serverResponse(body, {
    status,
    headers: {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...headers,
      "request-id": clientRequestId(requestId),
      "x-request-id": requestId,
    },
  });
}

/** The path below the prefix, without query and trailing slash. */
function pathOf(target: string): string {
  const mark = target.indexOf("?");
  const path = target.slice(prefix.length, mark === -1 ? undefined : mark);
  return path.endsWith("/") ? path.slice(0, -1) : path;
}
