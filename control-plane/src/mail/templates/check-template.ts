import type { MailTemplateName } from "../model.ts";
import type { TemplateSource } from "./layout.ts";
import { placeholdersIn } from "./placeholders.ts";
import { isLinkName, sharedNames, templateShapes } from "./shape.ts";

/**
 * Mail programs remove or block such things, a page that shows the mail would run them, and what is loaded from elsewhere
 * tells its owner who reads the mail, and when.
 */
const unwelcome =
  /<\s*(script|iframe|object|embed|form|input|link|base|img|svg|video|audio|picture|source)\b|\bon[a-z]+\s*=|javascript:|["'(]\s*data:|\bsrc(set)?\s*=|url\s*\(|@import|http-equiv/i;

/** What is wrong with a template, by its part; empty when it can be sent. */
export function checkTemplate(name: MailTemplateName, source: TemplateSource): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const part of ["subject", "html", "text"] as const) {
    const problem = problemOf(name, part, source[part]);
    if (problem !== null) {
      problems[part] = problem;
    }
  }
  return problems;
}

function problemOf(name: MailTemplateName, part: keyof TemplateSource, text: string): string | null {
  const { names, required } = templateShapes[name];
  const known = [...sharedNames, ...names].filter((each) => part !== "subject" || !isLinkName(each));
  const used = placeholdersIn(text);
  const unknown = used.find((each) => !known.includes(each));
  if (unknown !== undefined) {
    return `There is no {{${unknown}}} here. Known are: ${known.join(", ")}.`;
  }
  const missing = part === "subject" ? undefined : required.find((each) => !used.includes(each));
  if (missing !== undefined) {
    return `{{${missing}}} is missing.`;
  }
  if (/\{\{|\}\}/.test(text.replace(/\{\{\s*[a-z_]+\s*\}\}/g, ""))) {
    return "There are double braces that hold no name.";
  }
  if (part === "html" && unwelcome.test(text)) {
    return "Scripts, forms, pictures and whatever is loaded from elsewhere are not sent in mails.";
  }
  return null;
}
