import type { ConsentMessages } from "./en.ts";

export const messages: ConsentMessages = {
  title: "继续之前",
  textFirst: "请阅读并接受以下内容，然后即可使用控制台。在此期间，您的 API 密钥照常可用。",
  text: "以下内容在您接受之后有所变更。请阅读并接受，然后即可使用控制台。在此期间，您的 API 密钥照常可用。",
  pages: { terms: "服务条款", privacy: "隐私政策" },
  version: "第 {version} 版，自 {date} 起生效",
  otherLanguage: "此文本没有中文版。",
  asPage: "在单独页面中打开",
  changes: "变更内容",
  before: "您于 {date} 接受的内容",
  accept: "接受并继续",
  decline: "我不接受",
  declined:
    "不接受则无法使用控制台。您可以退出登录稍后再决定、保存您的数据，或注销账户。在注销之前，您的 API 密钥照常可用。",
  logOut: "退出登录",
};
