const openedPath = location.pathname;
/** A view that is not painted by then, such as that of a tab that nobody looks at, is not waited for. */
const paintMsMax = 200;
let head: Element | null = null;

/**
 * Resolves when the view of the document is painted. Scripts from the cache are there before that, and running them first would
 * show nothing for as long.
 */
export async function firstPaint(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const observer = new PerformanceObserver(() => resolve());
  observer.observe({ type: "paint", buffered: true });
  const timer = setTimeout(resolve, document.hidden ? 0 : paintMsMax);
  await promise;
  clearTimeout(timer);
  observer.disconnect();
}

/** Makes room for the application, and keeps the head that the document of the page has. */
export function takeFirstView(root: Element): void {
  head = root.querySelector(".page-head");
  root.replaceChildren();
}

/** The head of the page that was opened, to be shown until its modules are there; null for another page, and if only the page knows it. */
export function firstHead(): Node | null {
  return location.pathname === openedPath ? (head?.cloneNode(true) ?? null) : null;
}
