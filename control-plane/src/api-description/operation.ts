import type { JsonSchema, NativeRoute } from "@sluice/contracts/native-route";
import { tokenRuleOf } from "@sluice/contracts/token-scopes";
import { errorsOf } from "../platform/endpoint/documented-errors.ts";
import type { Access, AnyEndpoint } from "../platform/endpoint/model.ts";
import { bodyBytesMaxDefault } from "../platform/endpoint/routes.ts";
import { errorAnswers } from "./error-answers.ts";
import { queryFields, toJsonSchema } from "./json-schema.ts";
import type { Operation } from "./model.ts";

type Answers = Record<string, Readonly<Record<string, unknown>>>;

const security: Readonly<Record<Access, Operation["security"]>> = {
  public: [],
  optional_user: [{}, { userSession: [] }],
  user: [{ userSession: [] }],
  admin: [{ adminSession: [] }],
  super_admin: [{ adminSession: [] }],
};

const nativeSecurity: Readonly<Record<NativeRoute["access"], Operation["security"]>> = {
  public: [],
  api_key: [{ apiKey: [] }, { apiKeyHeader: [] }],
  metrics_token: [{ metricsToken: [] }],
};

/** Every response has the id of its request. */
const requestIdHeader = { "x-request-id": { $ref: "#/components/headers/RequestId" } };

/** An endpoint of the kit as an operation, derived from its declaration alone. */
export function fromEndpoint(endpoint: AnyEndpoint, group: string): Operation {
  const { method, path } = endpoint;
  const parameters = [
    ...pathParameters(endpoint),
    ...(method === "GET" ? queryParameters(endpoint) : headerParameters(endpoint)),
  ];
  const responses: Answers = {};
  for (const { status, type, summary } of endpoint.otherResponses ?? []) {
    // A file may be JSON as well; its summary describes the content.
    const schema = type === "application/json" ? {} : { type: "string" };
    addAnswer(responses, String(status), { description: summary, type, schema });
  }
  if (endpoint.output !== null) {
    addAnswer(responses, String(endpoint.status ?? 200), {
      description: endpoint.summary,
      type: "application/json",
      schema: successSchema(endpoint),
    });
  }
  for (const [status, answer] of Object.entries(errorAnswers(errorsOf(endpoint), "backend"))) {
    const { description, content } = responses[status] ?? {};
    responses[status] = {
      ...answer,
      description: [description, answer.description].filter((text) => text !== undefined).join("\n"),
      content: { ...(content as JsonSchema | undefined), ...answer.content },
    };
  }
  return {
    operationId: operationIdOf(method, path),
    tags: [group],
    summary: endpoint.summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(method === "GET" ? {} : { requestBody: requestBody(endpoint) }),
    responses: withHeaders(responses),
    ...loginOf(endpoint),
    ...rightsOf(endpoint),
    "x-body-bytes-max": method === "GET" ? null : (endpoint.bodyBytesMax ?? bodyBytesMaxDefault),
    "x-limits": endpoint.limits ?? [],
  };
}

/** Who may call, and with which scope of an access token. */
function loginOf({ access, path }: AnyEndpoint): Pick<Operation, "security" | "x-access" | "x-token-scope"> {
  const rule = tokenRuleOf(path);
  return access === "public" || access === "optional_user" || rule === "closed"
    ? { security: security[access], "x-access": access }
    : { security: [...security[access], { accessToken: [] }], "x-access": access, "x-token-scope": rule };
}

/** What an admin endpoint requires beyond the login. */
function rightsOf({
  freshLogin,
  guardedFields = [],
}: AnyEndpoint): Pick<Operation, "x-fresh-login" | "x-guarded-fields"> {
  return {
    ...(freshLogin === true ? { "x-fresh-login": true } : {}),
    ...(guardedFields.length > 0 ? { "x-guarded-fields": guardedFields } : {}),
  };
}

function successSchema({ output }: AnyEndpoint): JsonSchema {
  const ok = { type: "object", properties: { ok: { const: true } }, required: ["ok"] };
  if (output === null) {
    return ok;
  }
  const fields = toJsonSchema(output, "output");
  if (fields["type"] !== "object") {
    // A union of closed schemas: with an `ok` added by another schema, none of them would match.
    const forms = (fields["anyOf"] ?? fields["oneOf"] ?? []) as JsonSchema[];
    return { anyOf: forms.map(withOk) };
  }
  return withOk(fields);
}

