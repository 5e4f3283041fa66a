import type { SuperAdmins } from "../../admin/approvals/port.ts";
import { holdSuperRights, listOtherSuperAdmins } from "./store.ts";

/** What two-person approval needs to know about admins. */
export const superAdmins: SuperAdmins = { hold: holdSuperRights, othersThan: listOtherSuperAdmins };
