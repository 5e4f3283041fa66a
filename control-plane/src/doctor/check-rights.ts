import { randomUUID } from "node:crypto";
import { findAppRole } from "../db/app-role.ts";
import type { Database } from "../platform/db.ts";
import { notify, openNotifications } from "../platform/db-notifications.ts";
import { openDatabase } from "../platform/db-open.ts";
import { createLog } from "../platform/log.ts";
import { currentRole, mayCreatePartitions, readCreation, tryLock } from "./doctor-store.ts";
import { type Finding, fine, problem, reasonOf } from "./model.ts";

const area = "database";
const channel = "sluice_doctor";
const messageMsMax = 5_000;

/** What the service does in its database beside reading and writing rows, tried where that leaves nothing behind. */
export async function checkRights(db: Database, databaseUrl: string): Promise<readonly Finding[]> {
  return [await checkPartitions(db, databaseUrl), await checkLocks(db), await checkMessages(db, databaseUrl)];
}

/** Whether the first start may set the database up, with the login of the migrations. */
export async function checkCreation(ownerUrl: string): Promise<readonly Finding[]> {
  const db = openDatabase({ url: ownerUrl, poolMax: 1, applicationName: "sluice-doctor" });
  try {
    const { role, database, mayCreate } = await readCreation(db);
    return [
      mayCreate
        ? fine(area, `${role} can create the tables`)
        : problem(
            area,
            `${role} can't create tables in the database ${database}.`,
            `Run in it, as a superuser: \`alter database "${database}" owner to "${role}"\`.`,
          ),
    ];
  } catch (error) {
    return [
      problem(area, `The migrations can't log in: ${reasonOf(error)}.`, "Correct MIGRATION_DATABASE_URL, or unset it."),
    ];
  } finally {
    await db.close(1_000);
  }
}

async function checkPartitions(db: Database, databaseUrl: string): Promise<Finding> {
  const role = (await findAppRole(databaseUrl)) ?? (await currentRole(db));
  return (await mayCreatePartitions(db, role)) === true
    ? fine(area, `${role} can create the partitions of the log of calls`)
    : problem(
        area,
        `${role} can't create the partitions of the log of calls: calls can't be recorded from tomorrow on.`,
        "Start the service once with the login that owns the tables; it needs the right CREATE on the schema public.",
      );
}

async function checkLocks(db: Database): Promise<Finding> {
  try {
    await tryLock(db);
    return fine(area, "Advisory locks can be taken");
  } catch (error) {
    const cure = "Connect directly to PostgreSQL: a pooler in between has to support these locks.";
    return problem(area, `No advisory lock can be taken: ${reasonOf(error)}.`, cure);
  }
}

/** Poolers that share connections between transactions accept LISTEN, but no message ever arrives. */
async function checkMessages(db: Database, databaseUrl: string): Promise<Finding> {
  const cure = "Connect directly to PostgreSQL, or to a pooler that keeps one connection for each client.";
  const sent = randomUUID();
  const silent = createLog("error", () => undefined);
  const notifications = openNotifications(databaseUrl, silent, (echo) => notify(db, echo, ""));
  try {
    const { promise: arrived, resolve } = Promise.withResolvers<"arrived">();
    notifications.listen(channel, (payload) => {
      if (payload === sent) {
        resolve("arrived");
      }
    });
    const { promise: late, resolve: endWait } = Promise.withResolvers<"late">();
    const timer = setTimeout(() => endWait("late"), messageMsMax);
    const exchanged = notifications
      .connected()
      .then(() => notify(db, channel, sent))
      .then(() => arrived);
    const result = await Promise.race([exchanged, late]).finally(() => clearTimeout(timer));
    return result === "arrived"
      ? fine(area, "Messages between connections arrive (LISTEN and NOTIFY)")
      : problem(area, "Messages between connections don't arrive (LISTEN and NOTIFY).", cure);
  } catch (error) {
    return problem(area, `Messages between connections can't be sent: ${reasonOf(error)}.`, cure);
  } finally {
    await notifications.close();
  }
}
