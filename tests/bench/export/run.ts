/** `bun run bench export`: whether a file of a million rows takes more memory than one of a hundred thousand. */
import { parseArgs } from "node:util";
import { openAgedService } from "../aged-service/open.ts";
import { sizesOf } from "../aged-service/sizes.ts";

const usage = `usage: bun run bench export [options]
  --calls <n>      rows of the usage log, a tenth of which is the longest file (default 10000000)
  --data <folder>  keeps the filled data there, or uses what is there; the same for \`bench overview\``;

const days = 30;

/** What a separate process reports about its one file. */
export type ExportMeasure = {
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
  /** In bytes: before the first row, and the most while the file was read. */
  readonly rssBefore: number;
  readonly rssMost: number;
};

export async function runExportBench(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      calls: { type: "string", default: "10000000" },
      data: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const tell = (line: string): void => console.error(line);
  const sizes = sizesOf(Number(values.calls), days);
  const service = await openAgedService({ sizes, keptIn: values.data ?? null, isResummed: false, tell });
  try {
    console.log("| file | rows | MB | seconds | memory before, MB | most, MB | more, MB |");
    console.log("| --- | --- | --- | --- | --- | --- | --- |");
    for (const format of ["csv", "json"]) {
      for (const daysOfFile of [days / 10, days]) {
        await show(format, await measure(service.url, format, daysOfFile));
      }
    }
    return 0;
  } finally {
    await service.close();
  }
}

/** Reads a file in a process that has done nothing else, so that no earlier memory use is measured. */
async function measure(url: string, format: string, daysOfFile: number): Promise<ExportMeasure> {
  const program = [process.execPath, Bun.fileURLToPath(new URL("one-file.ts", import.meta.url))];
  const child = Bun.spawn([...program, url, format, String(daysOfFile)], { stdout: "pipe", stderr: "inherit" });
  const said = await child.stdout.text();
  if ((await child.exited) !== 0) {
    throw new Error("The process that writes a file has failed.");
  }
  return JSON.parse(said) as ExportMeasure;
}

const mb = (bytes: number): string => (bytes / 1e6).toFixed(0);

function show(format: string, { rows, bytes, seconds, rssBefore, rssMost }: ExportMeasure): void {
  const cells = [format, rows, mb(bytes), seconds.toFixed(1), mb(rssBefore), mb(rssMost), mb(rssMost - rssBefore)];
  console.log(`| ${cells.join(" | ")} |`);
}
