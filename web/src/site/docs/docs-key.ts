import { leaveSignInHint } from "../../shell/sign-in-hint.ts";

const place = "sk-...";
const endedCodes: ReadonlySet<string> = new Set(["unauthenticated", "session_expired"]);

type Answer = {
  readonly ok?: boolean;
  readonly secret?: string | null;
  readonly error?: { readonly code?: string; readonly message?: string };
};

/**
 * Creates a key and puts it into the snippets of the page, and nowhere else: it is gone with the page. Visitors whose
 * login has expired are shown the way to one.
 */
export async function createKeyForPage(box: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const status = box.querySelector<HTMLElement>("[data-key-status]");
  const { failed = "", created = "" } = box.dataset;
  button.disabled = true;
  const answer = await askForKey();
  button.disabled = false;
  if (answer.error !== undefined && endedCodes.has(answer.error.code ?? "")) {
    leaveSignInHint(false);
    delete document.documentElement.dataset["signedIn"];
    return;
  }
  const { secret } = answer;
  if (answer.ok !== true || secret === undefined || secret === null) {
    say(status, `${failed} ${answer.error?.message ?? ""}`.trim());
    return;
  }
  replaceInSnippets(place, secret);
  button.hidden = true;
  say(status, created);
  // A browser may keep the page as it is, and show it when someone goes back to it.
  const takeOut = (): void => {
    replaceInSnippets(secret, place);
    button.hidden = false;
    say(status, "");
  };
  addEventListener("pagehide", takeOut, { once: true });
}

async function askForKey(): Promise<Answer> {
  const idempotencyKey = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join("");
  const answer = await fetch("/backend/keys/create/", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", "idempotency-key": idempotencyKey },
    body: JSON.stringify({ name: `Docs ${new Date().toISOString().slice(0, 10)}` }),
  }).catch(() => null);
  // An intermediary may respond with anything.
  return answer === null ? {} : ((await answer.json().catch(() => ({}))) as Answer);
}

function replaceInSnippets(old: string, text: string): void {
  for (const element of document.querySelectorAll("code[data-snippet]")) {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      node.nodeValue = (node.nodeValue ?? "").replaceAll(old, text);
    }
  }
}

function say(status: HTMLElement | null, text: string): void {
  if (status !== null) {
    status.textContent = text;
  }
}
