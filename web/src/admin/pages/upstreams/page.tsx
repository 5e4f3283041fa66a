import { useSearchParams } from "@solidjs/router";
import { type JSX, lazy, Match, Suspense, Switch } from "solid-js";
import { LoadingPart } from "../../../kit/states.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { t } from "../../translate.ts";
import { ChannelList } from "./channel-list.tsx";

const ChannelHealthTable = lazy(async () => ({ default: (await import("./channel-health.tsx")).ChannelHealthTable }));
const ProfileList = lazy(async () => ({ default: (await import("./profile-list.tsx")).ProfileList }));

const views = [
  { id: "channels", label: t("Channels") },
  { id: "health", label: t("Health") },
  { id: "profiles", label: t("Auth profiles") },
] as const;
type View = (typeof views)[number]["id"];

/** Where calls go, and login profiles for providers. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Channels"));
  const [params, setParams] = useSearchParams();
  const selected = (): View => views.find(({ id }) => id === params["view"])?.id ?? "channels";
  const select = (view: View): void => {
    // The filters of one view mean nothing in the other one.
    const none = Object.fromEntries(Object.keys(params).map((name) => [name, null]));
    setParams({ ...none, view: view === "channels" ? null : view });
  };
  return (
    <>
      <PageHead
        title={t("Channels")}
        text={t("Channels take calls; auth profiles store how to log in to a provider.")}
      />
      <Tabs label={t("Channels")} tabs={views} selected={selected()} onSelect={select}>
        <div class="section-stack">
          <Suspense fallback={<LoadingPart size="page" />}>
            <Switch>
              <Match when={selected() === "channels"}>
                <ChannelList />
              </Match>
              <Match when={selected() === "health"}>
                <ChannelHealthTable />
              </Match>
              <Match when={selected() === "profiles"}>
                <ProfileList />
              </Match>
            </Switch>
          </Suspense>
        </div>
      </Tabs>
    </>
  );
}
