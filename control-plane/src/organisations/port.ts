import type { GatewayUsers } from "../accounts/port.ts";
import type { MailQueue } from "../mail/model.ts";
import type { Database } from "../platform/db.ts";

export type OrganisationDeps = {
  readonly db: Database;
  readonly mails: MailQueue;
  readonly gatewayUsers: GatewayUsers;
  /** The base URL of the links in emails. */
  readonly baseUrl: string;
  /** Whether the response includes the link that the email contains. */
  readonly returnsLink: boolean;
};
