/** Logs in with a passkey, on the login page. The button is there only where the browser knows passkeys. */
import { browserSupportsWebAuthn, startAuthentication } from "@simplewebauthn/browser";

type Options = Parameters<typeof startAuthentication>[0]["optionsJSON"];
type Failure = { readonly error?: { readonly code?: string }; readonly retryAfter: string | null };

const path = "/backend/auth/passkeys/login/";

for (const part of document.querySelectorAll<HTMLElement>("[data-passkey]")) {
  const button = part.querySelector("button");
  if (button !== null && browserSupportsWebAuthn()) {
    part.hidden = false;
    button.addEventListener("click", () => {
      button.disabled = true;
      show(part, null);
      void logIn(part.dataset["next"] ?? "")
        .then((next) => {
          if (typeof next === "string") {
            location.assign(next);
          } else {
            show(part, next);
          }
        })
        // The user closed the browser's dialog, or the service did not respond.
        .catch(() => show(part, { error: { code: "passkey_failed" }, retryAfter: null }))
        .finally(() => {
          button.disabled = false;
        });
    });
  }
}

/** The page to open, or what the service says against it. */
async function logIn(next: string): Promise<string | Failure> {
  const begun = await post(`${path}begin/`, {});
  if (!begun.ok) {
    return await failureOf(begun);
  }
  const { options } = (await begun.json()) as { readonly options: Options };
  const { id, rawId, type, response } = await startAuthentication({ optionsJSON: options });
  const done = await post(path, { credential: { id, rawId, type, response }, next });
  return done.ok ? ((await done.json()) as { readonly next: string }).next : await failureOf(done);
}

function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

async function failureOf(response: Response): Promise<Failure> {
  const { error } = (await response.json()) as Pick<Failure, "error">;
  return { ...(error === undefined ? {} : { error }), retryAfter: response.headers.get("retry-after") };
}

/** What went wrong, in the language of the page, which carries the words. */
function show(part: HTMLElement, failure: Failure | null): void {
  const notice = part.querySelector<HTMLElement>("[role=alert]");
  const words = part.querySelector("template")?.content;
  if (notice === null || words === undefined) {
    return;
  }
  notice.hidden = failure === null;
  const textOf = (code: string): string | null =>
    words.querySelector(`[data-code="${CSS.escape(code)}"]`)?.textContent ?? null;
  const text = failure === null ? "" : (textOf(failure.error?.code ?? "") ?? textOf("other") ?? "");
  const minutes = Math.max(1, Math.ceil(Number(failure?.retryAfter ?? "60") / 60));
  notice.textContent = text.replace("{minutes}", String(minutes));
}
