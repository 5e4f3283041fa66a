import type { Finding, PeerData, PeerKey, PeerProject } from "../model.ts";
import type { Row, Source } from "../source/model.ts";
import { textOf } from "../source/read-values.ts";
import { noteUnknownTables } from "../source/unread-columns.ts";
import { channelsOf, orderOf } from "./channels-of.ts";
import type { Deployment } from "./deployment.ts";
import { type KnownInfo, priceOfDeployments } from "./deployment-prices.ts";
import { type ReadRows, rowsReader, shownTable, tables } from "./model.ts";
import { modelListsOf } from "./model-lists.ts";
import { ParamOpener } from "./open-params.ts";
import { readDailyUsage } from "./read-daily-usage.ts";
import { readDeployments } from "./read-deployments.ts";
import { type KeyMeans, readDeprecatedKey, readKey } from "./read-keys.ts";
import { type LiteTeam, readProject, readTeam } from "./read-teams.ts";
import { houseUser, type LiteUser, nobody, readUser } from "./read-users.ts";

export type LiteOptions = {
  /** What models are encrypted with; null if the operator does not say it. */
  readonly saltKey: string | null;
  readonly configFile: string | null;
  readonly knownInfo: KnownInfo;
  /** Quota for each account that has no budget there. */
  readonly grant: bigint;
  /** Not where every second counts. */
  readonly isUsageRead: boolean;
};

const counted = [
  ...["LiteLLM_SpendLogs", "LiteLLM_EndUserTable", "LiteLLM_TagTable", "LiteLLM_OrganizationTable"],
  ...["LiteLLM_DeletedVerificationToken", "LiteLLM_DeletedTeamTable", "LiteLLM_InvitationLink", "LiteLLM_Config"],
  ...["LiteLLM_MCPServerTable", "LiteLLM_GuardrailsTable", "LiteLLM_AgentsTable", "LiteLLM_JWTKeyMapping"],
  ...["LiteLLM_DailyTeamSpend", "LiteLLM_DailyTagSpend", "LiteLLM_DailyOrganizationSpend"],
  ...["LiteLLM_DailyEndUserSpend", "LiteLLM_DailyAgentSpend"],
  ...["LiteLLM_AccessGroupTable", "LiteLLM_ObjectPermissionTable", "LiteLLM_AuditLog"],
];

/** Tables that are read by the way, or that the program keeps for its own work. */
const further = [
  ...["LiteLLM_TeamMembership", "LiteLLM_OrganizationMembership", "LiteLLM_CronJob", "LiteLLM_HealthCheckTable"],
  ...["LiteLLM_ErrorLogs", "LiteLLM_UserNotifications", "LiteLLM_SSOConfig", "_prisma_migrations"],
];

/** Reads all of a LiteLLM database that can be moved. @throws Error if it is a database of something else */
export async function readLiteLlm(source: Source, options: LiteOptions): Promise<PeerData> {
  const keys = await source.columnsOf("LiteLLM_VerificationToken");
  if (keys === null || !keys.has("max_budget") || (await source.columnsOf("LiteLLM_UserTable")) === null) {
    throw new Error("this is not a database of LiteLLM: it has no table of users, or none of keys");
  }
  const findings: Finding[] = [];
  const read = rowsReader(source, findings);
  const opener = options.saltKey === null ? null : new ParamOpener(options.saltKey);
  const deployments = await readDeployments(read, opener, options.configFile, findings);
  const budgets = new Map(await read("LiteLLM_BudgetTable", (row) => [textOf(row["budget_id"]), row] as const));
  const means = { budgets, grant: options.grant };
  const present = { user: new Set<string>(), organisation: new Set<string>(), key: new Set<string>() };
  const users = await read("LiteLLM_UserTable", (row, note) => {
    present.user.add(textOf(row["user_id"]));
    return readUser(row, note, means);
  });
  const teams = await readTeams(source, read, { ...means, users, present: present.organisation });
  const lists = modelListsOf(deployments);
  const moved = await readKeys(
    read,
    {
      users: new Map(users.map((each) => [each.user.id, each])),
      teams: new Map(teams.map((each) => [each.organisation.id, each])),
      budgets,
      lists,
    },
    present.key,
  );
  await noteUnknownTables(source, new Set([...Object.keys(tables), ...counted, ...further]), findings);
  const byModel = Map.groupBy(deployments, ({ modelName }) => modelName);
  const channels = channelsOf(deployments);
  const house = houseOf(teams, moved, options.grant);
  return {
    program: "litellm",
    present: {
      ...present,
      user: new Set([...present.user, ...house.map(({ id }) => id)]),
      channel: new Set(channels.map(({ id }) => id)),
    },
    users: [...users.map(({ user }) => user), ...house],
    organisations: teams.map(({ organisation }) => organisation),
    priceOf: (model) => priceOfDeployments(inTurn(byModel.get(model) ?? []), options.knownInfo),
    keys: moved,
    channels,
    codes: [],
    usage: options.isUsageRead ? await readDailyUsage(read, findings) : null,
    options: new Map(),
    leftOut: await countLeftOut(source),
    findings,
  };
}

