import type { SluiceProcess } from "../service/sluice.ts";

export type AccountAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, if it is JSON. */
  readonly body: {
    readonly ok?: boolean;
    readonly error?: { readonly code: string; readonly message: string; readonly fields?: Record<string, string> };
    readonly verification_url?: string;
    readonly [field: string]: unknown;
  };
  /** The value of the header `cookie` that a browser would send from now on; empty when none was set. */
  readonly cookie: string;
  /** The same for the cookie by which a browser is recognised. */
  readonly deviceCookie: string;
};

export type CallOptions = {
  readonly cookie?: string;
  /** The address that an edge says the client has. */
  readonly ip?: string;
  readonly headers?: Record<string, string>;
};

/** A user of the accounts over HTTP, like a browser or a program. */
export class AccountClient {
  readonly #sluice: SluiceProcess;

  constructor(sluice: SluiceProcess) {
    this.#sluice = sluice;
  }

  async post(path: string, body: object, options: CallOptions = {}): Promise<AccountAnswer> {
    return await this.#send(path, options, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
  }

  /** As the form of a page without JavaScript. */
  async postForm(path: string, fields: Record<string, string>, options: CallOptions = {}): Promise<AccountAnswer> {
    return await this.#send(path, options, {
      method: "POST",
      body: new URLSearchParams(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  }

  async get(path: string, options: CallOptions = {}): Promise<AccountAnswer> {
    return await this.#send(path, options, { method: "GET" });
  }

  /** Registers and verifies. */
  async makeUser(email: string, password: string): Promise<void> {
    const registered = await this.post("/backend/auth/register/", { email, password });
    const url = new URL(registered.body.verification_url ?? "");
    const verified = await this.get(`${url.pathname}${url.search}`);
    if (verified.status !== 200) {
      throw new Error(`not verified: ${verified.text}`);
    }
  }

  async logIn(email: string, password: string, options: CallOptions = {}): Promise<AccountAnswer> {
    return await this.post("/backend/auth/login/", { email, password }, options);
  }

  /** 200 with a login, 401 without. */
  async me(cookie: string): Promise<number> {
    return (await this.get("/backend/auth/me/", { cookie })).status;
  }

  async #send(path: string, { cookie, ip, headers = {} }: CallOptions, init: RequestInit): Promise<AccountAnswer> {
    const answer = await fetch(`${this.#sluice.url}${path}`, {
      ...init,
      redirect: "manual",
      headers: {
        origin: this.#sluice.url,
        ...(init.headers as Record<string, string> | undefined),
        ...(cookie === undefined || cookie === "" ? {} : { cookie }),
        ...(ip === undefined ? {} : { "x-forwarded-for": ip }),
        ...headers,
      },
    });
    const set = answer.headers.getSetCookie().map((each) => each.split(";")[0] ?? "");
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: isJson ? (JSON.parse(text) as AccountAnswer["body"]) : {},
      cookie: set.find((each) => each.includes("_SESSID=")) ?? "",
      deviceCookie: set.find((each) => each.includes("_DEVICE=")) ?? "",
    };
  }
}

/** The emailed form of the link in the response: to the page with the button. */
export const mailedForm = (link = ""): string => link.replace("/backend/auth/verify-email/", "/verify-email/");
