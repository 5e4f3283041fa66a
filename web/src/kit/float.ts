const gapPx = 4;
const edgePx = 8;

/** Places a floating element below its anchor, or above it if there is no room below, and always inside the window. */
export function placeBeside(anchor: Element, float: HTMLElement, align: "start" | "end" | "center"): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = float;
  const isRightToLeft = getComputedStyle(anchor).direction === "rtl";
  const below = at.bottom + gapPx;
  const above = at.top - gapPx - height;
  const top = below + height > innerHeight - edgePx && above > edgePx ? above : below;
  const alignsLeft = align === "start" ? !isRightToLeft : isRightToLeft;
  const wished = align === "center" ? at.left + at.width / 2 - width / 2 : alignsLeft ? at.left : at.right - width;
  const left = Math.min(Math.max(wished, edgePx), Math.max(edgePx, innerWidth - width - edgePx));
  float.style.setProperty("inset", "auto");
  float.style.setProperty("top", `${top}px`);
  float.style.setProperty("left", `${left}px`);
}
