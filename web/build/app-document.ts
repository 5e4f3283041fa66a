import type { HeadTexts } from "../src/shell/head-texts.ts";
import { type AppManifest, chunkOf, chunksFor, entryOf } from "./app-manifest.ts";

export type AppArea = "console" | "admin" | "kit";

const titles: Readonly<Record<AppArea, string>> = { console: "Console", admin: "Admin", kit: "Kit" };

/**
 * The document of an application: its head names everything that it loads, and its body has the frame of the page, so
 * that something is visible before the script has loaded. The service fills its `{places}`.
 */
export function appDocument(area: AppArea, manifest: AppManifest): string {
  const entry = entryOf(manifest, area);
  const chunks = chunksFor(manifest, entry);
  // Layers are ordered by their first mention, so that of the frame, which has all of them, comes before every other style.
  const styles = [...new Set(chunks.flatMap(({ css = [] }) => css))].sort(frameFirst);
  const [main, ...modules] = chunks.map(({ file }) => file);
  const font = Object.values({ ...manifest }).find(({ file }) => /geist-latin-wght-normal[^/]*\.woff2$/.test(file));
  const boot = chunkOf(manifest, "src/shell/boot-app.ts").file;
  const lines = [
    `<script src="/${boot}"${area === "kit" ? "" : ' data-page="{page-requests}" data-frame="{frame-requests}"'}></script>`,
    ...styles.map((file) => `<link rel="stylesheet" href="/${file}">`),
    `<link rel="preload" href="/${font?.file}" as="font" type="font/woff2" crossorigin>`,
    // After what the head of the page is drawn with. The largest comes first, because it takes longest.
    ...modules.map((file) => `<link rel="modulepreload" href="/${file}" fetchpriority="low">`),
    `<script type="module" src="/${main}" fetchpriority="low"></script>`,
    ...(area === "kit" ? [] : ["{page-files}"]),
    "{brand-head}",
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

const frameStyles = /\/frame-[^/]+\.css$/;
const frameFirst = (one: string, other: string): number =>
  Number(frameStyles.test(other)) - Number(frameStyles.test(one));

/** The frame before the script: sidebar, bar and the page, whose head is at the place where the page draws it. */
function frameSkeleton(area: "console" | "admin"): string {
  const line = (width: string): string => `<span class="skeleton" data-width="${width}"></span>`;
  return `<div class="shell" data-area="${area}" aria-busy="true">
<header class="sidebar"><span class="brand">{brand-mark}<bdi>{brand}</bdi></span></header>
<div class="topbar">${line("short")}</div>
<div class="main">${area === "console" ? "{announcement-line}" : ""}{page-head}<div class="page-skeleton" aria-busy="true">${line("short")}${line("long")}${line("long")}</div></div>
</div>`;
}

/** What `PageHead` draws, before the page can; screen readers read that of the page. */
export function firstHead({ title, text }: HeadTexts): string {
  const lead = text === undefined ? "" : `<p>${Bun.escapeHTML(text)}</p>`;
  return `<div class="page-head" data-first aria-hidden="true"><div><h1>${Bun.escapeHTML(title)}</h1>${lead}</div></div>`;
}
