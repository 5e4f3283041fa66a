import type { HomeMessages } from "./en.ts";

export const messages: HomeMessages = {
  title: "الرئيسية",
  balance: "الرصيد",
  used: "المستخدم حتى الآن",
  balanceLabel: "حسابك بالأرقام",
  account: "الحساب",
  userId: "معرّف المستخدم",
  gatewayUserId: "معرّف المستخدم في البوابة العليا",
  email: "البريد الإلكتروني",
  status: "الحالة",
  multiplier: "مضاعف السعر",
  statusNames: { active: "نشط", email_pending: "بانتظار التحقق", suspended: "موقوف", closed: "مغلق" },
};
