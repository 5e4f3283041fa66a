import { type AccentColours, accentColours } from "@sluice/contracts/accent-colours";
import { type ImageFacts, imagePath, type LookRules } from "./model.ts";

/** The logo is as high as a line of the header, and at most six times as wide as high. */
const logoRem = 1.75;
const logoRatioMax = 6;

/**
 * Colours and logo as a stylesheet that follows the others; null if the operator has set neither. The logo is drawn in
 * place of the mark, so that no document has to know of it.
 */
export function brandStylesheet(rules: LookRules, images: readonly ImageFacts[]): string | null {
  const light = images.find(({ kind }) => kind === "logo_light");
  const dark = images.find(({ kind }) => kind === "logo_dark");
  const shown = light ?? dark;
  const parts = [
    rules.accent === "" ? "" : colourRules(rules.accent),
    shown === undefined ? "" : logoRules(light ?? shown, dark ?? shown, rules.isLogoAlone),
  ].filter((part) => part !== "");
  return parts.length === 0 ? null : `${parts.join("\n")}\n`;
}

function colourRules(accent: string): string {
  const light = accentColours(accent, "light");
  const dark = accentColours(accent, "dark");
  const pair = (name: string, of: (colours: AccentColours) => string): string =>
    `${name}:light-dark(${of(light)},${of(dark)})`;
  return `@layer tokens{:root{${[
    pair("--accent", ({ accent: colour }) => colour),
    pair("--accent-hover", ({ hover }) => hover),
    pair("--on-accent", ({ on }) => on),
    pair("--accent-ink", ({ ink }) => ink),
    `--accent-wash:light-dark(${light.accent}14,${dark.accent}1f)`,
  ].join(";")}}}`;
}

function logoRules(light: ImageFacts, dark: ImageFacts, isAlone: boolean): string {
  const ratio = Math.min(logoRatioMax, Math.max(light.width / light.height, dark.width / dark.height));
  const darkLogo = `--brand-logo:url("${imagePath(dark)}")`;
  return [
    `:root{--brand-logo:url("${imagePath(light)}")}`,
    `@media(prefers-color-scheme:dark){:root:not([data-theme="light"]){${darkLogo}}}`,
    `:root[data-theme="dark"]{${darkLogo}}`,
    `.brand::before{content:"";flex:none;block-size:${logoRem}rem;inline-size:${(logoRem * ratio).toFixed(3)}rem;max-inline-size:100%;background:var(--brand-logo) center/contain no-repeat}`,
    ".brand>.brand-mark{display:none}",
    isAlone
      ? ".brand>bdi{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}"
      : "",
  ]
    .filter((rule) => rule !== "")
    .join("\n");
}