function withOk(fields: JsonSchema): JsonSchema {
  return {
    ...fields,
    properties: { ok: { const: true }, ...(fields["properties"] as JsonSchema | undefined) },
    required: ["ok", ...((fields["required"] as string[] | undefined) ?? [])],
  };
}

type AnswerContent = { readonly description: string; readonly type: string | null; readonly schema: JsonSchema };

function addAnswer(answers: Answers, status: string, { description, type, schema }: AnswerContent): void {
  const before = answers[status];
  const content = {
    ...(before?.["content"] as JsonSchema | undefined),
    ...(type === null ? {} : { [type]: { schema } }),
  };
  answers[status] = {
    description: before === undefined ? description : `${String(before["description"])} ${description}`,
    ...(Object.keys(content).length === 0 ? {} : { content }),
  };
}

function withHeaders(answers: Answers): Answers {
  return Object.fromEntries(
    Object.entries(answers).map(([status, each]) => [status, { ...each, headers: requestIdHeader }]),
  );
}

const otherTypes: Readonly<Partial<Record<string, readonly string[]>>> = {
  form: ["application/x-www-form-urlencoded"],
  beacon: ["text/plain"],
};

/** A body that the endpoint reads by itself. */
function rawSchema(type: string): JsonSchema {
  switch (type) {
    case "application/json":
      return {};
    case "application/x-www-form-urlencoded":
      return { type: "object", additionalProperties: { type: "string" } };
    default:
      return { type: "string", contentMediaType: "application/octet-stream" };
  }
}

function requestBody({ input, body = "json", rawTypes = [] }: AnyEndpoint): JsonSchema {
  if (body === "raw") {
    return { required: true, content: Object.fromEntries(rawTypes.map((type) => [type, { schema: rawSchema(type) }])) };
  }
  const schema = toJsonSchema(input, "input");
  const types = ["application/json", ...(otherTypes[body] ?? [])];
  return { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

function pathParameters({ params }: AnyEndpoint): JsonSchema[] {
  return Object.entries(params ?? {}).map(([name, schema]) => ({
    name,
    in: "path",
    required: true,
    schema: toJsonSchema(schema, "input"),
  }));
}

function queryParameters({ input }: AnyEndpoint): JsonSchema[] {
  return queryFields(input).map(({ name, isRequired, schema }) => ({
    name,
    in: "query",
    required: isRequired,
    schema,
  }));
}

/** An idempotency key is sent in the body or in the usual header. */
function headerParameters({ input, body }: AnyEndpoint): JsonSchema[] {
  const { properties } = body === "raw" ? {} : toJsonSchema(input, "input");
  const schema = (properties as Record<string, JsonSchema> | undefined)?.["idempotency_key"];
  return schema === undefined ? [] : [{ name: "Idempotency-Key", in: "header", required: false, schema }];
}

/** A route with its own row in the table of native routes. */
export function fromNativeRoute(route: NativeRoute): Operation {
  const { method, path, group, summary, access, body } = route;
  const responses: Answers = {};
  for (const { status, type, summary: description, schema = {} } of route.answers) {
    addAnswer(responses, String(status), { description, type, schema });
  }
  for (const [status, answer] of Object.entries(errorAnswers(route.errors, route.dialect))) {
    responses[status] ??= answer;
  }
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const parameters = names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  return {
    operationId: operationIdOf(method, path),
    tags: [group],
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { [body.type]: { schema: body.schema } } } }),
    responses: withHeaders(responses),
    security: nativeSecurity[access],
    "x-access": access,
    "x-body-bytes-max": null,
    "x-limits": route.limits,
  };
}

/** The paths of the backend end in what they do, `/backend/keys/list/`; for others the method says it. */
function operationIdOf(method: string, path: string): string {
  const [first, ...words] = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return first === "backend" ? words.join("_") : [method.toLowerCase(), first, ...words].join("_");
}
