import type { ApiTrial } from "@sluice/contracts/api-trial";

/** What the visitor has entered. */
export type TrialInput = {
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: string;
  /** An API key or an access token; empty for the login of this browser. */
  readonly secret: string;
};

export type TrialRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Whether the cookies of the login go with it. */
  readonly hasLogin: boolean;
};

/** Why the input can't be sent; null if it can. */
export function faultOf(trial: ApiTrial, { parameters, body, secret }: TrialInput): string | null {
  const missing = trial.parameters.find(({ name, isRequired }) => isRequired && (parameters[name] ?? "") === "");
  if (missing !== undefined) {
    return `Enter ${missing.name}.`;
  }
  if (trial.credential === "api_key" && secret === "") {
    return "Enter an API key.";
  }
  if (trial.body !== null) {
    try {
      JSON.parse(body);
    } catch {
      return "The body is not valid JSON.";
    }
  }
  return null;
}

/** The request of a trial. Cookies and a secret never go together, as the service refuses that. */
export function trialRequest(trial: ApiTrial, { parameters, body, secret }: TrialInput): TrialRequest {
  const entered = (place: "path" | "query") =>
    trial.parameters.flatMap(({ name, in: at }) => {
      const value = parameters[name] ?? "";
      return at === place && value !== "" ? [[name, value] as const] : [];
    });
  const path = entered("path").reduce(
    (text, [name, value]) => text.replace(`{${name}}`, () => encodeURIComponent(value)),
    trial.path,
  );
  const query = new URLSearchParams(Object.fromEntries(entered("query"))).toString();
  return {
    method: trial.method,
    target: query === "" ? path : `${path}?${query}`,
    headers: {
      ...(trial.body === null ? {} : { "content-type": "application/json" }),
      ...(secret === "" ? {} : { authorization: `Bearer ${secret}` }),
    },
    body: trial.body === null ? null : body,
    hasLogin: trial.credential === "login" && secret === "",
  };
}

/** The same request for a shell; a secret stays out of it, in a variable. */
export function curlOf(
  trial: ApiTrial,
  { method, target, headers, body, hasLogin }: TrialRequest,
  origin: string,
): string {
  const variable = trial.credential === "api_key" ? "$API_KEY" : "$ACCESS_TOKEN";
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${method}`} ${quoted(origin + target)}`,
    ...Object.entries(headers).map(([name, value]) =>
      name === "authorization" ? `-H "Authorization: Bearer ${variable}"` : `-H ${quoted(`${name}: ${value}`)}`,
    ),
    ...(hasLogin ? ["-b cookies.txt", `-H ${quoted(`Origin: ${origin}`)}`] : []),
    ...(body === null ? [] : [`-d ${quoted(body)}`]),
  ];
  return lines.join(" \\\n  ");
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
