import { english } from "../i18n/messages.ts";

/** The texts of the frame around every page of the console and of the admin area. */
export const shellTextsEn = english({
  skip: "Skip to the content",
  menu: "Menu",
  closeMenu: "Close the menu",
  navigation: "Main",
  collapse: "Collapse the sidebar",
  expand: "Expand the sidebar",
  offline: "You are offline. What you see may be out of date; nothing is lost.",
  stale: "This could not be refreshed, so it may be out of date.",
  theme: "Theme",
  themeSystem: "Same as the system",
  themeLight: "Light",
  themeDark: "Dark",
  logOut: "Log out",
  personMenu: "Your account",
  palette: "Go to page or search",
  paletteHint: "Type a name or an ID",
  paletteSearching: "Searching",
  paletteFailed: "The search failed. Type again to repeat it.",
  paletteNothing: "No results",
  shortcuts: "Keyboard shortcuts",
  shortcutsSwitch: "Single-letter shortcuts",
  shortcutPalette: "Open the palette",
  shortcutHelp: "Show this list",
  shortcutSearch: "Search in the page",
  shortcutRows: "Next and previous row of an open panel",
  shortcutClose: "Close what is open",
  sessionTitle: "Your session has ended",
  sessionText: "Log in again in another tab, then continue here. What you typed is kept.",
  sessionLogin: "Log in in a new tab",
  sessionDone: "I have logged in",
});

export type ShellTexts = typeof shellTextsEn;
