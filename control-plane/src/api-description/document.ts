import { setImmediate as nextTurn } from "node:timers/promises";
import type { NativeRoute } from "@sluice/contracts/native-route";
import { errorSchemas } from "./error-answers.ts";
import type { ApiDocument, EndpointGroup, Operation } from "./model.ts";
import { fromEndpoint, fromNativeRoute } from "./operation.ts";
import { shareParts } from "./shared-parts.ts";

const description = `Programs call the model APIs under \`/v1\` and \`/msgcompat\` with an API key. Everything under \`/backend\` is for the
console and for programs with an access token: logins are cookies, writes are JSON from the same origin, or with a token from anywhere, responses are \`{"ok":true, ...}\` or
\`{"ok":false,"error":{...}}\`, and every response names its request in \`x-request-id\`. Paths under \`/backend\` mean the same without their
last slash. HEAD works wherever GET does. Integers beyond what a JSON number holds exactly are sent as their digits.`;

const securitySchemes = {
  userSession: { type: "apiKey", in: "cookie", name: "SVC_USER_SESSID", description: "The user login." },
  adminSession: {
    type: "apiKey",
    in: "cookie",
    name: "SVC_ADMIN_SESSID",
    description:
      "The admin login. `x-access` marks what requires a super-admin, `x-fresh-login` what requires a recent login; `x-guarded-fields` lists fields that require both.",
  },
  accessToken: {
    type: "http",
    scheme: "bearer",
    description:
      "An access token of a user or an admin, for programs; never together with a cookie. `x-token-scope` names the scope that it needs, `any` for none; what requires a recent login also needs the scope `sensitive`. It can do no more than its owner may at this moment.",
  },
  apiKey: { type: "http", scheme: "bearer", description: "An API key of a user." },
  apiKeyHeader: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "The same key, sent the way other clients do.",
  },
  metricsToken: { type: "http", scheme: "bearer", description: "The METRICS_TOKEN of the configuration." },
};

const headers = { RequestId: { description: "Identifies the request in the log.", schema: { type: "string" } } };

/** How many endpoints to describe before yielding to calls: describing all takes a third of a second. */
const endpointsAtOnce = 4;

/** The OpenAPI description of everything that the program serves. */
export async function buildDocument(
  groups: readonly EndpointGroup[],
  native: readonly NativeRoute[],
  title: string,
): Promise<ApiDocument> {
  const whole: Record<string, Record<string, Operation>> = {};
  const add = (path: string, method: string, operation: Operation): void => {
    whole[path] = { ...whole[path], [method.toLowerCase()]: operation };
  };
  for (const route of native) {
    add(route.path, route.method, fromNativeRoute(route));
  }
  for (const { name, endpoints } of groups) {
    for (const [index, each] of endpoints.entries()) {
      if (index % endpointsAtOnce === 0) {
        await nextTurn();
      }
      add(each.path.replace(/:(\w+)/g, "{$1}"), each.method, fromEndpoint(each, name));
    }
  }
  const tags = new Set([...native.map(({ group }) => group), ...groups.map(({ name }) => name)]);
  const { paths, ...shared } = shareParts(whole, errorSchemas);
  return {
    openapi: "3.1.1",
    info: { title, version: "1", description },
    servers: [{ url: "/" }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: { ...shared, headers, securitySchemes },
  };
}
