import { listPlaces } from "@sluice/control-plane/admin/lists/list-places.ts";
import { exportRecorder } from "@sluice/control-plane/admin/lists/record-export.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { listEndpoints } from "@sluice/control-plane/platform/list-query/endpoints.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { createTestDatabase, type TestDatabase } from "../postgres/test-database.ts";
import { type EndpointServer, serveEndpoints } from "../service/endpoint-server.ts";
import { addToLists, prepareLists } from "./list-scene.ts";

export type ListPage = {
  readonly rows: readonly Record<string, unknown>[];
  readonly next_cursor: string | null;
  readonly total: { readonly count: number; readonly is_exact: boolean } | null;
  readonly range: { readonly zone: string } | null;
  readonly error?: { readonly code: string; readonly fields?: Record<string, string> };
};

/** The header of a plain admin. */
export const listAdmin = { "x-test-admin": "plain" };
const log = createLog("error", () => undefined);

/** The lists of the admin over HTTP, with thirty rows in each. */
export class ListServer {
  readonly db: Database;
  readonly http: EndpointServer;
  readonly #database: TestDatabase;

  private constructor(database: TestDatabase, db: Database) {
    this.#database = database;
    this.db = db;
    this.http = this.serve(db);
  }

  static async start(): Promise<ListServer> {
    const database = await createTestDatabase();
    const db = openDatabase({ url: database.url, poolMax: 6, applicationName: "test" });
    await prepareLists(db);
    await addToLists(db, "some", 30);
    return new ListServer(database, db);
  }

  async stop(): Promise<void> {
    await this.http.stop();
    await this.db.close(1_000);
    await this.#database.drop();
  }

  /** The same lists once more, with another database or limit. */
  serve(on: Database, exportRowsMax = 1_000_000): EndpointServer {
    const deps = { db: on, clock: systemClock, log, recordExport: exportRecorder(on), exportRowsMax };
    return serveEndpoints(listEndpoints(deps, listPlaces));
  }

  ask(query: string, server = this.http): Promise<Response> {
    return fetch(`${server.url}/backend/admin/${query}`, { headers: listAdmin });
  }

  async page(query: string): Promise<ListPage & { readonly status: number }> {
    const answer = await this.ask(query);
    return { status: answer.status, ...((await answer.json()) as ListPage) };
  }

  async addAudits(action: string, count: number): Promise<void> {
    await this.db.sql`
      insert into audit_log (actor_kind, actor_name, action, subject_kind, subject_id)
      select 'system', 'test', ${action}, 'test', i::text from generate_series(1, ${count}::int) i`;
  }
}
