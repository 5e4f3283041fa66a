import type { adminMeResponse } from "@sluice/contracts/accounts";
import { type AdminOperation, type AdminRight, adminRights } from "@sluice/contracts/admin-rights";
import { fieldsOfRole, roleAllows } from "@sluice/contracts/admin-role-rights";
import { adminRoles, roleNames, roleOfRecord, type StoredRole } from "@sluice/contracts/admin-roles";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { createContext, createMemo, type JSX, Match, Show, Switch, useContext } from "solid-js";
import { apiGet } from "../../api/client.ts";
import { LoadingPart, Notice } from "../../kit/states.tsx";
import { readsAt } from "../page-reads.ts";
import { known, rich, t } from "../translate.ts";

const path = "/backend/auth/admin/me/";
/** What an admin is offered depends on it, so that a failed request is made again until it is answered. */
const askAgainMs = 5_000;

/** The roles of an admin who is not a super-admin, for a choice. */
export const roleOptions = adminRoles.map((role) => ({ value: role, label: known(roleNames[role]) }));
export const superAdminOption = { value: "super_admin", label: known(roleNames.super_admin) };

/** The word for the rights of an admin. */
export function rightsOf(admin: { readonly agent: number; readonly role: StoredRole }): string {
  return admin.agent < 1 ? t("disabled") : known(roleNames[roleOfRecord(admin)]);
}

export type Me = {
  readonly admin: () => ResponseOf<typeof adminMeResponse>["admin"] | undefined;
  readonly isSuper: () => boolean;
  /** Why it is not known; null while it is, or was not yet asked. */
  readonly error: () => Error | null;
  readonly retry: () => void;
};

const MeContext = createContext<Me>();

/** Everything inside shares one query of who is logged in. */
export function MeProvider(props: { readonly me: Me; readonly children: JSX.Element }): JSX.Element {
  return <MeContext.Provider value={props.me}>{props.children}</MeContext.Provider>;
}

/** Who is logged in, and with which rights. */
export function createMe(): Me {
  return useContext(MeContext) ?? queryMe();
}

function queryMe(): Me {
  const query = createQuery(() => ({
    queryKey: [path],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof adminMeResponse>(path, { signal }),
    refetchInterval: ({ state }) => (state.status === "error" ? askAgainMs : false),
  }));
  // While it is asked again, what failed is still missing.
  const error = createMemo<Error | null>((before) => (query.isSuccess ? null : (query.error ?? before)), null);
  return {
    admin: () => query.data?.admin,
    isSuper: () => query.data?.admin.is_super === true,
    error,
    retry: () => void query.refetch(),
  };
}

/** Whether an admin may call an endpoint; false for nobody. */
export function mayCall(admin: ReturnType<Me["admin"]>, operation: string): boolean {
  const right: AdminRight | undefined = adminRights[operation as AdminOperation];
  const isForSupers = right?.access === "super_admin";
  return admin !== undefined && (admin.is_super || !isForSupers) && roleAllows(admin.role, operation);
}

/** Shows its children, such as a button, to admins who may do what it does. */
export function IfAllowed(props: {
  readonly operation: AdminOperation;
  /** An input field that the role must be allowed to send, too. */
  readonly field?: string;
  readonly children: JSX.Element;
}): JSX.Element {
  const me = createMe();
  const maySend = (): boolean => {
    const fields = fieldsOfRole(me.admin()?.role ?? "admin", props.operation);
    return props.field === undefined || fields === null || fields.includes(props.field);
  };
  return <Show when={mayCall(me.admin(), props.operation) && maySend()}>{props.children}</Show>;
}

/** Shows its children, such as a card, to admins whose role may read a path. */
export function IfReads(props: { readonly path: string; readonly children: JSX.Element }): JSX.Element {
  const me = createMe();
  return (
    <Switch fallback={<LoadingPart size="line" />}>
      {/* The top of the page says what failed. */}
      <Match when={me.error()}>{null}</Match>
      <Match when={me.admin()}>{(admin) => <Show when={mayCall(admin(), props.path)}>{props.children}</Show>}</Match>
    </Switch>
  );
}

/** Whether a page is offered to an admin. */
export function mayOpen(admin: ReturnType<Me["admin"]>, href: string): boolean {
  const reads = readsAt(href);
  return reads === null || mayCall(admin, reads);
}

/** Whether a role has a page: that of super-admins tells other admins itself which right is missing. */
export function hasPage(admin: ReturnType<Me["admin"]>, href: string): boolean {
  const reads = readsAt(href);
  return reads === null || (admin !== undefined && roleAllows(admin.role, reads));
}

/** The tabs whose requests an admin may make. */
export function readable<Tab extends { readonly reads: string }>(
  tabs: readonly Tab[],
  admin: ReturnType<Me["admin"]>,
): readonly Tab[] {
  return tabs.filter(({ reads }) => mayCall(admin, reads));
}

/** Shows its children to super-admins; other admins see which right is missing. */
export function SuperOnly(props: {
  /** The action that requires the right, such as "Secrets are seen and saved". */
  readonly what: string;
  readonly children: JSX.Element;
}): JSX.Element {
  const me = createMe();
  return (
    <Switch fallback={<LoadingPart size="line" />}>
      {/* The top of the page says what failed. */}
      <Match when={me.error()}>{null}</Match>
      <Match when={me.isSuper()}>{props.children}</Match>
      <Match when={me.admin()}>
        {(admin) => (
          <Notice tone="warn">
            <span>
              {rich(
                "{what} by super-admins only. {username} is logged in as an admin without that right; a super-admin can do it.",
                { what: props.what, username: <strong>{admin().username}</strong> },
              )}
            </span>
          </Notice>
        )}
      </Match>
    </Switch>
  );
}

/** Whether the current admin lacks the right for an operation; false until that is known. */
export function createRefusal(operation: AdminOperation): {
  readonly isRefused: () => boolean;
  readonly notice: () => JSX.Element;
} {
  const me = createMe();
  const isForSupers = adminRights[operation].access === "super_admin";
  const isRefused = (): boolean => me.admin() !== undefined && !mayCall(me.admin(), operation);
  const roleName = (): string => known(roleNames[me.admin()?.role ?? "admin"]);
  return {
    isRefused,
    notice: () => (
      <Notice tone="warn">
        <span>
          {rich("{problem} {username} is logged in with the role {role}.", {
            problem: isForSupers
              ? t("Only super-admins can do this.")
              : t("The role {role} does not allow this.", { role: roleName() }),
            username: <strong>{me.admin()?.username}</strong>,
            role: roleName(),
          })}
        </span>
      </Notice>
    ),
  };
}
