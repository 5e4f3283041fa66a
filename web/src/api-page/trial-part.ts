import type { ApiTrial } from "@sluice/contracts/api-trial";
import { curlOf, faultOf, type TrialInput, type TrialRequest, trialRequest } from "./trial-request.ts";

const timeoutMs = 120_000;
/** Longer responses are cut. */
const shownMax = 200_000;
const previewPath = "/backend/admin/change/preview/";

type Fields = { readonly read: () => TrialInput; readonly element: HTMLElement };

/** The form that sends an operation, and shows what comes back. @param id the name of the operation, unique on the page */
export function trialPart(trial: ApiTrial, id: string): HTMLElement {
  const part = make("section");
  part.className = "api-trial";
  const fields = fieldsOf(trial, id);
  const result = make("div");
  const send = async (request: TrialRequest): Promise<void> => {
    setBusy(part, true);
    result.replaceChildren(...(await sendTrial(trial, request)));
    setBusy(part, false);
  };
  /** Sends it once the input is complete; the visitor is asked before anything is changed. */
  const attempt = (): void => {
    const input = fields.read();
    const fault = faultOf(trial, input);
    const request = trialRequest(trial, input);
    if (fault !== null) {
      result.replaceChildren(statusLine(fault));
    } else if (trial.method === "GET") {
      void send(request);
    } else {
      result.replaceChildren(question(trial, () => void send(request)));
      result.querySelector("button")?.focus();
    }
  };
  const preview = (): void => {
    const input = fields.read();
    const fault = faultOf(trial, input);
    if (fault !== null) {
      result.replaceChildren(statusLine(fault));
      return;
    }
    const body = JSON.stringify({ operation: trial.path, input: JSON.parse(input.body) as unknown }, null, 2);
    const ask: ApiTrial = { ...trial, method: "POST", path: previewPath, parameters: [], body };
    void send(trialRequest(ask, { ...input, body }));
  };
  part.append(
    make("h4", "Try it"),
    make("p", noteOf(trial)),
    fields.element,
    actions([button("Send", attempt, true), ...(trial.isPreviewed ? [button("Preview the change", preview)] : [])]),
    result,
  );
  return part;
}

function noteOf({ credential, takesToken, needsRecentLogin }: ApiTrial): string {
  const notes = {
    api_key:
      "Sent from this page with the API key that you enter. The page forgets it when you leave. The call is charged like any other.",
    login: takesToken
      ? "Sent from this page with your login in this browser, or with the access token that you enter."
      : "Sent from this page with your login in this browser.",
    none: "Sent from this page without a login.",
  };
  return `${notes[credential]}${needsRecentLogin ? " It needs a login within the last hour." : ""}`;
}

function fieldsOf(trial: ApiTrial, id: string): Fields {
  const element = make("div");
  const parameters = trial.parameters.map(({ name, in: place, isRequired }) => {
    const field = labelled(`${name} (${place}${isRequired ? ", required" : ""})`, make("input"), `${id}-${name}`);
    element.append(field.part);
    return { name, control: field.control };
  });
  const secret =
    trial.credential === "api_key"
      ? labelled("API key", make("input"), `${id}-key`)
      : trial.takesToken
        ? labelled("Access token, in place of the login", make("input"), `${id}-token`)
        : null;
  if (secret !== null) {
    secret.control.type = "password";
    element.append(secret.part);
  }
  const body = trial.body === null ? null : labelled("Body", make("textarea"), `${id}-body`);
  if (body !== null) {
    body.control.value = trial.body ?? "";
    body.control.spellcheck = false;
    element.append(body.part);
  }
  return {
    element,
    read: () => ({
      parameters: Object.fromEntries(parameters.map(({ name, control }) => [name, control.value.trim()])),
      secret: secret?.control.value.trim() ?? "",
      body: body?.control.value ?? "",
    }),
  };
}

/** Asks before a request that may change something is sent. */
function question(trial: ApiTrial, onConfirm: () => void): HTMLElement {
  const box = make("div");
  const text =
    trial.credential === "api_key"
      ? "This call is charged to the key."
      : `${trial.method} ${trial.path} is really carried out here, on this service.`;
  box.append(statusLine(text), actions([button("Send it now", onConfirm, true), button("Cancel", () => box.remove())]));
  return box;
}

/** Sends a request. @returns what is shown of its response, or of why there is none */
async function sendTrial(trial: ApiTrial, request: TrialRequest): Promise<HTMLElement[]> {
  const curl = curlOf(trial, request, location.origin);
  const startedAt = performance.now();
  try {
    const response = await fetch(request.target, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      credentials: request.hasLogin ? "same-origin" : "omit",
      cache: "no-store",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    const took = `${Math.round(performance.now() - startedAt)} ms`;
    const requestId = response.headers.get("x-request-id");
    const line = [`${response.status} ${response.statusText}`.trim(), took, ...(requestId === null ? [] : [requestId])];
    return [statusLine(line.join(" · ")), ...codeBlock("Response", readable(text)), ...codeBlock("As curl", curl)];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [statusLine(`There was no response: ${reason}`), ...codeBlock("As curl", curl)];
  }
}

function readable(text: string): string {
  const cut = (shown: string) => (shown.length > shownMax ? `${shown.slice(0, shownMax)}\n…` : shown);
  try {
    return cut(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return text === "" ? "(empty)" : cut(text);
  }
}

function statusLine(text: string): HTMLElement {
  const line = make("p", text);
  line.setAttribute("role", "status");
  return line;
}

function codeBlock(label: string, text: string): HTMLElement[] {
  const block = make("pre", text);
  block.className = "api-code";
  block.tabIndex = 0;
  block.setAttribute("role", "region");
  block.setAttribute("aria-label", label);
  return [make("h4", label), block, actions([copyButton(text)])];
}

function labelled<Control extends HTMLInputElement | HTMLTextAreaElement>(label: string, control: Control, id: string) {
  const part = make("div");
  part.className = "field";
  const name = make("label", label);
  name.className = "field-label";
  name.htmlFor = id;
  control.className = "input";
  control.id = id;
  control.autocomplete = "off";
  part.append(name, control);
  return { part, control };
}

/** Buttons in a row. */
export function actions(buttons: readonly HTMLElement[]): HTMLElement {
  const row = make("div");
  row.className = "form-actions";
  row.append(...buttons);
  return row;
}

/** A button that copies a text, and says so: `docs-tools.ts`, which the page loads as well, listens to it. */
export function copyButton(text: string): HTMLButtonElement {
  const made = button("");
  made.append(make("span", "Copy"));
  Object.assign(made.dataset, { copy: text, copied: "Copied" });
  return made;
}

function button(label: string, onPress?: () => void, isPrimary = false): HTMLButtonElement {
  const made = make("button", label);
  made.type = "button";
  made.className = "button";
  if (isPrimary) {
    made.dataset["variant"] = "primary";
  }
  if (onPress !== undefined) {
    made.addEventListener("click", onPress);
  }
  return made;
}

function setBusy(part: HTMLElement, isBusy: boolean): void {
  part.setAttribute("aria-busy", String(isBusy));
  for (const each of part.querySelectorAll("button")) {
    each.disabled = isBusy;
  }
}

function make<Name extends keyof HTMLElementTagNameMap>(name: Name, text?: string): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (text !== undefined) {
    element.textContent = text;
  }
  return element;
}
