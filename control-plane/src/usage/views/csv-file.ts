import { type CsvWriter, csvHeaders } from "../../platform/csv.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];

/**
 * A file that is read page by page as fast as the client accepts it. The last page is the empty one. A page that can't
 * be read breaks the file off, so that nobody takes it for complete.
 * @param readPage gets what the page before has named as the next place; null for the first
 */
export function csvFile<Place>(
  csv: CsvWriter,
  fileName: string,
  readPage: (place: Place | null) => Promise<{ readonly rows: Rows; readonly next: Place | null }>,
): Response {
  const encoder = new TextEncoder();
  let place: Place | null = null;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(csv.head)),
    pull: async (controller) => {
      const { rows, next } = await readPage(place);
      if (next === null) {
        controller.close();
        return;
      }
      place = next;
      controller.enqueue(encoder.encode(rows.map(csv.line).join("")));
    },
  });
  return new Response(stream, { headers: csvHeaders(fileName) });
}
