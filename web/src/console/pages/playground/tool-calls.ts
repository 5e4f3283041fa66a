/** A function that a model wants called; `arguments` is the JSON text as it wrote it. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** A piece of a tool call in a stream. */
export type ToolCallPiece = {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
};

/** A text, or nothing if it is none. */
export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

const isPlace = (index: unknown, length: number): index is number =>
  Number.isInteger(index) && Number(index) >= 0 && Number(index) <= length;

/** Puts the pieces of tool calls, which come by index, to what is there of them. */
export function joinToolCalls(calls: readonly ToolCall[], pieces: readonly ToolCallPiece[]): readonly ToolCall[] {
  const joined = [...calls];
  for (const piece of pieces) {
    const at = isPlace(piece.index, joined.length) ? piece.index : joined.length;
    const known = joined[at] ?? { id: "", name: "", arguments: "" };
    joined[at] = {
      id: known.id || textIn(piece.id),
      name: known.name + textIn(piece.function?.name),
      arguments: known.arguments + textIn(piece.function?.arguments),
    };
  }
  return joined;
}
