/** Solves the proof of work of the registration form when it is sent. */
import type { ProofTask } from "./solve-proof.ts";

type Needs = { readonly proof: { readonly challenge: string; readonly bits: number } | null };

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-proof]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}

function send(form: HTMLFormElement): void {
  const button = form.querySelector("button");
  const note = form.querySelector<HTMLElement>("[data-working]");
  if (button?.disabled === true) {
    return;
  }
  setBusy(true);
  void prove(form)
    // What can't be solved here is sent as it is: the answer says what is wrong.
    .catch(() => undefined)
    .finally(() => {
      HTMLFormElement.prototype.submit.call(form);
      setBusy(false);
    });

  function setBusy(isBusy: boolean): void {
    if (button !== null && note !== null) {
      button.disabled = isBusy;
      note.hidden = !isBusy;
    }
  }
}

/** Asks for a challenge only now, because one made for the page may be too old by the time the form is sent. */
async function prove(form: HTMLFormElement): Promise<void> {
  const response = await fetch("/backend/auth/register/rules/", { headers: { accept: "application/json" } });
  const { proof } = (await response.json()) as Needs;
  if (proof !== null) {
    const email = field(form, "email").value.trim();
    field(form, "solution").value = await solve({ ...proof, email });
    field(form, "challenge").value = proof.challenge;
  }
}

function solve(task: ProofTask): Promise<string> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./solve-proof.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<string>) => {
      worker.terminate();
      resolve(data);
    });
    worker.addEventListener("error", () => {
      worker.terminate();
      reject(new Error("the proof of work failed"));
    });
    worker.postMessage(task);
  });
}

function field(form: HTMLFormElement, name: string): HTMLInputElement {
  const found = form.querySelector<HTMLInputElement>(`input[name="${name}"]`);
  if (found === null) {
    throw new Error(`the form has no ${name}`);
  }
  return found;
}
