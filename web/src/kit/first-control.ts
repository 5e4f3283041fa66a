/** A dialog begins at its first field, or at the first of anything else if it has none. */
const kinds = ["input, select, textarea", "button, a[href], summary, [tabindex='0']"];

/** The control that this content begins with; null if there is none yet. Of a choice it is the chosen one. */
function firstControl(body: Element): HTMLElement | null {
  for (const kind of kinds) {
    const found = [...body.querySelectorAll<HTMLElement>(kind)].find(
      (each) => each.checkVisibility() && !each.matches(":disabled"),
    );
    if (found !== undefined) {
      const choice = found.matches("[type=radio]") ? found.closest("fieldset") : null;
      return choice?.querySelector<HTMLElement>(":checked") ?? found;
    }
  }
  return null;
}

/**
 * Focuses the first control of an open dialog, as soon as it is there and unless the keys or the pointer were used meanwhile;
 * and again when what had the focus is gone, as after a form whose result takes its place.
 * @returns what ends it
 */
export function keepFocusIn(dialog: HTMLDialogElement): () => void {
  let isUntouched = true;
  const touch = (): void => {
    isUntouched = false;
  };
  const focus = (): void => {
    const body = dialog.querySelector(".dialog-body");
    const isLost = document.activeElement === null || document.activeElement === document.body;
    const control = body !== null && (isUntouched || isLost) ? firstControl(body) : null;
    if (control !== null) {
      // The text before it stays in view.
      control.focus({ preventScroll: true });
      touch();
    }
  };
  const observer = new MutationObserver(focus);
  dialog.addEventListener("keydown", touch);
  dialog.addEventListener("pointerdown", touch);
  observer.observe(dialog, { childList: true, subtree: true });
  focus();
  return () => {
    observer.disconnect();
    dialog.removeEventListener("keydown", touch);
    dialog.removeEventListener("pointerdown", touch);
  };
}
