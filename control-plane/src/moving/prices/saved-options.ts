import { z } from "zod";

const bytesMax = 16 * 1024 * 1024;

/** What the programs answer to `GET /api/option/`: all settings that hold, those of the program included. */
const optionList = z.object({ data: z.array(z.object({ key: z.string(), value: z.string() })) });

/** Reads the settings of a running program from a file. @throws Error for another file */
export async function readSavedOptions(path: string): Promise<ReadonlyMap<string, string>> {
  const file = Bun.file(path);
  if (!(await file.exists()) || file.size > bytesMax) {
    throw new Error(`--options: the file ${path} does not exist, or is larger than ${bytesMax} bytes`);
  }
  const parsed = optionList.safeParse(await file.json());
  if (!parsed.success) {
    throw new Error("--options has to be a file with the response of GET /api/option/");
  }
  return new Map(parsed.data.data.map(({ key, value }) => [key, value] as const));
}
