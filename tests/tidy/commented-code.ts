import { parsesAsStatements } from "./source.ts";

/** Lines of comments that look like a statement at first sight; `isCodeLine` decides. */
export const looksLikeCode = new RegExp(
  [
    "^[ \\t]*(?:",
    "(?:export |const |let |var |import |return\\b|await |throw |yield |function |async |class )[^\\n]*[;{,(]",
    "|(?:if|for|while|switch) ?\\([^\\n]*\\)[^\\n]*[;{]",
    "|\\} ?(?:else|finally|catch)\\b[^\\n]*\\{",
    "|[\\w$.]+\\([^\\n]*\\);",
    "|[\\w$.\\[\\]]+ [-+*/|&?]*= [^\\n]+;",
    "|[)\\]}]+[;,]?",
    "|</?[A-Za-z][\\w.]*[^\\n]*>",
    ")[ \\t]*$",
  ].join(""),
  "gm",
);

const onlyClosings = /^[)\]}]+[;,]?$/;
const moduleStatement = /^(import\b.*["'];|export (const|let|type|function|async|class|interface|\{|\*).*)$/;

/** Possible text before and after the line, so that one line of a longer statement parses. */
const openings = ["", "if (true) {", "try {"];
const closings = ["", "}", ")", "1)", "]", "})", ");}"];

/** Whether a line that looks like code is code: sentences that end with a semicolon do not parse. */
export function isCodeLine(line: string): boolean {
  const text = line.trim();
  if (onlyClosings.test(text)) {
    return true;
  }
  if (/^(import|export) /.test(text)) {
    return moduleStatement.test(text);
  }
  if (text.startsWith("<")) {
    const end = text.replace(/^<([\w.]+)[\s\S]*$/, "</$1>");
    return parsesAsStatements(`(${text});`) || parsesAsStatements(`(${text}${end});`);
  }
  return openings.some((opening) => closings.some((closing) => parsesAsStatements(`${opening}${text}${closing}`)));
}
