import { useLocation, useNavigate } from "@solidjs/router";
import {
  createEffect,
  createMemo,
  createSignal,
  For,
  type JSX,
  lazy,
  on,
  onCleanup,
  onMount,
  Show,
  Suspense,
} from "solid-js";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Menu, type MenuEntry } from "../kit/menu.tsx";
import { Toaster } from "../kit/toast.tsx";
import { AnnouncementLine } from "./announcement-line.tsx";
import { BrandMark } from "./brand-mark.tsx";
import { brandName } from "./brand-name.ts";
import type { NavEntry } from "./nav-entry.ts";
import type { PaletteEntry, PaletteSearch } from "./palette-entries.ts";
import { chooseTheme, chosenTheme, collapseSidebar, isSidebarCollapsed, type Theme } from "./preferences.ts";
import { SessionDialog } from "./session-dialog.tsx";
import type { ShellTexts } from "./shell-texts.ts";
import { useShortcuts } from "./shortcuts.ts";
import { StaleBar } from "./stale-bar.tsx";
import "./shell.css";

type ShellProps = {
  readonly area: "console" | "admin";
  readonly areaLabel?: string;
  readonly loginPath: string;
  readonly texts: ShellTexts;
  readonly nav: readonly NavEntry[];
  /** What can be begun from the palette by who is logged in; asked each time it opens. */
  readonly loadActions?: (open: (href: string) => void) => Promise<readonly PaletteEntry[]>;
  /** Finds what the typed words name; `open` goes to an address of the same area. */
  readonly search?: PaletteSearch;
  /** The name or e-mail address of who is logged in, once it is known. */
  readonly person: string | undefined;
  /** Links in the menu of the person, the first one to the account. */
  readonly personLinks: readonly { readonly label: string; readonly href: string }[];
  /** What else the menu of the person offers, such as the languages of the admin area. */
  readonly personChoices?: readonly MenuEntry[];
  /** The end of the bar, such as the language menu of the console. */
  readonly barEnd?: JSX.Element;
  /** The foot of the sidebar. */
  readonly foot?: JSX.Element;
  readonly onLogOut: () => void;
  readonly children: JSX.Element;
};

// Palette and shortcuts are loaded on demand, because most visits open neither.
const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const ShortcutsDialog = lazy(async () => ({ default: (await import("./shortcuts-dialog.tsx")).ShortcutsDialog }));

