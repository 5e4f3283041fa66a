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
      "다른 서비스와 연결된 로그인은 변경할 때 함께 제거하지 않았다면 계속 작동합니다. 모르는 것은 계정 페이지에서 제거해 주세요.",
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
  sign_in_linked: {
    subject: "계정에 로그인 방법이 추가되었습니다",
    title: "로그인 방법이 추가되었습니다",
    body: ["이제 {{provider}} 계정으로 {{service}} 계정에 로그인할 수 있습니다."],
    action: "내 계정 열기",
    notes: [
      "본인이 추가하셨다면 아무것도 하실 필요가 없습니다. 그렇지 않다면 즉시 계정에서 이 로그인 방법을 제거하고 비밀번호를 변경하십시오.",
    ],
  },
  passkey_added: {
    subject: "계정에 패스키가 추가되었습니다",
    title: "패스키가 추가되었습니다",
    body: ["이제 새 패스키로 {{service}} 계정에 로그인할 수 있습니다."],
    action: "내 계정 열기",
    notes: [
      "본인이 추가하셨다면 아무것도 하실 필요가 없습니다. 그렇지 않다면 즉시 계정에서 이 패스키를 제거하고 비밀번호를 변경하십시오.",
    ],
  },
  passkey_removed: {
    subject: "계정에서 패스키가 제거되었습니다",
    title: "패스키가 제거되었습니다",
    body: ["패스키 중 하나로는 더 이상 {{service}} 계정에 로그인할 수 없습니다."],
    action: "내 계정 열기",
    notes: ["본인이 제거하셨다면 아무것도 하실 필요가 없습니다. 그렇지 않다면 즉시 비밀번호를 변경하십시오."],
  },
  passkey_copied: {
    subject: "계정의 패스키가 복제되었을 수 있습니다",
    title: "패스키가 복제되었을 수 있습니다",
    body: ["{{service}} 계정의 패스키가 사용되었는데, 카운터를 보면 이전에 다른 복제본이 사용되었습니다."],
    action: "내 계정 열기",
    notes: [
      "계정에서 마지막으로 사용된 패스키를 제거하고 새로 추가하십시오. 이 로그인을 모르신다면 다른 세션도 로그아웃하십시오.",
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
  organisation_invitation: {
    subject: "조직 초대",
    title: "조직 초대",
    body: [
      "{{service}}의 한 조직 구성원이 귀하를 조직에 초대했습니다. 참여하시면 그 조직의 계정과 잔액을 사용하게 됩니다.",
    ],
    action: "초대 보기",
    notes: [
      "링크 유효 시간: {{valid_for}} (한 번만, 이 이메일 주소로 로그인한 경우에만 사용할 수 있습니다)",
      "초대한 사람을 모르신다면 이 메일을 무시하셔도 됩니다.",
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
  renewal_failed: {
    subject: "{{plan_name}} 요금을 청구하지 못했습니다",
    title: "결제에 실패했습니다",
    body: [
      "{{service}}의 {{plan_name}} 다음 달 요금 {{amount}} 결제를 시도했지만 실패했습니다. 요금제는 {{until}}까지 유지되며 다시 시도하겠습니다.",
    ],
    action: "결제 수단 변경",
    notes: ["그때도 결제에 실패하면 요금제가 종료되고 더 이상 청구되지 않습니다."],
  },
  renewal_ended: {
    subject: "요금제 {{plan_name}}이(가) 종료되었습니다",
    title: "요금제가 종료되었습니다",
    body: [
      "{{service}}의 {{plan_name}} 다음 달 요금을 청구하지 못해 요금제가 종료되었습니다. 더 이상 청구되지 않습니다.",
    ],
    action: "요금제 보기",
    notes: [],
  },
  renewal_changes: {
    subject: "{{plan_name}}이(가) {{from}}에 변경됩니다",
    title: "요금제가 변경됩니다",
    body: [
      "{{from}} 또는 그 이후에 시작하는 첫 달부터 {{service}}의 {{plan_name}}은(는) 월 {{amount}}이며 잔액에 {{credit}}이(가) 추가됩니다.",
    ],
    action: "내 요금제 보기",
    notes: ["그 전에 시작하는 달은 바뀌지 않습니다. 동의하지 않으시면 그 전에 해지하세요."],
  },
  top_up_failed: {
    subject: "자동 충전 결제를 하지 못했습니다",
    title: "자동 충전 실패",
    body: [
      "{{service}} 잔액이 적어 저장된 결제 수단으로 {{amount}} 결제를 시도했습니다. 은행이 거절했거나 직접 확인을 요청합니다.",
    ],
    action: "지금 결제",
    notes: ["링크는 하루 동안 유효합니다. 다음 결제도 실패하면 자동 충전이 꺼집니다."],
  },
  top_up_stopped: {
    subject: "자동 충전이 꺼졌습니다",
    title: "더 이상 자동으로 결제되지 않습니다",
    body: [
      "{{service}}의 {{amount}} 자동 충전이 꺼졌습니다. 결제 수단이 두 번 거절되었거나 동의하신 내용이 더 이상 제공되지 않습니다.",
    ],
    action: "결제 열기",
    notes: [],
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
  organisation_quota_low: {
    subject: "{{organisation}}의 잔액이 {{threshold}} 미만입니다",
    title: "조직의 잔액이 얼마 남지 않았습니다",
    body: [
      "{{organisation}}의 현재 잔액: {{credit}}. 마지막 충전 금액의 {{threshold}} 미만입니다.",
      "잔액을 모두 사용하면 충전할 때까지 조직의 키로 보낸 요청이 거부됩니다.",
    ],
    action: "충전하기",
    notes: [],
  },
  operator_event: {
    subject: "{{service}} 이벤트: {{title}}",
    title: "{{title}}",
    body: ["{{details}}"],
    action: "이벤트 열기",
    notes: ["{{service}} 관리자가 이 주소를 등록하여 이 메일이 발송되었습니다."],
  },
  webhook_failed: {
    subject: "{{service}}의 웹훅이 꺼졌습니다",
    title: "웹훅이 꺼졌습니다",
    body: [
      "며칠 동안 메시지가 수신되지 않았거나 주소가 더 이상 존재하지 않습니다. 이벤트가 더 이상 전송되지 않습니다.",
    ],
    action: "웹훅 열기",
    notes: ["주소가 다시 작동하면 웹훅을 켜고 로그에서 실패한 메시지를 다시 보내세요."],
  },
};
