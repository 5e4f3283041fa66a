import type { AdminLocale } from "@sluice/contracts/locales";

/** What the login of the admin area says in other words than that of users, or has alone. */
type AdminFormTexts = {
  readonly area: string;
  readonly login: string;
  readonly invalidCredentials: string;
};

export const adminFormTexts: Readonly<Record<AdminLocale, AdminFormTexts>> = {
  en: {
    area: "Admin",
    login: "Username, e-mail or mobile number",
    invalidCredentials: "The login or password is incorrect.",
  },
  zh: {
    area: "管理后台",
    login: "用户名、电子邮件或手机号码",
    invalidCredentials: "登录名或密码不正确。",
  },
};
