import { useSearchParams } from "@solidjs/router";
import { type JSX, Match, Switch } from "solid-js";
import { Tabs } from "../../../kit/tabs.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { ChannelHealthTable } from "./channel-health.tsx";
import { ChannelList } from "./channel-list.tsx";
import { ProfileList } from "./profile-list.tsx";

const views = [
  { id: "channels", label: "Channels" },
  { id: "health", label: "Health" },
  { id: "profiles", label: "Auth profiles" },
] as const;
type View = (typeof views)[number]["id"];

/** Where calls go, and login profiles for providers. */
export function Page(): JSX.Element {
  useAdminTitle(() => "Upstreams");
  const [params, setParams] = useSearchParams();
  const selected = (): View => views.find(({ id }) => id === params["view"])?.id ?? "channels";
  const select = (view: View): void => {
    // The filters of one view mean nothing in the other one.
    const none = Object.fromEntries(Object.keys(params).map((name) => [name, null]));
    setParams({ ...none, view: view === "channels" ? null : view });
  };
  return (
    <>
      <PageHead title="Upstreams" text="Channels take calls; auth profiles store how to log in to a provider." />
      <Tabs label="Upstreams" tabs={views} selected={selected()} onSelect={select}>
        <div class="section-stack">
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
        </div>
      </Tabs>
    </>
  );
}
