export const sparklineWidth = 96;
export const sparklineHeight = 20;

/** The path of the values, each a step further right; a gap begins a new line. */
export function sparklinePath(values: readonly (number | null)[]): string {
  const largest = Math.max(...values.map((value) => value ?? 0), 0);
  const step = values.length > 1 ? sparklineWidth / (values.length - 1) : 0;
  let isDrawing = false;
  return values
    .map((value, index) => {
      if (value === null) {
        isDrawing = false;
        return "";
      }
      const y = largest === 0 ? sparklineHeight - 1 : sparklineHeight - 1 - (value / largest) * (sparklineHeight - 2);
      const command = `${isDrawing ? "L" : "M"}${Math.round(index * step * 10) / 10} ${Math.round(y * 10) / 10}`;
      isDrawing = true;
      return command;
    })
    .join("");
}
