import { english } from "../i18n/messages.ts";

/** The words of the frame around every page of the console and of the admin. */
export const shellTextsEn = english({
  skip: "Skip to the content",
  menu: "Menu",
  closeMenu: "Close the menu",
  navigation: "Main",
  collapse: "Collapse the sidebar",
  expand: "Expand the sidebar",
  offline: "No connection. What you see may be old; nothing is lost.",
  stale: "What you see may be old: it could not be asked for anew.",
  theme: "Theme",
  themeSystem: "As the system",
  themeLight: "Light",
  themeDark: "Dark",
  logOut: "Log out",
  palette: "Go to or search",
  paletteHint: "Type the name of a page or an action",
  paletteNothing: "Nothing has this name",
  shortcuts: "Keyboard shortcuts",
  shortcutsSwitch: "Single-letter shortcuts",
  shortcutPalette: "Open the palette",
  shortcutHelp: "This list",
  shortcutSearch: "Search in the page",
  shortcutRows: "Next and previous row of an open panel",
  shortcutClose: "Close what is open",
  sessionTitle: "Your session is over",
  sessionText: "Log in again in another tab, then go on here. What you typed stays.",
  sessionLogin: "Log in in a new tab",
  sessionDone: "I have logged in",
});

export type ShellTexts = typeof shellTextsEn;
