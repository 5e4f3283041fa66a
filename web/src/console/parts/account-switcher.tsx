import { createEffect, type JSX } from "solid-js";
import { createDue } from "../../kit/drawn-later.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Menu, type MenuEntry } from "../../kit/menu.tsx";
import { type Acting, actFor, acting, refreshActing } from "../acting-for.ts";
import { frameArea } from "../messages/frame.ts";
import { createOrganisationsQuery } from "./organisation-queries.ts";

/** Changes between the user's own account and those of organisations. */
export function AccountSwitcher(): JSX.Element {
  const texts = frameArea.texts().console;
  // Only the menu shows them, so that the page comes first.
  const query = createOrganisationsQuery(createDue());
  const organisations = (): readonly Acting[] =>
    (query.data?.organisations ?? []).map(({ organisation_id, name, role }) => ({
      id: String(organisation_id),
      name,
      role,
    }));
  createEffect(() => refreshActing(organisations().find(({ id }) => id === acting?.id) ?? null));
  const entries = (): MenuEntry[] => [
    { label: texts.ownAccount, isChecked: acting === null, onSelect: () => actFor(null) },
    ...organisations().map((each) => ({
      label: each.name,
      isChecked: each.id === acting?.id,
      onSelect: () => actFor(each),
    })),
    "line",
    { label: texts.manageOrganisations, href: "/console/organisation/" },
  ];
  return (
    <Menu
      label={`${texts.account}: ${acting?.name ?? texts.ownAccount}`}
      variant="quiet"
      shape={acting === null ? "square" : undefined}
      align="end"
      button={
        <>
          <Icon name={acting === null ? "user" : "users"} />
          {acting === null ? null : <bdi class="account-name">{acting.name}</bdi>}
        </>
      }
      entries={entries()}
    />
  );
}