/** The one that gets the calls first, which sets the price. */
const inTurn = (deployments: readonly Deployment[]): readonly Deployment[] =>
  deployments.toSorted((a, b) => Number(b.isEnabled) - Number(a.isEnabled) || Number(orderOf(b)) - Number(orderOf(a)));

type Means = {
  readonly budgets: ReadonlyMap<string, Row>;
  readonly grant: bigint;
  readonly users: readonly LiteUser[];
  /** Gets the ids of all teams. */
  readonly present: Set<string>;
};

async function readTeams(
  source: Source,
  read: ReadRows,
  { budgets, grant, users, present }: Means,
): Promise<readonly LiteTeam[]> {
  const projects = new Map<string, PeerProject[]>();
  for (const [team, project] of await read("LiteLLM_ProjectTable", (row, note) => readProject(row, note, budgets))) {
    projects.set(team, [...(projects.get(team) ?? []), project]);
  }
  const memberBudgets = new Map<string, Row>();
  if ((await source.columnsOf("LiteLLM_TeamMembership")) !== null) {
    for await (const row of source.rows("LiteLLM_TeamMembership", "user_id")) {
      const budget = budgets.get(textOf(row["budget_id"]));
      if (budget !== undefined) {
        memberBudgets.set(JSON.stringify([textOf(row["team_id"]), textOf(row["user_id"])]), budget);
      }
    }
  }
  const ids = new Set(users.map(({ user }) => user.id));
  return await read("LiteLLM_TeamTable", (row, note) => {
    present.add(textOf(row["team_id"]));
    return readTeam(row, note, { budgets, grant, users: ids, memberBudgets, projects });
  });
}

/**
 * The keys, followed by those that were rotated and still work.
 * @param present gets the ids of all of them
 */
async function readKeys(read: ReadRows, means: KeyMeans, present: Set<string>): Promise<readonly PeerKey[]> {
  const keys = await read("LiteLLM_VerificationToken", (row, note) => {
    present.add(textOf(row["token"]));
    return readKey(row, note, means);
  });
  const byId = new Map(keys.map((key) => [key.id, key]));
  const old = await read("LiteLLM_DeprecatedVerificationToken", (row, note) => {
    present.add(textOf(row["token"]));
    return readDeprecatedKey(row, note, byId);
  });
  return [...keys, ...old];
}

/** The account of what belongs to nobody there, with what its keys may spend; none if nothing does. */
function houseOf(teams: readonly LiteTeam[], keys: readonly PeerKey[], grant: bigint) {
  const own = keys.filter(
    ({ owner, replacedBy }) => owner.kind === "user" && owner.id === nobody && replacedBy === null,
  );
  if (own.length === 0 && teams.length === 0) {
    return [];
  }
  const limited = own.reduce((sum, { remaining }) => sum + (remaining ?? 0n), 0n);
  return [houseUser(limited + (own.some(({ remaining }) => remaining === null) ? grant : 0n))];
}

async function countLeftOut(source: Source): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const table of counted) {
    const count = await source.countOf(table);
    if (count !== null) {
      counts.set(shownTable(table), count);
    }
  }
  return counts;
}
