import type { HttpClient } from "@sluice/http-client/model";
import { isLoopback } from "@sluice/server-addresses/judge-address";
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type ServerMetadata,
} from "openid-client";
import type { Clock } from "../../platform/clock.ts";
import { sha256Hex } from "../../platform/crypto/digest.ts";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import { githubMetadata, readGithubPerson } from "./github.ts";
import { issuerFetch } from "./issuer-fetch.ts";
import type { Person, Provider } from "./model.ts";
import { readOidcPerson } from "./oidc-person.ts";

export type IssuerDeps = {
  readonly client: HttpClient;
  readonly clock: Clock;
  readonly log: Log;
};

/** What a sign-in sends along, and expects back. */
export type Checks = { readonly state: string; readonly nonce: string; readonly verifier: string };

type Known = { readonly key: string; readonly configuration: Promise<Configuration>; readonly knownAt: number };

const timeoutSeconds = 8;
const knownMsMax = 60 * 60_000;
/** An issuer that failed is asked again after this long, however many browsers come meanwhile. */
const failureMsMax = 5_000;

/** The sign-ins at issuers: where the browser goes, and who came back. */
export class Issuers {
  readonly #deps: IssuerDeps;
  /** By slug, so there are at most as many as providers. */
  readonly #known = new Map<string, Known>();

  constructor(deps: IssuerDeps) {
    this.#deps = deps;
  }

  /**
   * What the issuer says about itself now.
   * @throws AppError `issuer_unusable` with the reason
   */
  async test({ kind, issuer }: Pick<Provider, "kind" | "issuer">): Promise<ServerMetadata> {
    try {
      return await this.#metadata({ kind, issuer });
    } catch (error) {
      throw new AppError("issuer_unusable", { message: `The issuer can't be used: ${reasonOf(error)}`, cause: error });
    }
  }

  /**
   * The address of the issuer's login.
   * @throws AppError `sign_in_unavailable`
   */
  async authorizationUrl(provider: Provider, redirectUri: string, checks: Checks): Promise<string> {
    const configuration = await this.#configuration(provider);
    const isOidc = provider.kind === "oidc";
    return buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: isOidc ? "openid email profile" : "read:user user:email",
      state: checks.state,
      ...(isOidc ? { nonce: checks.nonce } : {}),
      code_challenge: await calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: "S256",
    }).href;
  }

  /**
   * Redeems the code that the browser brought back, and reads who signed in.
   * @param returned the callback address as the browser requested it
   * @throws AppError `sign_in_failed` for an answer that is refused or not the one to this request
   */
  async redeem(provider: Provider, returned: URL, checks: Checks): Promise<Person> {
    const configuration = await this.#configuration(provider);
    try {
      if (provider.kind === "github") {
        // Its answers name an issuer that its metadata does not; each provider has its own callback address instead.
        returned.searchParams.delete("iss");
        const tokens = await authorizationCodeGrant(configuration, returned, {
          expectedState: checks.state,
          pkceCodeVerifier: checks.verifier,
        });
        return await readGithubPerson(provider.issuer, tokens.access_token, issuerFetch(this.#deps.client));
      }
      const tokens = await authorizationCodeGrant(configuration, returned, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) {
        throw new Error("the issuer sent no ID token");
      }
      const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const more =
        claims["email"] === undefined && hasUserInfo
          ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : {};
      return readOidcPerson(provider.issuer, { ...more, ...claims });
    } catch (error) {
      this.#deps.log.warn("accounts.sign_in_refused", { provider: provider.slug, reason: reasonOf(error) });
      throw new AppError("sign_in_failed", { cause: error });
    }
  }

  async #configuration(provider: Provider): Promise<Configuration> {
    const { slug, kind, issuer, clientId, clientSecret } = provider;
    const key = sha256Hex(JSON.stringify([kind, issuer, clientId, clientSecret]));
    const found = this.#known.get(slug);
    const now = this.#deps.clock.tick();
    const isGood = found !== undefined && found.key === key && now - found.knownAt < knownMsMax;
    const known = isGood ? found : { key, configuration: this.#configure(provider), knownAt: now };
    this.#known.set(slug, known);
    try {
      return await known.configuration;
    } catch (error) {
      if (this.#deps.clock.tick() - known.knownAt > failureMsMax && this.#known.get(slug) === known) {
        this.#known.delete(slug);
      }
      this.#deps.log.warn("accounts.issuer_failed", { provider: slug, reason: reasonOf(error) });
      throw new AppError("sign_in_unavailable", { cause: error });
    }
  }

  async #configure(provider: Provider): Promise<Configuration> {
    const { kind, issuer, clientId, clientSecret } = provider;
    const metadata = await this.#metadata(provider);
    // Without this field, an issuer supports the header only.
    const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const isByPost = kind === "github" || !methods.includes("client_secret_basic");
    const authentication = isByPost ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
    const configuration = new Configuration(metadata, clientId, {}, authentication);
    configuration.timeout = timeoutSeconds;
    configuration[customFetch] = issuerFetch(this.#deps.client);
    if (kind === "oidc") {
      // Signatures are checked although the token came from the issuer directly.
      enableNonRepudiationChecks(configuration);
    }
    if (isPlainLoopback(issuer)) {
      allowInsecureRequests(configuration);
    }
    return configuration;
  }

  async #metadata({ kind, issuer }: Pick<Provider, "kind" | "issuer">): Promise<ServerMetadata> {
    const url = new URL(issuer);
    if (url.protocol !== "https:" && !isPlainLoopback(issuer)) {
      throw new Error("the address must begin with https://");
    }
    if (kind === "github") {
      return githubMetadata(issuer);
    }
    const found = await discovery(url, "discovery", undefined, undefined, {
      [customFetch]: issuerFetch(this.#deps.client),
      timeout: timeoutSeconds,
      execute: isPlainLoopback(issuer) ? [allowInsecureRequests] : [],
    });
    const metadata = found.serverMetadata();
    if (metadata.issuer !== issuer) {
      throw new Error(`it calls itself ${metadata.issuer}`);
    }
    if (metadata.authorization_endpoint === undefined || metadata.token_endpoint === undefined) {
      throw new Error("it names no login or no token endpoint");
    }
    return { ...metadata };
  }
}

/** An issuer on this machine, for development; the guard of the client refuses it elsewhere. */
function isPlainLoopback(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return protocol === "http:" && (host === "localhost" || isLoopback(host));
}

const reasonLengthMax = 300;

/** What went wrong, with the cause, because the library's own sentences are short. */
function reasonOf(error: unknown): string {
  const parts: string[] = [];
  for (let each = error; each instanceof Error && parts.length < 4; each = each.cause) {
    parts.push(each.message);
  }
  return parts.join(": ").slice(0, reasonLengthMax);
}
