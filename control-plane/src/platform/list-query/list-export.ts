import { exportRowsMax } from "@sluice/contracts/lists";
import { type Clock, utcDay } from "../clock.ts";
import type { Database } from "../db.ts";
import { AppError } from "../errors.ts";
import type { Log } from "../log.ts";
import { type ExportFormat, rowWriter } from "./export-rows.ts";
import { countRows, selectPage } from "./list-store.ts";
import type { AnyListSource, ListRequest } from "./model.ts";

const rowsAtOnce = 1_000;
const runningMax = 4;
const countMsMax = 10_000;
const exportMsMax = 30 * 60_000;
const retryAfterSeconds = 30;

export type ExportDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** How many rows one file can hold; fewer in tests. */
  readonly rowsMax?: number;
};

/**
 * Files of all rows that a request selects, read in pieces as fast as the client takes them, so that memory stays flat
 * and no transaction is open between two pieces. If a file can't be finished, the connection is broken off before its
 * end.
 */
export class ListExports {
  readonly #deps: ExportDeps;
  #running = 0;

  constructor(deps: ExportDeps) {
    this.#deps = deps;
  }

  /**
   * @param begin runs with the number of rows once the file is certain, before its first byte
   * @throws AppError `too_broad` above the limit of rows, `temporarily_unavailable` while too many files are being made
   */
  async open(
    source: AnyListSource,
    request: ListRequest,
    format: ExportFormat,
    begin: (rows: number) => Promise<void>,
  ): Promise<Response> {
    if (this.#running >= runningMax) {
      throw new AppError("temporarily_unavailable", {
        message: "Other exports are running. Try again when they are done.",
        retryAfterSeconds,
      });
    }
    this.#running += 1;
    try {
      await begin(await this.#countChecked(source, request));
      return this.#answer(source, request, format);
    } catch (error) {
      this.#running -= 1;
      throw error;
    }
  }

  async #countChecked(source: AnyListSource, request: ListRequest): Promise<number> {
    const { db, rowsMax = exportRowsMax } = this.#deps;
    const rows = await countRows(db, { source, request }, rowsMax, countMsMax);
    if (rows === null || rows > rowsMax) {
      const limit = rowsMax.toLocaleString("en");
      throw new AppError("too_broad", {
        message: `An export can have at most ${limit} rows, and this one would have more. Narrow the time range or add a filter.`,
      });
    }
    return rows;
  }

  #answer(source: AnyListSource, request: ListRequest, format: ExportFormat): Response {
    const { clock } = this.#deps;
    const writer = rowWriter(format, source.columns);
    const day = utcDay(clock.now());
    const headers = {
      "content-type": writer.contentType,
      "content-disposition": `attachment; filename="${source.contract.name}-${day}.${format}"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    };
    return new Response(this.#stream(source, request, writer), { headers });
  }

  #stream(
    source: AnyListSource,
    request: ListRequest,
    writer: ReturnType<typeof rowWriter>,
  ): ReadableStream<Uint8Array> {
    const { db, clock, log, rowsMax = exportRowsMax } = this.#deps;
    const encoder = new TextEncoder();
    const deadline = clock.tick() + exportMsMax;
    let after: readonly string[] | null = null;
    let written = 0;
    let isOver = false;
    const end = (): void => {
      if (!isOver) {
        isOver = true;
        clearTimeout(timer);
        this.#running -= 1;
      }
    };
    let fail: (error: Error) => void = () => undefined;
    // A client that stops reading but stays connected requests nothing more, so only a timer can notice it.
    const timer = setTimeout(() => fail(new Error("the export took too long")), exportMsMax);
    timer.unref();
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const { rows, cursors } = await selectPage(db, source, request, { after, limit: rowsAtOnce });
      const isFirst = after === null;
      const text = rows.map((row, index) => writer.write(row, isFirst && index === 0)).join("");
      written += rows.length;
      after = cursors.at(-1) ?? after;
      // Rows added since the count can exceed the limit of a file.
      const isDone = rows.length < rowsAtOnce;
      if (isOver) {
        return;
      }
      if (written > rowsMax + rowsAtOnce || clock.tick() > deadline) {
        throw new Error("the export grew beyond its limit");
      }
      controller.enqueue(encoder.encode(`${isFirst ? writer.head : ""}${text}${isDone ? writer.tail : ""}`));
      if (isDone) {
        end();
        controller.close();
      }
    };
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          fail = (error) => {
            if (!isOver) {
              end();
              log.warn("export.interrupted", { list: source.contract.name, written, error });
              // The log has the failure; the runtime prints the error that a stream ends with, so that error has no
              // details.
              controller.error(new Error(`the export of ${source.contract.name} was interrupted`));
            }
          };
        },
        pull: async (controller) => {
          try {
            await pull(controller);
          } catch (error) {
            fail(error instanceof Error ? error : new Error(String(error)));
          }
        },
        cancel: end,
      },
      { highWaterMark: 1 },
    );
  }
}
