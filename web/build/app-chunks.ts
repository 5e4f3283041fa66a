/** Modules that are loaded when they are first opened, drawn or asked, and therefore belong to no earlier chunk. */
const lateModules =
  /\/src\/(charts\/plot\.tsx|shell\/(palette\.tsx|shortcuts-dialog\.tsx|find-docs\.ts)|admin\/parts\/(what-changes\/.*|bulk-dialog\.tsx|archive-forms\.tsx|step-up-form\.tsx|find-records\.ts)|(console|admin)\/parts\/(palette-actions\.ts|own-search\.ts|consent-dialog\.tsx))$/;
/** Parts of a few pages, which the others do not pay for. */
const fewPages =
  /\/src\/admin\/parts\/(approval|change-table|json-value|markup-frame|range-bar|list-range|setting-form)\.tsx?$/;

/** The first match counts. `$1` is the area. */
const groups: readonly (readonly [name: string, modules: RegExp])[] = [
  ["parts-console", /\/(contracts\/src\/locale-names|src\/shell\/app-locale)\.ts$/],
  // Two files of about the same size are there sooner than one, and this one changes with its libraries only.
  ["vendor", /\/node_modules\/(?!.*(uplot|eventsource-parser|highlight\.js|lowlight|devlop|marked|idb))|^\0/],
  // Only charts, and pages that have some, wait for the reader.
  ["charts", /\/src\/kit\/(drawn|when)-near\.tsx?$/],
  // Only the styles of tables and charts: a page without one still imports some of them, and one more file takes longer.
  ["frame", /\/src\/((kit|shell|api|i18n|form)\/(?!boot-)|styles\/app\.css$|(table|charts)\/.*\.css$)/],
  ["frame", /\/contracts\/src\/(key-fields|locales|money|organisation-rights|priced-units)\.ts$/],
  // What pages read of the URL before they load a table.
  ["frame", /\/src\/table\/(table-state|model)\.ts$/],
  ["table", /\/src\/table\//],
  // What these pages share with the parts that they load later.
  ["keys-shared", /\/src\/console\/pages\/keys\/(keys\.module\.css|limit-cell\.tsx)$/],
  [
    "billing-shared",
    /\/(contracts\/src\/plan-words\.ts|console\/pages\/billing\/(billing\.module\.css|(payment-methods|change-name|own-amount|plan)\.ts|(plans|pay-dialog|subscribe-dialog|price|coupon-field)\.tsx))$/,
  ],
  // What the page of a user shares with the list, and the playground with what it loads later.
  ["user", /\/src\/admin\/pages\/user\/(detail\.ts|suspend-button\.tsx)$/],
  [
    "playground-shared",
    /\/src\/console\/pages\/playground\/(history-limits|shown-bytes|keys|storage-notice|storage-problem|attachment-list)\.tsx?$/,
  ],
  ["charts", /\/src\/charts\//],
  // With the entry itself, whose own file then only imports this one; documents name this one.
  ["parts-$1", /\/src\/(console|admin)\/(parts\/|columns\/|[^/]+\.tsx?$)/],
  ["parts-admin", /\/contracts\/src\/(admin-(reads|rights|role-rights|roles)|bulk-action-table|list-limits)\.ts$/],
  // The cards that the pages of groups, limits and users share; their forms are loaded when they are opened.
  [
    "groups",
    /\/src\/admin\/pages\/((groups|limits)\/(?!page\b|[^/]+-form\b)[^/]+\.tsx?|organisations\/organisation\.ts|user\/(key-paths|account-groups|group-columns)\.tsx?)$/,
  ],
  ["parts-$1", /\/src\/(console|admin)\/(messages\/frame|pages\/[^/]+\/messages\/messages)\.ts$/],
];

/**
 * The application chunk that a module belongs to; null leaves it to the bundler. The bundler alone would create a chunk
 * for each set of pages with common modules: two dozen files before the first page can be drawn, which cost a slow
 * phone more than some unneeded bytes. Console and admin share the frame and the libraries, which contain nothing that only one
 * of them needs.
 */
export function chunkOfModule(id: string): string | null {
  if (lateModules.test(id) || fewPages.test(id)) {
    return null;
  }
  for (const [name, modules] of groups) {
    const match = modules.exec(id);
    if (match !== null) {
      return name.replace("$1", match[1] ?? "");
    }
  }
  return null;
}
