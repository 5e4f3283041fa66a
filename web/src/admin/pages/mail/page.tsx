import { useSearchParams } from "@solidjs/router";
import { type JSX, Match, Switch } from "solid-js";
import { Tabs } from "../../../kit/tabs.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { createMe, readable } from "../../parts/rights.tsx";
import { t } from "../../translate.ts";
import { MailLog } from "./mail-log.tsx";
import { TemplateList } from "./template-list.tsx";

const views = [
  { id: "log", label: t("E-mails"), reads: "/backend/admin/mail/list/" },
  { id: "templates", label: t("Templates"), reads: "/backend/admin/mail/template/list/" },
] as const;
type View = (typeof views)[number]["id"];

/** What was sent, what could not be sent, and the text of each email. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Mail"));
  const me = createMe();
  const [params, setParams] = useSearchParams();
  const selected = (): View => (params["view"] === "templates" ? "templates" : "log");
  const select = (view: View): void => {
    // The filters of one view mean nothing in the other one.
    const none = Object.fromEntries(Object.keys(params).map((name) => [name, null]));
    setParams({ ...none, view: view === "log" ? null : view });
  };
  return (
    <>
      <PageHead title={t("Mail")} text={t("Every e-mail sent by the service with its status, and the templates.")} />
      <Tabs label={t("Mail")} tabs={readable(views, me.admin())} selected={selected()} onSelect={select}>
        <div class="section-stack">
          <Switch>
            <Match when={selected() === "log"}>
              <MailLog />
            </Match>
            <Match when={selected() === "templates"}>
              <TemplateList />
            </Match>
          </Switch>
        </div>
      </Tabs>
    </>
  );
}
