import { yieldToLoop } from "../slices.ts";
import {
  type EncodedEntry,
  linesOf,
  parseLine,
  type QuarantinedEntry,
  RowCollector,
  type RowForms,
  type RowTexts,
} from "./model.ts";

/** What texts contain. */
export type ParsedRows<Rows> = {
  readonly entries: EncodedEntry<Rows>[];
  /** Lines that could not be read as entries. */
  readonly unreadable: QuarantinedEntry<Rows>[];
};

/** How lines are read. */
type LineForms<Rows> = Pick<RowForms<Rows, unknown>, "codecs" | "joined">;

/** How many rows one turn of the event loop parses or collects: a batch in one turn would delay calls by a twentieth of a second. */
const rowsPerTurn = 128;

/** Counts rows, and yields to everything that waits for the event loop after each few of them. */
class RowTurns {
  #rows = 0;

  async after(rows: number): Promise<void> {
    this.#rows += rows;
    if (this.#rows >= rowsPerTurn) {
      this.#rows = 0;
      await yieldToLoop();
    }
  }
}

/** The rows of some texts, at once. */
export function parseTexts<Rows>(forms: LineForms<Rows>, texts: Iterable<Uint8Array>): ParsedRows<Rows> {
  const parsed: ParsedRows<Rows> = { entries: [], unreadable: [] };
  for (const line of linesOf(texts)) {
    addLine(forms, line, parsed);
  }
  return parsed;
}

/** The same, a few rows in each turn of the event loop. */
export async function parseInTurns<Rows>(
  forms: LineForms<Rows>,
  texts: Iterable<Uint8Array>,
  turns = new RowTurns(),
): Promise<ParsedRows<Rows>> {
  const parsed: ParsedRows<Rows> = { entries: [], unreadable: [] };
  for (const text of texts) {
    for (const line of linesOf([text])) {
      await turns.after(addLine(forms, line, parsed));
    }
  }
  return parsed;
}

/** @returns how many rows the line has */
function addLine<Rows>(forms: LineForms<Rows>, line: string, { entries, unreadable }: ParsedRows<Rows>): number {
  try {
    const rows = parseLine(forms, line);
    entries.push(...rows);
    return rows.length;
  } catch (error) {
    unreadable.push({ entry: null, text: line, error });
    return 1;
  }
}

/** Entries as one text, with the summary of them alone, a few in each turn of the event loop. */
export async function collectInTurns<Rows, Summary>(
  forms: RowForms<Rows, Summary>,
  entries: readonly EncodedEntry<Rows>[],
): Promise<RowTexts<Summary>> {
  const collector = new RowCollector(forms);
  const turns = new RowTurns();
  for (const entry of entries) {
    collector.addEncoded(entry);
    await turns.after(1);
  }
  return toRowTexts(collector);
}

/** Rows of groups, which are encoded again as one text. */
export class StoredRows<Rows, Summary> {
  readonly #forms: RowForms<Rows, Summary>;
  readonly #collector: RowCollector<Rows, Summary>;
  readonly #turns = new RowTurns();

  constructor(forms: RowForms<Rows, Summary>) {
    this.#forms = forms;
    this.#collector = new RowCollector(forms);
  }

  /**
   * Adds the rows of a group, a few in each turn of the event loop.
   * @returns the lines that could not be read as entries
   */
  async add(body: Uint8Array): Promise<QuarantinedEntry<Rows>[]> {
    const { entries, unreadable } = await parseInTurns(this.#forms, [body], this.#turns);
    for (const entry of entries) {
      this.#collector.addEncoded(entry);
    }
    return unreadable;
  }

  get texts(): RowTexts<Summary> {
    return toRowTexts(this.#collector);
  }
}

/** What was collected, in memory of its own. */
function toRowTexts<Rows, Summary>({ count, summary, text }: RowCollector<Rows, Summary>): RowTexts<Summary> {
  return { texts: count === 0 ? [] : [new Uint8Array(text)], count, summary };
}
