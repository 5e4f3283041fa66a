/**
 * One of the items, each with a chance by its weight; with equal chances if no item has a weight. Null without items.
 * @param random a number from 0 up to, not including, 1
 */
export function chooseByWeight<Item extends { readonly weight: number }>(
  items: readonly Item[],
  random: number,
): Item | null {
  const total = items.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) {
    return items[Math.floor(random * items.length)] ?? null;
  }
  let rest = random * total;
  for (const item of items) {
    rest -= item.weight;
    if (rest < 0) {
      return item;
    }
  }
  return items.at(-1) ?? null;
}
