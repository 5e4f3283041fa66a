import { localeNames } from "@sluice/contracts/locale-names";
import { allLocales } from "@sluice/contracts/locales";
import type { OrganisationRule } from "@sluice/contracts/organisation-rights";
import { Router, type RouteSectionProps, useLocation } from "@solidjs/router";
import { QueryClientProvider, useQueryClient } from "@tanstack/solid-query";
import { createSignal, type JSX, lazy, onCleanup, onMount, Show, Suspense } from "solid-js";
import { onRefused } from "../api/client.ts";
import { createQueryClient } from "../api/query-client.ts";
import { Icon } from "../kit/icon.tsx";
import { KitTextsProvider } from "../kit/kit-texts.tsx";
import { Menu } from "../kit/menu.tsx";
import { EmptyState } from "../kit/states.tsx";
import { ViewStoreContext } from "../kit/table-views.ts";
import { toNavEntries, toRouterRoutes } from "../shell/app-routes.ts";
import { BareFrame } from "../shell/bare-frame.tsx";
import { PageBoundary } from "../shell/page-boundary.tsx";
import { PageHead, Shell } from "../shell/shell.tsx";
import { mayDo } from "./acting-for.ts";
import { chooseLocale } from "./choose-locale.ts";
import { useConsoleTitle } from "./console-title.ts";
import { loadPage } from "./load-page.ts";
import { consoleLocale } from "./locales.ts";
import { logOut } from "./log-out.ts";
import { frameArea } from "./messages/frame.ts";
import { pageNames } from "./page-names.ts";
import { AccountSwitcher } from "./parts/account-switcher.tsx";
import { BalanceFoot } from "./parts/balance-foot.tsx";
import { createOwnViews } from "./parts/own-views.ts";
import { createMeQuery } from "./parts/queries.ts";
import { consoleRoutes } from "./routes.ts";

/** The console: every page inside the one frame. */
export function ConsoleApp(): JSX.Element {
  const client = createQueryClient();
  return (
    <QueryClientProvider client={client}>
      <KitTextsProvider texts={() => frameArea.texts().kit}>
        <Router base="/console" root={AnyFrame}>
          {[
            ...toRouterRoutes(consoleRoutes, ({ page, texts }) => loadPage(page, texts), OfRole),
            { path: "*", component: UnknownPage },
          ]}
        </Router>
      </KitTextsProvider>
    </QueryClientProvider>
  );
}

const ConsentDialog = lazy(async () => ({ default: (await import("./parts/consent-dialog.tsx")).ConsentDialog }));

const ownViews = createOwnViews();

/** What has to be accepted comes without the pages that wait for it, and without their requests. */
function AnyFrame(props: RouteSectionProps): JSX.Element {
  const { shell, console } = frameArea.texts();
  const location = useLocation();
  return (
    <Show when={/^\/console\/consent\/?$/.test(location.pathname)} fallback={<Frame {...props} />}>
      <BareFrame texts={shell} loginPath="/login/" barEnd={<LanguageMenu />}>
        <PageBoundary failedTitle={console.pageFailed}>{props.children}</PageBoundary>
      </BareFrame>
    </Show>
  );
}

function Frame(props: RouteSectionProps): JSX.Element {
  const texts = frameArea.texts();
  const me = createMeQuery();
  const client = useQueryClient();
  /** Null as long as nothing had to be accepted: most visits never load the dialog. */
  const [isConsentAsked, setIsConsentAsked] = createSignal<boolean | null>(null);
  onMount(() => onCleanup(onRefused("consent_required", () => setIsConsentAsked(true))));
  return (
    <Shell
      area="console"
      loginPath="/login/"
      texts={texts.shell}
      nav={toNavEntries(consoleRoutes.filter(isOffered), consoleLocale)}
      barEnd={
        <>
          <AccountSwitcher />
          <LanguageMenu />
        </>
      }
      foot={<BalanceFoot />}
      search={async (...asked) => (await import("./parts/own-search.ts")).findOwn(client, ...asked)}
      loadActions={async (open) => (await import("./parts/palette-actions.ts")).ownActions(open)}
      person={me.data?.user.email}
      personLinks={[
        { label: pageNames.account[consoleLocale], href: "/console/account/" },
        { label: texts.console.docs, href: "/docs/" },
        { label: texts.console.models, href: "/models/" },
      ]}
      onLogOut={() => void logOut()}
    >
      <ViewStoreContext.Provider value={ownViews}>
        <PageBoundary failedTitle={texts.console.pageFailed}>{props.children}</PageBoundary>
        <Show when={isConsentAsked() !== null}>
          <Suspense>
            <ConsentDialog isOpen={isConsentAsked() === true} onClose={() => setIsConsentAsked(false)} />
          </Suspense>
        </Show>
      </ViewStoreContext.Provider>
    </Shell>
  );
}

/** What the pages of the sidebar require of a member of the organisation that the console acts for. */
const requires: Readonly<Record<string, OrganisationRule>> = {
  "/keys/": "own_keys",
  "/usage/": "own_usage",
  "/billing/": "billing",
  "/playground/": "own_keys",
  "/webhooks/": "webhooks",
  "/tokens/": "tokens",
};

const isOffered = ({ path }: { readonly path: string }): boolean => mayDo(requires[path] ?? "person");

/** A page that a link led to, if the member has it: no request of it is refused for the role. */
function OfRole(props: { readonly children: JSX.Element }): JSX.Element {
  const location = useLocation();
  const path = (): string => `${location.pathname.replace(/^\/console/, "").replace(/\/$/, "")}/`;
  return (
    <Show when={isOffered({ path: path() })} fallback={<RefusedPage />}>
      {props.children}
    </Show>
  );
}

function RefusedPage(): JSX.Element {
  const texts = frameArea.texts().console;
  useConsoleTitle(() => texts.notForRole);
  return (
    <>
      <PageHead title={texts.notForRole} />
      <EmptyState title={texts.notForRoleText} />
    </>
  );
}

function LanguageMenu(): JSX.Element {
  return (
    <Menu
      label={frameArea.texts().console.language}
      variant="quiet"
      shape="square"
      align="end"
      button={<Icon name="globe" />}
      entries={allLocales.map((locale) => ({
        label: localeNames[locale],
        isChecked: locale === consoleLocale,
        onSelect: () => void chooseLocale(locale),
      }))}
    />
  );
}

function UnknownPage(): JSX.Element {
  const texts = frameArea.texts().console;
  useConsoleTitle(() => texts.notFound);
  return (
    <>
      <PageHead title={texts.notFound} />
      <EmptyState title={texts.notFoundText} />
    </>
  );
}
