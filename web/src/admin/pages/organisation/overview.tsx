import { createSignal, type JSX, Show } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Card, Facts } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Notice } from "../../../kit/states.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment } from "../../shown.ts";
import { t } from "../../translate.ts";
import { LimitsCard } from "../limits/limits-card.tsx";
import type { OrganisationDetail } from "../organisations/organisation.ts";
import { AccountGroups } from "../user/account-groups.tsx";
import { Balance } from "../user/balance.tsx";
import { type Change, SaveForm } from "./save-form.tsx";

const titles: Readonly<Record<Change, string>> = {
  rename: t("Rename this organisation"),
  suspend: t("Suspend this organisation"),
  reopen: t("Reopen this organisation"),
};

/** Balance, groups, limits, facts, and the possible actions. */
export function Overview(props: { readonly detail: OrganisationDetail }): JSX.Element {
  const [asked, setAsked] = createSignal<Change | null>(null);
  const organisation = () => props.detail.organisation;
  const id = (): string => String(organisation().organisation_id);
  const isSuspended = (): boolean => organisation().status === "suspended";
  return (
    <div class="section-stack">
      <div class="button-row">
        <IfAllowed operation="/backend/admin/organisation/save/">
          <Button variant="primary" onClick={() => setAsked("rename")}>
            {t("Rename")}
          </Button>
        </IfAllowed>
        <IfAllowed operation="/backend/admin/manual-adjust/">
          <PageLink class="button" href={`/admin/manual-adjust/?gateway_user_id=${organisation().gateway_user_id}`}>
            {t("Adjust balance")}
          </PageLink>
        </IfAllowed>
        <IfAllowed operation="/backend/admin/organisation/save/">
          <Button
            variant={isSuspended() ? "plain" : "danger"}
            onClick={() => setAsked(isSuspended() ? "reopen" : "suspend")}
          >
            {isSuspended() ? t("Reopen") : t("Suspend")}
          </Button>
        </IfAllowed>
      </div>
      <Show when={isSuspended()}>
        <Notice tone="bad">
          {t("Suspended: its keys and access tokens are refused, nothing can be ordered, and its members only read.")}
        </Notice>
      </Show>
      <Balance of={props.detail} since={t("since it was created")} />
      <AccountGroups groups={props.detail.groups} member={{ kind: "organisation", id: id() }} />
      <LimitsCard of={{ organisation_id: id() }} edited={{ scope: "organisation", organisation_id: id() }} />
      <Card title={t("Organisation")}>
        <Facts
          facts={[
            { name: t("Status"), value: <StateWord state={organisation().status} /> },
            { name: t("Owners"), value: organisation().owners.join(", ") },
            { name: t("Members"), value: shownCount(organisation().members) },
            { name: t("Projects"), value: shownCount(organisation().projects) },
            { name: t("Live keys"), value: shownCount(organisation().live_keys) },
            { name: t("Multiplier"), value: organisation().rate_multiplier },
            { name: t("Group"), value: organisation().group_name },
            { name: t("Last call"), value: shownMoment(organisation().last_call_at, t("never")) },
            { name: t("Created"), value: shownMoment(organisation().created_at) },
            { name: t("Updated"), value: shownMoment(organisation().updated_at) },
          ]}
        />
      </Card>
      <Dialog isOpen={asked() !== null} onClose={() => setAsked(null)} title={titles[asked() ?? "rename"]}>
        <Show when={asked()} keyed>
          {(change) => <SaveForm change={change} organisation={organisation()} onDone={() => setAsked(null)} />}
        </Show>
      </Dialog>
    </div>
  );
}
