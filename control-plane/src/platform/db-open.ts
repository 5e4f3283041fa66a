import type { Database } from "./db.ts";
import { drizzleOn } from "./db-drizzle.ts";
import { type DatabaseOptions, openStatements } from "./db-statements.ts";

/**
 * Prepares the pool; connections are opened by the first statements. Call `ping` to check whether the server is there.
 */
export const openDatabase = (options: DatabaseOptions): Database => openStatements(options, drizzleOn);
