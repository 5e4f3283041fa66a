import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** What a sign-in at the issuer comes to: the claims of the ID token, and how the issuer lies about them. */
export type ScriptedAnswer = {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean | string;
  readonly name?: string;
  readonly hd?: string;
  /** Claims that replace the right ones. */
  readonly lies?: Readonly<Record<string, unknown>>;
  /** Signs with a key that the issuer has not published. */
  readonly hasForeignKey?: boolean;
  /** Says nothing about the address in the token, but in the answer about the user. */
  readonly isByUserInfo?: boolean;
};

type Granted = { readonly answer: ScriptedAnswer; readonly query: URLSearchParams };

/** The accounts and addresses of a scripted GitHub. */
type GithubAnswer = { readonly user: object; readonly emails: readonly object[] };

const clientId = "sluice-test";
export const clientSecret = "the secret of the test client";

/**
 * An issuer of OpenID Connect, and a GitHub, that answers as a test says. It checks what it is sent: the client's secret,
 * the redirect address and PKCE.
 */
export class ScriptedIssuer {
  readonly #server: Bun.Server<undefined>;
  readonly #codes = new Map<string, Granted>();
  readonly #tokens = new Map<string, ScriptedAnswer>();
  readonly #keys: { readonly own: CryptoKeyPair; readonly foreign: CryptoKeyPair };
  /** Changes the metadata that it publishes. */
  metadata: Readonly<Record<string, unknown>> = {};
  github: GithubAnswer = { user: {}, emails: [] };
  /** Refuses to talk at all. */
  isDown = false;
  /** How many codes were redeemed. */
  redeemed = 0;

  private constructor(keys: { readonly own: CryptoKeyPair; readonly foreign: CryptoKeyPair }) {
    this.#keys = keys;
    this.#server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#answer(request) });
  }

  static async start(): Promise<ScriptedIssuer> {
    const [own, foreign] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
    return new ScriptedIssuer({ own, foreign });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  readonly clientId = clientId;

  /** The person signs in: the query with which the issuer sends the browser back. */
  signIn(authorizationUrl: string, answer: ScriptedAnswer): URLSearchParams {
    const { searchParams } = new URL(authorizationUrl);
    const code = crypto.randomUUID();
    this.#codes.set(code, { answer, query: searchParams });
    return new URLSearchParams({ code, state: searchParams.get("state") ?? "", iss: this.url });
  }

  async close(): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    if (this.isDown) {
      return new Response("out of order", { status: 500 });
    }
    const { pathname } = new URL(request.url);
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return Response.json(this.#metadata());
      case "/jwks": {
        const key = await exportJWK(this.#keys.own.publicKey);
        return Response.json({ keys: [{ ...key, kid: "own", alg: "RS256", use: "sig" }] });
      }
      case "/token":
      case "/login/oauth/access_token":
        return await this.#redeem(request, pathname === "/token");
      case "/userinfo": {
        const { sub, email, email_verified } = this.#tokens.get(bearerOf(request)) ?? { sub: "" };
        return Response.json({ sub, email, email_verified });
      }
      case "/api/v3/user":
        return Response.json(this.github.user);
      case "/api/v3/user/emails":
        return Response.json(this.github.emails);
      default:
        return new Response("nothing here", { status: 404 });
    }
  }

  #metadata(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      userinfo_endpoint: `${this.url}/userinfo`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      ...this.metadata,
    };
  }

  async #redeem(request: Request, isOidc: boolean): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const refuse = (error: string): Response => Response.json({ error }, { status: 400 });
    const granted = this.#codes.get(form.get("code") ?? "");
    this.#codes.delete(form.get("code") ?? "");
    if (granted === undefined || form.get("redirect_uri") !== granted.query.get("redirect_uri")) {
      return refuse("invalid_grant");
    }
    const challenge = new Bun.CryptoHasher("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    if (challenge !== granted.query.get("code_challenge")) {
      return refuse("invalid_grant");
    }
    if (!isThisClient(request, form)) {
      return refuse("invalid_client");
    }
    this.redeemed += 1;
    const { answer, query } = granted;
    const token = crypto.randomUUID();
    this.#tokens.set(token, answer);
    const base = { access_token: token, token_type: "Bearer", expires_in: 60 };
    return Response.json(isOidc ? { ...base, id_token: await this.#idToken(answer, query.get("nonce")) } : base);
  }

  async #idToken(answer: ScriptedAnswer, nonce: string | null): Promise<string> {
    const { lies = {}, hasForeignKey = false, isByUserInfo = false, email, email_verified, ...claims } = answer;
    const now = Math.floor(Date.now() / 1_000);
    const about = isByUserInfo ? {} : { email, email_verified };
    const basis = { iss: this.url, aud: clientId, iat: now, exp: now + 60, nonce };
    const { privateKey } = hasForeignKey ? this.#keys.foreign : this.#keys.own;
    return await new SignJWT({ ...basis, ...claims, ...about, ...lies })
      .setProtectedHeader({ alg: "RS256", kid: "own" })
      .sign(privateKey);
  }
}

function bearerOf(request: Request): string {
  return (request.headers.get("authorization") ?? "").replace("Bearer ", "");
}

function isThisClient(request: Request, form: URLSearchParams): boolean {
  const [id, secret] = request.headers.get("authorization")?.startsWith("Basic ")
    ? Buffer.from((request.headers.get("authorization") ?? "").slice(6), "base64")
        .toString()
        .split(":")
        .map((part) => decodeURIComponent(part.replaceAll("+", " ")))
    : [form.get("client_id"), form.get("client_secret")];
  return id === clientId && secret === clientSecret;
}
