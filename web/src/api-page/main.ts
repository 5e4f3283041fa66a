/** Makes the operations of `/backend/docs/` searchable, and each one that a page may send can be tried. */
import type { ApiTrial } from "@sluice/contracts/api-trial";
import { prepareSearch } from "./find-operations.ts";
import { trialPart } from "./trial-part.ts";

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
  const { trial } = target.dataset;
  if (trial !== undefined) {
    delete target.dataset["trial"];
    // The service has written it into the page.
    target.querySelector(":scope > div")?.append(trialPart(JSON.parse(trial) as ApiTrial, target.id));
  }
}
