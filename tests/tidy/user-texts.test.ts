import { describe, expect, test } from "bun:test";
import { readTree } from "./tree.ts";
import { findBannedTexts, type UserTextBan, userTextBans } from "./user-texts.ts";

const tree = readTree();

const messages = "web/src/console/pages/keys/messages/en.ts";
const adminPage = "web/src/admin/pages/keys/page.tsx";

/** For each ban, a text that it refuses, and one that it allows. */
const examples: Readonly<Record<string, readonly [refused: string, allowed: string, path: string]>> = {
  "words of the program": ["Your quota is used up.", "The error is `insufficient_quota`.", messages],
  "raw states": ["The state is pending_manual since today.", "The `max_tokens` of the request", messages],
  "at once": ["It stops at once.", "The stream arrives all at once.", messages],
  "a mail": ["You get a mail.", "You get an e-mail.", messages],
  "go on": ["Calls go on.", "Calls continue.", adminPage],
  "is no": ["This is no address.", "There is no address yet.", adminPage],
  "German word order": ["{count} codes, of which {used} are used", "A group of its own", adminPage],
  "id in small letters": ["Copy the id", "Copy the ID", adminPage],
  "American spelling": ["Your browser recognizes you.", "Your browser recognises you.", messages],
};

describe.each(userTextBans.map((ban): [string, UserTextBan] => [ban.name, ban]))("%s", (name, ban) => {
  test("are in no English text that people read", () => {
    expect(tree.flatMap((file) => findBannedTexts(ban, file))).toEqual([]);
  });

  test("are found where they are", () => {
    const [refused, allowed, path] = examples[name] ?? ["", "", ""];
    const found = (text: string) =>
      findBannedTexts(ban, { path, text: `const text = ${JSON.stringify(text)};` }).length;
    expect([found(refused), found(allowed)]).toEqual([1, 0]);
  });
});
