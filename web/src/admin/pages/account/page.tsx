import { type JSX, Match, Show, Switch } from "solid-js";
import { Card, Facts } from "../../../kit/card.tsx";
import { LoadingPart, Notice } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { createMe } from "../../parts/rights.tsx";
import { t } from "../../translate.ts";
import { CodesCard } from "./codes-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";

/** The login of the current admin: its rights, its password, its authenticator, and its sessions. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Account"));
  const me = createMe();
  return (
    <>
      <PageHead title={t("Account")} text={t("Your own login. Super-admins manage the others.")} />
      <Switch fallback={<LoadingPart size="page" />}>
        {/* The top of the page says what failed. */}
        <Match when={me.error()}>{null}</Match>
        <Match when={me.admin()}>
          {(admin) => (
            <>
              <Show when={admin().lacks_second_factor}>
                <Notice tone="warn">
                  {t("Admins must have an authenticator here. Set one up below; the other pages open once it is on.")}
                </Notice>
              </Show>
              <Card title={t("Signed-in admin")}>
                <Facts
                  facts={[
                    { name: t("Username"), value: <bdi>{admin().username}</bdi> },
                    { name: t("Rights"), value: admin().is_super ? t("super-admin") : t("admin") },
                  ]}
                />
              </Card>
              <PasswordCard />
              <CodesCard hasCodes={admin().has_totp} codesLeft={admin().recovery_codes_left} />
            </>
          )}
        </Match>
      </Switch>
      <SessionsCard />
    </>
  );
}
