import type { Mutant } from "../mutant.ts";

const users = "control-plane/src/accounts/store.ts";
const admins = "control-plane/src/accounts/admins/store.ts";
const ownAccount = "control-plane/src/accounts/users/own-account.ts";
const adminAccess = "control-plane/src/accounts/admins/admin-access.ts";

/** Who may log in, as whom, and who may do what to somebody else. */
export const rightsMutants: readonly Mutant[] = [
  {
    id: "rights/profile-locked",
    file: ownAccount,
    from: "      await lockProfile(tx, user.userId);\n",
    to: "",
    rule: "what an admin changes of a user is not undone by the user's own save",
    tests: ["integration/user-save.test.ts"],
  },
  {
    id: "rights/closed-user-saves",
    file: ownAccount,
    from: 'if (before?.status !== "active") {',
    to: "if (before === null) {",
    rule: "a closed user saves nothing",
    tests: ["integration/user-save.test.ts"],
  },
  {
    id: "rights/user-login-held",
    file: users,
    from: "password_hash = ${passwordHash} and status = 'active' for share`",
    to: "password_hash = ${passwordHash} and status = 'active'`",
    rule: "a reset lets no login with the old password through",
    tests: ["integration/user-save.test.ts"],
  },
  {
    id: "rights/suspended-user-password",
    file: users,
    from: "and password_hash = ${oldHash} and status = 'active' returning 1",
    to: "and password_hash = ${oldHash} returning 1",
    rule: "a suspended user gets no session by a change of the password",
    tests: ["integration/user-save.test.ts"],
  },
  {
    id: "rights/admin-login-held",
    file: admins,
    from: "and password_hash = ${passwordHash} and agent > 0 for share`",
    to: "and password_hash = ${passwordHash} and agent > 0`",
    rule: "a reset lets no login of an admin with the old password through",
    tests: ["integration/admin-races.test.ts"],
  },
  {
    id: "rights/admin-password-compared",
    file: admins,
    from: "where id = ${id}::bigint and password_hash = ${oldHash} and agent > 0 returning 1",
    to: "where id = ${id}::bigint returning 1",
    rule: "an admin's change of the password does not survive a reset",
    tests: ["integration/admin-races.test.ts"],
  },
  {
    id: "rights/super-judged-under-lock",
    file: adminAccess,
    from: "agent >= superAgent)) {",
    to: "agent >= 0)) {",
    rule: "rights that were taken a moment ago count no more",
    tests: ["integration/admin-races.test.ts"],
  },
  {
    id: "rights/super-lets-self-in",
    file: adminAccess,
    from: '  if (adminId === caller.adminId) {\n    throw new AppError("self_forbidden");\n  }\n',
    to: "",
    rule: "nobody sends a link to themselves",
    tests: ["integration/admin-login.test.ts"],
  },
];
