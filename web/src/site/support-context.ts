/**
 * Sets the logged-in user as attributes of the support widget; nothing for visitors. Only loaded if there is a widget.
 */
type Me = { readonly user: { readonly email: string; readonly display_name: string | null } };

const me = "/backend/auth/me/";

async function notifyWidget(widget: Element): Promise<void> {
  // Without a login the response is a 401, and without a network there is none: neither says anything about a user.
  const answer = await fetch(me, { headers: { accept: "application/json" } }).catch(() => null);
  if (answer?.ok === true) {
    const { user } = (await answer.json()) as Me;
    widget.setAttribute("username", user.display_name || user.email);
    widget.setAttribute("email", user.email);
  }
}

const element = document.querySelector("support-widget");
if (element !== null) {
  void notifyWidget(element);
}
