import { parseSource } from "./source.ts";
import { isCode, type SourceFile } from "./tree.ts";

/** Texts that customers read: pages, forms, mails, errors, statements. */
const customerText =
  /^web\/src\/(site|console)\/.*messages\/en\.ts$|^web\/src\/(shell\/shell-texts|kit\/kit-texts-en)\.ts$|^control-plane\/src\/(mail\/templates\/english|pages\/form-texts\/en|payments\/(invoices\/texts|orders\/statement-words))\.ts$|^packages\/contracts\/src\/errors\.ts$/;

/** Texts that operators read: the admin in English, and the settings. */
const operatorText = /^web\/src\/admin\/(?!zh\/)|^control-plane\/src\/admin\/settings\/registry\.ts$/;

const forCustomers = (path: string): boolean => customerText.test(path);
const forPeople = (path: string): boolean => forCustomers(path) || operatorText.test(path);

export type UserTextBan = {
  readonly name: string;
  readonly instead: string;
  readonly pattern: RegExp;
  readonly where: (path: string) => boolean;
};

/** What the English that people read may not say. Code between backticks is skipped. */
export const userTextBans: readonly UserTextBan[] = [
  {
    name: "words of the program",
    instead: 'Say "provider", "account" and "balance": customers know no upstreams and no units of quota.',
    pattern: /\b(upstreams?|gateway user|quota)\b/i,
    where: forCustomers,
  },
  {
    name: "raw states",
    instead: "Name the state in words.",
    pattern: /(?<![\w./{-])[a-z]+(_[a-z]+)+\b(?![\w}(])/,
    where: forCustomers,
  },
  {
    name: "at once",
    instead: 'Say "immediately", or "at the same time".',
    pattern: /(?<!all )\bat once\b/i,
    where: forPeople,
  },
  {
    name: "a mail",
    instead: 'Say "an e-mail". "Mail" is the name of a page of the admin.',
    pattern: /(?<![-@.\w/])(mails|a mail|by mail)\b/i,
    where: forPeople,
  },
  {
    name: "go on",
    instead: 'Say "continue" or "keep working".',
    pattern: /\bg(o|oes|oing) on\b/i,
    where: forPeople,
  },
  {
    name: "is no",
    instead: 'Say "is not a" or "has no".',
    pattern: /(?<!there )\b(is|are|was|were) no (?!longer)\w/i,
    where: forPeople,
  },
  {
    name: "German word order",
    instead: 'Say "its", "whose" or "including"; "if".',
    pattern: /\bof which\b|\bin case\b/i,
    where: forPeople,
  },
  {
    name: "id in small letters",
    instead: 'Write "ID".',
    pattern: /(?<![\w<=?&{./-])ids?\b(?![-_:=])/,
    where: forPeople,
  },
  {
    name: "American spelling",
    instead: "Write British English: honour, recognise, organise, behaviour, cancelled.",
    pattern: /\b(honor|recogniz|organiz|behavior|canceled|favorite)/i,
    where: forPeople,
  },
];

const withoutCode = (text: string): string => text.replace(/`[^`]*`|\]\([^)]*\)/g, "");

/** Every banned text of the file, as `path:line: "text": ban. What to do instead.` Keys and single words are not looked at. */
export function findBannedTexts(ban: UserTextBan, file: SourceFile): string[] {
  if (!isCode(file.path) || !ban.where(file.path)) {
    return [];
  }
  const texts = parseSource(file).pieces.filter(({ text }) => /\S\s+\S/.test(text));
  return texts
    .filter(({ text }) => ban.pattern.test(withoutCode(text)))
    .map(({ text, line }) => `${file.path}:${line}: "${text}": ${ban.name}. ${ban.instead}`);
}
