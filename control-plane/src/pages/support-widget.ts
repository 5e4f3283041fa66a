import { html } from "../platform/html.ts";

/**
 * A document with the support widget: its script, loaded beside everything else; our script, which identifies the
 * logged-in user; and the element, whose token stays empty.
 */
export function drawSupportWidget(document: string, url: string, contextScript: string): string {
  const head = html`<script async src="${url}"></script>\n<script type="module" src="${contextScript}"></script>\n</head>`;
  return document
    .replace("</head>", () => head.toString())
    .replace("</body>", () => '<support-widget token=""></support-widget>\n</body>');
}
