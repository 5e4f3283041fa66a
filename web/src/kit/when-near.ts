/** How far from the screen a part begins to be drawn, as a share of its height. */
const margin = "25% 0px";
/** A reader scrolls, presses, moves the focus, searches the page for a word or prints it. */
const signs = ["scroll", "wheel", "pointerdown", "keydown", "focusin", "beforeprint"] as const;

/**
 * Whether a page is shown on a phone or a tablet to someone who has not done anything yet: what is below the screen can wait. With
 * a mouse or a keyboard, a search for a word has to find the whole page from the beginning.
 */
export function isReaderAwaited(): boolean {
  return (
    matchMedia("(hover: none)").matches &&
    "IntersectionObserver" in globalThis &&
    !navigator.userActivation?.hasBeenActive
  );
}

/**
 * Runs something when an element comes near the screen, or at the first sign of a reader, wherever the element is.
 * @returns a function that cancels it
 */
export function whenNear(place: Element, run: () => void): () => void {
  const observer = new IntersectionObserver(
    (entries) => entries.some(({ isIntersecting }) => isIntersecting) && end(),
    {
      rootMargin: margin,
    },
  );
  const cancel = (): void => {
    observer.disconnect();
    for (const sign of signs) {
      removeEventListener(sign, end, true);
    }
  };
  const end = (): void => {
    cancel();
    run();
  };
  observer.observe(place);
  for (const sign of signs) {
    addEventListener(sign, end, { capture: true, passive: true });
  }
  return cancel;
}
