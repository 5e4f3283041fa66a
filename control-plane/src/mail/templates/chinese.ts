import type { MailWords } from "./words.ts";

export const chinese: MailWords = {
  colon: "：",
  byHand: "如果按钮无法使用，请打开以下地址：",
  footer: "此邮件由 {{service}} 自动发送。",
  email_verify: {
    subject: "请确认您的邮箱地址",
    title: "请确认您的邮箱地址",
    body: ["欢迎使用 {{service}}。请确认这个邮箱地址属于您。"],
    action: "确认邮箱地址",
    notes: ["链接有效期：{{valid_for}}。", "如果您没有注册账户，请忽略这封邮件。"],
  },
  account_exists: {
    subject: "您已有账户",
    title: "您已有账户",
    body: ["有人（可能是您本人）尝试用这个邮箱地址注册 {{service}}。该邮箱已有账户，因此没有做任何更改。"],
    action: "登录",
    notes: ["忘记密码了？请在此重置：{{reset_link}}", "如果不是您本人操作，您无需采取任何措施。"],
  },
  password_reset: {
    subject: "重置您的密码",
    title: "重置您的密码",
    body: ["我们收到了重置您的 {{service}} 账户密码的请求。如果是您本人操作，请在此设置新密码。"],
    action: "设置新密码",
    notes: ["链接有效期：{{valid_for}}，且只能使用一次。", "如果不是您本人操作，请忽略这封邮件，您的密码不会改变。"],
  },
  password_changed: {
    subject: "您的密码已更改",
    title: "您的密码已更改",
    body: ["您的 {{service}} 账户密码已更改，所有会话均已结束。"],
    action: "不是我本人：重置密码",
    notes: [
      "如果是您本人操作，您无需采取任何措施。",
      "您的 API 密钥继续有效。请在控制台中撤销您不认识的密钥。",
      "通过其他服务关联的登录方式仍然有效，除非在更改时一并移除。请在账户页面移除您不认识的登录方式。",
    ],
  },
  recovery_code_used: {
    subject: "您的账户使用了一个恢复码",
    title: "恢复码已被使用",
    body: ["在 {{service}} 上，有人用恢复码代替了验证器中的验证码。剩余恢复码：{{left}} 个。"],
    action: "打开我的账户",
    notes: ["如果是您本人操作，您无需采取任何措施。如果不是，请立即更改密码并重新生成恢复码。"],
  },
  sign_in_linked: {
    subject: "您的账户新增了一种登录方式",
    title: "已新增登录方式",
    body: ["从现在起，可以使用您的 {{provider}} 账户登录您在 {{service}} 的账户。"],
    action: "打开我的账户",
    notes: ["如果是您本人操作，您无需采取任何措施。如果不是，请立即在账户中移除该登录方式并更改密码。"],
  },
  approval_waiting: {
    subject: "请求 {{request_no}} 需要第二位超级管理员批准",
    title: "有请求需要第二位超级管理员批准",
    body: [
      "{{service}} 的一位超级管理员提出了一项需要两人同意的操作。在您或另一位超级管理员批准请求 {{request_no}} 之前，不会有任何更改。",
    ],
    action: "查看请求",
    notes: [
      "决定期限：{{valid_for}}。若届时无人批准，则不会执行任何操作。",
      "如果您没有预料到此请求，请先与其他管理员沟通，再决定是否批准。",
    ],
  },
  organisation_invitation: {
    subject: "邀请您加入组织",
    title: "邀请您加入组织",
    body: ["{{service}} 上某个组织的成员邀请您加入。加入后，您将使用该组织的账户和余额。"],
    action: "查看邀请",
    notes: [
      "链接有效期：{{valid_for}}，只能使用一次，且仅限使用此邮箱地址登录的账户。",
      "如果您不认识邀请人，可以忽略这封邮件。",
    ],
  },
  payment_success: {
    subject: "已收到您的付款：{{amount}}",
    title: "已收到您的付款",
    body: ["感谢您的付款。您的余额已充值。"],
    action: "打开控制台",
    notes: [],
    facts: { order_no: "订单号", plan_name: "套餐", amount: "金额", credit: "额度" },
  },
  renewal_failed: {
    subject: "{{plan_name}} 扣款失败",
    title: "付款失败",
    body: [
      "我们尝试为您在 {{service}} 的 {{plan_name}} 下个月扣款 {{amount}}，但付款失败。您的套餐保留到 {{until}}，我们会再次尝试。",
    ],
    action: "更换付款方式",
    notes: ["如果届时仍然付款失败，套餐将结束，不会再扣款。"],
  },
  renewal_ended: {
    subject: "您的套餐 {{plan_name}} 已结束",
    title: "您的套餐已结束",
    body: ["您在 {{service}} 的 {{plan_name}} 下个月扣款未成功，因此套餐已结束。之后不会再扣款。"],
    action: "查看套餐",
    notes: [],
  },
  renewal_changes: {
    subject: "{{plan_name}} 将于 {{from}} 变更",
    title: "您的套餐将变更",
    body: [
      "从 {{from}} 当天或之后开始的第一个月起，{{service}} 的 {{plan_name}} 每月 {{amount}}，并为您的余额增加 {{credit}}。",
    ],
    action: "查看我的套餐",
    notes: ["在此之前开始的月份不变。如果您不同意，请在此之前取消。"],
  },
  quota_low: {
    subject: "您的余额已不足 {{threshold}}",
    title: "您的余额即将用完",
    body: ["您的余额为 {{credit}}，已不足最近一次充值的 {{threshold}}。", "余额用完后，请求会被拒绝，直到您再次充值。"],
    action: "充值",
    notes: [],
  },
  operator_event: {
    subject: "{{service}} 事件：{{title}}",
    title: "{{title}}",
    body: ["{{details}}"],
    action: "查看事件",
    notes: ["您收到此邮件，是因为 {{service}} 的管理员添加了您的地址。"],
  },
  webhook_failed: {
    subject: "您在 {{service}} 的 Webhook 已停用",
    title: "您的 Webhook 已停用",
    body: ["它的消息已连续数天未被接收，或其地址已不存在。事件不再发送到该地址。"],
    action: "打开 Webhook",
    notes: ["地址恢复后，请重新启用该 Webhook，并在其日志中重新发送失败的消息。"],
  },
};
