/** A test program that does a piece of work on money and is killed in the middle of it. Reads one JSON line of arguments. */
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { doWork, type KilledWork } from "./killed-work.ts";

export const killedName = "killed";

if (import.meta.main) {
  const read = JSON.parse(process.argv[2] ?? "") as { databaseUrl: string; cardUrl: string; work: KilledWork };
  const { databaseUrl, cardUrl, work } = read;
  const db = openDatabase({ url: databaseUrl, poolMax: 4, applicationName: killedName, role: "sluice_app" });
  await doWork({ db, databaseUrl, cardUrl }, work);
  await db.close(500);
}
