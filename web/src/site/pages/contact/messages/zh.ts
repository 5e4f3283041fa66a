import type { ContactTexts } from "./en.ts";

export const zh: ContactTexts = {
  title: "企业合作",
  description: "开具账单、更高限额、专属倍率：请告诉我们您的需求。",
  heading: "为贵公司定制方案",
  lead: "请说明您要运行什么、用量大约多少。我们会通过邮件答复。",
  company: "公司",
  contact: "您的姓名",
  email: "邮箱",
  volume: "预计用量",
  volumeHint: "例如：每天 2000 万 token，主要在欧洲。",
  message: "还有什么需要我们了解的",
  optional: "选填",
  send: "发送",
  sent: {
    title: "谢谢",
    heading: "您的请求已送达",
    text: "我们已经记录，将通过邮件答复。",
    home: "返回首页",
  },
};
