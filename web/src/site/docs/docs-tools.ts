/**
 * Runs in the browser on pages of the docs: snippets contain the visitor's URL, every block can be copied, and a
 * selected tab is selected everywhere. Without it the pages are just as readable.
 */
export {};

const storageKey = "docs-tabs";
const rememberedMax = 8;
const copiedMs = 2_000;
const root = document.querySelector<HTMLElement>(".docs");

if (root !== null) {
  fillOrigin(root);
  rememberTabs(root);
  offerCopies(root);
  offerKey(root);
  offerSearch(root);
}

/** Visitors who came by another name, or another port, than the operator published reach the program by that one. */
function fillOrigin({ dataset, ownerDocument }: HTMLElement): void {
  const published = dataset["origin"] ?? "";
  if (published === "" || published === location.origin) {
    return;
  }
  for (const element of ownerDocument.querySelectorAll(".docs code")) {
    const texts = ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      node.nodeValue = (node.nodeValue ?? "").replaceAll(published, location.origin);
    }
  }
}

function rememberTabs(docs: HTMLElement): void {
  choose(docs, readChosen());
  docs.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement && target.type === "radio") {
      const chosen = [target.value, ...readChosen().filter((each) => each !== target.value)].slice(0, rememberedMax);
      try {
        localStorage.setItem(storageKey, JSON.stringify(chosen));
      } catch {
        // Without storage, the choice applies to this page only.
      }
      // The content above changes its height with the tabs; what was clicked stays in place.
      const before = target.getBoundingClientRect().top;
      choose(docs, chosen);
      scrollBy(0, target.getBoundingClientRect().top - before);
    }
  });
}

/** The most recent selection in a group of tabs wins. */
function choose(docs: HTMLElement, chosen: readonly string[]): void {
  for (const group of docs.querySelectorAll(".doc-tabs")) {
    const tabs = [...group.querySelectorAll<HTMLInputElement>("input")];
    const label = chosen.find((each) => tabs.some(({ value }) => value === each));
    const tab = tabs.find(({ value }) => value === label);
    if (tab !== undefined) {
      tab.checked = true;
    }
  }
}

function readChosen(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(stored) ? stored.filter((each) => typeof each === "string") : [];
  } catch {
    return [];
  }
}

function offerCopies(docs: HTMLElement): void {
  const buttons = "[data-copy], [data-copy-from]";
  for (const button of docs.querySelectorAll<HTMLButtonElement>(buttons)) {
    button.hidden = false;
    delete button.dataset["waiting"];
  }
  // The page of the API adds more of them.
  docs.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>(buttons) : null;
    if (button !== null) {
      void copy(docs, button);
    }
  });
}

function offerSearch({ ownerDocument }: HTMLElement): void {
  const button = ownerDocument.querySelector<HTMLButtonElement>("[data-search]");
  const dialog = ownerDocument.querySelector<HTMLDialogElement>(".doc-search");
  if (button === null || dialog === null) {
    return;
  }
  delete button.dataset["waiting"];
  const open = async (): Promise<void> => (await import("./docs-search.ts")).openSearch(dialog);
  button.addEventListener("click", () => void open());
  ownerDocument.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select") !== null;
    const isShortcut = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isUsual = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    if (isUsual || (isShortcut && !isTyping)) {
      event.preventDefault();
      void open();
    }
  });
}

function offerKey(docs: HTMLElement): void {
  const box = docs.querySelector<HTMLElement>(".doc-key");
  const button = box?.querySelector<HTMLButtonElement>("[data-create-key]");
  button?.addEventListener("click", async () => {
    const { createKeyForPage } = await import("./docs-key.ts");
    if (box !== null) {
      await createKeyForPage(box, button);
    }
  });
}

async function copy(docs: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const { copy: given, copyFrom, copied = "" } = button.dataset;
  const text =
    copyFrom === undefined
      ? given || (button.parentElement?.querySelector("code")?.textContent ?? "")
      : await readMarkdown(copyFrom, docs.dataset["origin"] ?? location.origin);
  await writeClipboard(text);
  const word = button.querySelector("span");
  const status = docs.querySelector("[data-copy-status]");
  if (word === null || status === null || word.textContent === copied) {
    return;
  }
  const before = word.textContent;
  word.textContent = copied;
  status.textContent = copied;
  setTimeout(() => {
    word.textContent = before;
    status.textContent = "";
  }, copiedMs);
}

async function readMarkdown(path: string, published: string): Promise<string> {
  const answer = await fetch(path);
  if (!answer.ok) {
    // The link beside the button leads there, with the server's message.
    throw new Error(`${path} answered ${answer.status}`);
  }
  return (await answer.text()).replaceAll(published, location.origin);
}

/** Over plain HTTP from another machine there is no clipboard API, so the old method is kept as well. */
async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.style.setProperty("position", "fixed");
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
