/** Where texts of the site name the service. It is filled after rendering, escaped as the format requires. */
export const brandPlace = "{brand}";

/** Markdown with the name of the service, none of it read as markup. */
export function withBrandInMarkdown(text: string, name: string): string {
  return text.replaceAll(brandPlace, () => name.replace(/[\\`*_{}[\]<>()#+!|&~-]/g, "\\$&"));
}
