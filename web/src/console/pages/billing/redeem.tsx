import type { redeemedResponse } from "@sluice/contracts/codes";
import { useQueryClient } from "@tanstack/solid-query";
import type { JSX } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import styles from "./billing.module.css";
import { billingArea } from "./messages/messages.ts";
import { changedByCredit } from "./plan.ts";

/** Redeems a code that was bought elsewhere. */
export function Redeem(): JSX.Element {
  const texts = billingArea.texts();
  const client = useQueryClient();
  const form = createForm({
    initial: { code: "" },
    submit: async ({ code }) => {
      const { order, is_new: isNew } = await apiPost<typeof redeemedResponse>("/backend/billing/code/redeem/", {
        code,
      });
      for (const name of changedByCredit) {
        void client.invalidateQueries({ queryKey: [name] });
      }
      showToast(isNew ? fill(texts.redeemed, { amount: formats.quota(order.quota) }) : texts.redeemedBefore);
      form.reset();
    },
  });
  // What is wrong with a code is about its one field.
  const error = (): string | null => form.errorOf("code") ?? form.problem()?.message ?? null;
  return (
    <Card title={texts.redeemTitle}>
      <form class={styles["redeem"]} onSubmit={form.onSubmit} noValidate>
        <TextField
          label={texts.redeemCode}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          maxlength={64}
          dir="ltr"
          placeholder="XXXXX-XXXXX-XXXXX-XXXXX"
          hint={texts.redeemHint}
          {...form.text("code")}
          error={error()}
        />
        <Button type="submit" isBusy={form.isSubmitting()} disabled={form.values().code.trim() === ""}>
          {texts.redeem}
        </Button>
      </form>
    </Card>
  );
}
