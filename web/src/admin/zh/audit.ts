export const auditZh = {
  "Every change to the service: who made it, from where, and what it was before and after. Entries can't be changed or deleted.":
    "对服务的每一项更改：由谁、从何处进行，以及更改前后的内容。记录无法更改或删除。",
  "Subject ID": "对象 ID",
  "Actor kind": "操作者类型",
  "No changes yet": "还没有更改",
  "Logins, saves and adjustments are recorded here as they happen.": "登录、保存和余额调整发生时会记录在此。",
};
