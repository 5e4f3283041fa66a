import type { BudgetId, GatewayUserId } from "@sluice/contracts/ids";
import { type OrganisationRole, organisationHeader } from "@sluice/contracts/organisation-rights";
import { grantQuota } from "@sluice/control-plane/gateway/quota/grant-store.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import type { Answer } from "./console-client.ts";
import { loginUser, type UserLogin } from "./logins.ts";

type Rig = { readonly db: Database };

/** Asks the backend as a user, for the account of an organisation if one is named. */
export async function askAs(
  url: string,
  user: Pick<UserLogin, "cookie">,
  path: string,
  { body, organisation }: { readonly body?: object; readonly organisation?: bigint | number | string } = {},
): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...{ cookie: user.cookie, origin: url, "content-type": "application/json" },
      ...(organisation === undefined ? {} : { [organisationHeader]: String(organisation) }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

export type TestOrganisation = {
  readonly id: bigint;
  readonly gatewayUserId: GatewayUserId;
  readonly budgetId: BudgetId;
  readonly owner: UserLogin;
  readonly ownerMemberId: bigint;
};

/** An organisation that a new user has created over HTTP, with this much quota. */
export async function makeOrganisation({ db }: Rig, url: string, quota = 0n): Promise<TestOrganisation> {
  const owner = await loginUser({ db });
  const { body } = await askAs(url, owner, "/backend/organisations/create/", {
    body: { name: `Org of ${owner.email}` },
  });
  const made = body["organisation"] as { organisation_id: number; member_id: number } | undefined;
  const [row] = await db.sql<{ gateway_user_id: GatewayUserId; budget_id: BudgetId }>`
    select o.gateway_user_id, b.id as budget_id from organisation o join budget b on b.gateway_user_id = o.gateway_user_id
    where o.id = ${made?.organisation_id ?? 0}::bigint`;
  if (made === undefined || row === undefined) {
    throw new Error(`no organisation was made: ${JSON.stringify(body)}`);
  }
  const { gateway_user_id: gatewayUserId, budget_id: budgetId } = row;
  if (quota > 0n) {
    await grantQuota(db, {
      budgetId,
      amount: quota,
      changeType: "manual_adjust",
      reference: `organisation ${budgetId}`,
    });
  }
  const [id, ownerMemberId] = [BigInt(made.organisation_id), BigInt(made.member_id)];
  return { id, gatewayUserId, budgetId, owner, ownerMemberId };
}

export type TestMember = UserLogin & { readonly memberId: bigint };

/** A new user who has accepted an invitation, all over HTTP. */
export async function addMember(
  { db }: Rig,
  url: string,
  organisation: TestOrganisation,
  role: OrganisationRole,
): Promise<TestMember> {
  const user = await loginUser({ db });
  const token = await inviteToken(url, organisation, { email: user.email, role });
  const { body } = await askAs(url, user, "/backend/organisations/invitation/accept/", { body: { token } });
  const joined = body["organisation"] as { member_id: number } | undefined;
  if (joined === undefined) {
    throw new Error(`not joined: ${JSON.stringify(body)}`);
  }
  return { ...user, memberId: BigInt(joined.member_id) };
}

/** The token of the link that an invitation by the owner sends. */
export async function inviteToken(
  url: string,
  { id, owner }: Pick<TestOrganisation, "id" | "owner">,
  body: { readonly email: string; readonly role: OrganisationRole },
): Promise<string> {
  const answer = await askAs(url, owner, "/backend/organisations/invite/", { body, organisation: id });
  const link = answer.body["link"];
  if (typeof link !== "string") {
    throw new Error(`not invited: ${JSON.stringify(answer.body)}`);
  }
  return new URL(link).searchParams.get("token") ?? "";
}

export type MadeKey = { readonly keyId: bigint; readonly secret: string };

/** A key that a member has made for an organisation. */
export async function makeKey(
  url: string,
  user: Pick<UserLogin, "cookie">,
  organisation: bigint,
  fields: Record<string, unknown> = {},
): Promise<MadeKey> {
  const answer = await askAs(url, user, "/backend/keys/create/", { body: { name: "key", ...fields }, organisation });
  const { secret, key } = answer.body as { secret?: string; key?: { key_id: number } };
  if (secret === undefined || key === undefined) {
    throw new Error(`no key: ${JSON.stringify(answer.body)}`);
  }
  return { secret, keyId: BigInt(key.key_id) };
}

/** A project with a budget per month. */
export async function makeProject(
  url: string,
  { id, owner }: Pick<TestOrganisation, "id" | "owner">,
  name: string,
  spendPerMonth: bigint | null,
): Promise<bigint> {
  const body = { name, spend_per_month: spendPerMonth === null ? null : Number(spendPerMonth) };
  const answer = await askAs(url, owner, "/backend/organisations/project/save/", { body, organisation: id });
  const made = answer.body["project"] as { project_id: number } | undefined;
  if (made === undefined) {
    throw new Error(`no project: ${JSON.stringify(answer.body)}`);
  }
  return BigInt(made.project_id);
}
