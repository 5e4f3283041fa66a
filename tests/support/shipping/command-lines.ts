import { programs } from "@sluice/binary/src/programs.ts";

type Fault = {
  /** What comes after the name of the command. */
  readonly given?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly code: number;
  readonly says: RegExp;
};

/** What a command needs before it can do anything: words, and a database that answers. */
type Needs = {
  /** Words with which it asks the database. */
  readonly words?: readonly string[];
  /** It is a wrong command line without them. */
  readonly isIncompleteAlone?: boolean;
  /** Words that `parseArgs` takes and the command does not. */
  readonly wrong?: readonly string[];
  readonly hasDatabase: boolean;
  /** Where it differs: what it says of a database that is away. */
  readonly away?: RegExp;
};

const away = "postgres://anna:secret-of-the-url@127.0.0.1:9/none";
const reached = /can't be reached|not reachable|can't connect/;

const needsOf: Readonly<Record<string, Needs>> = {
  start: { hasDatabase: true },
  migrate: { hasDatabase: true },
  serve: { hasDatabase: true },
  probe: { hasDatabase: false },
  doctor: { hasDatabase: true },
  "admin create": {
    hasDatabase: true,
    words: ["--username", "anna"],
    isIncompleteAlone: true,
    wrong: ["--username", "anna b"],
  },
  "admin totp-remove": {
    hasDatabase: true,
    words: ["--username", "anna", "--reason", "phone was stolen"],
    isIncompleteAlone: true,
    wrong: ["--username", "anna", "--reason", "x"],
  },
  audit: { hasDatabase: true },
  "usage rebuild": { hasDatabase: true },
  "trace check": { hasDatabase: true, wrong: ["--expect", "something"] },
  backup: { hasDatabase: true, words: ["--to", "TARGET"], isIncompleteAlone: true },
  restore: { hasDatabase: false, words: ["--from", "TARGET"], isIncompleteAlone: true, away: /is not a backup/ },
  "secrets rotate": { hasDatabase: true, away: /NEW_MASTER_KEY/ },
  replicas: { hasDatabase: true, wrong: ["release"] },
  import: {
    hasDatabase: true,
    words: ["one-api", "--from", "sqlite:TARGET"],
    isIncompleteAlone: true,
    wrong: ["no-api", "--from", "sqlite:TARGET"],
    away: /does not exist/,
  },
  export: { hasDatabase: true, words: ["--to", "TARGET"] },
  version: { hasDatabase: false },
};

/** Every command of the one file that runs on the machine of the service, in words. */
export const commandLines = programs.map(({ name }) => {
  const needs = needsOf[name];
  if (needs === undefined) {
    throw new Error(`what ${name} needs is not written down here`);
  }
  return { words: name.split(" "), needs };
});

/** What can be missing or wrong for a command. @param target a path where nothing is, and nothing may be left */
export function faultsOf(needs: Needs, target: string): readonly Fault[] {
  const { words = [], wrong, hasDatabase, away: saysAway } = needs;
  const placed = (some: readonly string[]): string[] => some.map((word) => word.replace("TARGET", target));
  const given = placed(words);
  return [
    ...(needs.isIncompleteAlone === true ? [{ code: 2, says: /Usage: sluice / }] : []),
    ...(wrong === undefined ? [] : [{ given: placed(wrong), env: { DATABASE_URL: away }, code: 2, says: /./ }]),
    ...(hasDatabase ? [{ given, env: { DATABASE_URL: "" }, code: 1, says: /DATABASE_URL/ }] : []),
    ...(hasDatabase || saysAway !== undefined
      ? [{ given, env: { DATABASE_URL: away }, code: 1, says: saysAway ?? reached }]
      : []),
  ];
}
