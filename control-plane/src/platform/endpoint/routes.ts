import type { AnyElysia } from "elysia";
import { clientAddress, type EdgeSettings } from "../client-address.ts";
import { type ClientPatience, waitForCall, waitForClient } from "../client-patience.ts";
import { isDatabaseOutage } from "../db-errors.ts";
import { AppError, toAppError } from "../errors.ts";
import type { Log } from "../log.ts";
import { peerAddress } from "../peer-address.ts";
import { type BodyLimits, BodyReader } from "../read-body.ts";
import { actForOrganisation, readOrganisation } from "./acting-for.ts";
import { refuseGuardedFields, refuseWithoutRight } from "./admin-rules.ts";
import { errorAnswer, successAnswer } from "./answer.ts";
import { undocumentedIn } from "./answer-check.ts";
import { compressAnswer } from "./compress-answer.ts";
import type {
  AdminCaller,
  AnyEndpoint,
  CallerReader,
  ConsentCheck,
  EndpointResponse,
  Memberships,
  UserCaller,
} from "./model.ts";
import { readInput } from "./read-input.ts";
import { isSameOrigin } from "./same-origin.ts";
import { readAccessToken, readTokenCaller } from "./token-caller.ts";

export type EndpointDeps = {
  readonly callers: CallerReader;
  readonly memberships: Memberships;
  readonly consents: ConsentCheck;
  readonly edge: EdgeSettings;
  readonly patience: ClientPatience;
  readonly log: Log;
  /** What to do about an undeclared response. Checking reads each response once more. */
  readonly answerCheck?: "none" | "log" | "refuse";
};

type Context = {
  readonly request: Request;
  readonly server: Bun.Server<unknown> | null;
  readonly params: Record<string, string>;
};

export const bodyBytesMaxDefault = 64 * 1024;
const bodyTimeoutMs = 15_000;
const cookiesLengthMax = 8 * 1024;
const userAgentLengthMax = 1_024;
const retryAfterOutageSeconds = 2;
const nothing = new Uint8Array();

/**
 * Adds the endpoints to the program: each path with and without its trailing slash, other methods get a 405, and every
 * response is JSON with the request id, whatever goes wrong. They are added to the program itself, because an instance of
 * their own would be copied into it: twice the objects for each of 900 routes.
 */
export function addEndpoints(app: AnyElysia, endpoints: readonly AnyEndpoint[], deps: EndpointDeps): void {
  for (const [path, group] of byPath(endpoints)) {
    // The framework has more in its context, of types that it derives from the program.
    const handler = (context: unknown): Promise<Response> => answer(group, context as Context, deps);
    for (const each of new Set([path, path.length > 1 ? path.replace(/\/$/, "") : path])) {
      app.all(each, handler, { parse: "none" });
    }
  }
}

function byPath(endpoints: readonly AnyEndpoint[]): Map<string, AnyEndpoint[]> {
  const groups = new Map<string, AnyEndpoint[]>();
  for (const each of endpoints) {
    groups.set(each.path, [...(groups.get(each.path) ?? []), each]);
  }
  return groups;
}

async function answer(group: readonly AnyEndpoint[], context: Context, deps: EndpointDeps): Promise<Response> {
  const requestId = Bun.randomUUIDv7();
  const { request, server } = context;
  // A client that waits for a slow response is not idle.
  if (server !== null) {
    waitForCall(server, request);
  }
  const { made, isFile } = await makeAnswer(group, context, { ...deps, requestId });
  const isTrusted = deps.answerCheck === undefined || deps.answerCheck === "none";
  const checked = isTrusted ? made : await checkAnswer(made, group, { ...deps, context, requestId });
  const response = isFile ? checked : await compressAnswer(request, checked);
  if (server !== null) {
    waitForClient(server, request, { bytes: 0, patience: deps.patience });
  }
  return response;
}

/** Longer than a body takes that a client sends at once. */
const slowBodyMs = 500;

type CallDeps = EndpointDeps & { readonly requestId: string };

async function checkAnswer(
  made: Response,
  group: readonly AnyEndpoint[],
  { context, requestId, log, answerCheck }: CallDeps & { readonly context: Context },
): Promise<Response> {
  const { method } = context.request;
  const asked = group.find((each) => each.method === method);
  const problem = asked === undefined ? null : await undocumentedIn(asked, made);
  if (problem === null) {
    return made;
  }
  log.error("backend.undocumented_answer", { requestId, path: asked?.path, method, problem });
  return answerCheck === "refuse" ? errorAnswer(new AppError("internal_error"), requestId) : made;
}

/** @returns `isFile` if the endpoint wrote the response itself, as it does with files that are longer than the memory has to hold */
async function makeAnswer(
  group: readonly AnyEndpoint[],
  context: Context,
  deps: CallDeps,
): Promise<{ readonly made: Response; readonly isFile: boolean }> {
  const { requestId } = deps;
  const { request } = context;
  try {
    const result = await call(group, context, deps);
    if (!(result instanceof Response)) {
      const asked = group.find((each) => each.method === request.method);
      return { made: successAnswer(result, requestId, asked?.status), isFile: false };
    }
    result.headers.set("x-request-id", requestId);
    return { made: result, isFile: true };
  } catch (thrown) {
    // One of our own errors already has its code and message, whatever its cause.
    const isSilent = !(thrown instanceof AppError) && isDatabaseOutage(thrown);
    const error = isSilent ? unavailable(thrown) : toAppError(thrown);
    if (error.status >= 500) {
      reportFailure(error, { requestId, path: group[0]?.path, method: request.method }, deps.log);
    }
    return { made: errorAnswer(error, requestId), isFile: false };
  }
}

