const bearerPattern = /^Bearer +(\S+) *$/i;

/** The client headers that the gateway needs besides the key and the body. */
const carriedHeaders = [
  "anthropic-beta",
  "anthropic-version",
  "cache-control",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "idempotency-key",
  "user-agent",
  "x-compat-strict",
  "x-sluice-cache",
  "x-sluice-cache-ttl",
  "x-sluice-fallback",
  "x-sluice-hops",
];

/**
 * The headers for the gateway, one set for each credential that the client sent. Clients of one generation send the key
 * in `x-api-key`, those of the next as a bearer token; some send both, because one is left over from another
 * configuration.
 */
export function gatewayHeaders(client: Headers): Headers[] {
  const carried: [string, string][] = [];
  for (const name of carriedHeaders) {
    const value = client.get(name);
    if (value !== null) {
      carried.push([name, value]);
    }
  }
  const authorizations = readAuthorizations(client);
  return authorizations.length === 0
    ? [new Headers(carried)]
    : authorizations.map((value) => new Headers([...carried, ["authorization", value]]));
}

function readAuthorizations(client: Headers): string[] {
  const plain = client.get("x-api-key")?.trim() ?? "";
  const authorization = client.get("authorization")?.trim() ?? "";
  const bearer = bearerPattern.exec(authorization)?.[1];
  // A value that is not a bearer token is passed as it is to the gateway, which refuses it in its own words.
  const second = bearer === undefined ? authorization : `Bearer ${bearer}`;
  const all = [plain === "" ? "" : `Bearer ${plain}`, second].filter((value) => value !== "");
  return [...new Set(all)];
}
