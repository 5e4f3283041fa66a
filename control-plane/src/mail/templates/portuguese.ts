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
      "Os acessos vinculados a outros serviços continuam valendo, a menos que tenham sido removidos junto com a alteração. Na página da sua conta, remova os que você não reconhece.",
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
  sign_in_linked: {
    subject: "Uma forma de login foi adicionada à sua conta",
    title: "Uma forma de login foi adicionada",
    body: ["A partir de agora, a sua conta no {{service}} pode ser aberta com a sua conta {{provider}}."],
    action: "Abrir a minha conta",
    notes: ["Se foi você, não é preciso fazer nada. Se não foi, remova-a na sua conta e altere a senha imediatamente."],
  },
  passkey_added: {
    subject: "Uma chave de acesso foi adicionada à sua conta",
    title: "Uma chave de acesso foi adicionada",
    body: ["A partir de agora, a sua conta no {{service}} pode ser aberta com uma nova chave de acesso."],
    action: "Abrir a minha conta",
    notes: ["Se foi você, não é preciso fazer nada. Se não foi, remova-a na sua conta e altere a senha imediatamente."],
  },
  passkey_removed: {
    subject: "Uma chave de acesso foi removida da sua conta",
    title: "Uma chave de acesso foi removida",
    body: ["Uma das suas chaves de acesso não abre mais a sua conta no {{service}}."],
    action: "Abrir a minha conta",
    notes: ["Se foi você, não é preciso fazer nada. Se não foi, altere a senha imediatamente."],
  },
  passkey_copied: {
    subject: "Uma chave de acesso da sua conta pode ter sido copiada",
    title: "Uma chave de acesso pode ter sido copiada",
    body: [
      "Uma chave de acesso da sua conta no {{service}} foi usada, e o contador dela mostra que outra cópia foi usada antes.",
    ],
    action: "Abrir a minha conta",
    notes: [
      "Remova na sua conta a chave de acesso usada por último e adicione uma nova. Se não reconhecer o login, encerre também as suas outras sessões.",
    ],
  },
  account_closing: {
    subject: "A sua conta será encerrada em {{closes_on}}",
    title: "A sua conta está sendo encerrada",
    body: [
      "A sua conta no {{service}} será encerrada em {{closes_on}}. As suas chaves de API são recusadas a partir de agora. Então o que restar do seu saldo será perdido, e os seus dados pessoais serão removidos.",
    ],
    action: "Abrir a minha conta",
    notes: [
      "Até lá, você pode manter a conta na página dela. Se você não pediu isto, faça-o agora e altere a senha. Se for o operador que a encerra, fale com o suporte.",
    ],
  },
  account_kept: {
    subject: "A sua conta foi mantida",
    title: "A sua conta foi mantida",
    body: [
      "A sua conta no {{service}} não será encerrada, e as suas chaves de API voltaram a funcionar. Os tokens de acesso que terminaram precisam ser criados de novo.",
    ],
    action: "Abrir a minha conta",
    notes: ["Se não foi você, altere a senha imediatamente."],
  },
  account_closed: {
    subject: "A sua conta foi encerrada",
    title: "A sua conta foi encerrada",
    body: [
      "A sua conta no {{service}} foi encerrada, e os seus dados pessoais foram removidos. Faturas e lançamentos são mantidos enquanto a lei exigir. Este é o último e-mail sobre isso.",
    ],
    action: "Cadastrar-se de novo",
    notes: ["Você pode usar este endereço para uma nova conta."],
  },
  email_change: {
    subject: "Verifique o seu novo endereço de e-mail",
    title: "Verifique o seu novo endereço de e-mail",
    body: [
      "Alguém quer usar este endereço para uma conta no {{service}}. Abra o link e pressione o botão para confirmar. O link vale por {{valid_for}}.",
    ],
    action: "Verificar o endereço",
    notes: ["Se não foi você, ignore este e-mail. Nada muda sem o link."],
  },
  email_changed: {
    subject: "O endereço de e-mail da sua conta foi alterado",
    title: "O endereço de e-mail foi alterado",
    body: ["A sua conta no {{service}} agora tem outro endereço de e-mail, e os e-mails não chegam mais aqui."],
    action: "Desfazer a alteração",
    notes: [
      "Se foi você, não é preciso fazer nada. Se não foi, abra o link em até sete dias: ele restaura este endereço, encerra todas as sessões e permite definir uma nova senha.",
    ],
  },
  email_restored: {
    subject: "Sua conta tem de novo o endereço de e-mail anterior",
    title: "O endereço de e-mail anterior voltou",
    body: [
      "Sua conta em {{service}} tem de novo este endereço. Todas as sessões e tokens de acesso foram encerrados. A senha, as chaves de acesso e os serviços de login foram removidos, assim como um autenticador configurado depois da alteração.",
    ],
    action: "Definir uma nova senha",
    notes: ["Depois, confira suas chaves de API e revogue as que você não conhece."],
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
  organisation_invitation: {
    subject: "Convite para uma organização",
    title: "Convite para uma organização",
    body: [
      "Um membro de uma organização no {{service}} convida você a entrar nela. Você passa então a usar a conta e o saldo dela.",
    ],
    action: "Ver o convite",
    notes: [
      "Validade do link: {{valid_for}}. Ele só pode ser usado uma vez, e só por quem entra com este endereço de e-mail.",
      "Se você não sabe quem fez o convite, pode ignorar esta mensagem.",
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
  renewal_failed: {
    subject: "Não foi possível cobrar {{plan_name}}",
    title: "O pagamento falhou",
    body: [
      "Tentamos cobrar {{amount}} pelo próximo mês de {{plan_name}} em {{service}}, mas o pagamento falhou. Você mantém o seu plano até {{until}}, e tentaremos de novo.",
    ],
    action: "Mudar a forma de pagamento",
    notes: ["Se o pagamento continuar falhando, o seu plano termina e nada mais é cobrado."],
  },
  renewal_ended: {
    subject: "O seu plano {{plan_name}} terminou",
    title: "O seu plano terminou",
    body: [
      "Não foi possível cobrar o próximo mês de {{plan_name}} em {{service}}, por isso o seu plano terminou. Nada mais será cobrado.",
    ],
    action: "Ver os planos",
    notes: [],
  },
  renewal_left: {
    subject: "{{plan_name}} não será renovado",
    title: "O plano não será renovado",
    body: [
      "O cartão em que {{plan_name}} é cobrado em {{service}} pertence a alguém que já não paga pela sua organização, por isso nada mais será cobrado nele. O plano vale até {{until}}. Para mantê-lo, assine de novo com outro cartão.",
    ],
    action: "Ver os planos",
    notes: [],
  },
  renewal_changes: {
    subject: "{{plan_name}} muda em {{from}}",
    title: "O seu plano muda",
    body: [
      "A partir do primeiro mês que começa em {{from}} ou depois, {{plan_name}} em {{service}} custa {{amount}} por mês e adiciona {{credit}} ao seu saldo.",
    ],
    action: "Ver o meu plano",
    notes: ["Os meses que começam antes não mudam. Se você não concorda, cancele antes dessa data."],
  },
  top_up_failed: {
    subject: "Não foi possível cobrar a sua recarga automática",
    title: "A recarga automática falhou",
    body: [
      "O seu saldo em {{service}} está baixo e tentamos cobrar {{amount}} do seu meio de pagamento salvo. O seu banco recusou ou quer que você mesmo confirme.",
    ],
    action: "Pagar agora",
    notes: ["O link funciona por um dia. Se a próxima cobrança também falhar, a recarga automática é desligada."],
  },
  top_up_stopped: {
    subject: "A sua recarga automática está desligada",
    title: "Nada mais é cobrado automaticamente",
    body: [
      "A recarga automática de {{amount}} em {{service}} está desligada: o seu meio de pagamento foi recusado duas vezes, o que você aceitou não é mais oferecido, ou um dos pagamentos foi devolvido ou está em análise.",
    ],
    action: "Abrir a cobrança",
    notes: [],
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
  organisation_quota_low: {
    subject: "O saldo de {{organisation}} está abaixo de {{threshold}}",
    title: "O saldo da sua organização está acabando",
    body: [
      "O saldo de {{organisation}} é de {{credit}}, menos de {{threshold}} da última recarga.",
      "Quando ele acabar, as solicitações com as chaves dela serão recusadas até que seja recarregado.",
    ],
    action: "Recarregar",
    notes: [],
  },
  operator_event: {
    subject: "Evento em {{service}}: {{title}}",
    title: "{{title}}",
    body: ["{{details}}"],
    action: "Abrir os eventos",
    notes: ["Você recebe este e-mail porque um administrador de {{service}} adicionou o seu endereço."],
  },
  webhook_failed: {
    subject: "O seu webhook em {{service}} foi desativado",
    title: "O seu webhook foi desativado",
    body: [
      "Há dias que ninguém aceita as suas mensagens, ou o endereço já não existe. Nenhum evento é mais enviado para lá.",
    ],
    action: "Abrir webhooks",
    notes: [
      "Quando o endereço voltar a funcionar, ative o webhook e reenvie as mensagens com falha a partir do registro.",
    ],
  },
};
