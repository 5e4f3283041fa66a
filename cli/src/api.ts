import type { adminMeResponse, userResponse } from "@sluice/contracts/accounts";
import type { ResponseOf } from "@sluice/contracts/wire";
import type { ZodType } from "zod";
import { exitCodes, Failure } from "./failure.ts";
import type { Login } from "./store-login.ts";

const timeoutMs = 60_000;

export type QueryValue = string | number | boolean | null | undefined;

/** The owner of a token: a user, who may act for an organisation, or an admin. */
export type Owner = { readonly kind: "user" | "admin"; readonly name: string };

type ErrorBody = {
  readonly error?: {
    readonly code?: string;
    readonly message?: string;
    readonly fields?: Readonly<Record<string, string>>;
  };
};

/** Calls the backend with an access token. */
export class Api {
  readonly #login: Login;
  #owner: Promise<Owner> | null = null;

  constructor(login: Login) {
    this.#login = login;
  }

  /** Whose token it is: only one of the two accepts it. @throws Failure */
  async owner(): Promise<Owner> {
    this.#owner ??= this.#findOwner();
    return await this.#owner;
  }

  /** @throws Failure */
  async get<Schema extends ZodType>(
    path: string,
    query: Readonly<Record<string, QueryValue>> = {},
  ): Promise<ResponseOf<Schema>> {
    const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
    return await this.#ask(given.length === 0 ? path : `${path}?${search}`, null);
  }

  /** @throws Failure */
  async post<Schema extends ZodType>(path: string, input: object): Promise<ResponseOf<Schema>> {
    return await this.#ask(path, input);
  }

  async #findOwner(): Promise<Owner> {
    try {
      const { admin } = await this.get<typeof adminMeResponse>("/backend/auth/admin/me/");
      return { kind: "admin", name: admin.username };
    } catch (error) {
      if (!(error instanceof Failure && error.exitCode === exitCodes.login)) {
        throw error;
      }
    }
    const { user } = await this.get<typeof userResponse>("/backend/auth/me/");
    return { kind: "user", name: user.email };
  }

  async #ask<Body>(path: string, input: object | null): Promise<Body> {
    const { url, token } = this.#login;
    let response: Response;
    try {
      response = await fetch(new URL(path, url), {
        method: input === null ? "GET" : "POST",
        // The token goes to this server and nowhere else.
        redirect: "error",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" },
        ...(input === null ? {} : { body: JSON.stringify(input) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (error) {
      throw new Failure("unreachable", `${new URL(url).host} could not be reached: ${(error as Error).message}`);
    }
    const body = await readBody(response);
    if (!response.ok) {
      throw failureOf(response, body as ErrorBody);
    }
    const { ok: _, ...fields } = body as { readonly ok?: true };
    return fields as Body;
  }
}

async function readBody(response: Response): Promise<object> {
  const body: unknown = await response.json().catch(() => null);
  if (typeof body !== "object" || body === null) {
    throw new Failure("unreachable", `The response (status ${response.status}) is not from this service.`);
  }
  return body;
}

function failureOf({ status, headers }: Response, { error }: ErrorBody): Failure {
  const fields = Object.entries(error?.fields ?? {}).map(([name, text]) => `\n  ${name}: ${text}`);
  const wait = headers.get("retry-after");
  const requestId = headers.get("x-request-id");
  const sentences = [
    `${error?.message ?? "The request was refused."} (${error?.code ?? `status ${status}`})`,
    ...(wait === null ? [] : [`Try again in ${wait} seconds.`]),
    ...(requestId === null ? [] : [`Request ${requestId}`]),
  ];
  return new Failure(status === 401 ? "login" : "refused", sentences.join(" ") + fields.join(""));
}
