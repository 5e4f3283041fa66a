import type { KeyOwner, PeerKey } from "../model.ts";
import type { Note, Row } from "../source/model.ts";
import { flagOf, lineOf, OddValue, textOf } from "../source/read-values.ts";
import { noteOthers, shownKey, textsOf } from "./model.ts";
import { type ModelLists, narrowModels } from "./model-lists.ts";
import { keyBudgetOf, rateLimitsOf, type SharedBudgets, withBudget } from "./read-budget.ts";
import type { LiteTeam } from "./read-teams.ts";
import { type LiteUser, nobody } from "./read-users.ts";

/** The team of the keys with which people are logged in there. */
const loginTeam = "litellm-dashboard";
const digest = /^[0-9a-f]{64}$/;
const notMoved = [
  ...["aliases", "config", "router_settings", "agent_id", "permissions", "tpd_limit", "soft_budget", "allowed_routes"],
  ...["allowed_cache_controls", "policies", "access_group_ids", "model_max_budget", "budget_fallbacks"],
  ...["object_permission_id", "budget_limits", "rotation_interval"],
];

export type KeyMeans = {
  readonly users: ReadonlyMap<string, LiteUser>;
  readonly teams: ReadonlyMap<string, LiteTeam>;
  readonly budgets: SharedBudgets;
  readonly lists: ModelLists;
};

/** A key, known by its SHA-256. Null for the keys of logins, which end by themselves. */
export function readKey(row: Row, note: Note, means: KeyMeans): PeerKey | null {
  const token = textOf(row["token"]);
  if (textOf(row["team_id"]) === loginTeam) {
    return null;
  }
  if (!digest.test(token)) {
    throw new OddValue("it is not stored by its SHA-256, so nobody can tell what clients send");
  }
  const merged = withBudget(row, means.budgets);
  const { remaining, period } = keyBudgetOf(merged, note);
  noteOthers(row, note, notMoved);
  return {
    id: token,
    owner: ownerOf(row, note, means),
    name: lineOf(row["key_alias"]) || lineOf(row["key_name"]),
    secret: { hash: token, prefix: "sk-", lastFour: lastFourOf(textOf(row["key_name"])) },
    status: flagOf(row["blocked"]) ? "disabled" : "active",
    expiresAt: dateOf(row["expires"]),
    remaining,
    period,
    limits: rateLimitsOf(merged),
    replacedBy: null,
    models: modelsOf(row, note, means),
    addresses: null,
    group: "",
  };
}

const lastFourOf = (name: string): string => /\.\.\.(.{1,4})$/.exec(name)?.[1] ?? "";

/** A key of a team spends the team's budget, not that of the user who made it. */
function ownerOf(row: Row, note: Note, { users, teams }: KeyMeans): KeyOwner {
  const [userId, teamId] = [textOf(row["user_id"]), textOf(row["team_id"])];
  const team = teams.get(teamId);
  if (team === undefined) {
    if (teamId !== "") {
      note("decide", `Its team ${JSON.stringify(teamId.slice(0, 60))} does not exist; its user pays for it here.`);
    }
    if (!users.has(userId)) {
      note("decide", "It has no user there. The account of keys without a user pays for it here.");
    }
    return { kind: "user", id: users.has(userId) ? userId : nobody };
  }
  const isMember = team.organisation.members.some((member) => member.userId === userId);
  if (userId !== "" && !isMember) {
    note("note", "Its user is not a member of its team, so the key belongs to the organisation alone.");
  }
  const project = textOf(row["project_id"]);
  const isProject = team.organisation.projects.some(({ id }) => id === project);
  return {
    kind: "organisation",
    id: teamId,
    memberUserId: isMember ? userId : nobody,
    projectId: isProject ? project : null,
  };
}

/** The models that both the key and its team, or its user, allow; null for all. */
function modelsOf(row: Row, note: Note, { users, teams, lists }: KeyMeans): readonly string[] | null {
  const team = teams.get(textOf(row["team_id"]));
  const owner = team?.models ?? users.get(textOf(row["user_id"]))?.models ?? [];
  return narrowModels(lists, { own: textsOf(row["models"]), owner, note });
}

/** The former digest of a key that was rotated, which works until its grace period ends. */
export function readDeprecatedKey(row: Row, note: Note, keys: ReadonlyMap<string, PeerKey>): PeerKey | null {
  const [token, current] = [textOf(row["token"]), keys.get(textOf(row["active_token_id"]))];
  const ends = dateOf(row["revoke_at"]);
  if (!digest.test(token) || current === undefined || ends === null) {
    note("lost", `The key that replaces it, ${shownKey(textOf(row["active_token_id"]))}, does not exist.`);
    return null;
  }
  const isFirst = current.expiresAt === null || ends < current.expiresAt;
  return {
    ...current,
    id: token,
    name: `${current.name} (before its rotation)`,
    secret: { hash: token, prefix: "sk-", lastFour: "" },
    expiresAt: isFirst ? ends : current.expiresAt,
    replacedBy: current.id,
  };
}

function dateOf(value: unknown): Date | null {
  if (value === null || value === undefined) {
    return null;
  }
  const date = value instanceof Date ? value : new Date(textOf(value));
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9_999) {
    throw new OddValue("one of its times can't be read");
  }
  return date;
}
