import type { MailWords } from "./words.ts";

export const spanish: MailWords = {
  colon: ": ",
  byHand: "Si el botón no funciona, abra esta dirección:",
  footer: "Este mensaje ha sido enviado automáticamente por {{service}}.",
  email_verify: {
    subject: "Confirme su dirección de correo electrónico",
    title: "Confirme su dirección de correo electrónico",
    body: ["Le damos la bienvenida a {{service}}. Confirme que esta dirección de correo electrónico es suya."],
    action: "Confirmar la dirección",
    notes: ["Validez del enlace: {{valid_for}}.", "Si no ha creado ninguna cuenta, puede ignorar este mensaje."],
  },
  account_exists: {
    subject: "Ya tiene una cuenta",
    title: "Ya tiene una cuenta",
    body: [
      "Alguien, probablemente usted, ha intentado registrarse en {{service}} con esta dirección de correo electrónico. Ya existe una cuenta con ella, así que no se ha cambiado nada.",
    ],
    action: "Iniciar sesión",
    notes: [
      "¿Ha olvidado la contraseña? Restablézcala aquí: {{reset_link}}",
      "Si no ha sido usted, no tiene que hacer nada.",
    ],
  },
  password_reset: {
    subject: "Restablezca su contraseña",
    title: "Restablezca su contraseña",
    body: [
      "Hemos recibido una solicitud para restablecer la contraseña de su cuenta en {{service}}. Si ha sido usted, elija aquí una contraseña nueva.",
    ],
    action: "Elegir una contraseña nueva",
    notes: [
      "Validez del enlace: {{valid_for}}. Solo se puede usar una vez.",
      "Si no ha sido usted, ignore este mensaje; su contraseña no cambiará.",
    ],
  },
  password_changed: {
    subject: "Su contraseña ha cambiado",
    title: "Su contraseña ha cambiado",
    body: ["Se ha cambiado la contraseña de su cuenta en {{service}} y se han cerrado todas las sesiones."],
    action: "No he sido yo: restablecer la contraseña",
    notes: [
      "Si ha sido usted, no tiene que hacer nada.",
      "Sus claves de API siguen funcionando. Revoque en la consola las que no reconozca.",
      "Los accesos vinculados con otros servicios siguen funcionando si no se quitaron junto con el cambio. En la página de su cuenta, quite los que no reconozca.",
    ],
  },
  recovery_code_used: {
    subject: "Se ha usado un código de recuperación de su cuenta",
    title: "Se ha usado un código de recuperación",
    body: [
      "Se ha usado un código de recuperación en {{service}} en lugar del código de su autenticador. Códigos restantes: {{left}}.",
    ],
    action: "Abrir mi cuenta",
    notes: [
      "Si ha sido usted, no tiene que hacer nada. Si no, cambie su contraseña y cree nuevos códigos de recuperación de inmediato.",
    ],
  },
  sign_in_linked: {
    subject: "Se ha añadido un inicio de sesión a su cuenta",
    title: "Se ha añadido un inicio de sesión",
    body: ["A partir de ahora se puede entrar en su cuenta de {{service}} con su cuenta de {{provider}}."],
    action: "Abrir mi cuenta",
    notes: [
      "Si ha sido usted, no tiene que hacer nada. Si no, elimínelo en su cuenta y cambie su contraseña de inmediato.",
    ],
  },
  passkey_added: {
    subject: "Se ha añadido una clave de acceso a su cuenta",
    title: "Se ha añadido una clave de acceso",
    body: ["A partir de ahora se puede entrar en su cuenta de {{service}} con una nueva clave de acceso."],
    action: "Abrir mi cuenta",
    notes: [
      "Si ha sido usted, no tiene que hacer nada. Si no, elimínela en su cuenta y cambie su contraseña de inmediato.",
    ],
  },
  passkey_removed: {
    subject: "Se ha eliminado una clave de acceso de su cuenta",
    title: "Se ha eliminado una clave de acceso",
    body: ["Una de sus claves de acceso ya no abre su cuenta de {{service}}."],
    action: "Abrir mi cuenta",
    notes: ["Si ha sido usted, no tiene que hacer nada. Si no, cambie su contraseña de inmediato."],
  },
  passkey_copied: {
    subject: "Puede que se haya copiado una clave de acceso de su cuenta",
    title: "Puede que se haya copiado una clave de acceso",
    body: [
      "Se ha usado una clave de acceso de su cuenta de {{service}}, y su contador muestra que antes se usó otra copia.",
    ],
    action: "Abrir mi cuenta",
    notes: [
      "Elimine en su cuenta la clave de acceso usada por última vez y añada una nueva. Si no reconoce el inicio de sesión, cierre también sus otras sesiones.",
    ],
  },
  account_closing: {
    subject: "Su cuenta se cerrará el {{closes_on}}",
    title: "Su cuenta se va a cerrar",
    body: [
      "Su cuenta de {{service}} se cerrará el {{closes_on}}. Sus claves de API se rechazan desde ahora. Entonces se perderá lo que quede de su saldo y se eliminarán sus datos personales.",
    ],
    action: "Abrir mi cuenta",
    notes: [
      "Hasta entonces puede conservar la cuenta en su página. Si no lo ha pedido usted, hágalo ahora y cambie su contraseña. Si la cierra el operador, pregunte a soporte.",
    ],
  },
  account_kept: {
    subject: "Su cuenta se conserva",
    title: "Su cuenta se conserva",
    body: [
      "Su cuenta de {{service}} no se cerrará y sus claves de API vuelven a funcionar. Los tokens de acceso que terminaron deben crearse de nuevo.",
    ],
    action: "Abrir mi cuenta",
    notes: ["Si no ha sido usted, cambie su contraseña de inmediato."],
  },
  account_closed: {
    subject: "Su cuenta se ha cerrado",
    title: "Su cuenta se ha cerrado",
    body: [
      "Su cuenta de {{service}} se ha cerrado y se han eliminado sus datos personales. Las facturas y los asientos se conservan mientras lo exija la ley. Este es el último correo al respecto.",
    ],
    action: "Registrarse de nuevo",
    notes: ["Puede usar esta dirección para una cuenta nueva."],
  },
  email_change: {
    subject: "Verifique su nueva dirección de correo",
    title: "Verifique su nueva dirección de correo",
    body: [
      "Alguien quiere usar esta dirección para una cuenta de {{service}}. Abra el enlace y pulse el botón para confirmarlo. El enlace es válido durante {{valid_for}}.",
    ],
    action: "Verificar la dirección",
    notes: ["Si no ha sido usted, ignore este correo. Nada cambia sin el enlace."],
  },
  email_changed: {
    subject: "Se ha cambiado la dirección de correo de su cuenta",
    title: "Se ha cambiado la dirección de correo",
    body: ["Su cuenta de {{service}} tiene ahora otra dirección de correo y los mensajes ya no llegan aquí."],
    action: "Deshacer el cambio",
    notes: [
      "Si ha sido usted, no tiene que hacer nada. Si no, abra el enlace en un plazo de siete días: restablece esta dirección, cierra todas las sesiones y le permite establecer una contraseña nueva.",
    ],
  },
  email_restored: {
    subject: "Su cuenta vuelve a tener su dirección de correo anterior",
    title: "La dirección de correo anterior está de vuelta",
    body: [
      "Su cuenta en {{service}} vuelve a tener esta dirección. Han terminado todas sus sesiones y tokens de acceso. Se eliminaron la contraseña, las claves de acceso y los servicios de inicio de sesión, y también un autenticador configurado después del cambio.",
    ],
    action: "Establecer una contraseña nueva",
    notes: ["Después revise sus claves de API y revoque las que no reconozca."],
  },
  approval_waiting: {
    subject: "La solicitud {{request_no}} necesita un segundo superadministrador",
    title: "Una solicitud necesita un segundo superadministrador",
    body: [
      "Un superadministrador de {{service}} ha pedido algo que requiere el acuerdo de dos personas. No se cambia nada hasta que usted u otro superadministrador apruebe la solicitud {{request_no}}.",
    ],
    action: "Ver la solicitud",
    notes: [
      "Plazo para decidir: {{valid_for}}. Si nadie la aprueba antes, no ocurre nada.",
      "Si no esperaba esta solicitud, hable con los demás antes de aprobarla.",
    ],
  },
  organisation_invitation: {
    subject: "Invitación a una organización",
    title: "Invitación a una organización",
    body: [
      "Un miembro de una organización de {{service}} le invita a unirse a ella. A partir de entonces usará la cuenta y el saldo de la organización.",
    ],
    action: "Ver la invitación",
    notes: [
      "Validez del enlace: {{valid_for}}. Solo se puede usar una vez y solo con una cuenta de esta dirección de correo.",
      "Si no sabe quién le invita, puede ignorar este mensaje.",
    ],
  },
  payment_success: {
    subject: "Pago recibido: {{amount}}",
    title: "Pago recibido",
    body: ["Gracias por su pago. El saldo se ha añadido a su cuenta."],
    action: "Abrir la consola",
    notes: [],
    facts: { order_no: "Pedido", plan_name: "Plan", amount: "Importe", credit: "Saldo" },
  },
  renewal_failed: {
    subject: "No pudimos cobrar {{plan_name}}",
    title: "El pago ha fallado",
    body: [
      "Intentamos cobrar {{amount}} por el próximo mes de {{plan_name}} en {{service}}, pero el pago falló. Conserva su plan hasta el {{until}} y lo intentaremos de nuevo.",
    ],
    action: "Cambiar el método de pago",
    notes: ["Si el pago sigue fallando, su plan termina y no se cobra nada más."],
  },
  renewal_ended: {
    subject: "Su plan {{plan_name}} ha terminado",
    title: "Su plan ha terminado",
    body: [
      "No pudimos cobrar el próximo mes de {{plan_name}} en {{service}}, así que su plan ha terminado. No se cobrará nada más.",
    ],
    action: "Ver los planes",
    notes: [],
  },
  renewal_left: {
    subject: "{{plan_name}} no se renovará",
    title: "El plan no se renovará",
    body: [
      "La tarjeta con la que se cobra {{plan_name}} en {{service}} es de una persona que ya no paga por su organización, así que no se le cobrará nada más. El plan dura hasta el {{until}}. Para conservarlo, suscríbase de nuevo con otra tarjeta.",
    ],
    action: "Ver los planes",
    notes: [],
  },
  renewal_changes: {
    subject: "{{plan_name}} cambia el {{from}}",
    title: "Su plan cambia",
    body: [
      "Desde el primer mes que empiece el {{from}} o después, {{plan_name}} en {{service}} cuesta {{amount}} al mes y añade {{credit}} a su saldo.",
    ],
    action: "Ver mi plan",
    notes: ["Los meses que empiezan antes no cambian. Si no está de acuerdo, cancele antes de esa fecha."],
  },
  top_up_failed: {
    subject: "No se pudo cobrar su recarga automática",
    title: "La recarga automática falló",
    body: [
      "Su saldo en {{service}} es bajo e intentamos cobrar {{amount}} a su método de pago guardado. Su banco lo rechazó o quiere que lo confirme usted.",
    ],
    action: "Pagar ahora",
    notes: [
      "El enlace funciona durante un día. Si el próximo cobro también falla, la recarga automática se desactiva.",
    ],
  },
  top_up_stopped: {
    subject: "Su recarga automática está desactivada",
    title: "Ya no se cobra nada automáticamente",
    body: [
      "La recarga automática de {{amount}} en {{service}} está desactivada: su método de pago se rechazó dos veces, lo que usted aceptó ya no se ofrece, o uno de sus pagos se devolvió o se está revisando.",
    ],
    action: "Abrir la facturación",
    notes: [],
  },
  quota_low: {
    subject: "Le queda menos del {{threshold}} de su saldo",
    title: "Su saldo se está agotando",
    body: [
      "Su saldo restante es de {{credit}}, menos del {{threshold}} de lo último que se añadió.",
      "Cuando se agote, las solicitudes se rechazarán hasta que recargue.",
    ],
    action: "Recargar",
    notes: [],
  },
  organisation_quota_low: {
    subject: "El saldo de {{organisation}} está por debajo del {{threshold}}",
    title: "El saldo de su organización se está agotando",
    body: [
      "El saldo de {{organisation}} es de {{credit}}, menos del {{threshold}} de lo último que se añadió.",
      "Cuando se agote, las solicitudes con sus claves se rechazarán hasta que se recargue.",
    ],
    action: "Recargar",
    notes: [],
  },
  operator_event: {
    subject: "Evento en {{service}}: {{title}}",
    title: "{{title}}",
    body: ["{{details}}"],
    action: "Abrir los eventos",
    notes: ["Recibe este correo porque un administrador de {{service}} añadió su dirección."],
  },
  webhook_failed: {
    subject: "Su webhook de {{service}} se ha desactivado",
    title: "Su webhook se ha desactivado",
    body: ["Desde hace días nadie acepta sus mensajes, o su dirección ya no existe. Ya no se envían eventos allí."],
    action: "Abrir webhooks",
    notes: [
      "Cuando la dirección vuelva a funcionar, active el webhook y reenvíe los mensajes fallidos desde su registro.",
    ],
  },
};
