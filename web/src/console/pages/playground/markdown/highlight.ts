import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";

/** Longer code has no colours: finding them would hold up the page. */
const lengthMax = 20_000;

const languages = createLowlight({
  ...{ bash, c, cpp, csharp, css, diff, go, java, javascript, json },
  ...{ kotlin, php, python, ruby, rust, sql, swift, typescript, xml, yaml },
});

type Root = ReturnType<typeof languages.highlight>;
export type CodeNode = Root["children"][number];

/** The pieces of a code by what they are; one plain piece in a language that is not known. */
export function highlight(code: string, language: string): readonly CodeNode[] {
  const name = language.toLowerCase();
  return code.length <= lengthMax && languages.registered(name)
    ? languages.highlight(name, code).children
    : [{ type: "text", value: code }];
}
