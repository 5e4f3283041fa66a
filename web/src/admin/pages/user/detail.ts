import type { userDetail } from "@sluice/contracts/user-admin";
import type { AnswerOf } from "@sluice/contracts/wire";

export type UserDetail = AnswerOf<typeof userDetail>;

export const userDetailPath = "/backend/admin/user/detail/";
