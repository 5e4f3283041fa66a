import type { MailWords } from "./words.ts";

export const portuguese: MailWords = {
  colon: ": ",
  byHand: "Se o botão não funcionar, abra este endereço:",
  footer: "Esta mensagem foi enviada automaticamente por {{service}}.",
  email_verify: {
    subject: "Confirme o seu endereço de e-mail",
    title: "Confirme o seu endereço de e-mail",
    body: ["Boas-vindas ao {{service}}. Confirme que este endereço de e-mail é seu."],
    action: "Confirmar endereço de e-mail",
    notes: ["Validade do link: {{valid_for}}.", "Se você não criou uma conta, pode ignorar esta mensagem."],
  },
  account_exists: {
    subject: "Você já tem uma conta",
    title: "Você já tem uma conta",
    body: [
      "Alguém, provavelmente você, tentou se cadastrar no {{service}} com este endereço de e-mail. Já existe uma conta com ele, por isso nada foi alterado.",
    ],
    action: "Entrar",
    notes: ["Esqueceu a senha? Redefina-a aqui: {{reset_link}}", "Se não foi você, não é preciso fazer nada."],
  },
  password_reset: {
    subject: "Redefina a sua senha",
    title: "Redefina a sua senha",
    body: [
      "Recebemos um pedido para redefinir a senha da sua conta no {{service}}. Se foi você, escolha aqui uma nova senha.",
    ],
    action: "Escolher uma nova senha",
    notes: [
      "Validade do link: {{valid_for}}. Ele só pode ser usado uma vez.",
      "Se não foi você, ignore esta mensagem; a sua senha não será alterada.",
    ],
  },
  password_changed: {
    subject: "A sua senha foi alterada",
    title: "A sua senha foi alterada",
    body: ["A senha da sua conta no {{service}} foi alterada e todas as sessões foram encerradas."],
    action: "Não fui eu: redefinir a senha",
    notes: [
      "Se foi você, não é preciso fazer nada.",
      "As suas chaves de API continuam válidas. Revogue no console as que você não reconhece.",
    ],
  },
  recovery_code_used: {
    subject: "Um código de recuperação da sua conta foi usado",
    title: "Um código de recuperação foi usado",
    body: [
      "Um código de recuperação foi usado no {{service}} no lugar do código do seu autenticador. Códigos restantes: {{left}}.",
    ],
    action: "Abrir a minha conta",
    notes: [
      "Se foi você, não é preciso fazer nada. Se não foi, altere a senha e crie novos códigos de recuperação imediatamente.",
    ],
  },
  approval_waiting: {
    subject: "O pedido {{request_no}} precisa de um segundo superadministrador",
    title: "Um pedido precisa de um segundo superadministrador",
    body: [
      "Um superadministrador do {{service}} pediu algo que exige o acordo de duas pessoas. Nada é alterado até que você ou outro superadministrador aprove o pedido {{request_no}}.",
    ],
    action: "Ver o pedido",
    notes: [
      "Prazo para decidir: {{valid_for}}. Se ninguém aprovar até lá, nada acontece.",
      "Se não esperava este pedido, fale com os outros antes de aprovar.",
    ],
  },
  payment_success: {
    subject: "Pagamento recebido: {{amount}}",
    title: "Pagamento recebido",
    body: ["Obrigado pelo seu pagamento. O seu saldo foi recarregado."],
    action: "Abrir o console",
    notes: [],
    facts: { order_no: "Pedido", plan_name: "Plano", amount: "Valor", credit: "Crédito" },
  },
  quota_low: {
    subject: "Restam menos de {{threshold}} do seu saldo",
    title: "O seu saldo está acabando",
    body: [
      "O seu saldo é de {{credit}}, menos de {{threshold}} da última recarga.",
      "Quando ele acabar, as solicitações serão recusadas até que você recarregue.",
    ],
    action: "Recarregar",
    notes: [],
  },
};
