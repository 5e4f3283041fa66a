/** An expression for a page: which columns of its lists are cut off or out of sight, a line for each list. */
export const hiddenColumns = `[...document.querySelectorAll(".table-scroll")].flatMap((area) => {
  const [inside, isRtl] = [area.getBoundingClientRect(), getComputedStyle(area).direction === "rtl"];
  const columns = [...area.querySelectorAll("thead th")].flatMap((head) => {
    const { left, right } = head.getBoundingClientRect();
    const past = isRtl ? inside.left - left : right - inside.right;
    return past > 1 ? [head.textContent.trim() + " by " + Math.round(past) + " px"] : [];
  });
  return columns.length === 0 ? [] : [area.getAttribute("aria-label") + " hides columns: " + columns.join(", ")];
})`;
