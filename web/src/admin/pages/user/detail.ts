import type { userDetail } from "@sluice/contracts/user-admin";
import type { ResponseOf } from "@sluice/contracts/wire";

export type UserDetail = ResponseOf<typeof userDetail>;

export const userDetailPath = "/backend/admin/user/detail/";
