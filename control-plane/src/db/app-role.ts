import { SQL } from "bun";
import { translateDriverError } from "../platform/db-errors.ts";

/**
 * This role is created by the migrations. It may read and write rows and call functions, but it may change neither the
 * schema nor the audit log.
 */
export const appRoleName = "sluice_app";

/**
 * The role in which the application should act on this database, for `openDatabase({ role })`: `sluice_app` if it
 * exists and the login may act as it, otherwise null (the server did not let the migration create roles).
 * @throws DatabaseUnavailableError
 */
export async function findAppRole(databaseUrl: string): Promise<string | null> {
  const client = new SQL(databaseUrl, { adapter: "postgres", max: 1, connectionTimeout: 10 });
  try {
    // Version 16 split membership into separate rights; older versions don't know the word SET here.
    const [row] = await client<{ usable: boolean | null }[]>`
      select pg_has_role(current_user, to_regrole(${appRoleName}),
        case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end) as usable`;
    return row?.usable === true ? appRoleName : null;
  } catch (error) {
    throw translateDriverError(error);
  } finally {
    await client.close({ timeout: 0 });
  }
}
