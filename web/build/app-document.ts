export type AppArea = "console" | "admin" | "kit";

type Chunk = { readonly file: string; readonly imports?: readonly string[]; readonly css?: readonly string[] };

const entries: Readonly<Record<AppArea, string>> = {
  console: "src/console/main.tsx",
  admin: "src/admin/main.tsx",
  kit: "src/kit-page/main.tsx",
};
const titles: Readonly<Record<AppArea, string>> = { console: "Console", admin: "Admin", kit: "Kit" };

/**
 * The document of an application: its head names everything that it loads, and its body has the frame of the page, so
 * that something is visible before the script has loaded.
 */
export function appDocument(area: AppArea, appManifest: string): string {
  const manifest = JSON.parse(appManifest) as Record<string, Chunk>;
  const entry = manifest[entries[area]];
  if (entry === undefined) {
    throw new Error(`the manifest has no ${entries[area]}`);
  }
  const chunks = closure(manifest, entries[area]);
  // Layers are ordered by their first mention, so this comes before every other style.
  const layers = manifest["src/styles/layers.css"]?.file ?? "";
  const styles = [layers, ...new Set(chunks.flatMap(({ css = [] }) => css))];
  const modules = chunks.map(({ file }) => file).filter((file) => file !== entry.file);
  const font = Object.values({ ...manifest }).find(({ file }) => /geist-latin-wght-normal[^/]*\.woff2$/.test(file));
  // Only the console has languages to choose from.
  const boots = ["src/shell/boot-theme.ts", ...(area === "console" ? ["src/shell/boot-locale.ts"] : [])];
  const lines = [
    ...boots.map((key) => `<script src="/${manifest[key]?.file}"></script>`),
    ...styles.map((file) => `<link rel="stylesheet" href="/${file}">`),
    `<link rel="preload" href="/${font?.file}" as="font" type="font/woff2" crossorigin>`,
    "{brand-head}",
    `<script type="module" src="/${entry.file}"></script>`,
    ...modules.map((file) => `<link rel="modulepreload" href="/${file}">`),
  ];
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="application-name" content="{brand}">${area === "console" ? '\n<meta name="announcement" content="{announcement}" data-url="{announcement-url}">' : ""}
<title>${titles[area]} - {brand}</title>
${lines.join("\n")}
</head>
<body>
<div id="app">${area === "kit" ? "" : frameSkeleton(area)}</div>
<noscript><p class="noscript">This part of {brand} needs JavaScript. Logins, prices and documents work without it.</p></noscript>
</body>
</html>
`;
}

/** The frame before the script: sidebar, bar and the area of the page. */
function frameSkeleton(area: "console" | "admin"): string {
  const line = (width: string): string => `<span class="skeleton" data-width="${width}"></span>`;
  return `<div class="shell" data-area="${area}" aria-busy="true">
<header class="sidebar"><span class="brand"><bdi>{brand}</bdi></span></header>
<div class="topbar"></div>
<div class="main"><div class="page-skeleton">${line("short")}${line("long")}${line("long")}</div></div>
</div>`;
}

function closure(manifest: Record<string, Chunk>, key: string, seen: Set<string> = new Set()): Chunk[] {
  const chunk = manifest[key];
  if (chunk === undefined || seen.has(key)) {
    return [];
  }
  seen.add(key);
  return [chunk, ...(chunk.imports ?? []).flatMap((each) => closure(manifest, each, seen))];
}
