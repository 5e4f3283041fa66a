import { escapeText } from "./form-page.ts";

/**
 * A document with the support widget: its script, loaded beside everything else; ours, which tells it who is logged in;
 * and the element, whose token stays empty.
 */
export function drawSupportWidget(html: string, url: string, contextScript: string): string {
  const head = `<script async src="${escapeText(url)}"></script>\n<script type="module" src="${contextScript}"></script>\n</head>`;
  return html
    .replace("</head>", () => head)
    .replace("</body>", () => '<support-widget token=""></support-widget>\n</body>');
}
