import type { MailWords } from "./words.ts";

export const korean: MailWords = {
  colon: ": ",
  byHand: "버튼이 작동하지 않으면 다음 주소를 여세요.",
  footer: "이 메일은 {{service}}에서 자동으로 발송되었습니다.",
  email_verify: {
    subject: "이메일 주소를 확인해 주세요",
    title: "이메일 주소를 확인해 주세요",
    body: ["{{service}}에 오신 것을 환영합니다. 이 이메일 주소가 본인의 것인지 확인해 주세요."],
    action: "이메일 주소 확인",
    notes: ["링크 유효 시간: {{valid_for}}", "계정을 만들지 않으셨다면 이 메일을 무시하셔도 됩니다."],
  },
  account_exists: {
    subject: "이미 계정이 있습니다",
    title: "이미 계정이 있습니다",
    body: [
      "누군가(아마도 본인)가 이 이메일 주소로 {{service}}에 가입을 시도했습니다. 이미 계정이 있으므로 변경된 사항은 없습니다.",
    ],
    action: "로그인",
    notes: [
      "비밀번호를 잊으셨나요? 여기에서 재설정하세요: {{reset_link}}",
      "본인이 아니라면 아무것도 하실 필요가 없습니다.",
    ],
  },
  password_reset: {
    subject: "비밀번호 재설정",
    title: "비밀번호 재설정",
    body: [
      "{{service}} 계정의 비밀번호 재설정 요청을 받았습니다. 본인이 요청하셨다면 여기에서 새 비밀번호를 설정하세요.",
    ],
    action: "새 비밀번호 설정",
    notes: [
      "링크 유효 시간: {{valid_for}} (한 번만 사용할 수 있습니다)",
      "본인이 요청하지 않으셨다면 이 메일을 무시하세요. 비밀번호는 변경되지 않습니다.",
    ],
  },
  password_changed: {
    subject: "비밀번호가 변경되었습니다",
    title: "비밀번호가 변경되었습니다",
    body: ["{{service}} 계정의 비밀번호가 변경되었으며 모든 세션이 종료되었습니다."],
    action: "본인이 아닙니다: 비밀번호 재설정",
    notes: [
      "본인이 변경하셨다면 아무것도 하실 필요가 없습니다.",
      "API 키는 계속 작동합니다. 모르는 키는 콘솔에서 폐기해 주세요.",
    ],
  },
  recovery_code_used: {
    subject: "계정의 복구 코드가 사용되었습니다",
    title: "복구 코드가 사용되었습니다",
    body: ["{{service}}에서 인증 앱 코드 대신 복구 코드가 사용되었습니다. 남은 코드: {{left}}개."],
    action: "내 계정 열기",
    notes: [
      "본인이 사용하셨다면 아무것도 하실 필요가 없습니다. 그렇지 않다면 즉시 비밀번호를 변경하고 복구 코드를 새로 만드십시오.",
    ],
  },
  approval_waiting: {
    subject: "요청 {{request_no}}에 두 번째 최고 관리자의 승인이 필요합니다",
    title: "두 번째 최고 관리자의 승인이 필요한 요청이 있습니다",
    body: [
      "{{service}}의 최고 관리자가 두 사람의 동의가 필요한 작업을 요청했습니다. 귀하 또는 다른 최고 관리자가 요청 {{request_no}}을(를) 승인하기 전까지는 아무것도 변경되지 않습니다.",
    ],
    action: "요청 보기",
    notes: [
      "결정 기한: {{valid_for}}. 그때까지 아무도 승인하지 않으면 아무 일도 일어나지 않습니다.",
      "예상하지 못한 요청이라면 승인하기 전에 다른 관리자와 상의하십시오.",
    ],
  },
  payment_success: {
    subject: "결제가 완료되었습니다: {{amount}}",
    title: "결제가 완료되었습니다",
    body: ["결제해 주셔서 감사합니다. 잔액이 충전되었습니다."],
    action: "콘솔 열기",
    notes: [],
    facts: { order_no: "주문 번호", plan_name: "요금제", amount: "금액", credit: "크레딧" },
  },
  quota_low: {
    subject: "남은 잔액이 {{threshold}} 미만입니다",
    title: "잔액이 얼마 남지 않았습니다",
    body: [
      "현재 잔액: {{credit}}. 마지막 충전 금액의 {{threshold}} 미만입니다.",
      "잔액을 모두 사용하면 충전할 때까지 요청이 거부됩니다.",
    ],
    action: "충전하기",
    notes: [],
  },
};
