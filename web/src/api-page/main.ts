/** Makes the operations of `/backend/docs/` searchable, and each one that a page may send can be tried. */
import type { ApiTrial } from "@sluice/contracts/api-trial";
import { prepareSearch } from "./find-operations.ts";
import { actions, copyButton, trialPart } from "./trial-part.ts";

prepareSearch();

// A part is made when its operation is opened for the first time: there are hundreds. The event doesn't bubble.
document.addEventListener("toggle", ({ target }) => addTrial(target), true);
for (const open of document.querySelectorAll("details[open]")) {
  addTrial(open);
}

function addTrial(target: EventTarget | null): void {
  if (!(target instanceof HTMLDetailsElement) || !target.open) {
    return;
  }
  const content = target.querySelector<HTMLElement>(":scope > div[data-trial]");
  const trial = content?.dataset["trial"];
  if (content !== null && trial !== undefined) {
    delete content.dataset["trial"];
    const example = content.querySelector("pre");
    // The service has written it into the page. The form comes after the example, before what describes its fields.
    example?.after(
      actions([copyButton(example.textContent ?? "")]),
      trialPart(JSON.parse(trial) as ApiTrial, target.id),
    );
  }
}
