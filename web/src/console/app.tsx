import { localeNames } from "@sluice/contracts/locale-names";
import { allLocales } from "@sluice/contracts/locales";
import { Router, type RouteSectionProps } from "@solidjs/router";
import { QueryClientProvider } from "@tanstack/solid-query";
import type { JSX } from "solid-js";
import { apiPost } from "../api/client.ts";
import { createQueryClient } from "../api/query-client.ts";
import { Icon } from "../kit/icon.tsx";
import { KitTextsProvider } from "../kit/kit-texts.tsx";
import { Menu } from "../kit/menu.tsx";
import { EmptyState } from "../kit/states.tsx";
import { toNavEntries, toRouterRoutes } from "../shell/app-routes.ts";
import { PageBoundary } from "../shell/page-boundary.tsx";
import { PageHead, Shell } from "../shell/shell.tsx";
import { leaveSignInHint } from "../shell/sign-in-hint.ts";
import { chooseLocale } from "./choose-locale.ts";
import { useConsoleTitle } from "./console-title.ts";
import { consoleLocale } from "./locales.ts";
import { frameArea } from "./messages/frame.ts";
import { BalanceFoot } from "./parts/balance-foot.tsx";
import { consoleRoutes } from "./routes.ts";

/** The console: every page inside the one frame. */
export function ConsoleApp(): JSX.Element {
  const client = createQueryClient();
  return (
    <QueryClientProvider client={client}>
      <KitTextsProvider texts={() => frameArea.texts().kit}>
        <Router base="/console" root={Frame}>
          {[...toRouterRoutes(consoleRoutes), { path: "*", component: UnknownPage }]}
        </Router>
      </KitTextsProvider>
    </QueryClientProvider>
  );
}

function Frame(props: RouteSectionProps): JSX.Element {
  const texts = frameArea.texts();
  return (
    <Shell
      area="console"
      loginPath="/login/"
      texts={texts.shell}
      nav={toNavEntries(consoleRoutes, consoleLocale)}
      barEnd={<LanguageMenu />}
      foot={<BalanceFoot />}
      onLogOut={() => void logOut()}
    >
      <PageBoundary failedTitle={texts.console.pageFailed}>{props.children}</PageBoundary>
    </Shell>
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

async function logOut(): Promise<void> {
  try {
    await apiPost("/backend/auth/logout/", {});
  } finally {
    leaveSignInHint(false);
    location.assign("/login/");
  }
}
