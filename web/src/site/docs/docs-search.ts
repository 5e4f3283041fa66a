import { type SearchHit, type SearchPage, searchDocs } from "./search-index.ts";

type Parts = {
  readonly dialog: HTMLDialogElement;
  readonly field: HTMLInputElement;
  readonly list: HTMLElement;
  readonly status: HTMLElement;
};

let pages: Promise<readonly SearchPage[]> | null = null;

/** Opens the search of a page of the docs; the texts to search are loaded the first time. */
export function openSearch(dialog: HTMLDialogElement): void {
  const [field, list, status] = [
    dialog.querySelector("input"),
    dialog.querySelector<HTMLElement>("ul"),
    dialog.querySelector<HTMLElement>("[role=status]"),
  ];
  if (field === null || list === null || status === null || dialog.open) {
    return;
  }
  const parts = { dialog, field, list, status };
  if (dialog.dataset["ready"] === undefined) {
    dialog.dataset["ready"] = "";
    listen(parts);
  }
  dialog.showModal();
  field.select();
  void show(parts);
}

function listen(parts: Parts): void {
  const { dialog, field, list } = parts;
  field.addEventListener("input", () => void show(parts));
  dialog.addEventListener("click", ({ target }) => {
    // A press on the backdrop, or on a link to a section of this page, closes it.
    if (target === dialog || (target instanceof Element && target.closest("a") !== null)) {
      dialog.close();
    }
  });
  dialog.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    if (event.key === "Enter" && document.activeElement === field) {
      event.preventDefault();
      links[0]?.click();
    }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const at = links.indexOf(document.activeElement as HTMLAnchorElement) + (event.key === "ArrowDown" ? 1 : -1);
      (links[Math.min(at, links.length - 1)] ?? field).focus();
    }
  });
}

async function show({ dialog, field, list, status }: Parts): Promise<void> {
  const query = field.value;
  const { index = "", none = "", failed = "" } = dialog.dataset;
  try {
    pages ??= load(index);
    const hits = searchDocs(await pages, query);
    // Another letter may have been typed while the texts were loading.
    if (query !== field.value) {
      return;
    }
    list.replaceChildren(...hits.map(itemOf));
    status.textContent = hits.length > 0 || query.trim() === "" ? "" : none.replace("{query}", query.trim());
  } catch {
    pages = null;
    list.replaceChildren();
    status.textContent = failed;
  }
}

async function load(path: string): Promise<readonly SearchPage[]> {
  const answer = await fetch(path);
  if (!answer.ok) {
    throw new Error(`${path} answered ${answer.status}`);
  }
  return (await answer.json()) as readonly SearchPage[];
}

function itemOf({ href, page, title, excerpt }: SearchHit): HTMLElement {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = href;
  for (const [name, text] of [
    ["b", title],
    ["small", page],
    ["span", excerpt],
  ] as const) {
    const part = document.createElement(name);
    part.textContent = text;
    part.dir = "auto";
    link.append(part);
  }
  item.append(link);
  return item;
}