type FailedRequest = { readonly requestId: string; readonly path: string | undefined; readonly method: string };

const warnAgainAfterMs = 60_000;
/** When each unconfigured path was last logged. There are at most as many as endpoints. */
const warnedAt = new Map<string, number>();

/**
 * A gateway that is not configured is not an error. It is logged at most once a minute, because anyone can trigger it.
 */
function reportFailure(error: AppError, failed: FailedRequest, log: Log): void {
  const { code, internal } = error;
  if (code !== "webhook_not_configured" && code !== "gateway_not_configured") {
    log.error("backend.failed", { ...failed, code, internal, error });
    return;
  }
  const key = failed.path ?? "";
  const now = performance.now();
  if (now - (warnedAt.get(key) ?? -Infinity) >= warnAgainAfterMs) {
    warnedAt.set(key, now);
    log.warn("backend.not_configured", { ...failed, code, internal });
  }
}

/** The outcome is unknown: the client should try again, with the same idempotency key if there is one. */
function unavailable(cause: unknown): AppError {
  return new AppError("temporarily_unavailable", { cause, retryAfterSeconds: retryAfterOutageSeconds });
}

async function call(
  group: readonly AnyEndpoint[],
  { request, server, params }: Context,
  { callers, memberships, consents, edge, requestId }: CallDeps,
): Promise<EndpointResponse> {
  const method = request.method === "HEAD" ? "GET" : request.method;
  const endpoint = group.find((each) => each.method === method);
  if (endpoint === undefined) {
    throw new AppError("method_not_allowed", { allowedMethods: group.map((each) => each.method).join(", ") });
  }
  if ((request.headers.get("cookie") ?? "").length > cookiesLengthMax) {
    throw new AppError("headers_too_large");
  }
  const isWrite = endpoint.method !== "GET";
  const peer = peerAddress(server, request);
  const clientIp = clientAddress(request.headers, peer, edge);
  const token = endpoint.access === "public" ? null : readAccessToken(request);
  // A gateway's request carries a signature instead of a cookie; a token is never sent by a browser on its own.
  if (isWrite && endpoint.body !== "raw" && token === null && !isSameOrigin(request)) {
    throw new AppError("csrf_rejected");
  }
  const readAny = () =>
    token === null
      ? readCaller(endpoint, { callers, consents }, request)
      : readTokenCaller(endpoint, callers, request, { token, ip: clientIp });
  const early = await readAny();
  refuseOddParams(endpoint, params);
  if (isWrite && early.user === null && readOrganisation(request) !== null) {
    // The login of a member has ended: an order, say, would be placed for nobody.
    throw new AppError("unauthenticated");
  }
  const limits: BodyLimits = { bytesMax: endpoint.bodyBytesMax ?? bodyBytesMaxDefault, timeoutMs: bodyTimeoutMs };
  const begunAt = performance.now();
  const bytes = isWrite ? await new BodyReader(request, limits).read() : nothing;
  // A client may take minutes to send a body: nobody whose login or rights have ended meanwhile acts any more.
  const found = performance.now() - begunAt > slowBodyMs ? await readAny() : early;
  const caller = isUser(found.user)
    ? { ...found, user: await actForOrganisation(endpoint, found.user, request, memberships) }
    : found;
  const input = readInput(endpoint, request, bytes);
  refuseGuardedFields(endpoint, input, caller.admin);
  return endpoint.handle({
    input,
    bytes,
    request,
    requestId,
    params,
    clientIp,
    userAgent: (request.headers.get("user-agent") ?? "").slice(0, userAgentLengthMax),
    ...caller,
  });
}

const isUser = (user: UserCaller | null | undefined): user is UserCaller => user !== undefined && user !== null;

function refuseOddParams(endpoint: AnyEndpoint, params: Readonly<Record<string, string>>): void {
  for (const [name, schema] of Object.entries(endpoint.params ?? {})) {
    if (!schema.safeParse(params[name]).success) {
      throw new AppError("not_found");
    }
  }
}

/** The caller is read before the body, so that nobody without a login can make us accept an upload. */
async function readCaller(
  endpoint: AnyEndpoint,
  { callers, consents }: Pick<EndpointDeps, "callers" | "consents">,
  request: Request,
): Promise<{ readonly user?: UserCaller | null; readonly admin?: AdminCaller }> {
  switch (endpoint.access) {
    case "public":
      return {};
    case "optional_user":
      return { user: await callers.readUser(request) };
    case "user": {
      const user = await callers.readUser(request);
      if (user === null) {
        throw new AppError(callers.carriesSession(request, "user") ? "session_expired" : "unauthenticated");
      }
      // Programs continue with their tokens: nobody reads what they would be asked.
      if (endpoint.withoutConsent !== true && (await consents.isOwedBy(user.userId))) {
        throw new AppError("consent_required");
      }
      return { user };
    }
    case "admin":
    case "super_admin": {
      const admin = await callers.readAdmin(request);
      if (admin === null) {
        // A user's login does not count here, because the endpoint needs an admin's.
        throw new AppError(callers.carriesSession(request, "admin") ? "session_expired" : "unauthenticated");
      }
      refuseWithoutRight(endpoint, admin);
      return { admin };
    }
  }
}
