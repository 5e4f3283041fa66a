import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createHash, createHmac, generateKeyPairSync, verify } from "node:crypto";
import { credentialFault } from "@sluice/contracts/minted-credentials";
import type { AuthStyle } from "@sluice/contracts/upstreams";
import { Authorizer } from "@sluice/control-plane/gateway/upstreams/authorize.ts";
import { TokenError } from "@sluice/control-plane/gateway/upstreams/token-error.ts";
import type { HttpRequest } from "@sluice/http-client/model";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const clock = { now: () => Date.now(), tick: () => performance.now() };
const client = new PooledHttpClient();
type Seen = { readonly path: string; readonly form: URLSearchParams };
const seen: Seen[] = [];
let reply: () => Response = () => Response.json({ access_token: "minted", expires_in: 3600 });
let server: Bun.Server<undefined>;

beforeAll(() => {
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (asked) => {
      seen.push({ path: new URL(asked.url).pathname, form: new URLSearchParams(await asked.text()) });
      return reply();
    },
  });
});
afterEach(() => {
  seen.length = 0;
  reply = () => Response.json({ access_token: "minted", expires_in: 3600 });
});
afterAll(async () => {
  client.close();
  await server.stop(true);
});

const request = {
  protocol: "https:",
  hostname: "bedrock-runtime.us-east-1.amazonaws.com",
  port: 443,
  method: "POST",
  target: "/openai/v1/chat/completions?b=2&a=1",
  headers: [["content-type", "application/json"]],
  body: Buffer.from('{"model":"m"}'),
  signal: new AbortController().signal,
  limits: {},
} as unknown as HttpRequest;
const authorize = async (style: AuthStyle, credential: string) =>
  await new Authorizer(client, clock).authorize(request, style, credential);
const headersOf = (answer: HttpRequest | TokenError) =>
  new Map(answer instanceof TokenError ? [["error", answer.message]] : answer.headers);
const serviceAccount = () =>
  JSON.stringify({
    type: "service_account",
    client_email: "robot@project.example",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: `${server.url.origin}/token`,
  });

describe("a request is authorized", () => {
  test("by a token for the signed statement of a Google service account", async () => {
    const headers = headersOf(await authorize("google_service_account", serviceAccount()));
    expect(headers.get("authorization")).toBe("Bearer minted");
    expect(headers.get("content-type")).toBe("application/json");
    const { form, path } = seen[0] as Seen;
    expect([path, form.get("grant_type")]).toEqual(["/token", "urn:ietf:params:oauth:grant-type:jwt-bearer"]);
    const [head = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
    const signed = Buffer.from(`${head}.${claims}`);
    expect(verify("RSA-SHA256", signed, publicKey, Buffer.from(signature, "base64url"))).toBe(true);
    const payload = JSON.parse(Buffer.from(claims, "base64url").toString());
    expect(payload).toMatchObject({
      iss: "robot@project.example",
      aud: `${server.url.origin}/token`,
      scope: "https://www.googleapis.com/auth/cloud-platform",
    });
    expect(payload.exp - payload.iat).toBe(3_600);
  });

  test("by a token for the secret of an Entra application", async () => {
    const credential = { tenant_id: "t", client_id: "c", client_secret: "s&=", authority: server.url.origin };
    const headers = headersOf(await authorize("entra", JSON.stringify(credential)));
    expect(headers.get("authorization")).toBe("Bearer minted");
    expect(seen[0]?.path).toBe("/t/oauth2/v2.0/token");
    expect(Object.fromEntries(seen[0]?.form ?? [])).toEqual({
      client_id: "c",
      client_secret: "s&=",
      grant_type: "client_credentials",
      scope: "https://cognitiveservices.azure.com/.default",
    });
  });

  test("by a signature of AWS, which an independent computation confirms", async () => {
    const credential = {
      access_key_id: "AKIDEXAMPLEEXAMPLE12",
      secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
      session_token: "session",
      region: "us-east-1",
    };
    const headers = headersOf(await authorize("aws_sigv4", JSON.stringify(credential)));
    const date = headers.get("x-amz-date") ?? "";
    const found = /SignedHeaders=([^,]+), Signature=([0-9a-f]{64})/.exec(headers.get("authorization") ?? "");
    const [, signedNames = "", signature] = found ?? [];
    const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
    const headerNamed = (name: string) => (name === "host" ? request.hostname : headers.get(name));
    const canonical = [
      ...["POST", "/openai/v1/chat/completions", "a=1&b=2"],
      ...signedNames.split(";").map((name) => `${name}:${headerNamed(name)}`),
      ...["", signedNames, sha256(request.body as Uint8Array)],
    ].join("\n");
    const scope = `${date.slice(0, 8)}/us-east-1/bedrock/aws4_request`;
    const key = [date.slice(0, 8), "us-east-1", "bedrock", "aws4_request"].reduce<string | Buffer>(
      (secret, part) => createHmac("sha256", secret).update(part).digest(),
      `AWS4${credential.secret_access_key}`,
    );
    const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`;
    expect(signedNames.split(";")).toContain("x-amz-security-token");
    expect(createHmac("sha256", key).update(text).digest("hex")).toBe(signature as string);
  });

  test("not at all where its credential is already in a header", async () => {
    expect(await authorize("bearer", "key")).toBe(request);
    expect(seen).toEqual([]);
  });
});

describe("there is no token", () => {
  test.each([
    ["when the endpoint refuses the credential", () => new Response("{}", { status: 401 }), true],
    ["when the endpoint fails", () => new Response("oops", { status: 503 }), false],
    ["in a page", () => new Response("<html>"), false],
    ["that could be a header of its own", () => Response.json({ access_token: "a\r\nb: c", expires_in: 60 }), false],
    ["without a lifetime", () => Response.json({ access_token: "a" }), false],
  ])("%s", async (_name, response, isRefused) => {
    reply = response;
    const answer = await authorize("google_service_account", serviceAccount());
    expect([answer instanceof TokenError, (answer as TokenError).isRefused]).toEqual([true, isRefused]);
  });

  test("for a credential of another kind, and the error does not quote it", async () => {
    for (const credential of ["plain-key-secret", '{"private_key":"secret"}']) {
      const answer = await authorize("google_service_account", credential);
      expect(answer).toBeInstanceOf(TokenError);
      expect(String((answer as TokenError).message)).not.toContain("secret");
      expect((answer as TokenError).cause).toBeUndefined();
    }
  });
});

describe("a credential", () => {
  test("is checked for the way in which it is shown", () => {
    expect(credentialFault("bearer", "sk-1")).toBeNull();
    expect(credentialFault("bearer", "sk 1")).toContain("spaces");
    expect(credentialFault("entra", "sk-1")).toContain("JSON");
    expect(credentialFault("entra", '{"tenant_id":"t","client_id":"c"}')).toContain("client_secret");
    expect(credentialFault("google_service_account", serviceAccount())).toBeNull();
    expect(
      credentialFault(
        "aws_sigv4",
        '{"access_key_id":"AKIDEXAMPLEEXAMPLE12","secret_access_key":"s","region":"eu-west-1"}',
      ),
    ).toBeNull();
  });
});
