import { leadList } from "@sluice/contracts/leads";
import { column, isOneOf, listSource } from "../../platform/list-query/model.ts";

const createdAt = column("timestamptz", "l.created_at");
const id = column("bigint", "l.id");

/** Leads, newest first. */
export const leads = listSource({
  contract: leadList,
  from: "enterprise_lead l",
  columns: {
    id,
    company: column("text", "l.company"),
    contact: column("text", "l.contact"),
    email: column("text", "l.email"),
    volume: column("text", "l.volume"),
    message: column("text", "l.message"),
    campaign: column("text", "l.campaign"),
    status: column("text", "l.status"),
    note: column("text", "l.note"),
    version: column("bigint", "l.version"),
    created_at: createdAt,
    updated_at: column("timestamptz", "l.updated_at"),
  },
  filters: {
    status: isOneOf("l.status"),
    email: (email, bind) => `lower(l.email) = ${bind(email.toLowerCase(), "text")}`,
  },
  sorts: { created_at: [createdAt, id] },
  time: { at: createdAt },
});
