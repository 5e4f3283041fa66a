const bearerPattern = /^Bearer +(\S+) *$/i;

/** What of a client's request the gateway has to know beside its key and its body. */
const carriedHeaders = [
  "content-encoding",
  "content-length",
  "expect",
  "idempotency-key",
  "user-agent",
  "x-sluice-hops",
];

/**
 * The headers for the gateway, one set for each credential that the client sent. Clients of one generation send the key
 * in `x-api-key`, those of the next as a bearer; some send both, and one of the two is left over from somewhere else.
 */
export function gatewayHeaders(client: Headers): Headers[] {
  // What is sent on is written here, whatever the client calls its own body.
  const carried: [string, string][] = [["content-type", "application/json"]];
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
  // A value that is not a bearer goes to the gateway as it is, which refuses it in its own words.
  const second = bearer === undefined ? authorization : `Bearer ${bearer}`;
  const all = [plain === "" ? "" : `Bearer ${plain}`, second].filter((value) => value !== "");
  return [...new Set(all)];
}
