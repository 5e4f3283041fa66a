/** Shows the operations whose method, path and summary have every word; their groups open, the others are hidden. */
export function prepareSearch(): void {
  const search = document.querySelector("search");
  const field = search?.querySelector("input");
  const status = search?.querySelector<HTMLElement>("[role=status]");
  if (search == null || field == null || status == null) {
    return;
  }
  const groups = [...document.querySelectorAll<HTMLDetailsElement>("details.group")].map((group) => ({
    group,
    operations: [...group.querySelectorAll<HTMLDetailsElement>(":scope > div > details[id]")].map((operation) => ({
      operation,
      text: `${operation.querySelector("summary")?.textContent} ${operation.querySelector("p")?.textContent}`.toLowerCase(),
    })),
  }));
  const show = (): void => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { group, operations } of groups) {
      const found = operations.filter(({ text }) => words.every((word) => text.includes(word)));
      for (const each of operations) {
        each.operation.hidden = words.length > 0 && !found.includes(each);
      }
      group.hidden = words.length > 0 && found.length === 0;
      group.open = words.length > 0 && found.length > 0;
      count += found.length;
    }
    status.textContent = words.length === 0 ? "" : `${count} operations`;
  };
  field.addEventListener("input", show);
  search.hidden = false;
  // A browser may bring back what was typed before.
  if (field.value !== "") {
    show();
  }
}
