import { StartError } from "@sluice/deploy/start/start-error";

/** @throws StartError for a command that was called without DATABASE_URL, where no Postgres comes along */
export function refuseWithoutDatabase(command: string): never {
  throw new StartError(
    `sluice ${command} needs a database: set DATABASE_URL to a Postgres of version 15 or later, such as ` +
      "postgres://name:password@host:5432/database, or take the archive sluice-with-postgres, which brings one.",
  );
}