const themes: readonly Theme[] = ["system", "light", "dark"];
const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The frame around every page of the console and of the admin area. */
export function Shell(props: ShellProps): JSX.Element {
  const navigate = useNavigate();
  const location = useLocation();
  // The path is the same as in the sidebar; the router would remove the trailing slash.
  const go = (path: string): void => navigate(`/${props.area}${path}`, { resolve: false });
  const [isNavOpen, setIsNavOpen] = createSignal(false);
  const [isPaletteOpen, setIsPaletteOpen] = createSignal(false);
  const [areShortcutsOpen, setAreShortcutsOpen] = createSignal(false);
  useShortcuts(() => ({
    "?": () => setAreShortcutsOpen(true),
    "/": focusSearch,
    ...Object.fromEntries(
      props.nav.flatMap(({ key, path }) => (key === undefined ? [] : [[`g ${key}`, () => go(path)]])),
    ),
  }));
  usePaletteKey(() => setIsPaletteOpen(true));
  // A new page starts at its top, and is read from there.
  createEffect(
    on(
      () => location.pathname,
      () => {
        setIsNavOpen(false);
        document.getElementById("main")?.focus({ preventScroll: true });
      },
      { defer: true },
    ),
  );
  const open = (href: string): void =>
    href.startsWith(`/${props.area}/`) ? navigate(href, { resolve: false }) : window.location.assign(href);
  const entries = (): PaletteEntry[] => [
    ...props.nav.map(({ label, path }) => ({ label, onSelect: () => go(path) })),
    ...props.personLinks.map(({ label, href }) => ({ label, onSelect: () => open(href) })),
    ...themes.map((theme) => ({
      label: `${props.texts.theme}: ${themeName(props.texts, theme)}`,
      onSelect: () => chooseTheme(theme),
    })),
    { label: props.texts.logOut, onSelect: () => props.onLogOut() },
  ];
  return (
    <>
      <a class="skip" href="#main">
        {props.texts.skip}
      </a>
      <div class="shell" data-area={props.area}>
        <Sidebar {...props} isOpen={isNavOpen()} onClose={() => setIsNavOpen(false)} />
        <Topbar {...props} onMenu={() => setIsNavOpen(true)} onPalette={() => setIsPaletteOpen(true)} />
        <main class="main" id="main" tabindex="-1">
          <AnnouncementLine />
          {props.children}
        </main>
        <div class="shell-bars">
          <StaleBar text={props.texts.stale} />
          <OfflineBar text={props.texts.offline} />
        </div>
      </div>
      <OnceOpened isOpen={isPaletteOpen()}>
        <Palette
          isOpen={isPaletteOpen()}
          onClose={() => setIsPaletteOpen(false)}
          entries={entries()}
          loadActions={() => props.loadActions?.(open) ?? Promise.resolve([])}
          search={(words, signal) => props.search?.(words, open, signal) ?? Promise.resolve([])}
          texts={props.texts}
        />
      </OnceOpened>
      <OnceOpened isOpen={areShortcutsOpen()}>
        <ShortcutsDialog
          isOpen={areShortcutsOpen()}
          onClose={() => setAreShortcutsOpen(false)}
          nav={props.nav}
          texts={props.texts}
        />
      </OnceOpened>
      <SessionDialog texts={props.texts} loginPath={props.loginPath} />
      <Toaster />
    </>
  );
}

/** Loads the content when it is opened for the first time, and keeps it from then on. */
function OnceOpened(props: { readonly isOpen: boolean; readonly children: JSX.Element }): JSX.Element {
  const wasOpened = createMemo<boolean>((before) => before || props.isOpen, false);
  return (
    <Show when={wasOpened()}>
      <Suspense>{props.children}</Suspense>
    </Show>
  );
}

function Sidebar(props: ShellProps & { readonly isOpen: boolean; readonly onClose: () => void }): JSX.Element {
  const location = useLocation();
  const base = (): string => `/${props.area}`;
  let header: HTMLElement | undefined;
  // Over a page on a phone it gets the keys; closed by a key, focus returns to where it was opened.
  createEffect(
    on(
      () => props.isOpen,
      (isOpen) =>
        isOpen && header?.querySelector<HTMLElement>("[aria-current], .nav:not(:has([aria-current])) > a")?.focus(),
      { defer: true },
    ),
  );
  const isCurrent = (path: string): boolean => {
    const here = location.pathname.slice(base().length).replace(/\/?$/, "/");
    return path === "/" ? here === "/" : here.startsWith(path);
  };
  return (
    <>
      <Show when={props.isOpen}>
        <button
          type="button"
          class="sidebar-scrim"
          aria-label={props.texts.closeMenu}
          onClick={() => props.onClose()}
        />
      </Show>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what can be focused is in it; it only hears Escape from there. */}
      <header
        ref={(each) => {
          header = each;
        }}
        class="sidebar"
        data-open={props.isOpen}
        onKeyDown={(event) => {
          if (event.key === "Escape" && props.isOpen) {
            document.querySelector<HTMLElement>(".menu-button")?.focus();
            props.onClose();
          }
        }}
      >
        <a class="brand" href={`${base()}/`}>
          <BrandMark />
          <bdi>{brandName()}</bdi>
          <Show when={props.areaLabel}>
            <span class="brand-area">{props.areaLabel}</span>
          </Show>
        </a>
        <nav class="nav" aria-label={props.texts.navigation}>
          <For each={props.nav}>
            {(entry) => (
              <>
                <Show when={entry.group}>
                  <span class="nav-group">{entry.group}</span>
                </Show>
                <a
                  class="nav-link"
                  href={`${base()}${entry.path}`}
                  aria-current={isCurrent(entry.path) ? "page" : undefined}
                  title={isSidebarCollapsed() ? entry.label : undefined}
                >
                  <Icon name={entry.icon} />
                  <span>{entry.label}</span>
                </a>
              </>
            )}
          </For>
        </nav>
        <div class="sidebar-foot">{props.foot}</div>
      </header>
    </>
  );
}

