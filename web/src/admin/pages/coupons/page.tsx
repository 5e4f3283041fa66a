import type { revokedCouponResponse } from "@sluice/contracts/coupons";
import { createSignal, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Facts } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { formats } from "../../formats.ts";
import { ActButton } from "../../parts/act-button.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment, shownText } from "../../shown.ts";
import { couponKinds, couponStates } from "../../values.ts";
import { type Coupon, couponsPath, effectOf } from "./coupon.ts";
import { CouponForm } from "./coupon-form.tsx";

const usesOf = ({ uses, uses_max: max }: Coupon): string =>
  max === null ? formats.number(uses) : `${formats.number(uses)} of ${formats.number(max)}`;

const columns: readonly Column<Coupon>[] = [
  { id: "code", label: "Code", cell: (coupon) => <code>{coupon.code}</code>, card: "title" },
  { id: "effect", label: "Gives", cell: effectOf },
  { id: "uses", label: "Uses", cell: usesOf, align: "end", isSortable: true },
  { id: "discounts_usd", label: "Given, USD", cell: (coupon) => formats.usd(coupon.discounts_usd), align: "end" },
  { id: "state", label: "State", cell: (coupon) => <StateWord state={coupon.state} />, card: "badge" },
  { id: "expires_at", label: "Valid until", cell: (coupon) => shownMoment(coupon.expires_at) },
  { id: "note", label: "Note", cell: (coupon) => <bdi>{shownText(coupon.note)}</bdi> },
  { id: "created_by", label: "Made by", cell: (coupon) => <bdi>{coupon.created_by}</bdi>, isHiddenAtFirst: true },
  { id: "created_at", label: "Created", cell: (coupon) => shownMoment(coupon.created_at), isSortable: true },
];

const selection = selectionOf("coupons", couponsPath);

/** Coupons: made, watched and revoked. */
export function Page(): JSX.Element {
  useAdminTitle(() => "Coupons");
  const state = createTableState({ filters: ["code", "state", "kind"] });
  const list = createListQuery<Coupon>({ path: couponsPath, state });
  const [isMaking, setIsMaking] = createSignal(false);
  const [revoked, setRevoked] = createSignal<Coupon | null>(null);
  return (
    <>
      <PageHead
        title="Coupons"
        text="A customer enters the code at the checkout: the order costs less, or adds more balance."
      />
      <DataTable
        {...list}
        name="admin-coupons"
        label="Coupons"
        columns={columns}
        state={state}
        rowId={(coupon) => String(coupon.coupon_id)}
        selection={selection}
        filters={[
          { id: "code", label: "Code", isSearch: true },
          { id: "state", label: "State", options: optionsOf(couponStates) },
          { id: "kind", label: "Kind", options: optionsOf(couponKinds) },
        ]}
        actions={
          <ActButton operation="/backend/admin/coupon/create/" variant="primary" onClick={() => setIsMaking(true)}>
            <Icon name="plus" />
            New coupon
          </ActButton>
        }
        empty={{ title: "There are no coupons", text: "Make one, and tell customers its code." }}
        panel={{
          title: (coupon) => coupon.code,
          content: (coupon) => <CouponFacts coupon={coupon} onRevoke={() => setRevoked(coupon)} />,
        }}
      />
      <Dialog isOpen={isMaking()} onClose={() => setIsMaking(false)} title="New coupon" size="wide">
        <Show when={isMaking()}>
          <CouponForm onDone={() => setIsMaking(false)} />
        </Show>
      </Dialog>
      <Dialog isOpen={revoked() !== null} onClose={() => setRevoked(null)} title="Revoke coupon">
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
          Orders
        </PageLink>
        <Show when={props.coupon.state !== "revoked"}>
          <ActButton operation="/backend/admin/coupon/revoke/" variant="danger" onClick={() => props.onRevoke()}>
            Revoke
          </ActButton>
        </Show>
      </div>
      <Facts
        facts={[
          { name: "State", value: <StateWord state={props.coupon.state} /> },
          { name: "Gives", value: effectOf(props.coupon) },
          { name: "Uses, with reserved ones", value: usesOf(props.coupon) },
          { name: "Paid orders", value: formats.number(Number(props.coupon.consumed)) },
          { name: "Given", value: formats.usd(props.coupon.discounts_usd) },
          { name: "Per user", value: props.coupon.uses_per_user === null ? "any number" : limit() },
          { name: "For", value: props.coupon.is_first_purchase ? "a first purchase" : "any purchase" },
          {
            name: "Plans",
            value: props.coupon.plan_codes.length === 0 ? "all" : <bdi>{props.coupon.plan_codes.join(", ")}</bdi>,
          },
          {
            name: "Minimum",
            value: props.coupon.minimum_usd === null ? "none" : formats.usd(props.coupon.minimum_usd),
          },
          { name: "Valid from", value: shownMoment(props.coupon.starts_at) },
          { name: "Valid until", value: shownMoment(props.coupon.expires_at) },
          { name: "Revoked", value: shownMoment(props.coupon.revoked_at) },
          { name: "Note", value: <bdi>{shownText(props.coupon.note)}</bdi> },
          { name: "Made by", value: <bdi>{props.coupon.created_by}</bdi> },
          { name: "Created", value: shownMoment(props.coupon.created_at) },
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
      showToast("The coupon was revoked.");
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/coupon/revoke/"
      action="Revoke"
      tone="danger"
      onCancel={props.onDone}
    >
      <Notice tone="warn">
        Nobody can place an order with {props.coupon.code} after this. Orders that wait for their payment keep their
        price. This can't be undone.
      </Notice>
      <ReasonField form={form} />
    </AdminForm>
  );
}
