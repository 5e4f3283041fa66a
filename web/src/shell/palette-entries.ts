/** An entry that the palette finds by its name. */
export type PaletteEntry = {
  readonly label: string;
  /** The kind of the entry, shown at the end of the line. */
  readonly kind?: string;
  readonly onSelect: () => void;
};

/**
 * Finds what the words name, beyond the entries that are always there. `open` goes to an address.
 * @throws ApiError
 */
export type PaletteSearch = (
  words: string,
  open: (href: string) => void,
  signal: AbortSignal,
) => Promise<readonly PaletteEntry[]>;

/** Every word must occur in the name; names that begin with the first one come first. */
export function findEntries(entries: readonly PaletteEntry[], words: string): PaletteEntry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = entries.filter(({ label }) => wanted.every((word) => label.toLowerCase().includes(word)));
  const first = wanted[0] ?? "";
  return fits.sort((a, b) => startsWith(b, first) - startsWith(a, first));
}

function startsWith({ label }: PaletteEntry, word: string): number {
  return label.toLowerCase().startsWith(word) ? 1 : 0;
}
