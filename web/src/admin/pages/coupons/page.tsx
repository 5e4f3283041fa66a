import type { revokedCouponResponse } from "@sluice/contracts/coupons";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Facts } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { onAskedToCreate } from "../../../shell/on-asked-to-create.ts";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { nameInRow } from "../../parts/row-actions.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment, shownText } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import { couponKinds, couponStates } from "../../values.ts";
import { type Coupon, couponsPath, effectOf } from "./coupon.ts";
import { CouponForm } from "./coupon-form.tsx";

const usesOf = ({ uses, uses_max: max }: Coupon): string =>
  max === null ? formats.number(uses) : t("{uses} of {max}", { uses: formats.number(uses), max: formats.number(max) });

const columns: readonly Column<Coupon>[] = [
  { id: "code", label: t("Code"), cell: (coupon) => <code>{coupon.code}</code>, card: "title" },
  { id: "effect", label: t("Gives"), cell: effectOf },
  { id: "uses", label: t("Uses"), cell: usesOf, align: "end", isSortable: true },
  { id: "discounts_usd", label: t("Given, USD"), cell: (coupon) => formats.usd(coupon.discounts_usd), align: "end" },
  { id: "state", label: t("State"), cell: (coupon) => <StateWord state={coupon.state} />, card: "badge" },
  { id: "expires_at", label: t("Valid until"), cell: (coupon) => listMoment(coupon.expires_at) },
  { id: "note", label: t("Note"), cell: (coupon) => <bdi>{shownText(coupon.note)}</bdi> },
  { id: "created_by", label: t("Created by"), cell: (coupon) => <bdi>{coupon.created_by}</bdi>, isHiddenAtFirst: true },
  { id: "created_at", label: t("Created"), cell: (coupon) => listMoment(coupon.created_at), isSortable: true },
];

const selection = selectionOf("coupons", couponsPath);

/** Coupons: made, watched and revoked. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Coupons"));
  const state = createTableState({ filters: ["code", "state", "kind"] });
  const list = createListQuery<Coupon>({ path: couponsPath, state });
  const [isMaking, setIsMaking] = createSignal(false);
  onAskedToCreate(() => setIsMaking(true));
  const [revoked, setRevoked] = createSignal<Coupon | null>(null);
  return (
    <>
      <PageHead
        title={t("Coupons")}
        text={t("A customer enters the code at the checkout: the order costs less, or adds more balance.")}
      />
      <DataTable
        {...list}
        name="admin-coupons"
        label={t("Coupons")}
        columns={columns}
        state={state}
        rowId={(coupon) => String(coupon.coupon_id)}
        selection={selection}
        rowActions={(coupon) => (
          <Show when={coupon.state === "usable"}>
            <ActButton
              operation="/backend/admin/coupon/revoke/"
              aria-label={nameInRow(t("Revoke"), coupon.code)}
              onClick={() => setRevoked(coupon)}
            >
              {t("Revoke")}
            </ActButton>
          </Show>
        )}
        filters={[
          { id: "code", label: t("Code"), isSearch: true },
          { id: "state", label: t("State"), options: optionsOf(couponStates) },
          { id: "kind", label: t("Kind"), options: optionsOf(couponKinds) },
        ]}
        actions={
          <ActButton operation="/backend/admin/coupon/create/" variant="primary" onClick={() => setIsMaking(true)}>
            <Icon name="plus" />
            {t("New coupon")}
          </ActButton>
        }
        empty={{ title: t("No coupons yet"), text: t("Create one, and give customers its code.") }}
        panel={{
          title: (coupon) => coupon.code,
          content: (coupon) => <CouponFacts coupon={coupon} onRevoke={() => setRevoked(coupon)} />,
        }}
      />
      <Dialog isOpen={isMaking()} onClose={() => setIsMaking(false)} title={t("New coupon")} size="wide">
        <Show when={isMaking()}>
          <CouponForm onDone={() => setIsMaking(false)} />
        </Show>
      </Dialog>
      <Dialog isOpen={revoked() !== null} onClose={() => setRevoked(null)} title={t("Revoke coupon")}>
        <Show when={revoked()} keyed>
          {(coupon) => <RevokeForm coupon={coupon} onDone={() => setRevoked(null)} />}
        </Show>
      </Dialog>
    </>
  );
}

function CouponFacts(props: { readonly coupon: Coupon; readonly onRevoke: () => void }): JSX.Element {
  const limit = (): string => formats.number(props.coupon.uses_per_user ?? 0);
  return (
    <>
      <div class="button-row">
        <PageLink class="button" href={`/admin/orders/?coupon_code=${encodeURIComponent(props.coupon.code)}`}>
          {t("Orders")}
        </PageLink>
        <Show when={props.coupon.state !== "revoked"}>
          <ActButton operation="/backend/admin/coupon/revoke/" variant="danger" onClick={() => props.onRevoke()}>
            {t("Revoke")}
          </ActButton>
        </Show>
      </div>
      <Facts
        facts={[
          { name: t("State"), value: <StateWord state={props.coupon.state} /> },
          { name: t("Gives"), value: effectOf(props.coupon) },
          { name: t("Uses, including reserved"), value: usesOf(props.coupon) },
          { name: t("Paid orders"), value: formats.number(Number(props.coupon.consumed)) },
          { name: t("Given"), value: formats.usd(props.coupon.discounts_usd) },
          { name: t("Per user"), value: props.coupon.uses_per_user === null ? t("any number") : limit() },
          { name: t("For"), value: props.coupon.is_first_purchase ? t("a first purchase") : t("any purchase") },
          {
            name: t("Plans"),
            value: props.coupon.plan_codes.length === 0 ? t("all") : <bdi>{props.coupon.plan_codes.join(", ")}</bdi>,
          },
          {
            name: t("Minimum"),
            value: props.coupon.minimum_usd === null ? t("none") : formats.usd(props.coupon.minimum_usd),
          },
          { name: t("Valid from"), value: shownMoment(props.coupon.starts_at) },
          { name: t("Valid until"), value: shownMoment(props.coupon.expires_at) },
          { name: t("Revoked"), value: shownMoment(props.coupon.revoked_at) },
          { name: t("Note"), value: <bdi>{shownText(props.coupon.note)}</bdi> },
          { name: t("Created by"), value: <bdi>{props.coupon.created_by}</bdi> },
          { name: t("Created"), value: shownMoment(props.coupon.created_at) },
        ]}
      />
    </>
  );
}

function RevokeForm(props: { readonly coupon: Coupon; readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(couponsPath);
  const form = createForm({
    initial: { reason: "" },
    check: ({ reason }) => reasonFault(reason),
    body: ({ reason }) => ({
      coupon_id: props.coupon.coupon_id,
      reason,
    }),
    submit: async (_, body) => {
      await apiPost<typeof revokedCouponResponse>(`${couponsPath}revoke/`, body);
      await refresh();
      showToast(t("The coupon was revoked."));
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/coupon/revoke/"
      action={t("Revoke")}
      tone="danger"
      onCancel={props.onDone}
    >
      <Notice tone="warn">
        {rich(
          "Nobody can place an order with {code} after this. Orders that wait for their payment keep their price. This can't be undone.",
          { code: props.coupon.code },
        )}
      </Notice>
      <ReasonField form={form} />
    </AdminForm>
  );
}
