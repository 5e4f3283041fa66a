import { useSearchParams } from "@solidjs/router";
import { createSignal, type JSX } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { TextField } from "../../../kit/field.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { FieldRow } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";
import type { LimitsOf } from "./limits.ts";
import { LimitsCard } from "./limits-card.tsx";

const fields = [
  { id: "user_id", label: t("User ID") },
  { id: "organisation_id", label: t("Organisation ID") },
  { id: "key_id", label: t("Key ID") },
  { id: "group_name", label: t("Group") },
  { id: "plan_code", label: t("Plan code") },
] as const;
type FieldId = (typeof fields)[number]["id"];

/** Which limits the calls of a key, a user, an organisation, a group or a plan meet, and what everyone has. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Limits"));
  const [params, setParams] = useSearchParams();
  const text = (id: FieldId): string => {
    const value = params[id];
    return typeof value === "string" ? value : "";
  };
  const asked = (): LimitsOf =>
    Object.fromEntries(fields.map(({ id }) => [id, text(id)]).filter(([, value]) => value !== ""));
  const [typed, setTyped] = createSignal({
    user_id: text("user_id"),
    organisation_id: text("organisation_id"),
    key_id: text("key_id"),
    group_name: text("group_name"),
    plan_code: text("plan_code"),
  });
  return (
    <>
      <PageHead
        title={t("Limits")}
        text={t(
          "How many calls accounts may make per minute and at the same time, what they may spend, and which limits apply to a call. Each running process enforces an equal share of limits per minute and of concurrent calls; spending limits hold exactly.",
        )}
      />
      <div class="section-stack">
        <Card title={t("Whose calls")}>
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault();
              setParams(Object.fromEntries(Object.entries(typed()).map(([id, value]) => [id, value.trim() || null])));
            }}
          >
            <FieldRow>
              {fields.map(({ id, label }) => (
                <TextField
                  label={label}
                  optional={t("optional")}
                  autocomplete="off"
                  value={typed()[id]}
                  onInput={(event) => setTyped({ ...typed(), [id]: event.currentTarget.value })}
                />
              ))}
            </FieldRow>
            <div class="form-actions">
              <Button type="submit" variant="primary">
                {t("Explain")}
              </Button>
            </div>
          </form>
        </Card>
        <LimitsCard of={asked()} edited={{ scope: "default" }} />
      </div>
    </>
  );
}
