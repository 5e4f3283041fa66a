import { readdir } from "node:fs/promises";
import { readSql, type SqlPart } from "./sql-part.ts";

/** A function, together with the grants and the comment that follow it in its file. */
export type SqlFunction = SqlPart & { readonly file: string; readonly name: string };

const beginning = /^create or replace function (\w+)\(/gim;

/**
 * Reads the functions of a folder, the files in the order of their names.
 * @throws Error when something else is in the folder, or a name is used twice: there are no overloads, because a
 * changed signature replaces the old one
 */
export async function readFunctions(folder: URL): Promise<SqlFunction[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
  const functions = (await Promise.all(files.map((file) => readFunctionFile(folder, file)))).flat();
  const names = new Set<string>();
  for (const { file, name } of functions) {
    if (names.has(name)) {
      throw new Error(`functions/${file}: there are two functions ${name}`);
    }
    names.add(name);
  }
  return functions;
}

async function readFunctionFile(folder: URL, file: string): Promise<SqlFunction[]> {
  const text = await readSql(new URL(file, folder));
  const starts = [...text.matchAll(beginning)];
  if (
    text
      .slice(0, starts[0]?.index)
      .replaceAll(/^--.*$/gm, "")
      .trim() !== ""
  ) {
    throw new Error(
      `functions/${file}: nothing but functions belongs here, each begun with "create or replace function"`,
    );
  }
  return starts.map(({ index, 1: name = "" }, at) => ({
    file,
    name,
    text: text.slice(index, starts[at + 1]?.index),
    line: text.slice(0, index).split("\n").length,
  }));
}
