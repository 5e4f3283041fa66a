import type { OrganisationRole } from "@sluice/contracts/organisation-rights";
import type { PeerMember, PeerOrganisation, PeerProject } from "../model.ts";
import type { Note, Row } from "../source/model.ts";
import { flagOf, lineOf, textOf } from "../source/read-values.ts";
import { fieldsOf, noteOthers, textsOf } from "./model.ts";
import { periodOf } from "./periods.ts";
import { accountBudgetOf, type SharedBudgets, withBudget } from "./read-budget.ts";
import { nobody } from "./read-users.ts";
import { quotaOf } from "./usd.ts";

const notMoved = [
  ...[
    "organization_id",
    "soft_budget",
    "tpd_limit",
    "model_max_budget",
    "model_id",
    "object_permission_id",
    "policies",
  ],
  ...["access_group_ids", "budget_limits", "default_team_member_models"],
];

export type LiteTeam = { readonly organisation: PeerOrganisation; readonly models: readonly string[] };

export type TeamMeans = {
  readonly budgets: SharedBudgets;
  readonly grant: bigint;
  readonly users: ReadonlySet<string>;
  /** Of a member's row: the budget there, by team and user. */
  readonly memberBudgets: ReadonlyMap<string, Row>;
  readonly projects: ReadonlyMap<string, readonly PeerProject[]>;
};

/** A team is an organisation here, whose balance is what is left of the team's budget. */
export function readTeam(row: Row, note: Note, means: TeamMeans): LiteTeam {
  const id = textOf(row["team_id"]);
  const { quota, limits } = accountBudgetOf(withBudget(row, means.budgets), note, means.grant);
  noteOthers(row, note, notMoved);
  return {
    models: textsOf(row["models"]),
    organisation: {
      id,
      name: lineOf(row["team_alias"]) || `Team ${id}`,
      isSuspended: flagOf(row["blocked"]),
      quota,
      members: membersOf(row, note, means),
      projects: means.projects.get(id) ?? [],
      limits,
    },
  };
}

/** `members_with_roles` is the truth; the older lists of members and admins count where it says nothing. */
function membersOf(row: Row, note: Note, means: TeamMeans): readonly PeerMember[] {
  const id = textOf(row["team_id"]);
  const listed = Array.isArray(row["members_with_roles"]) ? row["members_with_roles"].map(fieldsOf) : [];
  const old = [
    ...textsOf(row["admins"]).map((userId) => ({ user_id: userId, role: "admin" })),
    ...textsOf(row["members"]).map((userId) => ({ user_id: userId, role: "user" })),
  ];
  const found = new Map<string, OrganisationRole>();
  for (const member of listed.length > 0 ? listed : old) {
    const userId = textOf(member["user_id"]);
    if (!means.users.has(userId)) {
      note("lost", `Its member ${JSON.stringify(userId.slice(0, 60))} is not a user.`);
    } else if (found.get(userId) !== "admin") {
      found.set(userId, textOf(member["role"]) === "admin" ? "admin" : "member");
    }
  }
  const owner = [...found].find(([, role]) => role === "admin")?.[0] ?? null;
  if (owner === null) {
    note("decide", "Nobody administers it, so nobody can here: it belongs to the account of keys without a user.");
  }
  // The keys that nobody has made need a member, too.
  const house = { userId: nobody, role: owner === null ? "owner" : "member", spendPerMonth: null } as const;
  const members = [...found].map(([userId, role]) => ({
    userId,
    role: userId === owner ? ("owner" as const) : role,
    spendPerMonth: memberSpend(means.memberBudgets.get(JSON.stringify([id, userId])), note, userId),
  }));
  return [...members, house];
}

/** Members and projects have budgets by month alone here. */
function memberSpend(budget: Row | undefined, note: Note, userId: string): bigint | null {
  const size = budget === undefined ? null : quotaOf(budget["max_budget"]);
  if (budget === undefined || size === null) {
    return null;
  }
  if (periodOf(textOf(budget["budget_duration"])) !== "monthly") {
    note("decide", `Its member ${userId.slice(0, 60)} has a budget that is not one of a month. It is left out.`);
    return null;
  }
  return size;
}

/** A project of a team, with the team's id. */
export function readProject(row: Row, note: Note, budgets: SharedBudgets): readonly [team: string, PeerProject] | null {
  const team = textOf(row["team_id"]);
  if (team === "") {
    note("lost", "It belongs to no team.");
    return null;
  }
  const budget = withBudget(row, budgets);
  const size = quotaOf(budget["max_budget"]);
  const isMonthly = periodOf(textOf(budget["budget_duration"])) === "monthly";
  if (size !== null && !isMonthly) {
    note("decide", "Its budget is not one of a month. It is left out.");
  }
  noteOthers(row, note, ["models", "model_rpm_limit", "model_tpm_limit", "object_permission_id"]);
  const id = textOf(row["project_id"]);
  return [
    team,
    {
      id,
      name: lineOf(row["project_alias"]) || `Project ${id}`,
      isArchived: flagOf(row["blocked"]),
      spendPerMonth: isMonthly ? size : null,
    },
  ];
}
