import { type JSX, Show } from "solid-js";
import { PageLink } from "../parts/page-link.tsx";
import { dash } from "../shown.ts";
import { t } from "../translate.ts";

/** A link to everything about a user; without an id only the address, for an unclaimed order. */
export function UserLink(props: {
  readonly userId: number | string | null;
  readonly email?: string | null | undefined;
}): JSX.Element {
  return (
    <Show when={props.userId} fallback={props.email ?? dash}>
      {(userId) => (
        <PageLink href={`/admin/users/${userId()}/`}>
          {props.email ?? t("user {userId}", { userId: userId() })}
        </PageLink>
      )}
    </Show>
  );
}

type OfOrganisation = {
  readonly organisation_id: number | string | null;
  readonly organisation: string | null;
};

/** A link to the organisation that something is for, if it is for one. */
export function OrganisationLink(props: { readonly row: OfOrganisation }): JSX.Element {
  return (
    <Show when={props.row.organisation_id} fallback={dash}>
      {(id) => <PageLink href={`/admin/organisations/${id()}/`}>{props.row.organisation}</PageLink>}
    </Show>
  );
}

/** The owner of an account: the organisation, or the user. */
export function OwnerLink(props: {
  readonly row: OfOrganisation & { readonly user_id: number | string | null; readonly email: string | null };
  /** What to show without an owner. */
  readonly name?: string;
}): JSX.Element {
  return (
    <Show
      when={props.row.organisation_id !== null}
      fallback={<UserLink userId={props.row.user_id} email={props.row.email ?? props.name} />}
    >
      <OrganisationLink row={props.row} />
    </Show>
  );
}
