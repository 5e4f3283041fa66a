import type { ConsentMessages } from "./en.ts";

export const messages: ConsentMessages = {
  title: "続ける前に",
  textFirst: "コンソールを使うには、以下を読んで同意してください。その間も API キーはそのまま使えます。",
  text: "同意いただいた後に変更がありました。コンソールを使うには、読んで同意してください。その間も API キーはそのまま使えます。",
  pages: { terms: "利用規約", privacy: "プライバシーポリシー" },
  version: "第{version}版、{date}から有効",
  otherLanguage: "この文書は日本語では提供されていません。",
  asPage: "ページとして開く",
  changes: "変更点",
  before: "{date}に同意した内容",
  accept: "同意して続ける",
  decline: "同意しない",
  declined:
    "同意しない場合、コンソールは使えません。ログアウトして後で決める、データを保存する、アカウントを閉鎖する、のいずれかを選べます。閉鎖するまで API キーはそのまま使えます。",
  logOut: "ログアウト",
};
