import type { Page } from "playwright-core";

/** Of the height and width of the screen; Lighthouse calls a page good up to 0.1. */
const shiftMax = 0.05;

/**
 * How much of the visible content has moved since the page began, and what moved most. Buffered entries are delivered before the
 * next frame.
 */
const layoutShift = `new Promise((resolve) => {
  const shift = { sum: 0, most: 0, moved: [] };
  new PerformanceObserver((list) => {
    for (const { value, startTime, sources } of list.getEntries()) {
      shift.sum += value;
      if (value > shift.most) {
        shift.most = value;
        shift.moved = sources.map(({ node, previousRect: from, currentRect: to }) =>
          [Math.round(startTime), (node?.outerHTML ?? node?.textContent ?? "").slice(0, 80), from.y, from.height, to.y, to.height].join(" "));
      }
    }
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => setTimeout(() => resolve(shift)));
})`;

type LayoutShift = { readonly sum: number; readonly moved: readonly string[] };

/** @returns what jumped while a page was loaded: a line, or nothing */
export async function findJumps(page: Page): Promise<string[]> {
  const { sum, moved } = await page.evaluate<LayoutShift>(layoutShift);
  return sum > shiftMax ? [`what was shown jumped when the rest came, by ${sum.toFixed(3)}: ${moved.join("; ")}`] : [];
}
