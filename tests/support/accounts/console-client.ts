export type Answer = { readonly status: number; readonly body: Record<string, unknown> };

/** Calls the backend as the owner of the cookie, or anonymously. */
export type ConsoleClient = {
  get(path: string, query?: Record<string, string>): Promise<Answer>;
  /** The response as received. */
  file(path: string, query?: Record<string, string>): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
};

export function consoleClient(url: string, cookie: string | null): ConsoleClient {
  const ask = async (path: string, init: RequestInit = {}, more: Record<string, string> = {}): Promise<Answer> => {
    const own = {
      "content-type": "application/json",
      origin: new URL(url).origin,
      ...(cookie === null ? {} : { cookie }),
    };
    const answer = await fetch(`${url}${path}`, { ...init, headers: { ...own, ...more } });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return {
    get: (path, query = {}) => ask(`${path}?${new URLSearchParams(query)}`),
    file: (path, query = {}) =>
      fetch(`${url}${path}?${new URLSearchParams(query)}`, { headers: cookie === null ? {} : { cookie } }),
    post: (path, body, headers) => ask(path, { method: "POST", body: JSON.stringify(body) }, headers),
  };
}

export function codeOf(answer: Answer): [number, unknown] {
  return [answer.status, (answer.body["error"] as { code?: string } | undefined)?.code];
}
