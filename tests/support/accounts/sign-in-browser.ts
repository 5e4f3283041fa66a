import type { ScriptedAnswer, ScriptedIssuer } from "./scripted-issuer.ts";

/** A browser without pages: it keeps cookies, and follows no redirect by itself. */
export class SignInBrowser {
  readonly #url: string;
  readonly #cookies = new Map<string, string>();

  /** @param cookies as the header `cookie` has them */
  constructor(url: string, cookies = "") {
    this.#url = url;
    for (const each of cookies.split("; ").filter((text) => text !== "")) {
      this.#cookies.set(each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1));
    }
  }

  /** The header `cookie`. */
  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  /** The cookie whose name ends so, as the header has it. */
  cookieNamed(end: string): string {
    return this.cookies.split("; ").find((each) => each.slice(0, each.indexOf("=")).endsWith(end)) ?? "";
  }

  /** Presses the button: the address of the issuer's login. */
  async begin(slug: string, brought: { readonly next?: string; readonly invitation?: string } = {}): Promise<string> {
    const named = new URLSearchParams(brought).toString();
    const query = named === "" ? "" : `?${named}`;
    const answer = await this.#send(`/login/with/${slug}/${query}`, {});
    const location = answer.headers.get("location");
    if (answer.status !== 303 || location === null) {
      throw new Error(`not sent to the issuer: ${answer.status} ${await answer.text()}`);
    }
    return location;
  }

  /** The issuer sends the browser back. */
  async back(slug: string, query: URLSearchParams): Promise<Response> {
    return await this.#send(`/login/with/${slug}/callback/?${query}`, { headers: { "sec-fetch-site": "cross-site" } });
  }

  /** The whole way. */
  async signIn(slug: string, issuer: ScriptedIssuer, answer: ScriptedAnswer): Promise<Response> {
    return await this.back(slug, issuer.signIn(await this.begin(slug), answer));
  }

  async post(path: string, fields: Record<string, string>): Promise<Response> {
    return await this.#send(path, {
      method: "POST",
      body: new URLSearchParams(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", origin: this.#url },
    });
  }

  async postJson(path: string, body: object): Promise<Response> {
    return await this.#send(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", origin: this.#url },
    });
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const answer = await fetch(this.#url + path, {
      ...init,
      redirect: "manual",
      headers: { ...(init.headers as Record<string, string> | undefined), cookie: this.cookies },
    });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      const [name, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
      if (value === "") {
        this.#cookies.delete(name);
      } else {
        this.#cookies.set(name, value);
      }
    }
    return answer;
  }
}
