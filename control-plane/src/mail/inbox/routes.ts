import { inboxInput, inboxResponse, readInboxInput, readInboxResponse } from "@sluice/contracts/mail";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { readKeysetPage } from "../../platform/keyset-page.ts";
import { countUnread, listInbox, markRead } from "./inbox-store.ts";

export function inboxEndpoints({ db, clock }: { readonly db: Database; readonly clock: Clock }): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/account/inbox/",
      access: "user",
      input: inboxInput,
      summary: "List the e-mails sent to the user, newest first, without links",
      output: inboxResponse,
      errors: [],
      handle: async ({ input: { cursor, limit }, user }) => {
        const list = (most: number) => listInbox(db, user.userId, { before: cursor ?? null, limit: most });
        const { rows, nextCursor } = await readKeysetPage(limit, list, ({ id }) => id);
        const unread = await countUnread(db, user.userId);
        return { messages: rows, unread, next_cursor: nextCursor };
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/account/inbox/read/",
      access: "user",
      input: readInboxInput,
      summary: "Mark the user's messages as read",
      output: readInboxResponse,
      errors: [],
      handle: async ({ input: { ids }, user }) => {
        const marked = await markRead(db, user.userId, ids, new Date(clock.now()));
        return { marked, unread: await countUnread(db, user.userId) };
      },
    }),
  ];
}
