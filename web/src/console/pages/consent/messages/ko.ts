import type { ConsentMessages } from "./en.ts";

export const messages: ConsentMessages = {
  title: "계속하기 전에",
  textFirst: "콘솔을 사용하려면 다음을 읽고 동의하세요. 그동안에도 API 키는 계속 작동합니다.",
  text: "동의하신 뒤에 내용이 바뀌었습니다. 콘솔을 사용하려면 읽고 동의하세요. 그동안에도 API 키는 계속 작동합니다.",
  pages: { terms: "이용약관", privacy: "개인정보 처리방침" },
  version: "버전 {version}, {date}부터 시행",
  otherLanguage: "이 문서는 한국어로 제공되지 않습니다.",
  asPage: "페이지로 열기",
  changes: "달라진 점",
  before: "{date}에 동의한 내용",
  accept: "동의하고 계속",
  decline: "동의하지 않음",
  declined:
    "동의하지 않으면 콘솔을 사용할 수 없습니다. 로그아웃하고 나중에 결정하거나, 데이터를 저장하거나, 계정을 닫을 수 있습니다. 계정을 닫을 때까지 API 키는 계속 작동합니다.",
  logOut: "로그아웃",
};