function Topbar(props: ShellProps & { readonly onMenu: () => void; readonly onPalette: () => void }): JSX.Element {
  const { texts } = props;
  return (
    <div class="topbar">
      <Button class="menu-button" variant="quiet" shape="square" aria-label={texts.menu} onClick={() => props.onMenu()}>
        <Icon name="menu" />
      </Button>
      <Button
        class="collapse-button"
        variant="quiet"
        shape="square"
        aria-label={isSidebarCollapsed() ? props.texts.expand : props.texts.collapse}
        onClick={() => collapseSidebar(!isSidebarCollapsed())}
      >
        <Icon name="menu" />
      </Button>
      <Button class="palette-button" aria-label={props.texts.palette} onClick={() => props.onPalette()}>
        <Icon name="search" />
        <span>{props.texts.palette}</span>
        <kbd>{isApple ? "⌘K" : "Ctrl K"}</kbd>
      </Button>
      <span class="topbar-space" />
      {props.barEnd}
      <PersonMenu {...props} />
    </div>
  );
}

/** Who is logged in, and what concerns the person: the account, the theme, logging out. */
function PersonMenu(props: ShellProps): JSX.Element {
  return (
    <Menu
      label={props.person === undefined ? props.texts.personMenu : `${props.texts.personMenu}: ${props.person}`}
      variant="quiet"
      shape="square"
      align="end"
      button={<span class="person-letter">{firstLetter(props.person)}</span>}
      entries={[
        ...(props.person === undefined ? [] : [{ heading: props.person }]),
        ...props.personLinks,
        "line" as const,
        ...(props.personChoices === undefined ? [] : [...props.personChoices, "line" as const]),
        { heading: props.texts.theme },
        ...themes.map((theme) => ({
          label: themeName(props.texts, theme),
          isChecked: chosenTheme() === theme,
          onSelect: () => chooseTheme(theme),
        })),
        "line" as const,
        { label: props.texts.logOut, onSelect: () => props.onLogOut() },
      ]}
    />
  );
}

function themeName(texts: ShellTexts, theme: Theme): string {
  return { system: texts.themeSystem, light: texts.themeLight, dark: texts.themeDark }[theme];
}

function firstLetter(name: string | undefined): string {
  return ([...(name ?? "")][0] ?? "").toLocaleUpperCase(document.documentElement.lang);
}

function OfflineBar(props: { readonly text: string }): JSX.Element {
  const [isOffline, setIsOffline] = createSignal(!navigator.onLine);
  const update = (): void => {
    setIsOffline(!navigator.onLine);
  };
  onMount(() => {
    addEventListener("online", update);
    addEventListener("offline", update);
  });
  onCleanup(() => {
    removeEventListener("online", update);
    removeEventListener("offline", update);
  });
  return (
    <div role="status">
      <Show when={isOffline()}>
        <div class="shell-bar" data-kind="offline">
          {props.text}
        </div>
      </Show>
    </div>
  );
}

function usePaletteKey(open: () => void): void {
  const onKey = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      open();
    }
  };
  onMount(() => document.addEventListener("keydown", onKey));
  onCleanup(() => document.removeEventListener("keydown", onKey));
}

/** The field that a page marks as its search. */
function focusSearch(): void {
  document.querySelector<HTMLElement>("[data-search]")?.focus();
}

/** The heading of a page, with its actions at the end. */
export function PageHead(props: {
  readonly title: string;
  readonly text?: string | undefined;
  readonly actions?: JSX.Element;
}): JSX.Element {
  return (
    <div class="page-head">
      <div>
        <h1>{props.title}</h1>
        <Show when={props.text}>
          <p>{props.text}</p>
        </Show>
      </div>
      {props.actions}
    </div>
  );
}
